"""A table may come in one format and leave in another: the name of the output says which."""

from __future__ import annotations

import csv
import itertools
import json

import pytest

from allonym.formats.base import table_suffixes
from allonym.formats.files import open_documents
from tests.formats.test_spreadsheets import workbook

ROWS = [
    {"id": "1", "area": "north; or =1+1", "answer": "Coffee, and trains"},
    {"id": "2", "area": "", "answer": "Trains «are» late\non two lines"},
]
TABLES = (".csv", ".jsonl", ".parquet", ".xlsx")
LEFT_ALONE = ("--method", "identity", "--text", "answer", "--id", "id", "--keep", "area")


@pytest.fixture
def source(tmp_path, write_table):
    """Write the rows as any format."""

    def write(suffix):
        path = tmp_path / f"in{suffix}"
        if suffix != ".xlsx":
            return write_table(path, ROWS)
        workbook(path, [tuple(ROWS[0]), *(tuple(row.values()) for row in ROWS)])
        return path

    return write


@pytest.mark.parametrize(("one", "other"), [*itertools.product(TABLES, repeat=2)])
def test_the_same_rows_come_out_whatever_the_formats(one, other, source, command, tmp_path):
    out = tmp_path / f"out{other}"
    command("anonymize", source(one), "-o", out, *LEFT_ALONE).done()
    [batch] = list(open_documents(out, text="answer", id="id", keep=["area"]))
    assert batch.texts == [row["answer"] for row in ROWS]
    assert batch.ids == ["1", "2"]
    assert [area or "" for area in batch.kept["area"].to_pylist()] == [row["area"] for row in ROWS]
    record = json.loads((tmp_path / f"out{other}.privacy.json").read_text("utf-8"))
    assert record["documents"] == 2


def test_chunks_of_a_job_are_in_the_format_of_the_output(source, command, tmp_path):
    out = tmp_path / "out.csv"
    command("anonymize", source(".xlsx"), "-o", out, *LEFT_ALONE, "--chunk-rows", 1).done()
    with out.open(encoding="utf-8", newline="") as file:
        assert list(csv.DictReader(file)) == ROWS


def test_what_stands_between_the_cells_of_a_csv_stays(command, tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("id;answer\n1;Coffee\n2;Trains\n", "utf-8")
    command("anonymize", path, "-o", tmp_path / "out.csv", *LEFT_ALONE[:-2]).done()
    assert (tmp_path / "out.csv").read_text("utf-8").splitlines()[0] == "id;answer"


def test_an_output_that_is_no_table_is_refused(source, command, tmp_path):
    refused = command("anonymize", source(".xlsx"), "-o", tmp_path / "out.docx", *LEFT_ALONE).refused()
    assert all(suffix in refused.err for suffix in table_suffixes())
    assert not (tmp_path / "out.docx").exists()
