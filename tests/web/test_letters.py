"""Texts on their way in: documents of a word processor, saved mails, and mails that were pasted."""

from __future__ import annotations

import io
import zipfile

from allonym.formats import docx
from allonym.formats.files import DocumentBatch
from tests.web.conftest import LETTER

MAIL = "From: Ann\nTo: Ben\nSubject: Rain\n\nIt rained all day.\n\nOn Monday, Ben wrote:\n> Did it rain?\n-- \nAnn\n"


def sent(client, name: str, content: bytes):
    return client.post("/api/v1/letter", files={"file": (name, content)})


def test_a_document_of_word_is_read(client, page, tmp_path):
    docx.FORMAT.write(tmp_path / "a.docx", [DocumentBatch(0, ["0"], [LETTER])])
    answer = sent(client, "Letter.DOCX", (tmp_path / "a.docx").read_bytes()).json()
    assert answer["text"] == LETTER.rstrip("\n")
    assert "comments" in answer["note"]
    assert client.get("/api/v1/desk").json()["text"] == ""  # nothing is kept until it is read
    assert page.complaints == []


def test_what_is_no_document_is_refused_in_words(client, page):
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b" " * 150_000_000)
    for name, content, said in (
        ("a.docx", b"PK no", "cannot be read"),
        ("a.docx", bomb.getvalue(), "too large when it is read"),
        ("a.odt", b"PK", "save it as .docx or .txt"),
    ):
        answer = sent(client, name, content)
        assert answer.status_code == 409
        error = answer.json()["error"]
        assert said.lower() in f"{error['happened']} {error['next']}".lower()
        assert error["kept"] == "Your text here is as it was."
    kind = {"content-type": "application/x-www-form-urlencoded"}
    assert client.post("/api/v1/letter", content=b"a=1", headers=kind).status_code == 415
    assert client.post("/api/v1/letter", files={"other": ("a.docx", b"")}).status_code == 422
    assert page.complaints == []


def test_a_mail_is_read_and_parted(client):
    content = (
        b"From: Ann <ann@example.org>\r\nSubject: =?utf-8?q?R=C3=A4in?=\r\nContent-Type: text/plain; charset=utf-8"
    )
    content += b"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nIt rained =C3=A4ll day.\r\n> Did it?\r\n"
    text = sent(client, "a.eml", content).json()["text"]
    assert "Subject: Räin" in text
    assert "It rained äll day." in text
    parts = client.post("/api/v1/mail", json={"text": text}).json()
    assert (parts["headers"], parts["quoted"], parts["body"]) == (2, 1, "It rained äll day.")
    parts = client.post("/api/v1/mail", json={"text": MAIL}).json()
    assert parts == {"headers": 3, "quoted": 2, "signature": 2, "body": "It rained all day."}
    assert client.post("/api/v1/mail", json={"text": LETTER}).json()["headers"] == 0
