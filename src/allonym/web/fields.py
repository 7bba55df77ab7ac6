"""What a request may hold: each field says how it is checked and how it is described, so the two cannot differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from allonym.formats.base import storable

MOST_CHARACTERS = 1_000_000


class Invalid(Exception):  # noqa: N818 - an answer, not a fault
    """A request holds something it must not; the sentence never quotes it."""


class Field(Protocol):
    """One kind of value."""

    def check(self, value: object, name: str) -> Any:  # noqa: ANN401 - whatever the field holds
        """Return the value, or raise `Invalid`."""

    def schema(self) -> dict[str, Any]:
        """Return its JSON schema."""


@dataclass(frozen=True)
class TextField:
    """A text of limited length."""

    most: int = MOST_CHARACTERS
    least: int = 0

    def check(self, value: object, name: str) -> str:
        """Return the text, or raise `Invalid`."""
        if not isinstance(value, str):
            raise Invalid(f"{name} must be a text; send it in quotation marks.")
        if len(value) > self.most:
            raise Invalid(f"{name} has more than {self.most:,} characters; shorten it, or use the command line.")
        if len(value) < self.least:
            raise Invalid(f"{name} is empty; write something.")
        return storable(value)

    def schema(self) -> dict[str, Any]:
        """Return its JSON schema."""
        return {"type": "string", "maxLength": self.most, "minLength": self.least}


@dataclass(frozen=True)
class Whole:
    """A whole number within limits."""

    low: int
    high: int

    def check(self, value: object, name: str) -> int:
        """Return the number, or raise `Invalid`."""
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        if isinstance(value, bool) or not whole or not self.low <= value <= self.high:  # type: ignore[operator]
            raise Invalid(f"{name} must be a whole number from {self.low} to {self.high}; choose one.")
        return int(value)  # type: ignore[call-overload, no-any-return]

    def schema(self) -> dict[str, Any]:
        """Return its JSON schema."""
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True)
class ChoiceField:
    """One of a few words."""

    options: tuple[str, ...]

    def check(self, value: object, name: str) -> str:
        """Return the word, or raise `Invalid`."""
        if not isinstance(value, str) or value not in self.options:
            raise Invalid(f"{name} must be one of {', '.join(self.options)}; choose one.")
        return value

    def schema(self) -> dict[str, Any]:
        """Return its JSON schema."""
        return {"type": "string", "enum": list(self.options)}


@dataclass(frozen=True)
class OfferedField:
    """One of a few words that are known only when they are asked for."""

    options: Callable[[], Sequence[str]]

    def check(self, value: object, name: str) -> str:
        """Return the word, or raise `Invalid`."""
        return self._choice().check(value, name)

    def schema(self) -> dict[str, Any]:
        """Return its JSON schema."""
        return self._choice().schema()

    def _choice(self) -> ChoiceField:
        return ChoiceField(tuple(self.options()))


@dataclass(frozen=True)
class Several:
    """A list of limited length."""

    item: Field
    most: int

    def check(self, value: object, name: str) -> list[Any]:
        """Return the list, or raise `Invalid`."""
        if not isinstance(value, list):
            raise Invalid(f"{name} must be a list; send one.")
        if len(value) > self.most:
            raise Invalid(f"{name} has more than {self.most:,} entries; send fewer.")
        return [self.item.check(entry, f"An entry of {name}") for entry in value]

    def schema(self) -> dict[str, Any]:
        """Return its JSON schema."""
        return {"type": "array", "items": self.item.schema(), "maxItems": self.most}


@dataclass(frozen=True)
class Record:
    """Named fields; those in `optional` may be absent and are then None."""

    fields: Mapping[str, Field]
    optional: frozenset[str] = frozenset()

    def check(self, value: object, name: str = "The request") -> dict[str, Any]:
        """Return all fields, or raise `Invalid`."""
        if not isinstance(value, dict):
            raise Invalid(f"{name} must be an object with named fields; send one.")
        if not set(value) <= set(self.fields):
            raise Invalid(f"{name} has fields that mean nothing here; send only {', '.join(self.fields)}.")
        missing = sorted(set(self.fields) - set(value) - self.optional)
        if missing:
            raise Invalid(f"{name} lacks {missing[0]}; send it, too.")
        return {key: field.check(value[key], key) if key in value else None for key, field in self.fields.items()}

    def schema(self) -> dict[str, Any]:
        """Return its JSON schema."""
        return {
            "type": "object",
            "properties": {key: field.schema() for key, field in self.fields.items()},
            "required": sorted(set(self.fields) - self.optional),
            "additionalProperties": False,
        }
