"""A letter on its way in: a document of a word processor, a saved mail, or a mail that was pasted.

Nothing of it is written to disk, and nothing is kept here: the page puts the text into its own field.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from allonym.errors import InputError
from allonym.formats import docx, mail
from allonym.web.api import PREFIX, Operation, Room, answered
from allonym.web.fields import MOST_CHARACTERS, Record, TextField
from allonym.web.uploads import one_file

UPLOAD = f"{PREFIX}/letter"
_MOST_FIELDS = 4
_KEPT = "Your text here is as it was."
_MAIL = ("headers", "quoted", "signature", "body")


async def upload(request: Request) -> Response:
    """Return the text of a document; one file, nothing else."""
    return await answered(_taken(request), _KEPT)


async def _taken(request: Request) -> Response:
    room: Room = request.app.state.room
    name, content = await one_file(request, "A document", _MOST_FIELDS)
    return JSONResponse(await room.quick.do(_read, name, content))


def _read(name: str, content: bytes) -> dict[str, str]:
    """Return the text of a document, and what was left out."""
    suffix = PurePosixPath(name).suffix.lower()
    if suffix in docx.FORMAT.suffixes:
        text, note = docx.text_of(content), docx.LEFT_OUT
    elif suffix == ".eml":
        text, note = mail.text_of(content), ""
    else:
        raise InputError("This is not a text that can be read; save it as .docx or .txt.")
    if len(text) > MOST_CHARACTERS:
        raise InputError(f"The document has more than {MOST_CHARACTERS:,} characters; use the command line.")
    return {"text": text, "note": note}


async def part(room: Room, given: dict[str, Any]) -> object:
    """Return which lines of a pasted text are not its writer's, and the text without them."""
    parted = await room.quick.do(mail.parted, given["text"])
    return {name: getattr(parted, name) for name in _MAIL}


OPERATIONS = (
    Operation("/mail", "POST", "What of a pasted mail is not its writer's", part, Record({"text": TextField()}), _MAIL),
)
