"""Options by which a run is charged to a ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from allonym.budget.account import Caps, Totals, spent_on
from allonym.budget.ledger import Ledger
from allonym.cli.talk import Talk, with_options

if TYPE_CHECKING:
    from allonym.jobs.accounts import Account
    from allonym.jobs.plan import Plan

DATABASE = click.option(
    "--budget-db",
    type=click.Path(path_type=Path, dir_okay=False),
    envvar="ALLONYM_BUDGET_DB",
    show_envvar=True,
    help="The ledger: a file that adds up what is spent on which data.",
)


@dataclass(frozen=True)
class Budget:
    """What a command line says about the ledger."""

    path: Path | None
    dataset: str | None
    caps: Caps

    def ledger(self) -> Path | None:
        """Return where the ledger is; without one, refuse what is about it."""
        if self.path is None and (self.dataset is not None or self.caps != Caps()):
            raise click.UsageError("--dataset and caps need a ledger; name one with --budget-db.")
        return self.path

    @contextmanager
    def account(self, job: Plan) -> Iterator[Account | None]:
        """Open the account of a job, if there is a ledger."""
        path = self.ledger()
        if path is None:
            yield None
            return
        name = self._name(job)
        from allonym.jobs.accounts import Account

        with Ledger(path) as ledger:
            yield Account(ledger, name, self.caps)

    def foreseen(self, job: Plan) -> Totals | None:
        """Return what the totals would be, or refuse as the run would; no file changes, and none is made."""
        path = self.ledger()
        if path is None:
            return None
        from allonym.jobs.accounts import Account

        with Ledger.looked_at(path) as ledger:
            return Account(ledger, self._name(job), self.caps).foresee(job)

    def report(self, talk: Talk, account: Account | None) -> None:
        """Say what has been spent by now."""
        if account is not None:
            [totals] = account.ledger.totals(account.dataset)
            talk.say(spent_on(totals.dataset, totals))

    def _name(self, job: Plan) -> str:
        """Return the data set: the one named, or the file name of the input."""
        if self.dataset is not None:
            return self.dataset
        if job.documents.source == "-":
            raise click.UsageError("Standard input has no name to keep accounts under; add --dataset NAME.")
        return Path(job.documents.source).resolve().name


def budget_options(dataset: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add --budget-db, --dataset with its help, and the caps, which reach the command as `budget`."""

    def decorated(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def with_budget(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401
            path, name, *caps = (named.pop(key) for key in ("budget_db", "dataset", "cap_document", "cap_author"))
            return command(*arguments, budget=Budget(path, name, Caps.of(*caps)), **named)

        return with_options(
            with_budget,
            DATABASE,
            click.option("--dataset", help=dataset),
            click.option("--cap-document", type=float, help="Refuse if a document's total ε would exceed this."),
            click.option("--cap-author", type=float, help="Refuse if an author's total ε would exceed this."),
        )

    return decorated
