"""How rare habits are together: what the number is, what it makes of odd texts, and whether a percentile is one."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from allonym.recognition import profile, profile_features, rarity, reading
from tests.recognition.odd_texts import CAPITALS, GERMAN, ODD, PLAIN

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"
RESULTS = ROOT / "results" / "verdict.json"
LOGITS = np.log(np.array(rarity.GRID) / (1 - np.array(rarity.GRID)))


def test_surprise_is_one_over_the_harmonic_mean_of_tails_by_hand():
    table = LOGITS[None]  # a statistic whose logistic distribution is its own scale
    median, far = rarity.surprise(np.array([[0.0], [3.0]]), table, np.array([True]))
    assert median == pytest.approx(0.0)  # half lie beyond on either side, twice a half is all
    assert far == pytest.approx(math.log((1 + math.exp(3)) / 2))
    [one_side] = rarity.surprise(np.array([[3.0]]), table, np.array([False]))
    assert one_side == pytest.approx(math.log(1 + math.exp(3)))
    [two] = rarity.surprise(np.array([[0.0, 3.0]]), np.repeat(table, 2, axis=0), np.array([True, True]))
    assert two == pytest.approx(math.log((1 + (1 + math.exp(3)) / 2) / 2))


def test_what_most_texts_lack_is_not_odd_to_lack():
    quantiles = np.array([0.0] * 15 + [1.0, 2.0, 3.0, 4.0])
    without, with_some = rarity.surprise(np.array([[0.0], [3.5]]), quantiles[None], np.array([True]))
    assert without <= 0
    assert with_some > 5


def test_beyond_the_table_more_is_rarer_and_nothing_overflows():
    table = LOGITS[None]
    values = np.array([[7.0], [8.0], [12.0], [1e9], [-1e9]])
    found = rarity.surprise(values, table, np.array([True]))
    assert (np.diff(found[:4]) > 0).all()
    assert found[4] == found[3]
    flat = rarity.surprise(values, np.zeros((1, len(rarity.GRID))), np.array([True]))
    assert np.isfinite(flat).all()
    assert 0 < rarity.share_below(-1e9, LOGITS) < 0.001 < 0.999 < rarity.share_below(1e9, LOGITS) < 1


def test_no_small_words_at_all_are_seen_though_each_is_often_missing():
    features = profile_features.features(("the", "of"))
    names = [features[column].name for column in rarity.whole_columns(features)]
    assert {"small words together", "signs together", "capital letters"} <= set(names)
    statistics = rarity.statistics(features, np.ones((3, len(features))), np.zeros((3, len(features))))
    assert statistics.shape == (3, len(rarity.two_sided(features)))
    assert rarity.two_sided(features).sum() == len(names)


@pytest.mark.parametrize("name", list(ODD))
def test_odd_texts_are_called_very_unusual(name):
    found = reading.read(ODD[name], None)
    assert found.risk > 0.97, found.sentence
    assert found.risk > reading.read(PLAIN, None).risk + 0.05
    assert found.gauges[0].name == "rarity"


def test_a_plain_letter_is_not():
    assert reading.read(PLAIN, None).risk < 0.95


def test_capitals_are_the_first_mark_of_a_text_in_capitals():
    assert {mark.feature for mark in reading.read(CAPITALS, None).marks[:2]} == {"word in capitals", "capital letters"}


def test_of_another_language_no_figure_is_given():
    found = reading.read(GERMAN, None)
    assert found.sentence.startswith("This text seems to be German")
    assert (found.basis, found.risk, found.gauges, found.marks) == ("nothing", None, [], [])
    assert profile.shipped().compare(GERMAN).rarer_than > 0.9  # were it asked, it would not say ordinary


@pytest.mark.parametrize("words", [1, 24, 25, 60, 99])
def test_a_short_text_has_marks_and_no_number(words):
    text = " ".join(PLAIN.split()[:words])
    found = reading.read(text, None)
    plain = profile_features.count_plain_words(text)
    assert found.sentence == f"{plain} {'word is' if plain == 1 else 'words are'} too few for a verdict."
    assert (found.risk, found.gauges, found.attackers) == (None, [], [])
    assert bool(found.marks) == (plain >= profile.FEWEST_WORDS)
    assert "%" not in found.sentence + found.verdict


@pytest.mark.parametrize("text", ["", "   \n", "😀" * 500, "7 " * 400, "…!?", "\u0000", "מה שלומך"])
def test_what_holds_no_words_has_no_number(text):
    found = reading.read(text, None)
    assert (found.risk, found.gauges) == (None, [])


def test_from_a_hundred_words_on_there_is_a_number_also_for_very_long_texts():
    words = PLAIN.split()
    hundred = " ".join(words[:100])
    while profile_features.count_plain_words(hundred) < 100:
        hundred += " word"
    assert reading.read(hundred, None).risk is not None
    long = reading.read(PLAIN * 80, None)
    assert profile_features.count_plain_words(PLAIN * 80) > 20_000
    assert 0 < long.risk < 1
    assert reading.read(CAPITALS * 80, None).risk > 0.97


def test_the_same_text_has_the_same_verdict_whatever_stands_around_it():
    found = reading.read(PLAIN, None)
    assert reading.read(PLAIN, None) == found
    around = reading.read(f"\n\n  {PLAIN}\n \n", None)
    assert [gauge.figure for gauge in around.gauges] == [gauge.figure for gauge in found.gauges]
    typeset = reading.read(PLAIN.replace("'", "’"), None)
    assert typeset.gauges[0].figure == found.gauges[0].figure


def test_the_percentile_was_uniform_on_writers_who_are_in_no_table():
    found = json.loads(RESULTS.read_text("utf-8"))
    drawn, results = found["drawn"], found["rarity"]
    assert drawn["texts"] >= 1_000
    assert drawn["p"] > 0.01
    assert [row["texts"] >= 1_000 for row in results["by_length"]].count(True) >= 3
    for row in results["by_length"]:
        # 1.63 / √n is the largest distance that 99 of 100 uniform samples stay below.
        assert row["ks"] < 1.63 / math.sqrt(row["texts"]) + 0.02, row["words"]


def test_it_is_on_a_sample_of_them(monkeypatch):
    if not (DATA / "blogs").is_dir():
        pytest.skip("the corpora are not here")
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import build_style_profile as tool
    from scipy import stats

    writers = tool.dealt(tool.read_everybody(DATA), "report")
    few = [writers[name] for name in list(writers)[:600]]
    texts = [text for posts in few for text in tool.pieces(posts, 250, 1)]
    found = [profile.shipped().compare(text).rarer_than for text in texts]
    assert len(found) > 150
    # The writers are fixed: this does not change from run to run.
    assert stats.kstest(found, "uniform").pvalue > 0.001
