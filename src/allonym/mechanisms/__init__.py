"""Mechanisms: each file carries a law, its price and its draw, with no text in sight."""

from allonym.mechanisms.exponential import Exponential
from allonym.mechanisms.weights import ScoreRows

__all__ = ["Exponential", "ScoreRows"]
