"""A text that is not English: said before anything is drawn, and never a reason to refuse."""

from __future__ import annotations

import json

GERMAN = (
    "Gestern waren wir am See, obwohl es den ganzen Morgen geregnet hatte. Das Wasser war kalt, aber die Kinder "
    "wollten trotzdem unbedingt hinein."
)
WARNING = "Warning: This text seems to be German, not English."


def test_anonymize_and_check_say_it(command, tmp_path):
    path = tmp_path / "brief.txt"
    path.write_text(GERMAN, "utf-8")
    drawn = command("anonymize", path, "-o", "-", "--method", "random-replacement", "--words", "5").done()
    assert WARNING in drawn.err
    assert WARNING in command("anonymize", path, "--method", "random-replacement", "--dry-run").done().err
    assert WARNING in command("check", path).done().err
    assert command("check", path, "--quiet").done().err == ""


def test_of_a_table_it_is_said_how_many_rows(command, tmp_path):
    table = tmp_path / "answers.csv"
    table.write_text(f'id,answer\n1,"{GERMAN}"\n2,Good.\n', "utf-8")
    options = ("--method", "random-replacement", "--words", "5", "--text", "answer")
    result = command("anonymize", table, *options).done()
    assert "1 of the first 2 documents seems to be German" in result.err
    record = (tmp_path / "answers.anon.csv.privacy.json").read_text("utf-8")
    assert "German" not in json.dumps(json.loads(record))
