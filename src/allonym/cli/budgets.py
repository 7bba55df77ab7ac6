"""Options by which a run is charged to a ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from allonym.budget.account import Caps, spent_on
from allonym.budget.ledger import Ledger
from allonym.cli.talk import Talk
from allonym.jobs.accounts import Account
from allonym.jobs.plan import Plan

_Command = TypeVar("_Command", bound=Callable[..., Any])

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

    @contextmanager
    def account(self, job: Plan) -> Iterator[Account | None]:
        """Open the account of a job, if there is a ledger."""
        if self.path is None:
            if self.dataset is not None or self.caps != Caps():
                raise click.UsageError("--dataset and caps are about a ledger; name it with --budget-db.")
            yield None
            return
        name = self._name(job)
        with Ledger(self.path) as ledger:
            yield Account(ledger, name, self.caps)

    @contextmanager
    def foreseen(self, job: Plan) -> Iterator[tuple[str, dict[str, Any]]]:
        """Say what the totals would be, or refuse as the run would; no file changes, and none is made."""
        if self.path is None:
            with self.account(job):
                yield "", {}
            return
        with Ledger.looked_at(self.path) as ledger:
            totals = Account(ledger, self._name(job), self.caps).foresee(job)
        yield spent_on(totals.dataset, totals, then=True), totals.to_dict()

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


def budget_options(command: _Command) -> _Command:
    """Add --budget-db, --dataset and the caps, which reach the command as `budget`."""

    @wraps(command)
    def with_budget(
        *arguments: Any,  # noqa: ANN401
        budget_db: Path | None,
        dataset: str | None,
        cap_document: float | None,
        cap_author: float | None,
        **rest: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        return command(*arguments, budget=Budget(budget_db, dataset, Caps.of(cap_document, cap_author)), **rest)

    options = (
        click.option("--cap-author", type=float, help="Refuse if an author's total ε would exceed this."),
        click.option("--cap-document", type=float, help="Refuse if a document's total ε would exceed this."),
        click.option("--dataset", help="Name of the data in the ledger; by default the file name of INPUT."),
        DATABASE,
    )
    decorated: Any = with_budget
    for option in options:
        decorated = option(decorated)
    return cast(_Command, decorated)
