"""Audits of the methods of this package: the law behind each exactly, its draws by sampling, its texts as a black box.

What is claimed is read off the method's guarantee; what is audited are the weights and the draws it really makes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from allonym.anonymizers.base import Anonymizer
from allonym.audit import texts
from allonym.audit.findings import Audit, Finding
from allonym.audit.generator import BITS, audit_generator
from allonym.audit.mechanisms import of_mechanism
from allonym.audit.release import of_release, unknown_words, words_for
from allonym.privacy import Guarantee
from allonym.privacy.habits import Habit
from allonym.privacy.statement import number
from allonym.randomness import Rng, secure

DRAWS = 100_000
TEXT_DRAWS = 200


def audit_method(anonymizer: Anonymizer, *, draws: int = DRAWS, text_draws: int | None = None) -> Audit:
    """Return the audit of a method with its parameters; so many draws, or answers to whole texts, judge each input."""
    promised = anonymizer.guarantee()
    rng = secure()
    findings = list[Finding]()
    if promised.formal:
        coins = (rng.words(BITS) >> np.uint64(63)).tolist()
        fair = audit_generator(coins, where="the stream that all mechanisms draw from")
        findings = [*_of_mechanism(anonymizer, promised, draws, rng), fair, *of_release(anonymizer)]
    findings += of_texts(anonymizer, draws=text_draws or TEXT_DRAWS)
    notes = ["A lower bound by sampling that stays below a claim does not prove the claim; the exact checks do."]
    if not promised.formal:
        notes = [
            "This method promises nothing, so no verdict is passed; what it leaks was measured as for any program."
        ]
    return Audit(subject=anonymizer.method, claim=_claim(promised), findings=tuple(findings), notes=tuple(notes))


def _claim(promised: Guarantee) -> str:
    if not promised.formal:
        return "nothing"
    per_word = f"a loss of at most {number(promised.loss_per_word or 0.0)} for each output {promised.drawn}"
    if promised.metric is not None:
        per_word += f", and of {number(promised.loss_per_unit or 0.0)} for each unit of {promised.metric}"
    return f"{per_word}, between {promised.adjacency}"


def _of_mechanism(anonymizer: Anonymizer, promised: Guarantee, draws: int, rng: Rng) -> list[Finding]:
    """Return what the mechanism's law and draws show; nothing for methods that need none, as they lose nothing."""
    per_word, per_unit = promised.loss_per_word or 0.0, promised.loss_per_unit or 0.0
    laws = anonymizer.audited().laws() or ([None] if per_word else [])
    return [finding for law in laws for finding in of_mechanism(law, per_word, per_unit, draws, rng)]


def of_texts(anonymizer: Anonymizer, *, draws: int) -> list[Finding]:
    """Audit a method as a black box: what its texts give away around the mechanism, and whether noise is fresh."""
    small = anonymizer.audited().quick()
    promised = small.guarantee()
    claimed = promised.epsilon if promised.formal else None
    words = words_for(small)
    if len(words) < 2 * len(texts.PAIRS):
        return [unknown_words(small)]
    pairs = list(zip(words[::2], words[1::2], strict=False))[: len(texts.PAIRS)]
    answers = texts.ask(program_of(small), pairs, draws, words=words)
    return texts.findings(answers, pairs, claimed=claimed, declared=_declared(promised))


_HABITS = {
    Habit.NUMBER_OF_WORDS: "length",
    Habit.NUMBER_OF_SENTENCES: "length",
    Habit.SENTENCE_LENGTHS: "length",
    Habit.ROUGH_SENTENCE_LENGTHS: "length",
    Habit.CASE: "case",
    Habit.PUNCTUATION: "punctuation",
    Habit.UNKNOWN_WORDS: "unknown words",
    Habit.NUMBERS: "numbers",
    Habit.NUMBERS_AND_NAMES: "numbers",
}


def _declared(promised: Guarantee) -> list[str]:
    """Return the checks of habits that a guarantee says are copied."""
    if Habit.TEXT in promised.copies:
        return list(texts.HABITS)
    return sorted({check for habit, check in _HABITS.items() if habit in promised.copies})


def program_of(anonymizer: Anonymizer) -> texts.Program:
    """Return a method as a program: documents in, what is released for each out, as text."""

    def program(documents: Sequence[str]) -> list[str]:
        return [" ".join(text.split()) for text in anonymizer.release(documents).texts()]

    return program
