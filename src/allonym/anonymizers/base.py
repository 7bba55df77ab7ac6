"""What every anonymizer is: a scikit-learn transformer whose output comes with its guarantee.

Nobody asks for an anonymizer's class or name. What the command line, the page, the evaluation and the audit need to
know beyond its parameters, it says of itself, in the second half of `Anonymizer`; most methods need none of it.
"""

from __future__ import annotations

import inspect
import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, get_args, get_origin, get_type_hints

import numpy as np

from allonym.anonymizers.auditing import Auditing
from allonym.anonymizers.estimator import Estimator
from allonym.anonymizers.offers import Offer, Slider
from allonym.anonymizers.release import Release
from allonym.anonymizers.settings import settings_digest
from allonym.errors import MissingDependencyError, ParameterError
from allonym.language.words import checked_texts, digest
from allonym.language.words import words as split_words
from allonym.privacy import Guarantee
from allonym.privacy.guarantee import Drawn
from allonym.randomness import DocumentStreams, Noise, secure

Kind = Literal["vectors", "texts"]

MOST_WORDS = 10_000_000

REPEATABLE = "reproducible run: no privacy, because whoever knows the seed can undo the noise"


class Anonymizer(Estimator):
    """Base of all anonymizers.

    A subclass is a dataclass whose fields are its parameters. It checks them in `_check` (choices are checked here),
    draws in `_anonymize` and states its promise in `guarantee`.
    Privacy: each call of `transform` or `release` spends the guarantee once more, with fresh noise.
    """

    method: ClassVar[str]
    kind: ClassVar[Kind] = "texts"
    # Whether `fit` learns a vocabulary; and the parameters with which it learns from labels, with their value (None for
    # any value).
    learns_a_vocabulary: ClassVar[bool] = False
    learns_from_labels: ClassVar[Mapping[str, object]] = {}
    draws_its_length: ClassVar[bool] = False
    drawn: ClassVar[Drawn] = "word"  # what one draw gives
    draws: ClassVar[bool] = True  # else equal texts always become equal texts
    is_a_baseline: ClassVar[bool] = False  # an end of every comparison, which nobody should be advised to use
    replaces_words: ClassVar[bool] = False  # one by one, so that a share of them may stay: see `epsilon_for_unchanged`
    # The values of a parameter that the page's slider goes through, from the most protection to the most of the text.
    slider: ClassVar[Mapping[str, Sequence[Any]]] = {}
    suits: ClassVar[Sequence[str]] = ()  # what the page leads with it for: "letter", "table"
    mechanism_: Any = None  # what draws each word, if something does

    writes_versions: ClassVar[bool] = False  # whether people may ask it for other versions of a sentence

    def __post_init__(self) -> None:
        self._check()

    @abstractmethod
    def guarantee(self, documents: int = 1) -> Guarantee:
        """Return what is promised about `documents` documents of one author."""

    @abstractmethod
    def _anonymize(self, texts: Sequence[str], streams: DocumentStreams) -> Any:  # noqa: ANN401
        """Return the payload; document i may use row i of `streams` and no other randomness."""

    def _check(self) -> None:
        """Raise `ParameterError` unless every parameter can be used, and forget what was made for other ones."""
        for name in cached_names(type(self)):
            self.__dict__.pop(name, None)
        for name, choices in _choices(type(self).__init__).items():
            if (value := getattr(self, name)) not in choices:
                *others, last = filter(None, choices)
                raise ParameterError(f"{name} must be {', '.join(others)} or {last}, got {value!r}.")

    def audited(self) -> Auditing:
        """Return what an audit must know of this method; by default that it has nothing to say."""
        return Auditing(self)

    def fit(self, texts: Sequence[str], y: Sequence[object] | None = None) -> Self:
        """Learn nothing: this anonymizer is ready as constructed."""
        return self

    def fit_transform(self, texts: Sequence[str], y: object = None) -> Any:  # noqa: ANN401
        """Transform without learning from `texts`: they are what is to be protected."""
        return self.transform(texts)

    def transform(self, texts: Sequence[str]) -> Any:  # noqa: ANN401
        """Return the protected form of each document."""
        return self.release(texts).payload

    def release(self, texts: Sequence[str], *, rng: Noise | None = None, start: int = 0) -> Release:
        """Return the protected form of each document, with what is promised for each.

        Args:
            texts: The documents.
            rng: Where noise comes from; by default a stream under a fresh secret key. Each call under one stream draws
                fresh noise; the batches of one job take theirs from `rng.one_release()`.
            start: Position of the first document, so that a long job can be cut into batches.

        Raises:
            MissingDependencyError: The method needs a package that is not installed; see `missing`.
        """
        documents = checked_texts(texts)
        if lack := self.missing():
            raise MissingDependencyError(lack)
        rng = secure() if rng is None else rng
        streams = rng.documents([digest(text) for text in documents], start, self.settings_digest())
        guarantee = self.guarantee()  # before any random bit: a promise that cannot be made draws nothing
        payload = self._anonymize(documents, streams)
        return Release(payload, guarantee.withdrawn(REPEATABLE) if rng.repeatable else guarantee, self.terms)

    @property
    def terms(self) -> list[str]:
        """What the columns of released vectors stand for; nothing for texts."""
        return list(self.get_feature_names_out()) if self.kind == "vectors" else []

    if TYPE_CHECKING:  # of anonymizers that release vectors; the others have no such method, as scikit-learn expects

        def get_feature_names_out(self, input_features: object = None) -> Any:  # noqa: ANN401
            """Return the terms."""

    def settings_digest(self) -> bytes:
        """Return a digest of the method, its parameters and the terms it has learned, by which noise is keyed."""
        return settings_digest(self.method, self.get_params(deep=False), self.terms)

    def set_params(self, **params: Any) -> Self:  # noqa: ANN401 - scikit-learn's signature
        """Set parameters and check them as the constructor does."""
        super().set_params(**params)
        self._check()
        return self

    def missing(self) -> str:
        """Say what to install before this method can be used; nothing if all is there."""
        return ""

    def offers(self) -> tuple[Offer, ...]:
        """Return how people are offered this method on the page; asked of its `EXAMPLE`, whose parameters it takes."""
        defaults = inspect.signature(type(self)).parameters
        chosen = {
            name: value
            for name, value in self.get_params(deep=False).items()
            if isinstance(value, str | int | float) and value != defaults[name].default
        }
        positions = [chosen | {name: value} for name, values in self.slider.items() for value in values] or [chosen]
        gives = (inspect.getdoc(type(self)) or "").partition("\n")[0].rstrip(".")
        title = self.method.replace("-", " ").capitalize()

        def sliders() -> list[Slider]:
            if lack := self.missing():
                raise MissingDependencyError(lack)
            return [Slider(positions)]

        return (Offer(self.method, title, gives, sliders, self.guarantee().formal, self.suits),)

    def offers_from(self, book: str) -> tuple[Offer, ...]:
        """Return how people are offered this method with sentences of a book of their own."""
        return ()

    def versions(self, sentence: str) -> list[str]:
        """Return other versions of a sentence for somebody to choose from, where `writes_versions`.

        Raises:
            MissingDependencyError: Something must be installed for it.
        """
        return []

    def before_drawing(self, texts: Sequence[str]) -> list[str] | None:
        """Return what is computed of each text before anything is drawn, written as a text; None if that is the text.

        It is never released, but whoever has the program can compute it of any text he knows: attackers learn from it.
        """
        return None

    def words_at_most(self, text: str) -> int:
        """Return how many words are drawn for a text at most, where their number follows it; quickly."""
        return len(split_words(text))

    def words_drawn(self, text: str) -> int:
        """Return how many words are drawn for a text, where their number follows it."""
        return self.words_at_most(text)

    def further_figures(self) -> dict[str, Any]:
        """Return what else describes this configuration: records by name, each a sentence as `str`."""
        return {}

    def between(self, first: str, second: str) -> Any:  # noqa: ANN401 - see `allonym.anonymizers.words.substitution`
        """Return the distances and losses that apply between two given documents."""
        reason = "is the same between any two documents, so comparing two tells nothing more"
        raise ParameterError(f"The loss of the method {self.method} {reason}; leave it out.")

    def epsilon_for_unchanged(self, share: float) -> float:
        """Return the ε at which this share of words stays as it is."""
        raise ParameterError(f"The method {self.method} does not replace words one by one; choose its ε yourself.")

    @classmethod
    def learns_labels(cls, given: Mapping[str, Any]) -> bool:
        """Tell whether with these parameters `fit` learns from labels."""
        wanted = cls.learns_from_labels.items()
        return any(given.get(name) is not None and value in (None, given[name]) for name, value in wanted)

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.non_deterministic = True
        tags.requires_fit = False
        return tags


def cached_names(kind: type[Any]) -> list[str]:
    """Return the names of what a class makes once and keeps."""
    return [name for part in kind.__mro__ for name, value in vars(part).items() if isinstance(value, cached_property)]


@cache
def _choices(constructor: Callable[..., None]) -> dict[str, tuple[str | None, ...]]:
    """Return the values that parameters may have which are choices."""
    hints = get_type_hints(constructor)
    types = {name: (hint, *get_args(hint)) for name, hint in hints.items()}
    return {
        name: (*get_args(part), *([None] if type(None) in parts else []))
        for name, parts in types.items()
        for part in parts
        if get_origin(part) is Literal
    }


def check_words(words: int) -> None:
    """Raise `ParameterError` unless this can be a number of output words."""
    check_whole("words", words, MOST_WORDS)


def check_whole(name: str, value: object, most: int) -> None:
    """Raise `ParameterError` unless this is a whole number from 1 to `most`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 1 <= value <= most:
        raise ParameterError(f"{name} must be a whole number from 1 to {most:,}, got {value}.")


def check_positive(name: str, value: object) -> None:
    """Raise `ParameterError` unless this is a positive number."""
    if not (isinstance(value, int | float | np.number) and 0 < value < math.inf):
        raise ParameterError(f"{name} must be a positive number, got {value}.")
