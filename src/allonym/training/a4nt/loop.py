"""Training A4NT: the opponent and the language model on real text, the translator as an auto-encoder, then the game.

The game (section 3.3): translator and opponent learn from one minibatch each, in turn. The opponent learns whose the
translated sentences were, so the translator must keep fooling an attacker who has seen its work. Recipes of ours add
judges that have seen real text only (`judges`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from allonym.errors import ParameterError
from allonym.training.a4nt import losses
from allonym.training.a4nt.batches import A4ntBatch, A4ntNoise, A4ntSentences
from allonym.training.a4nt.draw import WordDraw
from allonym.training.a4nt.judges import JudgePanel, Opponent, WordModel, odds, panel_loss
from allonym.training.a4nt.losses import LossRecipe, Meaning
from allonym.training.a4nt.network import Direction, Editor, Translator
from allonym.training.steps import Clock, Limit, descend, set_rates

# Told now and then: the stage, and where it stands, by name.
Progress = Callable[[str, dict[str, float]], None]

_LONGEST_GRADIENT = 5.0
_PRESSURE_RATE = 0.004  # by how much a step raises a direction's weight, for one unit of log-odds that is missing
_LEAST_PRESSURE, _MOST_PRESSURE = 0.05, 20.0
_WARM_UP = 0.02  # share of a stage in which the learning rate rises, since RMSprop's averages begin at nothing
_FIRST_STEPS = 10  # over which the sizes of the losses are taken, which the weights then make equal
_USUAL, _LONG = Limit(steps=2000), Limit(steps=4000)  # stages


@dataclass(frozen=True)
class A4ntSettings:
    """How to train."""

    opponent: Limit = _USUAL  # how long the classifier learns from real sentences
    language: Limit = _USUAL  # how long the language model does
    restoring: Limit = _LONG  # how long the translator learns to restore sentences of each class
    game: Limit = _LONG  # how long it plays against the opponent
    batch_size: int = 256  # sentences of each class in a step
    learning_rate: float = 1e-4  # of RMSprop, in the game and for the opponent
    restoring_rate: float = 5e-4  # of RMSprop, before the game
    temperature: float = 0.5  # of the differentiable choice among words
    # Share of the words that are hidden while the editor learns to restore, or it would learn to copy only.
    masked: float = 0.1
    replaced: float = 0.2  # share of the words it then reads as a near one
    look_every: int = 200  # steps between two reports
    seed: int = 1  # fixes order and noise, on one kind of machine


class A4ntTraining:
    """A training run, on the device of the sentences, which are of each class.

    The panel's judges learn real sentences with the opponent, and nothing after: recipes with the term `judges` need
    them, and for others they are a waste of time. `meaning` embeds sentences, for recipes with that term. Unit word
    vectors, V × D, zeros where a word has none, serve noise and the term `near`.
    """

    def __init__(
        self,
        translator: Translator,
        opponent: Opponent,
        language: WordModel,
        panel: JudgePanel | None,
        learned: Sequence[A4ntSentences],
        vectors: Tensor,
        settings: A4ntSettings,
        progress: Progress | None = None,
        meaning: Meaning | None = None,
    ) -> None:
        if len(learned) != translator.shape.classes:
            raise ParameterError(f"There are {translator.shape.classes} classes, but sentences of {len(learned)}.")
        self.translator, self.opponent, self.language, self.panel = translator, opponent, language, panel
        self.judges: list[nn.Module] = [] if panel is None else list(panel.judges)
        self.vectors, self.settings, self.progress, self.meaning = vectors, settings, progress, meaning
        self.device = vectors.device
        self.chance = torch.Generator(self.device).manual_seed(settings.seed)
        order = torch.Generator().manual_seed(settings.seed)
        self.batches = [sentences.forever(settings.batch_size, order) for sentences in learned]
        self.directions = _directions(translator.shape.classes)
        self.draw = WordDraw(self.chance, settings.temperature)
        self.costs = losses.word_costs(torch.stack([sentences.counts(len(vectors)) for sentences in learned]).sum(0))
        self.pressure: dict[Direction, Tensor] = {}
        self.weights: dict[str, float] = {}

    def learn_opponent(self) -> None:
        """Teach the opponent, and the judges, real sentences (equation 3)."""
        learners = [self.opponent, *self.judges]
        weights = [weight for learner in learners for weight in learner.parameters()]
        optimizer = torch.optim.RMSprop(weights, lr=10 * self.settings.learning_rate)

        def step() -> dict[str, Tensor]:
            each = []
            with self._precision():
                for writer, batch in enumerate(self._one_each()):
                    each += [losses.opponent_loss(learner, batch.words, batch.lengths, writer) for learner in learners]
            # A sum over the networks: each learns as it would alone.
            return self._follow("loss", torch.stack(each).sum() / len(self.batches), optimizer)

        self._stage("opponent", self.settings.opponent, step, optimizer, learners)

    def learn_language(self) -> None:
        """Teach the language model each class's sentences."""
        optimizer = torch.optim.Adam(self.language.parameters(), lr=2 * self.settings.restoring_rate)

        def step() -> dict[str, Tensor]:
            with self._precision():
                batches = enumerate(self._one_each())
                each = [losses.language_loss(self.language, b.words, b.lengths, writer) for writer, b in batches]
            return self._follow("loss", torch.stack(each).mean(), optimizer)

        self._stage("language", self.settings.language, step, optimizer, [self.language])

    def learn_restoring(self) -> None:
        """Teach the translator to restore each class's sentences, every decoder those of its class."""
        optimizer = torch.optim.RMSprop(self.translator.parameters(), lr=self.settings.restoring_rate)
        editor = isinstance(self.translator, Editor)
        noise = A4ntNoise(self.vectors, self.settings.masked, self.settings.replaced, self.chance) if editor else None
        classes = len(self.batches)
        # Classes take turns one after the other, so an offset that moves on after each round meets every pair.
        targets = itertools.cycle([(writer + by) % classes for by in range(classes) for writer in range(classes)])

        def step() -> dict[str, Tensor]:
            each = []
            for writer, batch in enumerate(self._one_each()):
                read = batch.words if noise is None else noise(batch.words)
                # One decoder for all classes begins by keeping sentences as they are, whatever it is told.
                target = next(targets) if self.translator.shape.conditioned else writer
                sentences = (read, batch.lengths, batch.words, batch.lengths)
                with self._precision():
                    each.append(losses.restoring_loss(self.translator, *sentences, Direction(writer, target)))
            return self._follow("loss", torch.stack(each).mean(), optimizer)

        self._stage("restoring", self.settings.restoring, step, optimizer, [self.translator])

    def play(self, recipe: LossRecipe) -> None:
        """Train the translator against the opponent."""
        if "meaning" in recipe.shares and self.meaning is None:
            raise ParameterError(f"The recipe {recipe.name} needs a sentence encoder; give one as `meaning`.")
        if not isinstance(self.translator, Editor) and {"near", "keep"} & set(recipe.shares):
            raise ParameterError(
                f"The recipe {recipe.name} compares words place by place, for which it needs an editor."
            )
        if "judges" in recipe.shares and self.panel is None:
            raise ParameterError(f"The recipe {recipe.name} needs judges; give some as `panel`.")
        if recipe.hides != self.translator.shape.neutral:
            raise ParameterError(f"The recipe {recipe.name} and the translator differ in whether they imitate anybody.")
        ours = torch.optim.RMSprop(self.translator.parameters(), lr=self.settings.learning_rate)
        theirs = torch.optim.RMSprop(self.opponent.parameters(), lr=self.settings.learning_rate)
        first: dict[str, list[float]] = {}
        self.weights, self.pressure = {}, {}

        def step() -> dict[str, Tensor]:
            terms, fakes, real = self._translated(recipe)
            if not self.weights:
                for term, value in terms.items():
                    first.setdefault(term, []).append(float(value.detach()))
            weights = self.weights or _balanced(recipe, first)
            if len(next(iter(first.values()))) >= _FIRST_STEPS and not self.weights:
                self.weights = weights
            total = torch.stack([weights[term] * recipe.counted(term, value) for term, value in terms.items()]).sum()
            numbers = self._follow("loss", total, ours)
            numbers |= self._follow("opponent", self._opponent_loss(fakes, real), theirs)
            return numbers | {term: value.detach() for term, value in terms.items()}

        # The language model too: a graphics card's LSTM lets gradients through in training mode only.
        networks = [self.translator, self.opponent, self.language, *self.judges]
        self._stage("game", self.settings.game, step, ours, networks)

    def _translated(
        self, recipe: LossRecipe
    ) -> tuple[dict[str, Tensor], list[tuple[Tensor, Tensor, int]], list[tuple[A4ntBatch, int]]]:
        """Translate a batch each way; return the losses, the translations with whose they were, and the originals."""
        forth = next(self.directions)
        for network in (*self.judges, self.language):
            for part in network.modules():
                if isinstance(part, nn.Dropout):
                    part.eval()
        sums: dict[str, Tensor] = {}
        fakes, real = [], []
        with frozen(self.opponent, self.language, *self.judges):
            for direction in (forth, forth.back):
                batch = next(self.batches[direction.source])
                terms = {}
                with self._precision():
                    if isinstance(self.translator, Editor):
                        rated = self.translator.ratings(batch.words, batch.lengths, direction, batch.words)
                        sample, lengths = self.translator.choose(rated, batch.lengths, self.draw), batch.lengths
                        if "keep" in recipe.shares:
                            terms["keep"] = losses.keep_loss(rated, batch.words, batch.lengths, self.costs)
                    else:
                        sample, lengths = self.translator.sample(batch.words, batch.lengths, direction, self.draw)
                    terms |= self._terms(recipe, batch, sample, lengths, direction)
                for term, value in terms.items():
                    sums[term] = sums.get(term, torch.zeros((), device=self.device)) + value / 2
                fakes.append((sample.detach(), lengths, direction.source))
                real.append((batch, direction.source))
        return sums, fakes, real

    def _terms(
        self, recipe: LossRecipe, batch: A4ntBatch, sample: Tensor, lengths: Tensor, direction: Direction
    ) -> dict[str, Tensor]:
        wanted = recipe.shares
        terms: dict[str, Tensor] = {}
        if "style" in wanted:
            terms["style"] = (
                losses.undecided_loss(self.opponent(sample, lengths))
                if recipe.hides
                else losses.style_loss(self.opponent, sample, lengths, direction)
            )
        if "judges" in wanted and self.panel is not None:
            said = self.panel(sample, lengths)
            terms["judges"] = (
                losses.undecided_loss(said)
                if recipe.hides
                else self._pressed(recipe, said.detach(), direction) * panel_loss(said, direction.target)
            )
        if "cycle" in wanted:
            terms["cycle"] = losses.restoring_loss(
                self.translator, sample, lengths, batch.words, batch.lengths, direction.back
            )
        if "language" in wanted:
            terms["language"] = losses.language_loss(self.language, sample, lengths, direction.target)
        if "meaning" in wanted and self.meaning is not None:
            terms["meaning"] = losses.meaning_loss(self.meaning, sample, lengths, batch.words, batch.lengths)
        if "near" in wanted:
            terms["near"] = losses.near_loss(self.vectors, sample, batch.words, batch.lengths)
        return terms

    def _pressed(self, recipe: LossRecipe, said: Tensor, direction: Direction) -> Tensor:
        """Return the weight of the judges in a direction, after a step towards the odds the recipe wants."""
        before = self.pressure.get(direction, torch.ones((), device=self.device))
        classes = len(self.batches)
        rate = _PRESSURE_RATE * classes * (classes - 1) / 2  # with more pairs of classes each has its turn less often
        change = (rate * (recipe.odds - odds(said, direction))).clamp(-0.1, 0.1).exp()
        self.pressure[direction] = (before * change).clamp(_LEAST_PRESSURE, _MOST_PRESSURE)
        return self.pressure[direction]

    def _opponent_loss(
        self, fakes: Sequence[tuple[Tensor, Tensor, int]], real: Sequence[tuple[A4ntBatch, int]]
    ) -> Tensor:
        with self._precision():
            each = [losses.opponent_loss(self.opponent, words, lengths, writer) for words, lengths, writer in fakes]
            each += [losses.opponent_loss(self.opponent, b.words, b.lengths, writer) for b, writer in real]
        return torch.stack(each).mean()

    def _one_each(self) -> Iterator[A4ntBatch]:
        return (next(batches) for batches in self.batches)

    def _precision(self) -> torch.autocast:
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda")

    def _follow(self, name: str, loss: Tensor, optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
        """Make one step down a loss; a word's gradient runs through all words drawn before it, and may overflow."""
        return {name: descend(loss, optimizer, _LONGEST_GRADIENT, may_overflow=True)}

    def _stage(
        self,
        name: str,
        limit: Limit,
        step: Callable[[], dict[str, Tensor]],
        optimizer: torch.optim.Optimizer,
        networks: Sequence[nn.Module],
    ) -> None:
        """Run steps until the limit, with a falling learning rate, and report now and then."""
        clock, rate = Clock(limit), optimizer.param_groups[0]["lr"]
        for done in range(1, limit.steps + 1):
            for network in networks:
                network.train()
            part = clock.part(done)
            set_rates(optimizer, [rate * max(0.1, 1 - part) * min(1.0, part / _WARM_UP)])
            values = step()
            if self.progress is not None and (done % self.settings.look_every == 0 or part >= 1):
                numbers = {key: float(value) for key, value in values.items()}
                self.progress(name, {"step": done, "seconds": clock.seconds, **numbers})
            if part >= 1:
                break
        for network in networks:
            network.eval()


@contextmanager
def frozen(*networks: nn.Module) -> Iterator[None]:
    """Let gradients flow through networks without gathering in their weights."""
    weights = [weight for network in networks for weight in network.parameters() if weight.requires_grad]
    for weight in weights:
        weight.requires_grad_(False)
    try:
        yield
    finally:
        for weight in weights:
            weight.requires_grad_(True)


def _directions(classes: int) -> Iterator[Direction]:
    """Return all pairs of classes in turn, without end; each step takes a pair both ways."""
    return itertools.starmap(Direction, itertools.cycle(itertools.combinations(range(classes), 2)))


def _balanced(recipe: LossRecipe, first: dict[str, list[float]]) -> dict[str, float]:
    """Return weights that make each term as large as its share, measured over the first steps."""
    return {term: share * len(first[term]) / max(1e-6, sum(first[term])) for term, share in recipe.shares.items()}
