"""What may be spent on the page: a ledger where one was named, as `allonym anonymize` charges it.

A text on the page has no id, so every document of the data set is charged with it, and so is every author: totals may
be larger than what was lost, and are never smaller. Where a draw has no loss that could be added, the ledger gives no
total, and a cap refuses it, as on the command line.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from allonym.budget.account import Caps, Purpose, Totals, worded
from allonym.budget.ledger import Ledger
from allonym.errors import InputError
from allonym.jobs.accounts import Account
from allonym.jobs.plan import Plan
from allonym.privacy import Guarantee

_REFUSED = "The ledger cannot be used; check --budget-db and its disk. Nothing was drawn."


@dataclass(frozen=True)
class Purse:
    """A ledger, the data set in it, and the limits of this sitting.

    Each call opens the file by itself: the page works in several threads, and other processes may charge it meanwhile.
    """

    path: Path
    dataset: str
    caps: Caps = field(default_factory=Caps)

    def check(self) -> None:
        """Refuse a ledger that cannot be opened, before anything is served; none is made."""
        if self.path.exists():
            Ledger(self.path).close()
        elif not self.path.absolute().parent.is_dir():
            raise InputError(f"{self.path.name} lies in a folder that does not exist; check --budget-db.")

    def charge(self, method: str, promised: Guarantee) -> Totals:
        """Charge one text, or refuse and leave the ledger as it was; return what is spent by then.

        Raises:
            BudgetError: A cap would be exceeded.
        """
        with self._opened() as ledger:
            ledger.charge(self._purpose(method, promised), caps=self.caps)
            [totals] = ledger.totals(self.dataset)
        return totals

    def foresee(self, method: str, promised: Guarantee) -> str:
        """Return what would be spent by then, or refuse as `charge` would; no file changes, and none is made."""
        with self._looked_at() as ledger:
            return self._then(ledger.foresee(self._purpose(method, promised), caps=self.caps))

    def foresee_job(self, job: Plan) -> str:
        """Return the same for a table."""
        with self._looked_at() as ledger:
            return self._then(Account(ledger, self.dataset, self.caps).foresee(job))

    @contextmanager
    def account(self) -> Iterator[Account]:
        """Open the account for a job, in the thread that does it."""
        with self._opened() as ledger:
            yield Account(ledger, self.dataset, self.caps)

    def told(self, totals: Totals | None = None) -> str:
        """Return what was spent, by now or by then, in words."""
        if totals is None and self.path.exists():
            with self._opened() as ledger:
                totals = next(iter(ledger.totals(self.dataset)), None)
        spent = f"nothing is spent on “{self.dataset}”." if totals is None else self._spent(totals)
        return f"In the ledger {self.path.name}: {spent}"

    def _then(self, totals: Totals) -> str:
        return f"Then in the ledger: {self._spent(totals)}"

    def _spent(self, totals: Totals) -> str:
        return f"on “{self.dataset}” {worded(totals)}"

    def _purpose(self, method: str, promised: Guarantee) -> Purpose:
        return Purpose(self.dataset, method, promised, 1)

    @contextmanager
    def _opened(self) -> Iterator[Ledger]:
        try:
            with Ledger(self.path) as ledger:
                yield ledger
        except (OSError, sqlite3.Error):
            raise InputError(_REFUSED) from None

    @contextmanager
    def _looked_at(self) -> Iterator[Ledger]:
        if self.path.exists():
            with self._opened() as ledger:
                yield ledger
            return
        with tempfile.TemporaryDirectory() as folder, Ledger(Path(folder) / "ledger") as ledger:
            yield ledger
