"""Guided rewriting: changes that lower the risk, looked at, taken and taken back, in the interface and in a browser."""

from __future__ import annotations

import json

import pytest

from allonym.anonymizers.ghostwriter import versions
from allonym.errors import MissingDependencyError
from allonym.recognition import suggestions
from allonym.web import suggesting
from tests.web.conftest import LETTER
from tests.web.payloads import KINDS, variants
from tests.web.test_browser import SLOW, until, write


def _best(tab) -> None:
    tab.wait_for_selector("#best:not([hidden])", timeout=SLOW)


def _text(tab) -> str:
    return tab.evaluate("document.getElementById('text').value")


def test_each_change_that_is_offered_lowers_the_figure_of_the_screen(client):
    found = client.post("/api/v1/suggestions", json={"text": LETTER}).json()
    assert found["suggestions"]
    assert found["risk"] == client.post("/api/v1/read", json={"text": LETTER}).json()["risk"]
    assert found["measured"] == found["candidates"] >= len(found["suggestions"])
    for one in found["suggestions"]:
        changed = LETTER[: one["start"]] + one["new"] + LETTER[one["stop"] :]
        assert client.post("/api/v1/read", json={"text": changed}).json()["risk"] == one["after"] <= one["before"]
    ordered = [one["after"] for one in found["suggestions"]]
    assert ordered == sorted(ordered)


def test_one_place_is_asked_about(client):
    place = LETTER.index("neighbour")
    given = {"text": LETTER, "start": place, "stop": place + 3}
    found = client.post("/api/v1/suggestions", json=given).json()
    assert [one["new"] for one in found["suggestions"]] == ["neighbor"]
    assert client.post("/api/v1/suggestions", json={**given, "stop": len(LETTER) + 1}).status_code == 422
    assert client.post("/api/v1/suggestions", json={"text": LETTER, "start": 1}).status_code == 422
    assert client.post("/api/v1/suggestions", json={"text": ""}).json()["suggestions"] == []
    asked = client.post("/api/v1/suggestions/sentence", json={"text": "", "start": 0}).json()
    assert asked["versions"] == []
    assert client.post("/api/v1/suggestions/sentence", json={"text": "Hi.", "start": 9}).status_code == 422


def test_a_sentence_is_rewritten_and_measured(client, monkeypatch):
    start = LETTER.index("Fine;")
    plainer = "It's fine, and meters break."
    monkeypatch.setattr(versions, "of", lambda sentence: [plainer, sentence])
    asked = client.post("/api/v1/suggestions/sentence", json={"text": LETTER, "start": start + 3}).json()
    assert LETTER[asked["start"] : asked["stop"]] == "Fine; meters break."
    assert [one["new"] for one in asked["versions"]] == [plainer]
    assert asked["versions"][0]["after"] <= asked["versions"][0]["before"]
    assert asked["missing"] == ""


def test_without_the_networks_it_says_what_to_install(client, monkeypatch):
    def missing(_):
        raise MissingDependencyError("Run `pip install 'allonym[translate]'`.")

    monkeypatch.setattr(versions, "of", missing)
    asked = client.post("/api/v1/suggestions/sentence", json={"text": LETTER, "start": 300}).json()
    assert "allonym[translate]" in asked["missing"]
    assert asked["versions"] == []


@pytest.mark.parametrize("payload", [*KINDS[:8], "\x00", "\ud800", "😀" * 50, "a" * 5_000, ". " * 2_000])
def test_odd_texts_are_answered(client, payload):
    for text in (f"{payload} {LETTER}", payload):
        sent = json.dumps({"text": text})  # in ASCII: half of a pair cannot be sent otherwise
        found = client.post("/api/v1/suggestions", content=sent, headers={"content-type": "application/json"})
        assert found.status_code == 200


def test_forgetting_drops_what_was_remembered_of_sentences(client):
    client.post("/api/v1/suggestions", json={"text": LETTER})
    assert suggestions.fitting._findings.cache_info().currsize
    client.delete("/api/v1/desk")
    assert not suggestions.fitting._findings.cache_info().currsize


def test_a_change_is_looked_at_taken_and_taken_back(visit):
    tab, _ = visit
    tab.click("#example")
    _best(tab)
    before = _text(tab)
    tab.click("#best")
    tab.wait_for_selector("#marked ins.looked")
    assert _text(tab) == before
    assert tab.inner_text("#marked del.looked") == "neighbour"
    assert "%" in tab.inner_text("#inspector .choices button >> nth=0")
    tab.click("#inspector .choices button >> nth=0")
    after = before.replace("neighbour", "neighbor", 1)
    until(tab, "document.querySelector('#marked ins.looked') === null")
    assert _text(tab) == after
    _best(tab)
    tab.click("#undo")
    assert _text(tab) == before
    assert tab.is_disabled("#undo")
    tab.click("#redo")
    assert _text(tab) == after
    _best(tab)
    tab.click("#best")
    tab.wait_for_selector("#marked ins.looked")
    tab.click("#inspector .close")
    until(tab, "document.querySelector('#marked ins.looked') === null")
    assert _text(tab) == after


def test_by_keys_alone_there_and_back(visit):
    tab, _ = visit
    keys = tab.keyboard
    write(tab, LETTER)
    _best(tab)
    tab.focus("#best")
    keys.press("Enter")
    tab.wait_for_selector("#marked ins.looked")
    until(tab, "document.activeElement.closest('.choices') !== null")
    keys.press("Enter")
    after = LETTER.replace("neighbour", "neighbor", 1)
    assert _text(tab) == after
    until(tab, "document.activeElement.id === 'marked'")
    keys.press("Control+z")
    assert _text(tab) == LETTER
    keys.press("Control+Shift+z")
    assert _text(tab) == after
    keys.press("Control+y")
    assert _text(tab) == after
    _best(tab)
    tab.focus("#best")
    keys.press("Enter")
    tab.wait_for_selector("#marked ins.looked")
    keys.press("Escape")
    until(tab, "document.querySelector('#marked ins.looked') === null")
    assert tab.evaluate("document.activeElement.id") == "best"
    assert _text(tab) == after


def test_what_was_typed_since_is_not_lost(visit):
    tab, _ = visit
    write(tab, LETTER)
    _best(tab)
    tab.click("#best")
    tab.click("#inspector .choices button >> nth=0")
    tab.click("#to-write")
    typed = _text(tab) + " And one more thing."
    tab.fill("#text", typed)
    tab.click("#undo")
    assert _text(tab) == LETTER
    tab.click("#redo")
    assert _text(tab) == typed


def test_three_versions_of_a_sentence(visit, monkeypatch):
    tab, _ = visit
    written = ["It's fine, and meters break.", "That's fine, meters break.", "Fine, meters break."]
    monkeypatch.setattr(versions, "of", lambda _: written)
    tab.click("#example")
    _best(tab)
    before = _text(tab)
    tab.click("#marked .mark.punctuation")
    tab.click("#inspector button:has-text('Rewrite this sentence')")
    until(tab, "document.querySelectorAll('#inspector .choices button').length > 0")
    label = tab.inner_text("#inspector .choices button >> nth=0 >> span")
    assert label in written
    tab.click("#inspector .choices button >> nth=0")
    tab.wait_for_selector("#marked ins.looked")
    tab.click("#inspector .choices button >> nth=0")
    assert _text(tab) == before.replace("Fine; meters break.", label)


def test_hostile_texts_and_versions_stay_texts(visit, monkeypatch):
    tab, _ = visit
    hostile = "\n".join(variants(60)) + "\n" + LETTER
    monkeypatch.setattr(versions, "of", lambda _: list(KINDS[:3]))
    monkeypatch.setattr(suggesting.suggestions, "versions", _as_they_are)
    write(tab, hostile)
    _best(tab)
    tab.click("#best")
    tab.wait_for_selector("#marked ins.looked")
    tab.click("#inspector button:has-text('Rewrite this sentence')")
    until(tab, "document.querySelectorAll('#inspector .choices button').length === 3")
    tab.click("#inspector .choices button >> nth=1")
    tab.wait_for_selector("#marked ins.looked")
    assert tab.evaluate("document.querySelector('#marked ins.looked').textContent") == KINDS[1]
    tab.click("#inspector .choices button >> nth=1")
    assert KINDS[1] in _text(tab)
    assert tab.locator("main script, main img, main iframe, main svg").count() == 0


def _as_they_are(text, place, written, measure):
    return [suggestions.Suggestion(*place, new, "wording", "the sentence rewritten", 0.5, 0.4) for new in written]


@pytest.mark.parametrize("width", [320, 375, 1280])
def test_nothing_is_cut_off(visit, width):
    tab, _ = visit
    tab.set_viewport_size({"width": width, "height": 800})
    tab.click("#example")
    _best(tab)
    tab.click("#best")
    tab.wait_for_selector("#marked ins.looked")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    panel = tab.evaluate("document.getElementById('inspector').getBoundingClientRect().toJSON()")
    assert panel["left"] >= 0
    assert panel["right"] <= width
