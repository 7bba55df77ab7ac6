"""Allonym: how recognisable is your writing, and a rewrite with a proved guarantee.

The public names load on first use, so that `import allonym` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from allonym.anonymizers.a4nt import A4NT as A4NT
    from allonym.anonymizers.base import Anonymizer as Anonymizer
    from allonym.anonymizers.commonplace import Commonplace as Commonplace
    from allonym.anonymizers.erae import ERAE as ERAE
    from allonym.anonymizers.ghostwriter import Ghostwriter as Ghostwriter
    from allonym.anonymizers.identity import Identity as Identity
    from allonym.anonymizers.random_replacement import RandomReplacement as RandomReplacement
    from allonym.anonymizers.release import Release as Release
    from allonym.anonymizers.round_trip import RoundTrip as RoundTrip
    from allonym.anonymizers.syntf import SynTF as SynTF
    from allonym.anonymizers.syntf._matrix import SynTFCounts as SynTFCounts
    from allonym.anonymizers.words.exponential import WordExponential as WordExponential
    from allonym.anonymizers.words.laplace import WordLaplace as WordLaplace
    from allonym.errors import AllonymError as AllonymError
    from allonym.privacy.guarantee import Guarantee as Guarantee

__version__ = "0.1.0"

_HOMES = {
    "A4NT": "anonymizers.a4nt",
    "Commonplace": "anonymizers.commonplace",
    "ERAE": "anonymizers.erae",
    "AllonymError": "errors",
    "Anonymizer": "anonymizers.base",
    "Ghostwriter": "anonymizers.ghostwriter",
    "Guarantee": "privacy.guarantee",
    "Identity": "anonymizers.identity",
    "RandomReplacement": "anonymizers.random_replacement",
    "Release": "anonymizers.release",
    "RoundTrip": "anonymizers.round_trip",
    "SynTF": "anonymizers.syntf",
    "SynTFCounts": "anonymizers.syntf._matrix",
    "WordExponential": "anonymizers.words.exponential",
    "WordLaplace": "anonymizers.words.laplace",
}

__all__ = [*sorted(_HOMES), "__version__"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'allonym' has no attribute {name!r}")
    return getattr(import_module(f"allonym.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
