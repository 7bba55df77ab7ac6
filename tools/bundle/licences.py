"""Licences of packages, read from their wheels: nothing goes into a bundle that may not be passed on."""

from __future__ import annotations

import email
import zipfile
from dataclasses import dataclass
from email.message import Message
from pathlib import Path, PurePosixPath

# Beginnings of what packages say; each may be passed on unchanged, inside of anything, at no cost.
_FREE = (
    *("0bsd", "apache", "bsd", "cc-by-4", "cc-by-sa-4", "cc0", "isc", "mit", "mozilla public license 2.0", "mpl-2.0"),
    *("psf", "python software", "unlicense", "zlib"),
)
_TEXTS = ("license", "licence", "copying", "notice", "authors")


@dataclass(frozen=True)
class Package:
    """What the wheel of a package says of it.

    Attributes:
        name: Its name.
        version: Its version.
        licence: Its licence, in its own words.
        texts: Its licence files, by their names.
    """

    name: str
    version: str
    licence: str
    texts: dict[str, bytes]


def read(wheel: Path) -> Package:
    """Return what a wheel says of its package.

    Raises:
        SystemExit: It says of no licence that it may be passed on.
    """
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
        [place] = [name for name in names if name.endswith(".dist-info/METADATA") and name.count("/") == 1]
        about = email.message_from_bytes(file.read(place))
        texts = {_short(name, place): file.read(name) for name in names if _is_licence(name)}
    package = Package(str(about["Name"]), str(about["Version"]), licence_of(about), texts)
    if not may_be_passed_on(package.licence):
        raise SystemExit(f"{package.name} may not be bundled: its licence is {package.licence or 'not stated'!r}.")
    return package


def licence_of(about: Message) -> str:
    """Return the licence that a package's metadata state: an expression, a classifier, or a short line."""
    if expression := about["License-Expression"]:
        return str(expression)
    said = [line.split(" :: ")[-1] for line in about.get_all("Classifier", []) if line.startswith("License :: ")]
    line = str(about["License"] or "").strip().partition("\n")[0]
    return ", ".join(said) or line


def may_be_passed_on(licence: str) -> bool:
    """Tell whether every part of a licence is one of those that we know and that allow it."""
    parts = [licence.lower().strip("() ")]
    for joint in (" and ", " or ", ", ", "/"):
        parts = [piece for part in parts for piece in part.split(joint)]
    return all(part.strip("() ").removeprefix("the ").startswith(_FREE) for part in parts)


def _is_licence(name: str) -> bool:
    path = PurePosixPath(name)
    return (
        ".dist-info/" in name
        and not name.endswith("/")
        and path.name.lower().startswith(_TEXTS)
        and path.suffix != ".py"
    )


def _short(name: str, place: str) -> str:
    """Return a name without folders for a licence file, that of the package itself or of one that it carries."""
    own = PurePosixPath(place).parent
    path = PurePosixPath(name)
    inside = path.relative_to(own) if path.is_relative_to(own) else path
    return "-".join(part for part in inside.parts if part not in ("licenses", "license_files"))
