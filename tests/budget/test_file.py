"""The file of a ledger: private, checked for damage, taken over from older versions, and never another file."""

from __future__ import annotations

import shutil
import sqlite3
import stat
from fractions import Fraction
from pathlib import Path

import pytest
from charges import charge, totals

from allonym.budget import file
from allonym.budget.account import Caps, worded
from allonym.budget.ledger import Ledger
from allonym.errors import InputError, ParameterError


def test_a_file_that_others_may_read_is_made_private(tmp_path):
    Ledger(tmp_path / "ledger").close()
    (tmp_path / "ledger").chmod(0o644)
    (tmp_path / "ledger-wal").touch(0o644)
    with Ledger(tmp_path / "ledger") as ledger:
        ledger.charge(charge(1))
        assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}


def test_a_file_that_cannot_be_made_private_is_refused(tmp_path, monkeypatch):
    Ledger(tmp_path / "ledger").close()
    (tmp_path / "ledger").chmod(0o644)
    monkeypatch.setattr(Path, "chmod", lambda *_: None)  # as on a disk that keeps no permissions
    with pytest.raises(InputError, match=r"Others may read ledger.*chmod 600"):
        Ledger(tmp_path / "ledger")


def test_overwritten_bytes_are_noticed_wherever_they_lie(tmp_path):
    """Every byte of the file but those that mean nothing: what is left of it then is what was written, or refused."""
    with Ledger(tmp_path / "ledger") as ledger:
        known = {"has_ids": True, "has_authors": True}
        for number in range(4):
            ledger.charge(charge(1.5 + number, 3, **known), [(["a", "b", f"c{number}"], ["ann", "ann", "bob"])])
        ledger.cap("reviews", Caps.of(document=100))
        expected = ledger.totals(), list(ledger.history())
    content = (tmp_path / "ledger").read_bytes()
    refused = 0
    for at in range(0, len(content), 97):
        changed = bytearray(content)
        changed[at : at + 4] = bytes(255 - byte for byte in content[at : at + 4])
        place = tmp_path / "changed"
        place.write_bytes(changed)
        try:
            with Ledger(place) as ledger:
                assert (ledger.totals(), list(ledger.history())) == expected, at
        except InputError:
            refused += 1
        for beside in tmp_path.glob("changed*"):
            beside.unlink()
    assert refused > 5


def test_a_number_changed_in_a_sound_page_is_noticed(tmp_path):
    with Ledger(tmp_path / "ledger") as ledger:
        ledger.charge(charge(1.5, job="mine"))
    for change in (
        "UPDATE losses SET exact = '1/2', about = 0.5",
        "UPDATE spent SET documents = 0",
        "UPDATE releases SET definition = 'none'",
        "UPDATE datasets SET cap_document = '7'",
        "UPDATE meta SET value = zeroblob(32) WHERE name = 'key'",
        "DELETE FROM releases",
        "DELETE FROM meta WHERE name = 'checksum'",
    ):
        shutil.copy(tmp_path / "ledger", tmp_path / "other")
        other = sqlite3.connect(tmp_path / "other", isolation_level=None)
        other.execute(change)
        other.close()
        with pytest.raises(InputError, match=r"other is damaged.*put a copy in its place, or begin a new"):
            Ledger(tmp_path / "other")


def test_damage_done_while_it_is_open_is_not_sealed(tmp_path):
    with Ledger(tmp_path / "ledger") as ledger:
        ledger.charge(charge(1.5))
        other = sqlite3.connect(tmp_path / "ledger", isolation_level=None)
        other.execute("UPDATE spent SET documents = 0")
        with pytest.raises(InputError, match="damaged"):
            ledger.charge(charge(1))
        other.close()


def test_a_ledger_of_the_first_version_is_taken_over(tmp_path):
    """It had no checksum, and listed metric releases without their loss: they have no total, and that is said."""
    old = sqlite3.connect(tmp_path / "ledger", isolation_level=None)
    for statement in filter(str.strip, file._SCHEMA.split(";")):
        old.execute(statement)
    old.execute("INSERT INTO meta VALUES ('key', ?)", (bytes(range(32)),))
    old.execute("INSERT INTO datasets (id, name) VALUES (1, 'reviews'), (2, 'letters')")
    old.execute("INSERT INTO losses VALUES (1, '3/2', 1.5)")
    row = "INSERT INTO releases (dataset, at, method, definition, unit, loss, documents, ids, authors, job) VALUES "
    old.execute(row + "(1, '2026-01-01', 'syntf', 'pure', 'document', 1, 1, 0, 0, 'mine')")
    old.execute(row + "(2, '2026-01-02', 'laplace', 'metric', 'document', NULL, 1, 0, 0, '')")
    old.execute("INSERT INTO spent VALUES (1, 'document', x'', 1, 1), (1, 'author', x'', 1, 1)")
    old.execute("PRAGMA user_version = 1")
    old.close()
    for _ in range(2):
        with Ledger(tmp_path / "ledger") as ledger:
            letters, reviews = ledger.totals()
            assert reviews.document == Fraction(3, 2)
            assert letters.document is None
            assert "1 release, with a promise that was entered without its largest loss" in worded(letters)
            assert ledger.holds(1, "mine")
    with Ledger(tmp_path / "ledger") as ledger:
        ledger.charge(charge(1))
        assert ledger.totals("reviews")[0].document == Fraction(5, 2)


def test_the_file_is_private_and_holds_no_names(tmp_path):
    with Ledger(tmp_path / "ledger") as ledger:
        ledger.charge(charge(1, 1, has_ids=True, has_authors=True), [(["zyxqdocument"], ["zyxqauthor"])])
        for path in tmp_path.iterdir():
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            assert b"zyxq" not in path.read_bytes()
    other = Ledger(tmp_path / "other")
    assert other._pseudonym("author", "zyxqauthor") != ledger._pseudonym("author", "zyxqauthor")
    other.close()


def test_what_is_no_ledger_is_refused(tmp_path):
    (tmp_path / "text").write_text("no database at all " * 99)
    with pytest.raises(InputError, match="cannot be opened as a ledger"):
        Ledger(tmp_path / "text")
    with pytest.raises(InputError, match="cannot be opened as a ledger"):
        Ledger(tmp_path / "absent" / "ledger")
    with pytest.raises(InputError, match="does not exist"):
        Ledger(tmp_path / "none", create=False)
    foreign = sqlite3.connect(tmp_path / "foreign")
    foreign.execute("CREATE TABLE songs (name TEXT)")
    foreign.close()
    with pytest.raises(InputError, match="another database"):
        Ledger(tmp_path / "foreign")
    other = sqlite3.connect(tmp_path / "newer")
    other.execute("PRAGMA user_version = 99")
    other.close()
    with pytest.raises(InputError, match="another version"):
        Ledger(tmp_path / "newer")
    for cap in (-1.0, float("nan"), float("inf")):
        with pytest.raises(ParameterError, match="at least 0"):
            Caps.of(document=cap)


def test_a_log_of_an_earlier_state_beside_the_file_is_noticed(tmp_path):
    path, log = tmp_path / "ledger", tmp_path / "ledger-wal"
    with Ledger(path) as ledger:
        ledger.charge(charge(1))
        shutil.copy(log, tmp_path / "stale")
        ledger.charge(charge(2))
        ledger.charge(charge(4))
    shutil.copy(tmp_path / "stale", log)
    with pytest.raises(InputError, match="ledger is damaged"):
        Ledger(path)
    log.unlink()
    with Ledger(path) as ledger:
        assert totals(ledger)[0] == 7
