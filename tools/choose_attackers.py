"""Try settings of the attackers, and ways to say which is the strongest, on ten reviewers who are in no report.

    python tools/choose_attackers.py --data ../shared/data   # writes results/attackers.json

The reviewers are the eleventh to the twentieth of IMDb62. With few and with many known texts of each, every setting
learns from originals and is asked about originals, and learns from all that an attacker has of a method and is asked
about its releases. Which setting the package has is marked in the file.

With all known texts, the whole panel attacks releases of several methods, and the file says what is named by the
ensemble, by whoever named most of the known texts set aside, by the one that the package calls the strongest, and by
the best of all in hindsight.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from allonym.attackers.base import Attacker
from allonym.attackers.linear import BinaryBayes, NGramSVM, WordNGramSVM
from allonym.attackers.panel import default_panel
from allonym.attackers.structure import Structure
from allonym.attackers.style_encoder import StyleEncoder
from allonym.evaluation.attack import ENSEMBLE, Attack, Attackers
from allonym.evaluation.evaluate import Bench
from allonym.evaluation.sample import Sample
from allonym.metrics.scoring import classification
from allonym.papers.ruler.grounds import SEED, review, reviewers
from allonym.papers.ruler.settings import Setting, plain_clauses, public_groups, two_set, word_substitution

RESULTS = Path(__file__).resolve().parents[1] / "results" / "attackers.json"
KNOWN = (15, 150, 800)  # texts of each author
RELEASED = 100  # of these, by the attacker himself, at most
TESTED = 30  # texts of each author
DRAWS = 2
METHODS: tuple[Setting, ...] = (plain_clauses(3), two_set(3.0))
RULED: tuple[Setting, ...] = (*METHODS, public_groups(8.0), word_substitution(6.0))
TRIED: dict[type[Attacker], tuple[str, tuple[float, ...]]] = {
    NGramSVM: ("cost", (0.1, 0.3, 1.0, 3.0)),
    WordNGramSVM: ("cost", (0.3, 1.0, 3.0)),
    BinaryBayes: ("smoothing", (0.1, 0.3, 1.0)),
    StyleEncoder: ("cost", (1.0, 3.0, 10.0)),
    Structure: ("cost", (0.03, 0.1, 0.3)),
}
SHIPPED = {StyleEncoder: 10.0}  # where the class does not tell


@dataclass(frozen=True)
class Task:
    """What attackers learn from, and what they are asked about."""

    known: int
    texts: str
    learned: list[str]
    writers: list[str]
    asked: list[list[str]]
    authors: list[str]


def main() -> None:
    """Measure, and write what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--output", type=Path, default=RESULTS)
    asked = parser.parse_args()
    sample = reviewers(10, 20, TESTED, review)(asked.data)
    rows = [row for number in KNOWN for task in tasks(fewer(sample, number), number) for row in measured(task)]
    chosen = list(rules(sample))
    about = {"reviewers": "11 to 20 of IMDb62", "tested_of_author": TESTED, "released_of_author": RELEASED}
    content = about | {"draws": DRAWS, "seed": SEED, "rows": rows, "strongest": chosen}
    asked.output.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")


def fewer(sample: Sample, known: int) -> Sample:
    """Return a sample with so many known texts of each author at most."""
    numbers: dict[str, int] = {}
    kept = []
    for place, (author, train) in enumerate(zip(sample.authors, sample.train, strict=True)):
        numbers[author] = numbers.get(author, 0) + train
        if not train or numbers[author] <= known:
            kept.append(place)
    return Sample(
        texts=[sample.texts[place] for place in kept],
        authors=[sample.authors[place] for place in kept],
        labels=None,
        train=[sample.train[place] for place in kept],
        rows=[sample.rows[place] for place in kept],
        largest_author=sample.largest_author,
    )


def tasks(sample: Sample, known: int) -> Iterator[Task]:
    """Yield originals, then what is released by each method."""
    bench = Bench(sample, RELEASED)
    lesson = bench.knowledge().lesson("static", whole=True)
    yield Task(known, "originals", lesson.texts, lesson.authors, [bench.test_texts], bench.test_authors)
    for method in METHODS:
        candidate = method.made()
        releases = bench.releases(candidate, DRAWS, SEED, lambda: None)
        knowledge = bench.knowledge(
            [each.train.texts for each in releases], candidate.before_drawing(bench.known_texts)
        )
        lesson = knowledge.lesson("informed", whole=True)
        asked = [list(each.test.texts) for each in releases]
        yield Task(known, method.name, lesson.texts, lesson.authors, asked, bench.test_authors)


def measured(task: Task) -> Iterator[dict[str, Any]]:
    """Yield a row for each setting of each attacker."""
    for kind, (parameter, values) in TRIED.items():
        for value in values:
            attacker = kind(**{parameter: value}).fit(task.learned, task.writers)
            named = [attacker.predict(texts).tolist() for texts in task.asked]
            figure = classification(task.authors, *named)["accuracy"]
            shipped = SHIPPED.get(kind, kind().get_params()[parameter])
            row = {"known_of_author": task.known, "texts": task.texts, "attacker": kind.name, parameter: value}
            yield row | {"shipped": value == shipped} | asdict(figure)
            print(*row.values(), figure, flush=True)


def rules(sample: Sample) -> Iterator[dict[str, Any]]:
    """Yield what is named of each method's releases by each way to say who is the strongest."""
    bench = Bench(sample, RELEASED)
    panel = Attackers(default_panel(), bench.knowledge(), bench.test_texts, bench.test_authors)
    for method in RULED:
        candidate = method.made()
        releases = bench.releases(candidate, DRAWS, SEED, lambda: None)
        computed = candidate.before_drawing(bench.known_texts)
        knowledge = bench.knowledge([each.train.texts for each in releases], computed)
        attacked = panel.on_releases(knowledge, [list(each.test.texts) for each in releases])
        ways: dict[str, Attack] = {
            "ensemble": next(attack for attack in attacked.attacks if attack.attacker == ENSEMBLE),
            "most of those set aside": max(attacked.attacks, key=lambda attack: attack.validated),
            "the package's": attacked.strongest(),
            "in hindsight": max(attacked.attacks, key=lambda attack: attack.headline.value),
        }
        row = {
            way: {"attacker": f"{each.attacker}, {each.setting}"} | asdict(each.headline) for way, each in ways.items()
        }
        print(method.name, row, flush=True)
        yield {"texts": method.name} | row


if __name__ == "__main__":
    main()
