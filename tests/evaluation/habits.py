"""Tables with authors of known habits."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from allonym.evaluation.sample import Sample, read_sample
from allonym.randomness import insecure

TOPICS = {"boats": ["harbour", "sail", "mast", "anchor"], "bread": ["flour", "oven", "crust", "yeast"]}
HABITS = {"ada": "Well, one sees {} and {}; indeed.", "ben": "so {} is great, {} too!!", "cleo": "There is {} - or {}."}
WORDS = [word for words in TOPICS.values() for word in words]


def rows(counts: dict[str, int], seed: int = 1) -> list[dict[str, str]]:
    """Return texts about two topics, so many of each author."""
    rng, made = insecure(seed), []
    for author, count in counts.items():
        for number in range(count):
            topic = list(TOPICS)[number % 2]
            one, other = rng.below(4, (2,))
            text = HABITS.get(author, "{} {}").format(TOPICS[topic][one], TOPICS[topic][other])
            made.append({"text": f"{text} {text}", "author": author, "topic": topic})
    return made


def write(path: Path, made: list[dict[str, str]]) -> Path:
    """Write a table."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(made[0]))
        writer.writeheader()
        writer.writerows(made)
    return path


def read(folder: Path, made: list[dict[str, str]], **options: Any) -> Sample:
    """Return the sample of a table."""
    return read_sample(write(folder / "table.csv", made), text="text", author="author", **options)
