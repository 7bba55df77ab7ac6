"""Promises and charges that the tests of the ledger share."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from allonym.budget.account import Charge
from allonym.budget.ledger import Ledger
from allonym.privacy import Guarantee, accounting

METRIC = accounting.metric(loss_per_unit=1.0, largest_loss=2.0, distance="any", words=5)
PER_WORD = accounting.pure(loss_per_word=1.0, words=None)
METRIC_PER_WORD = accounting.metric(loss_per_unit=1.0, largest_loss=2.0, distance="any", words=None)
NONE = Guarantee(definition="none", loss_per_word=None, words=None, epsilon=None, evidence="none")


def promise(epsilon: float) -> Guarantee:
    return Guarantee(definition="pure", loss_per_word=epsilon, words=1, epsilon=epsilon)


def charge(epsilon: float = 1.0, documents: int = 1, **more: object) -> Charge:
    return Charge("reviews", "syntf", promise(epsilon), documents, **more)


CLAIMED = replace(promise(1), evidence="claimed")


def totals(ledger: Ledger) -> tuple[Fraction, Fraction]:
    [found] = ledger.totals()
    return found.document, found.author
