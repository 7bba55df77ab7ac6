"""Whole files: there when they are called finished, also after a crash, or not at all.

Privacy: spends nothing.
"""

from __future__ import annotations

import hashlib
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import get_ident

_PRIVATE = 0o600


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Give a draft to write; on success it is brought to the disk and takes the place of the file, in one step.

    Machines, processes and threads may do this at once for one file: each has a draft of its own, and the last wins.
    """
    draft = path.with_name(f".{path.name}.{socket.gethostname()}.{os.getpid()}.{get_ident()}.draft")
    try:
        yield draft
        sync(draft)
        os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def write(path: Path, content: bytes, *, private: bool = False) -> None:
    """Write a file, readable by the user alone if it is private; its name is on the disk, too, when this returns."""
    with whole(path) as draft:
        draft.unlink(missing_ok=True)
        mode = _PRIVATE if private else 0o666
        with open(draft, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(content)
    sync(path.parent)


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
