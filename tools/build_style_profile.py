"""Make the style table that ships as `style-en`: numbers about many public writers, no text of any.

    python tools/build_style_profile.py --data ../shared/data

Writers: bloggers (Blog Authorship Corpus, 4,002 of them) and people of twenty newsgroups. The training part of the
bloggers and the newsgroups give means and spreads; the other bloggers, whom these have not seen, give how unusual texts
are, how alike two texts of one writer and of two are, and how often attackers name the right one of 50.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym import attackers, models
from allonym.language.function_words import FUNCTION_WORDS
from allonym.metrics import scoring
from allonym.recognition import profile_features
from allonym.recognition.profile import MODEL, cosine, unusualness

LENGTHS = (125, 250, 500, 1_000, 2_000, 4_000)
COMMONEST = 180  # function words
GROUP, GROUPS = 50, 4  # writers an attacker chooses from, and how often that is repeated
KNOWN_WORDS = 5_000  # of each of them
TESTS = 2  # texts of each
ATTACKERS = ("words-svm", "characters-svm")
LEAST_SPREAD = 0.05
FOLDER = Path(__file__).resolve().parents[1] / "src" / "allonym" / "models" / MODEL

Floats = NDArray[np.float64]
Writers = dict[str, list[str]]


def by_digest(names: Iterable[str]) -> list[str]:
    """Return names in an order that no one chose."""
    return sorted(names, key=lambda name: hashlib.blake2b(name.encode()).digest())


def read_blogs(data: Path) -> tuple[Writers, Writers]:
    """Return the posts of the training bloggers and of the others, oldest first as the corpus has them."""
    import pyarrow.parquet as pq

    table = pq.read_table(data / "blogs" / "blogs_4002.parquet", columns=["author", "text", "split"]).to_pydict()
    parts: tuple[Writers, Writers] = ({}, {})
    for author, text, split in zip(table["author"], table["text"], table["split"], strict=True):
        own = parts[0 if split == "train" else 1].setdefault(f"blogger {author}", [])
        own.append(text.replace("urlLink", " "))
    return parts


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

    def __init__(self, function_words: Sequence[str], seen: Writers, unseen: Writers) -> None:
        self.function_words, self.seen, self.unseen = tuple(function_words), seen, unseen
        self.arrays: dict[str, list[Any]] = {}
        self.writers: list[int] = []
        self.unseen_writers: list[int] = []

    def add(self, words: int) -> None:
        """Measure everything at one length."""
        values = self._measured(piece for posts in self.seen.values() for piece in pieces(posts, words, 1))
        mean, spread = values.mean(0), np.maximum(values.std(0), LEAST_SPREAD)
        self.writers.append(len(values))

        def scores(text: str) -> Floats:
            return np.asarray((profile_features.measure(text, self.function_words) - mean) / spread)

        pairs = [pieces(self.unseen[name], words, 2) for name in by_digest(self.unseen)]
        both = [[scores(piece) for piece in pair] for pair in pairs if len(pair) == 2]
        self.unseen_writers.append(len(both))
        unusual = np.array([unusualness(first) for first, _ in both])
        quantiles = np.quantile(unusual, np.linspace(0, 1, 101))
        self._keep(mean=mean, spread=spread, unusualness=quantiles)
        likeness, right = self._likeness(both)
        attack, by_third = self._attacked(words, scores, quantiles)
        self._keep(likeness=likeness, likeness_right=right, attack=attack, attack_by_third=by_third)
        print(f"{words} words: {len(values)} writers, {len(both)} unseen; one writer or two right {right[0]:.3f}")
        print(
            f"  attack {attack[0]:.3f} ({attack[1]:.3f}-{attack[2]:.3f}); by third {[round(t[0], 3) for t in by_third]}"
        )

    def _measured(self, texts: Iterable[str]) -> Floats:
        return np.array([profile_features.measure(text, self.function_words) for text in texts])

    def _keep(self, **arrays: object) -> None:
        for name, values in arrays.items():
            self.arrays.setdefault(name, []).append(np.asarray(values, np.float64))

    def _likeness(self, both: list[list[Floats]]) -> tuple[tuple[float, float], tuple[float, float, float]]:
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

    def _attacked(
        self, words: int, scores: Callable[[str], Floats], quantiles: Floats
    ) -> tuple[tuple[float, float, float], list[tuple[float, float, float]]]:
        """Let attackers choose among 50 writers, and say how often the better one is right, also by unusualness."""
        able = [name for name in by_digest(self.unseen) if _enough(self.unseen[name], words)]
        groups = [able[start : start + GROUP] for start in range(0, min(len(able), GROUP * GROUPS), GROUP)]
        groups = [group for group in groups if len(group) == GROUP]
        right: dict[str, list[bool]] = {name: [] for name in ATTACKERS}
        thirds: list[int] = []
        for group in groups:
            known, tests = zip(*(_split(self.unseen[name], words) for name in group), strict=True)
            texts = [piece for pieces_of_one in known for piece in pieces_of_one]
            authors = [name for name, own in zip(group, known, strict=True) for _ in own]
            asked = [(name, piece) for name, own in zip(group, tests, strict=True) for piece in own]
            shares = [np.searchsorted(quantiles, unusualness(scores(piece))) / len(quantiles) for _, piece in asked]
            thirds += [min(2, int(3 * share)) for share in shares]
            for attacker in ATTACKERS:
                trained = attackers.make(attacker).fit(texts, authors)
                named = trained.predict([piece for _, piece in asked])
                right[attacker] += [bool(found == name) for found, (name, _) in zip(named, asked, strict=True)]
        best = max(ATTACKERS, key=lambda name: sum(right[name]))
        hits, place = np.array(right[best]), np.array(thirds)
        return _interval(hits), [_interval(hits[place == third]) for third in range(3)]


def _enough(posts: Sequence[str], words: int) -> bool:
    known, tests = _split(posts, words)
    return bool(known) and len(tests) == TESTS


def _split(posts: Sequence[str], words: int) -> tuple[list[str], list[str]]:
    """Return what an attacker knows of a writer, 5,000 words, and the texts in question, from later posts."""
    held = 0
    for number, post in enumerate(posts, 1):
        held += profile_features.count_plain_words(post)
        if held >= KNOWN_WORDS:
            size = min(words, KNOWN_WORDS // 5)
            return pieces(posts[:number], size, KNOWN_WORDS // size), pieces(posts[number:], words, TESTS)
    return [], []


def _interval(hits: NDArray[np.bool_]) -> tuple[float, float, float]:
    """Return a share and its 95 % interval (Wilson)."""
    count, share, z = len(hits), float(hits.mean()) if len(hits) else 0.0, 1.96
    if not count:
        return 0.0, 0.0, 1.0
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    return share, max(0.0, middle - half), min(1.0, middle + half)


def main() -> None:
    """Read the corpora, measure, and write the model folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="Folder with blogs/ and newsgroups20/.")
    parser.add_argument("--out", type=Path, default=FOLDER)
    given = parser.parse_args()
    from safetensors.numpy import save_file

    seen, unseen = read_blogs(given.data)
    seen |= read_newsgroups(given.data)
    builder = Builder(commonest(seen), seen, unseen)
    for words in LENGTHS:
        builder.add(words)
    given.out.mkdir(parents=True, exist_ok=True)
    arrays = {name: np.array(rows, np.float32) for name, rows in builder.arrays.items()}
    save_file(arrays, given.out / models.WEIGHTS)
    config = {
        "name": MODEL,
        "version": 1,
        "format": "style-profile",
        "lengths": list(LENGTHS),
        "writers": builder.writers,
        "writers_for_checks": builder.unseen_writers,
        "function_words": list(builder.function_words),
        "attack": {"writers": GROUP, "groups": GROUPS, "known_words": KNOWN_WORDS, "attackers": list(ATTACKERS)},
        "command": "python tools/build_style_profile.py --data ../shared/data",
    }
    (given.out / models.CONFIG).write_text(json.dumps(config, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    (given.out / models.CARD).write_text(card(config, builder.arrays), encoding="utf-8")
    models.seal(given.out)


def card(config: dict[str, Any], arrays: dict[str, list[Any]]) -> str:
    """Return the model's card, every number in it from what was just measured."""
    template = (Path(__file__).resolve().parent / "style_en_card.md").read_text("utf-8")
    lines = []
    for place, words in enumerate(config["lengths"]):
        attack, right = arrays["attack"][place], arrays["likeness_right"][place]
        thirds = " / ".join(f"{100 * third[0]:.0f} %" for third in arrays["attack_by_third"][place])
        lines.append(
            f"| {words:,} | {config['writers'][place]:,} | {config['writers_for_checks'][place]:,} | "
            f"{100 * attack[0]:.0f} % ({100 * attack[1]:.0f}–{100 * attack[2]:.0f}) | {thirds} | "
            f"{100 * right[0]:.0f} % ({100 * right[1]:.0f}–{100 * right[2]:.0f}) |"
        )
    return template.replace("ROWS", "\n".join(lines)).replace("FEATURES", str(len(arrays["mean"][0])))


if __name__ == "__main__":
    main()
