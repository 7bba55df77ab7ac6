"""What A4NT is evaluated on: bloggers and speeches as documents, split into sentences as section 4.1 of the paper does.

A blogger is one document, as in the paper; so is a speech. Sentences are split and written again by
`language.masked_sentences`, capitals and slang as they were: this is called the original text. Of a document the first
sentences count, in the order of its posts; of a training document, those of posts in the order of a hash.

In the speeches names and numbers are labels (`[person]`) in what attackers read, before and after, as in the paper.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from allonym.errors import InputError
from allonym.language import masked_sentences
from allonym.language.masked_sentences import MaskedSentence
from allonym.language.words import digest
from allonym.papers.corpora import blogs, speeches
from allonym.training.erae.corpus import is_prose

SETTINGS: Final = ("blog-age", "blog-gender", "speech")
SIX: Final = "blog-six"
CLASSES: Final = {
    "blog-age": ("teen", "adult"),
    "blog-gender": ("female", "male"),
    "speech": ("obama", "trump"),
    SIX: tuple(f"{age}-{gender}" for age in blogs.AGE_GROUPS for gender in blogs.GENDERS),
}
FEWEST_TOKENS: Final = 2
_LONG_SENTENCE: Final = 250  # characters; few are longer


@dataclass(frozen=True)
class DocumentPart:
    """Documents for one purpose, such as testing."""

    pieces: list[MaskedSentence]  # the sentences of all documents as tokens, one document's after another
    owners: NDArray[np.int64]  # the document of each sentence, by number
    classes: dict[str, list[str]]  # for each setting, the class of each document
    labelled: bool  # whether names and numbers are labels in what is read

    @cached_property
    def sentences(self) -> list[str]:
        """The sentences as attackers read them."""
        if not self.labelled:
            return self.inputs
        return [masked_sentences.write(piece.tokens, placeholders=True) for piece in self.pieces]

    @cached_property
    def inputs(self) -> list[str]:
        """The sentences as they were written."""
        return [masked_sentences.write(piece.tokens, piece.originals) for piece in self.pieces]

    def __len__(self) -> int:
        return len(next(iter(self.classes.values())))

    def texts(self, sentences: Sequence[str] | None = None) -> list[str]:
        """Return each document as one text, of these sentences or of what became of them."""
        chosen = self.sentences if sentences is None else sentences
        joined: list[list[str]] = [[] for _ in range(len(self))]
        for owner, sentence in zip(self.owners.tolist(), chosen, strict=True):
            joined[owner].append(sentence)
        return ["\n\n".join(each) for each in joined]  # an empty line ends a sentence that lacks its full stop

    def sentence_classes(self, setting: str) -> list[str]:
        """Return the class of each sentence's document."""
        return [self.classes[setting][owner] for owner in self.owners.tolist()]

    def first(self, documents: int, sentences: int) -> DocumentPart:
        """Return the first sentences of documents spread evenly over all of them."""
        rows = spread(len(self), documents)
        starts = np.searchsorted(self.owners, np.arange(len(self)))
        places = np.arange(len(self.owners)) - starts[self.owners]
        rows_kept = np.flatnonzero(np.isin(self.owners, rows) & (places < sentences))
        return DocumentPart(
            [self.pieces[row] for row in rows_kept],
            np.searchsorted(rows, self.owners[rows_kept]),
            {name: [classes[row] for row in rows] for name, classes in self.classes.items()},
            self.labelled,
        )


@dataclass(frozen=True)
class SplitCorpus:
    """The parts of a corpus, and how large all of it is."""

    train: DocumentPart  # what attackers learn from
    val: DocumentPart  # what shows whether they do
    test: DocumentPart  # what is translated and attacked
    documents: int  # bloggers or speeches in all
    posts: int  # texts in all

    def to_json(self) -> dict[str, Any]:
        """Return everything, as JSON can hold it."""
        return {**{name: _plain(getattr(self, name)) for name in _PARTS}, "counts": [self.documents, self.posts]}

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> SplitCorpus:
        """Return what `to_json` returned."""
        train, val, test = (_filled(stored[name]) for name in _PARTS)
        documents, posts = stored["counts"]
        return cls(train, val, test, documents, posts)


_PARTS: Final = ("train", "val", "test")


def _plain(part: DocumentPart) -> list[Any]:
    pieces = [[piece.tokens, piece.originals, piece.continues] for piece in part.pieces]
    return [pieces, part.owners.tolist(), part.classes, part.labelled]


def _filled(stored: list[Any]) -> DocumentPart:
    sentences, owners, classes, labelled = stored
    pieces = [
        MaskedSentence(tuple(tokens), {name: tuple(stood) for name, stood in had.items()}, more)
        for tokens, had, more in sentences
    ]
    return DocumentPart(pieces, np.array(owners, dtype=np.int64), classes, labelled)


def check(data: Path) -> None:
    """Raise an `InputError` for a corpus that is missing before long work begins."""
    for file in ("blogs/blogs_4002.parquet", "political_speeches/political_speeches.parquet"):
        if not (data / file).exists():
            raise InputError(f"{file} is not in the data folder; name the folder that holds it with --data.")


def load_blogs(data: Path, *, train: int, held_out: int) -> SplitCorpus:
    """Return the bloggers, of each so many sentences for training and for looking at."""
    corpus = blogs.load(data)
    posts: dict[int, list[int]] = {}
    for post, blogger in enumerate(corpus.bloggers):
        posts.setdefault(blogger, []).append(post)
    parts = {}
    for split in blogs.SPLITS:
        chosen = [of_blogger for of_blogger in posts.values() if corpus.splits[of_blogger[0]] == split]
        most = train if split == "train" else held_out
        order = [digest(name) for name in corpus.ids] if split == "train" else None
        sentences = [
            _first_sentences((corpus.texts[post] for post in _ordered(of_blogger, order)), most)
            for of_blogger in chosen
        ]
        ages = ["teen" if corpus.age_groups[of_blogger[0]] == blogs.AGE_GROUPS[0] else "adult" for of_blogger in chosen]
        genders = [corpus.genders[of_blogger[0]] for of_blogger in chosen]
        six = [f"{corpus.age_groups[of_blogger[0]]}-{corpus.genders[of_blogger[0]]}" for of_blogger in chosen]
        parts[split] = _part(sentences, {"blog-age": ages, "blog-gender": genders, SIX: six}, labelled=False)
    return SplitCorpus(**parts, documents=len(posts), posts=len(corpus.texts))


def load_speeches(data: Path, *, train: int, held_out: int) -> SplitCorpus:
    """Return the speeches, of each so many sentences; names are labels."""
    corpus = speeches.load(data)
    parts = {}
    for split in speeches.SPLITS:
        rows = [row for row, part in enumerate(corpus.splits) if part == split]
        most = train if split == "train" else held_out
        sentences = [_first_sentences([_beginning(corpus.texts[row], most)], most, names=True) for row in rows]
        parts[split] = _part(sentences, {"speech": [corpus.speakers[row] for row in rows]}, labelled=True)
    return SplitCorpus(**parts, documents=len(corpus.texts), posts=len(corpus.texts))


def spread(count: int, most: int) -> NDArray[np.int64]:
    """Return at most `most` of 0 … count − 1, evenly spaced."""
    return np.unique(np.linspace(0, count - 1, min(most, count)).round().astype(np.int64))


def _part(documents: Sequence[list[MaskedSentence]], classes: dict[str, list[str]], *, labelled: bool) -> DocumentPart:
    """Put documents together; those without a sentence are left out."""
    filled = [row for row, pieces in enumerate(documents) if pieces]
    owners = np.repeat(np.arange(len(filled)), [len(documents[row]) for row in filled])
    pieces = [piece for row in filled for piece in documents[row]]
    by_setting = {name: [values[row] for row in filled] for name, values in classes.items()}
    return DocumentPart(pieces, owners, by_setting, labelled)


def _first_sentences(texts: Iterable[str], most: int, *, names: bool = False) -> list[MaskedSentence]:
    sentences: list[MaskedSentence] = []
    for text in texts:
        for piece in masked_sentences.sentences(text, names=names):
            if len(piece.tokens) >= FEWEST_TOKENS and is_prose(list(piece.tokens)):
                sentences.append(piece)
            if len(sentences) == most:
                return sentences
    return sentences


def _beginning(text: str, sentences: int) -> str:
    """Return enough of a long text for so many sentences; the search for names is slow."""
    return text[: _LONG_SENTENCE * (sentences + 4)]


def _ordered(rows: Sequence[int], order: Sequence[bytes] | None) -> list[int]:
    return list(rows) if order is None else sorted(rows, key=order.__getitem__)
