"""What A4NT's translator is trained for: to pass as the target, to be understood, to be fluent (sections 3.3 to 3.5).

Each loss is a mean over sentences, or over their words, so that long sentences weigh no more than short ones; the
paper's sums differ from it by a factor that its weights take up.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from allonym.errors import ParameterError
from allonym.language.sequences import END, START
from allonym.training.a4nt.judges import Opponent, WordModel
from allonym.training.a4nt.network import Direction, Editor, Translator, places
from allonym.training.steps import cross_entropy

# Embeds sentences, hard or soft, with their lengths: (B, 384).
Meaning = Callable[[Tensor, Tensor], Tensor]

TERMS = ("style", "judges", "cycle", "meaning", "language", "near", "keep")


@dataclass(frozen=True)
class LossRecipe:
    """Which losses, and how much of each at the beginning of the training.

    The paper weighs its losses "so that the magnitude of the weighted loss terms are approximately equal at the
    beginning": a share of 1 for every term it uses. The terms `judges`, `near` and `keep` are ours, the latter two for
    the editor.

    Attributes:
        name: As in the paper, or our own.
        shares: What each term weighs when training begins; a term that is not named is not used.
        allowances: How large a term may be before it counts. Without an allowance the wish to keep words is only
            content when no word can change any more, and then no gradient says which should.
        odds: Log-odds that judges shall give to the target, on average over sentences. The term `judges` weighs more in
            a direction in which they give less, and less where they give more: otherwise the easier direction uses up
            all the words that may be changed.
        hides: Whether the aim is that no class can be told, and not the target's style; for neutral translators.
    """

    name: str
    shares: dict[str, float] = field(default_factory=dict)
    allowances: dict[str, float] = field(default_factory=dict)
    odds: float = 0.5
    hides: bool = False

    def __post_init__(self) -> None:
        for term, share in self.shares.items():
            if term not in TERMS or not share > 0:
                raise ParameterError(f"A recipe weighs {', '.join(TERMS)} by positive numbers, got {term}: {share}.")
        if not math.isfinite(self.odds):
            raise ParameterError(f"The odds of a recipe must be a number, got {self.odds}.")
        for term, allowance in self.allowances.items():
            if term not in self.shares or not allowance >= 0:
                raise ParameterError(f"An allowance is a positive number for a term in use, got {term}: {allowance}.")

    def counted(self, term: str, value: Tensor) -> Tensor:
        """Return what counts of a term: all of it above its allowance."""
        return (value - self.allowances[term]).clamp(min=0) if term in self.allowances else value


RECIPES = {
    recipe.name: recipe
    for recipe in (
        LossRecipe("autoencoder"),  # the baseline: each decoder restores its own class's sentences, and no more
        LossRecipe("FBsem", {"style": 1.0, "meaning": 1.0}),
        LossRecipe("CycML", {"style": 1.0, "cycle": 1.0}),
        LossRecipe("CycML+Lang", {"style": 1.0, "cycle": 1.0, "language": 1.0}),
        # Word vectors say which words mean alike, the wish to keep words how many may change, and judges by how much.
        LossRecipe(
            "CycML+Lang+Near",
            {"style": 1.0, "judges": 2.0, "cycle": 0.3, "language": 0.5, "near": 1.0, "keep": 1.0},
            {"cycle": 0.3, "near": 0.02, "keep": 0.2},
        ),
        # No cycle: what tells the class must not come back.
        LossRecipe(
            "Neutral",
            {"style": 4.0, "judges": 2.0, "language": 0.5, "near": 1.0, "keep": 1.0},
            {"near": 0.02, "keep": 0.2},
            hides=True,
        ),
    )
}


def style_loss(opponent: Opponent, sample: Tensor, lengths: Tensor, direction: Direction) -> Tensor:
    """Return −log of the probability that the opponent gives to the target class (equation 8)."""
    loss: Tensor = -opponent(sample, lengths)[:, direction.target].mean()
    return loss


def undecided_loss(said: Tensor) -> Tensor:
    """Return how far the classes are from being as likely as each other, 0 if they are (ours, to hide).

    It is the mean −log-probability of all classes, less what that is at best.
    """
    return -said.mean() - math.log(said.shape[-1])


def opponent_loss(opponent: nn.Module, words: Tensor, lengths: Tensor, writer: int) -> Tensor:
    """Return −log of the probability that the opponent gives to the true writer (equation 7).

    For translations the true writer is the source: "log(1 − p(y | s̃))" of two classes, and of more the same idea. So
    the opponent is an adaptive attacker, who learns from translated text whose it was.
    """
    loss: Tensor = -opponent(words, lengths)[:, writer].mean()
    return loss


def restoring_loss(
    translator: Translator, read: Tensor, read_lengths: Tensor, words: Tensor, lengths: Tensor, direction: Direction
) -> Tensor:
    """Return the mean −log-likelihood of a sentence's words when the translator reads `read` (equations 9 and 10).

    With `read` the translation of `words`, and the direction back: the cycle loss. With `read` the words themselves (or
    a noisy form of them) and the source as target: the auto-encoder's.
    """
    if isinstance(translator, Editor):
        targets, previous = words, words
        inside = places(lengths, words.shape[1], words.device)
    else:
        ended = nn.functional.pad(words, (0, 1))
        at = torch.arange(ended.shape[1], device=words.device)[None, :]
        device_lengths = lengths.to(words.device, non_blocking=True)[:, None]
        targets = torch.where(at < device_lengths, ended, END)  # (B, T + 1): the words, then END
        previous = torch.cat([torch.full_like(targets[:, :1], START), targets[:, :-1]], dim=1)
        inside = at <= device_lengths
    return cross_entropy(translator.ratings(read, read_lengths, direction, previous), targets, inside.float())


def language_loss(model: WordModel, sample: Tensor, lengths: Tensor, writer: int) -> Tensor:
    """Return the mean −log-likelihood of sentences, hard or soft, under the writer's language model (equation 12)."""
    words, ends = model(sample, writer)
    inside = places(lengths, words.shape[1], words.device)
    rows = torch.arange(len(words), device=words.device)
    last = ends[rows, lengths.to(words.device, non_blocking=True)]
    loss: Tensor = -((words * inside).sum() + last.sum()) / (inside.sum() + len(words))
    return loss


def meaning_loss(meaning: Meaning, sample: Tensor, sample_lengths: Tensor, words: Tensor, lengths: Tensor) -> Tensor:
    """Return the mean distance, by absolute values, of the sentence embeddings (equation 11)."""
    with torch.no_grad():
        wanted = meaning(words, lengths)
    return (meaning(sample, sample_lengths) - wanted).abs().sum(-1).mean()


def near_loss(vectors: Tensor, sample: Tensor, words: Tensor, lengths: Tensor) -> Tensor:
    """Return how far each word's substitute is by word vectors, 1 − cosine; ours, for translations place by place."""
    wanted = vectors[words].float()  # (B, T, D)
    has_vector = (wanted.abs().sum(-1) > 0) & places(lengths, words.shape[1], words.device)
    cosines = ((sample.to(vectors.dtype) @ vectors).float() * wanted).sum(-1)
    same = sample.gather(-1, words[..., None])[..., 0].float()  # a word is all its own meaning, vector or not
    return ((1 - torch.maximum(cosines, same)) * has_vector).sum() / has_vector.sum().clamp(min=1)


def keep_loss(ratings: Tensor, words: Tensor, lengths: Tensor, costs: Tensor) -> Tensor:
    """Return the mean −log-probability that a word stays as it is, by what each word costs; ours, place by place."""
    return cross_entropy(ratings, words, places(lengths, words.shape[1], words.device) * costs[words])


def word_costs(counts: Tensor) -> Tensor:
    """Return what changing each word costs: words of content three times as much as function words.

    As in METEOR 1.5, function words are those that make up more than a thousandth of all words.
    """
    common = counts > counts.sum() / 1000
    return torch.where(common, 0.25, 0.75)
