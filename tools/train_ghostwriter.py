"""Prepare the corpora for Ghostwriter's network, then train it; a graphics card is used if there is one.

    python tools/train_ghostwriter.py prepare --data ../shared/data --out ghostwriter_data
    python tools/train_ghostwriter.py train --data ghostwriter_data --out ghostwriter_run --minutes 18 --stop-after 9
    python tools/train_ghostwriter.py train --data ghostwriter_data --out ghostwriter_run --minutes 18 --resume

``prepare`` reads film reviews (without the ten authors whom figures are reported of, training part), blog posts
(training bloggers) and peer reviews (``training_review``), each to the share that ``--percent`` says, and takes up to
an hour on one core. It writes ``passages-N.npz.xz`` of at most 15 MiB each, the lists of
notes and of pieces, and ``start.safetensors``: the weights of the translation networks to begin with, so that the
machine that trains needs torch, NumPy and safetensors alone. Its size is printed.

``train`` needs nothing else of the corpora. It writes a checkpoint each minute into ``--out`` and, when ``--minutes``
are spent, the model folder there: int8, every file below 16 MiB. ``--stop-after`` ends a run before that, with a
checkpoint that ``--resume`` goes on from. What is drawn for training comes from ``--seed``. docs/ghostwriter.md says
what to expect of a run.
"""

from __future__ import annotations

import argparse
import io
import json
import lzma
import time
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from allonym.language.sequences import Vocabulary
from allonym.networks.ghostwriter.model import as_stored, restored
from allonym.training.folder import CHECKPOINT
from allonym.training.ghostwriter.corpus import NotedPassages, WriterCorpus
from allonym.training.ghostwriter.own_text import WriterRecipe, train
from allonym.training.keeping import Watcher

REPORTED_REVIEWERS = 10  # the first in the order of their numbers: no text of theirs is learned from
SHARED_BY = 10  # authors who must use a note
PERCENT = 60
# For one H200: a smaller batch would leave most of it idle.
BATCH, LEARNING_RATE = 1024, 1.5e-3
_LARGEST_PART = 15 * 2**20
_PASSAGES_A_PART = 60_000
_XZ = [{"id": lzma.FILTER_LZMA2, "preset": 6, "lc": 3, "lp": 1, "pb": 1}]
_START, _NOTES, _PIECES, _ABOUT = "start.safetensors", "notes.txt", "pieces.txt", "corpus.json"

CARD = """\
# {name}

Writes drawn notes out for `allonym anonymize --method ghostwriter --loss-per-word {loss_per_word:g}`: given groups of
words, it writes a passage that has one word of each. What is drawn carries the guarantee; **the guarantee does not
depend on this model**, the quality of the text does.

It began as Mozilla's translation networks and is, as they are, under the Mozilla Public License 2.0
(https://mozilla.org/MPL/2.0/). Its source is `tools/train_ghostwriter.py` and the modules that names.

## What it was trained on

{documents:,} public documents: film reviews of IMDb62, without the ten authors on whom we report, blog posts of
training bloggers, and peer reviews. Names, numbers and dates were replaced by their class, and a note or piece is
known if at least {shared_by} {sharers} use it. **It is a release of that text, made without differential privacy.**

{body}"""


def documents(folder: Path, percent: int) -> Iterator[tuple[str, str]]:
    """Yield (author, text), an author's one after another, of the share that a hash of each document's number says."""
    import pyarrow.parquet as pq

    from allonym.papers.corpora.peerread import bucket, training_review

    for file, condition in (
        ("imdb62/imdb62.parquet", ("split", "=", "train")),
        ("blogs/blogs_4002.parquet", ("split", "=", "train")),
        ("peerread/peerread.parquet", ("kind", "=", "review")),
    ):
        corpus = file.split("/")[0]
        who = "doc_id" if corpus == "peerread" else "author"
        table = pq.read_table(folder / file, columns=list({"doc_id", who, "text"}), filters=[condition])
        rows = list(zip(*(table[name].to_pylist() for name in (who, "doc_id", "text")), strict=True))
        unused: set[Any] = set()
        if corpus == "imdb62":
            unused = set(sorted({row[0] for row in rows}, key=int)[:REPORTED_REVIEWERS])
        for author, doc_id, text in sorted(rows, key=lambda row: str(row[0])):
            learned = author not in unused and (corpus != "peerread" or training_review(str(doc_id)))
            if text and learned and bucket(f"{corpus} {doc_id}", 100) < percent:
                yield f"{corpus} {author}", text.replace("urlLink", " ")


def save(corpus: WriterCorpus, recipe: WriterRecipe, folder: Path) -> int:
    """Write a corpus and what to begin with; return how many bytes that are."""
    from allonym.training.ghostwriter.network import from_translation

    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*passages-*.npz.xz"):
        old.unlink()
    for name, passages in (("learned", corpus.learned), ("held-out", corpus.held_out)):
        for number, part in enumerate(_parts(passages)):
            content = _packed(part.arrays())
            if len(content) > _LARGEST_PART:
                raise SystemExit(f"A part has {len(content):,} bytes: make _PASSAGES_A_PART smaller.")
            (folder / f"{name}-passages-{number:03d}.npz.xz").write_bytes(content)
    corpus.vocabulary.save(folder / _NOTES)
    (folder / _PIECES).write_text("".join(f"{piece}\n" for piece in corpus.pieces), "utf-8")
    save_file(as_stored(from_translation(corpus.vocabulary.tokens, corpus.pieces)), folder / _START)
    about = {name: getattr(corpus, name) for name in ("documents", "doubles", "fingerprint")}
    (folder / _ABOUT).write_text(json.dumps({**about, "shared_by": recipe.shared_by}, indent=1), "utf-8")
    return sum(path.stat().st_size for path in folder.iterdir())


def _parts(passages: NotedPassages) -> Iterator[NotedPassages]:
    """Cut passages into parts of so many."""
    ends = [np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]) for counts in
            (passages.piece_counts, passages.note_counts)]  # fmt: skip
    for start in range(0, len(passages), _PASSAGES_A_PART):
        rows = slice(start, min(start + _PASSAGES_A_PART, len(passages)))
        pieces, notes = (slice(end[rows.start], end[rows.stop]) for end in ends)
        yield NotedPassages(
            passages.pieces[pieces], passages.piece_counts[rows],
            passages.notes[notes], passages.slots[notes], passages.note_counts[rows],
        )  # fmt: skip


def _packed(arrays: dict[str, NDArray[np.uint16]]) -> bytes:
    """Pack arrays, as two planes of bytes, which compress better than 16-bit numbers."""
    packed = io.BytesIO()
    planes = {f"{name}.{plane}": (array >> shift).astype(np.uint8)
              for name, array in arrays.items() for plane, shift in (("low", 0), ("high", 8))}  # fmt: skip
    np.savez(packed, **planes)  # type: ignore[arg-type] # arrays by name
    return lzma.compress(packed.getbuffer(), lzma.FORMAT_XZ, filters=_XZ)


def _unpacked(paths: Sequence[Path]) -> NotedPassages:
    parts: dict[str, list[NDArray[np.uint16]]] = {field.name: [] for field in fields(NotedPassages)}
    for path in paths:
        planes = np.load(io.BytesIO(lzma.decompress(path.read_bytes())), allow_pickle=False)
        for name, arrays in parts.items():
            arrays.append(planes[f"{name}.low"].astype(np.uint16) | (planes[f"{name}.high"].astype(np.uint16) << 8))
    return NotedPassages(**{name: np.concatenate(arrays) for name, arrays in parts.items()})


def load(folder: Path) -> tuple[WriterCorpus, dict[str, Any]]:
    """Read what `save` wrote: the corpus and what is known about it."""
    about: dict[str, Any] = json.loads((folder / _ABOUT).read_text("utf-8"))
    learned, held_out = (
        _unpacked(sorted(folder.glob(f"{name}-passages-*.npz.xz"))) for name in ("learned", "held-out")
    )
    pieces = tuple((folder / _PIECES).read_text("utf-8").split("\n")[:-1])
    known = {name: about[name] for name in ("documents", "doubles", "fingerprint")}
    return WriterCorpus(Vocabulary.load(folder / _NOTES), pieces, learned, held_out, **known), about


def prepare_all(options: argparse.Namespace) -> None:
    """Read the corpora and write what training needs."""
    from allonym.training.ghostwriter.corpus import prepare

    began = time.time()
    recipe = WriterRecipe(author="author", shared_by=SHARED_BY, held_out=0.01, seed=options.seed)
    rows = list(documents(options.corpora, options.percent))[:: options.every]
    corpus = prepare(
        rows, notes=recipe.notes, pieces=recipe.pieces, shared_by=options.shared_by, held_out=recipe.held_out,
        seed=recipe.seed, from_translation=True,
    )  # fmt: skip
    size = save(corpus, replace(recipe, shared_by=options.shared_by), options.out)
    print(
        f"{len(rows):,} documents; {len(corpus.learned):,} passages to learn from, with {len(corpus.learned.pieces):,} "
        f"pieces, {len(corpus.held_out):,} held out; {len(corpus.vocabulary):,} notes, {len(corpus.pieces):,} pieces; "
        f"{size / 2**20:.1f} MiB, {time.time() - began:.0f} s"
    )


def train_all(options: argparse.Namespace) -> None:
    """Train, say where it stands at each look, and write the model or a checkpoint."""
    corpus, about = load(options.data)
    recipe = WriterRecipe(
        author="author", shared_by=about["shared_by"], minutes=options.minutes, batch=options.batch, patience=10**6,
        learning_rate=options.learning_rate, dropout=options.dropout, seed=options.seed,
    )  # fmt: skip
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.set_float32_matmul_precision("high")
    print(f"{device}, {len(corpus.learned):,} passages, {recipe}", flush=True)
    began = time.monotonic()
    watcher = Watcher(
        look=lambda found: print("  ".join(f"{name} {value:.4g}" for name, value in found.items()), flush=True),
        stop=lambda: time.monotonic() - began > 60 * options.stop_after,
    )
    try:
        trained = train(
            corpus, recipe, options.out, device=device, resume=options.resume, watcher=watcher,
            tensors=restored(load_file(options.data / _START)), card=CARD, trained_on="public corpora",
        )  # fmt: skip
    except KeyboardInterrupt:
        print(f"stopped; the checkpoint is in {options.out / CHECKPOINT}: go on with --resume")
        return
    print(f"{options.out}: {trained}")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(required=True)
    first = commands.add_parser("prepare")
    first.add_argument("--data", dest="corpora", type=Path, required=True)
    first.add_argument("--percent", type=int, default=PERCENT, help="of each corpus")
    first.add_argument("--every", type=int, default=1, help="of these documents one in so many, for a trial")
    first.add_argument("--shared-by", type=int, default=SHARED_BY)
    first.set_defaults(run=prepare_all)
    second = commands.add_parser("train")
    second.add_argument("--data", type=Path, required=True)
    second.add_argument("--minutes", type=float, default=18.0, help="of training, all runs together")
    second.add_argument("--stop-after", type=float, default=float("inf"), help="minutes of this run")
    second.add_argument("--resume", action="store_true")
    second.add_argument("--batch", type=int, default=BATCH)
    second.add_argument("--learning-rate", type=float, default=LEARNING_RATE)
    second.add_argument("--dropout", type=float, default=0.05)
    second.set_defaults(run=train_all)
    for command in (first, second):
        command.add_argument("--out", type=Path, required=True)
        command.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
