"""What may be spent on the page: a ledger where one was named, as `allonym anonymize` charges it.

A text on the page has no id, so every document of the data set is charged with it, and so is every author: totals may
be larger than what was lost, and are never smaller. Where a draw has no loss that could be added, the ledger gives no
total, and a cap refuses it, as on the command line.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from allonym.budget.account import Caps, Charge, Totals, spent_on
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
        """Charge one text, or refuse and leave the ledger as it was; return what is spent by then."""
        with self._opened() as ledger:
            ledger.charge(self._charge(method, promised), caps=self.caps)
            [totals] = ledger.totals(self.dataset)
        return totals

    def foresee(self, method: str, promised: Guarantee) -> str:
        """Return what would be spent by then, or refuse as `charge` would; no file changes, and none is made."""
        with self._opened(ahead=True) as ledger:
            return spent_on(self.dataset, ledger.foresee(self._charge(method, promised), caps=self.caps), then=True)

    def foresee_job(self, job: Plan) -> str:
        """Return the same for a table."""
        with self._opened(ahead=True) as ledger:
            return spent_on(self.dataset, Account(ledger, self.dataset, self.caps).foresee(job), then=True)

    @contextmanager
    def account(self) -> Iterator[Account]:
        """Open the account for a job, in the thread that does it."""
        with self._opened() as ledger:
            yield Account(ledger, self.dataset, self.caps)

    def balance(self, totals: Totals | None = None) -> str:
        """Return what was spent, by now or by then, in words."""
        if totals is None and self.path.exists():
            with self._opened() as ledger:
                totals = next(iter(ledger.totals(self.dataset)), None)
        return f"The ledger {self.path.name}: {spent_on(self.dataset, totals)}"

    def _charge(self, method: str, promised: Guarantee) -> Charge:
        return Charge(self.dataset, method, promised, 1)

    @contextmanager
    def _opened(self, *, ahead: bool = False) -> Iterator[Ledger]:
        try:
            with Ledger.looked_at(self.path) if ahead else Ledger(self.path) as ledger:
                yield ledger
        except (OSError, sqlite3.Error):
            raise InputError(_REFUSED) from None
