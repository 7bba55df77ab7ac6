"""The neural networks: the only part of the package that uses torch, and inference that needs none."""
