"""Sections 5.1 and 5.2 of the A4NT paper on blogs and speeches: its tables and figures, and adaptive attackers.

Shetty, Schiele and Fritz 2018. The paper attacks with one classifier trained on real text, and in one setting with a
second one. Here six attackers are trained on real text (*static*), and six on translated text (*adaptive*), which is
what somebody would do who knows of the method. All models of a folder are evaluated, and the shipped ones.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from contextlib import nullcontext
from dataclasses import dataclass, replace
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import TypeVar

import numpy as np

from allonym import __version__, acceleration
from allonym.anonymizers.a4nt.styles import SHIPPED
from allonym.errors import MissingDependencyError
from allonym.papers import Asked, taken_over
from allonym.papers.a4nt import runs, tables
from allonym.papers.a4nt.attacks import LSTM, PANEL
from allonym.papers.a4nt.by_ruler import RULED
from allonym.papers.a4nt.documents import SETTINGS, SIX, check
from allonym.papers.a4nt.earlier import Earlier
from allonym.papers.a4nt.models import EvaluatedModel, by_hand, found
from allonym.papers.a4nt.paper import AUTOENCODER, EXAMPLES, RECIPES
from allonym.papers.a4nt.runs import BALANCED, DRAWN, LIKELIEST, A4ntBench
from allonym.papers.a4nt.sizes import Sizes
from allonym.papers.a4nt.stored import (
    A4ntResults,
    LearnedRow,
    MeasuredRow,
    ModelNames,
    OperatingRow,
    Originals,
    ShownSentence,
    ShownSentences,
)
from allonym.papers.ruler.measure import measured_grounds
from allonym.papers.stored import Result

_Kind = TypeVar("_Kind", bound=Result)

RESULTS = A4ntResults
markdown = tables.markdown
figures = tables.figures

LEFT_OUT = (
    "Round-trip translation (the paper's second baseline) was an online service's, and this program opens no network. "
    "Our own `round-trip`, which needs none, is among what `--only bloggers-age,bloggers-gender` measures.",
    "The human judgements (Tables V and VI, and Figure 7, whose sentences were chosen for them) need people. Ranking "
    "by METEOR, as the operating points do, is an automatic stand-in and no judgement.",
)
TAKES = ("models", "work", "only", "earlier")


@dataclass(frozen=True)
class A4ntTask:
    """Something to measure: with which function, of what."""

    kind: str
    setting: str
    attacker: str = ""
    model: EvaluatedModel | None = None
    way: str = ""

    def __str__(self) -> str:
        return " ".join(
            filter(None, [self.kind, self.setting, self.attacker, getattr(self.model, "name", ""), self.way])
        )


def run(asked: Asked, *, sizes: Sizes | None = None, processes: int | None = None) -> A4ntResults:
    """Return everything that the tables and figures show, with what is needed to make it again.

    Args:
        asked: Its folder `work` also holds sentences of the corpora and what attackers learned from them; without one,
            a temporary folder is used.
        sizes: How much to measure.
        processes: How many at once; as many as cores by default.
    """
    check(asked.data)
    if asked.only is None:
        results = _of_the_paper(asked, sizes or Sizes(), processes)
    else:
        results = replace(taken_over(asked.earlier, A4ntResults), not_reproduced=LEFT_OUT)
    return replace(results, grounds=measured_grounds(RULED, asked))


def _of_the_paper(asked: Asked, sizes: Sizes, processes: int | None) -> A4ntResults:
    """Return all but what the ruler measures."""
    report, work, earlier = asked.report, asked.work, asked.earlier
    if find_spec("torch") is None:
        raise MissingDependencyError("The LSTM attackers need torch; get it with `pip install 'allonym[neural]'`.")
    present, problems = found(asked.models)
    tasks = list(_tasks(present))
    before = Earlier(earlier, [model.weights for model in present])
    settings = list(dict.fromkeys([*SETTINGS, *(task.setting for task in tasks), *before.settings]))
    if work is not None:
        work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() if work is None else nullcontext(work) as folder:
        bench = A4ntBench(asked.data, sizes, Path(folder))
        learning = [A4ntTask("learn", setting, name) for setting in settings for name in PANEL]
        first = [*learning, *(A4ntTask("originals", setting) for setting in settings)]
        done = _all(bench, first, report, processes)
        before.check(sizes, runs.meteor_name(), _of(done, LearnedRow))
        done += _all(bench, tasks, report, processes)
    evaluated = [*(model.listed() for model in present), *before.models]
    return A4ntResults(
        paper="Shetty, Schiele and Fritz 2018, sections 5.1 and 5.2",
        version=__version__,
        command="allonym reproduce a4nt --data DIR --models DIR" + (" --earlier FILE" if earlier else ""),
        sizes=sizes,
        interval="95 %, bootstrap over test documents (F1) or sentences (the rest); no model is trained again",
        meteor=runs.meteor_name(),
        models=evaluated,
        not_evaluated=[*problems, *_missing(evaluated)],
        not_reproduced=LEFT_OUT,
        originals=_of(done, Originals),
        attackers=_of(done, LearnedRow),
        measured=[*_of(done, MeasuredRow), *before.measured],
        operating_points=[*_of(done, OperatingRow), *before.operating_points],
        examples=_of(done, ShownSentences),
    )


def _of(done: Sequence[tuple[A4ntTask, Result]], kind: type[_Kind]) -> list[_Kind]:
    """Return the results of a kind."""
    return [result for _, result in done if isinstance(result, kind)]


def _missing(evaluated: Sequence[ModelNames]) -> list[str]:
    """Name the paper's models that are not there."""
    there = {model.kind for model in evaluated}
    wanted = product(SETTINGS, ("paper",), RECIPES)
    return ["{}: no model {} {}".format(*kind) for kind in wanted if kind not in there]


def _tasks(present: Sequence[EvaluatedModel]) -> Iterator[A4ntTask]:
    """Yield what to measure of each model."""
    for model in present:
        settings = (model.trained_for,) if model.trained_for != SIX else ("blog-age", "blog-gender", SIX)
        for setting in settings:
            yield A4ntTask("measure", setting, model=model, way=LIKELIEST if model.variant == "paper" else DRAWN)
            if _offered(model):
                yield A4ntTask("measure", setting, model=model, way=BALANCED)
        if _offered(model) and model.trained_for in EXAMPLES:
            yield A4ntTask("examples", model.trained_for, model=model)
        papers = model.variant == "paper" and model.trained_for == "blog-age" and model.recipe != AUTOENCODER
        if papers or _offered(model):
            yield A4ntTask("operating", model.trained_for, model=model)


def _offered(model: EvaluatedModel) -> bool:
    """Tell whether a model is shipped: only of these the method's own choice among translations is evaluated."""
    return model.name.startswith(SHIPPED)


def _work(bench: A4ntBench, task: A4ntTask) -> Result:
    """Do one task; those without a model are about the original text."""
    if task.kind == "learn":
        return runs.learn(bench, task.setting, task.attacker)
    if task.model is None:
        return runs.originals(bench, task.setting)
    if task.kind == "operating":
        return runs.operating_points(bench, task.model, chooses=_offered(task.model))
    if task.kind == "examples":
        return _examples(bench, task.model)
    return runs.measure(bench, task.model, task.setting, task.way)


def _examples(bench: A4ntBench, model: EvaluatedModel) -> ShownSentences:
    """Tables VII and VIII: sentences written for this purpose, with the classifier's score of their class."""
    judge = bench.judge(model.trained_for, LSTM)
    rows = []
    for source, sentences in EXAMPLES[model.trained_for].items():
        column = judge.attacker.classes_.tolist().index(source)
        new = by_hand(model, sentences, source, "balanced")
        before, after = (np.exp(judge.sentence_scores(texts)[:, column]) for texts in (sentences, new))
        for old, now, score_before, score_after in zip(sentences, new, before.tolist(), after.tolist(), strict=True):
            rows.append(ShownSentence(source, old, now, score_before, score_after))
    return ShownSentences(model.trained_for, model.name, rows)


def _all(
    bench: A4ntBench, tasks: Sequence[A4ntTask], report: Callable[[str], None], processes: int | None
) -> list[tuple[A4ntTask, Result]]:
    """Do tasks, some at once; return them in their order."""
    results: dict[A4ntTask, Result] = {}

    def done(task: A4ntTask, result: Result) -> None:
        results[task] = result
        report(f"{len(results)} of {len(tasks)}: {task}")

    at_once = min(processes or os.cpu_count() or 1, max(1, len(tasks)))
    if at_once == 1:
        for task in tasks:
            done(task, _work(bench, task))
    else:
        with acceleration.processes(at_once, _alone) as pool:
            waiting = {pool.submit(_work, bench, task): task for task in tasks}
            for future in as_completed(waiting):
                done(waiting[future], future.result())
    return [(task, results[task]) for task in tasks]


def _alone() -> None:
    """Keep libraries from starting a thread for every core in every process."""
    import torch
    from threadpoolctl import threadpool_limits

    torch.set_num_threads(1)
    threadpool_limits(1)
