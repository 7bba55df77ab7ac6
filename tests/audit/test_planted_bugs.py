"""Twelve bugs that were made in earnest somewhere, planted: the audit must call each by its name, and pass its twin."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from allonym.audit import exact, texts
from allonym.audit.findings import Finding
from allonym.audit.generator import BITS, audit_generator
from allonym.audit.sampled import Pair, audit_pairs
from allonym.mechanisms import Exponential, TwoSet
from allonym.randomness import insecure

VOCABULARY = [
    "house",
    "water",
    "music",
    "winter",
    "doctor",
    "letter",
    "garden",
    "paper",
    "stone",
    "silver",
    "sea",
    "hill",
]
SCORES = insecure(3).below(1000, (12, 12)) / 1000
EPSILON = 0.3


def broken(findings: Sequence[Finding]) -> set[str]:
    return {finding.check for finding in findings if finding.verdict == "violated"}


# --- bugs in a law, found exactly ---------------------------------------------------------------------------------


def exactly(mechanism: Exponential, claimed: float) -> list[Finding]:
    found = exact.loss_of_tiles(mechanism._weights.tiles, mechanism.inputs, mechanism.outputs)
    return exact.judge(found, claimed, where="all weights")


def test_1_the_factor_2_of_the_sensitivity_is_missing():
    honest, mutant = (Exponential(np.eye(8), epsilon=epsilon) for epsilon in (3.0, 6.0))
    assert not broken(exactly(honest, honest.loss()))
    findings = exactly(mutant, honest.loss())
    assert broken(findings) == {"exact loss"}
    assert "2 times the claim; a factor of 2, as of the sensitivity, is missing" in findings[1].says


def test_2_epsilon_is_five_per_cent_too_large():
    honest, mutant = (Exponential(SCORES, epsilon=epsilon) for epsilon in (3.0, 3.0 * 1.05))
    assert not broken(exactly(honest, honest.loss()))
    findings = exactly(mutant, honest.loss())
    assert broken(findings) == {"exact loss"}
    assert "factor of 2" not in findings[1].says


def test_2_epsilon_is_five_per_cent_too_large_seen_in_draws():
    def found(epsilon: float) -> Finding:
        mechanism = Exponential(np.eye(2), epsilon=2 * epsilon)
        samplers = [lambda n, row=row: mechanism.draw(np.full(n, row), insecure(row)) for row in (0, 1)]
        return audit_pairs([Pair(("first", "second"), 3.0, *samplers)], 200_000)

    assert found(3.0).verdict == "holds"
    assert found(3.0 * 1.05).verdict == "violated"


def test_3_the_candidate_set_is_chosen_from_the_input():
    honest = Exponential(SCORES, epsilon=2.0)
    weights = np.stack([honest.weights(row) for row in range(12)])
    best = np.argsort(-SCORES, axis=1)[:, :5]
    mutant = np.zeros_like(weights)
    np.put_along_axis(mutant, best, np.take_along_axis(weights, best, 1), 1)
    assert not broken(exact.judge(exact.loss_of_laws(weights), honest.loss(), where="law"))
    [finding] = exact.judge(exact.loss_of_laws(mutant), honest.loss(), where="law")
    assert finding.check == "support"
    assert "the candidate set is chosen from the input" in finding.says


def test_4_the_second_set_of_er_ae_is_not_noised():
    """The set is chosen with ε, but of the others always the best is taken."""
    outputs, rows = 5, np.eye(5)
    mechanism = TwoSet(outputs, epsilon=3.0, candidates=1)

    def mutant(p: np.ndarray) -> list[Fraction]:
        [inside] = np.flatnonzero(p)
        honest = mechanism.fractions(p)
        law = [Fraction(0)] * outputs
        law[inside] = honest[inside]
        law[int(np.argmax(np.where(np.arange(outputs) == inside, -1, p)))] = 1 - honest[inside]
        return law

    honest_laws = exact.loss_of_laws([mechanism.fractions(row) for row in rows])
    assert not broken(exact.judge(honest_laws, mechanism.loss(), where="enumerated"))
    mutant_laws = exact.loss_of_laws([mutant(row) for row in rows])
    assert broken(exact.judge(mutant_laws, mechanism.loss(), where="enumerated")) == {"support"}


def test_8_a_float_softmax_underflows():
    honest = Exponential(SCORES, epsilon=3000.0)
    assert not broken(exactly(honest, honest.loss()))
    powers = np.exp(3000.0 / 2 * (SCORES - SCORES.max(axis=1, keepdims=True)))
    mutant = exact.loss_of_laws(powers / powers.sum(axis=1, keepdims=True))
    [finding] = exact.judge(mutant, honest.loss(), where="law")
    assert finding.check == "support"
    assert "float softmax" in finding.says


# --- a bug in the random source, found from coins ------------------------------------------------------------------


def test_9_noise_from_mt19937():
    fair = Exponential(np.zeros((1, 2)), epsilon=1.0)
    honest = fair.draw(np.zeros(BITS, int), insecure(4))
    assert audit_generator(honest, where="draws").verdict == "holds"
    uniform = np.random.RandomState(4).random_sample(BITS)
    mutant = np.searchsorted(np.cumsum(fair.law(0)), uniform, side="right")
    finding = audit_generator(mutant, where="draws")
    assert finding.verdict == "violated"
    assert finding.check == "weak generator"
    assert "MT19937" in finding.says


# --- bugs around the mechanism, found in texts ---------------------------------------------------------------------


class Honest:
    """Six words for every text, each drawn by the mechanism for a word of the text, or for a stand-in."""

    words = 6
    draws = 1000

    def __init__(self) -> None:
        self.mechanism = Exponential(SCORES, epsilon=EPSILON)
        self.rng = insecure(11)
        self.claimed = self.words * self.mechanism.loss()

    def __call__(self, documents: Sequence[str]) -> list[str]:
        rows = [self.read(document) for document in documents]
        drawn = self.draw([row for document in rows for row in document])
        answers, place = [], 0
        for document, row in zip(documents, rows, strict=True):
            answers.append(self.write(document, row, drawn[place : place + len(row)]))
            place += len(row)
        return answers

    def read(self, document: str) -> list[int]:
        known = [VOCABULARY.index(word) for word in tokens(document) if word in VOCABULARY]
        return (known + [0] * self.words)[: self.words]

    def draw(self, rows: list[int]) -> list[int]:
        return self.mechanism.draw(np.array(rows), self.rng).tolist()

    def write(self, document: str, rows: list[int], drawn: list[int]) -> str:
        return " ".join(VOCABULARY[word] for word in drawn)


def tokens(document: str) -> list[str]:
    return "".join(sign.lower() if sign.isalnum() else " " for sign in document).split()


class LeaksLength(Honest):
    def read(self, document: str) -> list[int]:
        return super().read(document)[: len(tokens(document))]


class PassesUnknownWords(Honest):
    def write(self, document: str, rows: list[int], drawn: list[int]) -> str:
        unknown = [word for word in tokens(document) if word.isalpha() and word not in VOCABULARY]
        return " ".join([*unknown, super().write(document, rows, drawn)])


class PassesCase(Honest):
    def write(self, document: str, rows: list[int], drawn: list[int]) -> str:
        answer = super().write(document, rows, drawn)
        return answer.upper() if document.isupper() else answer


class SeedsEachRow(Honest):
    """A fresh seed for each run, but the same for each row."""

    draws = 20

    def __call__(self, documents: Sequence[str]) -> list[str]:
        seed = int(self.rng.below(2**40, (1,))[0])
        answers = []
        for document in documents:
            row = self.read(document)
            answers.append(self.write(document, row, self.mechanism.draw(np.array(row), insecure(seed)).tolist()))
        return answers


class CachesNoise(Honest):
    """A word that occurs twice in a text gets one substitute."""

    def write(self, document: str, rows: list[int], drawn: list[int]) -> str:
        substitute: dict[int, int] = {}
        return super().write(document, rows, [substitute.setdefault(a, b) for a, b in zip(rows, drawn, strict=True)])


class SortsByScore(Honest):
    """The best substitutes first: which they are depends on the text."""

    def write(self, document: str, rows: list[int], drawn: list[int]) -> str:
        return super().write(document, rows, sorted(drawn, key=lambda word: -SCORES[rows[0], word]))


def in_texts(program: Honest) -> list[Finding]:
    answers = texts.ask(program, texts.PAIRS, program.draws)
    return [
        *texts.leaks(answers, claimed=program.claimed),
        *texts.noise(answers, claimed=program.claimed),
        *texts.losses(answers, texts.PAIRS, claimed=program.claimed),
        texts.reconstruction(answers, texts.PAIRS, claimed=program.claimed),
    ]


def test_the_honest_program_passes_every_check():
    findings = in_texts(Honest())
    assert not broken(findings)
    assert len(findings) == 11
    assert all(finding.verdict == "holds" for finding in findings if finding.check != "support")


@pytest.mark.parametrize(
    ("mutant", "name"),
    [
        pytest.param(LeaksLength, "length", id="5 length"),
        pytest.param(PassesUnknownWords, "unknown words", id="6 unknown words"),
        pytest.param(PassesCase, "case", id="7 case"),
        pytest.param(SeedsEachRow, "rows share noise", id="10 seed reused for each row"),
        pytest.param(CachesNoise, "cached noise", id="11 cached noise"),
        pytest.param(SortsByScore, "order", id="12 sorted by score"),
    ],
)
def test_bugs_around_the_mechanism_are_called_by_their_names(mutant, name):
    assert name in broken(in_texts(mutant()))


def test_each_mutant_breaks_little_else():
    """Names must mean something: what is sound in a mutant is not called broken."""
    assert broken(in_texts(PassesCase())) == {"case"}
    assert broken(in_texts(SortsByScore())) == {"order"}
    # Repeated words show which document had them, so that here the loss is larger, too.
    assert broken(in_texts(CachesNoise())) <= {"cached noise", "sampled loss", "reconstruction"}
