"""The card of a translator that a user trained. Needs no torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_CARD = """\
# {name}

A translator between the styles of {classes} for `allonym anonymize --method a4nt --model {name}`, trained with
`allonym train a4nt` on a user's own text.

## Who may see this folder

**This model is a release of its training text, made without differential privacy.** Somebody who studies the weights
may learn what that text says and who wrote it. Give the folder only to those who may read the text itself.

**The vocabulary can be read by anybody who has the folder.** A word is in it if at least {shared_by} {sharers} use
it, among {documents:,} different documents.

## What it promises

Nothing: the method has no formal guarantee. The figures below are of one classifier, the model's own, which learned
from real text alone; they say nothing of other attackers, of those who learn from rewritten text least of all. Measure
with `allonym evaluate`.

| | |
|---|---|
| networks | A4NT (Shetty, Schiele and Fritz 2018), variant `{variant}`, losses `{losses}` |
| sizes | {words:,} tokens, embedding {embedding}, states {hidden}; classifier {judge_embedding}, {judge_hidden} |
| weights | every larger matrix int8 with a float32 scale a row, the rest float32 |
| learned from | {sentences:,} sentences, of whose tokens {coverage:.1%} are known |

## On text held out

Sentences of each class, translated to the next class:

{figures}
## Limits

- It writes as its training text does. Other kinds of text and other languages are left alone or come out as nonsense.
- It looks at one sentence at a time, of at most 30 tokens, and may change what a sentence says.
- Numbers{and_names} are read as classes and put back as they were.
"""

_MEANINGS = {
    "sentences_before": "sentences the classifier gives to their true class, before",
    "sentences_after": "the same after translation",
    "documents_before": "documents the classifier gives to their true class, before",
    "documents_after": "the same after translation",
    "documents_worst": "the same in the direction in which it is most often",
    "kept": "share of the words that are kept",
    "language_before": "loss of the language model a word, before",
    "language_after": "the same after translation",
}


def card(name: str, classes: Sequence[str], values: Mapping[str, Any], figures: Mapping[str, float]) -> str:
    """Return the text of a card."""
    rows = "".join(f"| {_MEANINGS.get(key, key)} | {value} |\n" for key, value in figures.items())
    listed = f"{', '.join(classes[:-1])} and {classes[-1]}"
    return _CARD.format(name=name, classes=listed, figures=f"| | |\n|---|---|\n{rows}", **values)
