"""Mechanisms: each file carries a law, its price and its draw, with no text in sight."""

from allonym.mechanisms.base import Mechanism, examples, kinds
from allonym.mechanisms.exponential import Exponential
from allonym.mechanisms.laplace import LaplaceND
from allonym.mechanisms.metric_exponential import MetricExponential
from allonym.mechanisms.subset import Subset
from allonym.mechanisms.two_set import TwoSet
from allonym.mechanisms.weights import ScoreRows

__all__ = [
    "Exponential",
    "LaplaceND",
    "Mechanism",
    "MetricExponential",
    "ScoreRows",
    "Subset",
    "TwoSet",
    "examples",
    "kinds",
]
