"""Turn blog posts into the numbered characters that tools/train_style_encoder.py learns from.

    python tools/prepare_style_encoder.py --data ../shared/data --out style_data

Writes ``style.npz.xz``: posts of the training bloggers to learn from, and posts of the validation bloggers and film
reviews of IMDb62, by authors of whom no figure is reported, to choose settings by. A post has 20 words at least and is
cut after ``--characters``; a blogger has ``--posts`` at most, spread over the time they wrote. The test bloggers are
not read.
"""

from __future__ import annotations

import argparse
import io
import lzma
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from allonym.networks.style_encoder.text import numbered

FEWEST_WORDS = 20
REVIEWERS, REVIEWS = range(10, 30), 30  # in the order of author numbers; the first ten are reported on


def posts(folder: Path, split: str, characters: int, most: int) -> tuple[list[str], list[int]]:
    """Return the posts of a split and who wrote each, a blogger's in the order of their dates."""
    table = pq.read_table(folder / "blogs/blogs_4002.parquet", filters=[("split", "=", split)])
    rows = zip(*(table[name].to_pylist() for name in ("author", "date", "doc_id", "text")), strict=True)
    found: dict[int, list[str]] = {}
    for author, _, _, text in sorted(rows, key=lambda row: row[:3]):
        clean = (text or "").replace("urlLink", " ").strip()[:characters]
        if len(clean.split()) >= FEWEST_WORDS:
            found.setdefault(author, []).append(clean)
    chosen = {author: spread(texts, most) for author, texts in found.items() if len(texts) >= 2}
    texts = [text for author in sorted(chosen) for text in chosen[author]]
    return texts, [author for author in sorted(chosen) for _ in chosen[author]]


def reviews(folder: Path, characters: int) -> tuple[list[str], list[int]]:
    """Return film reviews of authors who are not reported on."""
    table = pq.read_table(folder / "imdb62/imdb62.parquet", filters=[("split", "=", "train")])
    rows = zip(*(table[name].to_pylist() for name in ("author", "doc_id", "text")), strict=True)
    found: dict[int, list[str]] = {}
    for author, _, text in sorted(rows, key=lambda row: (int(row[0]), row[1])):
        found.setdefault(int(author), []).append((text or "")[:characters])
    authors = [sorted(found)[place] for place in REVIEWERS]
    return [t for a in authors for t in spread(found[a], REVIEWS)], [a for a in authors for _ in range(REVIEWS)]


def spread(texts: Sequence[str], most: int) -> list[str]:
    """Return at most so many, at even distances."""
    return [texts[place] for place in np.linspace(0, len(texts) - 1, min(most, len(texts))).astype(int)]


def main() -> None:
    """Read the corpora and write the arrays."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--characters", type=int, default=2500)
    parser.add_argument("--posts", type=int, default=40)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    parts = {
        "train": posts(options.data, "train", options.characters, options.posts),
        "blogs": posts(options.data, "val", options.characters, options.posts),
        "reviews": reviews(options.data, options.characters),
    }
    arrays: dict[str, Any] = {}
    for name, (texts, writers) in parts.items():
        characters, ranges = numbered(texts)
        arrays |= {f"{name}.characters": characters, f"{name}.ranges": ranges}
        arrays[f"{name}.writers"] = np.unique(np.array(writers), return_inverse=True)[1]
        print(
            f"{name}: {len(set(writers)):,} writers, {len(texts):,} texts, {len(characters):,} characters", flush=True
        )
    packed = io.BytesIO()
    np.savez(packed, **arrays)
    (options.out / "style.npz.xz").write_bytes(lzma.compress(packed.getbuffer(), preset=6))
    print(f"{(options.out / 'style.npz.xz').stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
