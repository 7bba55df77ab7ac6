"""`--budget-db` and `allonym budget`: what is spent is charged first, shown, and refused above a cap."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from allonym import randomness
from allonym.budget.ledger import Ledger
from allonym.privacy.statement import number

ROWS = [
    {"key": f"zyxqk{i}", "who": f"zyxq{'ab'[i % 2]}", "text": f"People write about work and time, number {i}."}
    for i in range(6)
]


@pytest.fixture
def table(tmp_path, write_table) -> Path:
    return write_table(tmp_path / "in.csv", ROWS)


@pytest.fixture
def line(table, syntf, tmp_path) -> list[object]:
    columns = ["--text", "text", "--author", "who"]
    return ["anonymize", table, *columns, *syntf, "--budget-db", tmp_path / "ledger", "-o", tmp_path / "o.npz"]


def spent(path: Path) -> tuple[float, float]:
    with Ledger(path) as ledger:
        [totals] = ledger.totals()
    return float(totals.document), float(totals.author)


def test_each_run_is_charged_to_the_file_name(line, command, tmp_path):
    result = command(*line).done()
    assert "Spent on 'in.csv' so far" in result.err
    document, author = spent(tmp_path / "ledger")
    assert author == pytest.approx(3 * document)
    command(*line, "--force").done()
    assert spent(tmp_path / "ledger") == pytest.approx((2 * document, 2 * author))
    [shown] = command("budget", "show", "--budget-db", tmp_path / "ledger", "--json").done().json
    assert (shown["dataset"], shown["releases"]) == ("in.csv", 2)
    assert shown["epsilon_document"] >= 2 * document
    entries = command("budget", "history", "--budget-db", tmp_path / "ledger", "--json").done().json
    assert [(entry["method"], entry["documents"], entry["by_author"]) for entry in entries] == [("syntf", 6, True)] * 2
    words = command("budget", "show", "--budget-db", tmp_path / "ledger").done().out
    assert "in.csv: at most ε = " in words
    assert "2 releases" in words
    assert len(command("budget", "history", "--budget-db", tmp_path / "ledger").done().out.splitlines()) == 2


def test_a_cap_refuses_with_3_before_a_random_bit(line, command, everything, tmp_path, monkeypatch):
    command(*line).done()
    document, author = spent(tmp_path / "ledger")
    before = everything(tmp_path)

    def drawn(*_: object) -> None:
        raise AssertionError("a random bit was drawn")

    monkeypatch.setattr(randomness.os, "urandom", drawn)
    for cap in (["--cap-document", 1.5 * document], ["--cap-author", 1.5 * author]):
        result = command(*line, "--force", *cap)
        assert (result.code, result.out) == (3, "")
        assert "above the cap" in result.err
        assert "zyxq" not in result.err
        assert command(*line, "--dry-run", *cap).code == 3
    monkeypatch.undo()
    assert everything(tmp_path) == before


def test_stored_caps_hold_for_every_run(line, command, tmp_path):
    cap = ["budget", "cap", "in.csv", "--budget-db", tmp_path / "ledger"]
    assert "Caps: 5.00 on a document" in command(*cap, "--document", 5).done().out
    assert command(*line).code == 3
    command(*cap, "--document", 1e6).done()
    command(*line, "--cap-document", 1e9).done()
    command(*cap).refused()
    command(*cap, "--document", "nan").refused()


def test_a_method_without_a_total_is_listed_and_refused_under_a_cap(table, command, tmp_path):
    line = ["anonymize", table, "--text", "text", "--method", "identity", "--budget-db", tmp_path / "ledger"]
    assert command(*line, "--cap-document", 9).code == 3
    command(*line).done()
    [shown] = command("budget", "show", "--budget-db", tmp_path / "ledger", "--json").json
    assert (shown["epsilon_document"], shown["epsilon_author"], shown["not_added"]) == (None, None, {"none": 1})
    said = command("budget", "show", "--budget-db", tmp_path / "ledger").done().out
    assert said == "in.csv: no total can be given: 1 release, without a proof.\n"


def test_the_ledger_never_says_less_than_the_statement_of_a_metric_release(table, command, tmp_path):
    method = ["--method", "laplace", "--epsilon", 0.5, "--words", 3]
    line = ["anonymize", table, "--text", "text", *method, "--budget-db", tmp_path / "ledger"]
    told = command(*line).done().err
    promised = command("guarantee", *method, "--json").done().json["guarantee"]["epsilon"]
    [shown] = command("budget", "show", "--budget-db", tmp_path / "ledger", "--json").json
    assert shown["epsilon_document"] == promised > 0
    assert f"Spent on 'in.csv' so far: at most ε = {number(promised)} on a document" in told
    assert f"ε = {number(promised)} each" in command("budget", "history", "--budget-db", tmp_path / "ledger").done().out
    refused = command(*line, "--force", "--cap-document", 1.5 * promised)
    assert (refused.code, "above the cap" in refused.err) == (3, True)


def test_a_damaged_ledger_is_refused_with_a_way_out(line, command, tmp_path):
    command(*line).done()
    content = (tmp_path / "ledger").read_bytes()
    at = content.index(b"syntf")
    (tmp_path / "ledger").write_bytes(content[:at] + b"SYNTF" + content[at + 5 :])
    for words in ([*line, "--force"], ["budget", "show", "--budget-db", tmp_path / "ledger"]):
        assert "ledger is damaged" in command(*words).refused().err


def test_dry_run_foretells_the_totals_and_leaves_the_ledger(line, command, everything, tmp_path):
    result = command(*line, "--dry-run").done()
    assert "Then spent on 'in.csv'" in result.out
    assert not (tmp_path / "ledger").exists()
    command(*line).done()
    before = everything(tmp_path)
    foretold = command(*line, "--dry-run", "--json").json["budget"]
    assert everything(tmp_path) == before
    command(*line, "--force").done()
    assert foretold["epsilon_document"] == pytest.approx(spent(tmp_path / "ledger")[0])
    assert foretold["releases"] == 2


def test_standard_input_needs_a_name(command, syntf, tmp_path):
    line = ["anonymize", "-", *syntf, "--budget-db", tmp_path / "ledger"]
    assert "--dataset" in command(*line, stdin=b"people").refused().err
    command(*line, "--dataset", "notes", stdin=b"people").done()
    assert spent(tmp_path / "ledger")[0] > 0


def test_ids_tell_documents_apart(command, syntf, write_table, tmp_path):
    for part in (ROWS[:3], ROWS[3:]):
        table = write_table(tmp_path / "in.csv", part)
        ids = ["--text", "text", "--id", "key", "--dataset", "d", "--force"]
        command("anonymize", table, *ids, *syntf, "--budget-db", tmp_path / "ledger", "-o", tmp_path / "o.npz").done()
    with Ledger(tmp_path / "ledger") as ledger:
        [totals] = ledger.totals()
        assert totals.document == next(ledger.history()).loss


def test_the_ledger_can_come_from_the_environment(line, command, tmp_path, monkeypatch):
    monkeypatch.setenv("ALLONYM_BUDGET_DB", str(tmp_path / "elsewhere"))
    at = line.index("--budget-db")
    command(*line[:at], *line[at + 2 :]).done()
    assert spent(tmp_path / "elsewhere")[0] > 0
    assert command("budget", "show").done().out


def test_bad_uses(line, command, everything, tmp_path):
    before = everything(tmp_path)
    at = line.index("--budget-db")
    for more in (["--dataset", "d"], ["--cap-author", "1"]):
        assert "--budget-db" in command(*line[:at], *line[at + 2 :], *more).refused().err
    command("budget", "show").refused()
    command("budget", "show", "--budget-db", tmp_path / "absent").refused()
    command("budget", "history", "--budget-db", tmp_path / "in.csv").refused()
    command(*line, "--cap-document", "-1").refused()
    assert everything(tmp_path) == before
    command(*line).done()
    assert (
        "no data set" in command("budget", "show", "--budget-db", tmp_path / "ledger", "--dataset", "x").refused().err
    )


def test_at_every_moment_at_least_as_much_is_charged_as_can_be_seen(line, command, tmp_path, monkeypatch):
    """What lies on disk before and after each rename and each sync is what a kill at that moment would leave."""
    states: list[tuple[int, bool]] = []

    def released() -> int:
        return sum((tmp_path / name).exists() for name in ("o1.npz", "o2.npz"))

    def charged() -> int:
        copy = tmp_path / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        for name in ("ledger", "ledger-wal"):
            if (tmp_path / name).exists():
                shutil.copy(tmp_path / name, copy / name)
        if not (copy / "ledger").exists():
            return 0
        with Ledger(copy / "ledger") as ledger:
            return sum(totals.releases for totals in ledger.totals())

    def watched(real):
        def step(*arguments, **named):
            states.append((charged(), released()))
            answer = real(*arguments, **named)
            states.append((charged(), released()))
            return answer

        return step

    for name in ("replace", "rename", "fsync"):
        monkeypatch.setattr(os, name, watched(getattr(os, name)))
    for run in (1, 2):
        command(*line[:-1], tmp_path / f"o{run}.npz", "--chunk-rows", 2).done()
    monkeypatch.undo()
    assert len(states) > 40
    assert all(paid >= seen for paid, seen in states), states
    assert (states[0], states[-1]) == ((1, 0), (2, 2))
