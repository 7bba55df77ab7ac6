"""A thousand writers as numbers: what ships, what is counted, and that it is counted exactly."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from allonym import models
from allonym.errors import ModelError
from allonym.recognition import crowd, reading, verdict
from allonym.recognition.crowd import Crowd
from tests.recognition.odd_texts import PIRATE, PLAIN, VERSE

RESULTS = Path(__file__).resolve().parents[2] / "results" / "verdict.json"


@pytest.fixture(scope="module")
def table():
    return crowd.shipped()


def test_numbers_ship_and_no_text():
    model = models.verify(crowd.MODEL)
    assert model.size_bytes < 2_000_000
    assert set(model.files) == {"CARD.md", "config.json", "weights.safetensors"}
    arrays = models.open_tensors(model)
    assert arrays["vectors"].dtype == np.int8
    assert arrays["vectors"].shape[1] >= 1_000
    assert all(values.dtype.kind in "if" for values in arrays.values())
    with pytest.raises(ModelError):
        Crowd.open("style-en")


def test_no_two_writers_are_the_same_and_none_is_nothing(table):
    for rows in table._vectors:
        assert len(np.unique(rows, axis=0)) == table.writers
        assert (np.abs(rows).max(axis=1) == 127).all()


def test_cosines_are_those_of_whole_numbers(table):
    rows = table.centred([PLAIN, VERSE])
    for known in range(len(table.known_words)):
        found = table.cosines(rows, known)
        for writer in (0, 17, table.writers - 1):
            vector = table._vectors[known][writer].astype(np.int64)
            for row, cosines in zip(rows, found, strict=True):
                assert cosines[writer] == pytest.approx(crowd.cosine(row, vector), rel=1e-12)


def test_a_text_has_the_same_vector_beside_others():
    both = crowd.vectors([PLAIN, VERSE * 20])
    assert (both[0] == crowd.vectors([PLAIN])[0]).all()
    assert (both[1] == crowd.vectors([VERSE * 20])[0]).all()


def test_nobody_writes_more_like_a_text_than_who_wrote_the_very_same(table):
    standing = table.standing(PLAIN, table.own([PLAIN, PLAIN]))
    assert standing.ahead == 0
    assert standing.same.probability > 0.9
    other = table.standing(PLAIN, table.own([PIRATE * 2]))
    assert other.ahead > 100
    assert other.same.probability < standing.same.probability


def test_it_counts_what_it_says_it_counts(table):
    own = table.own([VERSE * 2])
    rows = table.centred([PLAIN])
    known = crowd.nearest(table.known_words, own.words)
    likeness = crowd.cosine(rows[0], own.vector)
    assert table.standing(PLAIN, own).ahead == sum(cosine > likeness for cosine in table.cosines(rows, known)[0])
    company = table.company(PLAIN)
    assert 0 <= company.near <= company.writers == table.writers


def test_of_much_other_text_as_much_is_read_as_is_known_of_the_writers(table):
    assert table.own([PLAIN]).words == table.own([f"{PLAIN}\n"]).words > 200
    most = table.known_words[-1]
    assert most - 60 <= table.own([PLAIN * 5, VERSE * 40, PIRATE * 40]).words <= most + 60
    assert table.own([]).words == table.own(["", "…"]).words == 0


def test_too_little_is_no_answer(table):
    short = " ".join(PLAIN.split()[:60])
    assert table.company(short) is None
    assert table.standing(short, table.own([PLAIN * 3])) is None
    assert table.standing(PLAIN, table.own([short])) is None
    assert verdict.of(short, None, table.own([PLAIN * 3])) == verdict.Verdict()
    assert verdict.own_texts([]) is None


@pytest.mark.parametrize("text", ["😀 " * 300, "word " * 20_000, "a" * 100_000, "\u202e" + PLAIN, PLAIN + "\ud800"])
def test_odd_signs_and_long_texts_are_counted_too(table, text):
    company = table.company(text)
    assert company is None or 0 <= company.near <= table.writers
    reading.read(text, None, [PLAIN * 2])


def test_sentences_say_which_way_is_safer_and_none_is_said_for_nought():
    said = reading.read(PLAIN, None, [PLAIN * 2])
    assert said.sentence == (
        "Of 1,000 bloggers, none writes more like this than you do in your other texts, "
        "so this attacker finds you first; more is safer."
    )
    before, after = reading.read(PLAIN, None).gauges, reading.read(VERSE, None).gauges
    changed = verdict.compared(before, after)
    assert [one.name for one in changed] == ["rarity", "company"]
    assert [one.after for one in changed] == [gauge.figure for gauge in after]
    assert [gauge.better for gauge in before] == ["lower", "neither"]
    assert all("safer" in one.means for one in changed)
    assert [one.after for one in verdict.compared(before, [])] == [verdict.TOO_SHORT] * 2


def test_longer_texts_and_more_known_make_it_easier_and_the_results_say_the_same(table):
    first = table._tables["first"][..., 0]
    assert first[-1, -1] > first[0, 0] + 0.2
    picked = models.verify(crowd.MODEL).config["measured"]
    assert json.loads(RESULTS.read_text("utf-8"))["crowd"]["picked"] == picked
    for row in picked:
        place = table.known_words.index(row["known_words"]), table.lengths.index(row["words"])
        for name in ("first", "ten", "likeness_right"):
            assert table._tables[name][place] == pytest.approx(list(row[name].values()), abs=1e-6)
