"""Whether all noise of a release is its own: random words are watched as they are read.

Two places that read the same 64-bit word share their noise; by chance that happens to a million words once in 37
million audits. What is compared: documents of one release, draws of one document, other texts in the same places under
the same key, and releases that follow each other under one key.
"""

from __future__ import annotations

import copy
import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from allonym import anonymizers
from allonym.anonymizers.base import Anonymizer
from allonym.audit.documents import in_sentences
from allonym.audit.draws import Watch, watched
from allonym.audit.findings import Finding
from allonym.errors import AllonymError
from allonym.formats.files import open_documents
from allonym.jobs.execute import plan, run
from allonym.mechanisms.base import Words
from allonym.randomness import secure

_MANY = 1_200
_PREFIX = 300  # words that two long texts share
_LONG, _LONG_ENOUGH = 70_000, 6_000  # words of a long document; fewer where each of them takes its time
_CHUNK, _CHUNKS = 4, 5  # rows of a job's chunks, and how many
# Where a counter of rows may begin anew: the sizes of bytes and words, and of batches.
_FAR = (1, 7, 255, 256, 1_000, 1_024, 4_096, 50_000, 65_536, 10**6, 2**31, 2**32, 2**48)


def texts_to_tell_apart(known: Sequence[str]) -> list[tuple[str, str]]:
    """Return pairs of texts that have much in common: length, letters, words, or all but a space."""
    first, second, third = known[:3]
    plain = f"{first} {second} {third}"
    long = " ".join(known[number % len(known)] for number in range(_PREFIX))
    same_length = "".join(chr(98 + number % 3) if sign.isalpha() else sign for number, sign in enumerate(plain))
    return [
        (plain, f"{third} {second} {first}"),
        (plain, same_length),
        (plain, f"{first} {third} {third}"),
        (plain, f"{first[0]}q {second[0]}q {third[0]}q"),
        (plain, plain.upper()),
        (plain, f"{plain} "),
        (plain, f"{plain}\n"),
        (plain, f"{plain}."),
        (f"{plain} quavexil", f"{plain} brintosk"),
        (f"quavexil {plain}", f"brintosk {plain}"),
        (f"{first} 7 {second}", f"{first} 8 {second}"),
        ("", " "),
        ("quavexil", "brintosk"),
        (f"{long} {first}", f"{long} {second}"),
        (f"{first} {long}", f"{second} {long}"),
        ("caf\u00e9 " + plain, "cafe\u0301 " + plain),
        (plain, f"{plain} {first}"),
        (second, third),
        (second, second * 2),
        (f"{second} {second}", second),
    ]


def streams(anonymizer: Anonymizer, known: Sequence[str], *, most: int | None = None, where: str) -> list[Finding]:
    """Return the findings about where noise comes from, and whether two draws share it; `most` documents at a time."""
    pairs = texts_to_tell_apart(known)[:most]
    texts, others = [first for first, _ in pairs], [second for _, second in pairs]
    key = secure().key
    with watched() as first:
        anonymizer.release(texts, rng=secure(key))
    with watched() as second:
        anonymizer.release(others, rng=secure(key))
    with watched() as further:
        anonymizer.release(texts, rng=secure(key), start=len(texts))
    findings = [
        _distinct("noise of documents", [first.words()], "two places of one release", where),
        _distinct("noise of texts", [first.words(), second.words()], "other texts in the same places", where),
        _distinct("noise of batches", [first.words(), further.words()], "the next batch of a release", where),
        _elsewhere([first, second, further], where),
    ]
    return [*findings, _releases(anonymizer, texts[: most or 8], where), _rows(anonymizer, texts, others, where)]


def many_rows(anonymizer: Anonymizer, word: str, where: str) -> Finding:
    """Return whether many equal documents of one release have noise of their own, however far apart they are."""
    with watched() as watch:
        anonymizer.release([word] * _MANY, rng=secure())
    return _distinct("noise of documents", [watch.words()], f"{_MANY:,} equal documents", where)


def far_rows(anonymizer: Anonymizer, word: str, where: str) -> Finding:
    """Return whether equal documents of one release have noise of their own, each in a batch far from the others."""
    key, read = secure().key, list[Words]()
    for start in (0, *_FAR):
        with watched() as watch:
            anonymizer.release([word], rng=secure(key), start=start)
        read.append(watch.words())
    return _distinct("noise of batches", read, f"equal documents up to {max(_FAR):,} rows apart", where)


def long_document(anonymizer: Anonymizer, known: Sequence[str], *, slow: bool, where: str) -> Finding:
    """Return whether all draws of one long document have noise of their own, in its last words as in its first."""
    count = _LONG_ENOUGH if slow else _LONG
    with watched() as watch:
        anonymizer.release([in_sentences(known, count)], rng=secure())
    return _distinct("noise of documents", [watch.words()], f"one document of {count:,} words", where)


def other_settings(anonymizer: Anonymizer, known: Sequence[str], where: str) -> Finding:
    """Return whether a method with other settings, or another method, has other noise under a key that is used again.

    Two runs whose settings differ are two releases, whichever setting it is.
    """
    texts, key, read = [" ".join(known[:3]), known[0]], secure().key, list[Words]()
    for method in (anonymizer, _another(), *_varied_a_little(anonymizer)):
        with watched() as watch:
            try:
                method.release(texts, rng=secure(key))
            except (AllonymError, ArithmeticError, LookupError, TypeError, ValueError):
                continue  # a setting that does not fit the others
        read.append(watch.words())
    return _distinct("noise of settings", read, "other settings or methods under the same key", where)


def _varied_a_little(anonymizer: Anonymizer) -> Iterator[Anonymizer]:
    """Yield the method with one number among its settings changed, and all else that it has made left as it is."""
    for name, value in anonymizer.get_params(deep=False).items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            other = copy.copy(anonymizer)
            setattr(other, name, value + 1 if isinstance(value, int) else value * 0.75)
            yield other


def job_noise(anonymizer: Anonymizer, word: str, where: str) -> Finding:
    """Return whether all rows of two jobs have noise of their own, in whichever chunks."""
    read, rows = list[Words](), _CHUNK * _CHUNKS
    with TemporaryDirectory() as folder:
        source = Path(folder) / "texts.csv"
        with source.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("id", "text"), *((number, word) for number in range(rows))])
        for number in range(2):
            documents = open_documents(source, text="text", id="id")
            out = Path(folder) / f"released{number}{'.npz' if anonymizer.kind == 'vectors' else '.csv'}"
            job = plan(anonymizer, documents, out=out, has_ids=True, has_authors=False, keep=(), repeatable=False,
                       chunk_rows=_CHUNK)  # fmt: skip
            with watched() as watch:
                run(job, secure(), force=False, progress=lambda _: None)
            read.append(watch.words(secret=True))  # a job also draws for a public text, to know its settings again
    return _distinct("noise of jobs", read, f"two jobs of {rows} equal rows, {_CHUNK} a chunk", where)


def _another() -> Anonymizer:
    """Return another method: a baseline with a proof."""
    return next(
        example for example in anonymizers.examples().values() if example.is_a_baseline and example.guarantee().formal
    )


def _distinct(check: str, read: Sequence[Words], who: str, where: str) -> Finding:
    """Return whether all words that were read differ."""
    words = np.concatenate(read)
    shared = len(words) - len(np.unique(words))
    says = (
        f"All of {len(words):,} random words differ, those of {who} too ({where}).",
        f"{shared:,} of {len(words):,} random words were read twice, by {who} ({where}): they share their noise.",
    )
    return Finding.of(check, shared > 0, says, {"words": len(words), "shared": shared}, tells=True)


def _elsewhere(watches: Sequence[Watch], where: str) -> Finding:
    """Return whether noise came from the documents' own streams."""
    asked = sum(watch.elsewhere for watch in watches)
    says = (
        f"All random words came from the documents' own streams ({where}).",
        f"{asked:,} requests for random words went past the documents' own streams ({where}).",
    )
    return Finding.of("own streams", asked > 0, says, {"elsewhere": asked}, tells=False)


def _releases(anonymizer: Anonymizer, texts: Sequence[str], where: str) -> Finding:
    """Return whether releases that follow each other have their own noise: under one key, and as `transform` draws."""
    rng, read = secure(), list[Words]()
    for method in (anonymizer, anonymizer, _another()):
        with watched() as watch:
            method.release(texts, rng=rng)
        read.append(watch.words())
    for transform in (anonymizer.transform, anonymizer.fit_transform) * 2:
        with watched() as watch:
            transform(texts)
        read.append(watch.words())
    return _distinct("noise of releases", read, "releases that follow each other", where)


def _rows(anonymizer: Anonymizer, texts: Sequence[str], others: Sequence[str], where: str) -> Finding:
    """Return whether a document's output stays the same when the documents beside it change."""
    key, changed = secure().key, list[bool]()
    for parity in (0, 1):
        mixed = list(texts)
        mixed[parity::2] = others[parity::2]
        first, second = (anonymizer.release(list(some), rng=secure(key)).texts() for some in (texts, mixed))
        stayed = slice(1 - parity, None, 2)
        changed += [before != after for before, after in zip(first[stayed], second[stayed], strict=True)]
    says = (
        f"No output changed when the documents beside it did ({where}).",
        f"{sum(changed)} of {len(changed)} outputs changed when the documents beside them did ({where}).",
    )
    figures = {"documents": len(changed), "changed": sum(changed)}
    return Finding.of("rows apart", any(changed), says, figures, tells=True)
