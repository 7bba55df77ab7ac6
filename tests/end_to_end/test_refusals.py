"""What `allonym anonymize` refuses, in one sentence that never holds a text."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from allonym.anonymizers.round_trip import RoundTrip


def bad_usages(folder: Path) -> dict[str, list[object]]:
    """Bad command lines by name; `SYNTF` stands for the quick method's options, `TABLE` for a sound table."""
    (folder / "bytes.txt").write_bytes(b"people \xff\xfe world")
    (folder / "bytes.csv").write_bytes(b"text\npeople\nwor\xffld\n")
    (folder / "bytes.jsonl").write_bytes(b'{"text": "\xff"}\n')
    (folder / "ragged.csv").write_bytes(b"text,n\npeople,1\nworld\n")
    (folder / "quotes.csv").write_bytes(b'text,n\n"people,1\n')
    (folder / "two.csv").write_bytes(b"a,b\npeople,world\n")
    (folder / "twice.csv").write_bytes(b"text,text\npeople,world\n")
    (folder / "semicolons.csv").write_bytes(b"text;n\npeople;1\nbirds;2;3\n")
    (folder / "ids.csv").write_bytes(b"text,id\npeople,1\nworld,1\n")
    (folder / "empty.csv").write_bytes(b"")
    (folder / "header.csv").write_bytes(b"text\n")
    (folder / "bad.jsonl").write_bytes(b'{"text": "people"}\n{"text": \n')
    (folder / "list.jsonl").write_bytes(b"[1, 2]\n")
    (folder / "number.jsonl").write_bytes(b'{"text": 5}\n')
    (folder / "bad.parquet").write_bytes(b"PAR1 nothing of the kind PAR1")
    pq.write_table(pa.table({"text": [1, 2]}), folder / "numbers.parquet")
    (folder / "page.html").write_bytes(b"<p>people")
    (folder / "none").mkdir()
    (folder / "none" / "image.png").write_bytes(b"png")
    (folder / "texts").mkdir()
    (folder / "texts" / "a.txt").write_bytes(b"people")
    inputs = {
        name: ["anonymize", folder / name, "SYNTF"]
        for name in (
            *("bytes.txt", "bytes.csv", "bytes.jsonl", "ragged.csv", "quotes.csv", "two.csv", "twice.csv"),
            *("semicolons.csv", "empty.csv", "header.csv", "bad.jsonl", "list.jsonl", "number.jsonl", "bad.parquet"),
            *("numbers.parquet", "page.html", "none", "absent.csv", "absent.txt", "absent", ""),
        )
    }
    of_table = ["anonymize", "TABLE", "--text", "text"]
    return inputs | {
        "no column --text": ["anonymize", "TABLE", "--text", "nothing", "SYNTF"],
        "no column --id": [*of_table, "--id", "nothing", "SYNTF"],
        "no column --author": [*of_table, "--author", "nothing", "SYNTF"],
        "no column --keep": [*of_table, "--keep", "nothing", "SYNTF", "-o", folder / "o.parquet"],
        "keeps the text": [*of_table, "--keep", "text", "SYNTF", "-o", folder / "o.parquet"],
        "ids repeat": ["anonymize", folder / "ids.csv", "--text", "text", "--id", "id", "SYNTF"],
        "keep in npz": [*of_table, "--keep", "who", "SYNTF", "-o", folder / "o.npz"],
        "columns of a text": ["anonymize", folder / "texts" / "a.txt", "--text", "text", "SYNTF"],
        "keep of a folder": ["anonymize", folder / "texts", "--keep", "a", "SYNTF"],
        "unknown output": [*of_table, "SYNTF", "-o", folder / "o.docx"],
        "output without folder": [*of_table, "SYNTF", "-o", folder / "absent" / "o.npz"],
        "output in input": ["anonymize", folder / "texts", "SYNTF", "-o", folder / "texts" / "o.npz"],
        "csv named docx": [*of_table, "--method", "identity", "-o", folder / "o.docx"],
        "no method": of_table,
        "unknown method": [*of_table, "--method", "magic"],
        "option of another method": [*of_table, "--method", "identity", "--words", "5"],
        "option of SynTF": [*of_table, "--method", "random-replacement", "--epsilon", "5"],
        "unknown option": [*of_table, "SYNTF", "--magic"],
        "no input": ["anonymize", "SYNTF"],
        "two inputs": ["anonymize", "TABLE", "TABLE", "SYNTF"],
        "seed not a number": [*of_table, "SYNTF", "--insecure-seed", "x"],
        "no vocabulary": [*of_table, "SYNTF", "--vocabulary", folder / "absent.txt"],
        "vocabulary not text": [*of_table, "SYNTF", "--vocabulary", folder / "bytes.txt"],
        "no embeddings": [*of_table, "SYNTF", "--embeddings", folder / "absent.txt"],
        "tf-idf unfitted": [*of_table, "SYNTF", "--composition", "tf-idf"],
        **{
            f"{option} {value}": [*of_table, "SYNTF", option, value]
            for option, values in {
                "--epsilon": ("nan", "inf", "-1", "0", "x", ""),
                "--loss-per-word": ("nan", "inf", "-1", "0"),
                "--words": ("-5", "0", "1.5", "nan"),
                "--spelling-weight": ("nan", "2", "-0.1"),
                "--morphology": ("stem",),
                "--min-documents": ("0",),
            }.items()
            for value in values
        },
    }


def test_every_bad_use_is_one_sentence_exit_2_and_nothing_written(table, command, syntf, everything, tmp_path):
    usages = bad_usages(tmp_path)
    before = everything(tmp_path)
    assert len(usages) > 60
    for name, line in usages.items():
        spelled = [
            part for word in line for part in (syntf if word == "SYNTF" else [table if word == "TABLE" else word])
        ]
        for extra in ([], ["--json"], ["--dry-run"]):
            if extra == ["--dry-run"] and name in ("output without folder", "output in input"):
                continue  # what only the writing can find out
            result = command(*spelled, *extra)
            assert result.code == 2, (name, result)
            result.refused()
            assert "bug" not in result.err, name
        assert everything(tmp_path) == before, name


def test_undecodable_standard_input_is_refused(command, syntf):
    assert "UTF-8" in command("anonymize", "-", *syntf, stdin=b"\xff").refused().err


# Canaries


def canaries() -> list[str]:
    """A thousand made-up words, of letters alone so that they count as words."""
    letters = "bdfghjklmn"
    return [f"zyxq{letters[i // 100]}{letters[i // 10 % 10]}{letters[i % 10]}qvo" for i in range(1000)]


@pytest.mark.parametrize("suffix", [".npz", ".parquet", ".svm"])
@pytest.mark.parametrize("kind", [".csv", ".jsonl", ".parquet"])
def test_canaries_never_leave(kind, suffix, command, syntf, write_table, readable, tmp_path):
    rows = [
        {"key": str(i), "who": f"{word}who", "text": f"people {word} {word.upper()}"}
        for i, word in enumerate(canaries())
    ]
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    path = write_table(tmp_path / "in" / f"table{kind}", rows)
    line = ["anonymize", path, "--text", "text", "--id", "key", "--author", "who", *syntf, "-o"]
    result = command(*line, tmp_path / "out" / f"o{suffix}", "--json").done()
    everywhere = readable(tmp_path / "out") + result.out + result.err
    result = command(*line, tmp_path / "out" / f"o{suffix}", "--dry-run").done()
    everywhere = (everywhere + result.out + result.err).lower()
    assert "people" not in result.err  # the search would find what is there
    assert "zyxq" in path.read_bytes().decode("utf-8", "replace").lower()
    assert [word for word in canaries() if word in everywhere] == []
    assert "zyxq" not in everywhere


def test_canaries_never_leave_in_errors(command, syntf, readable, tmp_path, monkeypatch):
    word = canaries()[500]
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    broken = {
        "a.txt": f"{word} \xff".encode("latin-1"),
        "ragged.csv": f"text,n\n{word},1\n{word}\n".encode(),
        "wide.csv": f"text,n\n{word},1,{word},{word}\n".encode(),
        "quote.csv": f'text,n\n"{word},1\n'.encode(),
        "bytes.csv": f"text,n\n{word}\xff,1\n".encode("latin-1"),
        "ids.csv": f"text,n\n{word},{word}\n{word},{word}\n".encode(),
        "bad.jsonl": f'{{"text": "{word}" {word}\n'.encode(),
        "twice.jsonl": f'{{"text": "{word}", "text": "{word}"}}\n'.encode(),
        "list.jsonl": f'["{word}"]\n'.encode(),
        "nested.jsonl": f'{{"text": {{"{word}": "{word}"}}, "n": "{word}"}}\n'.encode(),
        "surrogate.jsonl": f'{{"text": "{word}", "n": "{word}\\ud800"}}\n'.encode(),
        "bad.parquet": f"PAR1{word}PAR1".encode(),
    }
    monkeypatch.chdir(tmp_path / "out")
    for name, content in broken.items():
        path = tmp_path / "in" / name
        path.write_bytes(content)
        columns = [] if name == "a.txt" else ["--text", "text", "--id", "n"]
        result = command("anonymize", path, *columns, *syntf, "-o", "o.parquet").refused()
        assert "zyxq" not in result.err, name
        assert readable(tmp_path / "out") == "[]", name


def test_first_row_of_a_table_without_header_is_not_shown(command, syntf, tmp_path):
    (tmp_path / "in.csv").write_text(f"1,{canaries()[0]}\n2,people\n", encoding="utf-8")
    assert "zyxq" not in command("anonymize", tmp_path / "in.csv", "--text", "text", *syntf).refused().err


def test_too_many_words_are_bad_usage(command, syntf):
    command("anonymize", "-", *syntf, "--words", "9" * 30, stdin=b"people").refused()


def test_a_huge_epsilon_is_refused_or_no_strong_guarantee(command, syntf):
    result = command("guarantee", *syntf, "--epsilon", "1e308", "--json")
    assert result.code == 2 or result.json["guarantee"]["loss_per_word"] > 1


def test_a_tiny_loss_is_refused_or_reached(command, syntf):
    assert command("guarantee", *syntf, "--loss-per-word", "1e-30").code in (0, 2)


def test_the_input_is_no_reference_for_itself(command, tmp_path):
    (tmp_path / "in.csv").write_text("text\ncoffee on the train\n", encoding="utf-8")
    options = ("--method", "syntf", "--reference", tmp_path / "in.csv")
    assert "reference is the input itself" in command("anonymize", tmp_path / "in.csv", *options).refused().err
    options = ("--method", "identity", "--reference", tmp_path / "in.csv")
    assert "has no use for --reference with" in command("anonymize", tmp_path / "in.csv", *options).refused().err


def test_what_is_not_installed_is_said_alone_and_charges_nothing(command, tmp_path, monkeypatch):
    monkeypatch.setattr(RoundTrip, "missing", lambda _: "Run `pip install something`.")
    letter, ledger = tmp_path / "letter.txt", tmp_path / "ledger.db"
    letter.write_text("Anna Meyer met me in Leeds.", encoding="utf-8")
    line = ("anonymize", letter, "--method", "round-trip", "--budget-db", ledger)
    assert "pip install something" in command(*line).refused().err
    assert not ledger.exists()
