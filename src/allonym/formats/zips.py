"""Files that are zip archives inside: how large they may become when they are read, and entries with equal bytes."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from fnmatch import fnmatchcase

from allonym.errors import InputError


def entry(name: str) -> zipfile.ZipInfo:
    """Return an entry dated 1980, so that equal contents give equal bytes."""
    dated = zipfile.ZipInfo(name)
    dated.compress_type = zipfile.ZIP_DEFLATED
    return dated


def check_sizes(archive: zipfile.ZipFile, name: str, most_parts: int, most: Mapping[str, int], instead: str) -> None:
    """Refuse an archive that becomes very large, by what it declares: no part is read further than that.

    `most` says how many bytes parts whose names fit a pattern may have together; `name` and `instead` are for errors.
    """
    parts = archive.infolist()
    unpacked = (sum(part.file_size for part in parts if fnmatchcase(part.filename, pattern)) for pattern in most)
    if len(parts) > most_parts or any(size > limit for size, limit in zip(unpacked, most.values(), strict=True)):
        raise too_large(name, instead)


def too_large(name: str, instead: str) -> InputError:
    """Return what refuses a file that is small only as an archive."""
    return InputError(f"{name} is small as a file but too large when it is read; save it as {instead}.")
