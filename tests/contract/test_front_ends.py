"""No front end knows a method or a mechanism by its class or name: what it needs, each says of itself."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import allonym
from allonym import anonymizers, mechanisms

SOURCE = Path(allonym.__file__).parent
ROOMS = ("audit", "cli", "evaluation", "jobs", "web")
SHARED = {"auditing", "base", "between", "offers", "release", "settings", "with_names"}  # of all anonymizers
METHODS = set(anonymizers.examples())
OFFERS = {offer.name for example in anonymizers.examples().values() for offer in example.offers()}
MECHANISMS = {kind.__name__ for kind in mechanisms.kinds()}
CLASSES = MECHANISMS | (
    {kind.__name__ for example in anonymizers.examples().values() for kind in type(example).__mro__}
    & {
        node.name
        for path in (SOURCE / "anonymizers").rglob("*.py")
        if path.stem not in SHARED
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    }
)


def names(node: ast.AST) -> Iterator[str]:
    for one in ast.walk(node):
        if isinstance(one, ast.Name | ast.Attribute):
            yield one.id if isinstance(one, ast.Name) else one.attr


def texts(node: ast.AST) -> set[object]:
    return {one.value for one in ast.walk(node) if isinstance(one, ast.Constant)}


def asks(node: ast.AST) -> str:
    """Return what a piece of code asks for that it should not; empty for one that is free to ask."""
    if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("allonym.anonymizers."):
        return "" if node.module.split(".")[2] in SHARED else f"imports {node.module}"
    if isinstance(node, ast.ImportFrom) and node.module == "allonym" and CLASSES & {one.name for one in node.names}:
        return "imports a method"
    if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("allonym.mechanisms"):
        return "imports a mechanism" if MECHANISMS & {one.name for one in node.names} else ""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "issubclass"):
        return "asks for a class" if CLASSES.intersection(names(node.args[1])) else ""
    if isinstance(node, ast.Compare):
        if METHODS.intersection(texts(node)):
            return "asks for a name"
        return "asks for a class" if CLASSES.intersection(names(node)) else ""
    if isinstance(node, ast.match_case):
        found = METHODS & texts(node.pattern) or CLASSES.intersection(names(node.pattern))
        return "asks for a class or a name" if found else ""
    return ""


def offences(source: str) -> list[str]:
    return [asked for node in ast.walk(ast.parse(source)) if (asked := asks(node))]


def test_no_front_end_asks_for_a_class_or_a_name():
    found = Counter[str]()
    for room in ROOMS:
        for path in sorted((SOURCE / room).rglob("*.py")):
            found[path.relative_to(SOURCE).as_posix()] = len(offences(path.read_text("utf-8")))
    assert not +found, dict(+found)


def chosen_by_name(script: str) -> list[str]:
    """Return the protections that a script of the page compares with, or asks for, by a name written in it."""
    written = re.findall(r"""(?:===|!==|protection:|case)\s*["'`]([\w-]+)["'`]""", script)
    return [name for name in written if name in METHODS | OFFERS]


def test_no_script_of_the_page_asks_for_a_protection_by_name():
    scripts = sorted((SOURCE / "web" / "static").glob("*.js"))
    assert len(scripts) > 5
    assert not {path.name: names for path in scripts if (names := chosen_by_name(path.read_text("utf-8")))}
    assert chosen_by_name('cards.find((card) => card.name === "meaning")') == ["meaning"]
    assert chosen_by_name("post('/rewrite', { protection: 'syntf' })") == ["syntf"]


@pytest.mark.parametrize(
    "line",
    [
        "from allonym.anonymizers.erae import ERAE",
        "from allonym import SynTF",
        "from allonym.mechanisms import Exponential",
        "isinstance(mechanism, Exponential)",
        "isinstance(anonymizer, ERAE)",
        "issubclass(kind, (Other, substitution.WordSubstitution))",
        "type(anonymizer) is ERAE",
        "method == 'syntf'",
        "method in ('laplace', 'exponential')",
        "match method:\n    case 'a4nt':\n        pass",
        "match anonymizer:\n    case ERAE():\n        pass",
    ],
)
def test_the_rule_can_be_broken(line):
    assert offences(line)


@pytest.mark.parametrize(
    "line",
    ["from allonym.anonymizers.base import Anonymizer", "isinstance(found, Anonymizer)", "method == chosen.method"],
)
def test_the_rule_forbids_nothing_else(line):
    assert not offences(line)
