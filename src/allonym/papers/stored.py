"""Results of papers as they are stored in JSON, and read again: one `to_json` and one `from_json` for all of them.

`Kept` holds parts of a run that is under way.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, ClassVar, Self, TypeVar, get_args, get_origin, get_type_hints

from allonym import disk

Json = dict[str, Any]


@dataclass(frozen=True)
class Result:
    """Base of what papers measure: a class says behind its name what is stored of it other than its parts by name.

    Args:
        beside: Names of the parts that are stored side by side with everything else, not under their names.
        in_front: Names of the parts that are stored before the others.
        left_out: Names of the parts that are not stored where they are what they are by default.
        stored_as: What a part is called in the file, where that is not its name.
    """

    _beside: ClassVar[Sequence[str]] = ()
    _in_front: ClassVar[Sequence[str]] = ()
    _left_out: ClassVar[Sequence[str]] = ()
    _stored_as: ClassVar[Mapping[str, str]] = {}

    def __init_subclass__(
        cls,
        *,
        beside: Sequence[str] | None = None,
        in_front: Sequence[str] | None = None,
        left_out: Sequence[str] | None = None,
        stored_as: Mapping[str, str] | None = None,
    ) -> None:
        super().__init_subclass__()
        given = {"_beside": beside, "_in_front": in_front, "_left_out": left_out, "_stored_as": stored_as}
        for name, value in given.items():
            if value is not None:
                setattr(cls, name, value)

    def to_json(self) -> Json:
        """Return what is stored."""
        stored: Json = {}
        defaults = {each.name: each.default for each in fields(self)}
        for name in dict.fromkeys((*self._in_front, *defaults)):
            value = getattr(self, name)
            if name in self._left_out and value == defaults[name]:
                continue
            plain = _plain(value)
            stored |= plain if name in self._beside else {self._stored_as.get(name, name): plain}
        return stored

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Return what `to_json` wrote, whatever stands beside it.

        Raises:
            TypeError: It is something else, or a part is missing.
        """
        if not isinstance(stored, Mapping):
            raise TypeError(f"{cls.__name__} is stored as an object.")
        given: Json = {}
        result: Any = cls  # for mypy, which takes the hash of its objects for that of the class
        for name, kind in _kinds(result).items():
            if name in cls._beside:
                given[name] = _read(kind, stored)
            elif (key := cls._stored_as.get(name, name)) in stored:
                given[name] = _read(kind, stored[key])
        return cls(**given)


@dataclass(frozen=True, kw_only=True)
class PaperResults(Result):
    """Base of all that a paper's tables and figures show, with what is needed to make it again.

    Attributes:
        paper: What is reproduced.
        version: Of this program.
        command: What made it.
    """

    paper: str
    version: str
    command: str


@lru_cache(None)
def _kinds(result: type[Result]) -> dict[str, Any]:
    """Return the annotation of each part."""
    hints = get_type_hints(result)
    return {each.name: hints[each.name] for each in fields(result)}


def _plain(value: Any) -> Any:  # noqa: ANN401 - a part of a result, and what JSON holds of it
    if hasattr(value, "to_json"):
        return value.to_json()
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value


def _read(kind: Any, stored: Any) -> Any:  # noqa: ANN401 - an annotation, and what JSON holds of it
    """Return a stored value as what the annotation says."""
    if stored is None:
        return None
    if get_origin(kind) is UnionType:
        [kind] = [each for each in get_args(kind) if each is not NoneType]
    inner = get_args(kind)
    if get_origin(kind) is Sequence:
        return [_read(inner[0], value) for value in stored]
    if get_origin(kind) is tuple:
        return tuple(_read(inner[0], value) for value in stored)
    if get_origin(kind) in (dict, Mapping):
        return {name: _read(inner[1], value) for name, value in stored.items()}
    return kind.from_json(stored) if hasattr(kind, "from_json") else stored


_Part = TypeVar("_Part", bound=Result)


@dataclass(frozen=True)
class Kept:
    """Parts of a run that are finished, each a file, so that an interrupted run goes on where it was.

    Args:
        folder: Where the files lie; None keeps nothing.
        of: What the run is of: parts of another run are not found.
    """

    folder: Path | None
    of: Json

    def part(self, names: Sequence[str], kind: type[_Part], make: Callable[[], _Part]) -> _Part:
        """Return the part of this name, made if it is not there."""
        if self.folder is None:
            return make()
        name = hashlib.blake2b(json.dumps([self.of, list(names)]).encode(), digest_size=8).hexdigest()
        path = self.folder / f"{name}.json"
        if path.exists():
            return kind.from_json(json.loads(path.read_text("utf-8")))
        self.folder.mkdir(parents=True, exist_ok=True)
        part = make()
        disk.write(path, json.dumps(part.to_json(), ensure_ascii=False).encode("utf-8"))
        return part
