"""What every anonymizer is: a scikit-learn transformer whose output comes with its guarantee."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from allonym.anonymizers.estimator import Estimator
from allonym.anonymizers.settings import settings_digest
from allonym.errors import ParameterError
from allonym.language.words import checked_texts, digest
from allonym.privacy import Guarantee
from allonym.randomness import DocumentStreams, Noise, secure

Kind = Literal["vectors", "texts"]

MOST_WORDS = 10_000_000

REPEATABLE = "reproducible run: no privacy, because whoever knows the seed can undo the noise"


@dataclass(frozen=True)
class Release:
    """What may leave the house: a payload and what is promised about it."""

    payload: Any
    guarantee: Guarantee


class Anonymizer(Estimator):
    """Base of all anonymizers.

    A subclass checks its parameters in `_check`, draws in `_anonymize` and states its promise in `guarantee`.
    Privacy: each call of `transform` or `release` spends the guarantee once more, with fresh noise.
    """

    method: ClassVar[str]
    kind: ClassVar[Kind]
    learns_a_vocabulary: ClassVar[bool] = False
    draws_its_length: ClassVar[bool] = False

    @abstractmethod
    def guarantee(self, documents: int = 1) -> Guarantee:
        """Return what is promised about `documents` documents of one author."""

    @abstractmethod
    def _anonymize(self, texts: Sequence[str], streams: DocumentStreams) -> Any:  # noqa: ANN401
        """Return the payload; document i may use row i of `streams` and no other randomness."""

    @abstractmethod
    def _check(self) -> None:
        """Raise `ParameterError` unless every parameter can be used."""

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
        """
        documents = checked_texts(texts)
        rng = secure() if rng is None else rng
        streams = rng.documents([digest(text) for text in documents], start, self.settings_digest())
        guarantee = self.guarantee()  # before any random bit: a promise that cannot be made draws nothing
        payload = self._anonymize(documents, streams)
        return Release(payload, guarantee.withdrawn(REPEATABLE) if rng.repeatable else guarantee)

    if TYPE_CHECKING:  # of anonymizers that release vectors; the others have no such method, as scikit-learn expects

        def get_feature_names_out(self, input_features: object = None) -> Any:  # noqa: ANN401
            """Return the terms."""

    def settings_digest(self) -> bytes:
        """Return a digest of the method, its parameters and the terms it has learned, by which noise is keyed."""
        terms = list(self.get_feature_names_out()) if self.kind == "vectors" else []
        return settings_digest(self.method, self.get_params(deep=False), terms)

    def set_params(self, **params: Any) -> Self:  # noqa: ANN401 - scikit-learn's signature
        """Set parameters and check them as the constructor does."""
        super().set_params(**params)
        self._check()
        return self

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.non_deterministic = True
        tags.requires_fit = False
        return tags


def check_words(words: int) -> None:
    """Raise `ParameterError` unless this can be a number of output words."""
    if isinstance(words, bool) or not isinstance(words, int | np.integer) or not 1 <= words <= MOST_WORDS:
        raise ParameterError(f"words must be a whole number from 1 to {MOST_WORDS:,}, got {words}.")
