"""`--names` and what is said of names: on the command line, and never beside the output."""

from __future__ import annotations

import json

LETTER = "Dear Mrs Okafor, our bursar paid Anna Smith £1,200 in Leeds on 12 March. Anna knows."


def letter(tmp_path):
    path = tmp_path / "letter.txt"
    path.write_text(LETTER, "utf-8")
    return path


def test_names_become_placeholders(command, tmp_path):
    path = letter(tmp_path)
    result = command("anonymize", path, "--method", "identity", "--names", "replace")
    assert result.code == 0
    written = (tmp_path / "letter.anon.txt").read_text("utf-8")
    assert written == "Dear [NAME 1], our [ROLE 1] paid [NAME 2] [AMOUNT 1] in [PLACE 1] on [DATE 1]. [NAME 2] knows."
    assert "no proof" in result.err
    record = json.loads((tmp_path / "letter.anon.txt.privacy.json").read_text("utf-8"))
    assert record["parameters"]["names"] == "replace"
    assert "names" not in record  # counts are of the input, and for its owner alone
    assert not any(words in json.dumps(record) for words in ("Okafor", "Anna", "Leeds", "NAME"))


def test_names_that_stay_are_said_aloud(command, tmp_path):
    result = command("anonymize", letter(tmp_path), "-o", "-", "--method", "identity", "--json")
    assert "--names replace" in result.err
    told = json.loads(result.out)
    assert told["text"] == LETTER
    assert told["names"] == {"name": 3, "place": 1, "role": 1, "date": 1, "amount": 1}
    assert command("anonymize", letter(tmp_path), "-o", "-", "--method", "identity", "--quiet").err == ""


def test_names_are_marked_for_a_person(command, tmp_path):
    result = command("anonymize", letter(tmp_path), "-o", "-", "--method", "identity", "--names", "mark")
    assert "[NAME 2: Anna Smith]" in result.out


def test_a_method_that_hands_on_no_name_says_so(command, tmp_path):
    result = command("anonymize", letter(tmp_path), "--method", "random-replacement", "--names", "replace")
    assert result.code == 2
    assert "leave out --names" in result.err
    quiet = command("anonymize", letter(tmp_path), "-o", "-", "--method", "random-replacement")
    assert "Found" not in quiet.err


def test_check_begins_with_names(command, tmp_path):
    path = letter(tmp_path)
    plain = command("check", path, "--show")
    assert "Whom and what it names" in plain.out
    assert "[[Anna Smith]]" in plain.out
    told = json.loads(command("check", path, "--json").out)
    assert [mark["placeholder"] for mark in told["names"]][:2] == ["[NAME 1]", "[ROLE 1]"]


def test_tables_are_told_how_many_rows_hold_some(command, tmp_path):
    table = tmp_path / "survey.csv"
    table.write_text("id,answer\n1,Anna helped me.\n2,It was fine.\n", "utf-8")
    result = command("anonymize", table, "--method", "identity", "--text", "answer", "--id", "id", "--names", "replace")
    assert "in 1 of the first 2 documents: 1 name" in result.err
    assert "[NAME 1] helped me." in (tmp_path / "survey.anon.csv").read_text("utf-8")
