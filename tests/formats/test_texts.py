"""Texts in every format: round trips with every kept column equal, exact and in order."""

from __future__ import annotations

import csv
import dataclasses
import datetime
import decimal
import json
import os
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from allonym.errors import InputError, ParameterError
from allonym.formats.base import formats
from allonym.formats.files import DocumentBatch, open_documents
from allonym.jobs.outputs import atomic, default_output, privacy_path


def everything(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


ALPHABET = [
    "a",
    "B",
    "é",
    " ",
    "\n",
    "\r",
    "\r\n",
    ",",
    '"',
    "'",
    "=",
    "\t",
    "\0",
    "😀",
    "\u2028",
    "\u202e",
    "\ufeff",
    "0",
]


def random_text(rng: random.Random) -> str:
    return "".join(rng.choice(ALPHABET) for _ in range(rng.randint(0, 6)))


def random_table(rng: random.Random) -> tuple[pa.Table, list[str]]:
    """A table with a text column somewhere, and the names of the columns to keep."""
    makers = [
        (pa.string(), random_text),
        (pa.int64(), lambda r: r.randint(-(2**63), 2**63 - 1)),
        (pa.int8(), lambda r: r.randint(-128, 127)),
        (pa.float64(), lambda r: r.choice([0.1, -0.0, 1e300, 5.0])),
        (pa.bool_(), lambda r: r.random() < 0.5),
        (pa.date32(), lambda r: datetime.date(2000, 1, r.randint(1, 28))),
        (
            pa.timestamp("us", "UTC"),
            lambda r: datetime.datetime(2000, 1, 1, r.randint(0, 23), tzinfo=datetime.UTC),
        ),
        (pa.decimal128(9, 2), lambda r: decimal.Decimal(r.randint(-999, 999)) / 4),
        (pa.binary(), lambda r: r.randbytes(3)),
        (pa.list_(pa.int32()), lambda r: [r.randint(0, 9)] * r.randint(0, 2)),
        (pa.struct([("k", pa.string())]), lambda r: {"k": random_text(r)}),
        (pa.dictionary(pa.int8(), pa.string()), lambda r: r.choice("xyz")),
    ]
    rows = rng.randint(1, 9)
    names, columns = [f"c{i}" for i in range(rng.randint(0, 4))], []
    for _ in names:
        kind, make = rng.choice(makers)
        values = [None if rng.random() < 0.2 else make(rng) for _ in range(rows)]
        dictionary = pa.types.is_dictionary(kind)
        columns.append(
            pa.array(values, pa.string()).dictionary_encode().cast(kind) if dictionary else pa.array(values, kind)
        )
    at = rng.randint(0, len(names))
    keep = [name for name in names if rng.random() < 0.7]
    names.insert(at, "text")
    columns.insert(at, pa.array([None if rng.random() < 0.1 else random_text(rng) for _ in range(rows)], pa.string()))
    return pa.table(columns, names=names), keep


def rewritten(source: Path, keep: list[str], batch_rows: int) -> Path:
    """Read, replace each text by its double, write."""
    documents = open_documents(source, text="text", keep=keep, batch_rows=batch_rows)
    changed = (dataclasses.replace(batch, texts=[text * 2 for text in batch.texts]) for batch in documents)
    target = default_output(source)
    # Without atomic(), whose waiting for the disk would make a thousand tables slow.
    documents.format.write(target, changed, documents.text, documents.columns)
    return target


def test_a_thousand_tables_come_back_with_every_kept_column_equal(tmp_path):
    rng = random.Random(7)
    for round_number in range(1000):
        table, keep = random_table(rng)
        expected = [name for name in table.column_names if name == "text" or name in keep]
        doubled = [(text or "") * 2 for text in table.column("text").to_pylist()]
        check = (parquet_comes_back, csv_comes_back, jsonl_comes_back)[round_number % 3]
        check(tmp_path, table, keep, expected, doubled, rng.randint(1, 4))


def parquet_comes_back(folder, table, keep, expected, doubled, batch_rows):
    pq.write_table(table, folder / "a.parquet")
    found = pq.read_table(rewritten(folder / "a.parquet", keep, batch_rows))
    assert found.column_names == expected
    assert found.column("text").to_pylist() == doubled
    for name in keep:
        kind = table.schema.field(name).type
        # How many bits a category has would tell how many there are, used or not.
        expected_kind = pa.dictionary(pa.int32(), kind.value_type) if pa.types.is_dictionary(kind) else kind
        assert found.schema.field(name).type.equals(expected_kind)
        assert found.column(name).to_pylist() == table.column(name).to_pylist()


def csv_comes_back(folder, table, keep, expected, doubled, batch_rows):
    cells = [
        ["" if value is None else str(value) for value in table.column(name).to_pylist()] for name in table.column_names
    ]
    with open(folder / "a.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([table.column_names, *zip(*cells, strict=True)])
    with open(rewritten(folder / "a.csv", keep, batch_rows), encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file, strict=True)
    assert header == expected
    found = dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))
    assert found.pop("text") == doubled
    assert found == {name: cells[table.column_names.index(name)] for name in keep}


def jsonl_comes_back(folder, table, keep, expected, doubled, batch_rows):
    rows = [json.loads(json.dumps(row, default=str)) for row in table.to_pylist()]
    (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    lines = rewritten(folder / "a.jsonl", keep, batch_rows).read_bytes().decode().split("\n")[:-1]
    found = [json.loads(line) for line in lines]
    wanted = [{name: row[name] for name in expected} | {"text": text} for row, text in zip(rows, doubled, strict=True)]
    assert [json.dumps(row) for row in found] == [json.dumps(row) for row in wanted]


def test_json_of_mixed_kinds_comes_back_exactly(tmp_path):
    values = [1, 1.0, "x", None, True, [1, {"a": None}], 2**70, "\udc00" * 0]
    content = "".join(json.dumps({"text": "t", "v": value}) + "\n" for value in values)
    (tmp_path / "a.jsonl").write_text(content)
    assert rewritten(tmp_path / "a.jsonl", ["v"], 2).read_text() == content.replace('"t"', '"tt"')


def test_text_bytes_do_not_depend_on_batches(tmp_path):
    table = pa.table({"text": [f"word {i}" for i in range(50)], "k": list(range(50))})
    pq.write_table(table, tmp_path / "a.parquet")
    first = rewritten(tmp_path / "a.parquet", ["k"], 3).read_bytes()
    assert rewritten(tmp_path / "a.parquet", ["k"], 1000).read_bytes() == first


def test_row_groups_close_at_their_limits(tmp_path, monkeypatch):
    monkeypatch.setattr("allonym.formats.parquet.ROW_GROUP", 20)
    pq.write_table(pa.table({"text": ["x" * 10] * 50}), tmp_path / "a.parquet")
    assert pq.read_metadata(rewritten(tmp_path / "a.parquet", [], 7)).num_row_groups == 3
    monkeypatch.setattr("allonym.formats.parquet._ROW_GROUP_BYTES", 100)
    assert pq.read_metadata(rewritten(tmp_path / "a.parquet", [], 10)).num_row_groups == 13  # 4 rows of 20 + 8 bytes


def test_text_file_and_folder_come_back_without_their_times(tmp_path):
    folder = tmp_path / "in"
    (folder / "sub").mkdir(parents=True)
    for name in ("a.txt", "sub/b.txt"):
        (folder / name).write_bytes(name.encode() + b"\r\n")
        os.utime(folder / name, (1, 1))
    for source in (folder, folder / "a.txt"):
        documents = open_documents(source)
        target = tmp_path / f"{source.name}.anon"
        for _ in range(2):
            with atomic(target, True, source=source) as place:
                documents.format.write(place, documents)
                privacy_path(place).write_text("{}")
    found = everything(tmp_path)
    assert found["in.anon/a.txt"] == found["a.txt.anon"] == b"a.txt\r\n"
    assert found["in.anon/sub/b.txt"] == b"sub/b.txt\r\n"
    assert (tmp_path / "in.anon" / "a.txt").stat().st_mtime > 1
    assert sorted(os.listdir(tmp_path)) == [
        "a.txt.anon",
        "a.txt.anon.privacy.json",
        "in",
        "in.anon",
        "in.anon.privacy.json",
    ]


@pytest.mark.parametrize("identifier", ["../a.txt", "/a.txt", "a/../../b.txt", "", ".", "a\0.txt"])
def test_folder_ids_cannot_leave_the_folder(tmp_path, identifier):
    with pytest.raises(ParameterError, match="relative paths inside it"):
        formats()["folder"].write(tmp_path / "out", [DocumentBatch(0, [identifier], ["x"])])
    assert everything(tmp_path) == {}


def test_lone_surrogates_are_replaced_in_every_format(tmp_path):
    batch = DocumentBatch(0, ["a.txt"], ["x\ud800y"])
    for file_format in ("text", "folder", "csv", "jsonl", "parquet"):
        formats()[file_format].write(tmp_path / file_format, [batch])
    found = everything(tmp_path)
    assert found["text"] == found["folder/a.txt"] == "x\ufffdy".encode()
    assert found["csv"] == "text\nx\ufffdy\n".encode()
    assert found["jsonl"] == '{"text": "x\ufffdy"}\n'.encode()
    assert pq.read_table(tmp_path / "parquet").to_pylist() == [{"text": "x\ufffdy"}]


def test_formulas_are_exact(tmp_path):
    kept = pa.table({"=k": ["@x", "1", None], "n": [-1, 2, 3]})
    batch = DocumentBatch(0, ["0", "1", "2"], ["=1+1", "-a,b", "\tc"], kept)
    formats()["csv"].write(tmp_path / "a.csv", [batch])
    assert (tmp_path / "a.csv").read_text() == 'text,=k,n\n=1+1,@x,-1\n"-a,b",1,2\n\tc,,3\n'


def test_kept_values_other_formats_lack(tmp_path):
    kept = pa.table({"d": [datetime.date(2000, 1, 2)], "f": [float("nan")], "b": [True], "l": [["é"]]})
    batch = DocumentBatch(0, ["0"], ["x"], kept)
    formats()["jsonl"].write(tmp_path / "a.jsonl", [batch])
    assert json.loads((tmp_path / "a.jsonl").read_text()) == {
        "text": "x",
        "d": "2000-01-02",
        "f": None,
        "b": True,
        "l": ["é"],
    }
    broken = pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff"]).buffers())
    with pytest.raises(InputError, match="not UTF-8; leave it out of --keep"):
        formats()["csv"].write(tmp_path / "a.csv", [dataclasses.replace(batch, kept=pa.table({"k": broken}))])


def test_texts_that_fit_no_file(tmp_path):
    with pytest.raises(ParameterError, match="must hold 1 document, got 2"):
        formats()["text"].write(tmp_path / "a.txt", [DocumentBatch(0, ["0", "1"], ["x", "y"])])
    with pytest.raises(ParameterError, match="at least one document"):
        formats()["csv"].write(tmp_path / "a.csv", [])


def test_long_texts_close_row_groups_wherever_batches_end(tmp_path, monkeypatch):
    monkeypatch.setattr("allonym.formats.parquet._ROW_GROUP_BYTES", 200)
    pq.write_table(pa.table({"text": ["x" * (i % 40) for i in range(100)]}), tmp_path / "a.parquet")
    first = rewritten(tmp_path / "a.parquet", [], 1).read_bytes()
    for rows in (3, 10, 100):
        assert rewritten(tmp_path / "a.parquet", [], rows).read_bytes() == first
    assert pq.read_metadata(tmp_path / "a.anon.parquet").num_row_groups > 10
