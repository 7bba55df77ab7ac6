"""The labelled pairs are what docs/guard.md says they are, and the measured figures are those of this guard."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from allonym.guard.report import KINDS

ROOT = Path(__file__).resolve().parents[2]
PAIRS = json.loads((ROOT / "tests" / "guard" / "pairs.json").read_text("utf-8"))
SETS = ("development", "held out")
STORED = json.loads((ROOT / "results" / "guard.json").read_text("utf-8"))
RESULT = {name: STORED[name] for name in SETS}


def test_there_are_two_sets_of_150_half_of_them_harmless():
    assert Counter(pair["set"] for pair in PAIRS) == dict.fromkeys(SETS, 150)
    for name in RESULT:
        assert sum(not pair["findings"] for pair in PAIRS if pair["set"] == name) == 75


def test_labels_name_words_of_their_texts():
    for pair in PAIRS:
        for label in pair["findings"]:
            assert label["kind"] in KINDS
            assert label["before"] or label["after"]
            for side in ("before", "after"):
                assert label[side] is None or label[side] in pair[side]


def test_no_pair_is_there_twice():
    assert len({pair["before"] for pair in PAIRS}) == len(PAIRS)


def test_what_was_measured_is_of_these_pairs():
    for name, measured in RESULT.items():
        labels = Counter(label["kind"] for pair in PAIRS if pair["set"] == name for label in pair["findings"])
        assert {row["kind"]: row["labels"] for row in measured["kinds"] if row["labels"]} == labels


def test_numbers_names_and_negations_are_found():
    for measured in RESULT.values():
        for row in measured["kinds"]:
            if row["kind"] in ("number", "name", "negation"):
                assert row["recall"] >= 0.9


def test_planted_faults_are_found_and_nothing_in_a_text_left_alone():
    planted = STORED["planted"]
    assert planted["untouched_with_findings"] == 0
    assert all(row["planted"] >= 50 and row["recall"] >= 0.9 for row in planted["kinds"])
