"""What the Read screen says, and where it marks."""

from __future__ import annotations

import time

import numpy as np
import pytest

from allonym import models
from allonym.recognition import alternatives, profile_features, reading
from allonym.recognition import profile as style_profile
from allonym.recognition.recogniser import Recogniser
from tests.web.conftest import LETTER

SMALL = ("the", "of")


def column(name: str) -> int:
    return [feature.name for feature in profile_features.features(SMALL)].index(name)


def test_rates_are_counted_by_hand():
    text = "The colour of the sky; the COLOR of rain... dont ask!! He said it's 12 o'clock."
    values = profile_features.measure(text, SMALL)
    words = profile_features.count_plain_words(text)
    assert words == 15
    counted = {
        "“the”": 3, "“of”": 2, "semicolon": 1, "exclamation mark": 2, "row of dots": 1, "repeated ! or ?": 1,
        "British spelling": 1, "American spelling": 1, "missing apostrophe (dont)": 1, "word in capitals": 1,
        "contraction (don’t, it’s)": 1, "number in digits": 1,
    }  # fmt: skip
    for name, times in counted.items():
        assert values[column(name)] ** 2 == pytest.approx(times * 1000 / words), name
        assert len(profile_features.places(text, column(name), SMALL)) == times


def test_places_are_where_the_text_says_so():
    text = "Of colour; of rain — dont!"
    for name, found in {
        "“of”": ["Of", "of"],
        "British spelling": ["colour"],
        "semicolon": [";"],
        "dash": ["—"],
    }.items():
        spans = profile_features.places(text, column(name), SMALL)
        assert [text[start:stop] for start, stop in spans] == found


@pytest.mark.parametrize("odd", [".", "!?", "ab", "A", "'", "a'", "1,", "aaa ", ".\n", "😀", "i "])
def test_hundreds_of_thousands_of_odd_characters_take_no_time(odd):
    started = time.process_time()
    profile_features.measure((odd * 300_000)[:300_000] + "x", SMALL)
    assert time.process_time() - started < 5


def test_features_and_values_have_one_order():
    assert len(profile_features.features(SMALL)) == len(profile_features.measure(LETTER, SMALL))
    assert len(style_profile.shipped().features) == len(style_profile.shipped()._arrays["mean"][0])


def test_the_shipped_profile_is_whole_small_and_without_text():
    model = models.verify(style_profile.MODEL)
    assert model.size_bytes < 300_000
    assert set(model.files) == {"CARD.md", "config.json", "weights.safetensors"}
    profile = style_profile.shipped()
    assert profile.writers == sorted(profile.writers, reverse=True)
    for name in ("statistics", "surprise"):
        assert (np.diff(profile._arrays[name], axis=-1) >= 0).all()
    assert len(profile._arrays["surprise"]) == sum(words >= style_profile.FEWEST_JUDGED for words in profile.lengths)
    assert (profile._arrays["spread"] > 0).all()


def test_numbers_are_no_words_of_those_it_takes():
    assert reading.read("7 " * 160 + "and more", None).sentence == "2 words are too few for a verdict."


def test_an_unusual_habit_is_found_and_ranked_first():
    plain, odd = LETTER, LETTER.replace(", ", "; ").replace(". ", "; ")
    profile = style_profile.shipped()
    before, after = profile.compare(plain), profile.compare(odd)
    assert before is not None
    assert after is not None
    assert after.rarer_than > before.rarer_than
    assert "semicolon" in [finding.feature for finding in after.findings[:6]]
    assert sum(finding.share for finding in after.findings) <= 1
    for finding in after.findings:
        assert finding.more == (finding.rate > finding.usual) or finding.kind != "punctuation"
        assert finding.more or finding.places == []
    assert profile.compare("too short a text") is None


def test_without_other_texts_it_says_what_it_cannot_tell():
    found = reading.read(LETTER, None)
    assert found.basis == "profile"
    assert found.sentence.startswith("Its habits are rarer together than in ")
    assert found.sentence.endswith("lower is safer.")
    assert found.verdict.endswith("usually resemble each other; that alone hides nobody.")
    assert [gauge.name for gauge in found.gauges] == ["rarity", "company"]
    assert any(note.startswith("The estimate is weak") for note in found.notes)
    assert any("cannot tell" in note for note in found.notes)
    assert [mark.share for mark in found.marks] == sorted((mark.share for mark in found.marks), reverse=True)
    assert len({mark.kind for mark in found.marks}) >= 3
    beside = reading.read(LETTER, None, other_texts=[LETTER.replace("water", "wine") * 2])
    assert beside.sentence.startswith("Of 1,000 bloggers, none writes more like this than you do in your other texts")
    assert [gauge.name for gauge in beside.gauges] == ["standing", "rarity"]
    assert len(beside.attackers) == 2
    assert beside.risk == found.risk
    little = reading.read(LETTER, None, other_texts=["Hello."])
    assert little.gauges == found.gauges
    assert any("too short to stand for you" in note for note in little.notes)
    assert reading.read("", None).basis == reading.read("Two words.", None).basis == "nothing"


def test_among_known_writers_it_names_you():
    verse = "Whilst the harbour slept; the gulls, upon the wall, were quarrelling; and so was I. "
    others = "Gonna grab a coffee!! Then the gym... cant wait, its gonna be sooo good, you know? "
    texts = [verse * 30, verse * 24, others * 30, others * 24]
    recogniser = Recogniser().fit(texts, ["you", "you", "other", "other"], words=150)
    found = reading.read(verse * 12, recogniser)
    assert found.basis == "known"
    assert found.sentence.startswith("Among 2 writers, an attacker names the right one")
    assert "recognised as yours" in found.verdict
    assert found.risk is not None
    assert found.risk > 0.5
    assert len(found.attackers) == 4 + 1  # and the style encoder among bloggers
    assert [gauge.name for gauge in found.gauges] == ["rarity", "company"] or found.words < 100
    assert {mark.kind for mark in found.marks} <= {"spelling", "function", "punctuation", "wording", "shape"}
    not_mine = reading.read(others * 12, recogniser)
    assert "not recognised: you rank 2nd" in not_mine.verdict


@pytest.mark.parametrize(
    ("sentence", "word", "other"),
    [
        ("A colour I like.", "colour", "color"),
        ("They dont know.", "dont", "don't"),
        ("I can't see it.", "can't", "cannot"),
        ("We've seen it.", "We've", "We have"),
        ("We met whilst it rained.", "whilst", "while"),
        ("I will recieve it.", "recieve", "receive"),
        ("She purchased a bicycle.", "purchased", "bought"),
    ],
)
def test_other_words(sentence, word, other):
    start = sentence.index(word)
    assert other in alternatives.at(sentence, start, start + len(word))


def test_no_other_words_where_none_would_fit():
    for sentence, word in (("I am here.", "am"), ("Tell me when.", "when"), ("zqxv", "zqxv"), ("😀 \x00", "😀")):
        start = sentence.index(word)
        assert alternatives.at(sentence, start, start + len(word)) == []
