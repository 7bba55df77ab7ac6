"""Trials of `allonym check` on public corpora: known writers are drawn, and texts of theirs and of others asked about.

What is kept of a trial are scores and lengths, no text and no name. Known texts come first in the corpus's order, those
asked about later, as in life.

Authors are dealt into a part that settings are fitted on and a part that is only reported. IMDb62: the ten authors with
the lowest numbers and every second of the others are reported; blogs: the corpus's validation bloggers are fitted on,
its test bloggers reported; newsgroups: every second address in the order of its digest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from build_style_profile import by_digest, pieces, read_newsgroups
from numpy.typing import NDArray

from allonym import attackers
from allonym.randomness import insecure
from allonym.recognition.recogniser import DEFAULT_ATTACKERS
from allonym.recognition.reliability import count_words, cut, folds, unseen_scores
from allonym.recognition.strangers import leave_out

CORPORA = ("imdb62", "blogs", "newsgroups")
PARTS = ("fit", "test")
FITTED = 2  # draws of the authors that are fitted on
_MOST_NEWS_WORDS = 3_000  # known of a writer of newsgroups: few wrote more there
_REPORTED = 10  # the authors of IMDb62 with the lowest numbers, on whom the project reports

Floats = NDArray[np.float64]
Writers = dict[str, list[str]]


@dataclass(frozen=True)
class Setting:
    """How much is known, and how much is asked.

    Attributes:
        authors: How many are known.
        known_words: Words known of each.
        words: Length of a text asked about; 0 for documents as they are, asked about together like rows of a table.
        tests: Texts asked about of each known author; as many again are by strangers.
        reported: Draws of the reported authors; fewer where one takes minutes.
    """

    authors: int
    known_words: int
    words: int
    tests: int
    reported: int


SETTINGS = (
    Setting(3, 3_000, 500, 6, reported=5),
    Setting(5, 1_000, 100, 6, reported=5),
    Setting(10, 3_000, 300, 4, reported=2),
    Setting(20, 2_000, 200, 2, reported=1),
    Setting(8, 6_000, 600, 4, reported=1),
    Setting(10, 3_000, 0, 4, reported=2),
    Setting(20, 1_000, 0, 3, reported=5),
)
_SHORTEST = 20  # words of a document that is asked about as it is


@dataclass(frozen=True)
class Trial:
    """One draw of authors.

    Attributes:
        corpus: Of `CORPORA`.
        part: Of `PARTS`.
        setting: What was known and asked.
        draw: Its number, which is its seed.
    """

    corpus: str
    part: str
    setting: Setting
    draw: int

    @property
    def name(self) -> str:
        """A name for its file."""
        made = self.setting
        return f"{self.part}-{self.corpus}-{made.authors}x{made.known_words}-{made.words}-{self.draw}"


def trials(part: str) -> Iterator[Trial]:
    """Give all trials of a part, one draw of everything before the next."""
    for number in range(max(FITTED, *(setting.reported for setting in SETTINGS))):
        for corpus in CORPORA:
            for setting in SETTINGS:
                drawn = number < (FITTED if part == "fit" else setting.reported)
                if drawn and (corpus != "newsgroups" or setting.known_words <= _MOST_NEWS_WORDS):
                    yield Trial(corpus, part, setting, number)


def read(corpus: str, part: str, data: Path) -> Writers:
    """Return the texts of each author of a part of a corpus, in the corpus's order."""
    if corpus == "newsgroups":
        writers = read_newsgroups(data)
        chosen = by_digest(writers)[PARTS.index(part) :: 2]
        return {name: writers[name] for name in chosen}
    import pyarrow.parquet as pq

    if corpus == "blogs":
        table = pq.read_table(
            data / "blogs" / "blogs_4002.parquet",
            columns=["author", "text"],
            filters=[("split", "=", {"fit": "val", "test": "test"}[part])],
        ).to_pydict()
        return _grouped(table["author"], [text.replace("urlLink", " ") for text in table["text"]])
    table = pq.read_table(data / "imdb62" / "imdb62.parquet", columns=["author", "text"]).to_pydict()
    writers = _grouped(table["author"], table["text"])
    order = sorted(writers, key=int)
    rest = order[_REPORTED:]
    return {name: writers[name] for name in (rest[::2] if part == "fit" else [*order[:_REPORTED], *rest[1::2]])}


def _grouped(authors: Sequence[object], texts: Sequence[str]) -> Writers:
    writers: Writers = {}
    for author, text in zip(authors, texts, strict=True):
        if text.strip():
            writers.setdefault(str(author), []).append(text)
    return writers


def _parted(posts: Sequence[str], setting: Setting) -> tuple[list[str], list[str]]:
    """Return what is known of an author, and texts to ask about, from what comes after; nothing where that is short."""
    known: list[str] = []
    held = 0
    for number, post in enumerate(posts):
        if held >= setting.known_words:
            asked = _asked(posts[number:], setting)
            return (known, asked) if len(asked) == setting.tests else ([], [])
        words = post.split()
        taken = post if held + len(words) <= setting.known_words else " ".join(words[: setting.known_words - held])
        known.append(taken)
        held += count_words(taken)
    return [], []


def _asked(posts: Sequence[str], setting: Setting) -> list[str]:
    if setting.words:
        return pieces(posts, setting.words, setting.tests)
    return [post for post in posts if count_words(post) >= _SHORTEST][: setting.tests]


@dataclass(frozen=True)
class Drawn:
    """The texts of a trial: known ones with their authors, those asked about with theirs, and strangers'."""

    known: list[str]
    authors: list[str]
    asked: list[str]
    truth: list[str]
    strangers: list[str]


def draw(trial: Trial, writers: Writers) -> Drawn:
    """Draw who is known and who is a stranger."""
    made = trial.setting
    names = by_digest(writers)
    rng = insecure(1_000 * trial.draw + 10 * CORPORA.index(trial.corpus) + PARTS.index(trial.part))
    shuffled = [names[place] for place in np.argsort(rng.words(len(names)), kind="stable")]
    chosen: dict[str, tuple[list[str], list[str]]] = {}
    others: list[str] = []
    for name in shuffled:
        parted = _parted(writers[name], made) if len(chosen) < made.authors else ([], [])
        if parted[1]:
            chosen[name] = parted
        else:
            others.append(name)
    wanted = made.authors * made.tests
    theirs = [own for name in others if (own := _asked(writers[name], made))]
    rounds = [own[turn] for turn in range(made.tests) for own in theirs if turn < len(own)]
    return Drawn(
        [text for known, _ in chosen.values() for text in known],
        [name for name, (known, _) in chosen.items() for _ in known],
        [text for _, asked in chosen.values() for text in asked],
        [name for name, (_, asked) in chosen.items() for _ in asked],
        rounds[:wanted],
    )


def run(trial: Trial, writers: Writers) -> dict[str, Any]:
    """Train and ask; return arrays."""
    drawn = draw(trial, writers)
    words = trial.setting.words or round(float(np.median([count_words(text) for text in drawn.asked])))
    made = cut(drawn.known, drawn.authors, words)
    dealt = folds(made)
    classes = np.unique([piece.author for piece in made])
    kept: dict[str, Any] = {
        "dealt": dealt,
        "author": np.searchsorted(classes, [piece.author for piece in made]),
        "piece_words": np.array([piece.words for piece in made]),
        "truth": np.searchsorted(classes, drawn.truth),
        "asked_words": np.array([count_words(text) for text in drawn.asked]),
        "stranger_words": np.array([count_words(text) for text in drawn.strangers]),
    }
    right: dict[str, float] = {}
    tested = dealt >= 0
    for name in DEFAULT_ATTACKERS:
        attacker = attackers.make(name)
        unseen = unseen_scores(attacker, made, dealt, _nothing)
        trained = attackers.make(name).fit([piece.text for piece in made], [piece.author for piece in made])
        kept |= {
            f"{name}:unseen": unseen,
            f"{name}:known": trained.decision_function(drawn.asked),
            f"{name}:strangers": trained.decision_function(drawn.strangers),
        }
        right[name] = float((unseen[tested].argmax(1) == kept["author"][tested]).mean())
    strongest = max(right, key=lambda name: right[name])
    kept["strongest"] = np.array(DEFAULT_ATTACKERS.index(strongest))
    for number, group in enumerate(leave_out(attackers.make(strongest), made, dealt, _nothing)):
        kept |= {f"left {number}:{name}": value for name, value in asdict(group).items()}
    return kept


def _nothing() -> None:
    """Report no progress."""


def scored(trial: Trial, data: Path, cache: Path, writers: dict[tuple[str, str], Writers]) -> dict[str, Any]:
    """Return a trial's arrays, from the cache if it was run before."""
    path = cache / f"{trial.name}.npz"
    if not path.exists():
        key = (trial.corpus, trial.part)
        if key not in writers:
            writers[key] = read(*key, data)
        cache.mkdir(parents=True, exist_ok=True)
        waiting = path.with_suffix(".part.npz")
        np.savez_compressed(waiting, **run(trial, writers[key]))
        waiting.rename(path)
    with np.load(path) as file:
        return dict(file)
