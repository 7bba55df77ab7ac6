"""The house rules that a machine can check."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "allonym"
MODULES = sorted(SOURCE.rglob("*.py"))

# The storeys of the house: a room may use those below it; rooms of one storey never use each other.
STOREYS: list[tuple[str, ...]] = [
    ("errors",),
    ("acceleration", "arithmetic", "disk", "distances", "randomness"),
    ("models",),
    ("language",),
    ("vectors",),
    ("privacy", "mechanisms", "formats", "drawing", "guard", "names"),
    ("budget", "networks", "metrics"),
    ("training", "books"),
    ("anonymizers", "attackers"),
    ("jobs", "recognition"),
    ("audit", "evaluation"),
    ("papers", "web"),
    ("cli",),
]
WITHOUT_A_ROOM = 6  # modules, at most
ANYWHERE = {"__init__"}


def part_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def level_of(part: str) -> int:
    return next(number for number, parts in enumerate(STOREYS) if part in parts)


def imported_parts(source: str) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module == "allonym":
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("allonym."):
            found.add(node.module.split(".")[1])
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("allonym.")}
    return found - {"__version__"}


def offences(part: str, source: str) -> set[str]:
    return {other for other in imported_parts(source) - {part} if level_of(other) >= level_of(part)}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_downwards(path):
    if part_of(path) in ANYWHERE | {"__main__"}:
        return
    assert not offences(part_of(path), path.read_text("utf-8"))


def test_the_import_rule_can_be_broken():
    assert offences("attackers", "from allonym.anonymizers.syntf import SynTF") == {"anonymizers"}
    assert offences("mechanisms", "import allonym.cli") == {"cli"}
    assert offences("errors", "from allonym import language") == {"language"}
    assert offences("privacy", "from allonym.mechanisms import Exponential") == {"mechanisms"}
    assert not offences("cli", "from allonym import anonymizers")


def test_few_modules_have_no_room():
    alone = [path.stem for path in SOURCE.glob("*.py") if not path.stem.startswith("__")]
    assert len(alone) <= WITHOUT_A_ROOM, alone


def imports_torch(source: str) -> bool:
    """Whether a module imports torch anywhere, if only in a function."""
    for node in ast.walk(ast.parse(source)):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        named = isinstance(node, ast.Call) and any(
            isinstance(one, ast.Constant) and one.value == "torch" for one in node.args
        )
        if named or any(name.partition(".")[0] == "torch" for name in names):
            return True
    return False


def test_networks_need_no_torch():
    for path in sorted((SOURCE / "networks").rglob("*.py")):
        assert not imports_torch(path.read_text("utf-8")), path.name
    for line in ("import torch", "from torch import nn", "def f():\n    import torch.nn", "import_module('torch')"):
        assert imports_torch(line)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_files_and_functions_stay_readable(path):
    source = path.read_text("utf-8")
    assert source.count("\n") < 400
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.body:
            documented = ast.get_docstring(node) is not None and len(node.body) > 1
            first = node.body[1] if documented else node.body[0]
            length = node.end_lineno - first.lineno + 1
            assert length <= 40, f"{node.name} has {length} lines"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_assert_and_no_eval(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        assert not isinstance(node, ast.Assert), "an assert vanishes under python -O"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in ("eval", "exec")


def test_importing_is_light():
    heavy = ("torch", "pyspark", "starlette", "numba", "sklearn", "scipy", "numpy", "pyarrow", "nltk", "click")
    script = f"import sys, allonym; print([name for name in {heavy!r} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_every_class_has_a_name_of_its_own():
    where: dict[str, list[str]] = {}
    for path in MODULES:
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                where.setdefault(node.name, []).append(str(path.relative_to(SOURCE)))
    assert len(where) > 300
    assert {name: paths for name, paths in where.items() if len(paths) > 1} == {}


MEASURING = ("audit", "budget", "evaluation", "guard", "jobs", "metrics", "names", "papers", "training")
# What may return a mapping with open keys: options as they were given, and what the files of an unfinished run hold.
OPEN = {"facts", "kept", "of_anonymizer", "options", "read", "read_state", "remembered"}


def unfrozen(source: str) -> list[str]:
    """Name classes that say what is stored of them and yet can change; a tally, which adds, is no result."""
    return [
        node.name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ClassDef)
        and {"to_json"} <= (methods := {part.name for part in node.body if isinstance(part, ast.FunctionDef)})
        and "add" not in methods
        and not any("frozen=True" in ast.unparse(decorator) for decorator in node.decorator_list)
    ]


def loose(source: str) -> list[str]:
    """Name functions for others that return a mapping of anything in the place of a result."""
    return [
        node.name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef)
        and not node.name.startswith("_")
        and node.name not in OPEN | {"to_json"}
        and ast.unparse(node.returns or ast.Constant(None)) in ("dict[str, Any]", "Json", "Mapping[str, Any]")
    ]


@pytest.mark.parametrize("room", MEASURING)
def test_results_are_frozen_and_have_one_to_json(room):
    sources = {path: path.read_text("utf-8") for path in MODULES if part_of(path) == room}
    assert sources
    assert {path.name: names for path, source in sources.items() if (names := unfrozen(source) + loose(source))} == {}


def test_the_rule_of_results_can_be_broken():
    says = "def to_json(self) -> dict[str, Any]:\n        return {}"
    assert unfrozen(f"class Row:\n    {says}") == ["Row"]
    assert unfrozen(f"@dataclass\nclass Row:\n    {says}") == ["Row"]
    assert not unfrozen(f"@dataclass(frozen=True)\nclass Row:\n    {says}")
    assert not unfrozen(f"@dataclass\nclass Tally:\n    {says}\n    def add(self): ...")
    assert loose("def run(asked) -> dict[str, Any]: ...") == ["run"]
    assert not loose("def run(asked) -> Results: ...")
