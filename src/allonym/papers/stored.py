"""Results of papers as they are stored in JSON, and read again: one `to_json` and one `from_json` for all of them.

`Kept` holds parts of a run that is under way.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, ClassVar, Self, get_args, get_origin, get_type_hints

from allonym import disk

Json = dict[str, Any]


@dataclass(frozen=True)
class Result:
    """Base of what papers measure: a class says what is stored of it, and how it is read again.

    Attributes:
        beside: Names of the parts that are stored side by side with everything else, not under their names.
    """

    beside: ClassVar[tuple[str, ...]] = ()

    def to_json(self) -> Json:
        """Return what is stored."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Return what `to_json` wrote, whatever stands beside it."""
        hints, stored = get_type_hints(cls), {**stored, **dict.fromkeys(cls.beside, stored)}
        names = [each.name for each in fields(cls) if each.name in stored]
        return cls(**{name: _read(hints[name], stored[name]) for name in names})


def _read(kind: Any, stored: Any) -> Any:  # noqa: ANN401 - an annotation, and what JSON holds of it
    """Return a stored value as what the annotation says."""
    if stored is None:
        return None
    if get_origin(kind) is UnionType:
        [kind] = [one for one in get_args(kind) if one is not NoneType]
    inner = get_args(kind)
    if get_origin(kind) is Sequence:
        return [_read(inner[0], value) for value in stored]
    if get_origin(kind) is tuple:
        return tuple(_read(inner[0], value) for value in stored)
    if get_origin(kind) in (dict, Mapping):
        return {name: _read(inner[1], value) for name, value in stored.items()}
    return kind.from_json(stored) if hasattr(kind, "from_json") else stored


@dataclass(frozen=True)
class Kept:
    """Parts of a run that are finished, each a file, so that an interrupted run goes on where it was.

    Args:
        folder: Where the files lie; None keeps nothing.
        of: What the run is of: parts of another run are not found.
    """

    folder: Path | None
    of: Json

    def part(self, names: Sequence[str], make: Callable[[], Json]) -> Json:
        """Return the part of this name, made if it is not there."""
        if self.folder is None:
            return make()
        name = hashlib.blake2b(json.dumps([self.of, list(names)]).encode(), digest_size=8).hexdigest()
        path = self.folder / f"{name}.json"
        if path.exists():
            stored: Json = json.loads(path.read_text("utf-8"))
            return stored
        self.folder.mkdir(parents=True, exist_ok=True)
        part = make()
        disk.write(path, json.dumps(part, ensure_ascii=False).encode("utf-8"))
        return part
