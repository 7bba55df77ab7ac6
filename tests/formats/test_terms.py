"""Term vectors in every format: round trips, equal bytes for equal counts, and nothing that was not asked for."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.sparse import csr_array, load_npz, save_npz
from sklearn.datasets import load_svmlight_file

from allonym.errors import InputError, ParameterError
from allonym.formats.vectors import TermRows, check_terms_output, terms_table, write_terms
from allonym.jobs.outputs import atomic

VOCABULARY = ["ape", "bee", "cat", "dog"]
MATRIX = csr_array(np.array([[0, 2, 0, 1], [0, 0, 0, 0], [3, 0, 0, 0]]))


def everything(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def write(path: Path, matrix: csr_array, ids: list[str], kept: pa.Table | None = None, rows: int = 99) -> None:
    """Write in parts of so many rows."""
    starts = range(0, len(ids), rows)
    parts = [
        TermRows(matrix[s : s + rows] if rows < len(ids) else matrix, ids[s : s + rows], kept and kept[s : s + rows])
        for s in starts
    ]
    write_terms(path, lambda: parts, VOCABULARY)


def test_npz(tmp_path):
    write(tmp_path / "x.npz", MATRIX, ["0", "1", "2"])
    loaded = load_npz(tmp_path / "x.npz")
    assert isinstance(loaded, csr_array)
    assert (loaded != MATRIX).nnz == 0
    assert (tmp_path / "x.vocabulary.txt").read_text().splitlines() == VOCABULARY
    assert sorted(os.listdir(tmp_path)) == ["x.npz", "x.vocabulary.txt"]
    with zipfile.ZipFile(tmp_path / "x.npz") as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_svmlight_counts_columns_from_one(tmp_path):
    write(tmp_path / "x.svm", MATRIX, ["a", "b", "c"])
    assert (tmp_path / "x.svm").read_text() == "0 2:2 4:1\n0\n0 1:3\n"
    loaded, labels = load_svmlight_file(str(tmp_path / "x.svm"), n_features=4, zero_based=False)
    assert (loaded != MATRIX).nnz == 0
    assert labels.tolist() == [0, 0, 0]
    assert (tmp_path / "x.ids.txt").read_text() == "a\nb\nc\n"


def test_parquet_terms(tmp_path):
    kept = pa.table({"year": pa.array([1, None, 3], pa.int16()), "who": ["x", "y", "z"]})
    write(tmp_path / "x.parquet", MATRIX, ["a", "b", "c"], kept)
    table = pq.read_table(tmp_path / "x.parquet")
    kinds = [pa.string(), pa.list_(pa.string()), pa.list_(pa.int32()), pa.int16(), pa.string()]
    assert table.schema.names == ["id", "terms", "counts", "year", "who"]
    assert table.schema.metadata is None
    assert all(found.equals(kind) for found, kind in zip(table.schema.types, kinds, strict=True))
    assert table.column("terms").to_pylist() == [["bee", "dog"], [], ["ape"]]
    assert table.column("counts").to_pylist() == [[2, 1], [], [3]]
    assert table.select(["year", "who"]).equals(kept)


def test_parquet_terms_in_row_groups_and_without_documents(tmp_path, monkeypatch):
    monkeypatch.setattr("allonym.formats.parquet.ROW_GROUP", 2)
    kept = pa.table({"n": [1, 2, 3]})
    write(tmp_path / "x.parquet", MATRIX, ["a", "b", "c"], kept)
    assert pq.read_metadata(tmp_path / "x.parquet").num_row_groups == 2
    assert pq.read_table(tmp_path / "x.parquet").equals(
        terms_table(TermRows(MATRIX, ["a", "b", "c"], kept), VOCABULARY)
    )
    write_terms(tmp_path / "none.parquet", list, [])
    assert pq.read_table(tmp_path / "none.parquet").num_rows == 0


def test_equal_counts_give_equal_bytes_whatever_their_storage(tmp_path):
    """Stored zeros, unsorted or split entries and wide indices must leave no trace."""
    data, columns, rows = np.array([1, 1, 1, 3, 0]), np.array([3, 1, 1, 0, 2]), np.array([0, 3, 3, 5])
    odd = csr_array((data, columns.astype(np.int64), rows.astype(np.int64)), shape=(3, 4))
    for folder, matrix in (("one", MATRIX), ("two", odd), ("three", MATRIX.astype(np.uint8))):
        (tmp_path / folder).mkdir()
        for name in ("x.npz", "y.svmlight", "z.parquet"):
            with atomic(tmp_path / folder / name) as place:
                write(place, matrix, ["a", "b", "c"])
    assert everything(tmp_path / "one") == everything(tmp_path / "two") == everything(tmp_path / "three")
    assert (odd.data == data).all(), "the caller's matrix stays as it was"
    assert not any(b"tmp" in content for content in everything(tmp_path / "one").values())


def test_term_outputs_that_cannot_be_written():
    with pytest.raises(InputError, match=r"end -o in one of: \.npz, \.parquet"):
        check_terms_output("x.jsonl")
    with pytest.raises(InputError, match=r"cannot hold kept columns; end -o in \.parquet"):
        check_terms_output("x.npz", ["year"])
    with pytest.raises(InputError, match="'terms' is the name of a column"):
        check_terms_output("x.parquet", ["year", "terms"])
    check_terms_output("x.PARQUET", ["year"])


@pytest.mark.parametrize(
    ("matrix", "ids", "error", "message"),
    [
        (MATRIX, ["a"], ParameterError, "one row an id"),
        (MATRIX.astype(float), ["a", "b", "c"], ParameterError, "must hold counts"),
        (-MATRIX, ["a", "b", "c"], ParameterError, "must hold counts"),
        (MATRIX, ["a", "b", "\ud800"], ParameterError, "valid text"),
        (
            MATRIX,
            ["a", "b\nc", "d"],
            InputError,
            r"x\.ids\.txt, entry 2: holds a line break; end -o in \.parquet",
        ),
    ],
)
@pytest.mark.parametrize("suffix", ["npz", "svm"])
def test_payloads_that_cannot_be_written(tmp_path, suffix, matrix, ids, error, message):
    def attempt() -> None:
        with atomic(tmp_path / f"x.{suffix}") as place:
            write(place, matrix, ids)

    with pytest.raises(error, match=message):
        attempt()
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["x.npz", "x.svm", "x.parquet"])
def test_bytes_do_not_depend_on_the_parts(name, tmp_path, monkeypatch):
    monkeypatch.setattr("allonym.formats.parquet.ROW_GROUP", 7)
    rng = np.random.default_rng(3)
    matrix = csr_array(rng.integers(0, 3, (50, 4)))
    ids = [f"d{i}" for i in range(50)]
    for rows in (1, 3, 16, 50):
        (tmp_path / str(rows)).mkdir()
        write(tmp_path / str(rows) / name, matrix, ids, rows=rows)
        assert everything(tmp_path / str(rows)) == everything(tmp_path / "1")


def test_npz_is_what_scipy_writes(tmp_path):
    write(tmp_path / "x.npz", MATRIX, ["0", "1", "2"], rows=1)
    save_npz(tmp_path / "y.npz", MATRIX.astype(np.int32))
    assert (tmp_path / "x.npz").read_bytes() == (tmp_path / "y.npz").read_bytes()


def test_counts_as_lines_hold_every_word_and_the_kept_columns(tmp_path):
    matrix = csr_array(np.array([[2, 0, 1], [0, 0, 0], [0, 3, 0]]))
    kept = pa.table({"area": ["north", 'a "b", c', None]})
    parts = [TermRows(matrix[:2], ["k1", "k2"], kept[:2]), TermRows(matrix[2:], ["k3"], kept[2:])]
    write_terms(tmp_path / "counts.lines.csv", lambda: parts, ["bell", "rain", "snow"])
    lines = (tmp_path / "counts.lines.csv").read_text("utf-8").splitlines()
    assert lines == ["id,area,word,count", "k1,north,bell,2", "k1,north,snow,1", "k3,,rain,3"]
    write_terms(tmp_path / "none.lines.csv", list, ["bell"])
    assert (tmp_path / "none.lines.csv").read_text("utf-8") == "id,word,count\n"
    with pytest.raises(InputError, match="'word'"):
        check_terms_output("counts.lines.csv", ["word"])
    check_terms_output("counts.lines.csv", ["word_a"])
