"""`allonym check`: the answer, its exit codes, and what it refuses."""

from __future__ import annotations

import io
import statistics
import sys

import click
import pytest

from allonym.cli.check import rows as table_rows
from allonym.cli.check.printing import marked
from allonym.cli.talk import Talk
from allonym.formats.files import open_documents
from allonym.randomness import insecure
from allonym.recognition import reading
from allonym.recognition.evidence import Evidence, Place
from tests.recognition.writers import HABITS, TOPICS, written

CANARY = "zyxqcanaryqvo"
QUICK = ("--attackers", "words-svm,clear-channel")


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    root = tmp_path_factory.mktemp("known")
    for number, author in enumerate(HABITS):
        (root / author).mkdir()
        for text in range(4):
            (root / author / f"{text}.txt").write_text(written(author, 40, 10 * number + text), encoding="utf-8")
    return root


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text(written("ben", 40, 77), encoding="utf-8")
    return path


def test_the_answer_starts_with_one_sentence(command, known, text):
    result = command("check", text, "--known", known, *QUICK).done()
    first, *rest = result.out.splitlines()
    assert first.startswith("Among 4 writers, an attacker names the right one ")
    assert "This text looks most like ben (" in first
    assert sum("linear SVM: " in line for line in rest) == 2
    assert any("!" in line and "line " in line for line in rest if " %  " in line)
    assert "fewer than 500 words are unreliable" in result.err
    assert rest[0].startswith("By none of these: ")
    assert "of strangers' texts were taken for a known writer's" in rest[0]


def test_quiet_says_nothing_but_the_answer(command, known, text):
    assert command("check", text, "--known", known, *QUICK, "--quiet").done().err == ""


def test_with_the_author_named_it_says_where_they_stand_among_strangers(command, known, text):
    line = ("check", text, "--known", known, *QUICK)
    said = command(*line, "--me", "ben").done().out
    assert "Of 1,000 bloggers, none writes more like this than ben does in the known texts" in said
    assert "verifier, this text beside the writer’s others: " in said
    assert "Its habits are rarer together than in " in said
    found = command(*line, "--me", "ben", "--json").done().json["gauges"]
    assert [gauge["name"] for gauge in found] == ["standing", "rarity"]
    unnamed = command(*line, "--json").done().json["gauges"]
    assert [gauge["name"] for gauge in unnamed] == ["rarity", "company"]


def test_json_holds_places_but_not_the_text(command, known, tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text(f"{CANARY} {written('ben', 40, 77)}", encoding="utf-8")
    answer = command("check", path, "--known", known, *QUICK, "--json").done()
    assert CANARY not in answer.out
    found = answer.json
    assert (found["author"], found["authors"], found["me"]) == ("ben", 4, None)
    assert found["risk"] == found["opinions"][0]["candidates"][0]["probability"]
    assert {place["line"] for clue in found["clues"] for place in clue["places"]} <= set(range(1, 41))


def test_twice_the_same_answer(command, known, text):
    line = ("check", text, "--known", known, *QUICK, "--json")
    assert command(*line).out == command(*line).out


def test_the_usual_attackers_answer_too(command, known, text):
    found = command("check", text, "--known", known, "--json").done().json
    assert {one["attacker"] for one in found["opinions"]} == {
        "words-svm", "characters-svm", "writeprints-svm", "clear-channel",
    }  # fmt: skip
    assert found["author"] == "ben"


def test_me_is_recognised_or_has_a_rank(command, known, text):
    line = ("check", text, "--known", known, *QUICK)
    assert "This text is recognised: it looks most like ben" in command(*line, "--me", "ben").out
    other = command(*line, "--me", "cleo", "--json").done().json
    assert (other["recognised"], other["me"]) == (False, "cleo")
    assert other["rank"] > 1
    assert other["risk"] < 0.3


def test_fail_above_is_exit_1_with_the_answer_still_printed(command, known, text):
    line = ("check", text, "--known", known, *QUICK)
    above = command(*line, "--fail-above", "0.5")
    assert above.code == 1
    assert above.out.startswith("Among 4 writers")
    assert "is above 0.5" in above.err
    assert command(*line, "--fail-above", "1").code == 0
    assert command(*line, "--me", "cleo", "--fail-above", "0.5").code == 0


def test_show_marks_the_text(command, known, text):
    shown = command("check", text, "--known", known, *QUICK, "--show").done().out
    assert "[[" in shown
    assert text.read_text(encoding="utf-8") in shown.replace("[[", "").replace("]]", "")


def test_on_a_terminal_marks_are_bold_and_underlined(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stdout", Terminal())
    clues = [Evidence("marks", 0.5, (Place(7, 9, 1),)), Evidence("a mark", 0.1, (Place(8, 10, 1),))]
    assert marked("so good!!!?", clues, Talk()) == f"so good{click.style('!!!', bold=True, underline=True)}?"
    assert marked("so good!!!?", clues, Talk(color=False)) == "so good[[!!!]]?"


def test_escape_sequences_of_a_text_do_not_reach_the_terminal(command, known, tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("\x1b[31m!! " + written("ben", 40, 77), encoding="utf-8")
    assert "\x1b" not in command("check", path, "--known", known, *QUICK, "--show").done().out


def test_standard_input_and_a_folder(command, known, tmp_path):
    piped = command("check", "-", "--known", known, *QUICK, "--json", stdin=written("ada", 30, 5).encode())
    assert piped.done().json["author"] == "ada"
    for author in HABITS:
        (tmp_path / f"{author}.txt").write_text(written(author, 30, 6), encoding="utf-8")
    rows = command("check", tmp_path, "--known", known, *QUICK, "--json").done().json["documents"]
    assert [(row["id"], row["author"]) for row in rows] == [(f"{author}.txt", author) for author in sorted(HABITS)]
    table = command("check", tmp_path, "--known", known, *QUICK).done().out.splitlines()
    assert table[0].split("\t")[0] == "risk"
    assert sorted(line.split("\t")[-1] for line in table[1:5]) == [f"{author}.txt" for author in sorted(HABITS)]
    assert command("check", tmp_path, "--known", known, *QUICK, "--fail-above", "0.5").code == 1


def test_known_authors_from_a_table(command, known, text, tmp_path, write_table):
    rows = [
        {"who": path.parent.name, "said": path.read_text(encoding="utf-8")} for path in sorted(known.rglob("*.txt"))
    ]
    for suffix in (".csv", ".jsonl", ".parquet"):
        table = write_table(tmp_path / f"known{suffix}", rows)
        line = ("check", text, "--known", table, "--known-text", "said", "--known-author", "who", *QUICK, "--json")
        assert command(*line).done().json["author"] == "ben"
        as_before = ("check", text, "--known", table, "--text", "said", "--author", "who", *QUICK, "--json")
        assert command(*as_before).done().json["author"] == "ben"


def test_a_known_text_is_not_checked_against_itself(command, known):
    result = command("check", known / "ben" / "0.txt", "--known", known, *QUICK).done()
    assert "because they are the text to check: 1." in result.err


def test_two_texts_of_one_author(command, known, text, tmp_path):
    other, third = tmp_path / "other.txt", tmp_path / "third.txt"
    other.write_text(written("ben", 40, 78), encoding="utf-8")
    third.write_text(written("cleo", 40, 79), encoding="utf-8")
    same = command("check", text, "--same-as", other, "--known", known, "--json").done()
    different = command("check", text, "--same-as", third, "--known", known, "--json").done()
    assert different.json["probability"] < 0.5 < same.json["probability"]
    assert same.json["risk"] == same.json["probability"]
    assert same.json["measured"] is None
    assert "could not be tested" in same.err
    spoken = command("check", text, "--same-as", other, "--known", known, "--fail-above", "0.4")
    assert spoken.code == 1
    assert spoken.out.startswith("The two texts are by the same author with a probability of ")


def test_the_comparison_of_two_texts_is_tested_on_other_authors(command, text, tmp_path, write_table):
    # Nine writers, each with an opening and a mark that others have too, so that either half knows them all.
    rows = [
        {"who": f"{opening}{mark}", "said": " ".join(f"{opening} {TOPICS[t]} was there{mark}" for t in topics)}
        for first, opening in enumerate(["Well,", "So", "Indeed"])
        for second, mark in enumerate(["!!", " -", "."])
        for topics in insecure(10 * first + second).below(len(TOPICS), (4, 30)).tolist()
    ]
    table = write_table(tmp_path / "known.jsonl", rows)
    line = ("check", text, "--same-as", text, "--known", table, "--text", "said", "--author", "who")
    measured = command(*line, "--json").done().json["measured"]
    assert measured["accuracy"]["value"] > 0.75
    assert "by authors it did not learn from" in command(*line).done().out


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "no word"),
        (b" \n\t ", "no word"),
        (CANARY.encode() + b"\xe9\xff", "not UTF-8"),
        (b"\x7fELF\x00\x00" + CANARY.encode(), "null bytes"),
    ],
)
def test_garbage_is_refused_in_a_sentence(command, known, tmp_path, content, reason):
    path = tmp_path / "bad.txt"
    path.write_bytes(content)
    for line in (("check", path, "--known", known), ("check", "-", "--known", known)):
        refused = command(*line, stdin=content).refused()
        assert reason in refused.err
        assert CANARY not in refused.err


def test_bad_known_authors_are_refused_in_a_sentence(command, text, tmp_path):
    one = tmp_path / "one"
    (one / "ada").mkdir(parents=True)
    (one / "ada" / "1.txt").write_text(written("ada", 40, 1), encoding="utf-8")
    assert "two authors" in command("check", text, "--known", one, *QUICK).refused().err
    (one / "ben").mkdir()
    (one / "ben" / "1.txt").write_text("", encoding="utf-8")
    assert "without a word" in command("check", text, "--known", one, *QUICK).refused().err
    assert "does not exist" in command("check", text, "--known", tmp_path / "no", *QUICK).refused().err


def test_bad_options_are_refused(command, known, text):
    line = ("check", text, "--known", known)
    assert "--me is not among" in command(*line, *QUICK, "--me", "nobody").refused().err
    assert "There is no attacker" in command(*line, "--attackers", "psychic").refused().err
    for odd in ("7", "-1", "nan"):
        assert "--fail-above" in command(*line, "--fail-above", odd).refused().err
    assert "--same-as" in command(*line, "--same-as", text, "--me", "ben").refused().err
    for idle in (("--me", "ben"), QUICK, ("--known-author", "who"), ("--text", "said")):
        assert f"there is no use for {idle[0]}; name them with --known" in command("check", text, *idle).refused().err
    assert "--id names a column" in command(*line, "--id", "who").refused().err


def test_one_huge_line_and_another_script_are_judged(command, known, tmp_path):
    path = tmp_path / "huge.txt"
    path.write_text("a" * 300_000 + " " + "字" * 50_000 + " !!" * 1_000, encoding="utf-8")
    assert command("check", path, "--known", known, *QUICK, "--json").done().json["authors"] == 4


# without known writers


LETTER = (
    "We walked along the harbour; the gulls, upon the wall, were quarrelling. I'm sure nobody minded the rain. " * 12
)


@pytest.fixture
def letter(tmp_path):
    path = tmp_path / "letter.txt"
    path.write_text(LETTER, encoding="utf-8")
    return path


def test_without_known_writers_it_says_what_the_page_says(command, letter):
    result = command("check", letter).done()
    page = reading.read(LETTER, None)
    first, *rest = result.out.splitlines()
    assert first == f"{page.sentence} {page.verdict}"
    assert any("semicolon" in line and "line 1 “;”" in line for line in rest)
    for note in page.notes:
        assert note in result.err
    assert "--known FOLDER" in result.err
    found = command("check", letter, "--json").done().json
    assert (found["basis"], found["risk"]) == ("profile", page.risk)
    assert found["gauges"] == [gauge.to_json() for gauge in page.gauges]
    assert [gauge["better"] for gauge in found["gauges"]] == ["lower", "neither"]
    assert "harbour" not in str(found)
    assert "[[the]] gulls" in command("check", letter, "--show").done().out


def test_without_known_writers_the_risk_is_how_unusual_it_is(command, letter, tmp_path):
    risk = reading.read(LETTER, None).risk
    assert command("check", letter, "--fail-above", f"{risk - 0.01}").code == 1
    assert command("check", letter, "--fail-above", "1").code == 0
    short = tmp_path / "short.txt"
    short.write_text("Only five words in it.", encoding="utf-8")
    assert "too few for a verdict" in command("check", short).done().out
    assert "--fail-above cannot be decided" in command("check", short, "--fail-above", "0.5").err
    both = command("check", tmp_path, "--json").done().json["documents"]
    assert [(one["id"], one["basis"]) for one in both] == [("letter.txt", "profile"), ("short.txt", "nothing")]


def test_two_texts_are_compared_without_known_writers(command, letter, tmp_path):
    found = command("check", letter, "--same-as", letter, "--json").done().json
    assert found["risk"] > 0.9
    assert 0.5 < found["measured"]["accuracy"]["value"] < 1
    short = tmp_path / "short.txt"
    short.write_text("Only five words in it.", encoding="utf-8")
    assert "give longer ones" in command("check", letter, "--same-as", short).refused().err


# tables


@pytest.fixture
def rows():
    made = [{"name": f"row {author}", "said": written(author, 30, 6), "stars": 3} for author in HABITS]
    return [*made, {"name": "row of a known text", "said": written("ada", 40, 0), "stars": 1}]


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_each_row_of_a_table_is_checked(command, known, rows, tmp_path, write_table, suffix):
    table = write_table(tmp_path / f"table{suffix}", rows)
    line = ("check", table, "--text", "said", "--id", "name", "--known", known, *QUICK)
    answer = command(*line, "--json").done()
    found = answer.json["documents"]
    assert [one["id"] for one in found] == [row["name"] for row in rows]
    assert [one["author"] for one in found] == [*HABITS, "ada"]
    assert all(0 < one["certainty"] <= 1 and 0 <= one["none_of_these"] <= 1 for one in found)
    assert answer.out.count("\n") == len(rows) + 2  # a record a line
    assert answer.json["summary"]["rows"] == len(rows)
    assert "because they are the text to check: 1." in answer.err
    assert f"{len(rows)} rows" in answer.err


def test_a_table_for_people_and_for_fail_above(command, known, rows, tmp_path, write_table):
    table = write_table(tmp_path / "table.csv", rows)
    line = ("check", table, "--text", "said", "--known", known, *QUICK)
    lines = command(*line).done().out.splitlines()
    assert lines[0].split("\t")[0] == "risk"
    assert [one.split("\t")[2] for one in lines[1:]] == [*HABITS, "ada"]
    assert [one.split("\t")[-1] for one in lines[1:]] == ["0", "1", "2", "3", "4"]
    assert command(*line, "--fail-above", "0.5").code == 1
    assert command(*line, "--fail-above", "1").code == 0
    mine = command(*line, "--me", "ada", "--json").done().json["documents"]
    assert [one["recognised"] for one in mine] == [True, False, False, False, True]


def test_both_may_be_tables(command, known, rows, tmp_path, write_table):
    table = write_table(tmp_path / "table.csv", rows)
    texts = [{"who": path.parent.name, "body": path.read_text("utf-8")} for path in sorted(known.rglob("*.txt"))]
    reference = write_table(tmp_path / "known.jsonl", texts)
    line = ("check", table, "--text", "said", "--known", reference, "--known-text", "body", "--known-author", "who")
    assert [one["author"] for one in command(*line, *QUICK, "--json").done().json["documents"]] == [*HABITS, "ada"]


def test_a_table_without_known_writers(command, tmp_path, write_table):
    table = write_table(tmp_path / "table.csv", [{"said": LETTER, "n": "1"}, {"said": "Too short.", "n": "2"}])
    answer = command("check", table, "--text", "said", "--id", "n", "--json").done()
    first, second = answer.json["documents"]
    assert (first["id"], first["risk"]) == ("1", reading.read(LETTER, None).risk)
    assert (second["id"], second["risk"], second["basis"]) == ("2", None, "nothing")
    assert "--known FOLDER" in answer.err


def test_a_table_of_few_words_without_names_is_told_so(command, tmp_path):
    (tmp_path / "table.csv").write_text("Rain again today\nhello there\n", encoding="utf-8")
    said = command("check", tmp_path / "table.csv").done().err
    assert "1 row; none holds enough words to say anything." in said
    assert "The first row was taken for names of columns." in said
    (tmp_path / "named.csv").write_text("review\nhello there\n", encoding="utf-8")
    assert "The first row" not in command("check", tmp_path / "named.csv").done().err


def test_rows_without_a_word_are_told_and_exit_4(command, known, rows, tmp_path, write_table):
    table = write_table(tmp_path / "table.csv", [*rows[:2], {"name": "empty", "said": " ", "stars": 1}])
    result = command("check", table, "--text", "said", "--id", "name", "--known", known, *QUICK, "--json")
    assert result.code == 4
    assert "1 row without a word could not be checked" in result.err
    assert [one["words"] > 0 for one in result.json["documents"]] == [True, True, False]


def test_bad_tables_are_refused_in_a_sentence(command, known, rows, tmp_path, write_table):
    table = write_table(tmp_path / "table.csv", rows)
    assert "name one with --text" in command("check", table, "--known", known).refused().err
    assert "--show" in command("check", table, "--text", "said", "--known", known, "--show").refused().err
    assert "--same-as" in command("check", table, "--same-as", table).refused().err
    empty = write_table(tmp_path / "empty.csv", [{"said": " ", "n": "1"}])
    assert "no words in its text column" in command("check", empty, "--text", "said", "--known", known).refused().err
    canary = write_table(tmp_path / "canary.jsonl", [{"said": f"{CANARY}\0", "n": "1"}])
    refused = command("check", canary, "--text", "said", "--known", known).refused()
    assert "null bytes" in refused.err
    assert CANARY not in refused.err


def test_the_median_length_of_rows_is_counted_without_keeping_them(tmp_path, write_table):
    lengths = [1, 2, 2, 5, 5, 5, 9_000]
    table = write_table(tmp_path / "table.jsonl", [{"said": " ".join(["word"] * words)} for words in [0, *lengths]])
    assert table_rows.usual_words(open_documents(table, text="said")) == statistics.median(lengths)


def test_suggestions_are_printed_with_their_effect(command, tmp_path):
    letter = tmp_path / "letter.txt"
    letter.write_text(LETTER, encoding="utf-8")
    printed = command("check", letter, "--suggest").done().out
    assert "What would lower it" in printed
    assert "“upon” → “on” (a plainer word)" in printed
    answer = command("check", letter, "--suggest", "--json").done().json
    assert answer["suggestions"]["risk"] == answer["risk"]
    first = answer["suggestions"]["suggestions"][0]
    assert first["after"] <= first["before"]
    assert LETTER[first["start"] : first["stop"]] != first["new"]
    assert "suggestions" not in command("check", letter, "--json").done().json


def test_suggestions_against_known_writers(command, known, text):
    answer = command("check", text, "--known", known, "--me", "ben", *QUICK, "--suggest", "--json").done().json
    assert answer["suggestions"]["risk"] == pytest.approx(answer["risk"])


def test_suggestions_are_for_one_text(command, tmp_path):
    for number in range(2):
        (tmp_path / f"{number}.txt").write_text(LETTER, encoding="utf-8")
    table = tmp_path / "table.csv"
    table.write_text("text\nA letter.\n", encoding="utf-8")
    for source in (tmp_path, table):
        assert "one text" in command("check", source, "--suggest").refused().err
