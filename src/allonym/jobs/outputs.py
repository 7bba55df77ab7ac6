"""Write releases so that they appear whole, beside their guarantee, or not at all.

Only what the user listed is copied from the input: ids and kept columns. No path, no time and no modification
date goes into a file, so equal payloads give equal bytes. What the files hold, `formats` says.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from threading import get_ident

from allonym.disk import sync
from allonym.errors import InputError
from allonym.formats.tables import shown
from allonym.formats.vectors import LISTED

_LONGEST_NAME = 255  # bytes, on all usual file systems; found out late it would waste a spent budget


def privacy_path(out: str | Path) -> Path:
    """Where the guarantee of an output lies: `OUT.privacy.json`."""
    return Path(f"{out}.privacy.json")


def default_output(source: str | Path, suffix: str | None = None) -> Path | None:
    """Where the output goes when nobody says: `name.anon.ext` beside the input; None for standard input.

    A folder gives `name.anon` plus the suffix; without a suffix a file keeps its own.
    """
    if str(source) == "-":
        return None
    path = Path(source)
    if path.is_dir():
        path = Path(os.path.abspath(path))  # gives `.` a name, and stays beside a linked folder
        if not path.name:
            raise InputError(f"{shown(path)} has no place beside it; choose a place with -o.")
        return path.with_name(f"{path.name}.anon{suffix or ''}")
    return path.with_name(f"{path.stem}.anon{path.suffix if suffix is None else suffix}")


def companions(path: str | Path) -> tuple[Path, ...]:
    """The files that belong beside an output and are replaced with it, the guarantee first."""
    path = Path(path)
    if path.suffix.lower() not in LISTED:
        return (privacy_path(path),)
    return (privacy_path(path), path.with_suffix(".vocabulary.txt"), path.with_suffix(".ids.txt"))


@contextmanager
def atomic(path: str | Path, force: bool = False, *, source: str | Path | None = None) -> Iterator[Path]:
    """Give a private place to write an output and its companions; publish all of it on success only.

    The place has the output's own name in a folder only the user may enter, beside the target. What is
    written beside it there (`privacy_path(place)`, the vocabulary) is published with it: the guarantee first,
    the output last, an older output withdrawn before, so that no output is seen with another's guarantee.
    On any exception, an interrupt too, nothing is left and older files are as they were.
    An existing target is refused without `force`, and `source`, the input, is never replaced, nor anything in it.
    """
    target = Path(path)
    refuse_target(target, force, source=source)
    stage = _free_name(target.parent)
    new, old = stage / "new", stage / "old"
    try:  # before the folder is made, so that not even a signal in between leaves it behind
        make_private(stage)
        new.mkdir()
        old.mkdir()
        yield new / target.name
        publish(target, new, old, force)
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(new, ignore_errors=True)
        # Older files that could not be put back are worth more than a tidy folder: rmdir spares them.
        for folder in (old, stage):
            with suppress(OSError):
                folder.rmdir()


def refuse_target(path: str | Path, force: bool, *, source: str | Path | None = None) -> None:
    """Refuse an output that may not be written: the input, an existing file without `force`, an impossible name."""
    family = _family(Path(path))
    _refuse_source(family, source)
    _refuse_existing(family, force)


def publish(target: Path, new: Path, old: Path, force: bool) -> None:
    """Bring what was written under `new` to the disk, then to its final names; older files go to `old`."""
    _sync_tree(new)
    family = _family(target)
    _refuse_existing(family, force)
    _publish(family, new, old)


def put_back(target: Path, old: Path) -> None:
    """Give older files, set aside by a `publish` that was killed before its last step, their names again."""
    if os.path.lexists(old / target.name) and not os.path.lexists(target):
        for path in _family(target):  # the target last, so that it is never seen with another's guarantee
            if os.path.lexists(old / path.name):
                os.replace(old / path.name, path)


def _family(target: Path) -> list[Path]:
    """All files an output may consist of, in the order in which they appear."""
    family = [*companions(target), target]
    if target.name in ("", "..") or max(len(os.fsencode(path.name)) for path in family) > _LONGEST_NAME:
        raise InputError(f"{shown(target)} cannot be the name of an output; choose a shorter or a full name with -o.")
    return family


def _free_name(parent: Path) -> Path:
    """Find a name for a folder of this process, on the same disk as the target."""
    mine = f".allonym-{os.getpid()}-{get_ident()}"
    names = (parent / f"{mine}-{number}" for number in count())
    return next(name for name in names if not os.path.lexists(name))


def make_private(folder: Path) -> None:
    """Make a folder that only the user may enter."""
    try:
        folder.mkdir(0o700)
    except OSError as error:
        reason = f"({error.strerror}); create the folder or choose another -o"
        raise InputError(f"{shown(folder.parent)} cannot be written to {reason}.") from error


def _refuse_source(family: Sequence[Path], source: str | Path | None) -> None:
    """Refuse to replace the input, whatever links lead to it, or a folder around or inside it."""
    if source is None or str(source) == "-" or not os.path.exists(source):
        return
    real_source = Path(source).resolve()
    for path in family:
        inside = real_source.is_dir() and _lies_in(path, real_source)
        around = path.is_dir() and real_source.is_relative_to(path.resolve())
        if inside or around or (os.path.exists(path) and os.path.samefile(path, source)):
            raise InputError(f"{shown(path)} is, holds or lies in the input; choose another -o.")


def _lies_in(path: Path, folder: Path) -> bool:
    """Whether a path or what it links to is inside a folder."""
    places = (path.resolve(), path.parent.resolve() / path.name)
    return any(candidate.is_relative_to(folder) for candidate in places)


def _refuse_existing(family: Sequence[Path], force: bool) -> None:
    for path in family:
        if not force and os.path.lexists(path):
            raise InputError(f"{shown(path)} exists; choose another -o or add --force.")
        # A slip in -o must not delete a folder of other things.
        if path.is_dir() and not path.is_symlink() and not privacy_path(path).is_file():
            raise InputError(f"{shown(path)} is a folder not written by allonym; choose another -o.")


def _sync_tree(folder: Path) -> None:
    """Bring all files to the disk before any of them gets its final name."""
    for parent, _, names in os.walk(folder):
        for path in [*(Path(parent, name) for name in names), Path(parent)]:
            sync(path)


def _publish(family: Sequence[Path], new: Path, old: Path) -> None:
    """Rename everything into place, or put everything back."""
    written = [path for path in family if os.path.lexists(new / path.name)]
    target = family[-1]
    if target not in written:
        raise FileNotFoundError(f"{shown(target)} was not written.")
    alone = written == [target] and not any(os.path.lexists(path) for path in family[:-1])
    if alone and not (new / target.name).is_dir():
        # One step: at every moment either the old file is there or the new one.
        os.replace(new / target.name, target)
        sync(target.parent)
        return
    try:
        for path in reversed(family):
            if os.path.lexists(path):
                os.rename(path, old / path.name)
        for path in written:
            os.replace(new / path.name, path)
        sync(target.parent)
    except BaseException:
        for path in written:
            if not os.path.lexists(new / path.name):
                os.rename(path, new / path.name)
        for path in family:
            if os.path.lexists(old / path.name):
                os.rename(old / path.name, path)
        raise
