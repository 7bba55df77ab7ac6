"""A4NT's translator between styles.

Shetty, Schiele and Fritz, *A4NT: Author Attribute Anonymity by Adversarial Training of Neural Machine Translation*
(2018), section 3. B sentences, T places, V words, E numbers of an embedding, H of a state, C classes of writers.

Every network reads *hard* sentences, word numbers (B, T), and *soft* ones, a distribution over words at each place
(B, T, V), through which gradients flow back into the translator that made them. Lengths stay on the processor: asking a
graphics card for them would make it wait.

Translators share one encoder and have one decoder for each class that is imitated (section 3.2, "splitting decoder"):

- ``paper``: an LSTM reads the sentence; its final and mean state is all that the decoder, an LSTM too, is told.
- ``editor``: ours. Encoder and decoder are bidirectional LSTMs, and the decoder rates all words at every place of the
  sentence at once, with a learned liking for the word that stands there. It changes words and keeps the rest, as the
  paper's figures suggest its networks mostly do, and needs no word-by-word sampling in training.
- ``transformer``: the editor with attention in the place of its LSTMs.

"Unknown" is a word like any other to the paper's network, as it was to its authors'. Editors may leave it where it
stands, but put it nowhere else. What a person reads in its place is another matter (`allonym.anonymizers.a4nt.recipe`).

With more than two classes, which the paper leaves open, one decoder is told the source and the target (`conditioned`).
A `neutral` translator has one decoder, too, and is told nothing of the writer. Its aim is not another class's style but
that no class can be told. Whatever it writes is a function of the text and of chance alone, so its output holds no more
about the writer than the text did (data processing), whatever attackers learn; a translator that is told the class
can, and does, leave traces that give it away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import torch
from torch import Tensor, nn

from allonym.errors import ParameterError
from allonym.language.sequences import END, PAD, START, UNKNOWN
from allonym.networks.a4nt._attention import HEADS, LAYERS, WIDENING, waves
from allonym.training.a4nt.draw import WordDraw

Variant = Literal["paper", "editor", "transformer"]

DROPOUT = 0.25
_LITTLE_DROPOUT = 0.1  # inside attention, of which there are many layers
_NEVER_WRITTEN = (PAD, START)
_IMPOSSIBLE = -30.0  # far below any rating, and no NaN in sums of probability × rating


@dataclass(frozen=True)
class TranslatorShape:
    """Sizes of a translator."""

    words: int  # words of the vocabulary (V)
    classes: int  # classes of writers (C)
    variant: Variant
    conditioned: bool = False  # one decoder that is told source and target, in the place of one for each target
    embedding: int = 160  # numbers of a word's embedding (E)
    hidden: int = 192  # numbers of an LSTM's state (H), in each direction, or of a transformer's at each place
    neutral: bool = False  # one decoder that is told nothing of the writer

    def __post_init__(self) -> None:
        if self.conditioned and self.neutral:
            raise ParameterError("A translator is told of the writer or it is not: choose conditioned or neutral.")
        if self.variant not in get_args(Variant):
            raise ParameterError(f"variant must be {', '.join(get_args(Variant))}, got {self.variant!r}.")
        for name, least in (("words", 5), ("classes", 2), ("embedding", 1), ("hidden", 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise ParameterError(f"{name} must be a whole number of at least {least}, got {value}.")
        if self.variant == "transformer" and self.hidden % HEADS:
            raise ParameterError(f"hidden must be divisible by the {HEADS} heads of attention, got {self.hidden}.")

    @property
    def decoders(self) -> int:
        """How many decoders there are."""
        return 1 if self.conditioned or self.neutral else self.classes


@dataclass(frozen=True)
class Direction:
    """From whom to whom a sentence is translated, as class numbers."""

    source: int
    target: int

    @property
    def back(self) -> Direction:
        """The way back."""
        return Direction(self.target, self.source)


def embedded(table: nn.Embedding, words: Tensor) -> Tensor:
    """Return the embeddings (B, T, E) of hard sentences (B, T) or soft ones (B, T, V)."""
    if words.dim() == 2:
        vectors: Tensor = table(words)
        return vectors
    return words @ table.weight


def places(lengths: Tensor, longest: int, device: torch.device) -> Tensor:
    """Return which places are inside the sentences, (B, longest)."""
    return torch.arange(longest, device=device)[None, :] < lengths.to(device, non_blocking=True)[:, None]


def summary(states: Tensor, lengths: Tensor) -> Tensor:
    """Return the final state beside the mean of all, (B, 2H) of (B, T, H).

    Equation (1) means over the states but the last, which a sentence of one word does not have; the authors' code
    means over all, and so does this.
    """
    inside = places(lengths, states.shape[1], states.device)
    lengths = lengths.to(states.device, non_blocking=True)
    final = states[torch.arange(len(states), device=states.device), lengths - 1]
    mean = (states * inside[:, :, None]).sum(1) / lengths[:, None]
    return torch.cat([final, mean], dim=-1)


def rating_table(words: int, size: int) -> nn.Embedding:
    """Return a table that embeds words and rates them too, so it begins small; padding is the zero vector."""
    table = nn.Embedding(words, size, padding_idx=PAD)
    with torch.no_grad():
        table.weight.mul_(0.1)
    return table


class Translator(nn.Module):
    """What all variants have: a shared table of words and encoder, and a decoder for each target."""

    shape: TranslatorShape

    def __init__(self, shape: TranslatorShape) -> None:
        super().__init__()
        self.shape = shape
        self.embedding = rating_table(shape.words, shape.embedding)
        # The paper's network must put a whole sentence into one vector, and of two million sentences it learns none by
        # heart: dropout would only take words away.
        self.dropout = nn.Dropout(0.0 if shape.variant == "paper" else DROPOUT)
        self.decoders = nn.ModuleList(self._make_decoder() for _ in range(shape.decoders))
        if shape.conditioned:
            self.sources = nn.Embedding(shape.classes, self._told_size())
            self.targets = nn.Embedding(shape.classes, self._told_size())
            for table in (self.sources, self.targets):
                nn.init.normal_(table.weight, std=0.1)
        never = torch.zeros(shape.words)
        never[list(_NEVER_WRITTEN)] = _IMPOSSIBLE
        self.register_buffer("never", never, persistent=False)

    def _make_decoder(self) -> nn.Module:
        raise NotImplementedError

    def _told_size(self) -> int:
        """Return how many numbers the encoder tells the decoder, of a sentence or of each of its places."""
        raise NotImplementedError

    def ratings(self, read: Tensor, lengths: Tensor, direction: Direction, previous: Tensor) -> Tensor:
        """Return unnormalised log-probabilities (B, T', V) of the output's words.

        Sentences are hard or soft; `previous` is the output's word before each place (B, T'), for which the editor has
        no use.
        """
        raise NotImplementedError

    def sample(self, read: Tensor, lengths: Tensor, direction: Direction, draw: WordDraw) -> tuple[Tensor, Tensor]:
        """Return translations as `draw` makes them of ratings, soft (B, T', V), and their lengths."""
        raise NotImplementedError

    def _decoder(self, direction: Direction) -> nn.Module:
        return self.decoders[direction.target if len(self.decoders) > 1 else 0]

    def _rated(self, decoder: Any, states: Tensor) -> Tensor:  # noqa: ANN401 - a module's parts have no types
        """Rate all words; one product with the bias in it, since arrays of all words at all places are what costs."""
        never: Any = self.never
        return nn.functional.linear(decoder.projection(states), self.embedding.weight, decoder.bias + never)

    def _told(self, told: Tensor, direction: Direction) -> Tensor:
        if not self.shape.conditioned:
            return told
        both: Tensor = self.sources.weight[direction.source] + self.targets.weight[direction.target]
        return told + both.to(told.dtype)


class _EditorDecoder(nn.Module):
    """Rates the words at every place: a bidirectional LSTM over the encoder's states, and a liking for what stands."""

    def __init__(self, told: int, shape: TranslatorShape) -> None:
        super().__init__()
        self._add_reader(told, shape)
        self.projection = nn.Linear(told, shape.embedding)
        self.liking = nn.Linear(told, 1)
        self.bias = nn.Parameter(torch.zeros(shape.words))

    def _add_reader(self, told: int, shape: TranslatorShape) -> None:
        self.lstm = nn.LSTM(told, shape.hidden, batch_first=True, bidirectional=True)


class Editor(Translator):
    """Changes words in their places."""

    def __init__(self, shape: TranslatorShape) -> None:
        super().__init__(shape)
        self.encoder = self._make_encoder()

    def _told_size(self) -> int:
        return 2 * self.shape.hidden

    def _make_encoder(self) -> nn.Module:
        return nn.LSTM(self.shape.embedding, self.shape.hidden, batch_first=True, bidirectional=True)

    def _make_decoder(self) -> nn.Module:
        return _EditorDecoder(self._told_size(), self.shape)

    def _states(self, read: Tensor, lengths: Tensor, direction: Direction, decoder: Any) -> Tensor:  # noqa: ANN401
        """Return what the decoder makes of embedded words (B, T, E) at each place, (B, T, 2H)."""
        states = _both_ways(self.encoder, read, lengths)
        return _both_ways(decoder.lstm, self.dropout(self._told(states, direction)), lengths)

    def ratings(self, read: Tensor, lengths: Tensor, direction: Direction, previous: Tensor) -> Tensor:
        """Return unnormalised log-probabilities (B, T, V) of the output's words."""
        decoder: Any = self._decoder(direction)
        states = self._states(self.dropout(embedded(self.embedding, read)), lengths, direction, decoder)
        rated = self._rated(decoder, self.dropout(states))
        liking: Tensor = nn.functional.softplus(decoder.liking(states)).to(rated.dtype)  # (B, T, 1)
        if read.dim() == 3:
            unknown, rated = read[..., UNKNOWN], rated + liking * read.to(rated.dtype)
        else:
            unknown, rated = read == UNKNOWN, rated.scatter_add(-1, read[..., None], liking)
        rated[..., UNKNOWN] += _IMPOSSIBLE * (1 - unknown.to(rated.dtype))
        return rated

    def sample(self, read: Tensor, lengths: Tensor, direction: Direction, draw: WordDraw) -> tuple[Tensor, Tensor]:
        """Return translations of the same lengths; past the end there is padding, the zero vector."""
        return self.choose(self.ratings(read, lengths, direction, read), lengths, draw), lengths

    def choose(self, ratings: Tensor, lengths: Tensor, draw: WordDraw) -> Tensor:
        """Return a choice among rated words at every place."""
        chosen = draw(ratings)
        if bool((lengths == chosen.shape[1]).all()):
            return chosen
        return chosen * places(lengths, chosen.shape[1], chosen.device)[:, :, None]


class _Attention(nn.Module):
    """Layers of attention over all places; the first ones are told where a word stands."""

    def __init__(self, size: int, layers: int, read: int | None = None) -> None:
        super().__init__()
        self.lift = None if read is None else nn.Linear(read, size)
        sizes = size, HEADS, WIDENING * size
        layer = nn.TransformerEncoderLayer(*sizes, _LITTLE_DROPOUT, batch_first=True, norm_first=True)
        self.stack = nn.TransformerEncoder(layer, layers, nn.LayerNorm(size), enable_nested_tensor=False)

    def forward(self, read: Tensor, outside: Tensor | None) -> Tensor:
        """Return states (B, T, H); `outside` says which places are padding."""
        if self.lift is not None:
            lifted = self.lift(read)
            read = lifted + torch.from_numpy(waves(*lifted.shape[1:])).to(lifted)
        states: Tensor = self.stack(read, src_key_padding_mask=outside)
        return states


class _AttentionDecoder(_EditorDecoder):
    def _add_reader(self, told: int, shape: TranslatorShape) -> None:
        self.attention = _Attention(told, 1)


class Transformer(Editor):
    """An editor whose encoder and decoders are layers of attention."""

    def _told_size(self) -> int:
        return self.shape.hidden

    def _make_encoder(self) -> nn.Module:
        return _Attention(self.shape.hidden, LAYERS, self.shape.embedding)

    def _make_decoder(self) -> nn.Module:
        return _AttentionDecoder(self._told_size(), self.shape)

    def _states(self, read: Tensor, lengths: Tensor, direction: Direction, decoder: Any) -> Tensor:  # noqa: ANN401
        outside = None if bool((lengths == read.shape[1]).all()) else ~places(lengths, read.shape[1], read.device)
        told = self.dropout(self._told(self.encoder(read, outside), direction))
        states: Tensor = decoder.attention(told, outside)
        return states


class _Seq2SeqDecoder(nn.Module):
    """Rates the next word.

    The output layer is a projection onto the table of embeddings, which spares the paper's own matrix for each decoder.
    """

    def __init__(self, lstm: nn.LSTM, shape: TranslatorShape) -> None:
        super().__init__()
        self.lstm = lstm
        self.projection = nn.Linear(shape.hidden, shape.embedding)
        self.bias = nn.Parameter(torch.zeros(shape.words))


class Seq2Seq(Translator):
    """The paper's: all that the decoder is told of a sentence is one vector."""

    def __init__(self, shape: TranslatorShape) -> None:
        super().__init__(shape)
        self.encoder = nn.LSTM(shape.embedding, shape.hidden, batch_first=True)

    def _told_size(self) -> int:
        return 2 * self.shape.hidden

    def _make_decoder(self) -> nn.Module:
        lstm = nn.LSTM(self._told_size() + self.shape.embedding, self.shape.hidden, batch_first=True)
        return _Seq2SeqDecoder(lstm, self.shape)

    def _vector(self, read: Tensor, lengths: Tensor, direction: Direction) -> Tensor:
        states, _ = self.encoder(self.dropout(embedded(self.embedding, read)))
        return self._told(summary(states, lengths), direction)  # (B, 2H)

    def ratings(self, read: Tensor, lengths: Tensor, direction: Direction, previous: Tensor) -> Tensor:
        """Return unnormalised log-probabilities (B, T', V) of the output's words (equations 4 and 5)."""
        return self._continued(self._vector(read, lengths, direction), direction, previous)

    def _continued(self, vector: Tensor, direction: Direction, previous: Tensor) -> Tensor:
        decoder: Any = self._decoder(direction)
        words = self.dropout(self.embedding(previous))
        told = vector[:, None].expand(-1, previous.shape[1], -1).to(words.dtype)
        states, _ = decoder.lstm(torch.cat([told, words], dim=-1))
        return self._rated(decoder, self.dropout(states))

    def sample(self, read: Tensor, lengths: Tensor, direction: Direction, draw: WordDraw) -> tuple[Tensor, Tensor]:
        """Return translations, word by word; each ends before its first END, or after two words more than it had.

        Words are drawn first, and then rated once more all at once. So gradients reach a word from all who read the
        sentence, but not by way of the words that were written after it: there, through a draw at every place, they
        grow wild. Auto-encoders that restored nine tenths of all words were ruined by them within 1,500 steps.
        """
        vector = self._vector(read, lengths, direction)  # (B, 2H)
        chosen, noise = self._drawn(vector, direction, int(lengths.max()) + 2, draw)
        previous = torch.cat([torch.full_like(chosen[:, :1], START), chosen[:, :-1]], dim=1)
        return until_end(draw.again(self._continued(vector, direction, previous).float(), noise, chosen))

    @torch.no_grad()
    def _drawn(self, vector: Tensor, direction: Direction, steps: int, draw: WordDraw) -> tuple[Tensor, Tensor]:
        """Return words (B, steps), drawn one after the other, and the noise they were drawn with (B, steps, V)."""
        decoder: Any = self._decoder(direction)
        word = torch.full((len(vector), 1), START, device=vector.device)
        state, chosen, noise = None, [], []
        # In full precision, and for a reason: rounded weights would be kept for later, without their gradients.
        with torch.autocast(vector.device.type, enabled=False):
            told = vector[:, None].float()
            for _ in range(steps):
                states, state = decoder.lstm(torch.cat([told, self.embedding(word)], dim=-1), state)
                rated = self._rated(decoder, states)  # (B, 1, V)
                noise.append(draw.noise(rated))
                word = (rated - noise[-1]).argmax(-1)
                chosen.append(word)
        return torch.cat(chosen, dim=1), torch.cat(noise, dim=1)


def until_end(chosen: Tensor) -> tuple[Tensor, Tensor]:
    """Cut soft sentences (B, T, V) before their first END; what would be empty keeps its first place."""
    ended = chosen.detach().argmax(-1) == END  # (B, T)
    lengths = torch.where(ended.any(1), ended.float().argmax(1), chosen.shape[1]).clamp(min=1).cpu()
    longest = int(lengths.max())
    return chosen[:, :longest] * places(lengths, longest, chosen.device)[:, :, None], lengths


def make(shape: TranslatorShape) -> Translator:
    """Return a new translator."""
    kinds: dict[Variant, type[Translator]] = {"paper": Seq2Seq, "editor": Editor, "transformer": Transformer}
    return kinds[shape.variant](shape)


def _both_ways(lstm: Any, read: Tensor, lengths: Tensor) -> Tensor:  # noqa: ANN401 - as above
    """Run a bidirectional LSTM; packed where there is padding, which it would else read first on the way back."""
    if bool((lengths == read.shape[1]).all()):
        states: Tensor = lstm(read)[0]
        return states
    packed = nn.utils.rnn.pack_padded_sequence(read, lengths, batch_first=True, enforce_sorted=False)
    padded, _ = nn.utils.rnn.pad_packed_sequence(lstm(packed)[0], batch_first=True, total_length=read.shape[1])
    return padded
