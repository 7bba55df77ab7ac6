"""The black box: what programs copy, and noise that is not fresh."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from allonym.audit import texts
from allonym.audit.findings import Finding
from allonym.errors import InputError, ParameterError
from allonym.randomness import insecure

WORDS = ["house", "water", "music", "winter", "doctor", "letter"]


def fresh(count: int = 4, seed: int = 1):
    """Answers that have nothing to do with the documents."""
    rng = insecure(seed)

    def program(documents: Sequence[str]) -> list[str]:
        drawn = rng.below(len(WORDS), (len(documents), count))
        return [" ".join(WORDS[word] for word in row) for row in drawn]

    return program


def verdicts(program, *, claimed: float | None = 1.0, declared: Sequence[str] = (), draws: int = 200) -> dict[str, str]:
    answers = texts.ask(program, texts.PAIRS, draws)
    findings = [
        *texts.leaks(answers, claimed=claimed, declared=declared),
        *texts.noise(answers, claimed=claimed),
        *texts.losses(answers, texts.PAIRS, claimed=claimed),
        texts.reconstruction(answers, texts.PAIRS, claimed=claimed),
    ]
    return {finding.check: finding.verdict for finding in findings if finding.check != "support"}


def test_answers_without_a_link_to_the_documents_pass():
    assert set(verdicts(fresh()).values()) == {"holds"}
    assert set(verdicts(fresh(), claimed=0.0).values()) == {"holds"}


def test_a_program_that_changes_nothing_leaks_everything():
    found = verdicts(lambda documents: list(documents))
    broken = {check for check, verdict in found.items() if verdict == "violated"}
    assert broken == {*texts.HABITS, "sampled loss", "no noise", "reconstruction"}
    assert found["runs share noise"] == "measured"  # nothing varies, so nothing can be told


def test_where_nothing_is_claimed_nothing_is_violated():
    assert set(verdicts(lambda documents: list(documents), claimed=None).values()) == {"measured"}


def test_what_is_declared_is_reported_and_not_held_against_a_program():
    draw = fresh(9)

    def program(documents: Sequence[str]) -> list[str]:
        cut = zip(draw(documents), documents, strict=True)
        return [" ".join(answer.split()[: len(document.split())]) for answer, document in cut]

    assert verdicts(program, claimed=1.0)["length"] == "violated"
    assert verdicts(program, claimed=1.0, declared=["length"])["length"] == "measured"
    with pytest.raises(ParameterError, match="must be one of length"):
        verdicts(program, declared=["everything"])


@pytest.mark.parametrize(
    ("copied", "habit"),
    [
        (lambda document: "".join(sign for sign in document if sign in ",;!"), "punctuation"),
        (lambda document: " ".join(word for word in document.split() if word.isdigit()), "numbers"),
    ],
)
def test_single_habits(copied, habit):
    draw = fresh()

    def program(documents: Sequence[str]) -> list[str]:
        return [f"{answer} {copied(document)}" for answer, document in zip(draw(documents), documents, strict=True)]

    found = verdicts(program)
    assert found[habit] == "violated"
    assert [check for check, verdict in found.items() if verdict == "violated" and check in texts.HABITS] == [habit]


def test_a_fixed_seed_is_seen_in_a_second_run():
    def program(documents: Sequence[str]) -> list[str]:
        return fresh(seed=42)(documents)

    found = verdicts(program)
    assert found["runs share noise"] == "violated"
    assert found["rows share noise"] == "holds"


def test_the_last_word_may_tell_what_the_bag_does_not():
    draw = fresh(6)

    def program(documents: Sequence[str]) -> list[str]:
        answers = (answer.split() for answer in draw(documents))
        return [" ".join(sorted(a, key=lambda word: word == d)) for a, d in zip(answers, documents, strict=True)]

    found = verdicts(program, claimed=0.5, draws=1000)
    assert found["order"] == "violated"
    assert found["sampled loss"] == "holds"


def test_answers_of_one_word_say_nothing_about_caches():
    assert verdicts(fresh(1))["cached noise"] == "measured"


def test_a_claim_about_pairs_is_not_held_against_other_pairs():
    """House and water may not be told apart, nor music and winter; but one pair from the other may be."""
    draw = fresh(1)

    def program(documents: Sequence[str]) -> list[str]:
        drawn = draw(documents)
        return [
            a if document in ("house", "water") else "other " + a for a, document in zip(drawn, documents, strict=True)
        ]

    answers = texts.ask(program, texts.PAIRS, 300)
    finding = texts.reconstruction(answers, texts.PAIRS, claimed=0.0)
    assert finding.verdict == "holds"
    assert finding.figures["among_all"] > 0.25


def test_a_program_must_answer_every_document():
    with pytest.raises(InputError, match="it must give a line for each"):
        verdicts(lambda documents: documents[1:])


def test_the_questions_are_asked_as_often_as_stated():
    asked: list[int] = []

    def program(documents: Sequence[str]) -> list[str]:
        asked.append(len(documents))
        return fresh()(documents)

    answers = texts.ask(program, [("tea", "milk")], 50, rows=8)
    assert asked == [10 * 8 + 2 * 100, 10 * 8]
    assert {word: len(given) for word, given in answers.words.items()} == {"tea": 100, "milk": 100}
    assert all(np.array(block).shape == (2, 8) for runs in answers.habits.values() for block in runs)


def test_findings_have_figures():
    answers = texts.ask(fresh(), texts.PAIRS, 100)
    support, loss = texts.losses(answers, texts.PAIRS, claimed=1.0)
    assert isinstance(loss, Finding)
    assert loss.figures["confidence"] == pytest.approx(0.9995)
    assert len(loss.figures["pairs"]) == 3
    assert support.verdict == "measured"
    assert 0 < support.figures["in_common"] <= support.figures["different"]
