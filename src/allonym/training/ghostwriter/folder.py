"""A trained writer as a model folder: int8 weights, notes, pieces, configuration, card and checksums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from allonym import models
from allonym.language.sequences import Vocabulary
from allonym.networks.ghostwriter.model import (
    FORMAT,
    VERSION,
    Arrays,
    Writer,
    WriterSettings,
    as_stored,
    restored,
)
from allonym.training.folder import FinishedModel, table_of

USER_CARD = """\
# {name}

A network for `allonym anonymize --method ghostwriter --loss-per-word {loss_per_word:g} --model {name}`, trained with
`allonym train ghostwriter` on a user's own text: given drawn notes, it writes a passage.

## Who may see this folder

**This model is a release of its training text, made without differential privacy.** Somebody who studies the weights
may learn what that text says and who wrote it. Give the folder only to those who may read the text itself. The
guarantee of what is drawn with the model covers the documents that are anonymized, not those it was trained on, and
no guarantee holds for a document that is both.

**The list of notes and the list of pieces can be read by anybody who has the folder.** A word is a note if at least
{shared_by} {sharers} use it, among {documents:,} different documents. Names, numbers and dates are no notes, but
classes. {author_note}

{body}"""

BODY = """\
| | |
|---|---|
| began as | {base} |
| list of notes | {notes:,} words and marks, {candidates} to a group |
| writes | {pieces:,} pieces of words |
| notes written out together | {slots} |
| loss at which it learned to expect accidents | {loss_per_word:g} a note |
| weights | {parameters:,} numbers; every matrix int8 with a float32 scale an output, {megabytes:.1f} MB |
| learned from | {passages:,} passages of one to six sentences, {pieces_learned:,} pieces |

## Held-out figures

On {held_out_passages:,} passages of documents that were held out to tell when to stop:

{figures}
## Limits

- It writes as its training text does. Other kinds of text, other languages, code and tables come out as nonsense.
- What stands between notes is made up: who did what to whom, small words, order. It can say the opposite of the text.
- Names, numbers, dates and addresses are written as "[name]", "[number]" and the like.
"""


def write(
    folder: Path,
    settings: WriterSettings,
    weights: Arrays,
    vocabulary: Vocabulary,
    pieces: Sequence[str],
    *,
    config: Mapping[str, Any],
    card: str,
    values: Mapping[str, Any],
) -> models.Model:
    """Write and seal a folder, made if it is not there.

    The configuration holds, beside the settings, what `config` has: "name", "training", "held_out", … The card has
    marks for `values`, and one for the `BODY`.

    Raises:
        ModelError: The weights do not fit the notes or the pieces.
    """
    from safetensors.numpy import save

    shipped = as_stored(weights)
    Writer(settings, restored(shipped), vocabulary, pieces)  # refuses weights that do not fit
    content = save(shipped)
    marks = {
        "name": config["name"],
        **vars(settings),
        "notes": len(vocabulary),
        "pieces": len(pieces),
        "parameters": sum(array.size for array in weights.values()),
        "megabytes": len(content) / 1e6,
        "figures": table_of(config["held_out"]),
        **values,
    }
    text, sizes = card.format(body=BODY.format(**marks), **marks), {"settings": vars(settings)}
    return FinishedModel(FORMAT, VERSION, sizes, "an output", content, vocabulary, config, text, pieces).write(folder)
