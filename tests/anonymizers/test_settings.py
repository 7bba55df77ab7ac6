from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np
import pytest
from scipy import sparse

from allonym.anonymizers.settings import settings_digest
from allonym.vectors.embeddings import WordTable

EYE = np.eye(3, dtype=np.float32)
TABLE = WordTable(("cat", "dog", "car"), EYE)


@dataclass(frozen=True)
class Record:
    name: str
    sizes: tuple[int, ...]


DIFFERENT = [
    None, True, False, 0, 1, -1, 2**70, 0.5, -0.5, float("inf"), "", "0", "1", "None", "a", b"a", [], ["a"], ["a", "b"],
    ["ab"], [["a"], "b"], ["a", ["b"]], [1, 2], [12], {}, {"a": 1}, {"a": 2}, {"b": 1}, {1: "a"}, {"a"}, set(),
    np.zeros(3), np.zeros((3, 1)), np.zeros(3, np.float32), np.zeros(3, np.int64), np.ones(3), EYE, EYE[::-1], TABLE,
    WordTable(("cat", "dog", "cab"), EYE), WordTable(("cat", "dog", "car"), EYE * 2),
    WordTable(("catd", "og", "car"), EYE),
    Record("a", (1,)), Record("a", (1, 2)), sparse.csr_array(np.eye(3)), sparse.csr_array(np.eye(4)), Path("a/b"),
    Path("a/c"), object(), np.array(["x", "y"]),
]  # fmt: skip

EQUAL = [
    (1, 1.0),
    (1, np.int32(1)),
    (0.5, np.float64(0.5)),
    (True, np.True_),
    (["a", "b"], ("a", "b")),
    (["a", "b"], np.array(["a", "b"], dtype=object)),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ({"a", "b", "c"}, frozenset(["c", "b", "a"])),
    (Path("a") / "b", PurePosixPath("a/b")),
    (Path("a/b"), "a/b"),
    (EYE, np.asfortranarray(EYE)),
    (EYE, EYE.astype(">f4")),
    (TABLE, WordTable(("cat", "dog", "car"), EYE.copy())),
    (sparse.csr_array(EYE), sparse.coo_array(EYE)),
]


def test_different_settings_have_different_digests():
    digests = [settings_digest(value) for value in DIFFERENT]
    assert len(set(digests)) == len(digests)
    assert settings_digest("a", "b") != settings_digest("ab")


@pytest.mark.parametrize(("one", "other"), EQUAL, ids=lambda value: type(value).__name__)
def test_settings_that_say_the_same_share_a_digest(one, other):
    assert settings_digest(one) == settings_digest(other)


KNOWN = "ad7c449382b14f85c7605cf1d1279091ac4b589b120a4c02153a47caeecf3775"
VALUES = '("syntf", {"words": 5, "epsilon": 0.1, "vocabulary": {"rain", "snow", "sea"}, "ratings": numpy.eye(2)})'


def test_a_known_answer_is_the_same_in_every_process():
    """A change of this digest breaks every job that is retried under its key."""
    digest = f"settings_digest(*{VALUES}).hex()"
    program = f"import numpy; from allonym.anonymizers.settings import settings_digest; print({digest})"
    answers = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            check=True, capture_output=True, text=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }  # fmt: skip
    assert answers == {KNOWN}
