"""Section 4 of the SynTF paper on 20 newsgroups: its tables and figures, and what a learned rating adds.

Weggenmann and Kerschbaum 2018. Their attacker is WritePrints (Limited) in JStylo with naive Bayes and an SVM, retrained
on what was released; we run the same features, and n-gram attackers, which are stronger. Utility and attack are
weighted F1, each that of the better of its classifiers.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from allonym import __version__, acceleration
from allonym.errors import MissingDependencyError
from allonym.papers import Asked, taken_over
from allonym.papers.corpora.newsgroups20 import SCENARIOS, Scenario
from allonym.papers.ruler.measure import measured_grounds
from allonym.papers.syntf import tables
from allonym.papers.syntf.by_ruler import LEARNED_LOSSES, LEARNED_WORDS, ruled
from allonym.papers.syntf.rows import Bounds, Kind, Suspects, SweptSetting, SyntfResults, SyntfSetting
from allonym.papers.syntf.runs import SyntfBench, as_texts, benches, measure, panel, vectorised

RUNS = 10
EPSILONS = tuple(35 + 2.5 * step for step in range(9))

TAKES = ("runs", "work", "only", "earlier")

RESULTS = SyntfResults
markdown = tables.markdown
figures = tables.figures


@dataclass(frozen=True)
class SyntfTask:
    """A setting to measure, on which bench, for which table."""

    table: str
    kind: Kind
    setting: SyntfSetting


def run(asked: Asked) -> SyntfResults:
    """Return everything that the tables and figures show, with what is needed to make it again."""
    results = _of_the_paper(asked) if asked.only is None else taken_over(asked.earlier, SyntfResults)
    return replace(results, grounds=measured_grounds(ruled(asked.data), asked))


def _of_the_paper(asked: Asked) -> SyntfResults:
    """Return the paper's tables and figures, by its own attackers and those over n-grams."""
    data, report, runs = asked.data, asked.report, asked.runs or RUNS
    bench, learned = benches(data)
    report("Originals, vectors and scrubbed texts")
    return SyntfResults(
        paper="Weggenmann and Kerschbaum 2018, section 4",
        version=__version__,
        command=f"allonym reproduce syntf --data DIR --runs {runs}",
        seeds=tuple(range(runs)),
        interval="95 %: Student's t over runs; for texts as they are, bootstrap over test messages",
        documents={"train": int(bench.train.sum()), "test": int(bench.test.sum())},
        learned_documents={
            "reference": int(learned.reference.sum()),
            "train": int(learned.train.sum()),
            "test": int(learned.test.sum()),
        },
        suspects=tuple(_suspects(bench, scenario) for scenario in SCENARIOS),
        bounds=tuple(map(Bounds.at, range(1, 61))),
        original=as_texts(bench, bench.corpus.texts, panel(tagged=True)),
        without_reference=as_texts(learned, learned.corpus.texts, {}),
        vectorised=vectorised(bench),
        scrubbed=as_texts(bench, _scrubbed(bench.corpus.texts), panel(tagged=True)),
        settings=tuple(_settings(data, runs, report)),
    )


def _settings(data: Path, runs: int, report: Callable[[str], None]) -> Iterator[SweptSetting]:
    """Yield what SynTF releases, by setting, measured in as many processes as there are cores."""
    tasks = list(_tasks())
    with acceleration.processes(os.cpu_count()) as pool:
        for done, row in enumerate(pool.map(partial(_work, data, runs), tasks), 1):
            report(f"{done} of {len(tasks)} settings: {row.table}")
            yield row


def _suspects(bench: SyntfBench, scenario: Scenario) -> Suspects:
    """Return who is a suspect in a scenario."""
    messages = map(len, bench.suspects[scenario.name])
    authors = scenario.authors(bench.corpus)
    return Suspects(
        scenario.name, len(authors), scenario.suspects, scenario.groups, scenario.train, scenario.test, *messages
    )


def _work(data: Path, runs: int, task: SyntfTask) -> SweptSetting:
    """Measure one setting (in a process of its own, which loads the corpus once)."""
    bench = benches(data)[task.kind == "learned"]
    return SweptSetting(task.table, task.kind, measure(bench, task.setting, runs, tagged=task.table == "optimum"))


def _tasks() -> Iterator[SyntfTask]:
    """Yield every setting of table 2, the optimum first, then the learned rating beside the paper's at equal loss."""
    optimum = SyntfSetting()
    yield SyntfTask("optimum", "paper", optimum)
    for epsilon in EPSILONS:
        if epsilon != optimum.epsilon:
            yield SyntfTask("epsilon", "paper", replace(optimum, epsilon=epsilon))
    for weight in (0.0, 0.1, 0.2, 0.4):
        yield SyntfTask("spelling_weight", "paper", replace(optimum, spelling_weight=weight))
    for words in (100, 200):
        yield SyntfTask("words", "paper", replace(optimum, words=words))
    for morphology in ("lower", "orth"):
        yield SyntfTask("morphology", "paper", replace(optimum, morphology=morphology))
    yield SyntfTask("synonyms", "paper", replace(optimum, synonyms=True))
    for loss in LEARNED_LOSSES:
        plain = SyntfSetting(loss_per_word=loss, words=LEARNED_WORDS, min_documents=2)
        yield SyntfTask("learned rating", "learned", plain)
        yield SyntfTask("learned rating", "learned", replace(plain, rating="utility"))


def _scrubbed(texts: list[str]) -> list[str]:
    """Return the texts without what scrubadub takes for personal (section 4.3.1)."""
    try:
        import scrubadub
    except ImportError as error:
        raise MissingDependencyError("The scrubbing comparison needs: pip install 'allonym[reproduce]'") from error
    scrubber = scrubadub.Scrubber()
    return [scrubber.clean(text) for text in texts]
