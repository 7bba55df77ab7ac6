"""Training ER-AE on a user's own text, from a prepared corpus to a model folder; resumable at every step.

Privacy: the model is a release of its training text, made without differential privacy. Its card, its configuration
and the guarantee of everything drawn with it say so.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch

from allonym import models
from allonym.networks.erae.inference import EraeShape
from allonym.training.erae.batches import EraeSentences
from allonym.training.erae.corpus import EraeCorpus
from allonym.training.erae.folder import USER_CARD, write
from allonym.training.erae.loop import USUAL, EraeSettings, EraeTraining, WordFigures, measure
from allonym.training.erae.network import END, Erae, Variant
from allonym.training.fitting import arrays_of, seeded
from allonym.training.folder import CHECKPOINT, FINISHED, begin, publish
from allonym.training.keeping import Keeper, Watcher
from allonym.training.own_text import TrainingRecord, TrainingTime, sharers

_NEVER = 2.0  # a share of the training that is not reached
# Embedding, encoder, latent, generator, and the learning rate that suits such a network.
SIZES: dict[str, tuple[int, int, int, int, float]] = {
    "tiny": (32, 32, 32, 64, 5e-3),
    "small": (128, 128, 128, 256, 1e-3),
    "full": (256, 256, 256, 512, 3e-4),
}
_SENTENCES_FOR_ROUNDING = 200


@dataclass(frozen=True)
class EraeRecipe:
    """Everything that fixes a model, beside the text; kept in the checkpoint."""

    text: str | None = None  # column with the texts
    author: str | None = None  # column with the authors
    variant: Variant = "attention"
    size: Literal["tiny", "small", "full"] = "full"  # one of `SIZES`
    words: int = 20_000  # tokens of the vocabulary, at most
    shared_by: int = 3  # how many documents, or authors where they are known, must use a word
    held_out: float = 0.1  # share of the documents that tells when to stop
    epochs: int | None = None  # passes over the sentences, at most; None for no limit
    minutes: float | None = None  # minutes of training, at most; None for no limit
    batch: int = 64  # sentences of a step
    learning_rate: float | None = None  # size of a step at its largest; None for what suits the size
    patience: int = 8  # looks at the held-out sentences without a lower loss, after which training ends
    seed: int = 1  # fixes initial weights, order, noise and what is held out

    def shape(self, words: int) -> EraeShape:
        """Return the sizes of the network for a vocabulary of so many tokens."""
        return EraeShape(words, self.variant, *SIZES[self.size][:4])

    def settings(self, sentences: int) -> EraeSettings:
        """Return how to train on so many sentences."""
        # As the shipped model: the variant with attention learns without the embedding reward.
        reward = {} if self.variant == "paper" else {"reward_from": _NEVER}
        return EraeSettings(
            **USUAL[self.variant] | reward | vars(TrainingTime.of(self, sentences)),
            learning_rate=self.learning_rate or SIZES[self.size][4],
            batch_size=self.batch,
            patience=self.patience,
            seed=self.seed,
        )


@dataclass(frozen=True)
class TrainedErae:
    """What came of a run.

    Attributes:
        held_out: What the network makes of the sentences held out.
        lowest: The lowest loss of all looks, on noisy sentences.
        steps: How many were made, those of an interrupted run included.
        words: Of the vocabulary.
        as_if_uninterrupted: Whether an uninterrupted run would have made the same model.
    """

    held_out: WordFigures
    lowest: float
    steps: int
    words: int
    as_if_uninterrupted: bool


def train(
    corpus: EraeCorpus, recipe: EraeRecipe, folder: Path, *, device: torch.device, resume: bool, watcher: Watcher
) -> TrainedErae:
    """Train a network, write it as a model folder, and return figures about it.

    To resume is to go on from the checkpoint in the folder, which must be of this corpus and recipe; otherwise a model
    or checkpoint that is there is deleted.

    Raises:
        ResumeError: The checkpoint is damaged.
        KeyboardInterrupt: The watcher said stop; the folder holds a checkpoint.
        ParameterError: There is not enough memory, or the loss became infinite.
    """
    begin(folder, resume=resume)
    with seeded(recipe.seed):
        training = _training(corpus, recipe, device)
        keeper = Keeper(folder / CHECKPOINT, {"recipe": asdict(recipe), "fingerprint": corpus.fingerprint}, watcher)
        training.progress, training.after_step = keeper.looked, keeper.stepped
        exact = keeper.run(training, resume=resume, smaller="--batch, --size or --words")
    final = _finish(folder, corpus, recipe, training)
    return TrainedErae(final, training.best.lowest, training.step, len(corpus.vocabulary), exact)


def _training(corpus: EraeCorpus, recipe: EraeRecipe, device: torch.device) -> EraeTraining:
    network = Erae(recipe.shape(len(corpus.vocabulary)))
    network.set_word_vectors(corpus.vectors)
    counts = np.bincount(corpus.tokens, minlength=len(corpus.vocabulary))
    counts[END] = len(corpus.lengths)
    network.set_frequencies(counts)
    watched = corpus.watched()
    vectors = torch.from_numpy(corpus.vectors).to(device, torch.float32 if device.type == "cpu" else torch.bfloat16)
    return EraeTraining(
        network.to(device),
        EraeSentences(corpus.tokens, corpus.lengths, device),
        EraeSentences(np.concatenate(watched), np.array([len(sentence) for sentence in watched]), device),
        vectors,
        recipe.settings(len(corpus.lengths)),
    )


def _finish(folder: Path, corpus: EraeCorpus, recipe: EraeRecipe, training: EraeTraining) -> WordFigures:
    """Write the model beside the checkpoint, then put it in its place; return how good it is."""
    final = measure(training.network, training.held_out, training.vectors, recipe.batch)
    figures = {
        "original word the most likely": final.accuracy,
        "original word among the five most likely": final.among_five,
        "negative log-likelihood of the original word": final.clear_loss,
        "loss on noisy sentences, the lowest": training.best.lowest,
        f"training steps of {recipe.batch} sentences": training.step,
        "minutes": round(training.clock.seconds / 60, 2),
    }
    write(
        folder / CHECKPOINT / FINISHED,
        recipe.shape(len(corpus.vocabulary)),
        {name: array.astype(np.float32) for name, array in arrays_of(training.network).items()},
        corpus.vocabulary,
        config={
            "name": folder.resolve().name,
            models.TRAINED_ON: models.USER_TEXT,  # guarantees of what it draws say so
            "training": TrainingRecord(recipe, training.step, training.device.type).to_json(),
            "held_out": figures,
        },
        card=USER_CARD,
        values=_card_values(corpus, recipe),
        sentences=corpus.watched(_SENTENCES_FOR_ROUNDING),
    )
    publish(folder)
    return final


def _card_values(corpus: EraeCorpus, recipe: EraeRecipe) -> dict[str, Any]:
    return {
        **sharers(recipe, corpus.documents),
        "sentences": len(corpus.lengths),
        "tokens": len(corpus.tokens),
        "coverage": corpus.coverage,
        "held_out_sentences": len(corpus.watched()),
    }
