"""The A4NT models to be evaluated, and the ways in which they rewrite sentences.

- *likeliest*: of every sentence, the words that the network rates highest.
- *drawn*: of every sentence, words drawn from the network's law, as in its training.
- a preference, as *balanced*: as the method is shipped. Sentences that a classifier gives to the target already are
  left alone; of several translations of each other, drawn with a liking for words that mean alike, one is chosen.

The paper does not say which of the first two its tables are made of. Its own network, sequence to sequence, is read at
its likeliest, as is usual; our editor is drawn from, since at its likeliest it keeps nearly every word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from allonym import disk, models
from allonym.anonymizers.a4nt import A4NT
from allonym.anonymizers.a4nt.recipe import AUTO, LIKELIEST, uniforms
from allonym.anonymizers.a4nt.styles import SHIPPED
from allonym.errors import AllonymError
from allonym.language import masked_sentences
from allonym.language.sequences import END, SPECIAL, UNKNOWN
from allonym.networks.a4nt.inference import BALANCE, FURTHER_WORDS, KIND, NEUTRAL, A4ntReader
from allonym.papers.a4nt.documents import CLASSES, SIX, DocumentPart
from allonym.papers.a4nt.stored import ListedModel
from allonym.randomness import insecure

SEED: Final = 2018
Prefer = Literal["meaning", "balanced", "privacy"]

# Where a class is sent. Of three age groups, the nearest one on the other side of twenty; or the other gender; or both.
_OTHER_GENDER: Final = {"female": "male", "male": "female"}
_OTHER_AGE: Final = {"10s": "20s", "20s": "10s", "30s": "10s"}


@dataclass(frozen=True)
class EvaluatedModel:
    """A trained model."""

    name: str  # its folder's, or its name among the shipped ones
    folder: Path
    trained_for: str  # the setting: "blog-age" and so on
    variant: str  # "paper", "editor" or "transformer"
    recipe: str  # the losses it was trained with, as "CycML+Lang"
    neutral: bool  # whether it imitates nobody
    balance: float  # what similarity weighs beside log-odds where the method chooses
    weights: str  # digest of its weights: the same weights are evaluated once
    size_bytes: int  # of all its files

    def listed(self) -> ListedModel:
        """Return what is stored of it: everything; of the folder, its name."""
        return ListedModel(**{**vars(self), "folder": self.folder.name})


def found(folder: Path | None) -> tuple[list[EvaluatedModel], list[str]]:
    """Return the models in a folder of model folders and the shipped ones, and what is wrong with others."""
    places = [models.find(name) for name in models.shipped() if name.startswith(SHIPPED)]
    if folder is not None:
        places += sorted(path.parent for path in folder.glob(f"*/{models.CONFIG}"))
    by_weights: dict[str, EvaluatedModel] = {}
    problems = []
    for path in places:
        try:
            model = _model(path)
        except AllonymError as error:
            problems.append(f"{path.name}: {error}")
            continue
        by_weights.setdefault(model.weights, model)
    return list(by_weights.values()), problems


def _model(folder: Path) -> EvaluatedModel:
    opened = models.verify(folder)
    names = sorted(str(name) for name in opened.config.get("classes", ()))
    setting = next((setting for setting, classes in CLASSES.items() if sorted(classes) == names), None)
    if opened.config.get("kind") != KIND or setting is None:
        raise AllonymError("it is no A4NT model of one of the settings: leave it out.")
    return EvaluatedModel(
        name=folder.name,
        folder=folder,
        trained_for=setting,
        variant=str(opened.config["shape"]["variant"]),
        recipe=str(opened.config.get("recipe", "unknown")),
        neutral=bool(opened.config["shape"].get("neutral", False)),
        balance=float(opened.config.get("balance", BALANCE)),
        weights=disk.digest(folder / models.WEIGHTS)[:16],
        size_bytes=opened.size_bytes,
    )


def targets(model: EvaluatedModel, setting: str) -> dict[str, str]:
    """Return to which class each class of the model is sent in order to hide what the setting is about."""
    classes = CLASSES[model.trained_for]
    if model.neutral:
        return dict.fromkeys(classes, NEUTRAL)
    if model.trained_for != SIX:
        return {classes[0]: classes[1], classes[1]: classes[0]}
    sent = {}
    for name in classes:
        age, gender = name.split("-")
        new_age = age if setting == "blog-gender" else _OTHER_AGE[age]
        new_gender = gender if setting == "blog-age" else _OTHER_GENDER[gender]
        sent[name] = f"{new_age}-{new_gender}"
    return sent


def every_sentence(model: EvaluatedModel, part: DocumentPart, setting: str, *, draws: int = 0) -> list[list[str]]:
    """Return translations of every sentence: the likeliest one, or some drawn from the network's law."""
    reader = _reader(model.folder)
    ids = [reader.vocabulary.ids(piece.tokens) for piece in part.pieces]
    sources = part.sentence_classes(model.trained_for)
    longest = max(map(len, ids)) + FURTHER_WORDS
    translated: list[list[str]] = [[] for _ in ids]
    for source, target in targets(model, setting).items():
        rows = [row for row, writer in enumerate(sources) if writer == source]
        number = reader.classes.index(source)
        aim = 0 if model.neutral else reader.classes.index(target)
        numbers = _numbers(len(rows), draws, longest, number)
        drawn = reader.drawn([ids[row] for row in rows], [number] * len(rows), aim, numbers) if rows else []
        for row, samples in zip(rows, drawn, strict=True):
            translated[row] = [_written(reader, part, row, ids[row], sample) for sample in samples]
    return translated


def chosen(model: EvaluatedModel, part: DocumentPart, setting: str, prefer: Prefer) -> list[str]:
    """Return what `allonym.A4NT` makes of each sentence, told its true class."""
    sources = part.sentence_classes(model.trained_for)
    rewritten = [""] * len(sources)
    for source, target in targets(model, setting).items():
        rows = [row for row, writer in enumerate(sources) if writer == source]
        method = _method(model.folder, target, AUTO if model.neutral else source, prefer, part.labelled)
        released = method.release([part.inputs[row] for row in rows], rng=insecure(SEED)).payload
        for row, text in zip(rows, released, strict=True):
            rewritten[row] = text
    return rewritten


def by_hand(model: EvaluatedModel, sentences: Sequence[str], source: str, prefer: Prefer) -> list[str]:
    """Return what becomes of sentences of no corpus."""
    target = targets(model, model.trained_for)[source]
    method = _method(model.folder, target, AUTO if model.neutral else source, prefer, placeholders=False)
    rewritten: list[str] = method.release(list(sentences), rng=insecure(SEED)).payload
    return rewritten


def _numbers(rows: int, draws: int, longest: int, source: int) -> NDArray[np.float64]:
    """Return what words are drawn with, sentences × draws × places; without draws, what asks for the likeliest."""
    if not draws:
        return np.full((rows, 1, longest), LIKELIEST)
    return uniforms(insecure(SEED + source).words((rows, draws, longest)))


def _written(reader: A4ntReader, part: DocumentPart, row: int, original: Sequence[int], sample: Sequence[int]) -> str:
    """Write a translation as the attackers read it; the editor leaves unknown words in their places."""
    piece = part.pieces[row]
    if reader.shape.in_place:
        sample = [UNKNOWN if old == UNKNOWN else new for old, new in zip(original, sample, strict=True)]
    unknown = iter([token for token, number in zip(piece.tokens, original, strict=True) if number == UNKNOWN])
    words = [word for word in sample if word != END] or original
    forms = [next(unknown, "") if word == UNKNOWN else reader.vocabulary.forms[word] for word in words]
    tokens = [form for form in forms if form and form not in SPECIAL]
    originals: Mapping[str, Sequence[str]] = {} if part.labelled else piece.originals
    return masked_sentences.write(tokens, originals, placeholders=part.labelled)


@lru_cache(8)
def _method(folder: Path, target: str, source: str, prefer: Prefer, placeholders: bool) -> A4NT:
    return A4NT(model=str(folder), target=target, source=source, prefer=prefer, placeholders=placeholders)


@lru_cache(2)
def _reader(folder: Path) -> A4ntReader:
    return A4ntReader.open(folder)
