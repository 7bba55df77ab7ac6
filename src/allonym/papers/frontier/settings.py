"""What is compared: our methods over their settings, and rivals by the commands that run them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from allonym import anonymizers
from allonym.errors import InputError
from allonym.evaluation.candidates import Candidate, Method, Program
from allonym.jobs.command import Command

_SLOWEST = 6 * 3600.0  # seconds that a rival may take for one release
_NEUTRAL = {"mechanism": "subset", "style": "neutral", "words": 14, "candidates": 3, "loss_per_word": 11.4}
_GROUPS = {"mechanism": "subset", "length": "public"}


@dataclass(frozen=True)
class Setting:
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

    @property
    def name(self) -> str:
        """What the row is called."""
        return f"{self.title}, {self.setting}" if self.setting else self.title

    def made(self) -> Candidate:
        """Return the configuration."""
        return Method(anonymizers.find(self.method)(**self.parameters), self.setting)


@dataclass(frozen=True)
class Rival:
    """A program of others, run by its command.

    Attributes:
        title: What its curve is called.
        setting: What its point is called.
        command: Its command line.
    """

    title: str
    setting: str
    command: str

    @property
    def name(self) -> str:
        """What the row is called."""
        return f"{self.title}, {self.setting}" if self.setting else self.title

    def made(self) -> Candidate:
        """Return the configuration."""
        return Program(Command(self.command, timeout=_SLOWEST), self.title, self.setting)


OURS = (
    *(
        Setting("erae", "ER-AE, plain clauses (ours)", name, _NEUTRAL | {"sentences": clauses})
        for name, clauses in (("3 clauses", 3), ("1 clause", 1), ("8 clauses", 8))
    ),
    *(
        Setting("erae", "ER-AE, public groups (ours)", f"loss {loss:g} a word", _GROUPS | {"loss_per_word": loss})
        for loss in (11.4, 8.0)
    ),
    Setting("erae", "ER-AE, two-set (the paper's)", "ε = 3", {"epsilon": 3.0, "length": "public"}),
    *(
        Setting("exponential", "word substitution (ours)", f"ε = {epsilon:g}", {"epsilon": epsilon, "order": "text"})
        for epsilon in (6.0, 8.0)
    ),
    *(
        Setting("laplace", "Laplace noise on words", f"ε = {epsilon:g}", {"epsilon": epsilon, "order": "text"})
        for epsilon in (40.0, 50.0)
    ),
    Setting("syntf", "SynTF", "ε = 47.5", {"epsilon": 47.5}),
    Setting("syntf", "SynTF", "loss 10 a word", {"loss_per_word": 10.0}),
    Setting("round-trip", "round trip (no proof)", "", {}),
    Setting("a4nt", "A4NT (no proof)", "as an adult", {"model": "age", "target": "adult"}),
)
PLAIN_CLAUSES = OURS[:1]


def read_rivals(path: Path | None) -> list[Rival]:
    """Read the rivals' commands: a JSON list of objects with title, setting and command.

    Raises:
        InputError: The file holds something else.
    """
    if path is None:
        return []
    try:
        return [Rival(str(each["title"]), str(each["setting"]), str(each["command"])) for each in _read(path)]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} lists no rivals; make it with tools/rivals/make_environments.py.") from error


def _read(path: Path) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))
    return content
