"""Find, check and open model folders, shipped in the package or made by a user.

A model folder holds ``config.json``, ``weights.safetensors``, ``CARD.md`` and ``SHA256``, whose lines
(``<sha-256>  <file>``, as ``sha256sum`` writes them) name every other file of the folder. A folder with a
missing, changed or unlisted file is refused, and so is any kind of pickle, since loading one runs code.
Checksums catch damage and mix-ups, not an attacker who rewrites the folder and its ``SHA256`` together.

Nothing here downloads anything. Privacy: spends nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from allonym import disk
from allonym.errors import ModelError

if TYPE_CHECKING:
    import os

    import numpy as np
    from numpy.typing import NDArray

CHECKSUMS = "SHA256"
CONFIG = "config.json"
WEIGHTS = "weights.safetensors"
CARD = "CARD.md"
VOCABULARY = "vocabulary.txt"  # of models that know words; a line each
PIECES = "pieces.txt"  # of models that write pieces of words; a line each
TRAINED_ON, USER_TEXT = "trained_on", "user text"  # in the configuration of a model that a user trained
REQUIRED = (CONFIG, WEIGHTS, CARD)
PICKLES = frozenset({".pkl", ".pickle", ".pt", ".pth", ".ckpt", ".bin", ".joblib", ".dill"})

_SHIPPED = Path(__file__).resolve().parent
_HASH_LENGTH = hashlib.sha256().digest_size * 2


@dataclass(frozen=True)
class Model:
    """What a model folder holds, and what is wrong with it, if anything."""

    name: str  # the name in ``config.json``, or the folder's own
    folder: Path  # where it lies
    config: Mapping[str, Any]  # ``config.json`` (empty when unreadable)
    card: str  # the text of ``CARD.md`` (empty when unreadable)
    size_bytes: int  # the size of all its files together
    files: tuple[str, ...]  # every file in it, in alphabetical order
    problem: str = ""  # why the folder must not be used, as a sentence; empty when all is well

    @property
    def ok(self) -> bool:
        """Whether every file is there, listed and unchanged."""
        return not self.problem


def shipped() -> list[str]:
    """Name the models inside this package, in alphabetical order."""
    return sorted(entry.parent.name for entry in _SHIPPED.glob(f"*/{CONFIG}"))


def find(name_or_path: str | os.PathLike[str]) -> Path:
    """Return the folder of a shipped model, or of a local one given by its path.

    A shipped name wins over a local folder of the same name; write ``./name`` for the local one.

    Raises:
        ModelError: There is neither.
    """
    if isinstance(name_or_path, str) and name_or_path in shipped():
        return _SHIPPED / name_or_path
    folder = Path(name_or_path).expanduser()
    if folder.is_dir() and str(name_or_path):
        return folder
    names = ", ".join(shipped()) or "none"
    raise ModelError(
        f"There is no model folder at {str(name_or_path)!r}: give a path to a folder, "
        f"or one of the shipped models ({names})."
    )


def check(folder: str | os.PathLike[str]) -> Model:
    """Read a model folder and say what is wrong with it, without raising for it.

    Raises:
        ModelError: There is no such folder.
    """
    root = find(folder)
    files = _files(root)
    config: Mapping[str, Any] = {}
    card = ""
    size = 0
    try:
        size = sum((root / name).stat().st_size for name in (*files, CHECKSUMS) if (root / name).is_file())
        _verify_files(root, files)
        config = _read_config(root)
        card = _read_text(root, CARD)
        problem = ""
    except ModelError as error:
        problem = str(error)
    except OSError as error:
        problem = f"A file of the model folder {root} cannot be read ({error.strerror}): check its permissions."
    return Model(
        name=str(config.get("name", root.name)),
        folder=root,
        config=MappingProxyType(dict(config)),
        card=card,
        size_bytes=size,
        files=files,
        problem=problem,
    )


def verify(folder: str | os.PathLike[str]) -> Model:
    """Return the model in a folder after checking every file of it.

    Raises:
        ModelError: The folder is missing, incomplete, changed, or holds something it must not.
    """
    model = check(folder)
    if not model.ok:
        raise ModelError(model.problem)
    return model


def verify_format(folder: str | os.PathLike[str], wanted: str, version: int) -> Model:
    """Return the model in a folder after checking it as `verify` does, and that it is of a format and version."""
    model = verify(folder)
    if model.config.get("format") != wanted or model.config.get("version") != version:
        raise ModelError(
            f"The model folder {model.folder} is not of the format {wanted}, version {version}: give one that is."
        )
    return model


def open_tensors(model: Model | str | os.PathLike[str]) -> dict[str, NDArray[np.generic]]:
    """Load the weights of a verified model; a folder or name is verified first.

    Raises:
        ModelError: The folder does not verify, or its weights are not safetensors that NumPy can hold.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    verified = model if isinstance(model, Model) else verify(model)
    if not verified.ok:
        raise ModelError(verified.problem)
    path = verified.folder / WEIGHTS
    try:
        return dict(load_file(path))
    except (SafetensorError, OSError, ValueError, KeyError, TypeError, OverflowError) as error:
        raise ModelError(f"{path} is not a readable safetensors file: make or fetch the model folder again.") from error


def seal(folder: str | os.PathLike[str]) -> Model:
    """Write the ``SHA256`` file of a finished model folder, and `verify` it."""
    root = find(folder)
    lines = [f"{disk.digest(root / name)}  {name}\n" for name in _files(root)]
    disk.write(root / CHECKSUMS, "".join(lines).encode())
    return verify(root)


def _files(root: Path) -> tuple[str, ...]:
    """Name every file below a folder, except its checksum file, as ``SHA256`` writes them."""
    paths = (path.relative_to(root).as_posix() for path in root.rglob("*") if not path.is_dir())
    return tuple(sorted(name for name in paths if name != CHECKSUMS))


def _verify_files(root: Path, files: tuple[str, ...]) -> None:
    for name in files:
        if Path(name).suffix.lower() in PICKLES:
            raise ModelError(
                f"The model folder {root} holds the pickle {name!r}, which could run code: "
                f"remove it, and keep weights in {WEIGHTS}."
            )
    listed = _read_checksums(root)
    for name in REQUIRED:
        if name not in listed:
            raise ModelError(f"The model folder {root} does not list {name} in {CHECKSUMS}: fetch it again.")
    for name in files:
        if name not in listed:
            raise ModelError(
                f"The model folder {root} holds {name!r}, which {CHECKSUMS} does not list: remove that file."
            )
    for name, expected in listed.items():
        if name not in files:
            raise ModelError(f"The model folder {root} lacks {name!r}: fetch or make the folder again.")
        if disk.digest(root / name) != expected:
            raise ModelError(
                f"{name!r} in the model folder {root} does not match its checksum: "
                "it was changed or damaged, so fetch or make the folder again."
            )


def _read_checksums(root: Path) -> dict[str, str]:
    listed: dict[str, str] = {}
    for number, line in enumerate(_read_text(root, CHECKSUMS).splitlines(), start=1):
        digest, separator, name = line.partition("  ")
        hexadecimal = len(digest) == _HASH_LENGTH and set(digest) <= set("0123456789abcdef")
        outside = name.startswith("/") or "\\" in name or ".." in name.split("/")
        if not (hexadecimal and separator and name) or outside or name in listed:
            raise ModelError(
                f"Line {number} of {root / CHECKSUMS} is not '<sha-256>  <file>' for a new file of the "
                "folder: fetch or make the folder again."
            )
        listed[name] = digest
    return listed


def _read_config(root: Path) -> dict[str, Any]:
    try:
        config = json.loads(_read_text(root, CONFIG))
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{root / CONFIG} is not valid JSON: fetch or make the folder again.") from error
    if not isinstance(config, dict):
        raise ModelError(f"{root / CONFIG} must hold a JSON object: fetch or make the folder again.")
    return config


def _read_text(root: Path, name: str) -> str:
    path = root / name
    if not path.is_file():
        raise ModelError(f"The model folder {root} has no {name}: give a complete model folder.")
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelError(f"{path} is not UTF-8 text: fetch or make the folder again.") from error
