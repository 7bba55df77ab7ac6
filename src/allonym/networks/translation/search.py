"""Several translations of each sentence: a beam search whose versions are kept apart, over the likely pieces.

Two versions that differ late are one to a reader, so each continuation of a version pays for how many better ones that
version has (Li and others 2016). A caller may wish for words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from allonym import acceleration
from allonym.networks.translation.network import END, UNKNOWN, Network, Read, times
from allonym.networks.translation.weights import Floats, Integers, StoredNetwork, open_network

_LONGEST: Final = 160  # pieces of a sentence or an answer, at most
_GROWTH: Final = 2.0  # pieces of an answer to each of the sentence, at most
_NEVER: Final = np.float32(-1e9)


@dataclass(frozen=True)
class Wishes:
    """What a caller would rather read in a translation.

    Attributes:
        words: Words in their pieces: what writing each is worth, once a translation.
        always: Words that are worth it each time.
    """

    words: Mapping[tuple[int, ...], float] = field(default_factory=dict)
    always: Mapping[tuple[int, ...], float] = field(default_factory=dict)

    @property
    def pieces(self) -> set[int]:
        """All pieces of words."""
        return {piece for word in (*self.words, *self.always) for piece in word}


NO_WISHES: Final = Wishes()


class Version(NamedTuple):
    """A translation of a sentence, and how likely the network finds it: the mean ln P of a piece."""

    text: str
    likelihood: float


@dataclass
class _Beam:
    """The versions of sentences while they are written."""

    sentences: Integers  # which sentence each row is
    read: Read
    state: Floats
    pieces: list[list[list[int]]]  # by row and version
    scores: Floats  # rows × versions: what they were chosen by
    likelihoods: Floats  # rows × versions: the sum of ln P


class VersionTranslator:
    """Translates with several answers; see `open`.

    Args:
        direction: The network's files.
    """

    def __init__(self, direction: StoredNetwork) -> None:
        self._network = Network(direction.tensors)
        self._direction = direction
        self.tokenizer: Any = direction.tokenizer

    def versions(
        self,
        sentences: Sequence[str],
        *,
        beam: int,
        apart: float = 0.0,
        wishes: Sequence[Wishes] | None = None,
    ) -> list[list[Version]]:
        """Return up to `beam` translations of each sentence, the likeliest first; none of one that has no word.

        Args:
            sentences: What to translate; one text's, since sums may depend on what is computed together.
            beam: How many versions are followed.
            apart: What each continuation pays for every better one of its version.
            wishes: For each sentence, what is rather written.
        """
        numbered = [[*self.tokenizer.encode(sentence).ids[:_LONGEST], END] for sentence in sentences]
        places = [place for place, pieces in enumerate(numbered) if len(pieces) > 1]
        answers: list[list[Version]] = [[] for _ in sentences]
        if places:
            asked = [numbered[place] for place in places]
            wished = [wishes[place] if wishes else NO_WISHES for place in places]
            search = Search(self._network, self._shortlist(asked, wished))
            most = [min(_LONGEST, int(_GROWTH * len(pieces)) + 6) for pieces in asked]
            with acceleration.one_thread():
                written = search.run(self._network.read(asked), most, beam, apart, wished)
            for place, found in zip(places, written, strict=True):
                answers[place] = self._written(found)
        return answers

    def _shortlist(self, numbered: list[list[int]], wished: Sequence[Wishes]) -> Integers:
        """Return the pieces that may answer these sentences, in order."""
        known = self._direction
        asked = np.unique(np.concatenate(numbered))
        parts = [known.answers[known.offsets[piece] : known.offsets[piece + 1]] for piece in asked.tolist()]
        pieces = np.array(sorted(set[int]().union(*(wishes.pieces for wishes in wished))), np.int64)
        likely: Integers = np.unique(np.concatenate([np.arange(known.frequent), pieces, *parts]))
        return np.delete(likely, likely == UNKNOWN)

    def _written(self, found: list[tuple[float, list[int]]]) -> list[Version]:
        texts = self.tokenizer.decode_batch([pieces for _, pieces in found])
        best: dict[str, float] = {}
        for (likelihood, _), text in zip(found, texts, strict=True):
            best.setdefault(text.strip(), likelihood)
        return [Version(text, likelihood) for text, likelihood in best.items() if text]


class Search:
    """A beam search over some sentences.

    Args:
        network: What rates pieces.
        likely: The pieces that may be written, in order; `END` among them.
        repeated: So many pieces in a row are never written twice in one version; 0 for no limit.
        unended: Whether versions count that have no end when there is no more room, where no other has one.
    """

    def __init__(self, network: Network, likely: Integers, *, repeated: int = 0, unended: bool = False) -> None:
        self._network, self._likely, self._repeated, self._unended = network, likely, repeated, unended
        self._columns = {piece: column for column, piece in enumerate(likely.tolist())}
        self._output = np.ascontiguousarray(network.embeddings[likely].T)
        self._bias = network.bias(likely)

    def run(
        self, read: Read, most: Sequence[int], beam: int, apart: float, wished: Sequence[Wishes] | None = None
    ) -> list[list[tuple[float, list[int]]]]:
        """Return the versions of each sentence, with their likelihoods, the best first.

        Args:
            read: The sentences.
            most: Pieces of an answer to each, at most.
            beam: How many versions are followed.
            apart: What each continuation pays for every better one of its version.
            wished: For each sentence, what is rather written.
        """
        beam = min(beam, len(self._likely))
        self._beam, self._penalties = beam, np.float32(apart) * np.arange(beam, dtype=np.float32)
        wished = [NO_WISHES] * len(most) if wished is None else wished
        self._following = [self._worth_after(wishes) for wishes in wished]
        self._firsts = [self._worth_first(wishes) for wishes in wished]
        self._most = most
        self._finished: list[list[tuple[float, float, list[int]]]] = [[] for _ in most]
        rows = len(most)
        first = np.zeros((rows, 1), np.float32)
        state = self._network.first_state(rows)
        at = _Beam(np.arange(rows), read, state, [[[]]] * rows, first, first)
        for place in range(max(self._most)):
            if not len(at.sentences):
                break
            at = self._advance(at, place)
        return [
            [(likelihood, pieces) for _, likelihood, pieces in sorted(found, key=lambda one: (-one[0], one[2]))[:beam]]
            for found in self._finished
        ]

    def _worth_after(self, wishes: Wishes) -> dict[int, list[tuple[int, float]]]:
        """Return what a piece is worth after another: by the first, with the column of the second."""
        worth: dict[tuple[int, int], float] = {}
        for word, value in (*wishes.words.items(), *wishes.always.items()):
            for pair in pairwise(word):
                worth[pair] = worth.get(pair, 0.0) + value
        found: dict[int, list[tuple[int, float]]] = {}
        for (first, second), value in worth.items():
            if second in self._columns:
                found.setdefault(first, []).append((self._columns[second], value))
        return found

    def _worth_first(self, wishes: Wishes) -> list[tuple[int, int, float, bool]]:
        """Return the first pieces of words, with their columns, what they are worth, and whether again."""
        both = [(word, value, False) for word, value in wishes.words.items()]
        both += [(word, value, True) for word, value in wishes.always.items()]
        return [
            (word[0], self._columns[word[0]], value, again) for word, value, again in both if word[0] in self._columns
        ]

    def _advance(self, at: _Beam, place: int) -> _Beam:
        """Write one piece more of every version."""
        last = np.array([[pieces[-1] for pieces in row] for row in at.pieces]) if place else None
        inner, state = self._network.step(last, place, at.state, at.read)
        scores = _log_softmax(times(inner, self._output) + self._bias)
        chosen, columns, paid = self._best(at, self._wished(scores, at))
        likelihoods = scores[np.arange(len(scores))[:, None], chosen, columns] + np.take_along_axis(
            at.likelihoods, chosen, 1
        )
        pieces = [
            [[*at.pieces[row][parent], int(self._likely[column])] for parent, column in zip(*both, strict=True)]
            for row, both in enumerate(zip(chosen.tolist(), columns.tolist(), strict=True))
        ]
        state = np.take_along_axis(state, chosen[None, :, :, None], 2)
        return self._without_finished(_Beam(at.sentences, at.read, state, pieces, paid, likelihoods), place)

    def _wished(self, scores: Floats, at: _Beam) -> Floats:
        """Return the scores with what pieces are worth after those that are written."""
        paid = scores.copy()
        for row, sentence in enumerate(at.sentences.tolist()):
            following, firsts = self._following[sentence], self._firsts[sentence]
            for version, pieces in enumerate(at.pieces[row]):
                values = paid[row, version]
                values[self._repeating(pieces)] = _NEVER
                for column, value in following.get(pieces[-1], ()) if pieces else ():
                    values[column] += value
                for piece, column, value, again in firsts:
                    if again or piece not in pieces:
                        values[column] += value
        return paid

    def _repeating(self, pieces: list[int]) -> list[int]:
        """Return the columns of pieces that would repeat what is written."""
        size = self._repeated
        if size < 1 or len(pieces) < size:
            return []
        last = pieces[len(pieces) - size + 1 :]
        runs = (pieces[start : start + size] for start in range(len(pieces) - size + 1))
        return [self._columns[run[-1]] for run in runs if run[:-1] == last]

    def _best(self, at: _Beam, paid: Floats) -> tuple[Integers, Integers, Floats]:
        """Choose the best continuations: from which version, by which piece, and what they are chosen by."""
        rows, versions, columns = paid.shape
        most = min(self._beam, columns)
        part = np.argpartition(-paid, most - 1, axis=2)[:, :, :most]
        values = np.take_along_axis(paid, part, 2)
        order = np.argsort(-values, axis=2, kind="stable")
        part, values = np.take_along_axis(part, order, 2), np.take_along_axis(values, order, 2)
        total = (values - self._penalties[:most] + at.scores[:, :, None]).reshape(rows, versions * most)
        kept = np.argsort(-total, axis=1, kind="stable")[:, : self._beam]
        pieces = np.take_along_axis(part.reshape(rows, -1), kept, 1)
        return kept // most, pieces, np.take_along_axis(total, kept, 1)

    def _without_finished(self, at: _Beam, place: int) -> _Beam:
        """Set finished versions aside, and sentences that have enough of them."""
        scores = at.scores.copy()
        for row, sentence in enumerate(at.sentences.tolist()):
            for version, pieces in enumerate(at.pieces[row]):
                no_room = self._unended and place + 1 >= self._most[sentence] and not self._finished[sentence]
                ended = pieces[-1] == END
                if (ended or no_room) and scores[row, version] > _NEVER / 2:
                    length = np.float32(len(pieces))
                    found = float(scores[row, version] / length), float(at.likelihoods[row, version] / length)
                    self._finished[sentence].append((*found, pieces[:-1] if ended else pieces))
                    scores[row, version] = _NEVER
        going = [
            row
            for row, sentence in enumerate(at.sentences.tolist())
            if len(self._finished[sentence]) < self._beam
            and place + 1 < self._most[sentence]
            and (scores[row] > _NEVER / 2).any()
        ]
        rows = np.array(going, np.int64)
        left = [at.pieces[row] for row in going]
        return _Beam(at.sentences[rows], at.read.of(rows), at.state[:, rows], left, scores[rows], at.likelihoods[rows])


def _log_softmax(scores: Floats) -> Floats:
    scores -= scores.max(-1, keepdims=True)
    scores -= np.log(np.exp(scores).sum(-1, keepdims=True))
    return scores


@cache
def translator(way: str) -> VersionTranslator:
    """Return the translator of a way, such as "pt-en", opened once."""
    return VersionTranslator(open_network(way))
