"""Measure the suggestions of guided rewriting: how often there is one, what it does, and whether it can be taken.

    python tools/measure_suggestions.py --data ../shared/data report  # writes results/suggestions.json
    python tools/measure_suggestions.py --data ../shared/data read    # prints those whose label is missing

Texts: our own letters (examples/), and one text of 150 to 400 words by each of some bloggers and film reviewers who are
in no table that suggestions are chosen by. Of them nothing is kept but counts. ``--part development`` takes other
writers: rules were mended by reading theirs.

A second attacker, the style encoder, did not choose the suggestions: it has read others by the same writer, and the
likeness of the text to these is what it goes by. Whoever reads suggestions labels them by the rule in the file
tools/suggestions_read.json, which holds labels and digests, no words.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from allonym import metrics
from allonym.attackers.style_encoder import reader
from allonym.networks.style_encoder.inference import DEFAULT
from allonym.papers.corpora import blogs, imdb62
from allonym.recognition import reading, suggestions
from allonym.recognition.suggestions import Suggestion, fitting

ROOT = Path(__file__).resolve().parents[1]
RESULT, LABELS = ROOT / "results" / "suggestions.json", ROOT / "tools" / "suggestions_read.json"
LETTERS = (*sorted((ROOT / "examples" / "letters").glob("*.txt")), ROOT / "examples" / "letter.txt")
WRITERS = 40  # of each corpus
SHORTEST, LONGEST, FEWEST_KNOWN = 150, 400, 1_000  # words of a text, and of the others by its writer
MOST_KNOWN = 30_000  # characters
READ = 60


@dataclass(frozen=True)
class Sample:
    """A text, where it comes from, and others by the same writer."""

    source: str
    text: str = field(repr=False)
    others: str = field(default="", repr=False)


@dataclass
class Counts:
    """What was counted over all texts of one source."""

    texts: int = 0
    words: int = 0
    marks: Counter[str] = field(default_factory=Counter)
    marks_with: Counter[str] = field(default_factory=Counter)
    candidates: int = 0
    suggestions: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    lower_for_second: list[bool] = field(default_factory=list)
    second_drops: list[float] = field(default_factory=list)
    risks: list[tuple[float, float]] = field(default_factory=list)
    taken: int = 0
    pairs: list[tuple[str, str]] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)  # after all changes that no grammar checker has seen
    seconds: list[float] = field(default_factory=list)


def samples(data: Path, part: str) -> Iterator[Sample]:
    """Yield our letters and a text by each of some writers."""
    if part == "report":
        for path in LETTERS:
            yield Sample("letters", path.read_text("utf-8"))
    posts = blogs.load(data)
    split = "test" if part == "report" else "val"
    rows = [row for row, one in enumerate(posts.splits) if one == split]
    yield from _by_writer("blogs", [posts.texts[row] for row in rows], [str(posts.bloggers[row]) for row in rows])
    reviews = imdb62.load(data)
    half = [int(_digest(str(author)), 16) % 2 == (part == "report") for author in reviews.authors]
    kept = [row for row, wanted in enumerate(half) if wanted]
    own = [reviews.texts[row] for row in kept], [str(reviews.authors[row]) for row in kept]
    for sample in _by_writer("reviews", *own):
        yield Sample("reviews", _untokenized(sample.text), _untokenized(sample.others))


def _untokenized(text: str) -> str:
    """Return a review as it was written: the corpus has blanks around each sign."""
    text = re.sub(r'" ([^"]*) "', r'"\1"', text)
    return re.sub(r"([(\[]) ", r"\1", re.sub(r" ([.,;:!?)\]])", r"\1", text))


def _by_writer(source: str, texts: Sequence[str], writers: Sequence[str]) -> Iterator[Sample]:
    own: dict[str, list[str]] = {}
    for text, writer in zip(texts, writers, strict=True):
        own.setdefault(writer, []).append(text)
    found = 0
    for writer in sorted(own, key=_digest):
        if found == WRITERS:
            return
        ordered = sorted(own[writer], key=_digest)
        chosen = next((text for text in ordered if SHORTEST <= len(text.split()) <= LONGEST), None)
        others = " ".join(text for text in ordered if text is not chosen)[:MOST_KNOWN]
        if chosen is not None and len(others.split()) >= FEWEST_KNOWN:
            found += 1
            yield Sample(source, chosen, others)


def _digest(words: str) -> str:
    return hashlib.blake2b(words.encode("utf-8", "replace"), digest_size=8).hexdigest()


def measure(sample: Sample, counts: Counts) -> list[Suggestion]:
    """Count what is suggested for a text, and what it does; return the first suggestion of each marked place."""
    started = time.process_time()
    found = suggestions.suggest(sample.text)
    counts.seconds.append(time.process_time() - started)
    marks = [mark for mark in reading.read(sample.text, None).marks if mark.places]
    places = _places(sample.text)
    for mark in marks:
        counts.marks[mark.kind] += 1
        counts.marks_with[mark.kind] += any(_touches(one, place) for one in found.suggestions for place in mark.places)
    counts.texts += 1
    counts.words += len(sample.text.split())
    counts.candidates += found.candidates
    counts.suggestions += len(found.suggestions)
    counts.kinds.update(one.kind for one in found.suggestions)
    first = _first(found.suggestions, places)
    after = taken(sample.text, first)
    counts.taken += len(first)
    counts.pairs.append((sample.text, after))
    with patch.object(fitting, "_findings", lambda _: ()):
        counts.unchecked.append(taken(sample.text, _first(suggestions.suggest(sample.text).suggestions, places)))
    before_risk, after_risk = suggestions.risk_of(sample.text).share, suggestions.risk_of(after).share
    if before_risk is not None and after_risk is not None:
        counts.risks.append((before_risk, after_risk))
    if sample.others:
        _ask_second(sample, first, after, counts)
    return first


def _places(text: str) -> list[tuple[int, int]]:
    return [place for mark in reading.read(text, None).marks for place in mark.places]


def _touches(one: Suggestion, place: tuple[int, int]) -> bool:
    return one.start < place[1] and place[0] < one.stop


def _first(offered: Sequence[Suggestion], places: Sequence[tuple[int, int]]) -> list[Suggestion]:
    """Return the first suggestion of each marked place, none of which overlap."""
    chosen: list[Suggestion] = []
    for one in offered:
        marked = any(_touches(one, place) for place in places)
        if marked and not any(_touches(one, (other.start, other.stop)) for other in chosen):
            chosen.append(one)
    return chosen


def taken(text: str, changes: Sequence[Suggestion]) -> str:
    """Return a text with all of these changes."""
    for one in sorted(changes, key=lambda change: -change.start):
        text = text[: one.start] + one.new + text[one.stop :]
    return text


def _ask_second(sample: Sample, first: Sequence[Suggestion], after: str, counts: Counts) -> None:
    """Ask the style encoder how alike the text and the writer's others are, before and after."""
    texts = [sample.others, sample.text, after, *(taken(sample.text, [one]) for one in first)]
    vectors = reader(DEFAULT).vectors(texts)  # of length 1
    alike = (vectors[1:] @ vectors[[0]].T).toarray()[:, 0]
    counts.second_drops.append(float(alike[0] - alike[1]))
    counts.lower_for_second += [bool(value < alike[0]) for value in alike[2:]]


def summary(counts: Counts) -> dict[str, Any]:
    """Return the figures of one source."""
    before, after = ([pair[side] for pair in counts.pairs] for side in (0, 1))
    grammar = [metrics.grammar_findings(texts) for texts in (before, after, counts.unchecked)]
    meaning = metrics.cosine(before, after)
    return {
        "texts": counts.texts,
        "words": counts.words,
        "marks": sum(counts.marks.values()),
        "marks_with_a_suggestion": _share(sum(counts.marks_with.values()), sum(counts.marks.values())),
        "by_kind": {
            kind: {"marks": number, "with_a_suggestion": _share(counts.marks_with[kind], number)}
            for kind, number in sorted(counts.marks.items())
        },
        "candidates": counts.candidates,
        "suggestions": counts.suggestions,
        "suggestions_by_kind": dict(sorted(counts.kinds.items())),
        "first_suggestions": counts.taken,
        "risk_before": _mean([before for before, _ in counts.risks]),
        "risk_after_all": _mean([after for _, after in counts.risks]),
        "texts_less_risky_after_all": _mean([float(after < before) for before, after in counts.risks]),
        "second_attacker": {
            "first_suggestions": len(counts.lower_for_second),
            "lower": _mean([float(one) for one in counts.lower_for_second]),
            "texts_lower_after_all": _mean([float(drop > 0) for drop in counts.second_drops]),
            "likeness_lost": _mean(counts.second_drops),
        },
        "grammar_before": _mean(grammar[0]),
        "grammar_after_all": _mean(grammar[1]),
        "grammar_after_all_unchecked": _mean(grammar[2]),
        "meaning_kept": _mean(meaning),
        "processor_seconds_median": round(float(np.median(counts.seconds)), 3),
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _mean(values: Sequence[float] | Any) -> float | None:  # noqa: ANN401 - an array, too
    finite = [float(value) for value in values if value == value]  # NaN is unlike itself
    return round(float(np.mean(finite)), 4) if finite else None


def _key(sample: Sample, one: Suggestion) -> str:
    return _digest(f"{_digest(sample.text)} {one.start} {one.stop} {one.new}")


def chosen_to_read(found: Sequence[tuple[Sample, Suggestion]]) -> list[tuple[Sample, Suggestion]]:
    """Return the suggestions that are read: as many of each source as of the others, by their digests."""
    chosen: list[tuple[Sample, Suggestion]] = []
    for source in sorted({sample.source for sample, _ in found}):
        own = sorted((pair for pair in found if pair[0].source == source), key=lambda pair: _key(*pair))
        chosen += own[: READ // 3]
    return chosen


def labelled(found: Sequence[tuple[Sample, Suggestion]]) -> dict[str, Any]:
    """Return how many of those read are good."""
    known = json.loads(LABELS.read_text("utf-8"))
    labels = [(one.kind, known["labels"].get(_key(sample, one))) for sample, one in chosen_to_read(found)]
    read = [(kind, label) for kind, label in labels if label is not None]
    good = sum(label == "good" for _, label in read)
    bad = Counter(kind for kind, label in read if label != "good")
    return {
        "rule": known["rule"],
        "first_reading": known["first_reading"],
        "asked": len(labels),
        "read": len(read),
        "good": good,
        "share_good": _share(good, len(read)),
        "bad_by_kind": dict(bad),
    }


def show(found: Sequence[tuple[Sample, Suggestion]], *, everything: bool) -> None:
    """Print the suggestions that have no label yet."""
    known = json.loads(LABELS.read_text("utf-8"))["labels"] if LABELS.exists() else {}
    for sample, one in found if everything else chosen_to_read(found):
        if _key(sample, one) not in known:
            text = sample.text
            before, after = text[max(0, one.start - 60) : one.start], text[one.stop : one.stop + 60]
            print(
                _key(sample, one), f"[{one.kind}]", repr(f"{before}«{text[one.start : one.stop]}»→«{one.new}»{after}")
            )


def main() -> None:
    """Measure, or show what is to be read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", choices=("report", "read"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--part", choices=("report", "development"), default="report")
    parser.add_argument("--all", action="store_true", help="with read: every first suggestion")
    asked = parser.parse_args()
    suggestions.prepare()
    per_source: dict[str, Counts] = {}
    found: list[tuple[Sample, Suggestion]] = []
    for sample in samples(asked.data, asked.part):
        if asked.work == "read":
            first = _first(suggestions.suggest(sample.text).suggestions, _places(sample.text))
        else:
            first = measure(sample, per_source.setdefault(sample.source, Counts()))
        found += [(sample, one) for one in first]
    if asked.work == "read":
        show(found, everything=asked.all)
        return
    result = {source: summary(counts) for source, counts in per_source.items()}
    result["read"] = labelled(found)
    RESULT.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
