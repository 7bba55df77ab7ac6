"""WritePrints (Limited): the stylometric features of Abbasi and Chen (2008), and attackers that weigh them."""
