"""Section 5 of the ER-AE paper: its tables and figure 2 on real data, and the attackers it did not run.

Bo, Ding, Fung and Iqbal 2021. Their attacker is the network of Sari et al. (2017) trained on originals, which has never
seen what the method does; in table 1 it stands beside attackers retrained on what is released. Ten reviewers are
attacked by the ruler of all papers (`allonym.papers.ruler`), whose attackers know more.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from allonym import __version__, disk, models
from allonym.anonymizers.erae import ERAE
from allonym.anonymizers.erae.recipe import DEFAULT_MODEL
from allonym.errors import InputError
from allonym.language.words import words
from allonym.papers import EARLIER, Asked, Results, taken_over
from allonym.papers.erae import examples, tables
from allonym.papers.erae import runs as erae_runs
from allonym.papers.erae.goals import goals
from allonym.papers.erae.methods import CHEAPER, GROUPS, LOWER_LOSS, PAPER, PRIVATE, TRAINED, Methods, erae
from allonym.papers.erae.runs import EraeBench, EraeMethod
from allonym.papers.ruler.grounds import IMDB62_10, NEWSGROUPS20_10, Ground
from allonym.papers.ruler.measure import stored_grounds
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

# What is of the paper's own tables in the results.
_OF_THE_PAPER = ("paper", "version", "command", "seeds", "interval", "model", "documents", "table_1", "figure_2",
                 "models", "tables_2_and_3", "table_4")  # fmt: skip

markdown = tables.markdown
figures = tables.figures


def run(asked: Asked) -> Results:
    """Return everything that the tables and figures show, with what is needed to make it again.

    `asked.models` is the folder of the paper's own network, trained with and without its reward (`methods.TRAINED`).
    """
    before: Results = {"table_1": [], "models": []}
    if asked.only is not None or asked.earlier is not None:
        before = taken_over(asked.earlier, _OF_THE_PAPER)
    results = before if asked.only is not None else _with_earlier(_tables(asked), before)
    results["grounds"] = stored_grounds(RULED, asked)
    results["goals"] = [goal.to_json() for goal in goals(results)]
    return results


def _with_earlier(results: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """Add the rows of trained networks that are not there now, marked, where the earlier run has them."""
    present = {model["row"] for model in results["models"]}
    absent = [model for model in before["models"] if model["row"] not in present]
    if absent and before["documents"] != results["documents"]:
        raise InputError("The earlier results are of other texts: leave them out, or use the same.")
    rows = {row["method"]: row | {EARLIER: True} for row in before["table_1"]}
    order = [row["method"] for row in before["table_1"]] if absent else []
    results["table_1"] += [rows[model["row"]] for model in absent]
    results["table_1"].sort(key=lambda row: order.index(row["method"]) if row["method"] in order else len(order))
    results["models"] += [model | {EARLIER: True} for model in absent]
    return results


def _tables(asked: Asked) -> Results:
    """Return all but what the ruler measures."""
    bench, report, runs, folder = EraeBench(asked.data), asked.report, asked.runs or RUNS, asked.models
    results = _about(bench, runs)
    methods = Methods(words=round(float(np.mean([len(words(text)) for text in bench.known]))), models=folder)
    results["models"] = trained(folder)
    for row in [*methods.table_1, *(erae(name, parameters) for name, parameters in OURS.items())]:
        measured = erae_runs.measure(bench, row, runs)
        results["table_1"].append(measured.to_json())
        attack = measured.best("static")
        report(f"table 1, {row.name}: similarity {measured.similarity:.2f}, static attack {attack and attack.accuracy}")
    for method in _swept():
        results["figure_2"].append(erae_runs.sweep(bench, method, seed=0).to_json())
        report(f"figure 2: {method.name}, loss {method.loss_per_word:.1f}")
    network = ERAE(**PAPER).network_
    places = examples.candidates(network, epsilon=PAPER["epsilon"], k=PAPER["candidates"])
    results["tables_2_and_3"] = [candidate.to_json() for candidate in places]
    results["table_4"] = [example.to_json() for example in examples.outputs(methods, erae_runs.SEED)]
    return results


def trained(folder: Path | None) -> list[dict[str, Any]]:
    """Return what tells the models of a folder from others; empty without."""
    models_there = []
    for row, name in TRAINED.items():
        if folder is not None and (folder / name).is_dir():
            model = models.verify(folder / name)
            models_there.append({"row": row, "name": name, "weights_sha256": _digest(model.folder)})
    return models_there


def _digest(folder: Path) -> str:
    return disk.digest(folder / models.WEIGHTS)


def _about(bench: EraeBench, runs: int) -> dict[str, Any]:
    """Return what the results are of, with room for them."""
    model = models.verify(DEFAULT_MODEL)
    return {
        "paper": "Bo, Ding, Fung and Iqbal 2021, section 5",
        "version": __version__,
        "command": f"allonym reproduce erae --data DIR --models DIR --runs {runs}",
        "seeds": list(range(runs)),
        "interval": "95 %: bootstrap over test documents, of means over runs",
        "model": {
            "name": DEFAULT_MODEL,
            "version": model.config["version"],
            "weights_sha256": _digest(model.folder),
            "words": len(ERAE().network_.vocabulary),
        },
        "documents": {
            "authors": len(set(bench.test_authors)),
            "known": len(bench.known),
            "train": len(bench.train),
            "test": len(bench.test),
            "swept": len(bench.swept),
            "fluency": len(erae_runs.spaced(bench.test, erae_runs.READ_FOR_FLUENCY)),
            "peer_reviews": len(bench.peer),
            "tokens": erae_runs.TOKENS,
        },
        "table_1": [],
        "figure_2": [],
    }


def _swept() -> Iterator[EraeMethod]:
    """Yield figure 2: both mechanisms over ε, in the paper's setting otherwise, and subset at a lower loss."""
    yield erae("subset", CHEAPER)
    for epsilon in EPSILONS:
        yield erae("two-set", PAPER | {"epsilon": epsilon})
        yield erae("subset", GROUPS | {"epsilon": epsilon})
