"""20 newsgroups, by date: messages without headers, footers and quotes; the label is the group."""

from __future__ import annotations

from pathlib import Path

from allonym.datasets import Corpus, columns


def load(data: Path) -> Corpus:
    """Return the corpus from the data folder."""
    path = data / "newsgroups20" / "newsgroups20.parquet"
    texts, topics, split = columns(path, ["body_noquote", "topic", "split"])
    return Corpus(
        "20 newsgroups", [str(t or "") for t in texts], [str(t) for t in topics], [s == "train" for s in split]
    )
