"""Names are data too: of columns, which are written; of authors, who are counted; of documents, which are charged."""

from __future__ import annotations

import json
import unicodedata

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

REPLACED = ["--method", "random-replacement", "--words", "3"]
HEADERLESS = {
    "a sentence": "We met Ann Miller at the harbour.\nIt rained.\n",
    "a word": "Zyxqwort\nrain\nsnow\n",
    "two words": "Zyxqwort sank\nIt rained\n",
    "quoted": '"Ann, the zyxqwort, left"\n"It rained, too"\n',
    "a number beside": "1,Zyxqwort sank\n2,It rained\n",
    "an opinion": "good review\nbad review\n",
    "a name with a usual part": "zyxqwort_text\nother\n",
    "another language": "Жил-был зюксворт.\nШёл дождь.\n",
    "a long word": "z" * 3000 + "\nrain\n",
    "a formula": "=1+1\nrain\n",
    "a byte order mark": "\ufeffZyxqwort\nrain\n",
}


@pytest.mark.parametrize("content", HEADERLESS.values(), ids=HEADERLESS)
@pytest.mark.parametrize("dry", [[], ["--dry-run"]], ids=["run", "dry"])
def test_a_first_document_never_becomes_the_name_of_a_column(content, dry, command, tmp_path):
    (tmp_path / "in.csv").write_text(content, encoding="utf-8")
    result = command("anonymize", tmp_path / "in.csv", *REPLACED, *dry).refused()
    assert "--text" in result.err
    for word in content.replace(",", " ").split()[:3]:
        assert word.strip('".') not in result.err.replace(str(tmp_path), "") or len(word) < 4 or word == "review"
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_names_of_other_tables_may_be_documents_too(kind, command, tmp_path):
    """As after a CSV without a header went through a converter."""
    name = "We met Ann Miller at the harbour."
    if kind == "jsonl":
        (tmp_path / "in.jsonl").write_text(json.dumps({name: "It rained."}) + "\n", encoding="utf-8")
    else:
        pq.write_table(pa.table({name: ["It rained."]}), tmp_path / "in.parquet")
    result = command("anonymize", tmp_path / f"in.{kind}", *REPLACED).refused()
    assert "--text" in result.err
    assert "Miller" not in result.err
    named = command("anonymize", tmp_path / f"in.{kind}", "--text", name, *REPLACED).done()
    assert f"the name of the column ({name!r})" in named.err


@pytest.mark.parametrize("name", ["text", "Review", "comment_text", "reviewBody", "Q3_answer", "TEXT", "Kommentar"])
def test_a_usual_name_needs_no_option_and_is_listed(name, command, tmp_path):
    (tmp_path / "in.csv").write_text(f"n,{name}\n1,It rained.\n2,It snowed.\n", encoding="utf-8")
    command("anonymize", tmp_path / "in.csv", "--keep", "n", *REPLACED).done()
    assert (tmp_path / "in.anon.csv").read_text(encoding="utf-8").startswith(f"n,{name}\n")
    stated = json.loads((tmp_path / "in.anon.csv.privacy.json").read_text(encoding="utf-8"))["guarantee"]
    assert f"the names and order of the columns ('n', {name!r})" in stated["released_as_is"]


def test_a_question_is_a_name_if_the_user_says_so(command, tmp_path):
    question = "What did you like most?"
    (tmp_path / "in.csv").write_text(f"{question}\nThe rain.\n", encoding="utf-8")
    command("anonymize", tmp_path / "in.csv", *REPLACED).refused()
    command("anonymize", tmp_path / "in.csv", "--text", question, *REPLACED).done()
    assert (tmp_path / "in.anon.csv").read_text(encoding="utf-8").startswith(f"{question}\n")


def test_no_file_and_no_answer_tells_how_many_documents_an_author_has(command, syntf, tmp_path):
    told = []
    for number, authors in enumerate((["Ann"] * 7, ["Ann", "Bob", "Cem", "Dora", "Eve", "Fay", "Gus"])):
        rows = "".join(f"{author},It rained.\n" for author in authors)
        (tmp_path / "in.csv").write_text(f"who,text\n{rows}", encoding="utf-8")
        options = ["--text", "text", "--author", "who", *syntf, "-o", tmp_path / "o.npz", "--force"]
        result = command("--json", "anonymize", tmp_path / "in.csv", *options).done()
        told.append((result.out, result.err, (tmp_path / "o.npz.privacy.json").read_text(encoding="utf-8")))
        assert "n times" in result.err
        foreseen = command("--json", "anonymize", tmp_path / "in.csv", *options, "--dry-run").done().json
        assert foreseen["guarantee_per_author"]["documents"] == (7, 1)[number]
    assert told[0] == told[1]


JOSE = ["José", unicodedata.normalize("NFD", "José"), " José ", "JOSÉ", "josé\u00a0", "José\u200b"]


def test_one_author_in_many_spellings_has_one_cap(command, syntf, tmp_path):
    rows = "".join(f"{author},It rained.\n" for author in JOSE)
    (tmp_path / "in.csv").write_text(f"who,text\n{rows}", encoding="utf-8")
    spending = ["--text", "text", "--author", "who", *syntf, "--loss-per-word", "0.1", "-o", tmp_path / "o.npz"]
    ledger = ["--budget-db", tmp_path / "b.sqlite", "--dataset", "d"]  # 20 words: 2 for each document
    refused = command("anonymize", tmp_path / "in.csv", *spending, *ledger, "--cap-author", "2.5")
    assert refused.code == 3
    assert not (tmp_path / "o.npz").exists()
    foreseen = command("--json", "anonymize", tmp_path / "in.csv", *spending, "--dry-run").done().json
    assert foreseen["guarantee_per_author"]["documents"] == len(JOSE)


def test_one_author_in_many_spellings_has_one_cap_over_several_runs(command, syntf, tmp_path):
    ledger = ["--budget-db", tmp_path / "b.sqlite", "--dataset", "d", "--cap-author", "2.5"]
    codes = []
    for number, author in enumerate(JOSE):
        (tmp_path / "in.csv").write_text(f"key,who,text\nk{number},{author},It rained.\n", encoding="utf-8")
        options = ["--text", "text", "--author", "who", *syntf, "--loss-per-word", "0.1", "--force"]
        codes.append(command("anonymize", tmp_path / "in.csv", *options, *ledger, "-o", tmp_path / "o.npz").code)
    assert codes == [0, 3, 3, 3, 3, 3]


def test_one_document_in_many_spellings_has_one_cap(command, syntf, tmp_path):
    ledger = ["--budget-db", tmp_path / "b.sqlite", "--dataset", "d", "--cap-document", "2.5"]
    codes = []
    for key in JOSE:
        (tmp_path / "in.csv").write_text(f"key,text\n{key},It rained.\n", encoding="utf-8")
        options = ["--text", "text", "--id", "key", *syntf, "--loss-per-word", "0.1", "--force"]
        codes.append(command("anonymize", tmp_path / "in.csv", *options, *ledger, "-o", tmp_path / "o.npz").code)
    assert codes == [0, 3, 3, 3, 3, 3]


def test_ids_that_differ_in_spelling_only_are_refused(command, syntf, tmp_path):
    (tmp_path / "in.csv").write_text("key,text\nJOSÉ,rain\n josé,snow\n", encoding="utf-8")
    result = command("anonymize", tmp_path / "in.csv", "--text", "text", "--id", "key", *syntf).refused()
    assert "line 3: the id was used before" in result.err
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("Ann.txt", "ann.txt"):
        (folder / name).write_text("rain", encoding="utf-8")
    if len(list(folder.iterdir())) == 2:  # not where the file system folds case itself
        assert "rename one" in command("anonymize", folder, *REPLACED).refused().err
