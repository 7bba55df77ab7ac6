"""Compiled loops of the mechanisms. Each is imported only when compiling pays."""
