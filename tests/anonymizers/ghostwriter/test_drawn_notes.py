"""Ghostwriter with a loss: what is promised, what is drawn, and that nothing of a text goes around the draws."""

from __future__ import annotations

import math

import numpy as np
import pytest

from allonym import Ghostwriter
from allonym.audit.draws import held
from allonym.audit.interference import interference
from allonym.audit.mechanisms import of_mechanism
from allonym.audit.pipeline import pipeline
from allonym.errors import ModelError, ParameterError
from allonym.networks.ghostwriter.model import Writer
from allonym.networks.ghostwriter.reading import MARKS
from allonym.privacy import accounting
from allonym.randomness import insecure, secure

DOCUMENTS = [
    "The old teacher lost the fishing boat in the rain.",
    "",
    "SHE PAID £40!!! to Karen Hu (Leeds), on 3 May... ;-)",
    "qzxjvk wvutsrqpx",
    "私は昨日、港で猫を見ました。",
    "A red chair. " * 300,
    "\n\n- one\n- two\n",
]


@pytest.fixture(scope="module")
def method(small_writer):
    return Ghostwriter(model=str(small_writer), loss_per_word=8.0, notes=10)


@pytest.mark.parametrize("loss", [0, -1.0, math.nan, math.inf, "11"])
def test_a_loss_that_is_none_is_refused(loss):
    with pytest.raises(ParameterError, match="loss_per_word must be a positive number"):
        Ghostwriter(model="somewhere", loss_per_word=loss)


@pytest.mark.parametrize("notes", [0, -1, 1.5, True, 1001, math.nan])
def test_a_number_of_notes_that_is_none_is_refused(notes):
    with pytest.raises(ParameterError, match="notes must be a whole number"):
        Ghostwriter(model="somewhere", loss_per_word=11.4, notes=notes)


def test_without_a_model_the_way_out_is_said():
    with pytest.raises(ParameterError, match="allonym train ghostwriter"):
        Ghostwriter(loss_per_word=11.4)
    with pytest.raises(ParameterError, match="give loss_per_word"):
        Ghostwriter(model="somewhere")
    with pytest.raises(ModelError, match="no model folder"):
        Ghostwriter(model="somewhere", loss_per_word=11.4).guarantee()
    with pytest.raises(ModelError, match="format ghostwriter"):
        Ghostwriter(model="erae-en", loss_per_word=11.4).guarantee()


def test_the_promise_is_that_of_the_notes_together(method):
    promise = method.guarantee()
    assert promise.formal
    assert promise.loss_per_word == method.mechanism_.loss() <= 8.0
    assert promise.epsilon == accounting.total(promise.loss_per_word, 10)
    assert promise.words == 10
    assert promise.copies == frozenset()
    assert "between any two documents" in str(promise).lower()
    assert "with 10 notes" in str(promise)
    assert method.guarantee(3).epsilon == accounting.total(promise.loss_per_word, 10, 3)


def test_with_the_draws_held_fixed_all_documents_give_the_same_bytes(method):
    for table in range(1, 6):
        outputs = []
        for document in DOCUMENTS:
            with held(table) as trace:
                outputs.append((method.release([document], rng=secure()).payload, tuple(trace.calls), trace.drawn))
        assert all(output == outputs[0] for output in outputs)
        assert outputs[0][2] == 10


def test_the_audit_finds_nothing(method):
    documents = [(f"document {number}", document) for number, document in enumerate(DOCUMENTS)]
    findings = interference(method, documents, tables=1, where="here")
    findings += interference(method.audited().small().short, documents, tables=2, where="a few words")
    for law in method.audited().laws():
        findings += of_mechanism(law, method.mechanism_.loss(), 0.0, 2000, insecure(1))
    findings += pipeline(method)
    assert {finding.verdict for finding in findings} == {"holds"}, [f.says for f in findings if f.verdict != "holds"]


def test_a_method_that_lets_the_length_through_is_caught(method, monkeypatch):
    monkeypatch.setattr(
        Ghostwriter, "_anonymize", lambda self, texts, streams: [f"{len(text.split())} words" for text in texts]
    )
    documents = [("long", DOCUMENTS[5]), ("short", DOCUMENTS[0])]
    assert "violated" in {finding.verdict for finding in interference(method, documents, tables=1, where="here")}


def test_the_law_over_all_notes_keeps_the_loss_exactly(method):
    writer, mechanism = method.writer_, method.mechanism_
    numbers = range(len(writer.vocabulary))
    sets = np.array([writer.groups.candidates([number], 1)[0] for number in numbers])
    laws = mechanism.law(mechanism.ratings(sets))
    assert np.log(laws.max(0) / laws.min(0)).max() == pytest.approx(mechanism.loss(), abs=1e-9)


def test_every_document_has_as_many_sets_of_different_candidates(method):
    sets = method._candidates(DOCUMENTS)
    assert sets.shape == (len(DOCUMENTS), 10, 2)
    assert (np.diff(np.sort(sets, axis=2), axis=2) > 0).all()


def test_a_retry_gives_the_same_bytes_in_any_batch(method):
    whole = method.release(DOCUMENTS, rng=insecure(3)).payload
    one = [method.release([text], rng=insecure(3), start=n).payload[0] for n, text in enumerate(DOCUMENTS)]
    assert one == whole


def test_a_large_loss_keeps_what_a_text_says(small_writer, plain_texts):
    sure = Ghostwriter(model=str(small_writer), loss_per_word=30.0, notes=10)
    texts = plain_texts[:20]
    after = sure.release(texts, rng=insecure(1)).payload
    reader = sure.writer_.reader
    shares = []
    for text, written in zip(texts, after, strict=True):
        taken, found = set(sure.writer_.taken(text, 8)), set(reader.numbers(written))
        shares.append(len(taken & found) / len(taken))
    assert np.mean(shares) > 0.5
    by_chance = Ghostwriter(model=str(small_writer), loss_per_word=0.01, notes=10).release(texts, rng=insecure(1))
    others = [
        len(set(sure.writer_.taken(text, 8)) & set(reader.numbers(written))) / 8
        for text, written in zip(texts, by_chance.payload, strict=True)
    ]
    assert np.mean(others) < np.mean(shares) - 0.15


def test_before_drawing_there_are_notes(method):
    [notes, nothing] = method.before_drawing(["The old teacher lost the boat.", ""])
    assert "teacher" in notes.split()
    assert nothing == ""
    assert Ghostwriter().before_drawing(["A text."]) is None


def test_between_two_documents_only_other_notes_cost(method):
    same = method.between(DOCUMENTS[0], DOCUMENTS[0])
    assert set(same.losses.values()) == {0.0}
    other = method.between(DOCUMENTS[0], "The doctor sold a heavy book near the river.")
    assert 0 < max(other.losses.values()) <= method.guarantee().epsilon


def test_marks_are_on_the_list_and_special_numbers_are_silent(method):
    writer = method.writer_
    assert set(MARKS) <= set(writer.vocabulary.forms)
    assert writer.text(writer.groups.ends.tolist()) == ""


def test_another_model_is_another_key(method, small_writer):
    other = Ghostwriter(model=f"{small_writer}/", loss_per_word=8.0, notes=10)
    assert other.settings_digest() != method.settings_digest()
    assert isinstance(other.writer_, Writer)
