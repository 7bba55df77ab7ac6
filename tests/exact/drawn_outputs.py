"""What every method draws from fixed keys, as digests: the same on every processor, in every batch and process.

Run by `test_every_processor.py` under many kinds of processor. After a change that is meant to change what is drawn,
`python tests/exact/drawn_outputs.py --write` writes `digests.json` anew; every other change must leave it as it is.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

from allonym import acceleration
from allonym.anonymizers.base import Anonymizer
from allonym.randomness import insecure

COMMITTED = Path(__file__).with_name("digests.json")
BATCHES = (1, 3, 64)
SEED = 15

_SAID = (
    "The ferry left the harbour in the morning, and nobody waved. We drank cold tea on deck!",
    "",
    "I didn't like the film at all: the actors were wooden and the music was far too loud.",
    "zyxq 🛶 QWRTZ 12,345",
    "Great service. The staff were friendly, the room was clean and breakfast was good value for the money.",
    "my brother works at the hospital and he says the new doctors are really nice people",
)
TEXTS = [*_SAID, *(f"{_SAID[i % 6]} {_SAID[i % 5]} {i}" for i in range(60))]
LABELS = ["travel", "none", "film", "none", "travel", "people"]
_FEW, _ALL = 8, len(TEXTS)


def _words(count: int) -> list[str]:
    from allonym.vectors import embeddings

    return list(embeddings.load().words[:count])


def _syntf(**settings: Any) -> Anonymizer:
    from allonym import SynTF

    model = SynTF(**{"vocabulary": _words(700), "words": 12, **settings})
    return model.fit(TEXTS[:6], LABELS)


def _laplace(**settings: Any) -> Anonymizer:
    from allonym import WordLaplace

    return WordLaplace(**{"epsilon": 20.0, **settings}).fit(TEXTS[:6], LABELS)


def _exponential(**settings: Any) -> Anonymizer:
    from allonym import WordExponential

    return WordExponential(**{"epsilon": 8.0, "vocabulary": _words(700), **settings})


def _random() -> Anonymizer:
    from allonym.anonymizers.random_replacement import RandomReplacement

    return RandomReplacement(words=9)


def _erae(**settings: Any) -> Anonymizer:
    from allonym import ERAE

    return ERAE(**{"sentences": 2, "words": 7, **settings})


def _a4nt(**settings: Any) -> Anonymizer:
    from allonym import A4NT

    return A4NT(**settings)


def _commonplace(**settings: Any) -> Anonymizer:
    from allonym import Commonplace

    return Commonplace(**{"book": "book-example", "sentences": 3, "loss_per_sentence": 7.0, **settings})


def _notes(**settings: Any) -> Anonymizer:
    """Return Ghostwriter over a list of real words, which says the numbers it draws; what is written is no draw."""
    from allonym import Ghostwriter
    from allonym.anonymizers.ghostwriter.auditing import made_up_writer

    class Numbers(Ghostwriter):
        def _anonymize(self, texts: Any, streams: Any) -> list[str]:
            return [" ".join(map(str, row)) for row in self.mechanism_.draw_among(self._candidates(texts), streams)]

    method = Numbers(model="made up", loss_per_word=9.0, **{"notes": 9, **settings})
    method.__dict__["writer_"] = made_up_writer(_words(2500), candidates=5)
    return method


# Name -> (how it is made, how many of the texts it protects). A new method, or a new way to draw, gets a line here.
METHODS: dict[str, tuple[Callable[[], Anonymizer], int]] = {
    "random-replacement": (_random, _ALL),
    "syntf": (_syntf, _ALL),
    "syntf tf-idf": (lambda: _syntf(composition="tf-idf", spelling_weight=0.0), _ALL),
    "syntf loss per word": (lambda: _syntf(loss_per_word=2.5), _ALL),
    "syntf utility": (lambda: _syntf(rating="utility", label_weight=0.6, loss_per_word=1.5), _ALL),
    "laplace bag": (_laplace, _ALL),
    "laplace bag to a length": (lambda: _laplace(words=5), _FEW),
    "laplace topical": (lambda: _laplace(topical_words=9), _FEW),
    "laplace text": (lambda: _laplace(order="text", epsilon=60.0), _FEW),
    "laplace text, odd dimensions": (lambda: _laplace(order="text", embeddings=_odd_table()), _FEW),
    "exponential bag": (_exponential, _ALL),
    "exponential text to a length": (lambda: _exponential(order="text", words=11), _FEW),
    "er-ae two-set, private length": (_erae, _FEW),
    "er-ae two-set, public length": (lambda: _erae(length="public", epsilon=8.0), _FEW),
    "er-ae subset, favourites": (
        lambda: _erae(mechanism="subset", candidate_sets="favourites", loss_per_word=9.0),
        _FEW,
    ),
    "er-ae subset, groups": (lambda: _erae(mechanism="subset", loss_per_word=7.0), _FEW),
    "er-ae subset, groups, public length": (
        lambda: _erae(mechanism="subset", length="public", loss_per_word=11.0),
        _FEW,
    ),
    "er-ae neutral": (lambda: _erae(mechanism="subset", style="neutral", loss_per_word=8.0), _FEW),
    "a4nt": (lambda: _a4nt(model="age", target="adult", candidates=4), _FEW),
    "commonplace": (_commonplace, _ALL),
    "commonplace, one candidate": (lambda: _commonplace(candidates=1, sentences=1), _ALL),
    "ghostwriter, notes": (_notes, _ALL),
    "ghostwriter, many notes": (lambda: _notes(notes=40), _FEW),
    "a4nt neutral": (lambda: _a4nt(model="age-neutral", target="neutral", candidates=4), _FEW),
}


def _odd_table() -> Any:
    from allonym.vectors.embeddings import WordTable, load

    table = load(limit=4000)
    return WordTable(table.words, table.vectors[:, :77])


def _said(payload: Any) -> Iterator[object]:
    """Yield what came out of each document."""
    if hasattr(payload, "indptr"):
        for start, end in zip(payload.indptr[:-1], payload.indptr[1:], strict=True):
            yield [payload.indices[start:end].tolist(), payload.data[start:end].tolist()]
    else:
        yield from payload


def _law(model: Anonymizer) -> object:
    """Return the numbers that were found before anything was drawn, to the last digit."""
    mechanism = getattr(model, "mechanism_", None)
    found = {name: getattr(mechanism, name, None) for name in ("epsilon", "rate", "loss_per_unit", "grid")}
    loss = mechanism.loss() if model.method in ("syntf", "erae") else None
    return [repr(number) for number in (*found.values(), loss)]


def digest_of(name: str, batch: int) -> str:
    """Return the digest of what a method draws, so many documents at a time."""
    make, count = METHODS[name]
    model = make()
    drawn: list[object] = []
    for start in range(0, count, batch):
        # A fresh source each time: batches of one job share a key and continue by their position.
        drawn += _said(model.release(TEXTS[start : min(start + batch, count)], rng=insecure(SEED), start=start).payload)
    text = json.dumps([_law(model), drawn])
    return blake2b(text.encode(), digest_size=16).hexdigest()


def digests(batch: int, compiled: bool | None) -> dict[str, str]:
    """Return all digests, with the compiled loops always used, never, or (None) where they pay."""
    if compiled is not None:
        acceleration._ENTRIES_WORTH_COMPILING = 1 if compiled else 10**18
    found = {}
    for name in METHODS:
        found[name] = digest_of(name, batch)
        sys.stderr.write(f"{name}\n")  # an emulated processor takes minutes for some
    return found


def on_spark(batch: int) -> dict[str, str]:
    """Return the digests that a Spark worker finds."""
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.addPyFile(__file__)

    def work(number: int) -> dict[str, str]:
        import drawn_outputs

        return drawn_outputs.digests(number, None)

    return spark.sparkContext.parallelize([batch], 1).map(work).collect()[0]


def main() -> None:
    """Print the digests as JSON, or write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--compiled", choices=["yes", "no"], help="by default where it pays")
    parser.add_argument("--spark", action="store_true")
    parser.add_argument("--write", action="store_true", help="to digests.json, beside this file")
    options = parser.parse_args()
    compiled = None if options.compiled is None else options.compiled == "yes"
    found = on_spark(options.batch) if options.spark else digests(options.batch, compiled)
    text = json.dumps(found, indent=1) + "\n"
    if options.write:
        COMMITTED.write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
