"""A new mechanism is its file and its test: the contract finds it by name, and catches what is wrong with it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = (Path(__file__).parent / "example" / "randomized_response.py").read_text("utf-8")
CONTRACT = ROOT / "tests" / "contract" / "test_mechanisms.py"
RUN = """
import sys, pytest
import allonym.mechanisms
allonym.mechanisms.__path__.append(sys.argv[1])  # as if the files lay in that folder
sys.exit(pytest.main([sys.argv[2], "-rA", "-p", "no:cacheprovider", "--tb=no", "-k", "randomized"]))
"""
PRICE = "log_rounded_up(Fraction(self._true, _OTHER))"
BUGS = {  # of each file: what is right, what is wrong, and the test that catches it
    "right": ("", "", ""),
    "price": (PRICE, f"0.9 * {PRICE}", "test_no_pair_of_inputs_loses_more"),
    "nan": ("if not 0 < epsilon <= _LARGEST_LOSS", "if epsilon <= 0 or epsilon > 20", "test_nan_fails"),
    "never": ("other + (other >= true)", "np.where(other == 2, 0, other)", "test_draws_follow_the_law"),
    "batch": ("np.where(numbers <", "np.where(numbers[::-1] <", "test_the_same_words_give_the_same_draws"),
    "silent": ("return Table(", "return None and Table(", "test_the_law_sums_to_one"),
}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory) -> dict[str, dict[str, str]]:
    """Return what became of every test of the contract, for the right mechanism and for the wrong ones."""
    folder = tmp_path_factory.mktemp("mechanisms")
    for bug, (right, wrong, _) in BUGS.items():
        assert not right or CODE.count(right) == 1, bug
        (folder / f"randomized_{bug}.py").write_text(CODE.replace(right, wrong) if right else CODE, encoding="utf-8")
    line = [sys.executable, "-c", RUN, str(folder), str(CONTRACT)]
    done = subprocess.run(line, capture_output=True, text=True, cwd=ROOT, check=False)
    found = defaultdict(dict)
    for outcome, test, bug in re.findall(r"(\w+) \S+::(\w+)\[randomized-(\w+)\]", done.stdout):
        found[bug][test] = outcome
    return found


def test_the_contract_runs_on_a_file_that_is_put_there(outcomes):
    assert len(outcomes["right"]) == 7
    assert set(outcomes["right"].values()) == {"PASSED"}


@pytest.mark.parametrize("bug", [bug for bug in BUGS if bug != "right"])
def test_the_contract_catches(bug, outcomes):
    failed = [test for test, outcome in outcomes[bug].items() if outcome != "PASSED"]
    assert any(test.startswith(BUGS[bug][2]) for test in failed), failed


def test_the_manual_shows_the_mechanism_as_it_is():
    manual = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    if "class RandomizedResponse" in manual:
        assert CODE.partition("class ")[2] in manual
