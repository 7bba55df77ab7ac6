"""Measure the guard on labelled sentence pairs: how much of what a rewrite changed it finds, and how often it is wrong.

    python tools/measure_guard.py [--verbose] [--texts ../shared/data/imdb62/imdb62.parquet]

Reads tests/guard/pairs.json and writes results/guard.json. What is labelled, and how findings are compared with labels,
stands in docs/guard.md. With --verbose, what was missed and what was a false alarm is printed of the development pairs.

With --texts, one fault of each kind is planted in long texts of other people, too: a "not" left out, a number or a name
replaced. Only counts are kept. Without it, those of the last time stay.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from allonym.formats.files import open_documents
from allonym.guard import Alteration, Span, compare
from allonym.guard.report import KINDS
from allonym.language import facts

ROOT = Path(__file__).resolve().parents[1]
PAIRS, RESULT = ROOT / "tests" / "guard" / "pairs.json", ROOT / "results" / "guard.json"
SETS = ("development", "held out")
TEXTS = 200
# What is put in the place of a fact: nothing that occurs in reviews of films.
PLANTED = {"negation": "", "number": "7,717", "name": "Wilhelmina Quist"}


@dataclass(frozen=True)
class Label:
    """Something that a rewrite truly changed: its kind, and the words in both texts."""

    kind: str
    before: str | None
    after: str | None

    def met_by(self, finding: Alteration, texts: tuple[str, str]) -> bool:
        """Tell whether a finding is of this kind and touches these words in one of the texts."""
        sides = zip((self.before, self.after), (finding.before, finding.after), texts, strict=True)
        return finding.kind == self.kind and any(_touch(words, span, text) for words, span, text in sides)


@dataclass
class Tally:
    """What was found of one set of pairs, by kind."""

    labels: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    findings: Counter[str] = field(default_factory=Counter)
    in_vain: Counter[str] = field(default_factory=Counter)
    pairs: int = 0
    harmless: int = 0
    harmless_clean: int = 0

    def add(self, pair: dict[str, Any]) -> tuple[list[Label], list[Alteration]]:
        """Count a pair; return what was missed and what was a false alarm."""
        texts = pair["before"], pair["after"]
        labels = [Label(**label) for label in pair["findings"]]
        findings = compare(*texts).findings
        missed = [label for label in labels if not any(label.met_by(finding, texts) for finding in findings)]
        in_vain = [finding for finding in findings if not any(label.met_by(finding, texts) for label in labels)]
        self.labels.update(label.kind for label in labels)
        self.found.update(label.kind for label in labels if label not in missed)
        self.findings.update(finding.kind for finding in findings)
        self.in_vain.update(finding.kind for finding in in_vain)
        self.pairs += 1
        self.harmless += not labels
        self.harmless_clean += not labels and not findings
        return missed, in_vain

    def to_json(self) -> dict[str, Any]:
        """Return the counts and shares."""
        kinds = [kind for kind in KINDS if self.labels[kind] or self.findings[kind]]
        rows = [_row(kind, *(part[kind] for part in self._parts())) for kind in kinds]
        every = _row("all", *(part.total() for part in self._parts()))
        clean = {"pairs": self.harmless, "without_findings": self.harmless_clean}
        return {"pairs": self.pairs, "harmless": clean, "kinds": rows, "all": every}

    def _parts(self) -> tuple[Counter[str], ...]:
        return self.labels, self.found, self.findings, self.in_vain


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure both sets and write the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--verbose", action="store_true", help="print the faults on the development pairs")
    parser.add_argument("--texts", type=Path, help="a table with long texts, in which faults are planted")
    chosen = parser.parse_args(arguments)
    pairs = json.loads(PAIRS.read_text("utf-8"))
    result = {name: _measured(pairs, name, verbose=chosen.verbose and name == SETS[0]) for name in SETS}
    if chosen.texts:
        result["planted"] = _planted(chosen.texts)
    elif RESULT.exists():
        result["planted"] = json.loads(RESULT.read_text("utf-8"))["planted"]
    RESULT.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    for name in SETS:
        print(name, json.dumps(result[name]["all"]), json.dumps(result[name]["harmless"]))
    return 0


def _measured(pairs: Sequence[dict[str, Any]], name: str, *, verbose: bool) -> dict[str, Any]:
    tally = Tally()
    for pair in pairs:
        if pair["set"] != name:
            continue
        missed, in_vain = tally.add(pair)
        if verbose and (missed or in_vain):
            print(pair["before"], pair["after"], sep="\n  ")
            for label in missed:
                print("  missed:", label)
            for finding in in_vain:
                print("  false alarm:", finding.said)
    return tally.to_json()


def _planted(table: Path) -> dict[str, Any]:
    """Plant a fault of each kind in each text, as near its middle as can be, and count those that are found."""
    documents = [text for batch in open_documents(table, text="text") for text in batch.texts]
    texts = documents[:: max(1, len(documents) // TEXTS)][:TEXTS]
    untouched = sum(bool(compare(text, text).findings) for text in texts)
    kinds: list[dict[str, Any]] = []
    for kind, instead in PLANTED.items():
        planted = found = others = 0
        for text in texts:
            places = [fact for fact in facts.find(text, quotations=False) if _can_be_replaced(text, fact, kind)]
            if not places:
                continue
            fact = min(places, key=lambda fact: abs(2 * fact.start - len(text)))
            findings = compare(text, text[: fact.start] + instead + text[fact.end :]).findings
            planted += 1
            found += any(finding.kind == kind for finding in findings)
            others += sum(finding.kind not in (kind, "quotation") for finding in findings)
        kinds.append({"kind": kind, "planted": planted, "found": found, "others": others, "recall": found / planted})
    return {"texts": len(texts), "untouched_with_findings": untouched, "kinds": kinds}


def _can_be_replaced(text: str, fact: facts.Fact, kind: str) -> bool:
    """Tell whether a fact can be replaced as it stands: "not" can be left out, "nobody" cannot."""
    words = text[fact.start : fact.end]
    wanted = {"negation": words.lower() in ("not", "never"), "number": words.isdigit(), "name": " " in words}
    return fact.kind == kind and wanted[kind]


def _row(kind: str, labels: int, found: int, findings: int, in_vain: int) -> dict[str, Any]:
    shares = {
        "recall": found / labels if labels else None,
        "false_alarms": in_vain / findings if findings else None,
    }
    return {"kind": kind, "labels": labels, "found": found, "findings": findings, "in_vain": in_vain, **shares}


def _touch(words: str | None, span: Span | None, text: str) -> bool:
    if words is None or span is None:
        return False
    start = text.index(words)
    return span.start < start + len(words) and start < span.end


if __name__ == "__main__":
    raise SystemExit(main())
