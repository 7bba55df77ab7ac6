"""Section 4 of the SynTF paper on 20 newsgroups: its tables and figures, and what a learned rating adds.

Weggenmann and Kerschbaum 2018. Their attacker is WritePrints (Limited) in JStylo with naive Bayes and an SVM, retrained
on what was released; we run the same features, and n-gram attackers, which are stronger. Utility and attack are
weighted F1, each that of the better of its classifiers.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from allonym import __version__, acceleration
from allonym.errors import InputError, MissingDependencyError
from allonym.papers import Asked, taken_over
from allonym.papers.corpora.newsgroups20 import SCENARIOS, Scenario
from allonym.papers.ruler.measure import measured_grounds
from allonym.papers.stored import Kept, Result
from allonym.papers.syntf import figures as drawn
from allonym.papers.syntf import tables, weka
from allonym.papers.syntf.by_ruler import LEARNED_LOSSES, LEARNED_WORDS, ruled
from allonym.papers.syntf.rows import (
    SKIPGRAM,
    Bounds,
    Kind,
    Reached,
    Suspects,
    SweptSetting,
    SyntfResults,
    SyntfSetting,
    WekaAttacks,
)
from allonym.papers.syntf.runs import SyntfBench, as_texts, benches, measure, panel, quoted_bench, vectorised
from allonym.papers.syntf.usefulness import GoodOutputs, of_vocabulary

RUNS = 10
EPSILONS = tuple(35 + 2.5 * step for step in range(9))

TAKES = ("runs", "work", "only", "earlier")
# What the paper names or proves and does not measure: parts that may be missing, and be measured alone.
_FURTHER = ("bounds", "weka", "quotes", "composition", "vectors", "spelling")
_NOT_MEASURED = (None, GoodOutputs())  # how a part is where it is missing

RESULTS = SyntfResults
markdown = tables.markdown
figures = drawn.figures


@dataclass(frozen=True)
class SyntfTask:
    """A setting to measure, on which bench, for which table."""

    table: str
    kind: Kind
    setting: SyntfSetting


def run(asked: Asked) -> SyntfResults:
    """Return everything that the tables and figures show, with what is needed to make it again.

    `asked.only` may name further parts of the paper (`_FURTHER`) beside texts of the ruler.
    """
    names = None if asked.only is None else [name.strip() for name in asked.only.split(",")]
    wanted = None if names is None else [name for name in names if name in _FURTHER]
    results = _of_the_paper(asked, wanted) if wanted is None or wanted else taken_over(asked.earlier, SyntfResults)
    if names is not None:
        asked = replace(asked, only=",".join(name for name in names if name not in _FURTHER))
    return replace(results, grounds=measured_grounds(ruled(asked.data), asked))


def _of_the_paper(asked: Asked, wanted: Sequence[str] | None) -> SyntfResults:
    """Return the paper's tables and figures, by its own attackers and those over n-grams.

    What an earlier run has of the same texts is taken over, and the rest is measured: all of it, or what is wanted.
    """
    runs = asked.runs or RUNS
    about = _about(asked.data, runs)
    before = None if wanted is None and asked.earlier is None else _earlier(asked.earlier, about)
    kept = Kept(asked.work and asked.work / "syntf", {name: about[name] for name in ("version", "seeds", "documents")})
    parts: dict[str, Any] = {}
    for name, part in _parts(asked.data, runs).items():
        stored = getattr(before, part.field, None)
        if stored not in _NOT_MEASURED:
            parts[part.field] = stored
        elif wanted is None or name in wanted:
            parts[part.field] = kept.part([name], part.kind, part.make)
            asked.report(name)
    tasks = [task for task in _tasks() if wanted is None or task.table in wanted]
    settings = _settings(asked, tasks, () if before is None else before.settings, kept)
    return SyntfResults(**about, **parts, settings=settings)


def _about(data: Path, runs: int) -> dict[str, Any]:
    """Return the parts that say what the results are of, and those that take no measuring."""
    bench, learned = benches(data)
    return {
        "paper": "Weggenmann and Kerschbaum 2018, section 4",
        "version": __version__,
        "command": f"allonym reproduce syntf --data DIR --runs {runs}",
        "seeds": tuple(range(runs)),
        "interval": "95 %: Student's t over runs; for texts as they are, bootstrap over test messages",
        "documents": {"train": int(bench.train.sum()), "test": int(bench.test.sum())},
        "learned_documents": {
            "reference": int(learned.reference.sum()),
            "train": int(learned.train.sum()),
            "test": int(learned.test.sum()),
        },
        "suspects": tuple(_suspects(bench, scenario) for scenario in SCENARIOS),
        "bounds": tuple(map(Bounds.at, range(1, 61))),
    }


@dataclass(frozen=True)
class _Part:
    """A part of the results that takes measuring and is no setting of SynTF, what it is, and what measures it."""

    field: str
    kind: type[Result]
    make: Callable[[], Result]


def _parts(data: Path, runs: int) -> dict[str, _Part]:
    """Return all parts that are no settings of SynTF, by name: the paper's tables, then further ones."""
    bench, learned = benches(data)

    def bounds() -> GoodOutputs:
        terms, weight = bench.fitted(SyntfSetting()).vocabulary_, SyntfSetting().spelling_weight
        return of_vocabulary(terms, bench.embeddings, spelling_weight=weight)

    def quoted() -> Reached:
        return as_texts(quoted_bench(data), quoted_bench(data).corpus.texts, panel(tagged=False))

    def scrubbed() -> Reached:
        return as_texts(bench, _scrubbed(bench.corpus.texts), tagged)

    tagged = panel(tagged=True)
    return {
        "original": _Part("original", Reached, lambda: as_texts(bench, bench.corpus.texts, tagged)),
        "without reference": _Part("without_reference", Reached, lambda: as_texts(learned, learned.corpus.texts, {})),
        "vectorised": _Part("vectorised", Reached, lambda: vectorised(bench)),
        "scrubbed": _Part("scrubbed", Reached, scrubbed),
        "bounds": _Part("good_outputs", GoodOutputs, bounds),
        "quotes": _Part("quoted", Reached, quoted),
        "weka": _Part("weka", WekaAttacks, lambda: weka.attacks(bench, runs)),
    }


def _earlier(path: Path | None, about: Mapping[str, Any]) -> SyntfResults:
    """Return an earlier run of the same texts with the same seeds.

    Raises:
        InputError: There is none, or it is of others.
    """
    stored = taken_over(path, SyntfResults)
    if any(getattr(stored, name) != about[name] for name in ("seeds", "documents", "suspects")):
        raise InputError(f"{path} is of other texts or seeds: leave --earlier out, or give the same --runs.")
    return stored


def _settings(
    asked: Asked, tasks: Sequence[SyntfTask], before: Sequence[SweptSetting], kept: Kept
) -> tuple[SweptSetting, ...]:
    """Return a row for each setting, in the order of the tables; those of an earlier run are taken over."""
    done = {_key(row.table, row.bench, row.setting): row for row in before}
    missing = [task for task in tasks if _key(task.table, task.kind, task.setting) not in done]
    if missing:
        work = partial(_work, asked.data, asked.runs or RUNS, kept)
        with acceleration.processes(os.cpu_count()) as pool:
            for task, row in zip(missing, pool.map(work, missing), strict=True):
                done[_key(task.table, task.kind, task.setting)] = row
                asked.report(f"{task.table}: {', '.join(map(str, asdict(task.setting).values()))}")
    order = [_key(task.table, task.kind, task.setting) for task in _tasks()]
    return tuple(done[key] for key in order if key in done)


def _key(table: str, kind: Kind, setting: SyntfSetting) -> tuple[str, Kind, SyntfSetting]:
    """Return what tells a row from others: not the ε that a loss was solved for."""
    return table, kind, setting if setting.loss_per_word is None else replace(setting, epsilon=0.0)


def _suspects(bench: SyntfBench, scenario: Scenario) -> Suspects:
    """Return who is a suspect in a scenario."""
    messages = map(len, bench.suspects[scenario.name])
    authors = scenario.authors(bench.corpus)
    return Suspects(
        scenario.name, len(authors), scenario.suspects, scenario.groups, scenario.train, scenario.test, *messages
    )


def _work(data: Path, runs: int, kept: Kept, task: SyntfTask) -> SweptSetting:
    """Measure one setting (in a process of its own, which loads the corpus once)."""
    bench = quoted_bench(data) if task.kind == "quoted" else benches(data)[task.kind == "learned"]

    def made() -> SweptSetting:
        return SweptSetting(task.table, task.kind, measure(bench, task.setting, runs, tagged=task.table == "optimum"))

    return kept.part([task.table, task.kind, *map(str, asdict(task.setting).values())], SweptSetting, made)


def _tasks() -> Iterator[SyntfTask]:
    """Yield every setting of table 2, the optimum first, then what the paper leaves open, each at that optimum.

    Last comes the learned rating beside the paper's at equal loss.
    """
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
    yield SyntfTask("composition", "paper", replace(optimum, composition="tf-idf"))
    yield SyntfTask("vectors", "paper", replace(optimum, vectors=SKIPGRAM))
    for spelling in ("trigrams", "levenshtein"):
        yield SyntfTask("spelling", "paper", replace(optimum, spelling=spelling))
    yield SyntfTask("quotes", "quoted", optimum)
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
