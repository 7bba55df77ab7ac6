"""What is left of the texts' use: functions of the texts before and after, one figure a document.

The functions load on first use, and each asks only for the packages it needs itself; `available` says which are there.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from allonym.metrics.base import Measure
    from allonym.metrics.fluency import grammar_findings as grammar_findings
    from allonym.metrics.fluency import perplexity as perplexity
    from allonym.metrics.guarding import names_kept as names_kept
    from allonym.metrics.guarding import negations_kept as negations_kept
    from allonym.metrics.guarding import notes_invented as notes_invented
    from allonym.metrics.guarding import notes_kept as notes_kept
    from allonym.metrics.guarding import numbers_kept as numbers_kept
    from allonym.metrics.scoring import bootstrap as bootstrap
    from allonym.metrics.semantics import cosine as cosine
    from allonym.metrics.semantics import embed as embed
    from allonym.metrics.semantics import meteor_1_5 as meteor_1_5
    from allonym.metrics.semantics import meteor_nltk as meteor_nltk
    from allonym.metrics.semantics import similarity as similarity
    from allonym.metrics.semantics import word_movers as word_movers
    from allonym.metrics.style import feature_distance as feature_distance
    from allonym.metrics.style import length_change as length_change
    from allonym.metrics.style import unchanged as unchanged
    from allonym.metrics.style import unchanged_in_place as unchanged_in_place
    from allonym.metrics.universal_encoder import meaning_use as meaning_use
    from allonym.metrics.utility import TopicScores as TopicScores
    from allonym.metrics.utility import topic_scores as topic_scores

READY = "ready"

_FUNCTIONS = {
    "fluency": ("grammar_findings", "perplexity"),
    "guarding": ("names_kept", "negations_kept", "notes_invented", "notes_kept", "numbers_kept"),
    "semantics": ("cosine", "embed", "meteor_1_5", "meteor_nltk", "similarity", "word_movers"),
    "style": ("feature_distance", "length_change", "unchanged", "unchanged_in_place"),
    "universal_encoder": ("meaning_use",),
    "utility": ("topic_scores",),
}
_HOMES = {name: module for module, names in _FUNCTIONS.items() for name in names}
_HOMES |= {"TopicScores": "utility", "bootstrap": "scoring"}

__all__ = [*sorted(_HOMES), *_FUNCTIONS, "READY", "available", "measures"]


@cache
def measures() -> dict[str, Measure]:
    """Return every measure of this package by name, those that may be the main one first."""
    from allonym.metrics.base import Measure

    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__) if module.name[0] != "_"]
    by_name = {
        id(member): member for module in modules for member in vars(module).values() if isinstance(member, Measure)
    }
    ordered = sorted(by_name.values(), key=lambda measure: (measure.main or len(by_name) + 1, measure.name))
    return {measure.name: measure for measure in ordered}


def available() -> dict[str, str]:
    """Say of each function "ready", or what to install to use it.

    No model is loaded or checked, and of the packages asked for only nltk is imported.
    """
    missing = {function: measure.missing for measure in measures().values() for function in measure.functions}
    functions = sorted(name for names in _FUNCTIONS.values() for name in names)
    return {name: (missing[name]() if name in missing else "") or READY for name in functions}


def __getattr__(name: str) -> object:
    if name in _FUNCTIONS:
        return import_module(f"allonym.metrics.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'allonym.metrics' has no attribute {name!r}")
    return getattr(import_module(f"allonym.metrics.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
