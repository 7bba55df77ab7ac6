"""What is compared: our methods over their settings, and rivals by the commands that run them.

Papers that compare the same thing take it from here: its name is the name of its row.
"""

from __future__ import annotations

import inspect
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from allonym import anonymizers
from allonym.attackers.base import Attacker
from allonym.errors import InputError
from allonym.evaluation.candidates import Candidate, Method, Program
from allonym.jobs.command import Command
from allonym.jobs.execute import plain_parameter

_SLOWEST = 6 * 3600.0  # seconds that a rival may take for one release
_NEUTRAL = {"mechanism": "subset", "style": "neutral", "words": 14, "candidates": 3, "loss_per_word": 11.4}
_CANDIDATES = 5  # as in the paper


class Compared(ABC):
    """Base of what is compared.

    Attributes:
        title: What its curve is called.
        setting: What its point is called.
    """

    title: str
    setting: str

    @property
    def name(self) -> str:
        """What the row is called."""
        return f"{self.title}, {self.setting}" if self.setting else self.title

    @abstractmethod
    def made(self) -> Candidate:
        """Return the configuration."""

    def made_with(self, parameters: Mapping[str, object]) -> bool:
        """Tell whether parameters that a row keeps are this configuration's; a program of others has none."""
        return True

    def timed(self, made: Candidate) -> Candidate:
        """Return whose speed is stated: the configuration's own, unless it only looks up what was made ahead."""
        return made

    def attackers(self) -> list[Attacker]:
        """Return attackers beside those of every row: who know what only this configuration makes public."""
        return []


@dataclass(frozen=True)
class Setting(Compared):
    """A configuration of ours.

    Attributes:
        method: The method's name.
        title: What its curve is called.
        setting: What its point is called.
        parameters: Of the anonymizer.
    """

    method: str
    title: str
    setting: str
    parameters: Mapping[str, Any]

    def made(self) -> Candidate:
        """Return the configuration."""
        return Method(anonymizers.find(self.method)(**self.parameters), self.setting)

    def made_with(self, parameters: Mapping[str, object]) -> bool:
        """Tell whether parameters that a row keeps are this configuration's.

        An option younger than the row had its default then: its method had no other way.
        """
        now = self.made().parameters()
        defaults = inspect.signature(anonymizers.find(self.method)).parameters
        younger = {name: plain_parameter(defaults[name].default) for name in now.keys() - parameters.keys()}
        return now == {**parameters, **younger}


@dataclass(frozen=True)
class Rival(Compared):
    """A program of others, run by its command.

    Attributes:
        title: What its curve is called.
        setting: What its point is called.
        command: Its command line.
        works: The command line of the program itself, where `command` looks its answers up; else empty.
    """

    title: str
    setting: str
    command: str
    works: str = ""

    def made(self) -> Candidate:
        """Return the configuration."""
        return self._run(self.command)

    def timed(self, made: Candidate) -> Candidate:
        """Return the program itself."""
        return self._run(self.works) if self.works else made

    def _run(self, command: str) -> Candidate:
        return Program(Command(command, timeout=_SLOWEST), self.title, self.setting)


def plain_clauses(clauses: int) -> Setting:
    """Return ER-AE that writes so many short clauses, in a style of nobody's."""
    name = "1 clause" if clauses == 1 else f"{clauses} clauses"
    return Setting("erae", "ER-AE, plain clauses (ours)", name, _NEUTRAL | {"sentences": clauses})


def public_groups(loss: float, candidates: int = _CANDIDATES) -> Setting:
    """Return ER-AE that draws from public groups of words at a loss of a word; lengths are copied."""
    name = f"loss {loss:g} a word" + ("" if candidates == _CANDIDATES else f", {candidates} candidates")
    parameters = {"mechanism": "subset", "length": "public", "loss_per_word": loss, "candidates": candidates}
    return Setting("erae", "ER-AE, public groups (ours)", name, parameters)


def favourites(loss: float) -> Setting:
    """Return ER-AE that draws from the network's favourites, as its paper does, by our law; lengths are copied."""
    parameters = {"mechanism": "subset", "candidate_sets": "favourites", "length": "public", "loss_per_word": loss}
    return Setting("erae", "ER-AE, favourites (ours)", f"loss {loss:g} a word", parameters)


def two_set(epsilon: float) -> Setting:
    """Return ER-AE with the mechanism of its paper; lengths are copied."""
    return Setting("erae", "ER-AE, two-set (the paper's)", f"ε = {epsilon:g}", {"epsilon": epsilon, "length": "public"})


def word_substitution(epsilon: float) -> Setting:
    """Return the exponential mechanism over words, in the order of the text."""
    parameters = {"epsilon": epsilon, "order": "text"}
    return Setting("exponential", "word substitution (ours)", f"ε = {epsilon:g}", parameters)


def laplace_noise(epsilon: float) -> Setting:
    """Return Laplace noise on word vectors, in the order of the text."""
    parameters = {"epsilon": epsilon, "order": "text"}
    return Setting("laplace", "Laplace noise on words", f"ε = {epsilon:g}", parameters)


def syntf(loss: float) -> Setting:
    """Return SynTF at a loss of a word."""
    return Setting("syntf", "SynTF", f"loss {loss:g} a word", {"loss_per_word": loss})


def syntf_by_epsilon(epsilon: float) -> Setting:
    """Return SynTF with the ε of its paper; what it loses is less."""
    return Setting("syntf", "SynTF", f"ε = {epsilon:g}", {"epsilon": epsilon})


def style_translation(model: str, target: str, name: str) -> Setting:
    """Return A4NT with a shipped model, which finds out itself who is no such writer already."""
    return Setting("a4nt", "A4NT (no proof)", name, {"model": model, "target": target})


def commonplace(book: str, sentences: int, *, loss: float = 13.3, candidates: int = 3) -> Setting:
    """Return sentences of a book, whose folder is named as it lies: a book is no part of the package."""
    name = f"{sentences} sentences of {Path(book).name}"
    parameters = {"book": book, "sentences": sentences, "candidates": candidates, "loss_per_sentence": loss}
    return Setting("commonplace", "Commonplace (ours)", name, parameters)


ROUND_TRIP = Setting("round-trip", "round trip (no proof)", "", {})
PLAIN_GHOSTWRITER = Setting("ghostwriter", "Ghostwriter, plain (no proof)", "", {})
AS_AN_ADULT = style_translation("age", "adult", "as an adult")
OURS = (
    *map(plain_clauses, (3, 1, 8)),
    *map(public_groups, (11.4, 8.0)),
    two_set(3.0),
    *map(word_substitution, (6.0, 8.0)),
    *map(laplace_noise, (40.0, 50.0)),
    syntf_by_epsilon(47.5),
    syntf(10.0),
    ROUND_TRIP,
    PLAIN_GHOSTWRITER,
    AS_AN_ADULT,
)
PLAIN_CLAUSES = OURS[:1]
# By the name of the texts; measured where the folder of the book lies: see tools/prepare_books.py.
BOOKS = {
    "imdb62-10": (commonplace("books/reviews", 6),),
    "newsgroups20-10": (commonplace("books/posts", 6),),
}


def read_rivals(path: Path | None) -> list[Rival]:
    """Read the rivals' commands: a JSON list of objects with title, setting and command, and works where it is another.

    Raises:
        InputError: The file holds something else.
    """
    if path is None:
        return []
    try:
        return [
            Rival(str(each["title"]), str(each["setting"]), str(each["command"]), str(each.get("works", "")))
            for each in _read(path)
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} lists no rivals; make it with tools/rivals/make_environments.py.") from error


def _read(path: Path) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))
    return content
