"""Audits of our own mechanisms: honest ones pass, and each check can fail."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from allonym.anonymizers.base import Anonymizer
from allonym.anonymizers.erae import ERAE
from allonym.anonymizers.erae.auditing import candidate_sets, of_groups
from allonym.anonymizers.random_replacement import RandomReplacement
from allonym.anonymizers.syntf import SynTF
from allonym.anonymizers.words.exponential import WordExponential
from allonym.audit import methods
from allonym.audit import metric as audit_metric
from allonym.audit.draws import watched
from allonym.audit.interference import interference
from allonym.audit.mechanisms import of_mechanism
from allonym.mechanisms import Exponential, LaplaceND, MetricExponential, Subset, TwoSet
from allonym.networks.erae.groups import WordGroups
from allonym.privacy import accounting
from allonym.privacy.habits import Habit
from allonym.randomness import insecure
from allonym.vectors.closeness import WordCloseness

WORDS = ["house", "water", "music", "winter", "doctor", "letter", "garden", "paper"]


def broken(findings) -> list[str]:
    return [one.check for one in findings if one.verdict == "violated"]


def metric() -> MetricExponential:
    points = (insecure(2).below(2001, (40, 3)) - 1000) / 1000
    return MetricExponential(WordCloseness(points.astype(np.float32)), rate=5.0)


@pytest.mark.parametrize("most", [500, 5], ids=["enumerated", "certified"])
def test_metric_mechanisms_pass_and_smaller_claims_do_not(monkeypatch, most):
    monkeypatch.setattr(audit_metric, "MOST_TO_ENUMERATE", most)
    mechanism = metric()
    claimed, furthest = mechanism.loss_per_unit, 4.0 * mechanism.loss_per_unit
    assert not broken(of_mechanism(mechanism.audited(), furthest, claimed, 2000, insecure(1)))
    findings = of_mechanism(mechanism.audited(), furthest, 0.9 * claimed, 20, insecure(1))
    assert broken(findings) == ["exact metric loss"]
    findings = of_mechanism(mechanism.audited(), 0.5, claimed, 2000, insecure(1))
    assert {"exact loss", "sampled loss"} <= set(broken(findings))


def test_exponential_mechanisms_pass_and_smaller_claims_do_not():
    mechanism = Exponential(insecure(1).below(100, (12, 12)) / 100, epsilon=4.0)
    assert not broken(of_mechanism(mechanism.audited(), mechanism.loss(), 0.0, 5000, insecure(1)))
    findings = of_mechanism(mechanism.audited(), 0.5 * mechanism.loss(), 0.0, 5000, insecure(1))
    assert broken(findings) == ["exact loss", "sampled loss"]


def test_two_set_passes_at_both_sizes_and_a_smaller_claim_is_seen_in_draws():
    mechanism = TwoSet(60, epsilon=3.0)
    assert not broken(of_mechanism(mechanism.audited(), mechanism.loss(), 0.0, 5000, insecure(1)))
    findings = of_mechanism(mechanism.audited(), 0.5 * mechanism.loss(), 0.0, 5000, insecure(1))
    assert broken(findings) == ["sampled loss"]


def test_groups_pass_with_their_whole_law_and_a_smaller_claim_does_not():
    mechanism, groups = Subset(200, loss=4.0, candidates=5), WordGroups(200, 5)
    findings = of_mechanism(of_groups(mechanism, groups), mechanism.loss(), 0.0, 5000, insecure(1))
    assert {one.verdict for one in findings} == {"holds"}
    assert [one.check for one in findings] == ["support", "exact loss", "reconstruction", "sampled loss"]
    assert findings[1].figures["exact_loss"] == pytest.approx(4.0, abs=1e-9)
    findings = of_mechanism(of_groups(mechanism, groups), 0.99 * mechanism.loss(), 0.0, 50, insecure(1))
    assert broken(findings) == ["exact loss", "reconstruction"]  # which reaches what the claim allows, too


def test_the_groups_that_are_audited_are_those_that_er_ae_draws_from():
    method = ERAE(mechanism="subset", style="neutral", loss_per_word=10.0, sentences=1, words=3)
    groups = WordGroups(method.mechanism_.outputs, method.candidates)
    text = "The ship sinks in a storm."
    sets = candidate_sets(method.mechanism_, groups)
    with watched(words=False) as watch:
        method.release([text], rng=insecure(1))
    [draw] = watch.draws
    assert draw.inputs.shape[:2] == (1, 3)
    for row in draw.inputs[0]:
        used = np.flatnonzero(row)
        assert (sets == used).all(axis=1).any()
        assert (method.mechanism_.ratings(used) == row).all()


class Unrounded(LaplaceND):
    """Noise that is added in floating point and left there: the point's last bits shine through."""

    def perturb(self, points, numbers, *, in_bulk=False):
        return np.asarray(points, np.float64) + self._noise(numbers)


class TooLittle(LaplaceND):
    """Half of the noise that its ε asks for."""

    def _noise(self, numbers):
        return super()._noise(numbers) / 2


def of_points(mechanism: LaplaceND):
    points = np.array([[0.1, 0.2], [0.3, 0.1], [1.0, 1.0]])
    return of_mechanism(replace(mechanism.audited(), points=points), 0.0, 0.0, 5000, insecure(1))


def test_laplace_noise_passes_and_broken_noise_does_not():
    assert not broken(of_points(LaplaceND(2, epsilon=5.0)))
    assert broken(of_points(Unrounded(2, epsilon=5.0))) == ["support"]
    assert broken(of_points(TooLittle(2, epsilon=5.0))) == ["sampled loss", "sampled loss"]


@pytest.mark.parametrize(
    "anonymizer",
    [
        SynTF(vocabulary=WORDS, words=4),
        WordExponential(epsilon=4.0, vocabulary=WORDS, words=4),
        WordExponential(epsilon=4.0, vocabulary=WORDS, words=4, order="text"),
        RandomReplacement(vocabulary=WORDS, words=4),
    ],
    ids=["vectors", "bags", "texts", "random"],
)
def test_every_kind_of_release_becomes_a_line(anonymizer):
    answers = methods.program_of(anonymizer)(["house water", ""])
    assert [len(answer.split()) for answer in answers] == [4, 4]
    assert {word for answer in answers for word in answer.split()} <= set(WORDS)


class Unheard(RandomReplacement):
    """A method that claims a loss, by a mechanism that nobody has looked at."""

    method = "unheard-of"

    def guarantee(self, documents=1):
        return accounting.pure(loss_per_word=1.0, words=self.words, documents=documents)


class Stranger(Anonymizer):
    """A method of somebody else's."""

    method = "stranger"
    kind = "texts"

    def _check(self):
        pass

    def guarantee(self, documents=1):
        return accounting.pure(loss_per_word=1.0, words=3, documents=documents).copying(*self.copied)

    def _anonymize(self, texts, streams):
        return [" ".join(map(str, row)) for row in streams.below(9, (len(texts), 3)).tolist()]


@pytest.mark.parametrize("method", [Unheard(vocabulary=WORDS, words=3), Stranger()], ids=["unheard", "stranger"])
def test_a_method_without_a_check_is_not_audited(method):
    Stranger.copied = ()
    audit = methods.audit_method(method, draws=20, text_draws=5)
    assert {"mechanism", "words drawn"} <= {finding.check for finding in audit.unaudited}
    assert not audit.violations
    assert "NOT AUDITED (mechanism" in audit.verdict
    assert "no check could prove" not in str(audit)


def test_a_habit_that_no_documents_share_is_not_audited():
    Stranger.copied = (Habit.CASE,)
    [finding] = interference(Stranger(), [], tables=1, where="as it is")
    assert finding.verdict == "not audited"
    assert "case" in finding.says


def test_an_audit_reads_habits_by_their_names_and_no_sentences():
    for path in Path(methods.__file__).parent.glob("*.py"):
        source = path.read_text("utf-8")
        assert "released_as_is" not in source, path.name
        assert "assumptions" not in source, path.name
