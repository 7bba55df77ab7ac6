"""Drawing, charging, editing, and what may then be claimed."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allonym import cli
from allonym.anonymizers.base import Anonymizer
from allonym.errors import InputError, ParameterError
from allonym.privacy import accounting
from allonym.web import downloads, methods, reporting, rewriting
from allonym.web.changes import Change, compare, core, with_word
from allonym.web.desk import Desk
from tests.web.conftest import LETTER

TEXT = st.text(st.sampled_from("aAbc .,\n😀'"), max_size=60)


@settings(max_examples=150, deadline=None)
@given(TEXT, TEXT)
def test_stretches_give_both_texts_back(original, released):
    changes = compare(original, released)
    assert "".join(change.before for change in changes) == original
    assert "".join(change.after for change in changes) == released


def test_words_that_stay_are_found():
    changes = compare("The old bell by the shed rang.", "the old bells of the shed rang")
    assert [(change.before.strip(), change.after.strip()) for change in changes if not change.same] == [
        ("bell", "bells"),
        ("by", "of"),
    ]


def test_texts_of_very_different_length_are_compared():
    for original, released in (("a " * 3, "b " * 900), ("a " * 900, "b "), ("", "a b"), ("a b", "")):
        changes = compare(original, released)
        assert "".join(change.before for change in changes) == original
        assert "".join(change.after for change in changes) == released


def test_a_word_is_put_between_its_signs():
    assert with_word("(coffee), ", "tea") == "(tea), "
    assert with_word("-- ", "tea") == "tea "
    assert core("“forty-two,” ") == (1, 10)


@pytest.fixture
def desk() -> Desk:
    made = Desk()
    made.read(LETTER)
    return made


def test_the_badge_tells_the_truth(desk):
    first = desk.rewrite("meaning", 4)
    each = first.draw.guarantee.loss_per_word
    assert first.draw.guarantee.epsilon == accounting.total(each, first.draw.words)
    claimed = desk.badge
    assert claimed.state == "proved"
    assert "between any two documents with as many sentences" in claimed.detail
    assert "does not by itself rule out" in claimed.statement
    second = desk.rewrite("meaning", 4)
    again = desk.badge
    assert again.state == "rerolled"
    once, twice = (float(re.search(r"ε = ([\d,]+)", badge.proof)[1].replace(",", "")) for badge in (claimed, again))
    assert abs(twice - 2 * once) <= 2
    place = next(place for place, change in enumerate(second.draw.changes) if not change.same)
    for to, state in (("otherwise", "edited"), ("drawn", "rerolled"), ("original", "edited")):
        desk.edit(place, to)
        assert desk.badge.state == state
    assert desk.restore().text == second.draw.released
    assert desk.reject().text == LETTER
    assert desk.badge.proof == rewriting.EDITED


def test_a_draw_is_charged_before_it_is_seen(desk, monkeypatch):
    def failing(*_: object) -> None:
        raise InputError("no")

    monkeypatch.setattr(rewriting, "draw", failing)
    with pytest.raises(InputError):
        desk.rewrite("meaning", 2)
    assert len(desk.charges) == 1
    assert desk.draft is None


def test_the_price_shown_is_never_below_the_price_paid(desk):
    for protection, position in (("meaning", 0), ("meaning", 4), ("core", 0), ("core", 4), ("words", 4)):
        shown = rewriting.estimate(protection, position, LETTER)
        paid = rewriting.price(protection, position, LETTER)
        assert shown.words >= paid.words
        assert shown.promised.loss_per_word >= paid.promised.loss_per_word - 1e-9
        assert shown.promised.epsilon >= paid.promised.epsilon - 1e-6


def test_a_text_of_each_word_is_one_document(desk):
    drawn = desk.rewrite("words", 4).draw
    assert drawn.words == len(drawn.released.split())
    assert drawn.guarantee.unit == "document"
    assert "the number of words of each document" in drawn.guarantee.released_as_is
    assert len(drawn.changes) >= drawn.words


def test_what_cannot_be_rewritten_is_said():
    empty = Desk()
    with pytest.raises(InputError, match="no text"):
        empty.rewrite("meaning", 1)
    empty.read("word " * (methods.MOST_WORDS + 1))
    with pytest.raises(InputError, match="20,000"):
        empty.rewrite("meaning", 1)
    with pytest.raises(ParameterError, match="position"):
        methods.parameters("meaning", 9)
    with pytest.raises(InputError, match="no rewrite"):
        empty.drafted()


def test_every_card_has_a_slider_or_says_why_not():
    for card in methods.offered():
        assert card["problem"] or card["sliders"]
        for slider in card["sliders"]:
            if not slider["measured"]:  # a style that ships and that nobody has measured yet; the page says so
                assert not card["proved"]
                assert all(set(point) == {"label", "position", "level"} for point in slider["points"])
                continue
            attacks = [point["attack"]["value"] for point in slider["points"] if point["attack"]]
            if len(attacks) > 1:  # of positions that are not measured the page says so
                assert attacks[0] < attacks[-1] or not card["proved"]  # the neutral style hides alike at every point
                assert attacks[0] <= attacks[-1] <= slider["attack_before"]["value"] + 0.01
            positions = [point["position"] for point in slider["points"]]
            assert positions == list(range(positions[0], positions[0] + len(positions)))
        if card["proved"]:
            [slider] = card["sliders"]
            assert len(slider["points"]) == 5
            kept = [point["kept"] for point in slider["points"] if point["kept"] is not None]
            assert len(kept) < 2 or kept[0] < kept[-1]


def test_a_position_that_was_not_measured_is_said_not_to_be(monkeypatch):
    real = json.loads(json.dumps(methods.curves()["core"]))  # a copy
    reached = {"value": 0.5, "low": 0.4, "high": 0.6}
    for place, point in enumerate(real["points"]):
        point |= {"attack": reached, "kept": 0.6} if place == 2 else {"attack": None, "kept": None}
    monkeypatch.setattr(methods, "curves", lambda: {"core": real})
    [slider] = next(card for card in methods.offered() if card["name"] == "core")["sliders"]
    assert [point["attack"] for point in slider["points"]] == [None, None, reached, None, None]
    assert methods.stored("core", 0)[0] == real["points"][0]["loss_per_word"]
    assert "The ring marks your choice." in reporting.trade_off("core", 2).description
    assert "Your choice was not measured." in reporting.trade_off("core", 0).description
    real["points"][2] |= {"attack": None, "kept": None}
    assert reporting.trade_off("core", 2) is None


def test_stored_prices_are_those_of_the_methods():
    for name in ("core", "meaning", "words"):
        for position in (0, 4):
            promised = methods.anonymizer(name, position).guarantee()
            assert methods.stored(name, position) == (promised.loss_per_word, promised.words)


def test_a_style_change_says_what_it_cannot_do():
    style = next(card for card in methods.offered() if card["name"] == "style")
    if style["problem"]:
        pytest.skip("no model for a style change ships")
    for slider in (one for one in style["sliders"] if one["measured"]):
        assert "has learned from rewritten texts" in slider["warning"]
    for before, after, said in ((0.8, 0.9, "does harm"), (0.8, 0.81, "does not help"), (0.8, 0.5, "")):
        figures = [{"value": one, "low": one - 0.04, "high": one + 0.04} for one in (before, after)]
        told = methods.learned({"learned": dict(zip(("before", "after"), figures, strict=True))})
        assert said in told
        assert ("against such a one" in told) == bool(said)


def test_a_curve_of_another_model_is_said_to_be_one():
    core = methods.curves()["core"]
    assert methods.is_current({**core, "model": "erae-en", "weights": "0" * 64}) is False
    assert methods.is_current({**core, "model": "erae-xx"}) is False


def test_the_core_of_a_text_hides_its_length(desk):
    first = desk.rewrite("core", 3)
    assert first.draw.guarantee.unit == "document"
    assert first.draw.guarantee.released_as_is == ()
    desk.read(LETTER * 3)
    assert desk.rewrite("core", 3).draw.guarantee.epsilon == first.draw.guarantee.epsilon
    assert len(first.text.split()) < len(LETTER.split()) / 2
    gaps = [change for change in first.draw.changes if not change.after]
    assert all(
        after.after for after, before in zip(first.draw.changes[1:], first.draw.changes, strict=False) if before in gaps
    )


def test_what_was_spent_is_told(desk):
    assert desk.spent_in_words == ""
    desk.rewrite("core", 0)
    assert desk.spent_in_words.endswith("in 1 draw.")
    desk.rewrite("meaning", 4)
    assert desk.badge.state == "rerolled"
    desk.rewrite("core", 0)
    assert "their sum holds between any two documents with as many sentences" in desk.badge.detail
    total = Fraction(re.search(r"ε = ([\d,.]+),", desk.spent_in_words)[1].replace(",", ""))
    assert total >= sum(Fraction(charge.promised.epsilon) for charge in desk.charges)


def test_after_a_draw_without_proof_no_badge_forgets_it(desk, unproved):
    desk.rewrite("style", 0)
    assert desk.badge.state == "unproved"
    assert desk.spent_in_words == "Spent so far: no total can be given: 1 draw, without a proof."
    desk.rewrite("core", 0)
    claimed = desk.badge
    assert (claimed.state, claimed.proof) == ("mixed", rewriting.PROVED_ALONE)
    assert "Nothing is promised for all together: 2 draws, 1 of them without a proof." in claimed.detail
    assert "no total can be given: 2 releases, 1 of them without a proof" in reporting.build(desk).paragraph
    for make in (downloads.public_report, downloads.privacy, downloads.internal_report):
        assert rewriting.PROVED_ALONE in make(desk)[2].decode()
    desk.forget()
    desk.read(LETTER)
    desk.rewrite("core", 0)
    assert desk.badge.state == "proved"


def test_an_edited_text_that_may_be_known_is_remembered(desk):
    desk.rewrite("core", 4)
    desk.edit(0, "otherwise")
    desk.edit(0, "drawn")
    assert "edited by hand" not in desk.badge.detail  # nobody has seen it
    desk.edit(0, "otherwise")
    downloads.result(desk)
    desk.edit(0, "drawn")
    assert rewriting.ALSO_EDITED in desk.badge.detail
    desk.forget()
    desk.read(LETTER)
    desk.rewrite("core", 4)
    desk.edit(0, "otherwise")
    desk.rewrite("core", 4)  # the edited one was on the screen, and may have been copied
    assert rewriting.ALSO_EDITED in desk.badge.detail
    assert rewriting.ALSO_EDITED in reporting.build(desk).paragraph


class Fixed:
    """Gives one release whatever the text, as if every draw fell alike, and promises what a method does."""

    def __init__(self, real: Anonymizer, payload: object) -> None:
        self._real, self._payload = real, payload

    def guarantee(self):
        return self._real.guarantee()

    def words_drawn(self, text):
        return self._real.words_drawn(text)

    def release(self, texts):
        return replace(self._real.release(texts), payload=self._payload)


@pytest.mark.parametrize(
    ("draws", "edit"),
    [(["core"], None), (["core", "core"], None), (["core"], 0), (["style"], None), (["style", "core"], None)],
)
def test_two_originals_with_one_release_have_one_public_report(draws, edit, unproved, monkeypatch):
    """Non-interference: nothing that may be sent tells the original by another way than the release."""
    real = methods.anonymizer
    released = "people keep letters near water and rain all day. " * 12
    monkeypatch.setattr(methods, "anonymizer", lambda name, place: Fixed(real(name, place), [released]))
    originals = ["Rain fell.", LETTER, " ".join(f"word{number}" for number in range(700)), released]
    files = set()
    for original in originals:
        desk = Desk()
        desk.take_references([f"{original} again and again. " * 9], [])
        desk.read(original)
        for protection in draws:
            desk.rewrite(protection, 2)
        if edit is not None:
            desk.draft = replace(desk.draft, edits={edit: "x"}, draw=replace(desk.draft.draw, changes=CHANGED))
        makers = (downloads.result, downloads.public_report, downloads.privacy, downloads.command)
        files.add((*(make(desk)[2] for make in makers), reporting.build(desk).paragraph))
    assert len(files) == 1


CHANGED = (Change("a ", "b ", same=False),)


def test_the_public_report_holds_no_word_of_the_text(desk):
    text = LETTER + " " + " ".join(f"canary{number}xq" for number in range(1000))
    desk.read(text)
    desk.rewrite("meaning", 2)
    desk.edit(0, "canary1xq")
    for make in (downloads.public_report, downloads.privacy, downloads.command, downloads.curve):
        content = make(desk)[2].decode().lower()
        assert "canary" not in content
    internal = downloads.internal_report(desk)[2]
    assert internal.decode().count("canary") >= 1000
    assert "do not publish" in internal.decode().lower()
    assert desk.draft is not None
    assert downloads.result(desk)[2].decode() == desk.draft.text


def test_a_report_escapes_what_people_wrote(desk):
    desk.read("<script>alert(1)</script> & <img src=x onerror=alert(1)> " + LETTER)
    desk.rewrite("meaning", 4)
    desk.edit(0, "<b>bold</b>")
    page = downloads.internal_report(desk)[2].decode()
    assert "<script" not in page
    assert "<img" not in page
    assert "<b>" not in page
    assert "default-src 'none'" in page


@pytest.mark.parametrize("protection", ["core", "meaning"])
def test_pans_form_gives_both_texts_back(desk, protection):
    desk.rewrite(protection, 2)
    desk.edit(0, "otherwise")
    parts = json.loads(downloads.pan(desk)[2])
    assert "".join(part["original"] for part in parts) == LETTER
    assert "".join(part["obfuscation"] for part in parts) == desk.draft.text
    assert [part["obfuscation-id"] for part in parts] == list(range(1, len(parts) + 1))
    for part in parts:
        assert LETTER[part["original-start-charpos"] : part["original-end-charpos"]] == part["original"]
        assert len(part["original"].split()) <= 50


def test_counts_are_saved_as_a_table(desk, monkeypatch):
    from allonym.anonymizers.syntf import SynTF

    small = SynTF(epsilon=20.0, words=30, vocabulary=["water", "bell", "letter", "plot", "rain"])
    monkeypatch.setattr(methods, "anonymizer", lambda *_: small)
    draft = desk.rewrite("counts", 2)
    assert sum(count for _, count in draft.draw.terms) == 30
    name, _, content = downloads.result(desk)
    assert name.endswith(".csv")
    assert content.decode().splitlines()[0] == "word,count"
    assert desk.badge.state == "proved"
    assert "pan" not in [file["name"] for file in downloads.names(desk)]
    with pytest.raises(InputError, match="Counts"):
        downloads.pan(desk)
    assert draft.draw.changes == ()


def test_the_command_line_repeats_the_promise(desk, capsys):
    drawn = desk.rewrite("meaning", 1).draw
    line = reporting.build(desk).command.split()
    assert line[:3] == ["allonym", "anonymize", "YOUR.txt"]
    assert cli.run(["guarantee", *line[3:], "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    told = told.get("guarantee", told)
    assert told["loss_per_word"] == drawn.guarantee.loss_per_word


def test_forgetting_leaves_nothing(desk):
    desk.rewrite("meaning", 1)
    desk.forget()
    assert vars(desk) == vars(Desk())
