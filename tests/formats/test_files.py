"""Readers: every format, every error, and no surprise from hostile bytes."""

from __future__ import annotations

import io
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from allonym.errors import InputError, ParameterError
from allonym.formats.files import Documents, open_documents
from allonym.formats.traces import JSON_FIELD


def texts(documents: Documents) -> list[str]:
    return [text for batch in documents for text in batch.texts]


def ids(documents: Documents) -> list[str]:
    return [identifier for batch in documents for identifier in batch.ids]


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


# Formats


def test_text_file_is_one_document_exactly(tmp_path):
    documents = open_documents(written(tmp_path / "a.txt", b"\xef\xbb\xbfone\r\ntwo\n"))
    assert (documents.format.name, texts(documents), ids(documents)) == ("text", ["one\r\ntwo\n"], ["0"])


def test_empty_text_file_is_an_empty_document(tmp_path):
    assert texts(open_documents(written(tmp_path / "a.txt", b""))) == [""]


def test_standard_input_can_be_read_twice(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("naïve\n".encode())))
    documents = open_documents("-")
    assert documents.format.name == "text"
    assert documents.source == "-"
    assert texts(documents) == texts(documents) == ["naïve\n"]


def test_folder_is_sorted_by_relative_path_and_follows_no_link_outside(tmp_path):
    folder, outside = tmp_path / "in", tmp_path / "outside"
    (folder / "sub").mkdir(parents=True)
    outside.mkdir()
    written(outside / "secret.txt", "secret")
    for name in ("b.txt", "sub/a.TXT", "a.txt"):
        written(folder / name, name)
    written(folder / "notes.md", "not text")
    (folder / "link.txt").symlink_to(outside / "secret.txt")
    (folder / "linked").symlink_to(outside)
    (folder / "same.txt").symlink_to(folder / "a.txt")
    (folder / "loop").symlink_to(folder)
    documents = open_documents(folder)
    assert documents.format.name == "folder"
    assert ids(documents) == ["a.txt", "b.txt", "same.txt", "sub/a.TXT"]
    assert texts(documents) == ["a.txt", "b.txt", "a.txt", "sub/a.TXT"]
    assert documents.skipped == ("link.txt", "linked", "loop")


def test_csv_with_line_breaks_quotes_and_a_byte_order_mark(tmp_path):
    content = b'\xef\xbb\xbfn,text,tag\r\n1,"two\r\nlines, ""quoted""",x\r\n\r\n2,, y \r\n'
    documents = open_documents(written(tmp_path / "a.csv", content), text="text", id="n", keep=["tag", "n"])
    (batch,) = documents
    assert batch.texts == ['two\r\nlines, "quoted"', ""]
    assert batch.ids == ["1", "2"]
    assert batch.kept.equals(pa.table({"n": ["1", "2"], "tag": ["x", " y "]}))
    assert documents.columns == ("n", "text", "tag")


def test_csv_cell_longer_than_the_module_limit_leaves_the_limit_alone(tmp_path):
    import csv

    before = csv.field_size_limit()
    assert texts(open_documents(written(tmp_path / "a.csv", "t\n" + "x" * 300_000))) == ["x" * 300_000]
    assert csv.field_size_limit() == before


def test_csv_takes_the_one_column_that_is_not_numbers(tmp_path):
    assert texts(open_documents(written(tmp_path / "a.csv", "n,t\n1,one\n2.5,two\n,3\n"))) == [
        "one",
        "two",
        "3",
    ]


def test_jsonl_keeps_types_and_the_surrogates_of_texts(tmp_path):
    lines = [
        r'{"t": "\ud800 x", "i": 1, "f": 1.5, "b": true, "s": "é", "m": 1, "n": null}',
        "",
        r'{"i": null, "f": -0.0, "b": false, "s": "", "m": "two", "o": {"k": [1]}}',
    ]
    path = written(tmp_path / "a.ndjson", "\n".join(lines))
    documents = open_documents(path, text="t", keep=["i", "f", "b", "s", "m", "n", "o"], batch_rows=1)
    kept = pa.concat_tables([batch.kept for batch in documents])
    assert texts(documents) == ["\ud800 x", ""]
    kinds = ["int64", "double", "bool", "string", "string", "null", "string"]
    assert [str(kind) for kind in kept.schema.types] == kinds
    assert [field.metadata == JSON_FIELD for field in kept.schema] == [False] * 4 + [True, False, True]
    assert kept.column("m").to_pylist() == ["1", '"two"']
    assert kept.column("o").to_pylist() == [None, '{"k": [1]}']


def test_jsonl_type_is_found_across_batches(tmp_path):
    rows = [{"t": "x", "v": None if i < 50 else i} for i in range(60)]
    path = written(tmp_path / "a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    batches = list(open_documents(path, keep=["v"], batch_rows=7))
    assert {str(batch.kept.schema.field("v").type) for batch in batches} == {"int64"}
    assert [batch.start for batch in batches] == list(range(0, 60, 7))


def test_parquet_null_is_an_empty_document_and_metadata_is_not_kept(tmp_path):
    noted = pa.field("k", pa.int8(), nullable=False, metadata={"note": "secret"})
    schema = pa.schema([("t", pa.string()), noted, ("secret", pa.string())], metadata={"pandas": "secret"})
    pq.write_table(pa.table([["a", None, ""], [1, 2, 3], ["x", "y", "z"]], schema=schema), tmp_path / "a.parquet")
    (batch,) = open_documents(tmp_path / "a.parquet", text="t", keep=["k"], author="secret")
    assert batch.texts == ["a", "", ""]
    assert batch.authors == ["x", "y", "z"]
    assert batch.kept.schema.equals(pa.schema([pa.field("k", pa.int8(), nullable=False)]), check_metadata=True)


@pytest.mark.parametrize("kind", [pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())])
def test_parquet_reads_every_kind_of_text(tmp_path, kind):
    values = pa.array(["a", None, "b"])
    column = values.dictionary_encode().cast(kind) if pa.types.is_dictionary(kind) else values.cast(kind)
    pq.write_table(pa.table({"t": column, "n": [1, 2, 3]}), tmp_path / "a.parquet")
    assert texts(open_documents(tmp_path / "a.parquet")) == ["a", "", "b"]


def test_batches_are_bounded_by_rows_and_by_characters(tmp_path, monkeypatch):
    path = written(tmp_path / "a.csv", "t\n" + "word\n" * 10 + "x" * 500 + "\n" + "word\n" * 3)
    assert [len(batch.texts) for batch in open_documents(path, batch_rows=4)] == [4, 4, 4, 2]
    monkeypatch.setattr("allonym.formats.tables.BATCH_CHARACTERS", 500)
    assert [len(batch.texts) for batch in open_documents(path)] == [11, 3]
    rows = [{"t": "x" * 1000 + str(i)} for i in range(20)]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet", compression=None, use_dictionary=False)
    assert {len(batch.texts) for batch in open_documents(tmp_path / "a.parquet")} == {1}


def test_default_ids_count_on_over_batches(tmp_path):
    documents = open_documents(written(tmp_path / "a.csv", "t\n" + "word\n" * 5), batch_rows=2)
    assert ids(documents) == ["0", "1", "2", "3", "4"]
    assert sum(len(batch.texts) for batch in documents) == 5


def test_reading_is_light_to_import():
    heavy = "{'pyarrow', 'scipy', 'numpy'} & set(sys.modules)"
    code = f"import sys, allonym.formats.files, allonym.jobs.outputs; print({heavy})"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"


# Errors

CELL = "SECRETCELL"  # stands for document text, which no message may show


def failure(path: Path | str, **options) -> str:
    with pytest.raises(InputError) as caught:
        list(open_documents(path, **options))
    message = str(caught.value)
    assert CELL not in message
    assert message.endswith(".")
    assert ";" in message, "a message needs a way out"
    return message


@pytest.mark.parametrize(
    ("name", "content", "options", "expected"),
    [
        ("a.doc", CELL, {}, "is not an input this can read; give one of: .txt, .docx, .csv"),
        ("a.txt", b"ok\n" + CELL.encode() + b"\xff", {}, "byte 13, line 2: not UTF-8"),
        ("a.txt", "x", {"text": "t"}, "has no columns; leave out --text"),
        ("a.csv", b"t\nok\n" + CELL.encode() + b"\xff\n", {}, "byte 15, line 3: not UTF-8"),
        ("a.csv", b"\xef\xbb\xbft\n\xff", {}, "byte 5, line 2: not UTF-8"),
        ("a.csv", b"\xff\xfet", {}, "not utf-16 throughout"),
        ("a.csv", "", {}, "is empty; its first line must name the columns"),
        ("a.csv", "t\n", {}, "holds no documents"),
        ("a.csv", "n;t\n1;x\n2;y;z\n", {}, "not separated by commas"),
        ("a.csv", f"n,t\n1,{CELL}\n2,{CELL},x\n", {"text": "t"}, "line 3: 3 cells where the header has 2"),
        ("a.csv", f'n,t\n1,"{CELL}\nx"\n2\n', {"text": "t"}, "line 4: 1 cells where the header has 2"),
        ("a.csv", f'n,t\n1,"{CELL}\n2,x\n', {"text": "t"}, "line 2: the quotes do not match"),
        ("a.csv", f'n,t\n1,"a" {CELL}\n', {"text": "t"}, "line 2: the quotes do not match"),
        ("a.csv", f"t,t\n1,{CELL}\n", {"text": "t"}, "repeats a column name ('t')"),
        ("a.csv", f"a,b\nx,{CELL}\n", {}, "has 2 text columns; name one with --text: it has 'a', 'b'."),
        ("a.csv", "a,b\n1,2\n", {}, "has no text column"),
        ("a.csv", "a,b\nx,y\n", {"text": "c"}, "has no column 'c'; it has 'a', 'b'."),
        ("a.csv", "a,b\nx,y\n", {"text": "a", "keep": ["c"]}, "has no column 'c'"),
        ("a.csv", "a,b\nx,y\n", {"text": "a", "author": "c"}, "has no column 'c'"),
        (
            "a.csv",
            "a,b\nx,y\n",
            {"text": "a", "keep": ["a"]},
            "'a' is the text to protect; it cannot be kept",
        ),
        ("a.csv", "a,b\nx,y\n", {"text": "a", "id": "a"}, "'a' is the text to protect"),
        ("a.csv", "i,t\n1,x\n2,y\n1,z\n", {"text": "t", "id": "i"}, "line 4: the id was used before"),
        ("a.csv", "i,t\n1,x\n,y\n", {"text": "t", "id": "i"}, "line 3: the id is empty"),
        ("a.csv", ",".join(f"c{i}" for i in range(30)) + "\n", {"text": "x"}, "'c9' and 20 more"),
        ("a.jsonl", "", {}, "holds no documents"),
        ("a.jsonl", '{"t": "x"}\n{"t": "' + CELL + "\n", {}, "line 2: not valid JSON"),
        ("a.jsonl", f'["{CELL}"]\n', {}, "line 1: not a JSON object"),
        ("a.jsonl", '{"t": "x"}\n{"t": 5}\n', {}, "line 2: the text is not a string"),
        ("a.jsonl", '{"t": "x", "t": "y"}\n', {}, "line 1: an object uses one name twice"),
        ("a.jsonl", '{"t": "x", "v": NaN}\n', {}, "line 1: not valid JSON"),
        ("a.jsonl", '{"t": "x", "v": 1e999}\n', {}, "line 1: not valid JSON"),
        ("a.jsonl", '{"t": ' + "[" * 100_000, {}, "line 1: not valid JSON"),
        ("a.jsonl", b'{"t": "x"}\n{"t": "\xff"}\n', {}, "byte 18, line 2: not UTF-8"),
        ("a.jsonl", '{"t": "x"}\n', {"text": "u"}, "has no column 'u'; it has 't'."),
        ("a.jsonl", '{"t": "x", "u": "y"}\n', {}, "has 2 text columns"),
        (
            "a.jsonl",
            '{"t": "x", "i": 1}\n{"t": "x", "i": "1"}',
            {"text": "t", "id": "i"},
            "line 2: the id was used",
        ),
        ("a.jsonl", '{"t": "x", "i": 1}\n{"t": "x"}', {"text": "t", "id": "i"}, "line 2: the id is empty"),
        (
            "a.jsonl",
            '{"t": "x", "i": 1.5}',
            {"text": "t", "id": "i"},
            "line 1: the id is not text or a whole",
        ),
        (
            "a.jsonl",
            r'{"t": "x", "i": "\udc00"}',
            {"text": "t", "id": "i"},
            "line 1: the id holds a lone surrogate",
        ),
        (
            "a.jsonl",
            r'{"t": "x", "k": "\udc00"}',
            {"text": "t", "keep": ["k"]},
            "line 1: column 'k' holds a lone",
        ),
        ("a.parquet", CELL, {}, "is not a sound Parquet file"),
        ("a.parquet", b"PAR1" + bytes(40) + b"PAR1", {}, "is not a sound Parquet file"),
    ],
)
def test_errors_say_where_and_what_to_do(tmp_path, name, content, options, expected):
    path = written(tmp_path / name, content)
    before = path.read_bytes()
    message = failure(path, **options)
    assert expected in message
    assert "Column" in message or str(path) in message
    assert os.listdir(tmp_path) == [name]
    assert path.read_bytes() == before


def parquet_failure(tmp_path: Path, table: pa.Table, **options) -> str:
    pq.write_table(table, tmp_path / "a.parquet")
    return failure(tmp_path / "a.parquet", **options)


def test_parquet_errors(tmp_path):
    texts_twice = pa.table([["x"], ["y"]], names=["t", "t"])
    assert "repeats a column name ('t')" in parquet_failure(tmp_path, texts_twice, text="t")
    assert "holds no documents" in parquet_failure(tmp_path, pa.table({"t": pa.array([], pa.string())}))
    numbers = pa.table({"t": [1, 2]})
    assert "'t' holds int64, not text" in parquet_failure(tmp_path, numbers, text="t")
    assert "has no text column" in parquet_failure(tmp_path, numbers)
    table = pa.table({"t": [CELL, "y"], "i": [7, 7]})
    assert "row 2: the id was used before" in parquet_failure(tmp_path, table, text="t", id="i")
    # Arrow trusts that its text is UTF-8; only reading shows that it is not.
    broken = pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff"]).buffers())
    assert "rows 1 to 1: text is not UTF-8" in parquet_failure(tmp_path, pa.table({"t": broken}))


def test_paths_that_cannot_be_read(tmp_path):
    assert "does not exist; check the path." in failure(tmp_path / "none.csv")
    assert "does not exist" in failure(tmp_path / ("x" * 300 + ".csv"))
    assert "does not exist" in failure("a\0b.csv")
    (tmp_path / "empty").mkdir()
    assert "holds no .txt files" in failure(tmp_path / "empty")
    os.mkfifo(tmp_path / "pipe.txt")
    assert "is not an input this can read" in failure(tmp_path / "pipe.txt")
    written(tmp_path / "empty" / "a.txt", b"\xff")
    assert "a.txt, byte 0, line 1: not UTF-8" in failure(tmp_path / "empty")
    with open(os.fsencode(tmp_path / "empty") + b"/\xff.txt", "wb"):
        assert r"\udcff.txt has a name that is not UTF-8; rename it." in failure(tmp_path / "empty")


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.jsonl", "a.parquet"])
def test_a_refused_read_is_an_input_error(tmp_path, monkeypatch, name):
    path = written(tmp_path / name, "t\nx\n")

    def refuse(*_args, **_options):
        raise PermissionError(13, "Permission denied", str(path))

    for target in ("pathlib.Path.open", "pathlib.Path.read_bytes", "pyarrow.parquet.ParquetFile.__init__"):
        monkeypatch.setattr(target, refuse)
    assert f"{path} cannot be read (Permission denied)" in failure(path)


def test_one_line_without_end_is_refused_before_it_fills_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("allonym.formats.lines.LONGEST_LINE", 100)
    assert "line 2: longer than 64 MiB" in failure(written(tmp_path / "a.jsonl", '{"t": "x"}\n' + "x" * 101))
    path = written(tmp_path / "a.csv", 't\n"' + "word\n" * 50)
    assert "line 2: the quotes do not match" in failure(path)


def test_batch_rows_must_be_positive(tmp_path):
    with pytest.raises(ParameterError, match="batch_rows must be at least 1, got 0"):
        open_documents(written(tmp_path / "a.txt", ""), batch_rows=0)


# Hostile bytes

SEEDS = {
    ".csv": [b'id,text\n1,"a, ""b""\nc"\n2,d\n', b"t\nx\n\xef\xbb\xbf\n", b'"t"\n"' + b"w " * 50],
    ".jsonl": [b'{"id": 1, "text": "a\\ud800b"}\n{"id": 2, "text": null}\n', b'{"text": [[{"a": 1e5}]]}\n'],
    ".txt": ["héllo \u202e \U0001f469\u200d\U0001f469 \0".encode(), b"\xef\xbb\xbf"],
}
PIECES = [
    b"\xff",
    b"\0",
    b'"',
    b"\n",
    b"\r",
    b",",
    b"{",
    b"[",
    b"\\ud800",
    b"\xf0\x9f",
    "\u202e".encode(),
    b"9" * 5000,
    b"",
]


def parquet_seed() -> bytes:
    buffer = io.BytesIO()
    table = pa.table({"id": [1, 2, 3], "text": ["a", None, "b" * 50], "k": [[1], [], None]})
    pq.write_table(table, buffer)
    return buffer.getvalue()


def mutated(rng: random.Random, content: bytes) -> bytes:
    data = bytearray(content)
    for _ in range(rng.randint(1, 6)):
        at = rng.randint(0, len(data))
        if rng.random() < 0.4:
            data[at:at] = rng.choice(PIECES)
        elif rng.random() < 0.5:
            del data[at : at + rng.randint(1, 8)]
        else:
            data[at : at + 1] = rng.randbytes(1)
    return bytes(data)


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet", ".txt"])
def test_hostile_bytes_are_read_or_refused(tmp_path, suffix):
    rng = random.Random(f"hostile{suffix}")
    seeds = SEEDS.get(suffix) or [parquet_seed()]
    path = tmp_path / f"a{suffix}"
    refused = 0
    for round_number in range(500):
        path.write_bytes(
            rng.randbytes(rng.randint(0, 60)) if round_number % 5 == 0 else mutated(rng, rng.choice(seeds))
        )
        options = {} if suffix == ".txt" else {"text": rng.choice(["text", None]), "id": rng.choice(["id", None])}
        try:
            list(open_documents(path, keep=["k"] if suffix == ".parquet" else (), **options))
        except InputError:
            refused += 1
    assert refused > 50
