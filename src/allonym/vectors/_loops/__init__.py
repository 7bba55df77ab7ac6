"""Compiled loops over word vectors. Each is imported only when compiling pays."""
