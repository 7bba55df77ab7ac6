"""Training a writer on a user's own public text, from a prepared corpus to a model folder; resumable at every step.

Privacy: the model is a release of its training text, made without differential privacy. Its card, its configuration
and the guarantee of everything drawn with it say so.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import torch

from allonym import models
from allonym.errors import ParameterError
from allonym.networks.ghostwriter.model import Arrays, WriterSettings
from allonym.training.fitting import seeded
from allonym.training.folder import CHECKPOINT, FINISHED, begin, publish
from allonym.training.ghostwriter.batches import DrawnPassages
from allonym.training.ghostwriter.corpus import WriterCorpus, evenly
from allonym.training.ghostwriter.folder import USER_CARD, write
from allonym.training.ghostwriter.loop import WriterSchedule, WriterTraining
from allonym.training.ghostwriter.network import WriterNetwork, WriterSizes, from_nothing, from_translation
from allonym.training.keeping import Keeper, Watcher
from allonym.training.own_text import TrainingRecord, TrainingTime, sharers

Size = Literal["tiny", "small", "full"]
Start = Literal["translation", "nothing"]

# How large a network is that begins from nothing, and the learning rate that suits it; "full" is as the translation's.
SIZES: dict[Size, tuple[WriterSizes, float]] = {
    "tiny": (WriterSizes(width=32, inner=64, encoder=1, decoder=1), 5e-3),
    "small": (WriterSizes(width=128, inner=512, encoder=3, decoder=2), 2e-3),
    "full": (WriterSizes(), 1e-3),
}


@dataclass(frozen=True)
class WriterRecipe:
    """Everything that fixes a model, beside the text; kept in the checkpoint."""

    text: str | None = None  # column with the texts
    author: str | None = None  # column with the authors
    start: Start = "translation"  # from the weights of the translation networks, or from nothing
    size: Size = "full"  # of a network that begins from nothing
    notes: int = 12_000  # of the list, at most
    pieces: int = 17_000  # that are written, at most
    candidates: int = 5  # words of a group
    slots: int = 24  # notes that are written out together
    loss_per_word: float = 11.4  # whose accidents it learns to expect
    shared_by: int = 3  # how many documents, or authors where they are known, must use a note
    held_out: float = 0.05  # share of the documents that tells when to stop
    epochs: int | None = None  # passes over the passages, at most; None for no limit
    minutes: float | None = None  # minutes of training, at most; None for no limit
    batch: int = 64  # passages of a step
    learning_rate: float | None = None  # size of a step at its largest; None for what suits the size
    dropout: float = 0.1  # share of the numbers that are left out while it learns
    patience: int = 8  # looks at the held-out passages without a lower loss, after which training ends
    seed: int = 1  # fixes initial weights, order, noise and what is held out

    def __post_init__(self) -> None:
        if self.start == "translation" and self.size != "full":
            raise ParameterError("The translation networks have one size: leave --size out, or begin with nothing.")

    @property
    def settings(self) -> WriterSettings:
        """What must be the same where the network is used."""
        return WriterSettings(self.candidates, self.slots, self.loss_per_word)

    def schedule(self, passages: int) -> WriterSchedule:
        """Return how to train on so many passages."""
        return WriterSchedule(
            **vars(TrainingTime.of(self, passages)),
            learning_rate=self.learning_rate or SIZES[self.size][1],
            batch_size=self.batch,
            patience=self.patience,
            seed=self.seed,
        )


@dataclass(frozen=True)
class TrainedWriter:
    """What came of a run.

    Attributes:
        lowest: The lowest loss of a piece, of all looks at the passages held out.
        steps: How many were made, those of an interrupted run included.
        as_if_uninterrupted: Whether an uninterrupted run would have made the same model.
    """

    lowest: float
    steps: int
    as_if_uninterrupted: bool


def train(
    corpus: WriterCorpus,
    recipe: WriterRecipe,
    folder: Path,
    *,
    device: torch.device,
    resume: bool,
    watcher: Watcher,
    tensors: Arrays | None = None,
    card: str = USER_CARD,
    trained_on: str = models.USER_TEXT,
) -> TrainedWriter:
    """Train a network, write it as a model folder, and return figures about it.

    To resume is to go on from the checkpoint in the folder, which must be of this corpus and recipe; otherwise a model
    or checkpoint that is there is deleted. Given tensors are what it begins with, in the place of what the recipe says.

    Raises:
        ResumeError: The checkpoint is damaged.
        KeyboardInterrupt: The watcher said stop; the folder holds a checkpoint.
        ParameterError: There is not enough memory, or the loss became infinite.
    """
    begin(folder, resume=resume)
    with seeded(recipe.seed):
        training = _training(corpus, recipe, device, tensors)
        record = {"recipe": asdict(recipe), "fingerprint": corpus.fingerprint}
        keeper = Keeper(folder / CHECKPOINT, record, watcher)
        training.progress, training.after_step = keeper.looked, keeper.stepped
        exact = keeper.run(training, resume=resume, smaller="--batch, --notes or --pieces")
    figures = {
        "loss of a piece, the lowest": training.best.lowest,
        f"training steps of {recipe.batch} passages": training.step,
        "minutes": round(training.clock.seconds / 60, 2),
    }
    write(
        folder / CHECKPOINT / FINISHED,
        recipe.settings,
        training.network.arrays(),
        corpus.vocabulary,
        corpus.pieces,
        config={
            "name": folder.resolve().name,
            models.TRAINED_ON: trained_on,  # guarantees of what is drawn with it say so
            "training": TrainingRecord(recipe, training.step, training.device.type).to_json(),
            "held_out": figures,
        },
        card=card,
        values=_card_values(corpus, recipe),
    )
    publish(folder)
    return TrainedWriter(training.best.lowest, training.step, exact)


def _training(
    corpus: WriterCorpus, recipe: WriterRecipe, device: torch.device, tensors: Arrays | None
) -> WriterTraining:
    notes, pieces = corpus.vocabulary.tokens, corpus.pieces
    if tensors is None and recipe.start == "translation":
        tensors = from_translation(notes, pieces)
    elif tensors is None:
        tensors = from_nothing(SIZES[recipe.size][0], len(notes), len(pieces))
    generators = [torch.Generator(device).manual_seed(recipe.seed) for _ in range(2)]
    learned, held_out = (
        DrawnPassages(part, len(notes), recipe.settings, chance)
        for part, chance in zip((corpus.learned, evenly(corpus.held_out)), generators, strict=True)
    )
    network = WriterNetwork(tensors, recipe.dropout).to(device)
    return WriterTraining(network, learned, held_out, recipe.schedule(len(corpus.learned)))


def _card_values(corpus: WriterCorpus, recipe: WriterRecipe) -> dict[str, Any]:
    return {
        **sharers(recipe, corpus.documents),
        "passages": len(corpus.learned),
        "pieces_learned": len(corpus.learned.pieces),
        "held_out_passages": len(corpus.held_out),
        "base": _BASES[recipe.start],
    }


_BASES: dict[Start, str] = {
    "translation": (
        "Mozilla's translation networks (the encoder of English to Portuguese, the decoder of Portuguese to English), "
        "which are under the Mozilla Public License 2.0: so is this model. Say so, and keep this card, wherever you "
        "give it on"
    ),
    "nothing": "random numbers",
}
