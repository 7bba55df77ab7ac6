"""SynTF: differentially private synthetic term-frequency vectors. `recipe` is the method."""

from allonym.anonymizers.syntf.recipe import SynTF

__all__ = ["SynTF"]
