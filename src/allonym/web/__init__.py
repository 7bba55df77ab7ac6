"""The local page: `allonym serve` shows what the commands do, in a browser, without a network."""
