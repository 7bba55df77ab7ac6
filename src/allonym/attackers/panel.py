"""Panels: which attackers are run together. `allonym.evaluation.attack` runs them."""

from __future__ import annotations

from collections.abc import Sequence

from sklearn.base import clone

from allonym.attackers.base import Attacker
from allonym.attackers.floors import LengthOnly, Majority
from allonym.attackers.linear import BinaryBayes, ClearChannelSVM, NGramSVM, WordBayes, WordNGramSVM
from allonym.attackers.meaning import Meaning
from allonym.attackers.structure import Structure
from allonym.attackers.style_encoder import StyleEncoder
from allonym.attackers.writeprints.attackers import WritePrintsSVM


def default_panel() -> list[Attacker]:
    """Return the strong attackers, which a figure that is published should be of.

    Where an extra is not installed, the attackers that need it are left out; `missing_from_panel` says which.
    """
    return [attacker for attacker in _strong() if not attacker.missing()]


def missing_from_panel() -> dict[str, str]:
    """Return the attackers that `default_panel` leaves out here, each with what to install."""
    return {attacker.name: lack for attacker in _strong() if (lack := attacker.missing())}


def _strong() -> list[Attacker]:
    return [
        NGramSVM(),
        WordNGramSVM(),
        BinaryBayes(),
        WordBayes(),
        StyleEncoder(),
        Meaning(),
        Structure(),
        WritePrintsSVM(),
        *_what_passes_through(),
    ]


def quick_panel() -> list[Attacker]:
    """Return attackers that answer while somebody waits; `default_panel` is stronger, and takes many times as long."""
    return [WordNGramSVM(), BinaryBayes(), Structure(), *_what_passes_through()]


def _what_passes_through() -> list[Attacker]:
    """Return attackers that see little: what they reach, a method lets through."""
    return [ClearChannelSVM(), LengthOnly(), Majority()]


def train(attackers: Sequence[Attacker], texts: Sequence[str], authors: Sequence[str]) -> list[Attacker]:
    """Return a trained copy of each attacker."""
    return [clone(attacker).fit(texts, authors) for attacker in attackers]
