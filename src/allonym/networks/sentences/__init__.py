"""Sentences as vectors of whole numbers: what is near in meaning has a large product, the same on every processor."""
