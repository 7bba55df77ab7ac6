"""Make the table that ships as `bloggers-en`: the style of a thousand bloggers as numbers, no text of any.

    python tools/build_bloggers.py --data ../shared/data

The thousand are training bloggers of the style encoder, the only ones of whom there are so many, drawn by a hash among
those with enough words. Validation bloggers give what is usual (how near a writer's text lies to their other texts,
what that is worth); test bloggers, of whom the encoder has learned nothing and on whom nothing here was chosen, how
often they are picked. No post is in both a known text and a text asked about.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from build_style_profile import Writers, by_digest, pieces, read_blogs
from numpy.typing import NDArray

from allonym import models
from allonym.metrics import scoring
from allonym.metrics.figures import Figure
from allonym.recognition import crowd
from allonym.recognition.crowd import FORMAT, MODEL, VERSION, Crowd
from allonym.recognition.profile_features import count_plain_words

WRITERS = 1_000
KNOWN = (500, 1_500, 3_500)  # words of each writer
LENGTHS = (100, 200, 400, 800, 1_600)  # of texts asked about
TEXTS = 3  # of each writer and length, at most
CLASSES = 3  # of company: none, little, much
FEWEST = 30  # texts of a class
FOLDER = Path(__file__).resolve().parents[1] / "src" / "allonym" / "models" / MODEL

Floats = NDArray[np.float64]
Numbers = tuple[float, float, float]


@dataclass(frozen=True)
class Asked:
    """Texts of one length by held-out writers, so much else being known of each."""

    known: int  # the place among `KNOWN`
    words: int
    own: NDArray[np.int64]  # writers × D: their other texts, rounded
    owners: NDArray[np.int64]  # the row of `own` that each text belongs to
    texts: NDArray[np.int64]  # texts × D
    table: Crowd

    @cached_property
    def cosines(self) -> Floats:
        """Of texts and the crowd."""
        return self.table.cosines(self.texts, self.known)

    @cached_property
    def likeness(self) -> Floats:
        """Of each text and its writer's other texts."""
        return self._beside(0)

    @property
    def ahead(self) -> NDArray[np.int64]:
        """How many of the crowd lie nearer to each text than its writer does."""
        return np.asarray((self.cosines > self.likeness[:, None]).sum(axis=1))

    def pairs(self) -> tuple[Floats, NDArray[np.bool_]]:
        """Return the signals of texts beside their writers', and beside the next writer's, other texts."""
        both = [self._beside(shift) for shift in (0, 1)]
        rows = [crowd.signals(one, row) for likeness in both for one, row in zip(likeness, self.cosines, strict=True)]
        return np.array(rows), np.repeat([True, False], len(self.texts))

    def of_writers(self, values: NDArray[Any], among: NDArray[np.bool_] | None = None) -> Figure:
        """Return the mean of a figure of each text, each writer weighing the same, with an interval over writers."""
        among = np.ones(len(values), dtype=bool) if among is None else among
        means = [values[among & (self.owners == writer)].mean() for writer in np.unique(self.owners[among])]
        return scoring.bootstrap(means)

    def _beside(self, shift: int) -> Floats:
        owners = (self.owners + shift) % len(self.own)
        return np.array([crowd.cosine(text, self.own[owner]) for text, owner in zip(self.texts, owners, strict=True)])


def split(posts: Sequence[str], known: int) -> tuple[list[str], Sequence[str]]:
    """Return what is known of a writer, in one piece, and the posts after it."""
    words = 0
    for number, post in enumerate(posts, 1):
        words += count_plain_words(post)
        if words >= known:
            return pieces(posts[:number], known, 1), posts[number:]
    return [], []


@dataclass(frozen=True)
class Held:
    """Held-out writers with enough words: what is known of each, and their later posts."""

    known: int  # the place among `KNOWN`
    own: NDArray[np.int64]  # writers × D
    later: list[Sequence[str]]
    table: Crowd

    @classmethod
    def of(cls, table: Crowd, writers: Writers, known: int) -> Held:
        """Read the known texts of writers."""
        parts = [
            (own, later) for own, later in (split(writers[name], KNOWN[known]) for name in by_digest(writers)) if own
        ]
        vectors = np.array([crowd.rounded(row) for row in table.centred([own for [own], _ in parts])])
        return cls(known, vectors, [later for _, later in parts], table)

    def ask(self, words: int) -> Asked:
        """Return what these writers are asked by, at one length."""
        texts = [pieces(later, words, TEXTS) for later in self.later]
        able = [row for row, some in enumerate(texts) if some]
        owners = np.repeat(np.arange(len(able)), [len(texts[row]) for row in able])
        vectors = self.table.centred([text for row in able for text in texts[row]])
        return Asked(self.known, words, self.own[able], owners, vectors, self.table)


def every(table: Crowd, writers: Writers) -> list[list[Asked]]:
    """Return, for each amount known, what is asked at every length."""
    held = [Held.of(table, writers, known) for known in range(len(KNOWN))]
    return [[one.ask(words) for words in LENGTHS] for one in held]


def background(writers: Writers) -> list[str]:
    """Return the names of those who are shipped: with enough words, and none twice, as some are in the corpus."""
    by_text: dict[str, str] = {}
    for name in by_digest(writers):
        known, _ = split(writers[name], KNOWN[-1])
        if known:
            by_text.setdefault(known[0], name)
        if len(by_text) == WRITERS:
            break
    return list(by_text.values())


def vectors_of(writers: Writers) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
    """Return the middle of the crowd (D) and its vectors (K × W × D) as stored."""
    rows = [crowd.vectors([split(posts, known)[0][0] for posts in writers.values()]) for known in KNOWN]
    middle = np.rint(np.mean([row.mean(axis=0) for row in rows], axis=0)).astype(np.int32)
    stored = [[crowd.rounded(vector - middle) for vector in row] for row in rows]
    return middle, np.array(stored, dtype=np.int8)


def calibrated(table: Crowd, writers: Writers) -> dict[str, NDArray[Any]]:
    """Return what is usual among some writers: cosines, what these are worth, and how much company texts have."""
    from sklearn.linear_model import LogisticRegression

    usual, likeness = [], []
    everything = every(table, writers)
    for asked in everything:
        usual.append([float(np.median(one.likeness)) for one in asked])
        fitted = [LogisticRegression(C=1e3).fit(*one.pairs()) for one in asked]
        likeness.append([[float(model.intercept_[0]), *map(float, model.coef_[0])] for model in fitted])
    table.take(usual=np.array(usual))
    company = [company_borders(company_of(table, asked)) for asked in everything[table.usually_known]]
    return {"usual": np.array(usual), "likeness": np.array(likeness), "company": np.array(company)}


def company_borders(near: NDArray[np.int64]) -> list[float]:
    """Return the most company of each class but the last: none, and as much as half of those have that have any."""
    some = near[near > 0]
    return [0.0, float(np.median(some)) if len(some) else 1.0]


def company_of(table: Crowd, asked: Asked) -> NDArray[np.int64]:
    """Return how much company each text has."""
    return np.array([table.near(row, asked.words) for row in asked.cosines])


def measured(table: Crowd, writers: Writers) -> tuple[dict[str, NDArray[Any]], list[dict[str, Any]]]:
    """Return how often writers are picked and judged rightly, as arrays and as rows for reading."""
    arrays: dict[str, list[Any]] = {name: [] for name in ("first", "ten", "likeness_right")}
    by_company: dict[str, list[Any]] = {"company_first": [], "company_ten": []}
    rows = []
    for asked in every(table, writers):
        figures = [_figures(table, one) for one in asked]
        for name, of_lengths in arrays.items():
            of_lengths.append([found[name].numbers for found in figures])
        for one, found in zip(asked, figures, strict=True):
            rows.append(
                {"known_words": KNOWN[one.known], "words": one.words, "writers": len(one.own), "texts": len(one.texts)}
                | {name: figure.to_json() for name, figure in found.items()}
            )
        if asked[0].known == table.usually_known:
            for one in asked:
                near = company_of(table, one)
                print(f"{one.words} words: near {np.quantile(near, (0, 0.1, 0.25, 0.5, 0.75, 0.9, 1))}")
                classes = np.array([table.company_class(count, one.words) for count in near])
                for name, most in (("company_first", 1), ("company_ten", 10)):
                    shares = [one.of_writers((one.ahead < most) * 1.0, _like(classes, size)) for size in range(CLASSES)]
                    by_company[name].append([share.numbers for share in shares])
    return {name: np.array(values) for name, values in (arrays | by_company).items()}, rows


def _like(classes: NDArray[np.int64], size: int) -> NDArray[np.bool_]:
    """Return which texts are of a class, or of the nearest ones too if they are too few to say anything."""
    for wider in range(CLASSES):
        among = np.abs(classes - size) <= wider
        if among.sum() >= FEWEST:
            break
    return among


def _figures(table: Crowd, asked: Asked) -> dict[str, Figure]:
    found, same = asked.pairs()
    constant, *slopes = table.likeness_weights(asked.known, asked.words)
    right = ((constant + found @ np.array(slopes) > 0) == same) * 1.0
    halves = right.reshape(2, -1).mean(axis=0)
    shares = {"first": (asked.ahead < 1) * 1.0, "ten": (asked.ahead < 10) * 1.0, "likeness_right": halves}
    return {name: asked.of_writers(values) for name, values in shares.items()}


def main() -> None:
    """Read the bloggers, make the vectors, measure, and write the model folder."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="Folder with blogs/.")
    parser.add_argument("--out", type=Path, default=FOLDER)
    given = parser.parse_args()
    from safetensors.numpy import save_file

    splits = read_blogs(given.data)
    middle, vectors = vectors_of({name: splits["train"][name] for name in background(splits["train"])})
    sizes = {"lengths": list(LENGTHS), "known_words": list(KNOWN)}
    arrays: dict[str, NDArray[Any]] = {"middle": middle, "vectors": vectors}
    table = Crowd(sizes, arrays)
    usual = calibrated(table, splits["val"])
    table.take(**usual)
    shares, rows = measured(table, splits["test"])
    arrays |= {name: values.astype(np.float32) for name, values in (usual | shares).items()}
    given.out.mkdir(parents=True, exist_ok=True)
    save_file({name: np.ascontiguousarray(values) for name, values in arrays.items()}, given.out / models.WEIGHTS)
    config = {
        "name": MODEL,
        "version": VERSION,
        "format": FORMAT,
        "writers": vectors.shape[1],
        **sizes,
        "measured": rows,
        "command": "python tools/build_bloggers.py --data ../shared/data",
    }
    (given.out / models.CONFIG).write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
    (given.out / models.CARD).write_text(card(config), encoding="utf-8")
    model = models.seal(given.out)
    print(f"{model.name}: {model.size_bytes / 1e6:.2f} MB")


def card(config: dict[str, Any]) -> str:
    """Return the model's card, every number in it from what was just measured."""
    template = (Path(__file__).resolve().parent / "bloggers_en_card.md").read_text("utf-8")
    lines = []
    for row in config["measured"]:
        figures = [_written(row[name]) for name in ("first", "ten", "likeness_right")]
        counts = [f"{row[name]:,}" for name in ("known_words", "words", "writers", "texts")]
        lines.append("| " + " | ".join([*counts, *figures]) + " |")
    return template.replace("ROWS", "\n".join(lines)).replace("WRITERS", f"{config['writers']:,}")


def _written(figure: dict[str, float]) -> str:
    return f"{figure['value']:.2f} ({figure['low']:.2f}–{figure['high']:.2f})"


if __name__ == "__main__":
    main()
