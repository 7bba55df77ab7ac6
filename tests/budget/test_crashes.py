"""Several processes, and a kill at any moment: nothing that was charged is lost."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from charges import charge, totals

from allonym.budget.ledger import Ledger

WRITER = """
import sys
from allonym.errors import BudgetError
from allonym.privacy import Guarantee
from allonym.budget.account import Caps, Charge
from allonym.budget.ledger import Ledger
promise = Guarantee(definition="pure", loss_per_word=1.0, words=1, epsilon=1.0)
done = 0
with Ledger(sys.argv[1]) as ledger:
    for _ in range(20):
        try:
            ledger.charge(Charge("d", "m", promise, 1), caps=Caps.of(document=50))
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
    ledger.charge(charge(1))
    states: list[Path] = []

    def snapshot(_: str) -> None:
        states.append(tmp_path / f"crash{len(states)}")
        states[-1].mkdir()
        for name in ("ledger", "ledger-wal"):
            if (tmp_path / name).exists():
                shutil.copy(tmp_path / name, states[-1] / name)

    ledger._connection.set_trace_callback(snapshot)
    ledger.charge(charge(2, 2, has_ids=True, has_authors=True), [(["a", "b"], ["x", "x"])])
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
