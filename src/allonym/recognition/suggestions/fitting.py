"""Whether a change leaves its sentence English: by pairs of neighbouring words, and by a grammar checker if any.

Both only ever refuse. The table of pairs knows which common words never stand beside each other; the checker, Harper
(extra `grammar`), may find something in the changed sentence that it did not find before.

Privacy: spends nothing; everything runs in this process.
"""

from __future__ import annotations

from collections import Counter
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

from allonym.errors import AllonymError
from allonym.language import sequences
from allonym.language.pairs import WordPairs
from allonym.language.rewording import Edit, SentenceReader
from allonym.metrics import fluency

_KINDS = frozenset({"wording", "filler", "small word"})  # those that bring new neighbours together
_STYLE = frozenset({"Spelling", "Readability", "Style", "Enhancement", "Formatting", "Regionalism", "WordChoice"})


def fits(edit: Edit, reader: SentenceReader) -> bool:
    """Tell whether nothing speaks against the sentence as the edit leaves it."""
    before, after = sentence_around(edit, reader)
    if edit.kind in _KINDS and _strange(after) - _strange(before):
        return False
    return not findings(after) - findings(before)


def sentence_around(edit: Edit, reader: SentenceReader) -> tuple[str, str]:
    """Return the sentence of an edit, as it is and as it would be."""
    start = reader.sentence_at(edit.start)[0]
    stop = max(reader.sentence_at(max(edit.start, edit.stop - 1))[1], edit.stop)
    text = reader.text
    return text[start:stop], text[start : edit.start] + edit.new + text[edit.stop : stop]


@lru_cache(2**10)
def _strange(sentence: str) -> frozenset[tuple[str, str]]:
    """Return the pairs of words that avoid each other."""
    tokens = [token.lower() for token in sequences.tokens(sentence)]
    found = {pair for pair in pairwise(tokens) if all(one[0].isalpha() or one[0] == "'" for one in pair)}
    return frozenset(pair for pair in found if _pairs().avoided(*pair))


@cache
def _pairs() -> WordPairs:
    return WordPairs.open()


def has_grammar() -> bool:
    """Tell whether a grammar checker looks at suggestions."""
    return _linter() is not None


@cache
def _linter() -> Any:  # noqa: ANN401 - harper has no types
    try:
        return fluency.linter()
    except AllonymError:
        return None


@lru_cache(2**11)
def _findings(sentence: str) -> tuple[str, ...]:
    checker = _linter()
    return () if checker is None else fluency.named_findings(checker, sentence)


def findings(sentence: str) -> Counter[str]:
    """Return what the checker finds in a sentence, but for what is a matter of style or of a spelling's side."""
    return Counter(name for name in _findings(sentence) if name not in _STYLE)


def prepare() -> None:
    """Open the tables, which takes a second the first time."""
    _pairs()
    _findings("It is ready.")


def forget() -> None:
    """Drop what was remembered of texts."""
    _strange.cache_clear()
    _findings.cache_clear()
