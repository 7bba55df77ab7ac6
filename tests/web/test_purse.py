"""What is drawn on the page is charged to a ledger, as on the command line; caps refuse before anything is drawn."""

from __future__ import annotations

from fractions import Fraction

import pytest
from starlette.testclient import TestClient

from allonym import cli
from allonym.budget.account import Caps, worded
from allonym.budget.ledger import Ledger
from allonym.errors import BudgetError, InputError
from allonym.jobs import forecast
from allonym.privacy.accounting import rounded_up
from allonym.privacy.statement import number
from allonym.web import arrival, guard, methods, rewriting, server
from allonym.web.desk import Desk
from allonym.web.purse import Purse
from allonym.web.table import TableChoice, UploadedTable
from tests.web.conftest import LETTER, ORIGIN, PORT

CORE = {"protection": "core", "position": 0}


@pytest.fixture
def purse(tmp_path) -> Purse:
    return Purse(tmp_path / "budget.sqlite", "letters")


def desk_with(purse: Purse) -> Desk:
    made = Desk(purse=purse)
    made.read(LETTER)
    return made


def totals(purse: Purse):
    with Ledger(purse.path, create=False) as ledger:
        return ledger.totals(purse.dataset)[0]


def test_a_draw_is_charged_and_told(purse):
    desk = desk_with(purse)
    _, foreseen = desk.price("core", 0)
    assert foreseen.startswith("Then spent on 'letters': at most ε = ")
    assert not purse.path.exists()  # looking at the price leaves no file
    first = desk.rewrite("core", 0)
    assert rounded_up(totals(purse).document) == first.draw.guarantee.epsilon
    assert "Spent on 'letters' so far: at most ε = " in desk.ledger
    desk.rewrite("core", 0)
    assert totals(purse).document == totals(purse).author
    assert rounded_up(totals(purse).document) == 2 * first.draw.guarantee.epsilon
    desk.forget()
    assert totals(purse).releases == 2  # forgetting gives nothing back


def test_a_cap_refuses_before_anything_is_drawn(purse, monkeypatch):
    one = methods.anonymizer("core", 0).guarantee().epsilon
    desk = desk_with(Purse(purse.path, purse.dataset, Caps.of(document=1.5 * one)))
    desk.rewrite("core", 0)
    before = totals(purse)
    _, foreseen = desk.price("core", 0)
    assert foreseen.startswith("The ledger will refuse it:")
    monkeypatch.setattr(rewriting, "draw", lambda *_: pytest.fail("something was drawn"))
    with pytest.raises(BudgetError, match="above the cap"):
        desk.rewrite("core", 0)
    assert totals(purse) == before
    assert len(desk.charges) == 1
    assert desk.drafts == 1


def test_the_page_and_the_ledger_have_one_total_for_the_same_draws(purse):
    """The page once said 642.2 where the ledger said at most 478.9."""
    desk, alone = desk_with(purse), Desk()
    alone.read(LETTER)
    for protection, position in (("core", 0), ("meaning", 4), ("words", 4)):
        draft = desk.rewrite(protection, position)
        alone.rewrite(protection, position)
        found = totals(purse)
        assert found.document == alone.spent.document == desk.spent.document
        assert found.document >= sum(Fraction(charge.promised.epsilon) for charge in desk.charges)
        shown = number(found.document)
        assert draft is desk.draft
        for said in (desk.badge.proof, desk.ledger, alone.spent_in_words, alone.badge.proof):
            assert f"ε = {shown}" in said
        assert desk.spent_in_words == ""  # the ledger says it
    assert "between any two documents of as many words and any two documents with as many" in alone.spent_in_words
    assert alone.spent_in_words.removeprefix("Spent so far: at most ε = ").startswith(shown)


def test_after_a_draw_without_proof_there_is_no_total_anywhere(purse, unproved):
    desk = desk_with(purse)
    desk.rewrite("core", 0)
    desk.rewrite("style", 0)
    desk.rewrite("core", 0)
    assert totals(purse).document is None
    assert worded(totals(purse)) == "no total can be given: 3 releases, 1 of them without a proof."
    for said in (desk.badge.proof, desk.ledger):
        assert "ε =" not in said


def test_what_is_not_about_any_two_documents_is_refused_under_a_cap(purse):
    desk = desk_with(purse)
    desk.rewrite("meaning", 4)
    assert totals(purse).between == ("any two documents with as many sentences of the same lengths",)
    with Ledger(purse.path) as ledger:
        ledger.cap(purse.dataset, Caps.of(document=10_000.0))
    for protection in ("meaning", "core"):
        with pytest.raises(BudgetError, match="no total for any two documents"):
            desk.rewrite(protection, 4)


def test_the_page_charges_what_the_command_line_charges(purse, tmp_path, capsys):
    desk_with(purse).rewrite("core", 0)
    page = totals(purse)
    text = tmp_path / "letter.txt"
    text.write_text(LETTER, encoding="utf-8")
    line = methods.command("core", 0, str(text)).split()[1:]
    assert cli.run([*line, "--budget-db", str(purse.path), "--dataset", purse.dataset]) == 0
    both = totals(purse)
    assert (both.document, both.author, both.releases) == (2 * page.document, 2 * page.author, 2)


def test_a_refusal_is_an_answer(purse):
    access = guard.Access(PORT)
    app = server.build(access, PORT, purse=Purse(purse.path, purse.dataset, Caps.of(document=1.0)))
    with TestClient(app, base_url=ORIGIN, headers={"origin": ORIGIN}) as client:
        client.post("/open", json={"token": access.token})
        assert "in budget.sqlite, as “letters”" in client.get("/read").text
        client.post("/api/v1/read", json={"text": LETTER})
        assert "will refuse it" in client.post("/api/v1/price", json=CORE).json()["ledger"]
        answer = client.post("/api/v1/rewrite", json=CORE)
        assert answer.status_code == 409
        assert "above the cap" in answer.json()["error"]["happened"]
        assert "nothing was drawn" in answer.json()["error"]["next"].lower()
        assert client.get("/api/v1/desk").json()["spent"] == ""


def quoted(table, choice, purse):
    table.ask(choice)
    table.look(choice, purse)
    return table.quote


def test_a_table_is_charged_once_however_often_it_is_resumed(purse, monkeypatch):
    monkeypatch.setattr(forecast, "pace", lambda job: None)  # how many rows are done at once must not follow the speed
    rows = "\n".join(f'"{LETTER[:40]} {number}",writer {number % 2}' for number in range(250))
    table = UploadedTable(arrival.read("t.csv", f"text,who\n{rows}\n".encode()))
    choice = TableChoice("text", "who", [], "core", 0)
    priced = quoted(table, choice, purse)
    assert "for each of 250 documents" in priced["sentence"]
    assert "Then spent on" in priced["ledger"]
    table.start(choice, purse)
    table.stop()
    table.work(resume=False)
    assert table.state == "stopped"
    charged = totals(purse)
    assert charged.releases == 1
    table.go_on()
    table.work(resume=True)
    assert table.state == "done", table.problem
    assert totals(purse) == charged
    assert table.ledger.endswith("in 1 release.")
    assert "--dataset letters" in table.command
    strict = Purse(purse.path, purse.dataset, Caps.of(author=1.0))
    with pytest.raises(BudgetError):
        table.start(choice, strict)
    assert table.state == "done"
    assert quoted(table, choice, strict)["ledger"].startswith("The ledger will refuse it")
    table.close()


def test_a_ledger_that_cannot_be_used_is_said(tmp_path, capsys):
    (tmp_path / "text").write_text("no ledger", encoding="utf-8")
    for path in (tmp_path / "text", tmp_path / "no" / "ledger"):
        with pytest.raises(InputError, match="--budget-db"):
            Purse(path, "letters").check()
    folder = Purse(tmp_path / "gone" / "ledger", "letters")
    with pytest.raises(InputError):
        desk_with(folder).rewrite("core", 0)
    assert Purse(tmp_path / "new", "letters").balance().endswith("Nothing is spent on 'letters' so far.")
    for words, said in (
        (["--dataset", "x"], "--budget-db"),
        (["--cap-document", "1"], "--budget-db"),
        (["--budget-db", str(tmp_path / "new")], "--dataset"),
        (["--budget-db", str(tmp_path / "text"), "--dataset", "x"], "cannot be opened"),
    ):
        assert cli.run(["serve", "--no-browser", *words]) == cli.BAD_USE
        assert said in capsys.readouterr().err


def test_two_sittings_share_a_cap(purse):
    one = methods.anonymizer("core", 0).guarantee().epsilon
    capped = Purse(purse.path, purse.dataset, Caps.of(document=2.5 * one))
    first, second = desk_with(capped), desk_with(capped)
    first.rewrite("core", 0)
    second.rewrite("core", 0)

    with pytest.raises(BudgetError):
        first.rewrite("core", 0)
