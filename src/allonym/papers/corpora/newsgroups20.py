"""20 newsgroups, by date: messages without headers, footers and quotes; the label is the group.

The authors are the addresses in the From: lines. Section 4.2 of the SynTF paper attacks the most active of them in four
scenarios (its table 1). Both "Any" scenarios follow from the minima the paper gives. For "Multi" the same minima leave
one author too many, in both scenarios the same one: all their training messages are in one group and a single test
message in another. The paper puts such differences down to "ambiguous identifiers", but that author has one name and
one address. Counting the groups of the *training* messages leaves exactly 5 and 10, so that is how groups are counted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

from allonym.papers.corpora import Corpus, columns


@dataclass(frozen=True)
class Scenario:
    """Whom the attacker chooses from: authors with at least so many messages in at least so many groups."""

    name: str
    suspects: int
    groups: int
    train: int
    test: int

    def authors(self, corpus: Corpus) -> list[str]:
        """Return the authors of a corpus who qualify, most training messages first."""
        parts: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
        groups = defaultdict[str, set[str]](set)
        for author, label, train in zip(corpus.authors, corpus.labels, corpus.train, strict=True):
            parts[train][author] += 1
            if train:
                groups[author].add(label)
        authors = [
            author
            for author, messages in parts[True].items()
            if messages >= self.train and parts[False][author] >= self.test and len(groups[author]) >= self.groups
        ]
        return sorted(authors, key=lambda author: (-parts[True][author], author))


SCENARIOS = (
    Scenario("Top 5/Any", suspects=5, groups=1, train=35, test=17),
    Scenario("Top 10/Any", suspects=10, groups=1, train=28, test=9),
    Scenario("Top 5/Multi", suspects=5, groups=2, train=29, test=9),
    Scenario("Top 10/Multi", suspects=10, groups=2, train=21, test=8),
)


def load(data: Path, *, quotes: bool = False) -> Corpus:
    """Return the corpus from the data folder, with or without the lines that messages quote."""
    path = data / "newsgroups20" / "newsgroups20.parquet"
    texts, topics, split, authors = columns(path, ["body" if quotes else "body_noquote", "topic", "split", "author"])
    return Corpus(
        "20 newsgroups",
        [str(text or "") for text in texts],
        [str(topic) for topic in topics],
        [part == "train" for part in split],
        [str(author) for author in authors],
    )
