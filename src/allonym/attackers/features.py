"""What an attacker sees in a text: named numbers, and where in the text they come from."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Literal, Self

import numpy as np
from scipy import sparse

from allonym.acceleration import worth_compiling
from allonym.attackers.gram_counts import SIZES, GramCounts, WeighedGrams

Spans = list[tuple[int, int]]
# Words with inner apostrophes and hyphens, any other sign on its own: punctuation is style.
TOKEN = re.compile(r"\w+(?:['’\-]\w+)*|[^\w\s]")


class Features(ABC):
    """Numbers of a text, one column each, learned from training texts."""

    @abstractmethod
    def fit(self, texts: Sequence[str]) -> Self:
        """Choose the columns from training texts."""

    @abstractmethod
    def transform(self, texts: Sequence[str]) -> sparse.csr_array:
        """Return documents × columns, non-negative."""

    def fit_transform(self, texts: Sequence[str]) -> sparse.csr_array:
        """Choose the columns and return them for the same texts, reading these once where that is possible."""
        return self.fit(texts).transform(texts)

    @abstractmethod
    def names(self) -> list[str]:
        """Return what each column counts, in words."""

    @abstractmethod
    def occurrences(self, column: int, text: str) -> Spans:
        """Return the character spans of a text that a column counts; none where it measures the whole."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Return what was learned, ready for JSON."""

    @abstractmethod
    def restore(self, state: dict[str, Any]) -> Self:
        """Learn it again from `state` of features with the same settings."""


class NGrams(Features):
    """N-grams: logarithmic term frequency × inverse document frequency, rows of length 1.

    Args:
        of: "characters" as written, within words and their borders; or "words", in lower case, every punctuation mark
            a token of its own.
        shortest: Fewest characters or tokens of an n-gram.
        longest: Most.
        most: The most frequent so many are kept.
        reading: What is read in the place of a text, of the same length (the clear channel masks words).
        across_words: Let n-grams of characters run from one word into the next.
        presence: Whether an n-gram stands in a text, 1 or 0, is all that is told: no frequencies, no lengths.
    """

    def __init__(
        self,
        of: Literal["characters", "words"],
        shortest: int,
        longest: int,
        *,
        most: int = 200_000,
        reading: Callable[[str], str] | None = None,
        across_words: bool = False,
        presence: bool = False,
    ) -> None:
        self.of = of
        self.shortest = shortest
        self.longest = longest
        self.most = most
        self.reading = reading
        self.across_words = across_words
        self.presence = presence

    def fit(self, texts: Sequence[str]) -> Self:
        """Choose the n-grams found in two texts at least; in one, if no other is to be had."""
        self.fit_transform(texts)
        return self

    def fit_transform(self, texts: Sequence[str]) -> sparse.csr_array:
        """Choose the n-grams and return documents × n-grams, reading the texts once."""
        for fewest in (2, 1):
            counted = self._counted(texts)
            if counted is not None:
                values = counted.fit_transform(texts, fewest=fewest, most=self.most)
                if values is None:
                    continue
                self._keep(counted)
                return values
            vectorizer = self._vectorizer(min_df=fewest, max_features=self.most)
            try:
                values = sparse.csr_array(vectorizer.fit_transform(texts))
            except ValueError:  # scikit-learn's answer to an empty vocabulary
                continue
            self._keep(vectorizer)
            return values
        # Nothing but white space: one column, always empty.
        return self.restore({"grams": ["\0"], "idf": [1.0]}).transform(texts)

    def transform(self, texts: Sequence[str]) -> sparse.csr_array:
        """Return documents × n-grams."""
        return sparse.csr_array(self._fitted.transform(texts))

    def names(self) -> list[str]:
        """Return the n-grams in quotation marks; where words are masked, what the masks stand for."""
        if self.reading is None:
            return [f"{self.of} “{gram}”" for gram in self._grams]
        return [f"pattern “{' '.join(_MASKS.get(token, token) for token in gram.split(' '))}”" for gram in self._grams]

    def occurrences(self, column: int, text: str) -> Spans:
        """Return where the n-gram stands."""
        gram = self._grams[column]
        read = self._read(text)
        if self.of == "words":
            return _token_spans(gram.split(" "), read, text)
        inner = r"\s+".join(re.escape(piece) for piece in gram.split())
        borders = (r"(?<=\s)", r"(?=\s)") if self.across_words else (r"(?<!\S)", r"(?!\S)")
        before = borders[0] if gram[:1] == " " else ""
        after = borders[1] if gram[-1:] == " " else ""
        return [match.span() for match in re.finditer(f"{before}{inner}{after}", read)] if inner else []

    def state(self) -> dict[str, Any]:
        """Return the n-grams and their weights."""
        return {"grams": self._grams, "idf": [] if self.presence else self._fitted.idf_.tolist()}

    def restore(self, state: dict[str, Any]) -> Self:
        """Take n-grams and weights from `state`."""
        vectorizer = self._vectorizer(vocabulary=list(state["grams"]))
        if not self.presence:
            vectorizer.idf_ = np.array(state["idf"], dtype=np.float64)
        self._keep(vectorizer)
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Leave counts of other texts behind."""
        state = vars(self)
        if isinstance(state.get("_fitted"), WeighedGrams):
            again = NGrams(**{name: state[name] for name in _SETTINGS}).restore(self.state())
            return dict(vars(again))
        return state

    def _counted(self, texts: Sequence[str]) -> WeighedGrams | None:
        """Return what chooses and weighs by counts that are kept, where texts are many; None where they are few."""
        shortest, longest = SIZES[self.of]
        fits = self.shortest >= shortest and self.longest <= longest and (self.of == "words" or self.across_words)
        if not fits or not worth_compiling(_PASSES * sum(map(len, texts))):
            return None
        return WeighedGrams(_counts(self.of, self.reading), (self.shortest, self.longest), presence=self.presence)

    def _keep(self, vectorizer: Any) -> None:  # noqa: ANN401 - scikit-learn has no types
        self._fitted = vectorizer
        self._listed: list[str] | None = None

    @property
    def _grams(self) -> list[str]:
        # Listed once: scikit-learn sorts the whole vocabulary each time it is asked.
        if self._listed is None:
            self._listed = self._fitted.get_feature_names_out().tolist()
        return self._listed

    def _read(self, text: str) -> str:
        read = text if self.reading is None else self.reading(text)
        return lowered(read) if self.of == "words" else read

    def _vectorizer(self, **settings: Any) -> Any:  # noqa: ANN401 - scikit-learn has no types
        from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

        by_characters = "char" if self.across_words else "char_wb"
        make, kind = (CountVectorizer, {"binary": True}) if self.presence else (TfidfVectorizer, {"sublinear_tf": True})
        return make(
            analyzer="word" if self.of == "words" else by_characters,
            ngram_range=(self.shortest, self.longest),
            token_pattern=TOKEN.pattern if self.of == "words" else None,
            preprocessor=self._read,
            lowercase=False,
            **kind,
            **settings,
        )


_SETTINGS = ("of", "shortest", "longest", "most", "reading", "across_words", "presence")
_PASSES = 24  # entries of a matrix that take as long as one character: from half a million of them on it pays


@lru_cache(maxsize=8)
def _counts(of: Literal["characters", "words"], reading: Callable[[str], str] | None) -> GramCounts:
    """Return the n-grams of a way to read texts, kept while the process lives."""

    def read(text: str) -> str | list[str]:
        seen = text if reading is None else reading(text)
        return TOKEN.findall(lowered(seen)) if of == "words" else seen

    return GramCounts(of, read)


class Together(Features):
    """Several kinds of features side by side.

    Args:
        parts: The kinds.
    """

    def __init__(self, *parts: Features) -> None:
        self.parts = parts

    def fit(self, texts: Sequence[str]) -> Self:
        """Choose the columns of every kind."""
        for part in self.parts:
            part.fit(texts)
        return self

    def transform(self, texts: Sequence[str]) -> sparse.csr_array:
        """Return documents × columns of all kinds."""
        return sparse.csr_array(sparse.hstack([part.transform(texts) for part in self.parts], format="csr"))

    def fit_transform(self, texts: Sequence[str]) -> sparse.csr_array:
        """Choose the columns of every kind and return them."""
        return sparse.csr_array(sparse.hstack([part.fit_transform(texts) for part in self.parts], format="csr"))

    def names(self) -> list[str]:
        """Return what each column counts, kind after kind."""
        return [name for part in self.parts for name in part.names()]

    def occurrences(self, column: int, text: str) -> Spans:
        """Ask the kind that the column is of."""
        for part in self.parts:
            size = len(part.names())
            if column < size:
                return part.occurrences(column, text)
            column -= size
        raise IndexError(f"There are not so many columns: {column} too many.")

    def state(self) -> dict[str, Any]:
        """Return what each kind learned."""
        return {"parts": [part.state() for part in self.parts]}

    def restore(self, state: dict[str, Any]) -> Self:
        """Give each kind back what it learned."""
        for part, learned in zip(self.parts, state["parts"], strict=True):
            part.restore(learned)
        return self


class Lengths(Features):
    """Nothing but how long a text is: logarithms of its characters, words and lines."""

    _COUNTED = ("characters", "words", "lines")

    def fit(self, texts: Sequence[str]) -> Self:
        """Learn nothing."""
        return self

    def transform(self, texts: Sequence[str]) -> sparse.csr_array:
        """Return documents × 3."""
        counts = [(len(text), len(text.split()), text.count("\n") + 1) for text in texts]
        return sparse.csr_array(np.log1p(np.array(counts, dtype=np.float64).reshape(-1, 3)))

    def names(self) -> list[str]:
        """Return what is counted."""
        return [f"number of {what} (logarithm)" for what in self._COUNTED]

    def occurrences(self, column: int, text: str) -> Spans:
        """Return nothing: a length is of the whole."""
        return []

    def state(self) -> dict[str, Any]:
        """Return nothing."""
        return {}

    def restore(self, state: dict[str, Any]) -> Self:
        """Do nothing."""
        return self


def lowered(text: str) -> str:
    """Return a text in lower case with every character in its old place.

    `str.lower` makes two characters of a few capitals, which would shift all that follows.
    """
    plain = text.lower()
    return plain if len(plain) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def without_words(text: str) -> str:
    r"""Mask what a word method replaces and keep what it may let through: punctuation, case, places of numbers, lines.

    Every word becomes one letter for its case, filled up with blanks to its length, so that places stay the same.

    >>> without_words("Well, I paid 300 pounds!\n")
    'c   , u w    0   w     !¶'
    """
    return _WORD_OR_LINE.sub(_masked, text)


_MASKS = {"w": "word", "c": "Word", "u": "WORD", "0": "number", "¶": "new line"}
_WORD_OR_LINE = re.compile(r"\w+(?:['’\-]\w+)*|\n")


def _masked(match: re.Match[str]) -> str:
    word = match.group()
    if word == "\n":
        return "¶"
    if word[0].isdigit():
        kind = "0"
    elif word.isupper():
        kind = "u"
    else:
        kind = "c" if word[0].isupper() else "w"
    return kind.ljust(len(word))


def _token_spans(gram: Sequence[str], read: str, text: str) -> Spans:
    """Return where the tokens stand in `text`, of which `read` is a version with every word in its place."""
    tokens = [(match.group(), *match.span()) for match in TOKEN.finditer(read)]
    size = len(gram)
    return [
        (tokens[first][1], _end_of_word(text, *tokens[first + size - 1][1:]))
        for first in range(len(tokens) - size + 1)
        if all(tokens[first + offset][0] == gram[offset] for offset in range(size))
    ]


def _end_of_word(text: str, start: int, end: int) -> int:
    """Return where the token that starts here ends in the text: a mask is shorter than its word."""
    whole = _WORD_OR_LINE.match(text, start)
    return end if whole is None else whole.end()
