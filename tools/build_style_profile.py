"""Make the style table that ships as `style-en`: numbers about many public writers, no text of any.

    python tools/build_style_profile.py --data ../shared/data

Writers: bloggers (Blog Authorship Corpus, 4,002 of them) and people of twenty newsgroups, dealt into three parts by a
hash of their names. The first gives means, spreads and how often habits are as odd as they are; the second, whom these
have not seen, what the oddness of a whole text amounts to at its length, and what the likeness of two texts is worth.
The third is in no number of the table: on it `tools/measure_verdict.py` measures whether what is said is true.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym import models
from allonym.language.function_words import FUNCTION_WORDS
from allonym.metrics import scoring
from allonym.recognition import profile_features, rarity
from allonym.recognition.profile import MODEL, cosine

LENGTHS = (25, 50, 100, 150, 250, 400, 650, 1_000, 1_600, 2_500, 4_000)
FEWEST_JUDGED = 100  # words of a text; below, habits drown in chance
MOST_PIECES = 3  # of one writer, when texts are counted; each writer weighs the same
COMMONEST = 180  # function words
LEAST_SPREAD = 0.05
PARTS = ("means", "calibration", "report")
FOLDER = Path(__file__).resolve().parents[1] / "src" / "allonym" / "models" / MODEL

Floats = NDArray[np.float64]
Writers = dict[str, list[str]]


def part_of(name: str) -> str:
    """Return the part that a writer is dealt into, by a hash of the name."""
    return PARTS[hashlib.blake2b(name.encode(), person=b"verdict").digest()[0] % len(PARTS)]


def dealt(writers: Writers, part: str) -> Writers:
    """Return the writers of one part, in an order that no one chose."""
    return {name: writers[name] for name in by_digest(writers) if part_of(name) == part}


def by_digest(names: Iterable[str]) -> list[str]:
    """Return names in an order that no one chose."""
    return sorted(names, key=lambda name: hashlib.blake2b(name.encode()).digest())


def read_blogs(data: Path) -> dict[str, Writers]:
    """Return the posts of the bloggers of each split of the corpus, in its order."""
    import pyarrow.parquet as pq

    columns = ["author", "text", "split"]
    table = pq.read_table(data / "blogs" / "blogs_4002.parquet", columns=columns).to_pydict()
    splits: dict[str, Writers] = {}
    for author, text, split in zip(*(table[name] for name in columns), strict=True):
        own = splits.setdefault(split, {}).setdefault(f"blogger {author}", [])
        own.append(text.replace("urlLink", " "))
    return splits


def read_everybody(data: Path) -> Writers:
    """Return the texts of all bloggers and of all newsgroup addresses."""
    blogs = read_blogs(data)
    return {name: texts for split in blogs.values() for name, texts in split.items()} | read_newsgroups(data)


def read_newsgroups(data: Path) -> Writers:
    """Return the messages of each address, without quotations."""
    import pyarrow.parquet as pq

    columns = ["author", "body_noquote"]
    table = pq.read_table(data / "newsgroups20" / "newsgroups20.parquet", columns=columns).to_pydict()
    writers: Writers = {}
    for author, text in zip(table["author"], table["body_noquote"], strict=True):
        writers.setdefault(f"newsgroups {author}", []).append(text)
    return writers


def pieces(posts: Sequence[str], words: int, most: int) -> list[str]:
    """Join whole posts until a piece has `words` words, and cut it there; no post is in two pieces."""
    found: list[str] = []
    waiting: list[str] = []
    held = 0
    for post in posts:
        waiting.append(post)
        held += profile_features.count_plain_words(post)
        if held >= words:
            found.append(_cut("\n\n".join(waiting), words))
            waiting, held = [], 0
            if len(found) == most:
                break
    return found


def _cut(text: str, words: int) -> str:
    for number, match in enumerate(profile_features.WORD.finditer(text), 1):
        if number == words:
            following = text[match.end() :]
            return text[: match.end()] + following[: len(following) - len(following.lstrip(".,!?…\"”')"))]
    return text


def commonest(writers: Writers) -> list[str]:
    """Return the function words that most writers use, most frequent first."""
    counts = Counter[str]()
    wanted = set(FUNCTION_WORDS)
    for posts in writers.values():
        for piece in pieces(posts, 500, 1):
            found = (match.group().lower().replace("’", "'") for match in profile_features.WORD.finditer(piece))
            counts.update({word for word in found if word in wanted})
    return [word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:COMMONEST]]


class Builder:
    """Collects the arrays of the table, length by length."""

    def __init__(self, function_words: Sequence[str], seen: Writers, others: Writers) -> None:
        self.function_words, self.seen, self.others = tuple(function_words), seen, others
        self.features = profile_features.features(self.function_words)
        self.arrays: dict[str, list[Any]] = {}
        self.writers: list[int] = []
        self.other_writers: list[int] = []

    def add(self, words: int) -> None:
        """Measure everything at one length."""
        values = self._measured([piece for posts in self.seen.values() for piece in pieces(posts, words, 1)])
        mean, spread = values.mean(0), np.maximum(values.std(0), LEAST_SPREAD)
        self.writers.append(len(values))
        self._keep(mean=mean, spread=spread)
        if words < FEWEST_JUDGED:
            self.other_writers.append(0)
            return
        found = rarity.statistics(self.features, values, (values - mean) / spread)
        quantiles = np.quantile(found, rarity.GRID, axis=0).T
        of_writers = [self._measured(pieces(posts, words, MOST_PIECES)) for posts in self.others.values()]
        of_writers = [rows for rows in of_writers if len(rows)]
        self.other_writers.append(len(of_writers))
        everything = np.concatenate(of_writers)
        scores = (everything - mean) / spread
        found = rarity.statistics(self.features, everything, scores)
        surprise = rarity.surprise(found, quantiles, rarity.two_sided(self.features))
        weights = np.concatenate([np.full(len(rows), 1 / len(rows)) for rows in of_writers])
        self._keep(statistics=quantiles, surprise=weighted_quantiles(surprise, weights))
        begins = np.cumsum([0, *(len(rows) for rows in of_writers)])
        both = [scores[begin : begin + 2] for begin, rows in zip(begins, of_writers, strict=False) if len(rows) > 1]
        likeness, right = self._likeness(both)
        self._keep(likeness=likeness, likeness_right=right)
        print(f"{words} words: {len(values)} writers, {len(of_writers)} others; one writer or two right {right[0]:.3f}")

    def _measured(self, texts: Sequence[str]) -> Floats:
        rows = [profile_features.measure(text, self.function_words) for text in texts]
        return np.array(rows).reshape(len(rows), len(self.features))

    def _keep(self, **arrays: object) -> None:
        for name, values in arrays.items():
            self.arrays.setdefault(name, []).append(np.asarray(values, np.float64))

    def _likeness(self, both: Sequence[Floats]) -> tuple[tuple[float, float], tuple[float, float, float]]:
        """Learn from half of the writers what likeness is worth, and judge it on the other half."""
        from sklearn.linear_model import LogisticRegression

        halves = (both[::2], both[1::2])
        examples = []
        for half in halves:
            same = [cosine(first, second) for first, second in half]
            other = [cosine(half[row][0], half[(row + 1) % len(half)][1]) for row in range(len(half))]
            examples.append((np.array([*same, *other])[:, None], np.repeat([True, False], len(half))))
        model = LogisticRegression(C=1e6).fit(*examples[0])
        right = scoring.bootstrap(model.predict(examples[1][0]) == examples[1][1])
        return (float(model.coef_[0, 0]), float(model.intercept_[0])), (right.value, right.low, right.high)


def weighted_quantiles(values: Floats, weights: Floats) -> Floats:
    """Return the quantiles at `rarity.GRID` of values that weigh differently."""
    order = np.argsort(values, kind="stable")
    shares = (np.cumsum(weights[order]) - weights[order] / 2) / weights.sum()
    quantiles: Floats = np.interp(rarity.GRID, shares, values[order])
    return quantiles


def main() -> None:
    """Read the corpora, measure, and write the model folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="Folder with blogs/ and newsgroups20/.")
    parser.add_argument("--out", type=Path, default=FOLDER)
    given = parser.parse_args()
    from safetensors.numpy import save_file

    everybody = read_everybody(given.data)
    seen = dealt(everybody, "means")
    builder = Builder(commonest(seen), seen, dealt(everybody, "calibration"))
    for words in LENGTHS:
        builder.add(words)
    given.out.mkdir(parents=True, exist_ok=True)
    arrays = {name: np.array(rows, np.float32) for name, rows in builder.arrays.items()}
    save_file(arrays, given.out / models.WEIGHTS)
    config = {
        "name": MODEL,
        "version": 2,
        "format": "style-profile",
        "lengths": list(LENGTHS),
        "writers": builder.writers,
        "writers_for_checks": builder.other_writers,
        "function_words": list(builder.function_words),
        "command": "python tools/build_style_profile.py --data ../shared/data",
    }
    (given.out / models.CONFIG).write_text(json.dumps(config, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    (given.out / models.CARD).write_text(card(config, builder.arrays), encoding="utf-8")
    models.seal(given.out)


def card(config: dict[str, Any], arrays: dict[str, list[Any]]) -> str:
    """Return the model's card, every number in it from what was just measured."""
    template = (Path(__file__).resolve().parent / "style_en_card.md").read_text("utf-8")
    judged = [place for place, words in enumerate(config["lengths"]) if words >= FEWEST_JUDGED]
    lines = []
    for row, place in enumerate(judged):
        right = arrays["likeness_right"][row]
        cells = (
            f"{config['lengths'][place]:,}",
            f"{config['writers'][place]:,}",
            f"{config['writers_for_checks'][place]:,}",
            f"{right[0]:.2f} ({right[1]:.2f}–{right[2]:.2f})",
        )
        lines.append("| " + " | ".join(cells) + " |")
    return template.replace("ROWS", "\n".join(lines)).replace("FEATURES", str(len(arrays["mean"][0])))


if __name__ == "__main__":
    main()
