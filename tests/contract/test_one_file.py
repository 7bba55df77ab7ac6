"""A measure and an attacker are one file each: built in a tree of links, they are found and pass the contract."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
TEXTS = ["The harbour was quiet and the boats slept.", "Bread needs flour; bread needs a hot oven!"]

MEASURE = '''\
"""How many of the words that occur once in a text are still there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from allonym.language.words import words
from allonym.metrics._shared import Figures, checked_pairs
from allonym.metrics.base import Measure


def rare_words(before: Sequence[str], after: Sequence[str]) -> Figures:
    """Return the share of the words used once in a text that are still there; NaN if there are none."""
    figures = []
    for old, new in zip(*checked_pairs(before, after), strict=True):
        once = {word for word, count in Counter(words(old.lower())).items() if count == 1}
        figures.append(len(once & set(words(new.lower()))) / len(once) if once else np.nan)
    return np.array(figures)


RARE_WORDS = Measure(
    name="rare-words",
    title="rare words kept",
    describes_itself_as="share of the words that occur once in a text and are still there",
    of=rare_words,
)
'''

ATTACKER = '''\
"""An attacker that looks at punctuation marks alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from allonym.attackers.base import Attacker

_SIGNS = ".,;:!?-()…"


class Signs(Attacker):
    """How often each punctuation mark stands in a text, beside the mean of each author's texts."""

    name = "signs"
    describes_itself_as = "rates of punctuation marks, nearest author"
    learned = ("means",)

    def _learn(self, texts: list[str], writers: NDArray[np.intp]) -> None:
        rates = _rates(texts)
        self._means = np.array([rates[writers == writer].mean(0) for writer in range(len(self.classes_))])

    def _scores(self, texts: list[str]) -> NDArray[np.float64]:
        scores: NDArray[np.float64] = -np.abs(_rates(texts)[:, None] - self._means).sum(2)
        return scores


def _rates(texts: Sequence[str]) -> NDArray[np.float64]:
    return np.array([[text.count(sign) / max(1, len(text)) for sign in _SIGNS] for text in texts])
'''


@pytest.fixture
def tree(tmp_path):
    """Return a function that adds a file to a tree of links to the package, and runs Python there."""
    package = ROOT / "src" / "allonym"
    for path in package.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            link = tmp_path / "allonym" / path.relative_to(package)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(path)

    def run(file: str, text: str, *line: str) -> str:
        (tmp_path / "allonym" / file).write_text(text, encoding="utf-8")
        environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
        done = subprocess.run([sys.executable, *line], env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return done.stdout

    return run


@pytest.fixture
def evaluated(tmp_path):
    """Return the line of an evaluation of a small table, and where its report will be."""
    rows = [f'"{TEXTS[row % 2]} {row}",{("ada", "ben")[row % 2]}' for row in range(12)]
    (tmp_path / "table.csv").write_text("text,author\n" + "\n".join(rows) + "\n", encoding="utf-8")
    line = ["-m", "allonym", "evaluate", str(tmp_path / "table.csv"), "--text", "text", "--author", "author"]
    return [*line, "--method", "identity", "--report", str(tmp_path / "report")], tmp_path / "report" / "report.html"


def contract(name: str, chosen: str) -> list[str]:
    return ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", chosen, str(Path(__file__).with_name(name))]


def test_a_new_measure_is_one_file(tree, evaluated):
    assert tree("metrics/rare_words.py", MEASURE, *contract("test_measures.py", "rare-words")).startswith("...")
    line, page = evaluated
    tree("metrics/rare_words.py", MEASURE, *line, "--attackers", "majority")
    assert "rare words kept" in page.read_text("utf-8")


def test_a_new_attacker_is_one_file(tree, evaluated):
    assert tree("attackers/signs.py", ATTACKER, *contract("test_attackers.py", "signs")).startswith("........")
    line, page = evaluated
    tree("attackers/signs.py", ATTACKER, *line, "--attackers", "signs")
    assert "rates of punctuation marks" in page.read_text("utf-8")


@pytest.mark.parametrize(("heading", "example"), [("A new measure is", MEASURE), ("A new attacker is", ATTACKER)])
def test_the_examples_are_those_of_the_guide(heading, example):
    assert heading in CONTRIBUTING
    assert example in CONTRIBUTING
