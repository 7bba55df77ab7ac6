"""What the commands' help tells of the methods, read from the anonymizers' own classes and docstrings."""

from __future__ import annotations

import inspect
import json
import re
import types
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

from allonym import anonymizers

if TYPE_CHECKING:
    from allonym.anonymizers.base import Anonymizer

STORED = Path(__file__).with_name("told.json")


def as_stored() -> str:
    """Return what `make man` writes, and a test compares."""
    return json.dumps(of_methods(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def kept() -> dict[str, Any]:
    """Return what is stored, as to look at every method loads NumPy and much else; or look, if there is a new file."""
    stored: dict[str, Any] = json.loads(STORED.read_text("utf-8"))
    return stored if stored["files"] == _files() else of_methods()


def _files() -> list[str]:
    """Return the files that methods may be in."""
    folders = map(Path, anonymizers.__path__)
    return sorted(path.relative_to(folder).as_posix() for folder in folders for path in folder.rglob("*.py"))


def of_methods() -> dict[str, Any]:
    """Return the methods' names, their parameters, and which of them can do what."""
    takers: dict[str, list[str]] = {}
    parameters: dict[str, dict[str, Any]] = {}
    kinds = {name: type(example) for name, example in sorted(anonymizers.examples().items())}
    for method, kind in kinds.items():
        hints = get_type_hints(kind.__init__)
        for name in inspect.signature(kind).parameters:
            takers.setdefault(name, []).append(method)
            parameters.setdefault(name, _read_as(hints[name]))
    return {
        "files": _files(),
        "methods": list(kinds),
        "parameters": {name: described | _explained(name, takers[name]) for name, described in parameters.items()},
        "about": {name: _about(example) for name, example in sorted(anonymizers.examples().items())},
        "able": {
            "replacing": [name for name, kind in kinds.items() if kind.replaces_words],
            "learning": [name for name, kind in kinds.items() if kind.learns_a_vocabulary],
            "labelled": [name for name, kind in kinds.items() if kind.learns_from_labels],
        },
    }


def _about(example: Anonymizer) -> dict[str, Any]:
    """Return what a comparison of the methods says of one."""
    return {"proved": example.guarantee().formal, "gives": "word counts" if example.kind == "vectors" else "text"}


def _read_as(hint: object) -> dict[str, Any]:
    """Return how a parameter of this type is read."""
    choices = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    for choice in choices:
        if get_origin(choice) is Literal:
            return {"type": "choice", "choices": list(get_args(choice))}
    return {"type": next((plain.__name__ for plain in (bool, int, float) if plain in choices), "str")}


def _explained(name: str, methods: Sequence[str]) -> dict[str, Any]:
    """Return what a parameter means: once for all methods that say the same of it, and for each with its default."""
    meanings: dict[str, list[str]] = {}
    for method in methods:
        meanings.setdefault(_described(name, method), []).append(method)
    return {
        "help": " ".join(f"{meaning} [{', '.join(takers)}]" for meaning, takers in meanings.items()),
        "methods": {
            method: {"help": _described(name, method), "default": _default(name, method)} for method in methods
        },
    }


def _default(name: str, method: str) -> str:
    """Return a parameter's default as one would type it; nothing where there is none."""
    default = inspect.signature(anonymizers.find(method)).parameters[name].default
    if default in (None, "", inspect.Parameter.empty):
        return ""
    return {True: "yes", False: "no"}[default] if isinstance(default, bool) else str(default)


def _described(name: str, method: str) -> str:
    """Return the line about a parameter in its class's docstring, or in that of the class it inherits from."""
    for kind in anonymizers.find(method).__mro__:
        words = inspect.cleandoc(kind.__doc__ or "")
        if line := re.search(rf"^ +{name}: (.*(?:\n {{8}}.*)*)", words, re.MULTILINE):
            return " ".join(line.group(1).split())
    return ""
