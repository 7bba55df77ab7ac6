"""Reading texts whose authors are known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from allonym.errors import InputError
from allonym.formats.authors import KnownTexts, read_authors, read_documents


def folder(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def test_sub_folders_are_authors_however_deep_their_texts_lie(tmp_path):
    known = read_authors(folder(tmp_path, {"ada/1.txt": "one", "ada/letters/2.txt": "two", "ben/1.TXT": "three"}))
    assert sorted(zip(known.authors, known.texts, strict=True)) == [("ada", "one"), ("ada", "two"), ("ben", "three")]


def test_without_sub_folders_each_file_is_an_author(tmp_path):
    known = read_authors(folder(tmp_path, {"ada.txt": "one", "ben-1.txt": "two", "ben-2.txt": "three", "note.md": "x"}))
    assert known.authors == ["ada", "ben-1", "ben-2"]


def test_files_beside_the_folders_of_authors_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"a \.txt file beside them; put every text"):
        read_authors(folder(tmp_path, {"ada/1.txt": "one", "stray.txt": "zyxsecret"}))


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_tables_need_a_column_of_authors(tmp_path, suffix):
    path = tmp_path / f"known{suffix}"
    if suffix == ".csv":
        path.write_text("who,said\nada,one word\nben,two words\n", encoding="utf-8")
    elif suffix == ".jsonl":
        rows = [{"who": "ada", "said": "one word"}, {"who": "ben", "said": "two words"}]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    else:
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table({"who": ["ada", "ben"], "said": ["one word", "two words"]}), path)
    assert read_authors(path, text="said", author="who") == KnownTexts(["one word", "two words"], ["ada", "ben"])
    with pytest.raises(InputError, match="--known-author"):
        read_authors(path, text="said")


def test_rows_without_an_author_are_refused(tmp_path):
    path = tmp_path / "known.csv"
    path.write_text("who,said\nada,one\n,zyxsecret\n", encoding="utf-8")
    with pytest.raises(InputError, match="1 row has no author") as refusal:
        read_authors(path, text="said", author="who")
    assert "zyxsecret" not in str(refusal.value)


def test_names_are_fit_for_a_terminal(tmp_path):
    known = read_authors(folder(tmp_path, {"a\x1b[31mda/1.txt": "one", "ben/1.txt": "two"}))
    assert known.authors == ["a\\x1b[31mda", "ben"]


def test_the_texts_to_be_checked_can_be_left_out():
    known = KnownTexts(["one ", "two", "\none"], ["a", "b", "c"])
    assert known.without(["one"]) == KnownTexts(["two"], ["b"])
    assert known.without(["three"]) == known


@pytest.mark.parametrize(
    ("content", "reason"), [(b"\x89PNG\r\n\x00\x01", "UTF-8"), (b"caf\xe9", "UTF-8"), (b"a\0b\0", "null bytes")]
)
def test_what_is_no_text_is_refused(tmp_path, content, reason):
    with pytest.raises(InputError, match=reason):
        read_authors(folder(tmp_path / "known", {"ada/1.txt": content, "ben/1.txt": "fine"}))
    with pytest.raises(InputError, match=reason):
        read_documents(str(folder(tmp_path, {"x.txt": content}) / "x.txt"))


def test_known_texts_must_be_a_folder_or_a_table(tmp_path):
    text = folder(tmp_path, {"x.txt": "words"}) / "x.txt"
    for source in ("-", text):
        with pytest.raises(InputError, match="need their authors"):
            read_authors(source)
    with pytest.raises(InputError, match="does not exist"):
        read_authors(tmp_path / "nowhere")
    with pytest.raises(InputError, match="leave out --known-text and --known-author"):
        read_authors(tmp_path, author="who")


def test_documents_have_names(tmp_path):
    folder(tmp_path, {"a.txt": "one", "b.txt": "two"})
    assert read_documents(str(tmp_path)) == (["a.txt", "b.txt"], ["one", "two"])
    assert read_documents(str(tmp_path / "a.txt")) == (["a.txt"], ["one"])
    (tmp_path / "t.csv").write_text("text\nx\n", encoding="utf-8")
    with pytest.raises(InputError, match="is not a text"):
        read_documents(str(tmp_path / "t.csv"))
