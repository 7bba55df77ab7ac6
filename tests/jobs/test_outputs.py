"""Writers: round trips, all-or-nothing, and nothing copied that was not asked for."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import datetime
import decimal
import json
import os
import random
import stat
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.sparse import csr_array, load_npz
from sklearn.datasets import load_svmlight_file

from allonym.errors import InputError, ParameterError
from allonym.jobs import outputs
from allonym.jobs.files import DocumentBatch, open_documents
from allonym.jobs.outputs import (
    atomic,
    check_terms_output,
    companions,
    default_output,
    privacy_path,
    terms_table,
    write_npz,
    write_parquet,
    write_svmlight,
    write_terms,
    write_texts,
)

VOCABULARY = ["ape", "bee", "cat", "dog"]
MATRIX = csr_array(np.array([[0, 2, 0, 1], [0, 0, 0, 0], [3, 0, 0, 0]]))


def everything(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


# Names


def test_names(tmp_path):
    assert privacy_path("a/x.npz") == Path("a/x.npz.privacy.json")
    assert default_output("-", ".npz") is None
    assert default_output("d/a.b.csv", ".npz") == Path("d/a.b.anon.npz")
    assert default_output("d/a.csv") == Path("d/a.anon.csv")
    assert default_output(tmp_path) == tmp_path.with_name(f"{tmp_path.name}.anon")
    assert default_output(f"{tmp_path}/", ".npz") == tmp_path.with_name(f"{tmp_path.name}.anon.npz")
    with pytest.raises(InputError, match="has no place beside it"):
        default_output("/")
    (tmp_path / "sub").mkdir()
    assert default_output(tmp_path / "sub" / "..", ".npz").name == f"{tmp_path.name}.anon.npz"
    assert companions("x.parquet") == (Path("x.parquet.privacy.json"),)
    assert [path.name for path in companions("x.npz")] == [
        "x.npz.privacy.json",
        "x.vocabulary.txt",
        "x.ids.txt",
    ]


# All or nothing


def publish(path: Path, force: bool = False, source: Path | None = None, content: str = "new") -> None:
    with atomic(path, force, source=source) as place:
        place.write_text(content)
        privacy_path(place).write_text(f"{content} guarantee")


def test_publishes_with_the_usual_mode_and_keeps_the_place_private(tmp_path):
    umask = os.umask(0o027)
    try:
        with atomic(tmp_path / "x.txt", False) as place:
            place.write_text("new")
            assert stat.S_IMODE(place.parent.parent.stat().st_mode) == 0o700
            assert place.parent.parent.parent == tmp_path
            assert not (tmp_path / "x.txt").exists()
    finally:
        os.umask(umask)
    assert stat.S_IMODE((tmp_path / "x.txt").stat().st_mode) == 0o640
    assert everything(tmp_path) == {"x.txt": b"new"}


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("existing", [False, True])
def test_an_exception_leaves_everything_as_it_was(tmp_path, error, existing):
    if existing:
        publish(tmp_path / "x.npz", content="old")
    before = everything(tmp_path)

    def interrupted() -> None:
        with atomic(tmp_path / "x.npz", force=existing) as place:
            place.write_text("half")
            (place.parent / "x.vocabulary.txt").write_text("half")
            raise error

    with pytest.raises(error):
        interrupted()
    assert everything(tmp_path) == before
    assert len(os.listdir(tmp_path)) == len(before)


@pytest.mark.parametrize("call", range(8))
@pytest.mark.parametrize("name", ["rename", "replace", "fsync"])
def test_a_failure_at_any_step_of_publishing_puts_the_old_files_back(tmp_path, monkeypatch, name, call):
    publish(tmp_path / "x.npz", content="old")
    before = everything(tmp_path)
    real, calls = getattr(os, name), iter(range(100))

    def failing(*arguments):
        if next(calls) == call:
            raise OSError(28, "No space left on device")
        return real(*arguments)

    monkeypatch.setattr(outputs.os, name, failing)
    try:
        publish(tmp_path / "x.npz", force=True)
    except OSError:
        assert everything(tmp_path) == before
    else:
        assert everything(tmp_path) == {"x.npz": b"new", "x.npz.privacy.json": b"new guarantee"}
    assert len(os.listdir(tmp_path)) == 2


@pytest.mark.parametrize("call", range(4))
def test_a_lone_file_is_old_or_new_at_every_failure(tmp_path, monkeypatch, call):
    (tmp_path / "x.txt").write_text("old")
    real, calls = os.fsync, iter(range(100))

    def failing(descriptor):
        if next(calls) == call:
            raise OSError(5, "Input/output error")
        real(descriptor)

    monkeypatch.setattr(outputs.os, "fsync", failing)
    with contextlib.suppress(OSError), atomic(tmp_path / "x.txt", True) as place:
        place.write_text("new")
    assert everything(tmp_path) == {"x.txt": b"old" if call < 2 else b"new"}
    assert os.listdir(tmp_path) == ["x.txt"]


def test_a_folder_replaces_a_link(tmp_path):
    (tmp_path / "out").symlink_to(tmp_path / "elsewhere")
    with atomic(tmp_path / "out", True) as place:
        write_texts(place, [DocumentBatch(0, ["a.txt"], ["x"])], file_format="folder")
    assert everything(tmp_path) == {"out/a.txt": b"x"}


@pytest.mark.parametrize("name", [".", "..", "/", "", "x" * 250])
def test_names_no_output_can_have(name):
    with pytest.raises(InputError, match="cannot be the name of an output"), atomic(name, True):
        pass


def test_the_guarantee_is_there_before_the_output_and_the_old_output_is_gone_before_that(tmp_path, monkeypatch):
    publish(tmp_path / "x.npz", content="old")
    seen: list[dict[str, bytes]] = []

    def watching(real):
        def step(*arguments):
            real(*arguments)
            seen.append({k: v for k, v in everything(tmp_path).items() if "/" not in k})

        return step

    monkeypatch.setattr(outputs.os, "rename", watching(os.rename))
    monkeypatch.setattr(outputs.os, "replace", watching(os.replace))
    publish(tmp_path / "x.npz", force=True)
    assert len(seen) == 4
    for files in seen:
        if "x.npz" in files:
            assert files["x.npz.privacy.json"] == files["x.npz"] + b" guarantee"


def test_existing_files_need_force_companions_too(tmp_path):
    (tmp_path / "x.vocabulary.txt").write_text("mine")
    with pytest.raises(InputError, match=r"x\.vocabulary\.txt exists; choose another -o or add --force\."):
        publish(tmp_path / "x.npz")
    (tmp_path / "dangling.npz").symlink_to(tmp_path / "nowhere")
    with pytest.raises(InputError, match="exists"):
        publish(tmp_path / "dangling.npz")
    assert sorted(os.listdir(tmp_path)) == ["dangling.npz", "x.vocabulary.txt"]


def test_force_removes_companions_that_no_longer_belong(tmp_path):
    with atomic(tmp_path / "x.npz") as place:
        write_npz(place, MATRIX, VOCABULARY, ["a", "b", "c"])
    assert (tmp_path / "x.ids.txt").read_text() == "a\nb\nc\n"
    with atomic(tmp_path / "x.npz", True) as place:
        write_npz(place, MATRIX, VOCABULARY, ["0", "1", "2"])
    assert sorted(os.listdir(tmp_path)) == ["x.npz", "x.vocabulary.txt"]


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path):
    def raced() -> None:
        with atomic(tmp_path / "x.txt") as place:
            place.write_text("new")
            (tmp_path / "x.txt").write_text("theirs")

    with pytest.raises(InputError, match="exists"):
        raced()
    assert everything(tmp_path) == {"x.txt": b"theirs"}


def test_the_input_is_never_replaced(tmp_path):
    source = tmp_path / "in.csv"
    source.write_text("t\nx\n")
    (tmp_path / "link.csv").symlink_to(source)
    os.link(source, tmp_path / "hard.csv")
    (tmp_path / "vocabulary.npz.privacy.json").symlink_to(source)
    for name in ("in.csv", "link.csv", "hard.csv", "vocabulary.npz"):
        for given in (source, tmp_path / "link.csv"):
            with pytest.raises(InputError, match="is, holds or lies in the input; choose another -o"):
                publish(tmp_path / name, True, given)
    assert source.read_text() == "t\nx\n"
    assert len(os.listdir(tmp_path)) == 4


def test_nothing_in_or_around_an_input_folder_is_replaced(tmp_path):
    folder = tmp_path / "around" / "in"
    folder.mkdir(parents=True)
    (folder / "a.txt").write_text("x")
    (folder / "out.txt").symlink_to(tmp_path / "elsewhere")
    for target in (folder / "a.txt", folder / "new.npz", folder / "out.txt", folder, tmp_path / "around"):
        with pytest.raises(InputError, match="is, holds or lies in the input"):
            publish(target, True, folder)
    assert sorted(os.listdir(folder)) == ["a.txt", "out.txt"]


def test_force_does_not_delete_a_folder_of_other_things(tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "a.tex").write_text("x")
    with pytest.raises(InputError, match="is a folder not written by allonym"):
        publish(tmp_path / "thesis", True)
    assert everything(tmp_path) == {"thesis/a.tex": b"x"}


def test_missing_folder_and_unwritten_output(tmp_path):
    with pytest.raises(InputError, match=r"none cannot be written to \(No such file or directory\); create"):
        publish(tmp_path / "none" / "x.txt")
    with pytest.raises(FileNotFoundError, match="was not written"), atomic(tmp_path / "x.txt"):
        pass
    assert os.listdir(tmp_path) == []


def test_standard_input_as_source_is_no_obstacle(tmp_path):
    publish(tmp_path / "x.txt", source=Path("-"))
    assert (tmp_path / "x.txt").read_text() == "new"


# Term vectors


def test_npz(tmp_path):
    write_terms(tmp_path / "x.npz", MATRIX, VOCABULARY, ["0", "1", "2"])
    loaded = load_npz(tmp_path / "x.npz")
    assert isinstance(loaded, csr_array)
    assert (loaded != MATRIX).nnz == 0
    assert (tmp_path / "x.vocabulary.txt").read_text().splitlines() == VOCABULARY
    assert sorted(os.listdir(tmp_path)) == ["x.npz", "x.vocabulary.txt"]
    with zipfile.ZipFile(tmp_path / "x.npz") as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_svmlight_counts_columns_from_one(tmp_path):
    write_terms(tmp_path / "x.svm", MATRIX, VOCABULARY, ["a", "b", "c"])
    assert (tmp_path / "x.svm").read_text() == "0 2:2 4:1\n0\n0 1:3\n"
    loaded, labels = load_svmlight_file(str(tmp_path / "x.svm"), n_features=4, zero_based=False)
    assert (loaded != MATRIX).nnz == 0
    assert labels.tolist() == [0, 0, 0]
    assert (tmp_path / "x.ids.txt").read_text() == "a\nb\nc\n"


def test_parquet_terms(tmp_path):
    kept = pa.table({"year": pa.array([1, None, 3], pa.int16()), "who": ["x", "y", "z"]})
    write_terms(tmp_path / "x.parquet", MATRIX, VOCABULARY, ["a", "b", "c"], kept)
    table = pq.read_table(tmp_path / "x.parquet")
    kinds = [pa.string(), pa.list_(pa.string()), pa.list_(pa.int32()), pa.int16(), pa.string()]
    assert table.schema.names == ["id", "terms", "counts", "year", "who"]
    assert table.schema.metadata is None
    assert all(found.equals(kind) for found, kind in zip(table.schema.types, kinds, strict=True))
    assert table.column("terms").to_pylist() == [["bee", "dog"], [], ["ape"]]
    assert table.column("counts").to_pylist() == [[2, 1], [], [3]]
    assert table.select(["year", "who"]).equals(kept)


def test_parquet_terms_in_row_groups_and_without_documents(tmp_path, monkeypatch):
    monkeypatch.setattr(outputs, "ROW_GROUP", 2)
    kept = pa.table({"n": [1, 2, 3]})
    write_parquet(tmp_path / "x.parquet", MATRIX, VOCABULARY, ["a", "b", "c"], kept)
    assert pq.read_metadata(tmp_path / "x.parquet").num_row_groups == 2
    assert pq.read_table(tmp_path / "x.parquet").equals(terms_table(MATRIX, VOCABULARY, ["a", "b", "c"], kept))
    write_parquet(tmp_path / "none.parquet", csr_array((0, 0), dtype=int), [], [])
    assert pq.read_table(tmp_path / "none.parquet").num_rows == 0


def test_equal_counts_give_equal_bytes_whatever_their_storage(tmp_path):
    """Stored zeros, unsorted or split entries and wide indices must leave no trace."""
    data, columns, rows = np.array([1, 1, 1, 3, 0]), np.array([3, 1, 1, 0, 2]), np.array([0, 3, 3, 5])
    odd = csr_array((data, columns.astype(np.int64), rows.astype(np.int64)), shape=(3, 4))
    for folder, matrix in (("one", MATRIX), ("two", odd), ("three", MATRIX.astype(np.uint8))):
        (tmp_path / folder).mkdir()
        for name in ("x.npz", "y.svmlight", "z.parquet"):
            with atomic(tmp_path / folder / name) as place:
                write_terms(place, matrix, VOCABULARY, ["a", "b", "c"])
    assert everything(tmp_path / "one") == everything(tmp_path / "two") == everything(tmp_path / "three")
    assert (odd.data == data).all(), "the caller's matrix stays as it was"
    assert not any(b"tmp" in content for content in everything(tmp_path / "one").values())


def test_term_outputs_that_cannot_be_written():
    with pytest.raises(InputError, match=r"end -o in one of: \.npz, \.parquet"):
        check_terms_output("x.csv")
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
@pytest.mark.parametrize("write", [write_npz, write_svmlight])
def test_payloads_that_cannot_be_written(tmp_path, write, matrix, ids, error, message):
    def attempt() -> None:
        with atomic(tmp_path / "x.npz") as place:
            write(place, matrix, VOCABULARY, ids)

    with pytest.raises(error, match=message):
        attempt()
    assert os.listdir(tmp_path) == []


# Texts

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
    write_texts(  # without atomic(), whose waiting for the disk would make a thousand tables slow
        target, changed, file_format=documents.format, text_column=documents.text, columns=documents.columns
    )
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
        assert found.schema.field(name).type.equals(table.schema.field(name).type)
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
    monkeypatch.setattr("allonym.jobs.texts.ROW_GROUP", 20)
    pq.write_table(pa.table({"text": ["x" * 10] * 50}), tmp_path / "a.parquet")
    assert pq.read_metadata(rewritten(tmp_path / "a.parquet", [], 7)).num_row_groups == 3
    monkeypatch.setattr("allonym.jobs.texts._ROW_GROUP_BYTES", 100)
    assert pq.read_metadata(rewritten(tmp_path / "a.parquet", [], 10)).num_row_groups == 5


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
                write_texts(place, documents, file_format=documents.format)
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
        write_texts(tmp_path / "out", [DocumentBatch(0, [identifier], ["x"])], file_format="folder")
    assert everything(tmp_path) == {}


def test_lone_surrogates_are_replaced_in_every_format(tmp_path):
    batch = DocumentBatch(0, ["a.txt"], ["x\ud800y"])
    for file_format in ("stdin", "text", "folder", "csv", "jsonl", "parquet"):
        write_texts(tmp_path / file_format, [batch], file_format=file_format)
    found = everything(tmp_path)
    assert found["stdin"] == found["text"] == found["folder/a.txt"] == "x\ufffdy".encode()
    assert found["csv"] == "text\nx\ufffdy\n".encode()
    assert found["jsonl"] == '{"text": "x\ufffdy"}\n'.encode()
    assert pq.read_table(tmp_path / "parquet").to_pylist() == [{"text": "x\ufffdy"}]


def test_formulas_are_exact_unless_asked_otherwise(tmp_path):
    kept = pa.table({"=k": ["@x", "1", None], "n": [-1, 2, 3]})
    batch = DocumentBatch(0, ["0", "1", "2"], ["=1+1", "-a,b", "\tc"], kept)
    write_texts(tmp_path / "a.csv", [batch], file_format="csv")
    assert (tmp_path / "a.csv").read_text() == 'text,=k,n\n=1+1,@x,-1\n"-a,b",1,2\n\tc,,3\n'
    write_texts(tmp_path / "a.csv", [batch], file_format="csv", excel_safe=True)
    assert (tmp_path / "a.csv").read_text() == "text,'=k,n\n'=1+1,'@x,-1\n\"'-a,b\",1,2\n'\tc,,3\n"


def test_kept_values_other_formats_lack(tmp_path):
    kept = pa.table({"d": [datetime.date(2000, 1, 2)], "f": [float("nan")], "b": [True], "l": [["é"]]})
    batch = DocumentBatch(0, ["0"], ["x"], kept)
    write_texts(tmp_path / "a.jsonl", [batch], file_format="jsonl")
    assert json.loads((tmp_path / "a.jsonl").read_text()) == {
        "text": "x",
        "d": "2000-01-02",
        "f": None,
        "b": True,
        "l": ["é"],
    }
    broken = pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff"]).buffers())
    with pytest.raises(InputError, match="not UTF-8; leave it out of --keep"):
        write_texts(tmp_path / "a.csv", [dataclasses.replace(batch, kept=pa.table({"k": broken}))], file_format="csv")


def test_texts_that_fit_no_file(tmp_path):
    with pytest.raises(ParameterError, match="must hold 1 document, got 2"):
        write_texts(tmp_path / "a.txt", [DocumentBatch(0, ["0", "1"], ["x", "y"])], file_format="text")
    with pytest.raises(ParameterError, match="at least one document"):
        write_texts(tmp_path / "a.csv", [], file_format="csv")
