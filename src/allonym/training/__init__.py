"""Training of networks: the part of the package that uses torch."""
