"""With the draw replaced by a fixed one, nothing that is written depends on anything that was not to be copied."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse

from allonym.anonymizers.random_replacement import RandomReplacement
from allonym.anonymizers.syntf import SynTF
from allonym.formats.files import open_documents
from allonym.jobs.execute import Options, execute, plan
from allonym.randomness import secure

WORDS = ["rain", "snow", "harbour"]


class Fixed(RandomReplacement):
    """Says the same whatever it reads."""

    def _anonymize(self, texts, streams):
        return ["rain snow"] * len(texts)


class FixedVectors(SynTF):
    def _anonymize(self, texts, streams):
        return sparse.csr_array(np.tile([3, 0, 2], (len(texts), 1)))


ROWS = [
    {"n": 3, "text": "We met Ann Miller at the harbour.", "who": "Ann", "secret": "x"},
    {"n": 1, "text": "it rained", "who": "Bob", "secret": "y"},
    {"n": 2, "text": "It snowed. Twice!\n\nThen it rained.", "who": "Ann", "secret": ""},
    {"n": 1, "text": "letters", "who": "Cem", "secret": "a,b"},
]


def changed(**cells: list) -> list[dict]:
    return [{**row, **{name: values[i] for name, values in cells.items()}} for i, row in enumerate(ROWS)]


TWINS = {
    "case": changed(text=[row["text"].upper() for row in ROWS]),
    "one name": changed(text=["We met Bo Miller at the harbour.", *(row["text"] for row in ROWS[1:])]),
    "length": changed(text=["a " * 5000, "", "\n\n\n", "😀" * 70_000]),
    "empty": changed(text=[""] * 4),
    "missing": changed(text=[None] * 4),
    "white space": changed(text=[f"\t {row['text']}\r\n\n" for row in ROWS]),
    "byte order marks": changed(text=[f"\ufeff{row['text']}" for row in ROWS]),
    "formulas": changed(text=["=1+1", "+x", "-y", "@z"]),
    "authors": changed(who=["Ann"] * 4),
    "more authors": changed(who=["Ann", "Bob", "Cem", "Dora" * 1000]),
    "other columns": changed(secret=["", "", "", "z" * 10_000]),
    "fewer columns": [{name: value for name, value in row.items() if name != "secret"} for row in ROWS],
    "more columns": [{**row, "born": i, "x y": str(i)} for i, row in enumerate(ROWS)],
    "columns before": [{"first": i, **row} for i, row in enumerate(ROWS)],
    "columns between": [
        {"n": row["n"], "born": "1999", **{name: value for name, value in row.items() if name != "n"}} for row in ROWS
    ],
}


def csv_bytes(rows: list[dict], **dialect) -> bytes:
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, list(rows[0]), **dialect)
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue().encode()


def parquet_bytes(table: pa.Table, **options) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, **options)
    return sink.getvalue().to_pybytes()


def table_of(rows: list[dict]) -> pa.Table:
    table = pa.Table.from_pylist(rows)
    text = table.column("text").cast(pa.string())
    return table.set_column(table.column_names.index("text"), "text", text)


def content(rows: list[dict], kind: str) -> bytes:
    if kind == "csv":
        return csv_bytes(rows)
    if kind == "jsonl":
        return "".join(json.dumps(row) + "\n" for row in rows).encode()
    return parquet_bytes(table_of(rows))


def released(folder: Path, kind: str, written: bytes, vectors: bool, keep: tuple[str, ...], rows: int) -> dict:
    """Everything that a job leaves behind."""
    folder.mkdir()
    source = folder / f"in.{kind}"
    source.write_bytes(written)
    made = FixedVectors(vocabulary=WORDS, words=5) if vectors else Fixed(words=2, vocabulary=WORDS)
    documents = open_documents(source, text="text", author="who", keep=keep)
    job = plan(
        made, documents, out=folder / f"out.{'parquet' if vectors else kind}", has_ids=False, has_authors=True,
        keep=keep, repeatable=False, chunk_rows=rows,
    )  # fmt: skip
    execute(job, secure(), lambda _: None, Options())
    source.unlink()
    return {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("rows", [3, 1000])
@pytest.mark.parametrize("keep", [(), ("n",)])
@pytest.mark.parametrize("vectors", [False, True], ids=["texts", "vectors"])
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_what_is_not_to_be_copied_changes_no_byte(kind, vectors, keep, rows, tmp_path):
    expected = released(tmp_path / "0", kind, content(ROWS, kind), vectors, keep, rows)
    assert len(expected) == 2
    for number, (name, twin) in enumerate(TWINS.items(), 1):
        assert released(tmp_path / str(number), kind, content(twin, kind), vectors, keep, rows) == expected, name


SAME_ROWS = {
    "csv": {
        "byte order mark": b"\xef\xbb\xbf" + csv_bytes(ROWS),
        "quotes": csv_bytes(ROWS, quoting=csv.QUOTE_ALL),
        "line feeds": csv_bytes(ROWS, lineterminator="\n"),
        "no line feed at the end": csv_bytes(ROWS).removesuffix(b"\r\n"),
        "blank lines": csv_bytes(ROWS, lineterminator="\n\n\n"),
    },
    "jsonl": {
        "byte order mark": b"\xef\xbb\xbf" + content(ROWS, "jsonl"),
        "carriage returns": content(ROWS, "jsonl").replace(b"\n", b"\r\n"),
        "no line feed at the end": content(ROWS, "jsonl").rstrip(),
        "blank lines": content(ROWS, "jsonl").replace(b"\n", b"\n\n"),
        "blanks": content(ROWS, "jsonl").replace(b"{", b"  {   ").replace(b": ", b" :  "),
        "escapes": "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS).encode(),
        "null columns": content([{**row, "later": None} for row in ROWS], "jsonl"),
    },
    "parquet": {
        "row groups": parquet_bytes(table_of(ROWS), row_group_size=1, compression="none", use_dictionary=False),
        "version": parquet_bytes(table_of(ROWS), version="1.0", write_statistics=False, store_schema=False),
        "metadata": parquet_bytes(table_of(ROWS).replace_schema_metadata({"pandas": "secret", "note": "of Ann"})),
        **{
            f"text as {kind}": parquet_bytes(
                table_of(ROWS).set_column(1, "text", table_of(ROWS).column("text").cast(kind))
            )
            for kind in (pa.large_string(), pa.string_view(), pa.dictionary(pa.int16(), pa.string()))
        },
    },
}


@pytest.mark.parametrize("rows", [3, 1000])
@pytest.mark.parametrize(("kind", "way"), [(kind, way) for kind, ways in SAME_ROWS.items() for way in ways])
def test_how_the_input_was_written_changes_no_byte(kind, way, rows, tmp_path):
    expected = released(tmp_path / "0", kind, content(ROWS, kind), False, ("n",), rows)
    assert released(tmp_path / "1", kind, SAME_ROWS[kind][way], False, ("n",), rows) == expected


@pytest.mark.parametrize("vectors", [False, True], ids=["texts", "vectors"])
@pytest.mark.parametrize("rows", [3, 1000])
def test_what_stands_in_files_changes_no_byte(vectors, rows, tmp_path):
    expected: dict[str, dict] = {}
    for number, twin in enumerate([ROWS, *(rows for name, rows in TWINS.items() if name != "missing")]):
        folder = tmp_path / str(number)
        (folder / "in").mkdir(parents=True)
        for place, row in enumerate(twin):
            (folder / "in" / f"{place}.txt").write_bytes(row["text"].encode())
        (folder / "in" / "other.md").write_text("x" * number)
        for source in (folder / "in", folder / "in" / "0.txt"):
            made = FixedVectors(vocabulary=WORDS, words=5) if vectors else Fixed(words=2, vocabulary=WORDS)
            out = folder / f"{source.stem}.out{'.npz' if vectors else ''}"
            columns = {"has_ids": False, "has_authors": False, "keep": ()}
            job = plan(made, open_documents(source), out=out, repeatable=False, chunk_rows=rows, **columns)
            execute(job, secure(), lambda _: None, Options())
            found = [
                path for path in folder.rglob("*") if path.is_file() and "in" not in path.relative_to(folder).parts
            ]
            written = {str(path.relative_to(folder)): path.read_bytes() for path in found}
            assert expected.setdefault(source.name, written) == written


CATEGORIES = ["low", "high"]
NOTED = {"note": "of Ann Miller"}


def kept_column(unused: list[str], order: int, bits: pa.DataType, ordered: bool) -> pa.Array:
    """The same four values, with other categories beside them and in another order."""
    values = (CATEGORIES + unused)[::order]
    places = [values.index(value) for value in ("high", "low", "low", "high")]
    return pa.DictionaryArray.from_arrays(pa.array(places, bits), pa.array(values), ordered=ordered)


@pytest.mark.parametrize("vectors", [False, True], ids=["texts", "vectors"])
@pytest.mark.parametrize("rows", [1, 3, 1000])
def test_unused_categories_are_not_written(vectors, rows, tmp_path):
    found = []
    for number, (unused, order, bits, ordered) in enumerate(
        [([], 1, pa.int32(), False), (["Ann Miller"], 1, pa.int8(), False), (["a", "b"], -1, pa.int16(), True)]
    ):
        table = table_of(ROWS).append_column("grade", kept_column(unused, order, bits, ordered))
        found.append(released(tmp_path / str(number), "parquet", parquet_bytes(table), vectors, ("grade",), rows))
        assert b"Ann Miller" not in b"".join(found[-1].values())
    assert found[0] == found[1] == found[2]
    grades = pq.read_table(tmp_path / "2" / "out.parquet").column("grade")
    assert grades.to_pylist() == ["high", "low", "low", "high"]
    assert pa.types.is_dictionary(grades.type)


def nested(unused: list[str], noted: dict[str, str] | None) -> dict[str, pa.Array]:
    categories = pa.DictionaryArray.from_arrays(pa.array([0, 0, 0, 0], pa.int8()), pa.array(["low", *unused]))
    inner = pa.field("inner", categories.type, metadata=noted)
    return {
        "records": pa.StructArray.from_arrays([categories], fields=[inner]),
        "lists": pa.ListArray.from_arrays(pa.array([0, 2, 2, 3, 4], pa.int32()), categories),
        "noted": pa.array([1, 2, 3, 4], pa.int16()),
    }


@pytest.mark.parametrize("vectors", [False, True], ids=["texts", "vectors"])
@pytest.mark.parametrize("name", ["records", "lists", "noted"])
def test_nothing_within_a_column_tells_of_more_than_its_rows(name, vectors, tmp_path):
    found = []
    for number, (unused, noted) in enumerate([([], None), (["Ann Miller"], NOTED)]):
        array = nested(unused, noted)[name]
        table = table_of(ROWS).append_column(pa.field("kept", array.type, metadata=noted), array)
        table = table.replace_schema_metadata(noted)
        found.append(released(tmp_path / str(number), "parquet", parquet_bytes(table), vectors, ("kept",), 3))
    assert found[0] == found[1]
    assert pq.read_table(tmp_path / "1" / "out.parquet").column("kept").to_pylist() == array.to_pylist()
