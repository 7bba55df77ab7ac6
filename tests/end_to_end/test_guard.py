"""`allonym guard`: findings with the original beside them, from texts, folders and tables, and what is refused."""

from __future__ import annotations

import csv

import pytest

BEFORE = "They never paid us back the £145. The cat sat on the wall."
AFTER = "They paid us back the £154. The cat sat on the wall."
CANARY = "zyxqcanaryqvo"


@pytest.fixture
def texts(tmp_path):
    for name, text in (("before.txt", BEFORE), ("after.txt", AFTER)):
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path / "before.txt", tmp_path / "after.txt"


def table(path, rows):
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)
    return path


def test_findings_stand_with_their_sentences(command, texts):
    result = command("guard", *texts).done()
    assert result.err == ""
    lines = [line.strip() for line in result.out.splitlines()]
    assert "amount: The amount “£145” became “£154”." in lines
    assert "before: They never paid us back the £145." in lines
    assert "after: They paid us back the £154." in lines
    assert "2 findings in 1 text: amount 1, negation 1." in lines
    assert "content words kept: 100.0 % of 4" in lines
    assert "The cat sat" not in result.out


def test_json_has_places_in_both_texts(command, texts):
    [document] = command("guard", *texts, "--json").done().json["documents"]
    by_kind = {finding["kind"]: finding for finding in document["findings"]}
    start, end = by_kind["amount"]["before"]
    assert BEFORE[start:end] == "£145"
    start, end = by_kind["amount"]["after"]
    assert AFTER[start:end] == "£154"
    assert by_kind["negation"]["after"] is None
    assert document["figures"]["numbers"] == {"count": 0, "of": 1, "share": 0.0}


def test_nothing_changed_is_said(command, texts):
    assert "Nothing that matters seems to have changed in 1 text." in command("guard", texts[0], texts[0]).done().out


def test_one_side_may_be_standard_input(command, texts):
    assert "“£154”" in command("guard", "-", texts[1], stdin=BEFORE.encode()).done().out


def test_folders_are_compared_file_by_file(command, tmp_path):
    for folder, text in (("one", BEFORE), ("other", AFTER)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.txt").write_text(BEFORE, "utf-8")
        (tmp_path / folder / "b.txt").write_text(text, "utf-8")
    together = command("guard", tmp_path / "one", tmp_path / "other", "--json").done().json
    assert [document["id"] for document in together["documents"]] == ["a.txt", "b.txt"]
    assert together["together"]["documents"] == 2
    assert together["together"]["counts"] == {"amount": 1, "negation": 1}
    (tmp_path / "other" / "b.txt").rename(tmp_path / "other" / "c.txt")
    assert "b.txt" in command("guard", tmp_path / "one", tmp_path / "other").refused().err


def test_two_tables_or_two_columns(command, tmp_path):
    one = table(tmp_path / "one.csv", [("no", "letter", "anew"), ("7", BEFORE, AFTER), ("8", BEFORE, BEFORE)])
    other = table(tmp_path / "other.csv", [("no", "rewritten"), ("7", AFTER), ("8", BEFORE)])
    released = command("guard", one, "--text", "letter", "--released", "anew", "--id", "no", "--json").done().json
    both = command("guard", one, other, "--text", "letter", "--after-text", "rewritten", "--id", "no", "--json")
    assert both.done().json == released
    assert [document["id"] for document in released["documents"]] == ["7", "8"]
    assert [len(document["findings"]) for document in released["documents"]] == [2, 0]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["BEFORE"], "Name the rewrite"),
        (["BEFORE", "AFTER", "--released", "x"], "Name the rewrite"),
        (["BEFORE", "--released", "x", "--after-text", "y"], "second table"),
        (["-", "-"], "Only one"),
        (["BEFORE", "nowhere.txt"], "does not exist"),
        (["BEFORE", "AFTER", "--text", "x"], "no columns"),
    ],
)
def test_what_has_no_sense_is_refused(line, said, command, texts):
    spelled = [{"BEFORE": texts[0], "AFTER": texts[1]}.get(part, part) for part in line]
    assert said in command("guard", *spelled).refused().err


def test_a_text_without_its_rewrite_is_refused_and_not_shown(command, tmp_path):
    one = table(tmp_path / "one.csv", [("text",), (CANARY,), (CANARY,)])
    other = table(tmp_path / "other.csv", [("text",), (CANARY,)])
    result = command("guard", one, other)
    assert result.code == 2
    assert "fewer documents" in result.err
    assert CANARY not in result.err


def test_what_a_terminal_would_obey_is_escaped(command, tmp_path):
    before, after = tmp_path / "a.txt", tmp_path / "b.txt"
    before.write_text("We paid £60 \x1b[31m now.", "utf-8")
    after.write_text("We paid £16 \x1b[31m now.", "utf-8")
    assert "\x1b" not in command("guard", before, after).done().out


def test_binary_files_are_refused(command, texts, tmp_path):
    (tmp_path / "zeros.txt").write_bytes(b"a\0b")
    assert "null bytes" in command("guard", texts[0], tmp_path / "zeros.txt").refused().err
