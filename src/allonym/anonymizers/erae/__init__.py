"""ER-AE: readable text, every word of it drawn by a mechanism with a proved loss. `recipe` is the method."""

from allonym.anonymizers.erae.recipe import ERAE

__all__ = ["ERAE"]
