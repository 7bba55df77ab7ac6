"""What may be spent on the page: a ledger where one was named, as `allonym anonymize` charges it.

A text on the page has no id, so every document of the data set is charged with it, and so is every author: totals may
be larger than what was lost, and are never smaller. A promise that has no pure total for any two documents is listed
and not added, and a cap refuses it, as on the command line.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from allonym.errors import InputError
from allonym.jobs.accounts import Account
from allonym.jobs.plans import Plan
from allonym.privacy import Guarantee
from allonym.privacy.budgets import Caps, Purpose, Totals, shown_loss
from allonym.privacy.ledger import Ledger

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

    def charge(self, method: str, promised: Guarantee) -> str:
        """Charge one text, or refuse and leave the ledger as it was; return what is spent by then, in words.

        Raises:
            BudgetError: A cap would be exceeded.
        """
        with self._opened() as ledger:
            ledger.charge(self._purpose(method, promised), caps=self.caps)
            [totals] = ledger.totals(self.dataset)
        return f"In the ledger {self.path.name}: {worded(totals)}"

    def foresee(self, method: str, promised: Guarantee) -> str:
        """Return what would be spent by then, or refuse as `charge` would; no file changes, and none is made."""
        with self._looked_at() as ledger:
            return f"Then in the ledger: {worded(ledger.foresee(self._purpose(method, promised), caps=self.caps))}"

    def foresee_job(self, job: Plan) -> str:
        """Return the same for a table."""
        with self._looked_at() as ledger:
            return f"Then in the ledger: {worded(Account(ledger, self.dataset, self.caps).foresee(job))}"

    @contextmanager
    def account(self) -> Iterator[Account]:
        """Open the account for a job, in the thread that does it."""
        with self._opened() as ledger:
            yield Account(ledger, self.dataset, self.caps)

    def told(self) -> str:
        """Return what is spent by now, in words."""
        if not self.path.exists():
            return f"In the ledger {self.path.name}: nothing is spent on “{self.dataset}”."
        with self._opened() as ledger:
            found = ledger.totals(self.dataset)
        spent = worded(found[0]) if found else f"nothing is spent on “{self.dataset}”."
        return f"In the ledger {self.path.name}: {spent}"

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


def worded(totals: Totals) -> str:
    """Return totals as a sentence."""
    releases = "1 release" if totals.releases == 1 else f"{totals.releases:,} releases"
    document, author = shown_loss(totals.document), shown_loss(totals.author)
    words = f"{releases} of “{totals.dataset}”, at most ε = {document} on a document and {author} on an author."
    if totals.not_added:
        listed = ", ".join(f"{count} {kind}" for kind, count in sorted(totals.not_added.items()))
        words += f" Not in these totals, because they have no total that holds for any two documents: {listed}."
    return words
