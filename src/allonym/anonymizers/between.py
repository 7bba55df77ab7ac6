"""How well two given documents are hidden behind one another."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Between:
    """How well two given documents are hidden behind one another."""

    words: int  # words of each that are compared; or sentences, where these are drawn
    distances: dict[str, float]  # each distance that applies, by name
    losses: dict[str, float]  # each loss that applies, by name
    drawn: str = "word"  # what is drawn and compared
