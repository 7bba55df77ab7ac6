"""`allonym budget`: what has been spent on which data."""

from __future__ import annotations

from pathlib import Path

import click

from allonym.budget.account import Caps, Totals
from allonym.budget.ledger import Ledger
from allonym.cli.budgets import DATABASE
from allonym.cli.talk import Talk, common_options
from allonym.errors import InputError

_DATASET = click.option("--dataset", help="Only this data set.")


@click.group(name="budget")
@common_options
def command() -> None:
    """Show what has been spent on which data, from the ledger that --budget-db names."""


@command.command()
@DATABASE
@_DATASET
@common_options
@click.pass_obj
def show(talk: Talk, budget_db: Path | None, dataset: str | None) -> None:
    """Show the totals of each data set: for the document and the author on which most was spent.

    Where a release has no loss that could be added, no total is given; `history` lists what each release cost.
    """
    with _opened(budget_db) as ledger:
        spent = ledger.totals(dataset)
    _refuse_unknown(spent, dataset)
    talk.data([totals.to_json() for totals in spent], "\n".join(map(str, spent)) or "Nothing has been spent.")


@command.command()
@DATABASE
@_DATASET
@common_options
@click.pass_obj
def history(talk: Talk, budget_db: Path | None, dataset: str | None) -> None:
    """List all releases, the oldest first."""
    with _opened(budget_db) as ledger:
        _refuse_unknown(ledger.totals(dataset), dataset)
        entries = list(ledger.history(dataset))
    talk.data([entry.to_json() for entry in entries], "\n".join(map(str, entries)) or "Nothing has been released.")


@command.command()
@DATABASE
@click.argument("dataset")
@click.option("--document", type=float, help="The most that may be spent on a document.")
@click.option("--author", type=float, help="The most that may be spent on an author.")
@common_options
@click.pass_obj
def cap(talk: Talk, budget_db: Path | None, dataset: str, document: float | None, author: float | None) -> None:
    """Store limits for a data set; every later run is held to them."""
    if document is None and author is None:
        raise click.UsageError("Give --document, --author or both.")
    limits = Caps.of(document, author)
    with Ledger(_named(budget_db)) as ledger:
        ledger.cap(dataset, limits)
        [totals] = ledger.totals(dataset)
    talk.data(totals.to_json(), str(totals))


def _named(path: Path | None) -> Path:
    if path is None:
        raise click.UsageError("Name the ledger with --budget-db or ALLONYM_BUDGET_DB.")
    return path


def _opened(path: Path | None) -> Ledger:
    return Ledger(_named(path), create=False)


def _refuse_unknown(totals: list[Totals], dataset: str | None) -> None:
    if dataset is not None and not totals:
        raise InputError(f"The ledger has no data set {dataset!r}; leave out --dataset to see those it has.")
