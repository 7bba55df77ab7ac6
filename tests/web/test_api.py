"""The JSON interface: it does what its description says, and never breaks."""

from __future__ import annotations

import time

import pytest

from allonym.web import api, letters, openapi, suggesting, table_pages
from tests.conftest import PATIENCE
from tests.web.conftest import LETTER, ORIGIN


def test_the_description_names_every_operation():
    described = openapi.description()["paths"]
    operations = [*api.OPERATIONS, *suggesting.OPERATIONS, *table_pages.OPERATIONS, *letters.OPERATIONS]
    assert operations == list(openapi.OPERATIONS)
    for operation in openapi.OPERATIONS:
        entry = described[f"{api.PREFIX}{operation.path}"][operation.method.lower()]
        assert entry["summary"] == operation.summary
        assert ("requestBody" in entry) == (operation.body is not None)


def test_a_sitting_from_the_first_word_to_the_last(client):
    assert client.get("/api/v1/desk").json()["text"] == ""
    assert client.get("/api/v1/draft").status_code == 409
    assert client.get("/save/result").status_code == 409
    assert "There is no rewrite" in client.get("/report").text
    read = client.post("/api/v1/read", json={"text": LETTER}).json()
    assert read["words"] == 225
    offered = client.get("/api/v1/methods").json()
    names = [card["name"] for card in offered["cards"]]
    assert names == ["ghostwriter", "style", "round-trip", "core", "meaning", "words", "counts"]
    usable = [card["name"] for card in offered["cards"] if not card["problem"]]
    assert offered["default"] == ("ghostwriter" if "ghostwriter" in usable else "core")  # it needs an extra
    assert offered["default_table"] == "counts"
    cost = client.post("/api/v1/price", json={"protection": "meaning", "position": 2}).json()
    assert "for the whole text" in cost["sentence"]
    assert client.get("/api/v1/desk").json()["draws"] == 0
    draft = client.post("/api/v1/rewrite", json={"protection": "meaning", "position": 2}).json()
    assert draft["badge"]["state"] == "proved"
    assert "".join(before for before, _, _ in draft["changes"]) == LETTER
    place = next(place for place, (_, after, same) in enumerate(draft["changes"]) if not same and after.strip())
    assert "words" in client.post("/api/v1/draft/words", json={"change": place}).json()
    edited = client.post("/api/v1/draft/edit", json={"change": place, "to": "word", "word": "otherwise"}).json()
    assert edited["badge"]["state"] == "edited"
    assert "otherwise" in client.get("/api/v1/draft").json()["text"]
    assert client.delete("/api/v1/draft").json()["badge"]["state"] == "proved"
    risk = client.get("/api/v1/draft/risk").json()
    assert risk["before"]["words"] == 225
    assert 0 < risk["same_writer"]["probability"] < 1
    gauges = {gauge["name"]: gauge["figure"] for gauge in read["gauges"]}
    assert {one["name"]: one["before"] for one in risk["changed"]} == gauges
    assert list(gauges) == ["rarity", "company"]
    report = client.get("/report")
    assert report.status_code == 200
    assert "<svg" in report.text
    assert "<style" not in report.text
    for name in ("result", "privacy", "public", "internal", "command", "curve"):
        saved = client.get(f"/save/{name}")
        assert saved.status_code == 200
        assert saved.headers["content-disposition"].startswith("attachment; filename=")
    assert client.delete("/api/v1/desk").json() == {"forgotten": True}
    assert client.get("/api/v1/desk").json()["text"] == ""


def test_attackers_are_trained_on_other_texts(client):
    verse = "Whilst the harbour slept; the gulls, upon the wall, were quarrelling; and so was I. "
    other = "Gonna grab a coffee!! Then the gym... cant wait, its gonna be sooo good, you know? "
    client.post("/api/v1/read", json={"text": verse * 10})
    given = {"mine": [verse * 30, verse * 20], "others": [{"author": "<b>x</b>", "text": other * 40}]}
    state = client.post("/api/v1/references", json=given).json()
    assert state["state"] == "training"
    ends = time.monotonic() + PATIENCE
    while state["state"] == "training" and time.monotonic() < ends:
        time.sleep(0.1)
        state = client.get("/api/v1/references").json()
    assert state["state"] == "ready", state["problem"]
    assert state["writers"] == 2
    found = client.post("/api/v1/read", json={"text": verse * 10}).json()
    assert found["basis"] == "known"
    assert len(found["attackers"]) == 4 + 2  # and what the other texts say among bloggers
    assert client.delete("/api/v1/references").json()["state"] == "none"


def test_references_that_cannot_be_used_are_refused(client):
    alone = {"mine": [], "others": [{"author": "anna", "text": "Some words."}]}
    assert client.post("/api/v1/references", json=alone).status_code == 409
    named = {"mine": ["Mine."], "others": [{"author": "You", "text": "Some words."}]}
    answer = client.post("/api/v1/references", json=named)
    assert answer.status_code == 409
    assert set(answer.json()["error"]) == {"happened", "kept", "next"}


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"{}", b'{"text": 1}', b'{"text": null}', b'{"text": "a", "more": 1}', b"[" * 50_000, b"\xff", b"NaN"],
)
def test_nonsense_is_refused_in_words(client, body):
    answer = client.post("/api/v1/read", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert answer.json()["error"]["happened"].endswith(".")


def test_lone_surrogates_and_signs_of_all_kinds_are_read(client):
    for text in ('{"text": "\\ud800 alone"}', '{"text": "\\u0000 \\u202e 😀"}'):
        headers = {"content-type": "application/json"}
        assert client.post("/api/v1/read", content=text.encode(), headers=headers).status_code == 200
        assert client.get("/api/v1/desk").status_code == 200


def test_schemathesis_finds_no_server_error(page, benchmark_script):
    pytest.importorskip("schemathesis", reason="schemathesis is not installed")
    fuzz = benchmark_script("page_fuzz")
    with fuzz.one_position():
        statuses, _ = fuzz.fuzz(page.app, page.access, 6, ORIGIN)  # benchmarks/page_fuzz.py sends 1,000
    assert statuses.total() >= 100
    assert max(statuses) < 500
    assert page.complaints == []
