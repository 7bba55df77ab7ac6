"""Levels of protection: the rule of docs/page.md, at its limits, and that every setting of the page has one."""

from __future__ import annotations

import math

import pytest

from allonym.privacy.statement import number
from allonym.web import levels, methods
from allonym.web.desk import Desk
from tests.web.conftest import LETTER

BEFORE = {"value": 0.9, "low": 0.85, "high": 0.95}


def curve(high: float | None, *, names: str = "writer", **more) -> dict:
    attack = None if high is None else {"value": high - 0.05, "low": high - 0.1, "high": high}
    return {"names": names, "chance": 0.1, "attack_before": BEFORE, "points": [{"attack": attack}], **more}


def found(high: float | None, *, proved: bool = True, total: float | None = None, **more) -> levels.Level:
    edited = more.pop("edited", False)
    return levels.level(curve(high, **more), 0, proved=proved, total=total, edited=edited)


# Attackers had 0.8 over guessing: a quarter of it is left at 0.3, two thirds at 0.6333….
@pytest.mark.parametrize(
    ("high", "name"), [(0.1, "strong"), (0.2999, "strong"), (0.3001, "partial"), (0.6333, "partial"), (0.634, "weak")]
)
def test_the_worse_end_of_what_was_measured_decides(high, name):
    assert found(high).name == name
    assert f"up to {math.ceil(100 * high)} of 100 texts" in found(high).reason


def test_without_a_proof_nothing_is_called_strong():
    assert found(0.1, proved=False).name == "partial"
    assert "without a proof no protection is called strong" in found(0.1, proved=False).reason
    assert found(0.9, proved=False).name == "weak"


def test_a_large_loss_earns_nothing():
    for total in (None, 4.0, 37.0, 4606.0, 1e300):
        assert found(0.9, total=total).name == "weak"
        assert levels.level(None, 0, proved=True, total=total).name == "weak"
    assert "not measured" in levels.level(None, 0, proved=True, total=4606.0).reason
    assert "not measured" in found(None).reason


def test_a_small_proved_loss_counts_for_itself_and_without_a_proof_for_nothing():
    assert found(0.9, total=1.0).name == "strong"
    assert found(None, total=1.0).name == "strong"
    limits = [found(0.9, total=total).name for total in (1.4, 1.5, 3.0, 3.1)]  # as docs/page.md has them
    assert limits == ["strong", "partial", "partial", "weak"]
    assert "It is proved" in found(0.9, total=2.0).reason
    assert "In tests" in found(0.2, total=2.0).reason  # what rules out more is said
    assert found(0.9, total=1.0, proved=False).name == "weak"


@pytest.mark.parametrize("total", [0.0, 0.3, 1.0, 2.5, 8.0])
def test_the_ceiling_is_what_the_best_attacker_reaches(total):
    """An attacker who knows all: one answer is e^ε times as likely for the right one of ten as for each other."""
    weights = [math.exp(total), *[1.0] * (levels.PEOPLE - 1)]
    assert levels.ceiling_of(total) == pytest.approx(weights[0] / sum(weights))
    assert levels.ceiling_of(0.0) == 1 / levels.PEOPLE


def test_attackers_who_learned_count_too():
    learned = {"before": {"value": 0.8}, "after": {"value": 0.9, "high": 0.97}}
    level = found(0.1, proved=False, names="group", learned=learned)
    assert level.name == "weak"
    assert "at least as well as before" in level.reason


def test_what_was_edited_is_weak_whatever_was_measured_or_proved():
    assert found(0.1, total=0.1, edited=True) == levels.Level("weak", levels.EDITED)


def test_what_is_kept_is_said_by_thirds_above_what_unrelated_texts_share():
    said = [levels.kept_in_words(kept, 0.2, "the wording") for kept in (-0.1, 0.2, 0.21, 0.46, 0.47, 0.73, 0.74, 1.0)]
    shares = ["almost nothing", "almost nothing", "little", "little", "about half", "about half", "most", "most"]
    assert said == [f"{share} of the wording" for share in shares]
    assert methods.meaning_in_words(0.61) == "the gist of the meaning"


def test_every_setting_has_a_level_and_no_setting_a_number_with_a_name():
    for card in methods.offered():
        for slider in card["sliders"]:
            for point in slider["points"]:
                assert point["level"]["name"] in ("strong", "partial", "weak")
                said = " ".join((point["level"]["title"], point["level"]["reason"], point.get("keeps", "")))
                assert not any(word in said for word in ("ε", "F1", "METEOR", "cosine", "SVM", "%"))


def test_a_curve_of_another_model_gives_no_level(monkeypatch):
    before = methods.level("core", 0, total=None)
    assert before.name == "partial"
    monkeypatch.setattr(methods, "is_current", lambda measured: False)
    assert methods.level("core", 0, total=None).name == "weak"


def test_a_draft_has_the_level_of_its_setting_until_it_is_edited():
    desk = Desk()
    desk.read(LETTER)
    desk.rewrite("core", 0)
    first = desk.badge
    assert first.level == methods.level("core", 0, total=float(desk.spent.document))
    assert number(desk.spent.document) in first.proof
    assert "ε" not in first.level.reason
    desk.edit(0, "otherwise")
    assert desk.badge.level == levels.Level("weak", levels.EDITED)
    desk.restore()
    assert desk.badge == first
    desk.rewrite("core", 0)
    assert desk.badge.level.name == first.level.name
    assert desk.badge.level.reason.endswith(levels.SEVERAL)
