"""A file that the page sends: one, in a form, with few fields beside it."""

from __future__ import annotations

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request

from allonym.web import guard
from allonym.web.fields import Invalid


async def one_file(request: Request, called: str, most_fields: int) -> tuple[str, bytes]:
    """Return the name and the content of the one file of a form, `called` "A table" or the like in a refusal."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "multipart/form-data":
        raise guard.Refused(415, f"{called} is sent as a form with a file; use the page itself.")
    try:
        async with request.form(max_files=1, max_fields=most_fields) as form:
            file = form.get("file")
            if not isinstance(file, UploadFile) or not file.filename:
                raise Invalid("There is no file in the request; choose one.")
            return file.filename, await file.read()
    except HTTPException:
        raise Invalid("The form cannot be read; send one file and nothing else.") from None
