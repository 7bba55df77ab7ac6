"""Word's documents: what a reader sees is read, the rest is left out, and hostile ones are refused in words."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allonym import cli
from allonym.errors import InputError
from allonym.formats import docx, zips
from allonym.formats.files import DocumentBatch, open_documents

NAMESPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:mc="urn:mc"'


def document(body: str, **parts: str) -> bytes:
    import io

    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", f"<w:document {NAMESPACE}><w:body>{body}</w:body></w:document>")
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def paragraph(*texts: str) -> str:
    return f"<w:p>{''.join(f'<w:r><w:t>{text}</w:t></w:r>' for text in texts)}</w:p>"


def written(path: Path, text: str) -> bytes:
    docx.FORMAT.write(path, [DocumentBatch(0, ["0"], [text])])
    return path.read_bytes()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(st.sampled_from("aé<&>\t 😀"), min_size=1).filter(str.strip), min_size=1), st.data())
def test_a_text_comes_back(tmp_path_factory, lines, data):
    breaks = data.draw(st.sampled_from(["\n", "\n\n"]))
    text = breaks.join(lines)
    path = tmp_path_factory.mktemp("docx") / "a.docx"
    assert docx.text_of(written(path, text)) == text
    assert written(path, text) == path.read_bytes()  # equal texts give equal bytes


def test_what_a_reader_sees_is_read_and_nothing_else():
    body = (
        paragraph("Dear ", "Ann,")
        + "<w:p><w:r><w:t>It</w:t></w:r><w:ins><w:r><w:t> really</w:t></w:r></w:ins>"
        + "<w:del><w:r><w:delText> never</w:delText></w:r></w:del><w:r><w:t> rained</w:t><w:br/><w:t>here.</w:t></w:r>"
        + "<w:r><w:instrText>DATE</w:instrText></w:r><w:r><w:tab/><w:noBreakHyphen/></w:r></w:p>"
        + "<w:tbl><w:tr><w:tc>" + paragraph("a cell") + "</w:tc></w:tr></w:tbl>"
        + "<w:p><w:r><mc:AlternateContent><mc:Choice><w:t>once</w:t></mc:Choice>"
        + "<mc:Fallback><w:t>twice</w:t></mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )  # fmt: skip
    text = docx.text_of(document(body, **{"word/comments.xml": paragraph("a comment")}))
    assert text == "Dear Ann,\n\nIt really rained\nhere.\t-\n\na cell\n\nonce"


def test_empty_paragraphs_between_are_those_of_the_writer():
    assert docx.text_of(document(paragraph("a") + "<w:p/>" + paragraph("b") + paragraph("c") + "<w:p/>")) == "a\n\nb\nc"


def test_a_paragraph_within_another_does_not_swallow_it():
    box = f"<w:p><w:r><w:t>out</w:t></w:r><w:r><w:txbxContent>{paragraph('in')}</w:txbxContent></w:r></w:p>"
    assert docx.text_of(document(box)) == "in\n\nout"


BOMBS = {
    "entities": b'<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]><d>&b;</d>',
    "no end": b"<w:document",
    "not xml": b"\x00\x01",
    "large": b" " * 120_000_000,
}


@pytest.mark.parametrize("name", list(BOMBS))
def test_hostile_documents_are_refused_in_words(name, tmp_path):
    path = tmp_path / "a.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", BOMBS[name])
    assert path.stat().st_size < 1_000_000
    with pytest.raises(InputError, match=r"save it (again )?as"):
        docx.text_of(path.read_bytes())


def test_a_size_that_lies_is_no_way_in(tmp_path, monkeypatch):
    monkeypatch.setattr(zips, "check_sizes", lambda *_: None)
    monkeypatch.setattr(docx, "_MOST_UNPACKED", 10_000)
    with pytest.raises(InputError, match="too large"):
        docx.text_of(document(paragraph("word " * 5_000)))
    monkeypatch.setattr(docx, "_MOST_UNPACKED", 10_000_000)
    monkeypatch.setattr(docx, "_MOST_CHARACTERS", 100)
    with pytest.raises(InputError, match="too large"):
        docx.text_of(document(paragraph("word " * 5_000)))


def test_deep_nesting_costs_no_depth():
    assert docx.text_of(document("<w:sdt>" * 50_000 + paragraph("deep") + "</w:sdt>" * 50_000)) == "deep"


@pytest.mark.parametrize("content", [b"", b"PK", b"no zip at all", b"PK\x03\x04" + b"\0" * 100])
def test_what_is_no_document_is_refused_by_its_name(content, tmp_path):
    path = tmp_path / "a.docx"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"a\.docx cannot be read as a document of Word"):
        open_documents(path)


def test_the_command_line_takes_one_and_gives_one_back(tmp_path, capsys):
    written(tmp_path / "letter.docx", "Dear Ann,\n\nIt rained all day.\n\nBen")
    line = ["anonymize", str(tmp_path / "letter.docx"), "--method", "identity", "--quiet"]
    assert cli.run(line) == 0, capsys.readouterr().err
    out = tmp_path / "letter.anon.docx"
    assert docx.text_of(out.read_bytes()) == "Dear Ann,\n\nIt rained all day.\n\nBen"
    names = zipfile.ZipFile(out).namelist()
    assert names == ["[Content_Types].xml", "_rels/.rels", "word/document.xml"]  # nobody's name, and no time
