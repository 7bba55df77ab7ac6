"""Whether all noise of a release is its own: random words are watched as they are read.

Two places that read the same 64-bit word share their noise; by chance that happens to a million words once in 37
million audits. What is compared: documents of one release, draws of one document, other texts in the same places under
the same key, and releases that follow each other under one key.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from allonym import anonymizers
from allonym.anonymizers.base import Anonymizer
from allonym.audit.draws import Watch, watched
from allonym.audit.findings import Finding
from allonym.mechanisms.base import Words
from allonym.randomness import secure

_MANY = 1_200
_PREFIX = 300  # words that two long texts share
# Where a counter of rows may begin anew: the sizes of bytes and words, and of batches.
_FAR = (1, 7, 255, 256, 1_000, 1_024, 4_096, 50_000, 65_536, 10**6, 2**31, 2**32, 2**48)


def texts_to_tell_apart(known: Sequence[str]) -> list[tuple[str, str]]:
    """Return pairs of texts that have much in common: length, letters, words, or all but a space."""
    one, two, three = known[:3]
    plain = f"{one} {two} {three}"
    long = " ".join(known[number % len(known)] for number in range(_PREFIX))
    same_length = "".join(chr(98 + number % 3) if sign.isalpha() else sign for number, sign in enumerate(plain))
    return [
        (plain, f"{three} {two} {one}"),
        (plain, same_length),
        (plain, f"{one} {three} {three}"),
        (plain, f"{one[0]}q {two[0]}q {three[0]}q"),
        (plain, plain.upper()),
        (plain, f"{plain} "),
        (plain, f"{plain}\n"),
        (plain, f"{plain}."),
        (f"{plain} quavexil", f"{plain} brintosk"),
        (f"quavexil {plain}", f"brintosk {plain}"),
        (f"{one} 7 {two}", f"{one} 8 {two}"),
        ("", " "),
        ("quavexil", "brintosk"),
        (f"{long} {one}", f"{long} {two}"),
        (f"{one} {long}", f"{two} {long}"),
        ("caf\u00e9 " + plain, "cafe\u0301 " + plain),
        (plain, f"{plain} {one}"),
        (two, three),
        (two, two * 2),
        (f"{two} {two}", two),
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
    """Return whether releases that follow each other under one key, also by another method, have their own noise."""
    rng, read = secure(), list[Words]()
    another = next(one for one in anonymizers.examples().values() if one.is_a_baseline and one.guarantee().formal)
    for method in (anonymizer, anonymizer, another):
        with watched() as watch:
            method.release(texts, rng=rng)
        read.append(watch.words())
    return _distinct("noise of releases", read, "releases that follow each other under one key", where)


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
