"""Write the public text of the books that commonplace is measured with, ready for `allonym book build`.

    python tools/prepare_books.py --data ../shared/data --out DIR
    allonym book build DIR/reviews.jsonl -o books/reviews

`reviews.jsonl` has film reviews of the 52 reviewers of IMDb62 that are not reported, `validation.jsonl` those of the 42
that are neither reported nor used for choosing settings, and `posts.jsonl` posts of the training bloggers. The last
sentence of a review is left out: many are a sign-off. What is written are texts of people, for experiments only.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from make_sentences_en import MEASURED, review_sentences

from allonym.papers.corpora import blogs, imdb62
from allonym.papers.ruler.grounds import shuffled

REPORTED = slice(0, 10)  # reviewers, in the order of their numbers


def main() -> None:
    """Write all three."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--reviews", type=int, default=600, help="of each reviewer, at most")
    parser.add_argument("--posts", type=int, default=40_000)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    corpus = imdb62.load(given.data)
    names = sorted(set(corpus.authors), key=int)
    others = set(names) - set(names[REPORTED])
    for name, authors in (("reviews", others), ("validation", others - set(names[MEASURED]))):
        taken: Counter[str] = Counter()
        rows = []
        for row in shuffled(len(corpus.texts)):
            author = corpus.authors[row]
            taken[author] += 1
            if author in authors and taken[author] <= given.reviews:
                rows.append(row)
        _write(given.out / f"{name}.jsonl", (" ".join(review_sentences(corpus.texts[row])[:-1]) for row in rows))
    posts = blogs.load(given.data)
    training = [row for row in shuffled(len(posts.texts)) if posts.splits[row] == "train"]
    _write(given.out / "posts.jsonl", (posts.texts[row] for row in training[: given.posts]))


def _write(path: Path, texts: Iterable[str]) -> None:
    lines = (json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in texts if text.strip())
    path.write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    main()
