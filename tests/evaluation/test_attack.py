"""The attack loop: what attackers learn from decides what they reach, and no test document chooses the strongest."""

from __future__ import annotations

import pytest

from allonym.attackers.floors import Majority
from allonym.attackers.linear import WordNGramSVM
from allonym.errors import InputError
from allonym.evaluation.attack import ENSEMBLE, Attack, Attacked, Attackers
from allonym.evaluation.knowledge import Knowledge
from allonym.metrics.figures import Figure

TEA, COFFEE = "tea, please", "no coffee!"
KNOWN, AUTHORS = [TEA] * 10 + [COFFEE] * 9, ["anna"] * 10 + ["boris"] * 9
SWAPPED = [COFFEE] * 10 + [TEA] * 9  # what a method makes of them: each writes like the other
TEST, TRUTH = [TEA, COFFEE], ["anna", "boris"]
EVERYTHING = range(len(KNOWN))


@pytest.fixture(scope="module")
def attacked():
    panel = Attackers([Majority(), WordNGramSVM()], Knowledge(KNOWN, AUTHORS, EVERYTHING), TEST, TRUTH)
    return panel.on_releases(Knowledge(KNOWN, AUTHORS, EVERYTHING, [SWAPPED]), [[COFFEE, TEA]])


def reached(found: Attacked, attacker: str, setting: str) -> float:
    [attack] = [each for each in found.attacks if (each.attacker, each.setting) == (attacker, setting)]
    return attack.headline.value


def test_a_static_attacker_is_fooled_where_an_adaptive_one_is_not(attacked):
    assert reached(attacked, "words-svm", "static") == 0.0
    assert reached(attacked, "words-svm", "adaptive") == 1.0


def test_originals_alone_are_attacked_without_a_release():
    found = Attackers([WordNGramSVM()], Knowledge(KNOWN, AUTHORS, EVERYTHING), TEST, TRUTH).on_originals
    assert reached(found, "words-svm", "original") == 1.0
    with pytest.raises(InputError, match="Nobody attacked"):
        found.strongest("adaptive")


def test_the_strongest_knows_the_method(attacked):
    assert attacked.strongest().headline.value == 1.0
    assert attacked.strongest("static").attacker == "majority"  # of those who never saw a release


def attack(attacker: str, validated: float, value: float) -> Attack:
    return Attack(attacker, "informed", validated, {"accuracy": Figure(value, value, value)}, ())


def test_the_strongest_is_the_ensemble_unless_one_alone_is_clearly_better_on_what_was_set_aside():
    near = Attacked((attack(ENSEMBLE, 0.50, 0.4), attack("a", 0.54, 0.9)), set_aside=100)
    assert near.strongest().attacker == ENSEMBLE  # one standard error is 0.05; what the test documents say is no matter
    clear = Attacked((attack(ENSEMBLE, 0.50, 0.9), attack("a", 0.56, 0.4)), set_aside=100)
    assert clear.strongest().attacker == "a"
    many = Attacked((attack(ENSEMBLE, 0.50, 0.4), attack("a", 0.54, 0.9)), set_aside=1000)
    assert many.strongest().attacker == "a"


def test_every_attacker_learns_in_every_way_and_none_keeps_what_it_learned(attacked):
    steps: list[int] = []
    majority, words = Majority(), WordNGramSVM()
    found = Attackers([majority, words], Knowledge(KNOWN, AUTHORS, EVERYTHING), TEST, TRUTH, lambda: steps.append(1))
    again = found.on_releases(Knowledge(KNOWN, AUTHORS, EVERYTHING, [SWAPPED]), [[COFFEE, TEA]])
    assert len(steps) == 6
    assert again == attacked
    assert not any(hasattr(attacker, "classes_") for attacker in (majority, words))


def test_what_does_not_fit_together_is_refused():
    with pytest.raises(InputError, match="differ in number"):
        Knowledge(KNOWN[:-1], AUTHORS, EVERYTHING)
    with pytest.raises(InputError, match="differ in number"):
        Attackers([Majority()], Knowledge(KNOWN, AUTHORS, EVERYTHING), TEST, TRUTH[:-1])
    with pytest.raises(InputError, match="no test text"):
        Attackers([Majority()], Knowledge(KNOWN, AUTHORS, EVERYTHING), [], [])
