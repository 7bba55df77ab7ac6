"""The attribute classifiers of A4NT: an LSTM over a sentence's words, and the "holdout" with convolutions on top.

Shetty, Schiele and Fritz, *A4NT: Author Attribute Anonymity by Adversarial Training of Neural Machine Translation*
(2018). Section 3.1 describes the LSTM; of the holdout section 5.1 says only that it has "a convolutional layer on top
of the LSTM network". Its widths and padding, the dropout and the optimizer here are those of the authors' code;
embedding and hidden size are 512 there, for a corpus of three million sentences.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from allonym.training.a4nt.network import summary
from allonym.training.fitting import Classifier
from allonym.training.steps import Rows, TokenRows

PADDING = 0
UNKNOWN = 1
FIRST_WORD = 2

_DROPOUT = 0.25
_WIDTHS = (2, 3, 4)


class TextLSTMNetwork(Classifier):
    """Embeddings → LSTM → final and mean state → linear → softmax.

    There are V words, padding and unknown among them, C classes, E numbers of an embedding and H of the LSTM's state.
    """

    def __init__(self, *, words: int, classes: int, embedding_size: int, hidden_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, embedding_size, padding_idx=PADDING)  # (V, E)
        self.lstm = nn.LSTM(embedding_size, hidden_size, batch_first=True)
        self.dropout = nn.Dropout(_DROPOUT)
        self.output = nn.Linear(self.summary_size(hidden_size), classes)  # (C, S)

    def summary_size(self, hidden_size: int) -> int:
        """Return how many numbers sum a sentence up (S)."""
        return 2 * hidden_size

    def forward(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Return log-probabilities (B, C) of sentences: their words (B, T), padded, and their lengths, 1 at least."""
        states, _ = self.lstm(self.dropout(self.embedding(words)))  # (B, T, H)
        # The LSTM reads forwards, so padding after the end changes no state before it: no need to pack.
        real = torch.arange(words.shape[1], device=words.device) < lengths[:, None]  # (B, T)
        states = states * real[:, :, None]  # (B, T, H), nothing after the end
        scores: Tensor = self.output(self.dropout(self.summary(states, lengths)))  # (B, C)
        return scores.log_softmax(-1)

    def summary(self, states: Tensor, lengths: Tensor) -> Tensor:
        """Return the final state beside the mean of all (B, 2H)."""
        return summary(states, lengths)

    def optimizer(self, learning_rate: float) -> torch.optim.Optimizer:
        """Return RMSprop."""
        return torch.optim.RMSprop(self.parameters(), lr=learning_rate)


class TextLSTMConvolutionNetwork(TextLSTMNetwork):
    """Embeddings → LSTM → convolutions of widths 2, 3 and 4, F filters each → their maxima → linear → softmax."""

    def __init__(self, *, words: int, classes: int, embedding_size: int, hidden_size: int, filters: int = 100) -> None:
        self.filters = filters
        super().__init__(words=words, classes=classes, embedding_size=embedding_size, hidden_size=hidden_size)
        # As many zeros on either side as the filter is wide: its first place then sees zeros only, whatever the
        # sentence, so that more such places in the padding after a short sentence never change the maximum.
        self.convolutions = nn.ModuleList(
            nn.Conv1d(hidden_size, filters, width, padding=width) for width in _WIDTHS
        )  # each (F, H, width)

    def summary_size(self, hidden_size: int) -> int:
        """Return how many numbers sum a sentence up (S)."""
        return len(_WIDTHS) * self.filters

    def summary(self, states: Tensor, lengths: Tensor) -> Tensor:
        """Return the largest value of each filter (B, 3F)."""
        over_time = states.transpose(1, 2)  # (B, H, T)
        values = [
            nn.functional.leaky_relu(convolution(over_time)) for convolution in self.convolutions
        ]  # (B, F, T + w + 1)
        return torch.cat([value.amax(2) for value in values], dim=-1)  # (B, 3F)


class Sentences(TokenRows[tuple[Tensor, Tensor]]):
    """Sentences as numbered words, none empty, ready for batches."""

    def __init__(self, sentences: list[list[int]]) -> None:
        words = np.array([word for sentence in sentences for word in sentence], dtype=np.int64)
        super().__init__(words, np.array([len(sentence) for sentence in sentences]), torch.device("cpu"))

    def batch(self, rows: Rows) -> tuple[Tensor, Tensor]:
        """Return words, padded, and lengths of some sentences; see `TextLSTM.forward`."""
        lengths = self.lengths[rows]
        words, at, ends = self.first(rows, int(lengths.max()))
        return torch.where(at < ends, words, PADDING), torch.from_numpy(lengths)
