"""Peer reviews (ICLR, ACL, CoNLL): anonymous, so that there is no author to find; nine tenths are for training."""

from __future__ import annotations

from pathlib import Path

from allonym.language.words import digest
from allonym.papers.corpora import columns

_PARTS = 10


def bucket(name: str, buckets: int) -> int:
    """Return a number below `buckets` that a hash of the name fixes."""
    return int.from_bytes(digest(name)[:8], "little") % buckets


def training_review(doc_id: str) -> bool:
    """Tell whether a peer review belongs to the training part; the others are for measuring."""
    return bucket(doc_id, _PARTS) != 0


def held_out(data: Path) -> list[str]:
    """Return the reviews of the data folder that no shipped network was trained on."""
    path = data / "peerread" / "peerread.parquet"
    rows = zip(*columns(path, ["doc_id", "kind", "text"]), strict=True)
    return [str(text) for name, kind, text in rows if kind == "review" and text and not training_review(str(name))]
