"""A method whose output is gone through for names and the like: they become placeholders, or are marked for a person.

The output is searched, and the input beside it, since a rewrite may leave a name where nothing tells it for one.
A method that draws every word from a public list hands on no name, and is refused: reading its input here, outside the
noise, could only weaken what is proved.

Privacy: spends nothing and promises nothing. What was not found stays, and the guarantee says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from allonym import names
from allonym.anonymizers.base import Anonymizer
from allonym.anonymizers.release import Release
from allonym.errors import ParameterError
from allonym.privacy import Guarantee
from allonym.randomness import DocumentStreams, Noise

Handling = Literal["mark", "replace"]

NOT_FOUND = "names and the like that were not found"
_WRITE = {"mark": names.marked, "replace": names.replaced}


class WithNames(Anonymizer):
    """Another method, after which names and the like are replaced or marked.

    Args:
        inner: The method, one that hands on names.
        handling: "replace" writes a placeholder for each, "mark" leaves it and puts the placeholder before it.
        model: Whether spaCy's model looks beside the rules; by default if it is installed.
    """

    def __init__(self, *, inner: Anonymizer, handling: Handling = "replace", model: bool | None = None) -> None:
        self.inner = inner
        self.handling: Handling = handling
        self.model = names.model_is_there() if model is None else model
        self._check()

    def _check(self) -> None:
        super()._check()
        if not carries_names(self.inner):
            raise ParameterError(
                f"The method {self.inner.method} draws every word from a public list, so that no name of the input is "
                "handed on and there is nothing to look for; leave out --names."
            )
        vars(self).update(method=self.inner.method, draws=self.inner.draws)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters of the method inside, and what is done about names."""
        searched_by = "rules and a model" if self.model else "rules"
        return {**self.inner.get_params(deep), "names": self.handling, "names_found_by": searched_by}

    def missing(self) -> str:
        """Say what to install before the method inside can be used."""
        return self.inner.missing()

    def guarantee(self, documents: int = 1) -> Guarantee:
        """Return what the method inside promises, and that names may be left."""
        return self.inner.guarantee(documents).releasing(NOT_FOUND)

    def release(self, texts: Sequence[str], *, rng: Noise | None = None, start: int = 0) -> Release:
        """Return the released texts with their names replaced or marked."""
        done = self.inner.release(texts, rng=rng, start=start)
        return replace(done, payload=self._written(done.texts(), texts), guarantee=done.guarantee.releasing(NOT_FOUND))

    def _anonymize(self, texts: Sequence[str], streams: DocumentStreams) -> list[str]:
        return self._written(self.inner._anonymize(texts, streams), texts)

    def _written(self, rewritten: Sequence[str], texts: Sequence[str]) -> list[str]:
        write = _WRITE[self.handling]
        return [write(after, before, model=self.model) for after, before in zip(rewritten, texts, strict=True)]


def carries_names(anonymizer: Anonymizer) -> bool:
    """Tell whether a method hands on names and the like that it has never seen."""
    return anonymizer.kind == "texts" and anonymizer.guarantee().carries_names
