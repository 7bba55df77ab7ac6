"""Who reads A4NT's translations in training: the opponent, a panel of judges, and a language model.

The paper's translator faces one opponent, which learns along with it. What it then does against *another* classifier
is left to luck: the paper measures one (its Table IV), and on our corpora one direction of the two hardly fooled any.
So the game has a further term, ours: a small panel that knows real text only, as an attacker does who never saw a
translation. Judges differ in what they read (the order of words, phrases, words alone), since what fools all of
them is likelier to fool the next one.

None of them is ever among the attackers that grade the result: those live in `allonym.attackers`, which no part of this
package may import, and are trained on their own.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from allonym.language.sequences import END, PAD
from allonym.training.a4nt.network import DROPOUT, Direction, embedded, places, rating_table, summary


class Opponent(nn.Module):
    """The attribute classifier a translator is trained against (section 3.1)."""

    def __init__(self, *, words: int, classes: int, embedding: int = 64, hidden: int = 128) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, embedding, padding_idx=PAD)
        self.lstm = nn.LSTM(embedding, hidden, batch_first=True)
        self.dropout = nn.Dropout(DROPOUT)
        self.output = nn.Linear(2 * hidden, classes)

    def forward(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Return log-probabilities (B, C)."""
        states, _ = self.lstm(self.dropout(embedded(self.embedding, words)))  # (B, T, H)
        scores: Tensor = self.output(self.dropout(summary(states, lengths)))
        return scores.float().log_softmax(-1)


class WordModel(nn.Module):
    """A language model that is told whose text it continues (section 3.5: M_y, trained on text of the target class).

    A word's embedding also rates the next word.
    """

    def __init__(self, *, words: int, classes: int, embedding: int = 192, hidden: int = 512) -> None:
        super().__init__()
        self.embedding = rating_table(words, embedding)
        self.starts = nn.Embedding(classes, embedding)
        self.lstm = nn.LSTM(embedding, hidden, batch_first=True)
        self.dropout = nn.Dropout(DROPOUT)
        self.projection = nn.Linear(hidden, embedding)
        self.bias = nn.Parameter(torch.zeros(words))

    def forward(self, words: Tensor, writer: int) -> tuple[Tensor, Tensor]:
        """Rate sentences, hard or soft.

        Returns:
            The log-probability of each word given those before (B, T), and of the end at each place (B, T + 1). Of
            soft words it is the mean over the word, which needs no table of all words' log-probabilities.
        """
        vectors = embedded(self.embedding, words)  # (B, T, E)
        start = self.starts.weight[writer].to(vectors.dtype).expand(len(vectors), 1, -1)
        states, _ = self.lstm(torch.cat([start, self.dropout(vectors)], dim=1))  # (B, T + 1, H)
        seen = self.projection(self.dropout(states))  # (B, T + 1, E)
        total = nn.functional.linear(seen, self.embedding.weight, self.bias).logsumexp(-1).float()  # (B, T + 1)
        bias = self.bias[words] if words.dim() == 2 else words @ self.bias.to(words.dtype)
        rated = (seen[:, :-1].float() * vectors.float()).sum(-1) + bias.float()
        ends = (seen.float() @ self.embedding.weight[END].float()) + self.bias[END]
        return rated - total[:, :-1], ends - total


class PhraseJudge(nn.Module):
    """A convolutional classifier: phrases of some lengths, the mean and the most of each, and a linear layer.

    There are `filters` kinds of phrases of each length; the lengths (1,) read words without their order.
    """

    def __init__(
        self, *, words: int, classes: int, lengths: Sequence[int], embedding: int = 64, filters: int = 64
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, embedding, padding_idx=PAD)
        self.phrases = nn.ModuleList(nn.Conv1d(embedding, filters, length, padding=length - 1) for length in lengths)
        self.dropout = nn.Dropout(DROPOUT)
        self.output = nn.Linear(2 * filters * len(lengths), classes)

    def forward(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Return log-probabilities (B, C) of sentences, hard or soft."""
        read = self.dropout(embedded(self.embedding, words)).transpose(1, 2)  # (B, E, T)
        pooled = []
        for phrase in self.phrases:
            phrases = nn.functional.relu(phrase(read))  # (B, filters, T + length − 1)
            further = phrases.shape[2] - words.shape[1]
            inside = places(lengths + further, phrases.shape[2], phrases.device)[:, None]
            phrases = phrases * inside
            pooled += [phrases.sum(2) / inside.sum(2), phrases.max(2).values]
        scores: Tensor = self.output(self.dropout(torch.cat(pooled, dim=1)))
        return scores.float().log_softmax(-1)


class JudgePanel(nn.Module):
    """Several judges, heard one by one."""

    def __init__(self, *, words: int, classes: int) -> None:
        super().__init__()
        self.judges = nn.ModuleList(
            [
                Opponent(words=words, classes=classes, embedding=96, hidden=96),
                PhraseJudge(words=words, classes=classes, lengths=(1, 2, 3)),
                PhraseJudge(words=words, classes=classes, lengths=(1,)),
            ]
        )

    def forward(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Return each judge's log-probabilities (judges, B, C)."""
        return torch.stack([judge(words, lengths) for judge in self.judges])


def panel_loss(said: Tensor, writer: int) -> Tensor:
    """Return −log of the probability that the judges give to a class, the mean over judges and sentences."""
    return -said[..., writer].mean()


def odds(said: Tensor, direction: Direction) -> Tensor:
    """Return the mean log-odds that judges, who said log-probabilities, give to the target."""
    target = said[..., direction.target]
    return (target - torch.log1p(-target.exp().clamp(max=1 - 1e-6))).mean()
