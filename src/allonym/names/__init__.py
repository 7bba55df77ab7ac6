"""Names and the like: who, where, when and how much a text tells; found, numbered and replaced.

What gives a writer away first is not style but facts: names of people, places and organisations, dates, amounts,
numbers, addresses, and what somebody is at work. They are found by rules and, where it is installed, by spaCy's small
model. Both miss some. **Nothing here is a proof**: what is found can be replaced, and what is not stays.

Privacy: spends nothing. What is found is copied from the text, and so is how often: both are as private as the text is.
"""

from __future__ import annotations

from allonym.names.counting import NO_PROOF, NameCounts
from allonym.names.finding import KINDS, Kind, Mention, find, model_is_open, model_is_there, prepare
from allonym.names.placeholders import Placed, label, marked, placed, replaced

__all__ = [
    "KINDS",
    "NO_PROOF",
    "Kind",
    "Mention",
    "NameCounts",
    "Placed",
    "find",
    "label",
    "marked",
    "model_is_open",
    "model_is_there",
    "placed",
    "prepare",
    "replaced",
]
