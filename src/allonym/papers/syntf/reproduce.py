"""Section 4 of the SynTF paper on 20 newsgroups: its tables and figures, and what a learned rating adds.

Weggenmann and Kerschbaum 2018. Their attacker is WritePrints (Limited) in JStylo with naive Bayes and an SVM, retrained
on what was released; we run the same features, and n-gram attackers, which are stronger. Utility and attack are
weighted F1, each that of the better of its classifiers.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from allonym import __version__, acceleration
from allonym.errors import InputError, MissingDependencyError
from allonym.papers import Asked, Results, earlier_results, taken_over
from allonym.papers.corpora.newsgroups20 import SCENARIOS, Scenario
from allonym.papers.ruler.measure import stored_grounds
from allonym.papers.stored import Json, Kept
from allonym.papers.syntf import figures as drawn
from allonym.papers.syntf import tables, weka
from allonym.papers.syntf.by_ruler import LEARNED_LOSSES, LEARNED_WORDS, ruled
from allonym.papers.syntf.rows import SKIPGRAM, Bounds, Kind, Reached, Suspects, SweptSetting, SyntfSetting
from allonym.papers.syntf.runs import SyntfBench, as_texts, benches, measure, panel, quoted_bench, vectorised
from allonym.papers.syntf.usefulness import of_vocabulary

RUNS = 10
EPSILONS = tuple(35 + 2.5 * step for step in range(9))

TAKES = ("runs", "work", "only", "earlier")
_OF_THE_PAPER = ("paper", "version", "command", "seeds", "interval", "documents", "learned_rating_documents",
                 "table_1", "figure_1", "original", "original_without_reference", "vectorised", "scrubbed",
                 "settings")  # fmt: skip
# What the paper names or proves and does not measure: parts that may be missing, and be measured alone.
_FURTHER = {
    "bounds": ("theorem_3_6", "corollary_3_7"),
    "weka": ("weka",),
    "quotes": ("original_quoted",),
    "composition": (),
    "vectors": (),
    "spelling": (),
}
_FURTHER_PARTS = tuple(part for parts in _FURTHER.values() for part in parts)

markdown = tables.markdown
figures = drawn.figures


@dataclass(frozen=True)
class SyntfTask:
    """A setting to measure, on which bench, for which table."""

    table: str
    kind: Kind
    setting: SyntfSetting


def run(asked: Asked) -> Results:
    """Return everything that the tables and figures show, with what is needed to make it again.

    `asked.only` may name further parts of the paper (`_FURTHER`) beside texts of the ruler.
    """
    names = None if asked.only is None else [name.strip() for name in asked.only.split(",")]
    wanted = None if names is None else [name for name in names if name in _FURTHER]
    results = _of_the_paper(asked, wanted) if wanted is None or wanted else _taken_over(asked.earlier)
    if names is not None:
        asked = replace(asked, only=",".join(name for name in names if name not in _FURTHER))
    results["grounds"] = stored_grounds(ruled(asked.data), asked)
    return results


def _taken_over(path: Path | None) -> Results:
    """Return the paper's tables of an earlier run, and what it has of the further parts."""
    results = taken_over(path, _OF_THE_PAPER)
    if path is not None:
        with earlier_results(path) as stored:
            results |= {part: stored[part] for part in _FURTHER_PARTS if part in stored}
            results["settings"] = [SweptSetting.from_json(row).to_json() for row in stored["settings"]]
    return results


def _of_the_paper(asked: Asked, wanted: Sequence[str] | None) -> Results:
    """Return the paper's tables and figures, by its own attackers and those over n-grams.

    What an earlier run has of the same texts is taken over, and the rest is measured: all of it, or what is wanted.
    """
    results = _about(asked.data, asked.runs or RUNS)
    before = _earlier(asked.earlier, results)
    if wanted is not None:
        taken_over(asked.earlier, _OF_THE_PAPER)  # or refuse
    run_of = {name: results[name] for name in ("version", "seeds", "documents")}
    kept = Kept(asked.work and asked.work / "syntf", run_of)
    chosen = set(_FURTHER if wanted is None else wanted)
    for name, made in _parts(asked.data, asked.runs or RUNS, chosen).items():
        results |= {part: before[part] for part in made.parts if part in before}
        if not set(made.parts) <= set(results):
            results |= kept.part([name], made.make)
            asked.report(name)
    results |= {part: before[part] for part in _FURTHER_PARTS if part in before}
    tasks = [task for task in _tasks() if wanted is None or task.table in wanted]
    results["settings"] = _settings(asked, tasks, before.get("settings", []), kept)
    return results


def _about(data: Path, runs: int) -> Results:
    """Return what the results are of, and what takes no measuring."""
    bench, learned = benches(data)
    return {
        "paper": "Weggenmann and Kerschbaum 2018, section 4",
        "version": __version__,
        "command": f"allonym reproduce syntf --data DIR --runs {runs}",
        "seeds": list(range(runs)),
        "interval": "95 %: Student's t over runs; for texts as they are, bootstrap over test messages",
        "documents": {"train": int(bench.train.sum()), "test": int(bench.test.sum())},
        "learned_rating_documents": {
            "reference": int(learned.reference.sum()),
            "train": int(learned.train.sum()),
            "test": int(learned.test.sum()),
        },
        "table_1": [_suspects(bench, scenario).to_json() for scenario in SCENARIOS],
        "figure_1": [Bounds.at(epsilon).to_json() for epsilon in range(1, 61)],
    }


@dataclass(frozen=True)
class _Made:
    """Parts of the results, and what measures them."""

    parts: tuple[str, ...]
    make: Callable[[], Json]


def _parts(data: Path, runs: int, further: Collection[str]) -> dict[str, _Made]:
    """Return all parts that are no settings of SynTF, by name: the paper's tables, and these further ones."""
    bench, learned = benches(data)

    def texts(name: str, of: Callable[[], Reached]) -> _Made:
        return _Made((name,), lambda: {name: of().to_json()})

    def bounds() -> Json:
        terms, weight = bench.fitted(SyntfSetting()).vocabulary_, SyntfSetting().spelling_weight
        useful, needed = of_vocabulary(terms, bench.embeddings, spelling_weight=weight)
        return {"theorem_3_6": [row.to_json() for row in useful], "corollary_3_7": [row.to_json() for row in needed]}

    def quoted() -> Reached:
        return as_texts(quoted_bench(data), quoted_bench(data).corpus.texts, panel(tagged=False))

    tagged = panel(tagged=True)
    made = {
        "original": texts("original", lambda: as_texts(bench, bench.corpus.texts, tagged)),
        "without reference": texts("original_without_reference", lambda: as_texts(learned, learned.corpus.texts, {})),
        "vectorised": texts("vectorised", lambda: vectorised(bench)),
        "scrubbed": texts("scrubbed", lambda: as_texts(bench, _scrubbed(bench.corpus.texts), tagged)),
        "bounds": _Made(_FURTHER["bounds"], bounds),
        "quotes": texts("original_quoted", quoted),
        "weka": _Made(_FURTHER["weka"], lambda: {"weka": weka.attacks(bench, runs).to_json()}),
    }
    return {name: each for name, each in made.items() if name in further or name not in _FURTHER}


def _earlier(path: Path | None, results: Results) -> Results:
    """Return an earlier run of the same texts with the same seeds; nothing without one.

    Raises:
        InputError: It is of others.
    """
    if path is None:
        return {}
    with earlier_results(path) as stored:
        fits = all(stored[name] == results[name] for name in ("seeds", "documents", "table_1"))
        stored["settings"] = [SweptSetting.from_json(row).to_json() for row in stored["settings"]]
    if not fits:
        raise InputError(f"{path} is of other texts or seeds: leave --earlier out, or give the same --runs.")
    return stored


def _settings(asked: Asked, tasks: Sequence[SyntfTask], before: Sequence[Json], kept: Kept) -> list[Json]:
    """Return a row for each setting, in the order of the tables; those of an earlier run are taken over."""
    done = {_key(row.table, row.bench, row.setting): row for row in map(SweptSetting.from_json, before)}
    missing = [task for task in tasks if _key(task.table, task.kind, task.setting) not in done]
    if missing:
        work = partial(_work, asked.data, asked.runs or RUNS, kept)
        with acceleration.processes(os.cpu_count()) as pool:
            for task, row in zip(missing, pool.map(work, missing), strict=True):
                done[_key(task.table, task.kind, task.setting)] = row
                asked.report(f"{task.table}: {', '.join(map(str, asdict(task.setting).values()))}")
    order = [_key(task.table, task.kind, task.setting) for task in _tasks()]
    return [done[key].to_json() for key in order if key in done]


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

    def made() -> Json:
        measured = measure(bench, task.setting, runs, tagged=task.table == "optimum")
        return SweptSetting(task.table, task.kind, measured).to_json()

    return SweptSetting.from_json(kept.part([task.table, task.kind, *map(str, asdict(task.setting).values())], made))


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
