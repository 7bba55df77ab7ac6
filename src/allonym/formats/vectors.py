"""Write term vectors part by part, so that the memory needed does not grow with the number of documents.

Words of a row always stand in the order of the vocabulary:

- `.npz`: for `scipy.sparse.load_npz`; beside it `STEM.vocabulary.txt`, one word a line, and `STEM.ids.txt`
  when the ids are not simply "0", "1", "2" and so on.
- `.parquet`: columns `id`, `terms` and `counts`, then the kept ones.
- `.csv`: the columns `id` and the kept ones, then one for each word that occurs in any row, `word_coffee`.
- `.lines.csv`: a line for each word of a document: `id`, the kept columns, `word` and `count`.
- `.svm`, `.svmlight`, `.libsvm`: label 0, columns counted from 1 as in SVMlight; beside it as for `.npz`.

Equal rows give equal bytes, however they are cut into parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from allonym.errors import InputError, ParameterError
from allonym.formats import zips
from allonym.formats.parquet import write_parquet_tables
from allonym.formats.tables import encodable, shown
from allonym.formats.term_columns import WORD_COLUMN, write_columns
from allonym.formats.term_lines import COUNT, ENDING, WORD, write_term_lines

if TYPE_CHECKING:
    import pyarrow as pa
    from scipy.sparse import csr_array

SVMLIGHT = (".svm", ".svmlight", ".libsvm")
LISTED = (".npz", *SVMLIGHT)  # formats whose words and ids lie beside the file, one a line
_WITH_COLUMNS = (".parquet", ".csv")  # formats that hold kept columns beside the counts
_TERM_COLUMNS = ("id", "terms", "counts")
_LARGEST_32 = 2**31


@dataclass(frozen=True)
class TermRows:
    """Term vectors of some consecutive documents, their ids, and the columns kept of them."""

    matrix: csr_array[Any, Any]
    ids: Sequence[str]
    kept: pa.Table | None = None


Parts = Callable[[], Iterable[TermRows]]


def check_terms_output(path: str | Path, keep: Sequence[str] = ()) -> None:
    """Refuse, before any privacy is spent, an output that `write_terms` could not write."""
    suffix = Path(path).suffix.lower()
    if suffix not in (*LISTED, *_WITH_COLUMNS):
        known = ", ".join((".npz", *_WITH_COLUMNS, *SVMLIGHT))
        raise InputError(f"{shown(path)} has no suffix for term vectors; end -o in one of: {known}.")
    if keep and suffix not in _WITH_COLUMNS:
        raise InputError(f"{shown(path)} cannot hold kept columns; end -o in .parquet or .csv, or leave out --keep.")
    in_lines = _is_in_lines(path)
    taken = [
        name
        for name in keep
        if name in _TERM_COLUMNS
        or (suffix == ".csv" and not in_lines and name.startswith(WORD_COLUMN))
        or (in_lines and name in (WORD, COUNT))
    ]
    if taken:
        reason = "is the name of a column that is written anyway; leave it out of --keep or rename it"
        raise InputError(f"Column {taken[0]!r} {reason}.")


def _is_in_lines(path: str | Path) -> bool:
    return Path(path).name.lower().endswith(ENDING)


def check_listed_ids(path: str | Path, ids: Sequence[str], start: int = 0) -> None:
    """Refuse ids that could not be listed beside the output, one a line."""
    if Path(path).suffix.lower() in LISTED:
        for number, identifier in enumerate(ids, start + 1):
            _refuse_line_break(Path(path).with_suffix(".ids.txt"), number, identifier)


def _refuse_line_break(path: Path, number: int, line: str) -> None:
    if "\n" in line or "\r" in line:
        raise InputError(f"{shown(path.name)}, entry {number}: holds a line break; end -o in .parquet.")


def write_terms(path: str | Path, parts: Parts, vocabulary: Sequence[str]) -> None:
    """Write term vectors in the format of the suffix; `parts` is called for each pass, of which some need several."""
    from scipy.sparse import csr_array

    if not encodable("".join(vocabulary)):
        raise ParameterError("Words and ids must be valid text, without lone surrogates.")
    check_terms_output(path)

    def checked() -> Iterator[TermRows]:
        for part in parts():
            yield TermRows(_canonical(part, len(vocabulary)), part.ids, part.kept)

    suffix = Path(path).suffix.lower()
    if _is_in_lines(path):
        write_term_lines(Path(path), checked, vocabulary)
        return
    if suffix == ".parquet":
        tables = (terms_table(part, vocabulary) for part in checked())
        empty = TermRows(csr_array((0, len(vocabulary)), dtype="int32"), [])
        write_parquet_tables(Path(path), tables, if_none=lambda: terms_table(empty, vocabulary))
        return
    if suffix == ".csv":
        write_columns(Path(path), checked, vocabulary)
        return
    if suffix == ".npz":
        _write_npz(path, checked, len(vocabulary))
    else:
        _write_svmlight(path, checked())
    _write_lists(Path(path), vocabulary, parts)


def terms_table(part: TermRows, vocabulary: Sequence[str]) -> pa.Table:
    """Return one row a document: `id`, its `terms`, their `counts`, and the kept columns."""
    import pyarrow as pa

    check_terms_output("terms.parquet", part.kept.column_names if part.kept is not None else ())
    matrix = _canonical(part, len(vocabulary))
    return _table(part, matrix, pa.array(vocabulary, pa.string()).take(pa.array(matrix.indices)))


def numbered_table(part: TermRows) -> pa.Table:
    """Return the same with the places of the terms in the vocabulary, and as they were drawn, for `numbered_rows`."""
    import pyarrow as pa

    matrix: Any = part.matrix
    matrix.sum_duplicates()
    # The number of words stands in the field, since the last ones need not occur.
    return _table(part, matrix, pa.array(matrix.indices, pa.int32()), {b"words": str(matrix.shape[1]).encode()})


def numbered_rows(table: pa.Table) -> TermRows:
    """Return what `numbered_table` made a table of."""
    from scipy.sparse import csr_array

    table = table.combine_chunks()
    terms, counts = (table.column(name).combine_chunks() for name in ("terms", "counts"))
    words = int((table.schema.field("terms").metadata or {}).get(b"words", 0))
    offsets = terms.offsets.to_numpy()
    arrays = (counts.flatten().to_numpy(), terms.flatten().to_numpy(), offsets - offsets[0])
    copied = table.drop_columns(list(_TERM_COLUMNS))
    ids = table.column("id").to_pylist()
    return TermRows(csr_array(arrays, shape=(table.num_rows, words)), ids, copied if copied.num_columns else None)


def _table(part: TermRows, matrix: Any, terms: pa.Array, noted: dict[bytes, bytes] | None = None) -> pa.Table:  # noqa: ANN401
    import pyarrow as pa

    offsets = pa.array(matrix.indptr, pa.int32())
    listed = pa.ListArray.from_arrays(offsets, terms)
    counts = pa.ListArray.from_arrays(offsets, pa.array(matrix.data, pa.int32()))
    fields = [
        pa.field("id", pa.string()),
        pa.field("terms", listed.type, metadata=noted),
        pa.field("counts", counts.type),
    ]
    arrays = [pa.array(part.ids, pa.string()), listed, counts]
    if part.kept is not None:
        fields += list(part.kept.schema)
        arrays += part.kept.columns
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def _write_npz(path: str | Path, parts: Parts, words: int) -> None:
    """Write what `scipy.sparse.save_npz` would, one array after the other, each part by part."""
    import zipfile

    import numpy as np

    sizes = [(len(part.ids), part.matrix.nnz) for part in parts()]
    rows, entries = sum(size[0] for size in sizes), sum(size[1] for size in sizes)
    width = np.dtype("<i4") if max(entries, rows, words) < _LARGEST_32 else np.dtype("<i8")

    def starts() -> Iterator[Any]:
        yield np.zeros(1, width)
        before = 0
        for part in parts():
            yield (part.matrix.indptr[1:].astype(np.int64) + before).astype(width)
            before += part.matrix.nnz

    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        indices = (part.matrix.indices.astype(width, copy=False) for part in parts())
        _write_array(archive, "indices", (entries,), width, indices)
        _write_array(archive, "indptr", (rows + 1,), width, starts())
        _write_array(archive, "format", (), np.dtype("S3"), [np.array(b"csr")])
        _write_array(archive, "shape", (2,), np.dtype("<i8"), [np.array([rows, words], "<i8")])
        _write_array(archive, "data", (entries,), np.dtype("<i4"), (part.matrix.data for part in parts()))
        _write_array(archive, "_is_array", (), np.dtype(bool), [np.array(True)])


def _write_array(archive: Any, name: str, shape: tuple[int, ...], dtype: Any, pieces: Iterable[Any]) -> None:  # noqa: ANN401
    """Write an array of known shape into an archive; equal arrays give equal bytes."""
    from numpy.lib import format as npy

    with archive.open(zips.entry(f"{name}.npy"), "w", force_zip64=True) as file:
        header = {"descr": npy.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
        npy.write_array_header_1_0(file, header)
        for piece in pieces:
            file.write(piece.tobytes())


def _write_svmlight(path: str | Path, parts: Iterable[TermRows]) -> None:
    """Write `0 column:count …` lines, columns from 1."""
    with open(path, "w", encoding="ascii", newline="") as file:
        for part in parts:
            columns, counts = part.matrix.indices.tolist(), part.matrix.data.tolist()
            pairs = [f" {column + 1}:{count}" for column, count in zip(columns, counts, strict=True)]
            for first, last in pairwise(part.matrix.indptr.tolist()):
                file.write(f"0{''.join(pairs[first:last])}\n")


def _canonical(part: TermRows, words: int) -> Any:  # noqa: ANN401
    """The one stored form of equal counts: stored zeros or the order of entries could tell of the input."""
    import numpy as np
    from scipy.sparse import csr_array

    matrix = part.matrix
    if matrix.shape != (len(part.ids), words):
        raise ParameterError(f"The matrix must have one row an id and one column a word: ({len(part.ids)}, {words}).")
    if not encodable("".join(part.ids)):
        raise ParameterError("Words and ids must be valid text, without lone surrogates.")
    released: Any = csr_array(matrix, copy=True)
    released.sum_duplicates()
    released.eliminate_zeros()
    if released.dtype.kind not in "iu" or (
        released.nnz and not 0 < released.data.min() <= released.data.max() < _LARGEST_32
    ):
        raise ParameterError("The matrix must hold counts: whole numbers from 0 to 2147483647.")
    return released.astype(np.int32)


def _write_lists(path: Path, vocabulary: Sequence[str], parts: Parts) -> None:
    """Write the words beside the vectors, and the ids where they are more than numbers of rows."""
    _write_lines(path.with_suffix(".vocabulary.txt"), vocabulary)

    def ids() -> Iterator[str]:
        return (identifier for part in parts() for identifier in part.ids)

    if any(identifier != str(row) for row, identifier in enumerate(ids())):
        _write_lines(path.with_suffix(".ids.txt"), ids())


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        for number, line in enumerate(lines, 1):
            _refuse_line_break(path, number, line)
            file.write(f"{line}\n")
