"""The attackers: scikit-learn classifiers over texts that name the writer, found by name.

A class of this package with a `name` is an attacker; `foreign` makes one of any other classifier over texts. The panel
of `allonym.attackers.panel` says which are run together; `allonym.attackers.ensemble` makes one of them.
"""

from __future__ import annotations

import inspect
from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from typing import TYPE_CHECKING, Any

from allonym.errors import ParameterError

if TYPE_CHECKING:
    from allonym.attackers.base import Attacker


@cache
def classes() -> dict[str, type[Attacker]]:
    """Return every attacker's class, by name."""
    from allonym.attackers.base import Attacker

    by_name: dict[str, type[Attacker]] = {}
    for module in walk_packages(__path__, f"{__name__}."):
        if "._" in module.name:
            continue
        for member in vars(import_module(module.name)).values():
            if inspect.isclass(member) and issubclass(member, Attacker) and hasattr(member, "name"):
                by_name[member.name] = member
    return dict(sorted(by_name.items()))


def make(name: str, **parameters: Any) -> Attacker:  # noqa: ANN401 - the parameters of the attacker
    """Return an attacker that has learned nothing yet."""
    known = classes()
    if name not in known:
        raise ParameterError(f"There is no attacker {name!r}; choose one of: {', '.join(known)}.")
    return known[name](**parameters)


def foreign(classifier: Any) -> Attacker:  # noqa: ANN401 - scikit-learn has no types
    """Return an attacker made of any classifier over texts: an instance (say a Pipeline), or "module:Class"."""
    from allonym.attackers.adapter import Foreign

    return Foreign(classifier)
