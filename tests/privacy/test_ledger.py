"""The ledger: exact sums, caps that hold under concurrency, and no crash after which too little is counted."""

from __future__ import annotations

import shutil
import sqlite3
import stat
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allonym.errors import BudgetError, InputError, ParameterError
from allonym.privacy import Guarantee, accounting
from allonym.privacy.budgets import Caps, Purpose, rounded_up
from allonym.privacy.ledger import Ledger

METRIC = accounting.metric(loss_per_unit=1.0, largest_loss=2.0, distance="any", words=5)
PER_WORD = accounting.pure(loss_per_word=1.0, words=None)
NONE = Guarantee(definition="none", loss_per_word=None, words=None, epsilon=None, evidence="none")


def promise(epsilon: float) -> Guarantee:
    return Guarantee(definition="pure", loss_per_word=epsilon, words=1, epsilon=epsilon)


def purpose(epsilon: float = 1.0, documents: int = 1, **more: object) -> Purpose:
    return Purpose("reviews", "syntf", promise(epsilon), documents, **more)


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


def test_sums_are_exact(ledger):
    for _ in range(10):
        ledger.charge(purpose(0.1))
    assert totals(ledger)[0] == 10 * Fraction(0.1)
    assert Fraction(rounded_up(totals(ledger)[0])) >= totals(ledger)[0]


def test_data_sets_are_apart(ledger):
    ledger.charge(purpose(1))
    ledger.charge(Purpose("letters", "syntf", promise(5), 1))
    assert {found.dataset: found.document for found in ledger.totals()} == {"letters": 5, "reviews": 1}


@pytest.mark.parametrize("kind", [METRIC, PER_WORD, NONE])
def test_what_has_no_pure_total_is_listed_and_not_added(kind, ledger):
    ledger.charge(purpose(1))
    ledger.charge(Purpose("reviews", "laplace", kind, 3))
    [found] = ledger.totals()
    assert (found.document, found.releases, sum(found.not_added.values())) == (1, 2, 1)
    assert [entry.loss for entry in ledger.history()] == [1, None]
    with pytest.raises(BudgetError, match="no total for a document"):
        ledger.charge(Purpose("reviews", "laplace", kind, 3), caps=Caps.of(document=1e9))


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
from allonym.privacy.budgets import Caps, Purpose
from allonym.privacy.ledger import Ledger
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
