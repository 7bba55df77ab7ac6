"""Section 5 of the ER-AE paper: its tables and figure 2 on real data, and the attackers it did not run.

Bo, Ding, Fung and Iqbal 2021. Their attacker is the network of Sari et al. (2017) trained on originals, which has never
seen what the method does; in table 1 it stands beside attackers retrained on what is released. Ten reviewers are
attacked by the ruler of all papers (`allonym.papers.ruler`), whose attackers know more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from allonym import __version__, disk, models
from allonym.anonymizers.erae import ERAE
from allonym.anonymizers.erae.recipe import DEFAULT_MODEL
from allonym.errors import InputError
from allonym.language.words import words
from allonym.papers import Asked, earlier_results, taken_over
from allonym.papers.erae import examples, tables
from allonym.papers.erae import runs as erae_runs
from allonym.papers.erae.goals import goals
from allonym.papers.erae.methods import CHEAPER, GROUPS, LOWER_LOSS, PAPER, PRIVATE, TRAINED, Methods, erae
from allonym.papers.erae.results import Amounts, EraeResults, ShippedNetwork, TrainedNetwork
from allonym.papers.erae.rows import SweepRow, TableRow
from allonym.papers.erae.runs import EraeBench, EraeMethod
from allonym.papers.ruler.grounds import IMDB62_10, NEWSGROUPS20_10, Ground
from allonym.papers.ruler.measure import measured_grounds
from allonym.papers.ruler.settings import Compared, favourites, plain_clauses, public_groups, two_set

TAKES = ("runs", "models", "work", "only", "earlier")
RUNS = 1
EPSILONS = (1.0, 3.0, 6.0)  # of two-set; the subset mechanism is run at the same losses, and at a lower one
NEUTRAL = GROUPS | {"length": "private", "style": "neutral"}
# Settings of ours that go into table 1, by name.
OURS: dict[str, dict[str, Any]] = {
    "ours: groups, private length": GROUPS | PRIVATE,
    "ours: neutral style, 3 clauses": NEUTRAL | {"sentences": 3, "words": 14, "candidates": 3},
}
# What the ruler measures: the paper's mechanism, ours of the same loss, and all that the page offers of ours.
RULED: dict[Ground, tuple[Compared, ...]] = {
    IMDB62_10: (two_set(3.0), *map(public_groups, (11.4, 8.0)), *map(plain_clauses, (1, 3, 8))),  # minutes each, so few
    NEWSGROUPS20_10: (
        two_set(3.0),
        favourites(11.4),
        public_groups(11.4),
        *(public_groups(loss, candidates=10) for loss in (LOWER_LOSS, 8.6, 8.0, 7.0)),
        *map(plain_clauses, (1, 2, 3, 5, 8)),
    ),
}

RESULTS = EraeResults
markdown = tables.markdown
figures = tables.figures


def run(asked: Asked) -> EraeResults:
    """Return everything that the tables and figures show, with what is needed to make it again.

    `asked.models` is the folder of the paper's own network, trained with and without its reward (`methods.TRAINED`).
    """
    if asked.only is not None:
        results = taken_over(asked.earlier, EraeResults)
    else:
        before = None if asked.earlier is None else earlier_results(asked.earlier, EraeResults)
        results = _tables(asked)
        results = results if before is None else _with_earlier(results, before)
    grounds = measured_grounds(RULED, asked)
    return replace(results, grounds=grounds, goals=goals(results.table_1, grounds.values()))


def _with_earlier(results: EraeResults, before: EraeResults) -> EraeResults:
    """Add the rows of trained networks that are not there now, marked, where the earlier run has them."""
    present = {model.row for model in results.models}
    absent = {model.row: replace(model, earlier=True) for model in before.models if model.row not in present}
    if not absent:
        return results
    if before.documents != results.documents:
        raise InputError("The earlier results are of other texts: leave them out, or use the same.")
    order = {row.method: number for number, row in enumerate(before.table_1)}
    table = [*results.table_1, *(replace(row, earlier=True) for row in before.table_1 if row.method in absent)]
    table.sort(key=lambda row: order.get(row.method, len(order)))
    return replace(results, table_1=tuple(table), models=(*results.models, *absent.values()))


def _tables(asked: Asked) -> EraeResults:
    """Return all but what the ruler measures."""
    bench, runs, folder = EraeBench(asked.data), asked.runs or RUNS, asked.models
    model = models.verify(DEFAULT_MODEL)
    methods = Methods(words=round(float(np.mean([len(words(text)) for text in bench.known]))), models=folder)
    network = ERAE(**PAPER).network_
    return EraeResults(
        paper="Bo, Ding, Fung and Iqbal 2021, section 5",
        version=__version__,
        command=f"allonym reproduce erae --data DIR --models DIR --runs {runs}",
        seeds=tuple(range(runs)),
        interval="95 %: bootstrap over test documents, of means over runs",
        model=ShippedNetwork(DEFAULT_MODEL, model.config["version"], _digest(model.folder), len(network.vocabulary)),
        documents=_amounts(bench),
        table_1=tuple(_table_1(bench, methods, runs, asked.report)),
        figure_2=tuple(_figure_2(bench, asked.report)),
        models=trained(folder),
        tables_2_and_3=tuple(examples.candidates(network, epsilon=PAPER["epsilon"], k=PAPER["candidates"])),
        table_4=tuple(examples.outputs(methods, erae_runs.SEED)),
    )


def _table_1(bench: EraeBench, methods: Methods, runs: int, report: Callable[[str], None]) -> Iterator[TableRow]:
    for method in [*methods.table_1, *(erae(name, parameters) for name, parameters in OURS.items())]:
        row = erae_runs.measure(bench, method, runs)
        attack = row.best("static")
        report(f"table 1, {row.method}: similarity {row.similarity:.2f}, static attack {attack and attack.accuracy}")
        yield row


def _figure_2(bench: EraeBench, report: Callable[[str], None]) -> Iterator[SweepRow]:
    for method in _swept():
        yield erae_runs.sweep(bench, method, seed=0)
        report(f"figure 2: {method.name}, loss {method.loss_per_word:.1f}")


def trained(folder: Path | None) -> tuple[TrainedNetwork, ...]:
    """Return what tells the models of a folder from others; empty without."""
    if folder is None:
        return ()
    there = {row: folder / name for row, name in TRAINED.items() if (folder / name).is_dir()}
    return tuple(TrainedNetwork(row, path.name, _digest(models.verify(path).folder)) for row, path in there.items())


def _digest(folder: Path) -> str:
    return disk.digest(folder / models.WEIGHTS)


def _amounts(bench: EraeBench) -> Amounts:
    return Amounts(
        authors=len(set(bench.test_authors)),
        known=len(bench.known),
        train=len(bench.train),
        test=len(bench.test),
        swept=len(bench.swept),
        fluency=len(erae_runs.spaced(bench.test, erae_runs.READ_FOR_FLUENCY)),
        peer_reviews=len(bench.peer),
        tokens=erae_runs.TOKENS,
    )


def _swept() -> Iterator[EraeMethod]:
    """Yield figure 2: both mechanisms over ε, in the paper's setting otherwise, and subset at a lower loss."""
    yield erae("subset", CHEAPER)
    for epsilon in EPSILONS:
        yield erae("two-set", PAPER | {"epsilon": epsilon})
        yield erae("subset", GROUPS | {"epsilon": epsilon})
