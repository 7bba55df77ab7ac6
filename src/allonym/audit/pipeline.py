"""A method's own draws against the law of its mechanism, and against each other.

The law is that of the exact weights; the draws are those of whole releases. At a small loss every output is likely, so
that a word that is left out, put in, or drawn with a neighbour's noise shows in a few thousand draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

import numpy as np

from allonym.anonymizers.auditing import PLAIN, Auditing, Small, varied
from allonym.anonymizers.base import Anonymizer
from allonym.audit.draws import RecordedDraw, watched
from allonym.audit.findings import Finding
from allonym.audit.law import Test, bands, follows, follows_in, judged, most_alike, same_law, varies
from allonym.mechanisms.base import Float64, Int64
from allonym.randomness import secure

ROWS = 300  # of each document
_TURNED_ROWS = 2_400  # of a text and of its reverse, of which one word each is compared
_ALIKE = 100  # rows of one document that are compared with each other
_DRAWS = 4_000  # at full size
_FEW_ROWS = 40
_SHORT = 20  # words
_LENGTH = 12
_PLACES = 48  # of a document whose words are compared with each other: whole segments
_PARTS = 16  # of the words that are not told apart
_FEWEST_DRAWS = 400  # for the same ratings
_NEARBY = 64  # most likely words that are told apart at full size
_HOLDS = "What the method writes follows the law of its mechanism"
_BROKEN = "What the method writes does not follow the law of its mechanism"


def pipeline(anonymizer: Anonymizer) -> list[Finding]:
    """Return the findings about a method's own draws: of its small version, and as it is."""
    small = anonymizer.audited().small()
    if small is None:
        says = f"No small version of {anonymizer.method} is known, so its draws were not compared with their law."
        return [Finding.not_audited("law", says)]
    if small.laws is None:
        return _of_ratings(small)
    tests = [*_positions(small), *_counts(small), *_reversed(small)]
    findings = [judged("law", tests, holds=_HOLDS, broken=_BROKEN, where=f"{len(small.words)} words, a small loss")]
    return [*findings, _independent(small), *_at_full_size(anonymizer)]


def columns_of(payload: object, words: Sequence[str]) -> list[Int64]:
    """Return what was released for each document as numbers of words, in the order they stand in; −1 for others."""
    if hasattr(payload, "indptr"):
        rows = payload.toarray()  # type: ignore[attr-defined] # vectors
        return [np.repeat(np.arange(rows.shape[1]), row) for row in rows]
    column = {word: number for number, word in enumerate(words)}
    documents = [row if isinstance(row, list) else row.split() for row in payload]  # type: ignore[attr-defined]
    return [np.array([column.get(word, -1) for word in document], np.int64) for document in documents]


def _length(anonymizer: Anonymizer) -> int:
    words = getattr(anonymizer, "words", None)
    return _LENGTH if words is None or not anonymizer.audited().in_order else int(words)


def _positions(small: Small) -> Iterator[Test]:
    """Compare every word in every place with its law, where words keep their places."""
    laws = small.laws
    if laws is None or not small.anonymizer.audited().in_order:
        return
    many, length = len(small.words), _length(small.anonymizer)
    inputs = [[(turn + position) % many for position in range(length)] for turn in range(many)]
    texts = [" ".join(small.words[number] for number in row) for row in inputs for _ in range(ROWS)]
    released = columns_of(small.anonymizer.release(texts).payload, small.words)
    if any(len(row) < length or (row < 0).any() for row in released):
        yield Test("words that are in no law, or missing", 0.0)
        return
    drawn = np.stack([row[:length] for row in released]).reshape(many, ROWS, length)
    by_word = np.zeros((many, many), np.int64)
    for turn, row in enumerate(inputs):
        for position, number in enumerate(row):
            counts = np.bincount(drawn[turn, :, position], minlength=many)
            by_word[number] += counts
            yield Test(f"{small.words[number]!r} as word {position + 1} of {length}", follows(counts, laws[number]))
    for number, counts in enumerate(by_word):
        yield Test(f"{small.words[number]!r} anywhere", follows(counts, laws[number]))


def _counts(small: Small) -> Iterator[Test]:
    """Compare the counts of documents of one word, of two and of all with the mixture of their laws."""
    words, many, length = small.words, len(small.words), _length(small.anonymizer)
    alone = [(f"{word!r} alone", [number] * length) for number, word in enumerate(words)]
    if small.anonymizer.audited().in_order:
        yield from _mixtures(small, small.anonymizer, alone, ROWS)
        return
    first = [(f"all words, {words[n]!r} first", [(n + k) % many for k in range(many)]) for n in range(many)]
    once = [(f"{words[n]!r}, then another", [n] + [(n + 5) % many] * (length - 1)) for n in range(many)]
    last = [(f"{words[n]!r} after another", [(n + 5) % many] * (length - 1) + [n]) for n in range(many)]
    given = getattr(small.anonymizer, "words", None)
    # Few words of many documents, where a word more of each shows; and many words, which may hang together.
    short = small.anonymizer if given is None else varied(small.anonymizer, words=min(int(given), _SHORT))
    yield from _mixtures(small, short, alone + first + once + last, ROWS)
    yield from _mixtures(small, small.anonymizer, alone, _FEW_ROWS)


def _reversed(small: Small) -> Iterator[Test]:
    """Compare documents with the same ones read backwards, where words do not keep their order: nor may it show."""
    if small.laws is None or small.anonymizer.audited().in_order:
        return
    apart = np.abs(small.laws[:, None] - small.laws[None]).sum(axis=2)
    first, second = (small.words[number] for number in np.unravel_index(apart.argmax(), apart.shape))
    words = [first] * (_LENGTH // 2) + [second] * (_LENGTH // 2)
    texts = [" ".join(order) for order in (words, words[::-1]) for _ in range(_TURNED_ROWS)]
    released = columns_of(small.anonymizer.release(texts).payload, small.words)
    if any((row < 0).any() for row in released) or len({len(row) for row in released}) > 1:
        yield Test("words that are in no law, or missing", 0.0)
        return
    drawn = np.stack(released).reshape(2, _TURNED_ROWS, -1)
    for end in (0, -1):
        counts = [np.bincount(rows[:, end], minlength=len(small.words)) for rows in drawn]
        yield Test(f"the {'first' if end == 0 else 'last'} word of a text and of its reverse", same_law(*counts))


def _mixtures(small: Small, method: Anonymizer, asked: Sequence[tuple[str, list[int]]], rows: int) -> Iterator[Test]:
    """Compare what came for documents, given as numbers of words, with the mixture of the words' laws."""
    if small.laws is None:
        return
    texts = [" ".join(small.words[number] for number in row) for _, row in asked for _ in range(rows)]
    released = columns_of(method.release(texts).payload, small.words)
    if any((row < 0).any() for row in released):
        yield Test("words that are in no law", 0.0)
        return
    counts = [np.bincount(row, minlength=len(small.words)) for row in released]
    for (name, inputs), drawn in zip(asked, np.stack(counts).reshape(len(asked), rows, -1), strict=True):
        law = small.laws[inputs].mean(axis=0)
        yield Test(name, follows(drawn.sum(axis=0), law))
        # Words that are all drawn once each spread less than draws of the mixture, and never more.
        yield Test(f"{name}: words of one document hang together", varies(drawn, law))


def _independent(small: Small) -> Finding:
    """Compare rows of one document, and places in it, with each other: shared noise makes them agree."""
    method = small.anonymizer.audited().in_places()
    text = " ".join([small.words[0]] * _PLACES)
    with watched(getattr(method, "mechanism_", None), words=False) as watch:
        payload = method.release([text] * _ALIKE).payload
    matrix = _drawn_matrix(watch.draws, _ALIKE)
    if matrix is None:
        matrix = np.stack(columns_of(payload, small.words))
    if small.laws is None or matrix.shape[1] < 2:
        return judged("fresh noise", [], holds="", broken="", where="words of one document")
    chance = float((small.laws[0] ** 2).sum())
    return alike(matrix, np.full(matrix.shape[1], chance), np.full(len(matrix), chance), f"{len(PLAIN)} words")


def alike(matrix: Int64, by_place: Float64, by_row: Float64, where: str) -> Finding:
    """Return whether two rows, or two places, agree more often than independent draws would."""
    tests = [
        Test("two rows agree", most_alike(matrix, by_place)),
        Test("two places agree", most_alike(matrix.T, by_row)),
    ]
    return judged(
        "fresh noise",
        tests,
        holds="Every draw of a document has noise of its own, and so has every document",
        broken="Draws share their noise",
        where=where,
        rows=len(matrix),
        places=matrix.shape[1],
    )


def _drawn_matrix(draws: Sequence[RecordedDraw], rows: int) -> Int64 | None:
    """Return what mechanisms drew for equal documents, a row each; None if nothing was watched, or it has no rows."""
    drawn = [np.asarray(draw.outputs).ravel() for draw in draws]
    flat = np.concatenate([np.zeros(0, np.int64), *drawn])
    return flat.reshape(rows, -1) if flat.size and flat.size % rows == 0 else None


def _of_ratings(small: Small) -> list[Finding]:
    """Compare what a method draws over a tiny vocabulary with the law of the ratings that it hands to its mechanism."""
    method, words = small.short, small.words
    mechanism, drawn = getattr(method, "mechanism_", None), method.guarantee().words or _LENGTH
    texts = ["", " ".join(words[:3]), f"{words[3]} {words[4]}. {words[5]}.", f"{words[6]} {words[7]}. " * 5]
    tests, where = list[Test](), f"{len(words)} words, a small loss"
    for number, text in enumerate(texts):
        # A draw that is no word may break what follows it; that it came is what counts.
        with watched(mechanism, words=False) as watch, suppress(LookupError):
            method.release([text] * (4 * ROWS), rng=secure())
        tests += _rated_tests(watch.draws, f"text {number + 1}")
    findings = [judged("law", tests, holds=_HOLDS, broken=_BROKEN, where=where)]
    with watched(mechanism, words=False) as watch, suppress(LookupError):
        method.release([f"{words[0]} {words[0]} {words[0]} {words[0]}. " * 3] * _ALIKE, rng=secure())
    matrix = _drawn_matrix(watch.draws, _ALIKE)
    if matrix is None or matrix.shape[1] < drawn:
        says = f"What was drawn has no row for each document ({where}), so that draws could not be compared."
        return [*findings, Finding.not_audited("fresh noise", says)]
    laws = _laws_in_order(watch.draws, matrix.shape[1])
    by_place, between = (laws**2).sum(axis=1), float((laws @ laws.T).max())
    return [*findings, alike(matrix, by_place, np.full(len(matrix), between), where)]


def _rated_tests(draws: Sequence[RecordedDraw], name: str) -> Iterator[Test]:
    """Compare draws with the law of their ratings, all draws for the same ratings together."""
    if not draws:
        return
    mechanism = draws[0].mechanism
    rated = np.concatenate([draw.inputs.reshape(-1, mechanism.outputs) for draw in draws])
    outputs = np.concatenate([draw.outputs.ravel() for draw in draws])
    if outputs.min() < 0 or outputs.max() >= mechanism.outputs:
        yield Test(f"{name}, a draw that is no word", 0.0)
        return
    # Ratings that differ by rounding alone are one input.
    _, first, group = np.unique(np.round(rated, 4), axis=0, return_index=True, return_inverse=True)
    for number, row in enumerate(first):
        drawn = outputs[group.ravel() == number]
        if len(drawn) >= _FEWEST_DRAWS:
            counts = np.bincount(drawn, minlength=mechanism.outputs)
            yield Test(f"{name}, ratings {number + 1}", follows(counts, mechanism.law(rated[row])))


def _laws_in_order(draws: Sequence[RecordedDraw], places: int) -> Float64:
    """Return the law of each place of the first document."""
    laws, known = list[Float64](), dict[bytes, Float64]()
    for draw in draws:
        for row in draw.inputs.reshape(-1, draw.mechanism.outputs)[: places - len(laws)]:
            key = np.round(row, 4).tobytes()
            if key not in known:
                known[key] = draw.mechanism.law(row)
            laws.append(known[key])
    return np.stack(laws)


def _at_full_size(anonymizer: Anonymizer) -> Iterator[Finding]:
    """Compare the method with the law of one word over all its words: as it is, and where every word is likely."""
    yield _of_one_word(anonymizer, "as it is, one word")
    little = anonymizer.audited().at_small_loss()
    if little is not None:
        yield _of_one_word(little, "as it is but for a small loss, one word")


def _of_one_word(anonymizer: Anonymizer, where: str) -> Finding:
    """Compare what came for one word with its law."""
    audited = anonymizer.audited()
    [word], vocabulary = audited.known(1), list(audited.words)
    words = getattr(anonymizer, "words", None)
    each = 40 if words is None else int(words)
    texts = [" ".join([word] * (each if words is None or audited.in_order else 1))] * -(-_DRAWS // each)
    column = {known: number for number, known in enumerate(vocabulary)}
    released = columns_of(anonymizer.release(texts).payload, vocabulary)
    drawn = np.concatenate(released)
    if (drawn < 0).any():
        tests: list[Test] | None = [Test("words that are in no law", 0.0)]
    else:
        tests = _of_word(audited, column[word], np.bincount(drawn, minlength=len(vocabulary)))
    if tests is None:
        says = f"The law of {anonymizer.method} is not known, so its draws were not compared with it ({where})."
        return Finding.not_audited("law", says)
    return judged("law", tests, holds=_HOLDS, broken=_BROKEN, where=where, draws=len(drawn))


def _of_word(audited: Auditing, row: int, counts: Int64) -> list[Test] | None:
    """Compare counts of what came for one word with the law of its mechanism; None if that is not known.

    The most likely words are told apart; all words are, by how likely they are and by their place in the list, in
    parts.
    """
    law, places = audited.law_of(row), np.arange(len(counts))
    word, by_place = repr(audited.words[row]), bands(places)
    if law is None:
        ways = {word: np.where(places == row, _PARTS, places % _PARTS), f"{word}, by place": by_place}
        apart = audited.drawn_for(row, int(counts.sum()))
        if apart is None:
            return None
        return [
            Test(way, same_law(*(np.bincount(cells, weights).astype(np.int64) for weights in (counts, apart))))
            for way, cells in ways.items()
        ]
    order = np.argsort(-law, kind="stable")
    cells = _PARTS + np.argsort(order, kind="stable")  # by rank
    ways = {word: np.where(cells < _PARTS + _NEARBY, cells, places % _PARTS)}
    ways |= {f"{word}, by likelihood": bands(order), f"{word}, by place": by_place}
    return [Test(way, follows_in(cells, counts, law)) for way, cells in ways.items()]
