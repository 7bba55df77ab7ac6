"""SynTF: differentially private synthetic term-frequency vectors. `recipe` is the method, `counts` its algorithm 1."""

from allonym.anonymizers.syntf._matrix import SynTFCounts
from allonym.anonymizers.syntf.recipe import SynTF

__all__ = ["SynTF", "SynTFCounts"]
