"""From a spreadsheet to a protected table, on the command line."""

from __future__ import annotations

import csv

from allonym.formats.files import open_documents
from tests.formats.test_spreadsheets import texts, workbook


def test_counts_of_a_survey_in_a_workbook_come_as_a_table(command, tmp_path):
    path = tmp_path / "survey.xlsx"
    workbook(path, [("id", "area", "answer"), (1, "north", "Coffee and trains"), (2, "south", "Trains are late")])
    options = ("--method", "syntf", "--words", "5", "--text", "answer", "--id", "id", "--keep", "area")
    command("anonymize", path, "-o", tmp_path / "counts.csv", *options).done()
    with (tmp_path / "counts.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file))
    assert header[:2] == ["id", "area"]
    assert all(name.startswith("word_") for name in header[2:])
    assert [sum(map(int, row[2:])) for row in rows] == [5, 5]
    text = command("anonymize", path, "--method", "random-replacement", "--words", "5", "--keep", "area").done()
    assert "'answer'" in text.err  # the column was found, and said
    assert texts(tmp_path / "survey.anon.xlsx", text="answer") != ["Coffee and trains", "Trains are late"]


def test_semicolons_and_an_old_encoding_go_through(command, tmp_path):
    path = tmp_path / "umfrage.csv"
    path.write_bytes("id;answer\n1;“Ça va”, déjà vu – 5 €\n".encode("cp1252"))
    result = command("anonymize", path, "--method", "identity", "--text", "answer", "--id", "id").done()
    assert "separated by semicolons" in result.err
    assert "read as cp1252" in result.err
    assert (tmp_path / "umfrage.anon.csv").read_text("utf-8").splitlines()[0] == "id;answer"
    named = command("anonymize", path, "--method", "identity", "--text", "answer", "--delimiter", ";", "--encoding",
                    "cp1252", "--force").done()  # fmt: skip
    assert "separated" not in named.err
    [batch] = list(open_documents(tmp_path / "umfrage.anon.csv", text="answer"))
    assert batch.texts == ["“Ça va”, déjà vu – 5 €"]
