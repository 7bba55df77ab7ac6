"""docs/papers.md: what its entries name exists, and what it says of itself is so."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from stated import elements, pages  # noqa: E402
from stated.elements import PAPERS, STATUSES, Element, read  # noqa: E402
from stated.values import SourceError, Sources  # noqa: E402

RESULTS = Sources(ROOT / "results")
EVERY = [each for paper in PAPERS for each in read(paper)]
PLACE = re.compile(r"\{[^{}]*\}|\(paper [^)]*\)")  # filled from results, or the paper's own
papers = pytest.mark.parametrize("paper", PAPERS)


@cache
def names(path: Path) -> frozenset[str]:
    """Return what a file of Python defines: functions, classes and values, and those inside classes with a dot."""

    def of(body: list[ast.stmt], prefix: str):
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield prefix + node.name
            if isinstance(node, ast.ClassDef):
                yield from of(node.body, f"{prefix}{node.name}.")
            if isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                places = (part for target in targets for part in ast.walk(target))
                yield from (prefix + part.id for part in places if isinstance(part, ast.Name))

    return frozenset(of(ast.parse(path.read_text("utf-8")).body, ""))


def code_is_there(place: str) -> bool:
    """Tell whether a module below allonym, or a file of the repository, is there, and defines the name."""
    module, _, name = place.partition(":")
    path = ROOT / (module if module.endswith(".py") else f"src/allonym/{module.replace('.', '/')}.py")
    return path.is_file() and (not name or name in names(path))


def result_is_there(place: str) -> bool:
    """Tell whether there is such a row or part of a result file, such a file, or such a test."""
    path, _, test = place.partition("::")
    if test:
        return code_is_there(f"{path}:{test}")
    if "#" not in place:
        return (ROOT / "results" / place).is_file()
    try:
        return bool(RESULTS.nodes(place)) and RESULTS.nodes(place) != [None]
    except SourceError:
        return False


@papers
def test_the_code_that_is_named_exists(paper):
    assert [(each.name, place) for each in read(paper) for place in each.code if not code_is_there(place)] == []


@papers
def test_the_row_figure_or_test_that_is_named_exists(paper):
    assert [(each.name, place) for each in read(paper) for place in each.shown if not result_is_there(place)] == []


@papers
def test_what_is_done_is_shown_somewhere(paper):
    done = [each for each in read(paper) if each.status == "complete" or each.kind in ("table", "figure")]
    assert [each.name for each in done if each.status != "missing" and not each.shown] == []


@papers
def test_our_own_figures_are_filled_in_from_results(paper):
    typed = {each.name: list(pages.unsourced(PLACE.sub("", each.here))) for each in read(paper)}
    assert {name: numbers for name, numbers in typed.items() if numbers} == {}


@papers
def test_an_element_is_listed_once_and_what_is_numbered_is_there(paper):
    assert [name for name, times in Counter(each.name for each in read(paper)).items() if times > 1] == []
    numbered = {
        "syntf": ["Definition 2.1", "Lemma 3.2", "Theorem 3.6", "Corollary 3.7", "Algorithm 1", "Table 3", "Figure 5"],
        "laplace": ["Definition 3", "Theorem 6", "Lemma 1", "Algorithm 1"],
        "erae": ["Definition 2", "Algorithm 1", "Table 4", "Figure 2", "Equation 8"],
        "a4nt": ["Equation 13", "Table IV", "Tables V and VI", "Table VIII", "Figure 10"],
    }
    assert set(numbered[paper]) <= {each.name for each in read(paper)}


def test_the_counts_on_the_page_are_those_of_its_tables():
    page = (ROOT / "docs" / "papers.md").read_text("utf-8")
    listed = Counter(row.split(" | ")[2] for row in page.splitlines() if row.startswith("| **"))
    assert listed == Counter(each.status for each in EVERY)
    total = [cell.strip() for cell in next(row for row in page.splitlines() if row.startswith("| all |")).split("|")]
    assert total[2:-1] == [str(listed.total()), *(str(listed[status]) for status in STATUSES)]


def test_no_cell_ends_a_cell():
    for paper in PAPERS:
        assert {row.count("|") for row in elements.table(paper).splitlines()} == {7}


@pytest.mark.parametrize(
    "wrong",
    [
        {"status": "partly"},
        {"kind": "poem"},
        {"status": "missing"},
        {"code": ()},
        {"status": "differs", "here": ""},
    ],
)
def test_an_entry_that_hides_something_is_refused(wrong):
    right = {
        "name": "Lemma 9",
        "kind": "theorem",
        "what": "A lemma.",
        "status": "complete",
        "here": "",
        "code": ("distances:word_movers",),
        "shown": (),
    }
    Element(**right)
    with pytest.raises(ValueError, match="Lemma 9"):
        Element(**{**right, **wrong})


@pytest.mark.parametrize(
    "place", ["distances:nothing", "nowhere:word_movers", "tools/nothing.py", "distances.word_movers"]
)
def test_code_that_is_not_there_is_noticed(place):
    assert code_is_there("distances:word_movers")
    assert not code_is_there(place)


@pytest.mark.parametrize(
    "place",
    [
        "syntf.json#nothing",
        "nothing.json#a",
        "no-figure.svg",
        "tests/test_distances.py::test_nothing",
        "erae.json#goals[7].x",
    ],
)
def test_a_result_that_is_not_there_is_noticed(place):
    assert result_is_there("tests/test_distances.py::test_theorem_3_whole_words_suffice")
    assert result_is_there("syntf.json#settings[table=optimum]")
    assert not result_is_there(place)
