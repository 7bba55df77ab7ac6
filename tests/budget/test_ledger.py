"""The ledger: exact sums, caps that hold under concurrency, and no crash after which too little is counted."""

from __future__ import annotations

import shutil
import sqlite3
import stat
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allonym.budget import file
from allonym.budget.account import Caps, Purpose, added, worded
from allonym.budget.ledger import Ledger
from allonym.errors import BudgetError, InputError, ParameterError
from allonym.privacy import Guarantee, accounting
from allonym.privacy.accounting import rounded_up

METRIC = accounting.metric(loss_per_unit=1.0, largest_loss=2.0, distance="any", words=5)
PER_WORD = accounting.pure(loss_per_word=1.0, words=None)
METRIC_PER_WORD = accounting.metric(loss_per_unit=1.0, largest_loss=2.0, distance="any", words=None)
NONE = Guarantee(definition="none", loss_per_word=None, words=None, epsilon=None, evidence="none")


def promise(epsilon: float) -> Guarantee:
    return Guarantee(definition="pure", loss_per_word=epsilon, words=1, epsilon=epsilon)


def purpose(epsilon: float = 1.0, documents: int = 1, **more: object) -> Purpose:
    return Purpose("reviews", "syntf", promise(epsilon), documents, **more)


CLAIMED = replace(promise(1), evidence="claimed")


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "ledger") as opened:
        yield opened


def totals(ledger: Ledger) -> tuple[Fraction, Fraction]:
    [found] = ledger.totals()
    return found.document, found.author


def test_without_ids_every_document_and_every_author_is_charged(ledger):
    ledger.charge(purpose(1.5, 10))
    assert totals(ledger) == (Fraction(3, 2), 15)
    ledger.charge(purpose(1.5, 4))
    assert totals(ledger) == (3, 21)


def test_with_ids_and_authors_each_is_charged_what_is_theirs(ledger):
    known = {"has_ids": True, "has_authors": True}
    ledger.charge(purpose(1, 3, **known), [(["a", "b", "c"], ["ann", "ann", "bob"])])
    assert totals(ledger) == (1, 2)
    ledger.charge(purpose(2, 1, **known), [(["b"], ["ann"])])
    assert totals(ledger) == (3, 4)
    ledger.charge(purpose(8, 1, **known), [(["d"], ["bob"])])
    assert totals(ledger) == (8, 9)
    ledger.charge(purpose(1, 2))  # neither ids nor authors: everyone
    assert totals(ledger) == (9, 11)


def test_documents_of_one_author_add_up_over_batches(ledger):
    ledger.charge(purpose(1, 5, has_authors=True), [(None, ["ann", "bob"]), (None, ["ann", "ann", "cy"])])
    assert totals(ledger) == (1, 3)


def test_spellings_of_a_name_are_one_name(ledger):
    spellings = ["José", "Jose\u0301", " JOSÉ ", "josé"]
    for number, name in enumerate(spellings):
        ledger.charge(purpose(1, 1, has_ids=True, has_authors=True), [([name], [name])])
        assert totals(ledger) == (number + 1, number + 1)
    ledger.charge(purpose(1, 4, has_authors=True), [(None, spellings)])
    assert totals(ledger) == (5, 8)


def test_sums_are_exact(ledger):
    for _ in range(10):
        ledger.charge(purpose(0.1))
    assert totals(ledger)[0] == 10 * Fraction(0.1)
    assert Fraction(rounded_up(totals(ledger)[0])) >= totals(ledger)[0]


def test_data_sets_are_apart(ledger):
    ledger.charge(purpose(1))
    ledger.charge(Purpose("letters", "syntf", promise(5), 1))
    assert {found.dataset: found.document for found in ledger.totals()} == {"letters": 5, "reviews": 1}


def test_a_metric_release_is_charged_with_its_loss_for_any_two_documents(ledger):
    ledger.charge(Purpose("reviews", "laplace", METRIC, 3))
    [found] = ledger.totals()
    assert (found.document, found.author, found.not_added) == (10, 30, {})
    assert worded(found) == "at most ε = 10.00 on a document and 30.00 on an author, in 1 release."
    ledger.charge(purpose(1), caps=Caps.of(document=11))
    with pytest.raises(BudgetError, match=r"to ε = 21\.00, above the cap of 11\.00"):
        ledger.charge(Purpose("reviews", "laplace", METRIC, 3), caps=Caps.of(document=11))


@pytest.mark.parametrize("kind", [PER_WORD, METRIC_PER_WORD, NONE, CLAIMED])
def test_what_cannot_be_added_is_said_instead_of_a_total(kind, ledger):
    ledger.charge(purpose(1))
    ledger.charge(Purpose("reviews", "laplace", kind, 3))
    [found] = ledger.totals()
    assert (found.document, found.author, found.releases, sum(found.not_added.values())) == (None, None, 2, 1)
    said = worded(found)
    assert said.startswith("no total can be given: 2 releases, 1 of them with")
    assert "ε" not in said
    assert [entry.loss for entry in ledger.history()] == [1, None]
    with pytest.raises(BudgetError, match="no total for any two documents"):
        ledger.charge(Purpose("reviews", "laplace", kind, 3), caps=Caps.of(document=1e9))
    with pytest.raises(BudgetError, match="no total for any two documents can be held against it"):
        ledger.charge(purpose(1), caps=Caps.of(document=1e9))  # what was spent before is not known to be less


def test_a_total_that_is_not_about_any_two_documents_says_so(ledger):
    given = replace(promise(2), adjacency="any two documents of as many words")
    ledger.charge(purpose(1))
    ledger.charge(Purpose("reviews", "erae", given, 1))
    [found] = ledger.totals()
    assert found.document == 3
    assert worded(found).endswith("in 2 releases, between any two documents of as many words.")
    for asked in (purpose(1), Purpose("reviews", "erae", given, 1)):
        with pytest.raises(BudgetError, match="for any two documents"):
            ledger.charge(asked, caps=Caps.of(document=1e9))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from([METRIC, PER_WORD, NONE, *map(promise, (0.1, 1 / 3, 8.57))]), min_size=1, max_size=6))
def test_the_ledger_and_a_plain_sum_say_the_same(tmp_path_factory, promises):
    with Ledger(tmp_path_factory.mktemp("l") / "ledger") as ledger:
        for one in promises:
            ledger.charge(Purpose("reviews", "m", one, 1))
        [found] = ledger.totals()
    plain = added(promises)
    assert (found.document, found.between, found.not_added) == (plain.document, plain.between, plain.not_added)
    if plain.document is not None:
        assert plain.document == sum(Fraction(one.epsilon) for one in promises)


def test_a_file_that_others_may_read_is_made_private(tmp_path):
    Ledger(tmp_path / "ledger").close()
    (tmp_path / "ledger").chmod(0o644)
    (tmp_path / "ledger-wal").touch(0o644)
    with Ledger(tmp_path / "ledger") as ledger:
        ledger.charge(purpose(1))
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
            ledger.charge(purpose(1.5 + number, 3, **known), [(["a", "b", f"c{number}"], ["ann", "ann", "bob"])])
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
        ledger.charge(purpose(1.5, job="mine"))
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
        ledger.charge(purpose(1.5))
        other = sqlite3.connect(tmp_path / "ledger", isolation_level=None)
        other.execute("UPDATE spent SET documents = 0")
        with pytest.raises(InputError, match="damaged"):
            ledger.charge(purpose(1))
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
        ledger.charge(purpose(1))
        assert ledger.totals("reviews")[0].document == Fraction(5, 2)


def test_caps_refuse_and_leave_the_account_as_it_was(ledger, tmp_path):
    ledger.charge(purpose(1, 2))
    with pytest.raises(BudgetError, match=r"bring a document of 'reviews' to ε = 3\.00, above the cap of 2\.50"):
        ledger.charge(purpose(2), caps=Caps.of(document=2.5))
    with pytest.raises(BudgetError, match="Without --author"):
        ledger.charge(purpose(1), caps=Caps.of(author=2.9))
    assert totals(ledger) == (1, 2)
    ledger.charge(purpose(1), caps=Caps.of(document=2, author=3))  # to the cap, not beyond
    ledger.cap("reviews", Caps.of(document=2.5))
    with pytest.raises(BudgetError):
        ledger.charge(purpose(1), caps=Caps.of(document=99))
    ledger.cap("reviews", Caps.of(author=4))
    assert ledger.totals()[0].caps == Caps.of(2.5, 4)
    assert len(list(ledger.history())) == 2


def test_a_cap_looks_at_those_who_are_charged_and_no_others(ledger):
    ledger.charge(purpose(5, 1, has_ids=True), [(["old"], None)])
    ledger.charge(purpose(1, 1, has_ids=True), [(["new"], None)], Caps.of(document=2))
    with pytest.raises(BudgetError):
        ledger.charge(purpose(1), caps=Caps.of(document=5.5))  # everyone, so the old one too


def test_foresight_changes_nothing(ledger, tmp_path):
    ledger.charge(purpose(1))
    assert ledger.foresee(purpose(2)).document == 3
    with pytest.raises(BudgetError):
        ledger.foresee(purpose(2), caps=Caps.of(document=2))
    assert totals(ledger)[0] == 1
    assert len(list(ledger.history())) == 1


def test_a_charge_is_known_again_by_its_job(ledger):
    release = ledger.charge(purpose(1, job="mine"))
    assert ledger.holds(release, "mine")
    assert not ledger.holds(release, "other")
    assert not ledger.holds(release + 1, "mine")


def test_the_file_is_private_and_holds_no_names(tmp_path):
    with Ledger(tmp_path / "ledger") as ledger:
        ledger.charge(purpose(1, 1, has_ids=True, has_authors=True), [(["zyxqdocument"], ["zyxqauthor"])])
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


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([0.1, 1 / 3, 1.0, 7.25]),
            st.one_of(st.none(), st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True)),
            st.one_of(st.none(), st.sampled_from("xy")),
        ),
        max_size=12,
    ),
    st.sampled_from([None, 1.0, 5.0]),
)
def test_any_sequence_of_charges_equals_a_plain_sum_and_never_exceeds_the_cap(tmp_path_factory, charges, cap):
    spent = {name: Fraction(0) for name in "abcxy"}
    with Ledger(tmp_path_factory.mktemp("l") / "ledger") as ledger:
        for loss, ids, author in charges:
            count = len(ids) if ids else 2
            unit = (ids, [author] * count if author else None)
            asked = purpose(loss, count, has_ids=ids is not None, has_authors=author is not None)
            after = dict(spent)
            for name in ids or "abc":
                after[name] += Fraction(loss)
            for name in author or "xy":
                after[name] += Fraction(loss) * count
            try:
                ledger.charge(asked, [unit], Caps.of(document=cap))
            except BudgetError:
                assert max(after[name] for name in ids or "abc") > Fraction(cap)
                continue
            spent = after
            assert cap is None or max(spent[name] for name in ids or "abc") <= Fraction(cap)
        found = ledger.totals()
        if found:
            assert found[0].document == max(spent[name] for name in "abc")
            assert found[0].author == max(spent[name] for name in "xy")


WRITER = """
import sys
from allonym.errors import BudgetError
from allonym.privacy import Guarantee
from allonym.budget.account import Caps, Purpose
from allonym.budget.ledger import Ledger
promise = Guarantee(definition="pure", loss_per_word=1.0, words=1, epsilon=1.0)
done = 0
with Ledger(sys.argv[1]) as ledger:
    for _ in range(20):
        try:
            ledger.charge(Purpose("d", "m", promise, 1), caps=Caps.of(document=50))
            done += 1
        except BudgetError:
            pass
print(done)
"""


def test_four_processes_never_exceed_a_cap_and_lose_nothing(tmp_path):
    line = [sys.executable, "-c", WRITER, str(tmp_path / "ledger")]
    writers = [subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)]
    answers = [writer.communicate(timeout=120) for writer in writers]
    assert [error for _, error in answers] == [b""] * 4
    assert sum(int(out) for out, _ in answers) == 50
    with Ledger(tmp_path / "ledger") as ledger:
        assert totals(ledger)[0] == 50


def test_at_no_moment_of_a_charge_would_a_crash_leave_a_broken_account(ledger, tmp_path):
    """The files as they lie before each statement are what a kill there would leave."""
    ledger.charge(purpose(1))
    states: list[Path] = []

    def snapshot(_: str) -> None:
        states.append(tmp_path / f"crash{len(states)}")
        states[-1].mkdir()
        for name in ("ledger", "ledger-wal"):
            if (tmp_path / name).exists():
                shutil.copy(tmp_path / name, states[-1] / name)

    ledger._connection.set_trace_callback(snapshot)
    ledger.charge(purpose(2, 2, has_ids=True, has_authors=True), [(["a", "b"], ["x", "x"])])
    ledger._connection.set_trace_callback(None)
    snapshot("after")
    found = []
    for state in states:
        with Ledger(state / "ledger") as left:
            found.append(totals(left))
    assert len(found) > 10
    assert set(found) == {(1, 1), (3, 5)}
    assert found == sorted(found)  # charged at one moment, and for good
    assert found[-1] == (3, 5)
