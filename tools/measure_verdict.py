"""Measure whether the verdict about a text says what is true, on writers who are in none of its tables.

    python tools/measure_verdict.py --data ../shared/data

Writes ``results/verdict.json``. "Rarity" means a percentile, so on texts of other writers it must be uniform: asked are
those of the third part of the writers (`tools/build_style_profile.py`), a text of each, at a length drawn for each and
at several lengths for all; and, to show how far it carries, texts of other kinds. "Crowd" is how often test bloggers
are picked from the shipped vectors, and what an attacker reaches with all of the encoder's numbers.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from build_bloggers import KNOWN, LENGTHS, Held, background, company_of, split
from build_style_profile import Writers, by_digest, dealt, pieces, read_blogs, read_everybody
from numpy.typing import NDArray
from scipy import stats

from allonym import models
from allonym.attackers.style_encoder import reader
from allonym.metrics import scoring
from allonym.networks.style_encoder.inference import DEFAULT
from allonym.randomness import insecure
from allonym.recognition import crowd, profile
from allonym.recognition.profile_features import count_plain_words

RESULTS = Path(__file__).resolve().parents[1] / "results" / "verdict.json"
SEED = 2026
SHORTEST, LONGEST = 100, 4_000  # of the lengths drawn
ASKED_AT = (100, 120, 200, 320, 500, 800, 1_250, 2_000, 3_200)  # most of them between the lengths of the table
MOST_ASKED = 1_200  # writers at each of these lengths
PARTS = ("drawn", "drawn_within", "rarity", "elsewhere", "crowd", "speed")
ABOVE = (0.5, 0.8, 0.9, 0.95, 0.99)

Floats = NDArray[np.float64]
Row = dict[str, Any]


def percentiles(texts: Sequence[str]) -> Floats:
    """Return what the verdict says of each text."""
    return np.array([share for share in map(profile.shipped().rarer_than, texts) if share is not None])


def uniform(values: Floats) -> Row:
    """Return how far the values are from uniform, and how many texts are called rarer than given shares."""
    test = stats.kstest(values, "uniform")
    return {
        "texts": len(values),
        "mean": float(values.mean()),
        "ks": float(test.statistic),
        "p": float(test.pvalue),
        "above": {f"{share:g}": float((values > share).mean()) for share in ABOVE},
    }


def drawn_lengths(writers: Writers, *, within: bool = False) -> list[str]:
    """Return a text of each writer, of a length drawn evenly on a logarithmic scale; none of who has not so many words.

    The length must not depend on the writer: a text is compared with those of all who have as many words. Drawn
    `within` what each writer has, short texts are more often by people who wrote little, and the percentile is off.
    """
    shares = insecure(SEED).words(len(writers)).astype(np.float64) / 2.0**64
    texts = []
    for posts, share in zip(writers.values(), shares, strict=True):
        most = min(LONGEST, sum(map(count_plain_words, posts))) if within else LONGEST
        if most >= SHORTEST:
            texts += pieces(posts, int(SHORTEST * (most / SHORTEST) ** share), 1)
    return texts


def rarity(writers: Writers) -> Row:
    """Return how uniform the percentile is."""
    by_length = []
    for words in ASKED_AT:
        some = (text for posts in writers.values() for text in pieces(posts, words, 1))
        texts = list(islice(some, MOST_ASKED))
        by_length.append({"words": words, **uniform(percentiles(texts))})
        print(by_length[-1], flush=True)
    pairs = (both for posts in writers.values() if len(both := pieces(posts, 400, 2)) == 2)
    twice = [percentiles(both) for both in islice(pairs, MOST_ASKED // 2)]
    first, second = np.array(twice).T
    return {
        "by_length": by_length,
        "by_corpus": dict(_by_corpus(writers)),
        "two_texts_of_one_writer": {"words": 400, "spearman": float(stats.spearmanr(first, second).statistic)},
    }


def _by_corpus(writers: Writers) -> Iterator[tuple[str, Row]]:
    for corpus in ("blogger", "newsgroups"):
        chosen = {name: posts for name, posts in writers.items() if name.startswith(corpus)}
        some = (text for posts in chosen.values() for text in pieces(posts, 320, 1))
        yield corpus, uniform(percentiles(list(islice(some, MOST_ASKED // 2))))


def elsewhere(data: Path) -> Row:
    """Return what the percentile says of kinds of text that are in none of its tables."""
    import pyarrow.parquet as pq

    reviews = pq.read_table(data / "imdb62" / "imdb62.parquet", columns=["author", "text"]).to_pydict()
    of_writer: Writers = {}
    for author, text in zip(reviews["author"], reviews["text"], strict=True):
        of_writer.setdefault(str(author), []).append(text)
    peers = pq.read_table(data / "peerread" / "peerread.parquet", columns=["kind", "text"]).to_pydict()
    texts = [text for kind, text in zip(peers["kind"], peers["text"], strict=True) if kind == "review" and text][::4]
    film = [text for own in of_writer.values() for text in pieces(own, 320, 5)]
    peer = [text for one in texts for text in pieces([one], 320, 1)]
    return {"film reviews": uniform(percentiles(film)), "peer reviews": uniform(percentiles(peer))}


def crowds(splits: dict[str, Writers]) -> Row:
    """Return how often test bloggers are picked, by what is shipped and by all of the encoder's numbers."""
    table = crowd.shipped()
    return {
        "picked": list(models.verify(crowd.MODEL).config["measured"]),  # by the tool that made the table
        "company": list(_by_company(table, splits["test"])),
        "all_numbers": all_numbers(splits),
    }


def _by_company(table: crowd.Crowd, writers: Writers) -> Iterator[Row]:
    held = Held.of(table, writers, table.usually_known)
    for words in LENGTHS:
        asked = held.ask(words)
        near = company_of(table, asked)
        classes = np.array([table.company_class(count, words) for count in near])
        for size in np.unique(classes):
            among = classes == size
            yield {
                "words": words,
                "class": int(size),
                "texts": int(among.sum()),
                "near": [int(near[among].min()), int(near[among].max())],
                "first": asked.of_writers((asked.ahead < 1) * 1.0, among).to_json(),
                "nearness_and_rank": float(stats.spearmanr(near, asked.ahead).statistic),
            }


def all_numbers(splits: dict[str, Writers], words: int = 400) -> Row:
    """Return how often writers come first by the whole vectors of the encoder, whose n-grams are not shipped."""
    known = KNOWN[len(KNOWN) // 2]
    train = splits["train"]
    table = [split(train[name], known)[0][0] for name in background(train)]
    parts = [split(posts, known) for posts in (splits["test"][name] for name in by_digest(splits["test"]))]
    chosen = [(own[0], texts) for own, later in parts if own and (texts := pieces(later, words, 3))]
    vectors = reader(DEFAULT).vectors([*table, *(own for own, _ in chosen), *(one for _, own in chosen for one in own)])
    middle = np.asarray(vectors[: len(table)].mean(axis=0)).ravel()
    # Cosines as seen from the middle, without ever making the differences, which are dense.
    products = (vectors @ vectors.T).toarray()
    towards = vectors @ middle
    products += float(middle @ middle) - towards - towards[:, None]
    lengths = np.sqrt(np.diag(products))
    cosines = products / lengths / lengths[:, None]
    owners = np.repeat(np.arange(len(chosen)), [len(texts) for _, texts in chosen])
    rows = cosines[len(table) + len(chosen) :]
    ahead = (rows[:, : len(table)] > rows[np.arange(len(rows)), len(table) + owners][:, None]).sum(axis=1)
    means = [np.mean(ahead[owners == writer] < 1) for writer in range(len(chosen))]
    return {"known_words": known, "words": words, "writers": len(chosen), "first_1": scoring.bootstrap(means).to_json()}


def speed(writers: Writers) -> Row:
    """Return how long a verdict takes, once all is loaded."""
    [text] = next(found for posts in writers.values() if (found := pieces(posts, 2_000, 1)))
    taken = []
    for _ in range(6):
        began = time.perf_counter()
        crowd.shipped().company(text)
        profile.shipped().compare(text)
        taken.append(time.perf_counter() - began)
    return {"words": 2_000, "seconds": round(float(np.median(taken[1:])), 3)}


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--data", type=Path, required=True, help="Folder with blogs/, newsgroups20/, imdb62/, peerread/."
    )
    parser.add_argument("--only", choices=PARTS, help="Take the rest as it was.")
    given = parser.parse_args()
    writers = dealt(read_everybody(given.data), "report")
    made = json.loads(RESULTS.read_text("utf-8")) if given.only else {}
    made |= {"command": "python tools/measure_verdict.py --data ../shared/data", "seed": SEED, "writers": len(writers)}
    parts: dict[str, Callable[[], Row]] = {
        "drawn": lambda: uniform(percentiles(drawn_lengths(writers))),
        "drawn_within": lambda: uniform(percentiles(drawn_lengths(writers, within=True))),
        "rarity": lambda: rarity(writers),
        "elsewhere": lambda: elsewhere(given.data),
        "crowd": lambda: crowds(read_blogs(given.data)),
        "speed": lambda: speed(writers),
    }
    for name in parts if given.only is None else (given.only,):
        made[name] = parts[name]()
    RESULTS.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
