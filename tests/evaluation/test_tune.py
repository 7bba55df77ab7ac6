"""A setting is chosen on some authors, by the worse ends, and verified once on others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from allonym.anonymizers.identity import Identity
from allonym.anonymizers.syntf import SynTF
from allonym.attackers.floors import Majority
from allonym.attackers.linear import WordNGramSVM
from allonym.errors import InputError, ParameterError
from allonym.evaluation.candidates import Method
from allonym.evaluation.evaluate import evaluate
from allonym.evaluation.tune import Targets, halves, tune
from allonym.metrics.figures import Figure
from tests.evaluation.habits import WORDS, read, rows

COUNTS = {"ada": 16, "ben": 12, "cleo": 14, "dora": 12}
SETTINGS = [Method(SynTF(vocabulary=WORDS, words=words, epsilon=epsilon)) for words, epsilon in ((4, 1.0), (12, 40.0))]


@pytest.fixture
def sample(tmp_path):
    return read(tmp_path, rows(COUNTS), label="topic")


def measured(sample, candidates):
    return evaluate(sample, candidates, [WordNGramSVM(), Majority()], draws=2, seed=3)


def test_authors_serve_to_choose_or_to_verify(sample):
    choosing, verifying = halves(sample)
    assert set(choosing.authors) == {"ada", "ben"}  # every second one, by how many documents each has
    assert set(verifying.authors) == {"cleo", "dora"}
    assert len(choosing.texts) + len(verifying.texts) == len(sample.texts)
    assert choosing.rows == [
        row for row, author in zip(sample.rows, sample.authors, strict=True) if author in "ada ben"
    ]
    with pytest.raises(InputError, match="4 authors at least"):
        halves(choosing)


def test_only_the_chosen_setting_meets_the_other_authors(sample):
    calls = []

    def evaluating(part, candidates):
        calls.append((set(part.authors), len(candidates)))
        return measured(part, candidates)

    tuned = tune(sample, SETTINGS, Targets(attack=1.0), evaluating)
    assert calls == [({"ada", "ben"}, 2), ({"cleo", "dora"}, 1)]
    assert (tuned.fitted, tuned.held) == (True, True)
    assert tuned.chosen.candidate is SETTINGS[1]  # with every attack allowed, what keeps most use
    record = tuned.to_json()
    assert record["chosen_on"]["authors"] == record["verified_on"]["authors"] == 2
    assert [each["name"] for each in record["tried"]] == [str(setting) for setting in SETTINGS]


def test_a_loss_is_checked_before_anything_is_drawn(sample):
    losses = [setting.guarantee(1, None).epsilon for setting in SETTINGS]
    assert losses[0] < losses[1]
    tuned = tune(sample, SETTINGS, Targets(loss=losses[0]), measured)
    assert (tuned.chosen.candidate, tuned.left_out) == (SETTINGS[0], 1)
    with pytest.raises(ParameterError, match="No setting has a proved loss"):
        tune(sample, SETTINGS, Targets(loss=losses[0] / 2), measured)
    with pytest.raises(ParameterError, match="No setting"):
        tune(sample, [Method(Identity())], Targets(attack=1.0), measured)  # a baseline is never chosen


def outcome(base, attack, use):
    strongest = replace(base.strongest, figures={"accuracy": Figure(*attack)})
    return replace(base, attacked=replace(base.attacked, attacks=(strongest,)), use={"topic": Figure(*use)})


def test_targets_count_by_the_worse_end(sample):
    evaluation = measured(sample, SETTINGS[:1])
    [base] = evaluation.outcomes
    hiding = outcome(base, (0.2, 0.1, 0.3), (0.5, 0.4, 0.6))
    keeping = outcome(base, (0.28, 0.2, 0.36), (0.8, 0.7, 0.9))
    both = replace(evaluation, outcomes=(hiding, keeping))
    assert Targets(attack=0.36).best(both) == (1, True)  # most use of those that fit
    assert Targets(attack=0.30).best(both) == (0, True)  # the value of the other would fit, its upper end does not
    assert Targets(attack=0.05).best(both) == (0, False)  # the nearest, said to miss
    assert Targets(meaning=0.40).best(both) == (0, True)  # hides most of those that keep enough
    assert Targets(meaning=0.65).best(both) == (1, True)
    assert Targets(meaning=0.95).best(both) == (1, False)


@pytest.mark.parametrize("targets", [{}, {"attack": 2.0}, {"attack": float("nan")}, {"loss": -1.0}, {"meaning": 1.5}])
def test_targets_that_make_no_sense_are_refused(targets):
    with pytest.raises(ParameterError, match="arget"):
        Targets(**targets)
