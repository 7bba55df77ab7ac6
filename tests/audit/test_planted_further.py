"""More bugs of the same kinds, planted by a reviewer who wanted the audit to miss them; it did, and no longer does."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import planted
import pytest
from scipy import sparse

from allonym.anonymizers.auditing import PLAIN
from allonym.anonymizers.erae import ERAE
from allonym.anonymizers.erae.auditing import tiny
from allonym.anonymizers.syntf import SynTF
from allonym.anonymizers.words.exponential import WordExponential
from allonym.anonymizers.words.laplace import WordLaplace
from allonym.audit.documents import few_documents, of_vocabulary, very_long_documents
from allonym.audit.interference import interference, job_files
from allonym.audit.mechanisms import of_mechanism
from allonym.audit.pipeline import pipeline
from allonym.audit.streams import job_noise, long_document, other_settings, streams
from allonym.jobs import batches
from allonym.jobs.plan import Plan
from allonym.mechanisms import Exponential, Subset, TwoSet, subset, two_set
from allonym.randomness import _NONCE_BYTES, DocumentStreams, secure

KEY = secure().key


def violated(findings) -> set[str]:
    return {finding.check for finding in findings if finding.verdict == "violated"}


def a_term_for(shows):
    """SynTF's counts with a term more of one, and less of another, for texts that show something."""

    def _anonymize(self, texts, streams):
        counts = SynTF._anonymize(self, texts, streams).toarray()
        for row, text in enumerate(texts):
            if shows(self, text):
                counts[row, counts[row].argmax()] -= 1
                counts[row, 0] += 1
        return sparse.csr_array(counts)

    return _anonymize


def small(name: str, **methods: object):
    return planted.broken(name, **methods).audited().small()


LIMITS = {
    "characters": lambda _, text: len(text) > 100_000,
    "words": lambda _, text: len(text.split()) > 50_000,
    "sentences": lambda _, text: text.count(".") > 5_000,
    "times a word": lambda _, text: text.count("water water water") > 10_000,
}


@pytest.mark.parametrize("limit", LIMITS)
def test_texts_past_a_limit_of_their_own(limit):
    mutant = small("syntf", _anonymize=a_term_for(LIMITS[limit])).short
    assert "interference" in violated(interference(mutant, very_long_documents(PLAIN[:8]), tables=1, where="long"))


@pytest.mark.parametrize("name", [name for name in planted.HONEST if name != "erae"])
def test_honest_methods_read_very_long_texts_like_any(name):
    method = planted.shipped(name).audited().small()
    assert not violated(interference(method.short, very_long_documents(PLAIN[:8]), tables=1, where="long"))


def test_texts_with_very_many_different_words():
    mutant = planted.broken("syntf", _anonymize=a_term_for(lambda self, text: self.compositions([text]).nnz > 2_000))
    listed = list(of_vocabulary(mutant.audited().words))
    assert "interference" in violated(interference(mutant, listed, tables=1, where="as it is"))


def noise_begins_anew(monkeypatch, after):
    """The place of a segment in its document is counted in a number that is too small."""
    real = DocumentStreams.segments

    def segments(self, counts, size):
        made, nonces = real(self, counts, size), self._nonces.tobytes()
        made._nonces = made._nonces_of(
            nonces[_NONCE_BYTES * document : _NONCE_BYTES * (document + 1)] + (start % after).to_bytes(8, "big")
            for document, count in enumerate(counts)
            for start in range(0, int(count), size)
        )
        return made

    monkeypatch.setattr(DocumentStreams, "segments", segments)


@pytest.mark.parametrize("after", [512, 65_536])
@pytest.mark.parametrize("name", ["laplace", "texts", "exponential"])
def test_noise_that_begins_anew_within_a_text(monkeypatch, name, after):
    method = planted.shipped(name).audited().small().anonymizer
    assert long_document(method, PLAIN, slow=False, where="small").verdict == "holds"
    noise_begins_anew(monkeypatch, after)
    assert long_document(method, PLAIN, slow=False, where="small").verdict == "violated"


def test_sentences_far_apart_that_share_noise(monkeypatch):
    method = tiny(ERAE(length="public"), 8)
    assert long_document(method, PLAIN[:8], slow=True, where="small").verdict == "holds"
    noise_begins_anew(monkeypatch, 64)
    assert long_document(method, PLAIN[:8], slow=True, where="small").verdict == "violated"


@pytest.mark.parametrize("forgets", ["everything", "epsilon"])
def test_noise_that_is_not_keyed_by_all_settings(forgets):
    def settings_digest(self):
        return repr([self.words] if forgets == "epsilon" else []).encode()

    mutant = small("syntf", settings_digest=settings_digest).shortest
    assert other_settings(mutant, PLAIN, "small").verdict == "violated"


@pytest.mark.parametrize("name", planted.HONEST)
def test_honest_methods_have_other_noise_with_other_settings(name):
    method = planted.shipped(name).audited().small().shortest
    found = other_settings(method, PLAIN[:8], "small")
    assert found.verdict == "holds"
    assert found.figures["words"] > 0


@pytest.mark.parametrize("way", ["transform", "fit_transform"])
@pytest.mark.parametrize(("name", "kind"), [("syntf", SynTF), ("laplace", WordLaplace)])
def test_a_way_to_draw_with_a_key_of_its_own(name, kind, way):
    def draw(self, texts, y=None):
        return kind.release(self, texts, rng=secure(KEY)).payload

    method = small(name, **{way: draw})
    assert "noise of releases" in violated(streams(method.shortest, PLAIN, where="small"))


@pytest.mark.parametrize("name", ["laplace", "exponential"])
def test_a_bag_in_the_order_of_the_text(name):
    def _anonymize(self, texts, streams):
        documents = self._documents(texts, streams)
        lengths = [len(rows) for rows in documents]
        drawn = self._substitutes(np.concatenate([*documents, np.zeros(0, np.int64)]), lengths, streams)
        return [[self.table_.words[row] for row in part] for part in np.split(drawn, np.cumsum(lengths)[:-1])]

    assert "law" in violated(pipeline(planted.broken(name, _anonymize=_anonymize)))


def test_words_that_are_never_drawn_though_their_weights_are_there(monkeypatch):
    """Only the best are looked at: at a large loss the others would hardly ever have come."""
    real = Exponential.draw

    def draw(self, inputs, rng):
        outputs = real(self, inputs, rng)
        if self.outputs <= 2_000:
            return outputs
        law = self.law(int(np.ravel(inputs)[0]))
        return np.where(law[outputs] < np.partition(law, -2_000)[-2_000], inputs, outputs)

    method = planted.shipped("syntf")
    monkeypatch.setattr(Exponential, "draw", draw)
    assert "law" in violated(pipeline(method))


@pytest.mark.parametrize(
    "mechanism", [TwoSet(20_000, epsilon=3.0), Subset(20_000, loss=9.3, candidates=5)], ids=["two-set", "subset"]
)
def test_outsiders_that_are_never_drawn_at_full_size(monkeypatch, mechanism):
    def found():
        return violated(of_mechanism(mechanism.audited(), mechanism.loss(), 0.0, 100, secure()))

    assert "law" not in found()
    for module in (two_set, subset):
        real = module.item_outside
        monkeypatch.setattr(module, "item_outside", lambda *given, real=real: real(*given[:-1], given[-1] % 9_000))
    assert "law" in found()


def test_a_largest_loss_that_is_not_the_largest():
    """The price of two words is right, and that of any two is not."""
    method = planted.shipped("laplace")
    promised, [noise] = method.guarantee(), method.audited().laws()

    def found(claimed):
        return violated(of_mechanism(noise, claimed, promised.loss_per_unit, 100, secure()))

    assert not found(promised.loss_per_word)
    assert "largest loss" in found(0.999 * promised.loss_per_word)


@pytest.mark.parametrize("name", ["syntf", "laplace"])
def test_chunks_of_a_job_that_share_noise(monkeypatch, name):
    method, real = planted.shipped(name).audited().small().shortest, batches._released
    assert job_noise(method, "house", "small").verdict == "holds"
    monkeypatch.setattr(batches, "_released", lambda method, texts, release, _: real(method, texts, release, 0))
    assert job_noise(method, "house", "small").verdict == "violated"


def test_a_record_that_tells_how_much_an_author_wrote(monkeypatch):
    method, real = planted.shipped("syntf").audited().small().short, Plan.record

    def record(self, failed=0):
        telling = {"per_author": self.per_author and self.per_author.to_dict()}
        return SimpleNamespace(to_json=lambda: real(self, failed).to_json() | telling)

    assert job_files(method, few_documents(PLAIN[:8]), "small").verdict == "holds"
    monkeypatch.setattr(Plan, "record", record)
    assert job_files(method, few_documents(PLAIN[:8]), "small").verdict == "violated"


def test_the_exponential_method_is_compared_at_a_small_loss_too():
    method = WordExponential(epsilon=10.0, vocabulary=planted.shipped("texts").table_.words[:600])
    assert sum(finding.check == "law" for finding in pipeline(method)) == 3
