"""What can be evaluated: a method of ours, any program that rewrites texts, or texts that were rewritten elsewhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from allonym.anonymizers.base import REPEATABLE, Anonymizer
from allonym.errors import InputError
from allonym.evaluation.sample import Sample
from allonym.jobs.command import Command
from allonym.jobs.execute import plain_parameter
from allonym.metrics.base import ReleasedPart
from allonym.privacy import Guarantee, accounting
from allonym.randomness import insecure

Releasing = Callable[[Sequence[int]], ReleasedPart]  # of places in the sample; each call is a release of its own

_UNKNOWN = "what the program promises is not known here"
_ELSEWHERE = "the texts were rewritten elsewhere, and what was promised for them is not known here"


class Candidate(ABC):
    """Base of all that can be evaluated.

    Attributes:
        setting: What sets it apart from others of the same method.
        is_a_baseline: Whether nobody should be advised to use it.
        draws: Whether a second release may differ from the first.
    """

    setting: str
    is_a_baseline: bool = False
    draws: bool = True

    @property
    @abstractmethod
    def method(self) -> str:
        """What it is called; points of the same method make one curve."""

    @abstractmethod
    def releasing(self, sample: Sample, seed: int | None) -> Releasing:
        """Return what releases documents of the sample; with a seed, repeatably."""

    @abstractmethod
    def guarantee(self, documents: int, seed: int | None) -> Guarantee:
        """Return what is promised about so many documents of one author."""

    def before_drawing(self, texts: Sequence[str]) -> list[str] | None:
        """Return what is computed of known texts before anything is drawn, where an attacker can compute it, too."""
        return None

    def parameters(self) -> dict[str, object]:
        """Return the parameters, as plain values."""
        return {}

    def __str__(self) -> str:
        return f"{self.method}, {self.setting}" if self.setting else self.method


@dataclass(frozen=True, eq=False)
class Method(Candidate):
    """A method of ours.

    Attributes:
        anonymizer: With its parameters.
        setting: What sets it apart from others of the same method.
    """

    anonymizer: Anonymizer
    setting: str = ""

    @property
    def method(self) -> str:
        """The method's name."""
        return self.anonymizer.method

    @property
    def is_a_baseline(self) -> bool:  # type: ignore[override] # it follows from the anonymizer
        """Whether this is an end of every comparison."""
        return self.anonymizer.is_a_baseline

    @property
    def draws(self) -> bool:  # type: ignore[override] # it follows from the anonymizer
        """Whether a second release may differ from the first."""
        return self.anonymizer.draws

    def releasing(self, sample: Sample, seed: int | None) -> Releasing:
        """Draw fresh noise for each release; those of one seed come from one stream, which never repeats itself."""
        rng = None if seed is None else insecure(seed)

        def release(places: Sequence[int]) -> ReleasedPart:
            drawn = self.anonymizer.release([sample.texts[row] for row in places], rng=rng)
            return ReleasedPart(drawn.payload, drawn.texts())

        return release

    def guarantee(self, documents: int, seed: int | None) -> Guarantee:
        """Return what the anonymizer promises; a repeatable run promises nothing."""
        promised = self.anonymizer.guarantee(documents).releasing("the number and order of the documents")
        return promised if seed is None else promised.withdrawn(REPEATABLE)

    def before_drawing(self, texts: Sequence[str]) -> list[str] | None:
        """Return what the anonymizer computes before it draws."""
        return self.anonymizer.before_drawing(texts)

    def parameters(self) -> dict[str, object]:
        """Return the anonymizer's parameters."""
        return {name: plain_parameter(value) for name, value in self.anonymizer.get_params().items()}


@dataclass(frozen=True, eq=False)
class Program(Candidate):
    """Any program that reads documents, one a line, and writes what becomes of each, one a line.

    Attributes:
        command: Runs it.
        name: What to call it.
        setting: What sets it apart from other runs of the same program.
    """

    command: Command
    name: str
    setting: str = ""

    @property
    def method(self) -> str:
        """What it is called."""
        return self.name

    def releasing(self, sample: Sample, seed: int | None) -> Releasing:
        """Run the program once for each release. It is told no seed: a repeatable run is its own affair."""

        def release(places: Sequence[int]) -> ReleasedPart:
            answers = self.command([sample.texts[row] for row in places])
            if len(answers) != len(places):
                raise InputError(
                    f"The command wrote {len(answers):,} lines for {len(places):,} documents; it must write one each."
                )
            return ReleasedPart.of_texts(answers)

        return release

    def guarantee(self, documents: int, seed: int | None) -> Guarantee:
        """Return that nothing is known to be promised."""
        return accounting.nothing(reasons=(_UNKNOWN,), documents=documents)


@dataclass(frozen=True, eq=False)
class Column(Candidate):
    """Texts that were rewritten elsewhere: a column of the table.

    Attributes:
        column: Its name.
    """

    column: str
    setting: str = ""
    draws = False

    @property
    def method(self) -> str:
        """What it is called."""
        return f"column {self.column}"

    def releasing(self, sample: Sample, seed: int | None) -> Releasing:
        """Return the texts of the column, the same at every call."""
        texts = sample.released[self.column]
        return lambda places: ReleasedPart.of_texts([texts[row] for row in places])

    def guarantee(self, documents: int, seed: int | None) -> Guarantee:
        """Return that nothing is known to be promised."""
        return accounting.nothing(reasons=(_ELSEWHERE,), documents=documents)
