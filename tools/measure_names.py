"""Measure on labelled sentences how much of names and the like is found, and how often something is found in vain.

    python tools/measure_names.py [--verbose]

Reads tests/names/sentences.txt, whose head says how it was labelled, and writes results/names.json. With --verbose, it
prints what was missed, and what was found in vain, of the development sentences.

A label is found if every letter and digit of it lies within what was found: only then would replacing hide it. It is
named rightly if something of its kind touches it. What touches no label was found in vain. Each sentence is read alone,
which is harder than within a text, where a name may stand again.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from scipy.stats import binomtest

from allonym import names
from allonym.metrics.figures import Figure

ROOT = Path(__file__).resolve().parents[1]
SENTENCES, RESULT = ROOT / "tests" / "names" / "sentences.txt", ROOT / "results" / "names.json"
SETS = ("development", "held out")
CODES: dict[str, names.Kind] = {
    "n": "name", "p": "place", "o": "organisation", "g": "group", "r": "role", "d": "date", "t": "time", "a": "amount",
    "ph": "phone", "e": "e-mail", "l": "link", "i": "number",
}  # fmt: skip
_LABEL = re.compile(r"\{(\w+):([^}]*)\}")


class Label(NamedTuple):
    """What a person marked: its kind, and where it stands."""

    kind: names.Kind
    start: int
    end: int


def labelled(line: str) -> tuple[str, list[Label]]:
    """Return a sentence without its marks, and what they marked."""
    text, labels, position = "", [], 0
    for match in _LABEL.finditer(line):
        text += line[position : match.start()]
        labels.append(Label(CODES[match[1]], len(text), len(text) + len(match[2])))
        text += match[2]
        position = match.end()
    return text + line[position:], labels


def sentences() -> Iterator[tuple[str, str, list[Label]]]:
    """Yield the set of each sentence, its text and its labels."""
    part = ""
    for line in SENTENCES.read_text("utf-8").splitlines():
        if line.startswith("== "):
            part = line.removeprefix("== ")
        elif line and not line.startswith("#"):
            yield part, *labelled(line)


@dataclass
class Counts:
    """What was found of one set of sentences, by kind."""

    labels: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    named: Counter[str] = field(default_factory=Counter)
    in_vain: Counter[str] = field(default_factory=Counter)
    sentences: int = 0
    words: int = 0
    bare: int = 0
    bare_with_alarm: int = 0

    def add(self, text: str, labels: Sequence[Label], *, model: bool) -> tuple[list[str], list[str]]:
        """Count a sentence; return what was missed, and what was found in vain."""
        found = names.find(text, model=model)
        covered = {place for mention in found for place in range(mention.start, mention.end)}
        missed = []
        for label in labels:
            hidden = all(place in covered for place in range(label.start, label.end) if text[place].isalnum())
            touching = {mention.kind for mention in found if _touch(mention, label)}
            self.labels[label.kind] += 1
            self.found[label.kind] += hidden
            self.named[label.kind] += label.kind in touching
            if not hidden:
                missed.append(f"{label.kind}: {text[label.start : label.end]}")
        alarms = [mention for mention in found if not any(_touch(mention, label) for label in labels)]
        self.in_vain.update(mention.kind for mention in alarms)
        self.sentences += 1
        self.words += len(text.split())
        self.bare += not labels
        self.bare_with_alarm += not labels and bool(alarms)
        return missed, [f"{mention.kind}: {text[mention.start : mention.end]}" for mention in alarms]

    def to_json(self) -> dict[str, Any]:
        """Return the counts and shares."""
        kinds = [kind for kind in names.KINDS if self.labels[kind] or self.in_vain[kind]]
        parts = (self.labels, self.found, self.named, self.in_vain)
        return {
            "sentences": self.sentences,
            "words": self.words,
            "bare": {"sentences": self.bare, "with_alarm": self.bare_with_alarm},
            "in_vain_per_1000_words": round(1000 * self.in_vain.total() / self.words, 1),
            "kinds": [_row(kind, *(part[kind] for part in parts)) for kind in kinds],
            "all": _row("all", *(part.total() for part in parts)),
        }


def _touch(one: names.Mention, other: Label) -> bool:
    return one.start < other.end and other.start < one.end


def _row(kind: str, labels: int, found: int, named: int, in_vain: int) -> dict[str, Any]:
    row: dict[str, Any] = {"kind": kind, "labels": labels, "found": found, "named": named, "in_vain": in_vain}
    if labels:
        ends = binomtest(found, labels).proportion_ci(0.95, method="wilson")
        row["recall"] = Figure(found / labels, float(ends.low), float(ends.high)).to_json()
    return row


def measure(*, model: bool, verbose: bool = False) -> dict[str, Any]:
    """Measure one way of finding on both sets."""
    counts = {part: Counts() for part in SETS}
    for part, text, labels in sentences():
        missed, in_vain = counts[part].add(text, labels, model=model)
        if verbose and part == SETS[0] and (missed or in_vain):
            print(f"{text}\n    missed {missed}, in vain {in_vain}")
    return {part: one.to_json() for part, one in counts.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure rules alone, and with the model, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--verbose", action="store_true")
    asked = parser.parse_args(arguments)
    result = {"rules": measure(model=False), "with_model": measure(model=True, verbose=asked.verbose)}
    RESULT.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    for name, sets in result.items():
        for part in SETS:
            every, bare = sets[part]["all"], sets[part]["bare"]
            print(f"{name}, {part}: {every['found']} of {every['labels']} found, {every['in_vain']} in vain, {bare}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
