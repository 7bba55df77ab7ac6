"""Groups of unlike words for the subset mechanism, and the network that tells which word of a group was meant.

The words of a vocabulary are dealt out into groups of k that have nothing to do with each other. Where a word shall be
written, the candidate set T is its group: a set of k outputs that follows from the text, as the proof of the subset
mechanism asks. A group comes through far more often than a single word would at the same loss; and as its words are
unlike each other, only one of them fits the words around it. Which one, the network says, reading only what was drawn:
so that spends nothing.

The network hides a fifth of the places at a time, and rates the words of their groups by what stands around them; in
the second round it also writes another word where the best of a group is likelier drawn by accident than meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from allonym.language.sequences import END, PAD, SPECIAL, START, UNKNOWN
from allonym.networks.erae.inference import EraeReader

Floats: TypeAlias = NDArray[np.float32]
Integers: TypeAlias = NDArray[np.int64]

_PHASES = 5  # of the places a fifth is hidden at a time: as in training, about
_ROUNDS = 2
_RAREST = 100  # come last, because words that fill no whole group are lost
_COMMON = 500  # an accident draws one of these numbers as seldom as they are few, so they need no second look
_MIX, _MIX_AGAIN, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(29)
_VALUES_AT_ONCE = 2**22


class WordGroups:
    """Numbers of words dealt out into groups, the same for everybody.

    Numbers are ranks by frequency, which the fixed multiplier spreads: a group has frequent words and rare ones.

    Args:
        words: Size of the vocabulary.
        size: k, words of a group.

    Attributes:
        ends: Numbers that are never written and stand for the end: at least k.
        members: The words of each group, groups × k.
        group_of: The group of each word; −1 where it has none: the ends, and fewer than k of the rarest words.
    """

    def __init__(self, words: int, size: int) -> None:
        order = _dealt(words)
        size = min(size, max(1, words // 2))  # so that a tiny vocabulary has a group, too
        spare = max(0, size - len(SPECIAL))
        dealt, aliases = order[: len(order) - spare], order[len(order) - spare :]
        self.ends: Integers = np.concatenate([[END, PAD, START, UNKNOWN], aliases])
        groups = len(dealt) // size
        self.members: Integers = dealt[: groups * size].reshape(groups, size)
        self.group_of: Integers = np.full(words, -1)
        self.group_of[self.members] = np.arange(groups)[:, None]

    def candidates(self, sentence: Sequence[int], steps: int) -> Integers:
        """Return T for each step of a sentence, steps × k: its words' groups, then, and for other numbers, the end."""
        size = self.members.shape[1]
        candidates: Integers = np.tile(self.ends[:size], (steps, 1))
        groups = self.group_of[np.asarray(sentence[:steps], dtype=np.int64)]
        candidates[: len(groups)][groups >= 0] = self.members[groups[groups >= 0]]
        return candidates

    def known(self, sentence: Sequence[int]) -> list[int]:
        """Return the words that have a group."""
        return [number for number in sentence if self.group_of[number] >= 0]


@lru_cache(4)
def _dealt(words: int) -> Integers:
    """Return all numbers but the special ones, in an order that everybody can make again."""
    rarest = max(len(SPECIAL), words - _RAREST)
    numbers = np.arange(len(SPECIAL), rarest, dtype=np.uint64)
    keys = (numbers * _MIX) ^ ((numbers * _MIX_AGAIN) >> _SHIFT)
    mixed = numbers[np.argsort(keys, kind="stable")].astype(np.int64)
    return np.concatenate([mixed, np.arange(rarest, words)])


def meant(
    network: EraeReader,
    groups: WordGroups,
    drawn: Sequence[Sequence[int]],
    *,
    doubt: float,
    then: Sequence[int] = (),
) -> list[list[int]]:
    """Return the words that were meant: for each sentence of drawn numbers the one of each group that fits best.

    Numbers without a group are left out. A word that is less likely at its place than `doubt` is taken for an accident,
    and written anew. What follows every sentence for sure, `then`, such as a full stop, is read, but not returned.
    """
    groups_drawn = [groups.group_of[np.asarray(numbers, dtype=np.int64)] for numbers in drawn]
    lengths = [int((group >= 0).sum()) for group in groups_drawn]
    flat = np.concatenate([np.empty(0, np.int64), *(group[group >= 0] for group in groups_drawn)])
    members = groups.members[flat]  # (places, k)
    # Without knowing anything yet, the most frequent word of each group, which has the lowest number.
    written: Integers = members.min(axis=1)
    places = np.concatenate([np.empty(0, np.int64), *(np.arange(length) for length in lengths)])
    ends = np.cumsum(lengths)
    for phase in range(_ROUNDS * _PHASES if members.size else 0):
        last_round = phase >= (_ROUNDS - 1) * _PHASES
        hidden = np.flatnonzero((places + phase // _PHASES) % _PHASES == phase % _PHASES)
        if members.shape[1] == 1 and not (last_round and doubt > 0):
            continue  # a group of one leaves nothing to choose
        read = written.copy()
        read[hidden] = UNKNOWN
        sentences = [[*part.tolist(), *then] for part in np.split(read, ends[:-1])]
        features = network.features(sentences, lengths)[hidden]
        written[hidden] = _best(network, features, members[hidden])
        if last_round and doubt > 0:
            _look_again(network, features, hidden, written, doubt)
    return [part.tolist() for part in np.split(written, ends[:-1])]


def _best(network: EraeReader, features: Floats, members: Integers) -> Integers:
    """Return the member of each row that the network rates best."""
    best = np.empty(len(members), np.int64)
    for part in _parts(len(members), members.shape[1] * features.shape[1]):
        of = members[part]
        best[part] = np.take_along_axis(of, network.ratings_of(features[part], of).argmax(axis=1)[:, None], 1)[:, 0]
    return best


def _look_again(network: EraeReader, features: Floats, hidden: Integers, written: Integers, doubt: float) -> None:
    """Write the likeliest word in the place of those that are less likely than `doubt`."""
    rare = np.flatnonzero(written[hidden] >= _COMMON)
    done = 0
    for chances in network.ratings(features[rare], normalise=True):
        where = hidden[rare[done : done + len(chances)]]
        done += len(chances)
        likely = chances[np.arange(len(chances)), written[where]] >= doubt
        chances[:, : len(SPECIAL)] = 0
        written[where] = np.where(likely, written[where], chances.argmax(axis=1))


def _parts(rows: int, values_per_row: int) -> Iterator[slice]:
    step = max(1, _VALUES_AT_ONCE // values_per_row)
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))
