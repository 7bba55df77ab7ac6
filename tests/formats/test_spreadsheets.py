"""What spreadsheets save: workbooks, and CSV with other separators and encodings."""

from __future__ import annotations

import csv
import zipfile
from datetime import date, datetime
from io import BytesIO

import numpy as np
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

from allonym.errors import InputError
from allonym.formats.files import open_documents
from allonym.formats.vectors import TermRows, check_terms_output, write_terms
from allonym.formats.xlsx import FORMAT as XLSX

openpyxl = pytest.importorskip("openpyxl")


def texts(path, **options):
    return [text for batch in open_documents(path, **options) for text in batch.texts]


def workbook(path, rows):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)


def test_a_workbook_of_a_spreadsheet_is_read(tmp_path):
    path = tmp_path / "survey.xlsx"
    rows = [
        ("id", "when", "score", "answer"),
        (1, date(2021, 3, 12), 0.5, "Line one\nline two"),
        (None, None, None, None),
        (2, datetime(2021, 3, 12, 14, 30), True, "=1+1 as text"),
        (3, None, 7.0, None),
    ]
    workbook(path, rows)
    documents = open_documents(path, text="answer", id="id", keep=["when", "score"])
    [batch] = list(documents)
    assert batch.texts[0] == "Line one\nline two"
    assert batch.texts[2] == ""
    assert batch.ids == ["1", "2", "3"]
    assert batch.kept["when"].to_pylist() == ["2021-03-12", "2021-03-12 14:30:00", ""]
    assert batch.kept["score"].to_pylist() == ["0.5", "TRUE", "7"]


def test_what_is_written_is_a_workbook_without_formulas(tmp_path):
    path = tmp_path / "out.xlsx"
    cells = ["=1+1", "+7", "007", "12", "-0.5", "_x000D_", "a\r\nb", "\x0b", "<&>", " x "]
    XLSX.write_tables(path, [pa.table({"text": cells})])
    book = openpyxl.load_workbook(path)
    read = [row[0] for row in book.active.iter_rows(values_only=True)]
    assert read[1:6] == ["=1+1", "+7", "007", 12, -0.5]
    assert {cell.data_type for row in book.active.iter_rows() for cell in row} <= {"s", "n", "inlineStr"}
    assert texts(path, text="text") == cells
    again = tmp_path / "again.xlsx"
    XLSX.write_tables(again, [pa.table({"text": cells[:4]}), pa.table({"text": cells[4:]})])
    assert again.read_bytes() == path.read_bytes()


def bomb(part: str, size: int) -> bytes:
    """A workbook of a few kilobytes whose part is large when it is unpacked."""
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive, archive.open(part, "w") as file:
        for _ in range(size >> 20):
            file.write(b"<row>" + b" " * ((1 << 20) - 5))
    return made.getvalue()


@pytest.mark.parametrize(
    ("part", "size"), [("xl/worksheets/sheet1.xml", 420 << 20), ("xl/sharedStrings.xml", 110 << 20)]
)
def test_a_zip_bomb_is_refused_before_it_is_read(tmp_path, part, size):
    content = bomb(part, size)
    assert len(content) < 1 << 20
    path = tmp_path / "bomb.xlsx"
    path.write_bytes(content)
    for read in (lambda: XLSX.check_size(content), lambda: texts(path)):
        with pytest.raises(InputError, match="too large when it is read"):
            read()


def test_a_cell_beyond_the_named_columns_is_no_text_to_lose(tmp_path):
    path = tmp_path / "a.xlsx"
    workbook(path, [("id", "answer"), (1, "x", "more")])
    with pytest.raises(InputError, match="row 2: there are cells beyond"):
        texts(path, text="answer")


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_other_separators_are_found_said_and_written(tmp_path, separator):
    path = tmp_path / "a.csv"
    rows = [("id", "answer"), ("1", '"Yes, I do"'), ("2", "No")]
    path.write_text("".join(f"{separator.join(row)}\n" for row in rows), "utf-8")
    documents = open_documents(path, text="answer", keep=["id"])
    assert [text for batch in documents for text in batch.texts] == ["Yes, I do", "No"]
    assert any("separated by" in sentence for sentence in documents.said)
    documents.format.write(tmp_path / "b.csv", documents, "answer", documents.columns)
    assert (tmp_path / "b.csv").read_text("utf-8").splitlines()[0] == f"id{separator}answer"
    assert not open_documents(path, text="answer", delimiter=separator).said


def test_a_comma_goes_before_what_stands_in_cells(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id,answer\n1,a; b\n2,c; d\n", "utf-8")
    assert texts(path, text="answer") == ["a; b", "c; d"]
    with pytest.raises(InputError, match="--delimiter must be"):
        texts(path, delimiter="x")


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252", "utf-8-sig"])
@pytest.mark.parametrize("suffix", [".csv", ".txt"])
def test_encodings_are_found_and_said(tmp_path, encoding, suffix):
    path = tmp_path / f"a{suffix}"
    content = "text\n“Ça va”, déjà vu – 5 €\n" if suffix == ".txt" else 'text\n"“Ça va”, déjà vu – 5 €"\n'
    path.write_bytes(content.encode(encoding))
    documents = open_documents(path)
    assert "“Ça va”, déjà vu – 5 €" in next(iter(documents)).texts[0]
    assert any(encoding in sentence for sentence in documents.said) == (encoding != "utf-8-sig")


def test_an_encoding_can_be_named_and_must_be_one(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("text\nпривет\n".encode("cp1251"))
    assert texts(path, encoding="cp1251") == ["привет"]
    with pytest.raises(InputError, match="There is no encoding"):
        texts(path, encoding="rot13")
    with pytest.raises(InputError, match="not UTF-8"):
        texts(path, encoding="utf-8")
    records = tmp_path / "a.jsonl"
    records.write_text('{"text": "x"}\n', "utf-8")
    with pytest.raises(InputError, match="has no use for --encoding"):
        texts(records, encoding="cp1252")


def test_the_text_column_is_found_only_if_its_name_leaves_no_doubt(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("who,answer\nann,Yes it is\nbob,No it is not\n", "utf-8")
    documents = open_documents(path)
    assert documents.text == "answer"
    assert "'answer'" in documents.said[0]
    path.write_text("comment,answer\nann,Yes it is\n", "utf-8")
    with pytest.raises(InputError, match="2 text columns"):
        texts(path)
    path.write_text("I was there,Nobody helped me\nann,Yes it is\n", "utf-8")
    with pytest.raises(InputError, match="may not be names"):
        texts(path)


def test_counts_are_written_with_their_words_and_kept_columns(tmp_path):
    source, path = pa.table({"area": ["north", "so,uth", "word"]}), tmp_path / "counts.csv"
    matrix = csr_array(np.array([[2, 0, 0, 1], [0, 0, 0, 3], [0, 4, 0, 0]]))
    halves = [TermRows(matrix[:2], ["a", "b"], source[:2]), TermRows(matrix[2:], ["c"], source[2:])]
    write_terms(path, lambda: halves, ["tea", "id", "never", "train"])
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["id", "area", "word_tea", "word_id", "word_train"]  # no word that nothing holds
    assert rows[1:] == [["a", "north", "2", "0", "1"], ["b", "so,uth", "0", "0", "3"], ["c", "word", "0", "4", "0"]]
    whole = tmp_path / "whole.csv"
    write_terms(whole, lambda: [TermRows(matrix, ["a", "b", "c"], source)], ["tea", "id", "never", "train"])
    assert whole.read_bytes() == path.read_bytes()
    with pytest.raises(InputError, match="is the name of a column that is written anyway"):
        check_terms_output(path, ["word_tea"])
