"""The texts that methods are compared on: who wrote what, and how much of it an attacker knows.

Attackers know every text that a corpus has of an author, but for the tested ones. Texts are the whole sentences of the
first 150 words or so, because methods work on answers, reviews and letters, and a whole blog post would be a longer job
than a more telling one. Of reviews the last sentence is dropped: many end in a sign-off. No attacker was chosen on
these authors (see `allonym.evaluation.knowledge`), and no setting of a method but ER-AE's plain clauses, which were
first tried on ten of the reviewers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from allonym.errors import InputError
from allonym.evaluation.evaluate import RELEASED_OF_AUTHOR
from allonym.evaluation.sample import Sample
from allonym.language import sequences
from allonym.papers.corpora import blogs, imdb62, newsgroups20
from allonym.randomness import insecure

SEED = 2018
TOKENS = 150
_ENDS = {".", "!", "?", "..."}

Text = tuple[str, str, str, bool]  # a text, its author and label, and whether it is known


@dataclass(frozen=True)
class Ground:
    """Texts to compare methods on.

    Attributes:
        name: What they are called on the command line and on disk.
        title: What they are, in a few words.
        labels: What an analyst looks for in them.
        read: Reads them from the data folder.
        whole: Whether all methods are compared on them, or ours of plain clauses alone.
        fluency: Whether a language model reads them, which takes minutes a row.
        released_of_author: Known texts of each author that an attacker releases himself, at most.
    """

    name: str
    title: str
    labels: str
    read: Callable[[Path], Sample]
    whole: bool = True
    fluency: bool = False
    released_of_author: int = RELEASED_OF_AUTHOR


def reviewers(first: int, last: int, tested: int, cut: Callable[[str], str]) -> Callable[[Path], Sample]:
    """Return what reads the reviews of some authors of IMDb62, by their numbers in order."""

    def read(data: Path) -> Sample:
        corpus = imdb62.load(data)
        authors = set(sorted(set(corpus.authors), key=int)[first:last])
        rows = [row for row in shuffled(len(corpus.texts)) if corpus.authors[row] in authors]
        rated = ((cut(corpus.texts[row]), corpus.authors[row], corpus.labels[row], corpus.train[row]) for row in rows)
        return sample_of(rated, tested)

    return read


def bloggers(authors: int, tested: int) -> Callable[[Path], Sample]:
    """Return what reads the posts of those bloggers with most whom no shipped network was trained on."""

    def read(data: Path) -> Sample:
        corpus = blogs.load(data)
        ages = corpus.ages
        unseen = [row for row in shuffled(len(corpus.texts)) if corpus.splits[row] == "test"]
        chosen = {blogger for blogger, _ in Counter(corpus.bloggers[row] for row in unseen).most_common(authors)}
        rows = [row for row in unseen if corpus.bloggers[row] in chosen]
        numbers: Counter[int] = Counter()
        posts: list[Text] = []
        for row in rows:
            numbers[corpus.bloggers[row]] += 1
            known = numbers[corpus.bloggers[row]] > tested
            posts.append((opening(corpus.texts[row]), str(corpus.bloggers[row]), ages[row], known))
        return sample_of(posts, tested)

    return read


def posters(tested: int) -> Callable[[Path], Sample]:
    """Return what reads the messages of the ten authors whom the SynTF paper calls "Top 10/Any"."""

    def read(data: Path) -> Sample:
        corpus = newsgroups20.load(data)
        authors = set(newsgroups20.SCENARIOS[1].authors(corpus))
        rows = [row for row in shuffled(len(corpus.texts)) if corpus.authors[row] in authors]
        return sample_of(
            ((opening(corpus.texts[row]), corpus.authors[row], corpus.labels[row], corpus.train[row]) for row in rows),
            tested,
        )

    return read


def opening(text: str) -> str:
    """Return the first 150 words as they stand, up to the last end of a sentence among them if there is one."""
    words = text.split()
    if len(words) <= TOKENS:
        return " ".join(words)
    ends = [index for index, word in enumerate(words[:TOKENS]) if word.rstrip("\"')").endswith((".", "!", "?"))]
    return " ".join(words[: ends[-1] + 1 if ends else TOKENS])


def review(text: str) -> str:
    """Return whole sentences of the first 150 tokens in ordinary spacing, the last of them dropped."""
    tokens = text.split()[:TOKENS]
    ends = [index + 1 for index, token in enumerate(tokens[:-1]) if token in _ENDS] or [len(tokens)]
    starts = [0, *ends[:-1]]
    return " ".join(sequences.write(tokens[start:end]) for start, end in zip(starts, ends, strict=True))


def tokenised(text: str) -> str:
    """Return what `review` returns, in lower case and with blanks around marks: as an outside check read them."""
    tokens = text.lower().split()[:TOKENS]
    ends = [index for index, token in enumerate(tokens[:-1]) if token in _ENDS]
    return " ".join(tokens[: ends[-1] + 1] if ends else tokens)


def shuffled(documents: int) -> list[int]:
    """Return 0 … documents − 1 in an order of no meaning, always the same."""
    order: list[int] = insecure(SEED).words(documents).argsort().tolist()
    return order


def sample_of(texts: Iterable[Text], tested: int) -> Sample:
    """Return all known texts, and so many of each author's others; texts without a word are left out."""
    numbers: Counter[str] = Counter()
    chosen: list[Text] = []
    for text in texts:
        words, author, _, known = text
        numbers[author] += not known and bool(words.strip())
        if words.strip() and (known or numbers[author] <= tested):
            chosen.append(text)
    return Sample(
        texts=[text for text, _, _, _ in chosen],
        authors=[author for _, author, _, _ in chosen],
        labels=[label for _, _, label, _ in chosen],
        train=[known for _, _, _, known in chosen],
        rows=list(range(1, len(chosen) + 1)),
        largest_author=max(Counter(author for _, author, _, _ in chosen).values()),
    )


IMDB62_10 = Ground("imdb62-10", "Film reviews, ten authors", "rating", reviewers(0, 10, 30, review), fluency=True)
NEWSGROUPS20_10 = Ground("newsgroups20-10", "20 newsgroups, ten authors", "group", posters(15))
GROUNDS: dict[str, Ground] = {
    ground.name: ground
    for ground in (
        IMDB62_10,
        NEWSGROUPS20_10,
        Ground("blogs-50", "Blog posts, fifty authors", "age group", bloggers(50, 8)),
        Ground("imdb62-62", "Film reviews, 62 authors", "rating", reviewers(0, 62, 5, review)),
        Ground(
            "outside-check",
            "Film reviews, ten authors, as an outside check read them",
            "rating",
            reviewers(0, 10, 40, tokenised),
            whole=False,
        ),
    )
}


def asked_for(only: str | None, grounds: Mapping[str, Ground]) -> list[Ground]:
    """Return the grounds whose names are given with commas between them; all by default.

    Raises:
        InputError: There is no ground of such a name.
    """
    asked = list(grounds) if only is None else [name.strip() for name in only.split(",") if name.strip()]
    if unknown := sorted(set(asked) - set(grounds)):
        raise InputError(f"There are no texts called {unknown[0]}; choose among: {', '.join(grounds)}.")
    return [grounds[name] for name in asked]
