"""The documentation: no dead link, every page on the site, and tutorials whose commands run and say what is shown."""

from __future__ import annotations

import ast
import doctest
import os
import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "results").glob("*.md")),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "benchmarks/README.md")),
]
TUTORIALS = sorted((ROOT / "docs").glob("tutorial-*.md"))
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
# A block of commands; a comment before it tells that what they print is drawn, and differs each time.
CONSOLE = re.compile(r"^(<!-- drawn -->\n)?```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"^```pycon\n(.*?)^```", re.MULTILINE | re.DOTALL)

SOURCE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text("utf-8")), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()).strip() for heading in headings)
    return {re.sub(r"[-\s]+", "-", heading) for heading in plain}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_link_is_dead(page):
    for link in LINK.findall(FENCE.sub("", page.read_text("utf-8"))):
        if "://" in link or link.startswith("mailto:"):
            continue
        target, _, anchor = link.partition("#")
        path = page.parent / target if target else page
        assert path.exists(), f"{link} leads nowhere"
        if anchor and path.suffix == ".md":
            assert anchor in anchors(path), f"{link} has no such heading"


@pytest.mark.parametrize("figure", sorted((ROOT / "results").glob("*.svg")), ids=lambda figure: figure.stem)
def test_every_figure_is_shown_on_a_page(figure):
    shown = re.compile(rf"^!\[[^\]]+\]\(\.\./results/{re.escape(figure.name)}\)$", re.MULTILINE)
    assert any(shown.search(page.read_text("utf-8")) for page in (ROOT / "docs").glob("*.md"))


def test_the_link_test_can_fail(tmp_path):
    (tmp_path / "page.md").write_text("# A page\n\n[gone](nowhere.md)\n", "utf-8")
    with pytest.raises(AssertionError, match="leads nowhere"):
        test_no_link_is_dead(tmp_path / "page.md")


def imported(source: str):
    """Yield the names that a piece of Python takes from this package, each with its module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "allonym":
            yield from ((node.module, alias.name) for alias in node.names)


def is_there(module: str, name: str) -> bool:
    found = import_module(module)
    return hasattr(found, name) or (hasattr(found, "__path__") and find_spec(f"{module}.{name}") is not None)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_python_on_a_page_can_be_read_and_imports_what_there_is(page):
    for source in SOURCE.findall(page.read_text("utf-8")):
        assert [name for module, name in imported(source) if not is_there(module, name)] == []


def test_python_that_was_broken_is_seen():
    with pytest.raises(SyntaxError):
        list(imported("found = 1 # a comment found.loss\nFraction(3, 1) print(found)\n"))
    assert list(imported("from allonym.audit import exact, nothing\n")) == [
        ("allonym.audit", "exact"),
        ("allonym.audit", "nothing"),
    ]
    assert is_there("allonym.audit", "exact")
    assert not is_there("allonym.audit", "nothing")


def blocks(page: Path):
    """Yield (command, what it prints, whether that is drawn)."""
    for drawn, block in CONSOLE.findall(page.read_text("utf-8")):
        joined = block.replace("\\\n", " ")
        for part in re.split(r"^\$ ", joined, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            yield command, shown, bool(drawn)


SHARE = re.compile(r"(\d+\.\d) %")
TOLERANCE = 0.5  # percentage points: the last digits of a learned model depend on the processor


def agrees(shown: str, printed: str) -> bool:
    """Compare what is shown with what is printed.

    White space does not count, … stands for anything, and shares with a digit after the point may differ a little.
    """
    wanted, squeezed = " ".join(shown.split()), " ".join(printed.split())
    parts = SHARE.split(wanted)
    text = [".*".join(map(re.escape, part.split("…"))) for part in parts[::2]]
    found = re.fullmatch(r"(\d+\.\d) %".join(text), squeezed, re.DOTALL)
    shares = zip(map(float, parts[1::2]), map(float, found.groups() if found else ()), strict=False)
    return found is not None and all(abs(one - other) <= TOLERANCE for one, other in shares)


def test_what_is_shown_is_compared():
    assert agrees("one … three\n", "one two\nthree\n")
    assert agrees("one …", "one two")
    assert not agrees("one … four", "one two three")
    assert not agrees("two …", "one two three")
    assert not agrees("one two", "one two three")
    assert agrees("1. 9.6 % a …\n2. 7.7 % b", "1. 9.4 % a c\n2. 8.0 % b")
    assert not agrees("1. 9.6 % a", "1. 9.0 % a")
    assert not agrees("1. 9.6 % a", "1. 9.6 % b")


@pytest.fixture
def place(tmp_path):
    """A folder as a clone looks to the tutorials, with the programs they call."""
    for name in ("examples", "CONTRIBUTING.md"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "bin").mkdir()
    for name, line in (("python", sys.executable), ("allonym", f"{sys.executable} -m allonym")):
        program = tmp_path / "bin" / name
        program.write_text(f'#!/bin/sh\nexec {line} "$@"\n', "utf-8")
        program.chmod(0o755)
    return tmp_path


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_the_commands_of_a_tutorial_run_and_print_what_it_shows(page, place):
    if page.stem == "tutorial-researcher" and find_spec("torch") is None:
        pytest.skip("training needs the extra neural (torch)")
    environment = {**os.environ, "PATH": f"{place / 'bin'}:/usr/bin:/bin", "OMP_NUM_THREADS": "1"}
    ran = 0
    for command, shown, drawn in blocks(page):
        done = subprocess.run(
            ["sh", "-c", f"{command} 2>&1"], cwd=place, env=environment, capture_output=True, check=False
        )
        printed = done.stdout.decode()
        assert done.returncode == 0, f"{command}: {printed}"
        assert drawn or agrees(shown, printed), f"{command} prints:\n{printed}"
        ran += 1
    assert ran >= 4


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_the_python_of_a_tutorial_is_true(page):
    source = "\n".join(PYTHON.findall(page.read_text("utf-8")))
    tests = doctest.DocTestParser().get_doctest(source, {}, page.stem, str(page), 0)
    said: list[str] = []
    doctest.DocTestRunner().run(tests, out=said.append)
    assert not said, "".join(said)


def test_there_is_python_to_test():
    assert any(PYTHON.search(page.read_text("utf-8")) for page in TUTORIALS)
