"""The network that writes notes out, as a model folder holds it, and what it writes: a function of drawn notes alone.

A note is drawn as one of a group of k unlike words. The network reads all k of every group, each word as one vector,
groups in their order, and writes the passage in which one word of each has its place: so it chooses while it writes.
Sums are those of NumPy's matrix products, whose last bits differ between processors. They decide nothing that is drawn,
and the parts of one document are written with no other's, on one thread: on one machine equal notes become equal
texts, in any batch.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from allonym import acceleration, models
from allonym.errors import ModelError
from allonym.language.blocked_words import blocked, holds_blocked
from allonym.language.sequences import Vocabulary, cut
from allonym.networks.erae.groups import WordGroups
from allonym.networks.ghostwriter import ranking
from allonym.networks.ghostwriter.choosing import MOST_SLOTS, NoteReader
from allonym.networks.translation.network import BIAS, HEADS, Network, layers_of, tensor_shapes
from allonym.networks.translation.search import Search
from allonym.networks.translation.weights import EMBEDDING, Floats
from allonym.networks.whole_numbers import SCALE, stored

FORMAT, VERSION = "ghostwriter", 1
NOTES: Final = "notes"  # the tensor with a vector a note
WORD_START: Final = "▁"  # begins the pieces that begin a word
PIECES: Final = ("</s>", "<unk>")  # the first two of every list of pieces
MOST_CANDIDATES: Final = 20
# Of a drawn text: room for a note and what stands around it, and for a text of hardly any notes.
_PIECES_A_NOTE: Final = 8
_PIECES_MORE: Final = 24
_BEAM: Final = 6
_APART: Final = 0.3
_REPEATED: Final = 4
_FEWEST_LETTERS: Final = 0.75  # share of a text's characters, blanks counted

Int64 = NDArray[np.int64]
Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class WriterSettings:
    """What of a network's training must be the same where it is used.

    Attributes:
        candidates: k, words of a group.
        slots: Notes that are written out together, at most.
        loss_per_word: The loss at which it learned how often a note is an accident; another may be used.
    """

    candidates: int = 5
    slots: int = 24
    loss_per_word: float = 11.4

    def __post_init__(self) -> None:
        whole = all(isinstance(number, int) for number in (self.candidates, self.slots))
        fits = whole and 1 <= self.candidates <= MOST_CANDIDATES and 1 <= self.slots <= MOST_SLOTS
        if not fits or not 0 < self.loss_per_word < math.inf:
            raise ModelError("The network's settings are none that can be: make or fetch the model folder again.")


class Writer:
    """Writes drawn notes out; see `open`.

    Args:
        settings: As it was trained.
        tensors: The weights by Marian's names, and a vector a note.
        vocabulary: The public list of notes.
        pieces: What is written, joined: pieces of words, and classes such as "▁[name]".
        assumptions: What is assumed of its training text.
    """

    def __init__(
        self,
        settings: WriterSettings,
        tensors: Mapping[str, Floats],
        vocabulary: Vocabulary,
        pieces: Sequence[str],
        assumptions: Sequence[str] = (),
    ) -> None:
        _check(tensors, vocabulary, pieces)
        self.settings, self.vocabulary, self.pieces = settings, vocabulary, tuple(pieces)
        self.assumptions = tuple(assumptions)
        self.groups = WordGroups(len(vocabulary), settings.candidates)
        self.reader = NoteReader(vocabulary)
        self._network, self._vectors = Network(tensors), tensors[NOTES]

    @classmethod
    def open(cls, model: str | os.PathLike[str]) -> Writer:
        """Open a model folder, or a shipped one by its name, after checking every file of it.

        Raises:
            ModelError: The folder is missing, damaged, or no model of this kind.
        """
        opened = models.verify_format(model, FORMAT, VERSION)
        vocabulary = Vocabulary.load(opened.folder / models.VOCABULARY)
        pieces = _read_pieces(opened.folder / models.PIECES)
        try:
            settings = WriterSettings(**opened.config["settings"])
        except (KeyError, TypeError) as error:
            raise ModelError(f"{opened.folder} has no settings of a writer: make or fetch the folder again.") from error
        told = opened.config.get(models.TRAINED_ON) == models.USER_TEXT
        assumptions = ("the text that the network was trained on is public",) if told else ()
        return cls(settings, restored(models.open_tensors(opened)), vocabulary, pieces, assumptions)

    @cached_property
    def size(self) -> int:
        """How many words a group has: of a tiny list fewer than was asked for."""
        return int(self.groups.members.shape[1])

    def sets(self, text: str, slots: int) -> Int64:
        """Return the candidates of every slot, slots × k: the groups of its notes, and where there is none, silence."""
        return self.groups.candidates(self.taken(text, slots), slots)

    def taken(self, text: str, slots: int) -> list[int]:
        """Return the notes that a text has in its slots: as many, or fewer."""
        return self.groups.known(self.reader.read(text, slots).taken(slots).tolist())

    def most_words(self, slots: int) -> int:
        """Return how many words a text of so many notes may have, at most."""
        parts = [min(self.settings.slots, slots - start) for start in range(0, slots, self.settings.slots)]
        return sum(map(_room, parts))

    def text(self, drawn: Sequence[int]) -> str:
        """Write drawn numbers out. They are all that is looked at, so this spends nothing."""
        groups = self.groups.group_of[np.asarray(drawn, np.int64)]
        size = self.settings.slots
        parts = [groups[start : start + size] for start in range(0, len(groups), size)]
        heard = [part[part >= 0].tolist() for part in parts]
        sentences = (one for passage in self.passages([part for part in heard if part]) for one in cut(passage))
        return " ".join(dict.fromkeys(sentences))  # what two parts say alike is said once

    def passages(self, drawn: Sequence[Sequence[int]]) -> list[str]:
        """Return the passage for each row of groups: of several versions that whose own notes agree best with them."""
        return [ranking.best(found, row, self._noted) for found, row in zip(self.versions(drawn), drawn, strict=True)]

    def versions(self, drawn: Sequence[Sequence[int]]) -> list[list[tuple[str, float]]]:
        """Return what the network would write for each row of groups, each text with its mean ln P of a piece."""
        if not drawn:
            return []
        size, longest = self.size, max(map(len, drawn))
        numbers = np.zeros((len(drawn), longest * size), np.int64)
        for row, groups in zip(numbers, drawn, strict=True):
            row[: len(groups) * size] = self.groups.members[list(groups)].ravel()
        lengths = [len(groups) * size for groups in drawn]
        most = [_room(len(groups)) for groups in drawn]
        with acceleration.one_thread():
            read = self._network.read_rows(self._vectors[numbers], np.repeat(np.arange(longest), size), lengths)
            found = self._search.run(read, most, _BEAM, _APART)
        return [self._written(one) for one in found]

    @cached_property
    def _search(self) -> Search:
        harmful = blocked()
        allowed = [
            n for n, piece in enumerate(self.pieces) if n != 1 and piece.strip(WORD_START).lower() not in harmful
        ]
        return Search(self._network, np.array(allowed, np.int64), repeated=_REPEATED, unended=True)

    def _written(self, found: Sequence[tuple[float, list[int]]]) -> list[tuple[str, float]]:
        best: dict[str, float] = {}
        for likelihood, numbers in found:
            best.setdefault(joined([self.pieces[number] for number in numbers]), likelihood)
        return [(text, likelihood) for text, likelihood in best.items() if _is_prose(text) and not holds_blocked(text)]

    def _noted(self, text: str) -> list[int]:
        """Return the groups of a text's notes; those without one are left out."""
        groups = self.groups.group_of[np.array(self.reader.numbers(text), np.int64)]
        found: list[int] = groups[groups >= 0].tolist()
        return found


def _is_prose(text: str) -> bool:
    """Tell prose from rows of marks, which a network writes that has learned too little."""
    return sum(sign.isalpha() or sign == " " for sign in text) > _FEWEST_LETTERS * len(text)


def _room(notes: int) -> int:
    """Return how many pieces may be written for so many notes."""
    return _PIECES_MORE + _PIECES_A_NOTE * notes


def joined(pieces: Sequence[str]) -> str:
    """Join pieces to a text that begins with a capital.

    Examples:
        >>> joined(["▁the", "▁act", "or", ",", "▁[name]", "▁'", "s", "▁friend", "."])
        "The actor, [name]'s friend."
    """
    text = "".join(pieces).replace(WORD_START, " ").replace("] '", "]'").replace("( [", "([").strip()
    for mark in ".,?!:;)":
        text = text.replace(f" {mark}", mark)
    first = next((place for place, sign in enumerate(text) if sign.isalnum()), 0)
    return text if "[" in text[:first] else text[:first] + text[first : first + 1].upper() + text[first + 1 :]


def as_stored(tensors: Arrays) -> dict[str, NDArray[Any]]:
    """Return weights as a model folder holds them: int8 with a scale for each output, or for each vector."""
    by_row = {name: np.ascontiguousarray(array if _is_table(name) else array.T) for name, array in tensors.items()}
    return stored({name: array if array.shape[-1] > 1 else array.reshape(-1) for name, array in by_row.items()})


def restored(weights: Arrays) -> dict[str, Floats]:
    """Return the weights that `as_stored` was given, but for the rounding."""
    tensors: dict[str, Floats] = {}
    for name, array in weights.items():
        if name.endswith(SCALE):
            continue
        whole = array.astype(np.float32)
        if name + SCALE in weights and whole.ndim == 2:
            whole = whole * weights[name + SCALE].astype(np.float32)[:, None]
        tensors[name] = whole if _is_table(name) or whole.ndim == 1 else np.ascontiguousarray(whole.T)
    return tensors


def _is_table(name: str) -> bool:
    return name in (NOTES, EMBEDDING)


def writer_shapes(
    width: int, inner: int, encoder: int, decoder: int, *, notes: int, pieces: int
) -> dict[str, tuple[int, ...]]:
    """Return the shape of every weight of a writer with so many layers, notes and pieces."""
    tables = {NOTES: (notes, width), EMBEDDING: (pieces, width), BIAS: (1, pieces)}
    return tables | tensor_shapes(width, inner, encoder, decoder)


def _check(tensors: Mapping[str, Floats], vocabulary: Vocabulary, pieces: Sequence[str]) -> None:
    width = tensors[EMBEDDING].shape[-1] if EMBEDDING in tensors else 0
    inner = max((tensors[name].shape[-1] for name in tensors if name.endswith("_ffn_W1")), default=0)
    layers = [layers_of(tensors, part) for part in ("encoder", "decoder")]
    wanted = writer_shapes(width, inner, *layers, notes=len(vocabulary), pieces=len(pieces))
    sizes = {name: tensor.shape for name, tensor in tensors.items()}
    same = sizes == {name: shape[1:] if shape[0] == 1 else shape for name, shape in wanted.items()}
    finite = all(np.isfinite(tensor).all() for tensor in tensors.values())
    if not (same and finite and all(layers)) or width % (2 * HEADS) or tuple(pieces[:2]) != PIECES:
        raise ModelError("The writer's weights do not fit its notes and pieces: make or fetch the model folder again.")


def _read_pieces(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8").split("\n")[:-1]
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{path} cannot be read: make or fetch the model folder again.") from error
