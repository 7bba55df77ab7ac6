"""Training A4NT on a user's own text, from a prepared corpus to a model folder; resumable after every stage.

The stages are those of `loop`: the classifier, the language model, the auto-encoder, the game. Each begins
with random numbers of its own, so a run that was interrupted repeats the stage it was in, and no more, and ends with
the model that an uninterrupted run would have made (on one machine's processor).

Privacy: the model is a release of its training text, made without differential privacy; its card says so.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch import nn

from allonym import models
from allonym.errors import ParameterError, ResumeError
from allonym.networks.a4nt.inference import A4ntReader
from allonym.training.a4nt import store
from allonym.training.a4nt.batches import A4ntSentences
from allonym.training.a4nt.corpus import A4ntCorpus, ClassSample
from allonym.training.a4nt.draw import WordDraw
from allonym.training.a4nt.judges import JudgePanel, Opponent, WordModel
from allonym.training.a4nt.loop import A4ntSettings, A4ntTraining
from allonym.training.a4nt.losses import RECIPES
from allonym.training.a4nt.network import Translator, TranslatorShape, Variant, make
from allonym.training.a4nt.watch import TranslatorFigures, measure
from allonym.training.fitting import arrays_of, fill, seeded
from allonym.training.folder import CHECKPOINT, FINISHED, begin, publish, read_arrays, read_state, save_checkpoint
from allonym.training.steps import Limit

STAGES = ("opponent", "language", "restoring", "game")
# The sentence encoder that FBsem needs is not part of the package.
LOSSES = tuple(sorted(name for name, recipe in RECIPES.items() if "meaning" not in recipe.shares))
# Embedding and state of the translator, of the classifier, of the language model; and the learning rate that suits it.
SIZES: dict[str, tuple[tuple[int, int], tuple[int, int], tuple[int, int], float]] = {
    "tiny": ((24, 24), (16, 16), (24, 32), 2e-3),
    "small": ((96, 128), (48, 64), (96, 192), 5e-4),
    "full": ((160, 192), (64, 128), (192, 512), 1e-4),
}
_SHARES = (1 / 8, 1 / 8, 1 / 4, 1 / 2)  # of the minutes, for each stage
_LOOKS = 10  # in each stage
_MOST_TOKENS_WATCHED = 60_000  # of each class

# Told now and then: the stage, how much of it is done from 0 to 1, and where it stands by name.
Progress = Callable[[str, float, dict[str, float]], None]


@dataclass(frozen=True)
class A4ntPlan:
    """Everything that fixes a model, beside the text; kept in the checkpoint."""

    text: str | None = None  # column with the texts
    attribute: str = ""  # column with the classes
    author: str | None = None  # column with the authors
    names: bool = False  # whether names become classes of tokens
    variant: Variant = "editor"
    losses: str = "CycML+Lang"  # one of `LOSSES`: the recipe's name
    size: Literal["tiny", "small", "full"] = "full"  # one of `SIZES`
    words: int = 16_000  # tokens of the vocabulary, at most
    shared_by: int = 3  # how many documents, or authors where they are known, must use a word
    held_out: float = 0.1  # share of the documents or authors that is held out
    steps: int = 4000  # steps of the game, and of the auto-encoder; half as many of the others
    minutes: float | None = None  # minutes of training, at most; None for no limit
    batch: int = 256  # sentences of each class in a step
    seed: int = 1  # fixes initial weights, order, noise and what is held out

    def __post_init__(self) -> None:
        if self.losses not in LOSSES or self.size not in SIZES:
            raise ParameterError(f"losses must be one of {', '.join(LOSSES)} and size of {', '.join(SIZES)}.")
        if self.variant == "paper" and {"near", "keep"} & set(RECIPES[self.losses].shares):
            raise ParameterError(f"The losses {self.losses} compare words place by place: choose --variant editor.")

    def shape(self, corpus: A4ntCorpus) -> TranslatorShape:
        """Return the translator's sizes; with more than two classes one decoder is told whom to imitate, if anybody."""
        classes, neutral = len(corpus.classes), RECIPES[self.losses].hides
        (embedding, hidden), *_ = SIZES[self.size]
        told = classes > 2 and not neutral
        return TranslatorShape(len(corpus.vocabulary), classes, self.variant, told, embedding, hidden, neutral)

    def settings(self, stage: int) -> A4ntSettings:
        """Return how to train in a stage, by its number."""
        minutes = math.inf if self.minutes is None else self.minutes
        steps = [max(1, self.steps // 2)] * 2 + [self.steps] * 2
        opponent, language, restoring, game = (
            Limit(minutes=minutes * share, steps=count) for share, count in zip(_SHARES, steps, strict=True)
        )
        rate = SIZES[self.size][3]
        return A4ntSettings(
            opponent=opponent,
            language=language,
            restoring=restoring,
            game=game,
            batch_size=self.batch,
            learning_rate=rate,
            restoring_rate=5 * rate,
            look_every=max(1, steps[stage] // _LOOKS),
            seed=self.seed + stage,
        )


@dataclass
class Networks:
    """All networks of a run; the judge is the classifier as it was before the game."""

    translator: Translator
    opponent: Opponent
    language: WordModel
    judge: Opponent
    panel: JudgePanel | None

    def parts(self) -> dict[str, nn.Module]:
        """Return the networks by name."""
        return {name: network for name, network in vars(self).items() if network is not None}


def train(
    corpus: A4ntCorpus, plan: A4ntPlan, folder: Path, *, device: torch.device, resume: bool, progress: Progress
) -> TranslatorFigures:
    """Train a translator, write it as a model folder, and return figures about it, on the text held out.

    To resume is to go on after the last finished stage in the folder, which must be of this corpus and plan; otherwise
    a model or checkpoint that is there is deleted.

    Raises:
        ResumeError: There is no checkpoint of this corpus and plan, or it is damaged.
    """
    begin(folder, resume=resume)
    (folder / CHECKPOINT).mkdir(mode=0o700, exist_ok=True)
    record = {"plan": asdict(plan), "fingerprint": corpus.fingerprint}
    networks = _networks(corpus, plan, device)
    done = _restore(folder / CHECKPOINT, networks, record) if resume else 0
    if not done:
        _keep(folder / CHECKPOINT, networks, record, 0)
    for stage in range(done, len(STAGES)):
        _run(stage, corpus, plan, networks, device, progress)
        _keep(folder / CHECKPOINT, networks, record, stage + 1)
    figures = _measured(corpus, plan, networks, device)
    _finish(folder, corpus, plan, networks, figures)
    return figures


def _networks(corpus: A4ntCorpus, plan: A4ntPlan, device: torch.device) -> Networks:
    sizes = {"words": len(corpus.vocabulary), "classes": len(corpus.classes)}
    _, judge, language, _ = SIZES[plan.size]
    with seeded(plan.seed):
        translator = make(plan.shape(corpus)).to(device)
        opponent = Opponent(**sizes, embedding=judge[0], hidden=judge[1]).to(device)
        model = WordModel(**sizes, embedding=language[0], hidden=language[1]).to(device)
        panel = JudgePanel(**sizes).to(device) if "judges" in RECIPES[plan.losses].shares else None
    return Networks(translator, opponent, model, copy.deepcopy(opponent), panel)


def _run(
    stage: int, corpus: A4ntCorpus, plan: A4ntPlan, networks: Networks, device: torch.device, progress: Progress
) -> None:
    """Run one stage."""
    settings = plan.settings(stage)
    limit = (settings.opponent, settings.language, settings.restoring, settings.game)[stage]

    def tell(name: str, numbers: dict[str, float]) -> None:
        if not all(math.isfinite(value) for value in numbers.values()):
            raise ParameterError("The loss became infinite; choose a smaller --size or a larger --batch.")
        part = max(numbers["step"] / limit.steps, numbers["seconds"] / (60 * limit.minutes))
        progress(name, min(1.0, part), numbers)

    learned = [_on(sample, device) for sample in corpus.learned]
    vectors = torch.from_numpy(corpus.vectors).to(device, torch.float32)
    with seeded(settings.seed):
        parts = (networks.translator, networks.opponent, networks.language, networks.panel)
        training = A4ntTraining(*parts, learned, vectors, settings, tell)
        if stage == 0:
            training.learn_opponent()
            networks.judge.load_state_dict(networks.opponent.state_dict())
        elif stage == 1:
            training.learn_language()
        elif stage == 2:
            training.learn_restoring()
        elif RECIPES[plan.losses].shares:
            training.play(RECIPES[plan.losses])


def _on(sample: ClassSample, device: torch.device) -> A4ntSentences:
    return A4ntSentences(sample.tokens, sample.lengths, device, sample.documents)


def _measured(corpus: A4ntCorpus, plan: A4ntPlan, networks: Networks, device: torch.device) -> TranslatorFigures:
    held_out = []
    for sample in corpus.watched:
        count = max(1, int((np.cumsum(sample.lengths) <= _MOST_TOKENS_WATCHED).sum()))
        tokens = sample.tokens[: int(sample.lengths[:count].sum())]
        held_out.append(_on(ClassSample(tokens, sample.lengths[:count], sample.documents[:count]), device))
    draw = WordDraw(torch.Generator(device).manual_seed(plan.seed))
    return measure(networks.translator, networks.judge, networks.language, held_out, draw).rounded()


def _finish(folder: Path, corpus: A4ntCorpus, plan: A4ntPlan, networks: Networks, figures: TranslatorFigures) -> None:
    """Write the model beside the checkpoint, check that it can be read, then put it in its place."""
    made = folder / CHECKPOINT / FINISHED
    name = folder.resolve().name
    chosen = {key: value for key, value in asdict(plan).items() if key not in ("text", "attribute", "author")}
    facts = {
        "name": name,
        "variant": plan.variant,
        "recipe": plan.losses,
        "classes": list(corpus.classes),
        models.TRAINED_ON: models.USER_TEXT,
        "training": {**chosen, "differential_privacy": False},
        "held_out": figures.to_json(),
    }
    store.save(made, networks.translator, networks.judge, corpus.vocabulary, facts)
    (_, _), (judge_embedding, judge_hidden), *_ = SIZES[plan.size]
    values = {
        **asdict(plan.shape(corpus)),
        **asdict(plan),
        "words": len(corpus.vocabulary),
        "judge_embedding": judge_embedding,
        "judge_hidden": judge_hidden,
        "sharers": "documents" if plan.author is None else "authors",
        "documents": corpus.documents,
        "sentences": corpus.sentences,
        "coverage": corpus.coverage,
        "and_names": " and names" if plan.names else "",
    }
    del values["classes"]
    (made / models.CARD).write_text(store.card(name, corpus.classes, values, figures.to_json()), "utf-8")
    models.seal(made)
    A4ntReader.open(made)
    publish(folder)


# Checkpoints: the weights of all networks after a stage, written whole or not at all.


def _keep(folder: Path, networks: Networks, record: Mapping[str, Any], stages: int) -> None:
    weights = {
        f"{part}/{name}": array
        for part, network in networks.parts().items()
        for name, array in arrays_of(network).items()
    }
    save_checkpoint(folder, f"after-{stages}.safetensors", weights, {**record, "stages": stages})


def remembered(folder: Path) -> dict[str, Any]:
    """Return the plan and the fingerprint of the text of an interrupted run.

    Raises:
        ResumeError: There is none that this version can read.
    """
    return read_state(folder / CHECKPOINT, _usable)


def _usable(state: dict[str, Any]) -> bool:
    A4ntPlan(**state["plan"])
    return isinstance(state["stages"], int) and all(isinstance(state[key], str) for key in ("fingerprint", "digest"))


def _restore(folder: Path, networks: Networks, record: Mapping[str, Any]) -> int:
    """Fill the networks from a checkpoint; return how many stages are done."""
    state = remembered(folder.parent)
    if any(state[name] != record[name] for name in record):
        raise ResumeError("The texts or options are not those this run began with; train anew with --force.")
    groups = read_arrays(folder, state)
    try:
        for part, network in networks.parts().items():
            fill(network, groups[part])
    except (RuntimeError, KeyError) as error:
        raise ResumeError(f"The checkpoint in {folder} is damaged; train anew with --force.") from error
    return int(state["stages"])
