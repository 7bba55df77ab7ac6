"""What an evaluation measures of configurations whose outcome is known."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

from allonym import metrics
from allonym.anonymizers.base import Anonymizer
from allonym.anonymizers.identity import Identity
from allonym.anonymizers.random_replacement import RandomReplacement
from allonym.anonymizers.syntf import SynTF
from allonym.attackers.floors import Majority
from allonym.attackers.linear import WordNGramSVM
from allonym.errors import InputError, ParameterError
from allonym.evaluation.candidates import Column, Method, Program
from allonym.evaluation.evaluate import evaluate
from allonym.evaluation.sample import Sample
from allonym.jobs.command import Command
from tests.evaluation.habits import WORDS, read, rows

QUICK = [WordNGramSVM(), Majority()]
NOISE = Method(RandomReplacement(words=8, vocabulary=WORDS), "words 8")
SAME = Method(Identity())


@pytest.fixture
def sample(tmp_path) -> Sample:
    return read(tmp_path, rows({"ada": 20, "ben": 20, "cleo": 20}), label="topic")


def test_known_outcomes_are_measured(sample):
    evaluation = evaluate(sample, [SAME, NOISE], QUICK)
    same, noise = evaluation.outcomes
    assert evaluation.measure.name == "topic"
    assert evaluation.floor == pytest.approx(1 / 3)
    assert same.strongest.headline.value == evaluation.original.headline.value == 1.0
    assert (same.use_kept.value, same.attack_left.value, same.draws) == (1.0, 1.0, 1)
    assert (same.use["unchanged"].value, same.use["length"].value) == (1.0, 1.0)
    assert not same.promised.formal
    assert noise.promised.epsilon == 0.0
    assert noise.draws == 5
    assert noise.strongest.headline.value < evaluation.original.headline.value
    assert noise.use["topic"].value < evaluation.before.value
    assert str(noise.candidate) == "random-replacement, words 8"


def test_every_attacker_attacks_in_every_setting_and_all_together(sample):
    [outcome] = evaluate(sample, [NOISE], QUICK, draws=2).outcomes
    pairs = [(attack.attacker, attack.setting) for attack in outcome.attacked.attacks]
    settings = ("static", "adaptive", "informed")
    each = [(attacker.name, setting) for attacker in QUICK for setting in settings]
    assert pairs == [*each, ("ensemble", "informed")]
    assert outcome.attacked.strongest("static").setting == "static"
    with pytest.raises(InputError, match="Nobody attacked"):
        outcome.attacked.strongest("original")


def test_the_strongest_is_chosen_without_looking_at_test_documents(sample):
    [outcome] = evaluate(sample, [NOISE], QUICK, draws=2).outcomes
    first, *others = outcome.attacked.attacks
    others = [replace(attack, validated=0.4) for attack in others]  # the last is the ensemble

    def strongest(validated, documents):
        attacks = (replace(first, validated=validated), *others)
        return replace(outcome.attacked, attacks=attacks, set_aside=documents).strongest().attacker

    assert strongest(0.5, 100) == first.attacker  # two standard errors
    assert strongest(0.5, 10) == "ensemble"  # well within one
    assert strongest(0.3, 100) == "ensemble"


def test_a_baseline_is_never_advised(sample):
    evaluation = evaluate(sample, [SAME, NOISE, Method(SynTF(vocabulary=WORDS, words=12, epsilon=0.1))], QUICK, seed=1)
    assert evaluation.best() == 2
    assert not any(evaluation.recommended(outcome) for outcome in evaluation.outcomes[:2])
    assert evaluate(sample, [SAME], QUICK).best() == 0


def test_the_choice_is_the_largest_advantage_of_the_table(sample):
    settings = [Method(SynTF(vocabulary=WORDS, words=12, epsilon=epsilon)) for epsilon in (0.1, 20.0, 60.0)]
    evaluation = evaluate(sample, settings, QUICK, seed=1, draws=3)
    advantages = [outcome.advantage for outcome in evaluation.outcomes]
    assert evaluation.best() == int(np.argmax(advantages))
    for outcome in evaluation.outcomes:
        assert outcome.advantage == outcome.use_kept.low - outcome.attack_left.high
        assert outcome.use_kept.low <= outcome.use_kept.value <= outcome.use_kept.high


def test_attackers_read_vectors_as_words(sample):
    evaluation = evaluate(sample, [Method(SynTF(vocabulary=WORDS, words=12, epsilon=60))], QUICK, seed=1)
    [outcome] = evaluation.outcomes
    assert outcome.use["topic"].value > evaluation.use_floor
    assert outcome.use["unchanged"].value > 0  # of written-out counts
    assert outcome.use["length"].value > 0


def test_a_seed_repeats_the_run_and_withdraws_the_promise(sample):
    one, other = (evaluate(sample, [NOISE], QUICK, seed=5).outcomes[0] for _ in range(2))
    assert one.attacked == other.attacked
    assert not one.promised.formal
    assert "reproducible run" in one.promised.assumptions[0]
    assert evaluate(sample, [NOISE], QUICK).outcomes[0].promised.formal


def test_promises_are_for_a_document_and_for_the_largest_author(tmp_path):
    sample = read(tmp_path, rows({"a": 12, "b": 8}), max_documents=8)
    model = SynTF(vocabulary=WORDS, words=10)
    [outcome] = evaluate(sample, [Method(model)], [Majority()]).outcomes
    assert outcome.promised.epsilon == model.guarantee().epsilon
    assert outcome.promised_to_author.epsilon == model.guarantee(12).epsilon
    assert outcome.promised.released_as_is == ("the number and order of the documents",)


def test_without_labels_use_is_what_stays_of_the_words(tmp_path):
    evaluation = evaluate(read(tmp_path, rows({"ada": 8, "ben": 8})), [SAME], QUICK)
    assert (evaluation.measure.name, evaluation.before.value) == ("unchanged", 1.0)
    assert 0 < evaluation.use_floor < 1  # another text shares some words
    assert evaluation.outcomes[0].use["topic"] is None
    assert evaluation.outcomes[0].use_kept.value == 1.0


def test_with_the_encoder_use_is_what_stays_of_the_meaning(tmp_path, monkeypatch):
    asked = []

    def embed(texts):
        asked.append(len(texts))
        return np.array([[len(text) % 2, 1 - len(text) % 2] for text in texts], np.float32)

    monkeypatch.setattr(metrics.semantics, "embed", embed)
    meaning = replace(metrics.semantics.MEANING, prepare=embed, missing=str)
    monkeypatch.setattr(metrics, "measures", lambda: {"meaning": meaning})
    sample = read(tmp_path, rows({"ada": 8, "ben": 8}))
    evaluation = evaluate(sample, [SAME] * 2, QUICK)
    assert evaluation.measure.name == "meaning"
    assert evaluation.outcomes[0].use["meaning"].value == 1.0
    assert asked == [len(sample.places("test"))] * 4  # the originals once, and once for the floor


class Eraser(Anonymizer):
    """Leaves nothing."""

    method, kind = "eraser", "texts"

    def _check(self):
        pass

    def guarantee(self, documents=1):
        return Identity().guarantee(documents)

    def _anonymize(self, texts, streams):
        return ["" for _ in texts]


@pytest.mark.parametrize("candidates", [[SAME] * 2, [NOISE], [SAME, NOISE]])
def test_progress_ends_where_it_said_it_would(sample, candidates):
    told = []
    evaluate(sample, candidates, QUICK, progress=lambda *step: told.append(step))
    assert told == sorted(told)
    assert told[-1] == (12 * len(candidates), 12 * len(candidates))


def test_nothing_to_evaluate_is_refused(sample):
    for candidates, draws in (([], 5), ([SAME], 0)):
        with pytest.raises(ParameterError, match="needs one"):
            evaluate(sample, candidates, QUICK, draws=draws)


def test_a_method_that_leaves_nothing_can_be_measured():
    made = rows({"ada": 8, "ben": 8})  # labels alternate
    texts, authors, labels = ([row[name] for row in made] for name in ("text", "author", "topic"))
    halves = Sample(texts, authors, labels, [n % 8 < 4 for n in range(16)], list(range(1, 17)), 8)
    evaluation = evaluate(halves, [Method(Eraser())], QUICK)
    [outcome] = evaluation.outcomes
    assert outcome.strongest.headline.value == pytest.approx(1 / 2)
    assert outcome.use["unchanged"].value == 0.0
    assert outcome.use["topic"].value == pytest.approx(1 / 3)  # weighted F1 of one of two labels, always
    assert evaluation.use_floor == pytest.approx(1 / 2)  # of both at random
    assert (outcome.use_kept.value, outcome.attack_left.value) == (0.0, 0.0)
    assert not evaluation.recommended(outcome)


UPPER = f"{sys.executable} -c 'import sys; [print(line.strip().upper()) for line in sys.stdin]'"


def test_any_program_can_be_measured(sample):
    evaluation = evaluate(sample, [Program(Command(UPPER), "upper")], QUICK)
    [outcome] = evaluation.outcomes
    assert outcome.strongest.headline.value == 1.0  # words are compared in lower case
    assert outcome.draws == 1  # it writes the same each time
    assert not outcome.promised.formal
    assert "not known" in outcome.promised.assumptions[0]


def test_a_program_is_told_the_number_of_the_draw():
    told = Command(f"{sys.executable} -c 'import sys; [print(sys.argv[1]) for line in sys.stdin]' n{{draw}}")
    assert [told(["a", "b"]), told(["c"])] == [["n1", "n1"], ["n2"]]


def test_a_program_must_answer_every_document(sample):
    short = Program(Command(f"{sys.executable} -c 'print(1)'"), "short")
    with pytest.raises(InputError, match="1 lines for 42 documents"):
        evaluate(sample, [short], QUICK)


def test_texts_rewritten_elsewhere_can_be_measured(tmp_path):
    made = [row | {"new": "the same for all"} for row in rows({"ada": 8, "ben": 8})]
    sample = read(tmp_path, made, released=["new"])
    [outcome] = evaluate(sample, [Column("new")], QUICK).outcomes
    assert outcome.strongest.headline.value == pytest.approx(1 / 2)
    assert (outcome.draws, str(outcome.candidate)) == (1, "column new")
