"""Write releases so that they appear whole, beside their guarantee, or not at all.

Only what the user listed is copied from the input: ids and kept columns. No path, no time and no modification
date goes into a file, so equal payloads give equal bytes.

Term vectors (`write_terms`), words of a row always in the order of the vocabulary:

- `.npz`: for `scipy.sparse.load_npz`; beside it `STEM.vocabulary.txt`, one word a line, and `STEM.ids.txt`
  when the ids are not simply "0", "1", "2" and so on.
- `.parquet`: columns `id`, `terms` and `counts`, then the kept ones.
- `.svm`, `.svmlight`, `.libsvm`: label 0, columns counted from 1 as in SVMlight; beside it as for `.npz`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, count
from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING, Any

from allonym.errors import InputError, ParameterError
from allonym.jobs.tables import encodable, shown
from allonym.jobs.texts import ROW_GROUP, write_texts

if TYPE_CHECKING:
    import pyarrow as pa
    from scipy.sparse import csr_array

__all__ = [
    "atomic",
    "check_terms_output",
    "companions",
    "default_output",
    "privacy_path",
    "terms_table",
    "write_npz",
    "write_parquet",
    "write_svmlight",
    "write_terms",
    "write_texts",
]

_SVMLIGHT = (".svm", ".svmlight", ".libsvm")
_LONGEST_NAME = 255  # bytes, on all usual file systems; found out late it would waste a spent budget
_TERM_COLUMNS = ("id", "terms", "counts")


def privacy_path(out: str | Path) -> Path:
    """Where the guarantee of an output lies: `OUT.privacy.json`."""
    return Path(f"{out}.privacy.json")


def default_output(source: str | Path, suffix: str | None = None) -> Path | None:
    """Where the output goes when nobody says: `name.anon.ext` beside the input.

    Args:
        source: The input; a folder gives `name.anon` plus the suffix.
        suffix: Such as `.npz`; None for that of the input.

    Returns:
        The path, or None for standard input, whose output goes to standard output.
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
    if path.suffix.lower() not in (".npz", *_SVMLIGHT):
        return (privacy_path(path),)
    return (privacy_path(path), path.with_suffix(".vocabulary.txt"), path.with_suffix(".ids.txt"))


@contextmanager
def atomic(path: str | Path, force: bool = False, *, source: str | Path | None = None) -> Iterator[Path]:
    """Give a private place to write an output and its companions; publish all of it on success only.

    The place has the output's own name in a folder only the user may enter, beside the target. What is
    written beside it there (`privacy_path(place)`, the vocabulary) is published with it: the guarantee first,
    the output last, an older output withdrawn before, so that no output is seen with another's guarantee.
    On any exception, an interrupt too, nothing is left and older files are as they were.

    Args:
        path: The target, a file or a folder.
        force: Replace an existing target and its companions.
        source: The input, which is never replaced, nor anything inside an input folder.

    Yields:
        The path to write to.

    Raises:
        InputError: The target exists, is the input, or its folder cannot be written to.
    """
    target = Path(path)
    family = _family(target)
    _refuse_source(family, source)
    _refuse_existing(family, force)
    stage = _free_name(target.parent)
    new, old = stage / "new", stage / "old"
    try:  # before the folder is made, so that not even a signal in between leaves it behind
        _make_private(stage)
        new.mkdir()
        old.mkdir()
        yield new / target.name
        _sync_tree(new)
        _refuse_existing(family, force)
        _publish(family, new, old)
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(new, ignore_errors=True)
        # Older files that could not be put back are worth more than a tidy folder: rmdir spares them.
        for folder in (old, stage):
            with suppress(OSError):
                folder.rmdir()


def _family(target: Path) -> list[Path]:
    """All files an output may consist of, in the order in which they appear."""
    family = [*companions(target), target]
    if target.name in ("", "..") or max(len(os.fsencode(path.name)) for path in family) > _LONGEST_NAME:
        raise InputError(f"{shown(target)} cannot be the name of an output; choose a shorter or full -o.")
    return family


def _free_name(parent: Path) -> Path:
    """Find a name for a folder of this process, on the same disk as the target."""
    mine = f".allonym-{os.getpid()}-{get_ident()}"
    names = (parent / f"{mine}-{number}" for number in count())
    return next(name for name in names if not os.path.lexists(name))


def _make_private(folder: Path) -> None:
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
    return any(place.is_relative_to(folder) for place in places)


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
            _sync(path)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


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
        _sync(target.parent)
        return
    try:
        for path in reversed(family):
            if os.path.lexists(path):
                os.rename(path, old / path.name)
        for path in written:
            os.replace(new / path.name, path)
        _sync(target.parent)
    except BaseException:
        for path in written:
            if not os.path.lexists(new / path.name):
                os.rename(path, new / path.name)
        for path in family:
            if os.path.lexists(old / path.name):
                os.rename(old / path.name, path)
        raise


def check_terms_output(path: str | Path, keep: Sequence[str] = ()) -> None:
    """Refuse, before any privacy is spent, an output that `write_terms` could not write."""
    suffix = Path(path).suffix.lower()
    if suffix not in (".npz", ".parquet", *_SVMLIGHT):
        known = ", ".join((".npz", ".parquet", *_SVMLIGHT))
        raise InputError(f"{shown(path)} has no suffix for term vectors; end -o in one of: {known}.")
    if keep and suffix != ".parquet":
        raise InputError(f"{shown(path)} cannot hold kept columns; end -o in .parquet or leave out --keep.")
    taken = [name for name in _TERM_COLUMNS if name in keep]
    if taken:
        reason = "is the name of a column that is written anyway; leave it out of --keep or rename it"
        raise InputError(f"Column {taken[0]!r} {reason}.")


def write_terms(
    path: str | Path,
    matrix: csr_array[Any, Any],
    vocabulary: Sequence[str],
    ids: Sequence[str],
    kept: pa.Table | None = None,
) -> None:
    """Write term vectors in the format of the suffix; see `write_npz`, `write_parquet`, `write_svmlight`."""
    check_terms_output(path, kept.column_names if kept is not None else ())
    if Path(path).suffix.lower() == ".parquet":
        write_parquet(path, matrix, vocabulary, ids, kept)
    elif Path(path).suffix.lower() == ".npz":
        write_npz(path, matrix, vocabulary, ids)
    else:
        write_svmlight(path, matrix, vocabulary, ids)


def write_npz(path: str | Path, matrix: csr_array[Any, Any], vocabulary: Sequence[str], ids: Sequence[str]) -> None:
    """Write a matrix for `scipy.sparse.load_npz`, with its vocabulary and ids beside it."""
    from scipy.sparse import save_npz

    released = _canonical(matrix, vocabulary, ids)
    with open(path, "wb") as file:
        save_npz(file, released)  # NumPy dates all zip entries 1980-01-01
    _write_lists(Path(path), vocabulary, ids)


def write_svmlight(
    path: str | Path, matrix: csr_array[Any, Any], vocabulary: Sequence[str], ids: Sequence[str]
) -> None:
    """Write `0 column:count …` lines, columns from 1, with vocabulary and ids beside the file."""
    released = _canonical(matrix, vocabulary, ids)
    with open(path, "w", encoding="ascii", newline="") as file:
        for first, last in zip(released.indptr[:-1], released.indptr[1:], strict=True):
            columns, counts = released.indices[first:last].tolist(), released.data[first:last].tolist()
            pairs = (f" {column + 1}:{count}" for column, count in zip(columns, counts, strict=True))
            file.write(f"0{''.join(pairs)}\n")
    _write_lists(Path(path), vocabulary, ids)


def write_parquet(
    path: str | Path,
    matrix: csr_array[Any, Any],
    vocabulary: Sequence[str],
    ids: Sequence[str],
    kept: pa.Table | None = None,
) -> None:
    """Write one row a document: `id`, its `terms`, their `counts`, and the kept columns."""
    import pyarrow.parquet as pq

    released = _canonical(matrix, vocabulary, ids)
    starts = range(0, max(1, len(ids)), ROW_GROUP)
    slices = (slice(start, start + ROW_GROUP) for start in starts)
    tables = (terms_table(released[s], vocabulary, ids[s], None if kept is None else kept[s]) for s in slices)
    first = next(tables)
    with pq.ParquetWriter(path, first.schema, compression="zstd") as writer:
        for table in chain([first], tables):
            writer.write_table(table, ROW_GROUP)


def terms_table(
    matrix: csr_array[Any, Any],
    vocabulary: Sequence[str],
    ids: Sequence[str],
    kept: pa.Table | None = None,
) -> pa.Table:
    """Build the Arrow table of `write_parquet`, for a batch or for all documents."""
    import pyarrow as pa

    check_terms_output("terms.parquet", kept.column_names if kept is not None else ())
    released = _canonical(matrix, vocabulary, ids)
    offsets = pa.array(released.indptr, pa.int32())
    words = pa.array(vocabulary, pa.string()).take(pa.array(released.indices))
    terms = pa.ListArray.from_arrays(offsets, words)
    counts = pa.ListArray.from_arrays(offsets, pa.array(released.data, pa.int32()))
    table = pa.table([pa.array(ids, pa.string()), terms, counts], names=list(_TERM_COLUMNS))
    if kept is not None:
        for field in kept.schema:
            table = table.append_column(field, kept.column(field.name))
    return table


def _canonical(matrix: csr_array[Any, Any], vocabulary: Sequence[str], ids: Sequence[str]) -> Any:  # noqa: ANN401
    """The one stored form of equal counts: stored zeros or the order of entries could tell of the input."""
    import numpy as np
    from scipy.sparse import csr_array

    if matrix.shape != (len(ids), len(vocabulary)):
        shape = f"({len(ids)}, {len(vocabulary)})"
        raise ParameterError(f"The matrix must have one row an id and one column a word: {shape}.")
    if not (encodable("".join(vocabulary)) and encodable("".join(ids))):
        raise ParameterError("Words and ids must be valid text, without lone surrogates.")
    released: Any = csr_array(matrix, copy=True)
    released.sum_duplicates()
    released.eliminate_zeros()
    if released.dtype.kind not in "iu" or (released.nnz and not 0 < released.data.min() <= released.data.max() < 2**31):
        raise ParameterError("The matrix must hold counts: whole numbers from 0 to 2147483647.")
    released = released.astype(np.int32)
    width = np.int32 if max(released.nnz, *released.shape) < 2**31 else np.int64
    released.indices = released.indices.astype(width, copy=False)
    released.indptr = released.indptr.astype(width, copy=False)
    return released


def _write_lists(path: Path, vocabulary: Sequence[str], ids: Sequence[str]) -> None:
    _, words_path, ids_path = companions(path)
    _write_lines(words_path, vocabulary)
    if any(identifier != str(row) for row, identifier in enumerate(ids)):
        _write_lines(ids_path, ids)


def _write_lines(path: Path, lines: Sequence[str]) -> None:
    for number, line in enumerate(lines, 1):
        if "\n" in line or "\r" in line:
            raise InputError(f"{shown(path.name)}, entry {number}: holds a line break; end -o in .parquet.")
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.writelines(f"{line}\n" for line in lines)
