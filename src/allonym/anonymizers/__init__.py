"""The anonymizers, found by looking: each is a file of this package, or a folder whose `recipe` is the method.

A module is an anonymizer if it defines `EXAMPLE`, a ready instance small enough for the contract tests. `words` holds
two methods that share all but the draw, each in a file of its own name. Files that begin with _ are not looked into.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from typing import TYPE_CHECKING

from allonym.errors import ParameterError

if TYPE_CHECKING:
    from allonym.anonymizers.base import Anonymizer


@cache
def examples() -> dict[str, Anonymizer]:
    """Return a ready instance of every anonymizer, by method name."""
    names = (module.name for module in walk_packages(__path__, f"{__name__}."))
    modules = (import_module(name) for name in names if not name.rpartition(".")[2].startswith("_"))
    ready = (module.EXAMPLE for module in modules if hasattr(module, "EXAMPLE"))
    return {example.method: example for example in ready}


def find(method: str) -> type[Anonymizer]:
    """Return the class behind a method name."""
    known = examples()
    if method not in known:
        raise ParameterError(f"There is no method {method!r}; choose one of: {', '.join(sorted(known))}.")
    return type(known[method])
