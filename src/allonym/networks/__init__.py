"""Neural networks as NumPy reads them, with the same bits on every processor. Torch is never imported here."""
