"""The Table screen and its interface: upload, look, choose columns, work, save."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from allonym.errors import AllonymError, InputError
from allonym.web import guard, methods, pages, table
from allonym.web.api import PREFIX, Room, problem, read_json
from allonym.web.fields import Choice, Invalid, Record, Several, Text, Whole
from allonym.web.work import RETRY_AFTER, Busy

MOST_FIELDS = 64
_COLUMN = Text(1_000, 1)
_START = Record(
    {
        "text": _COLUMN,
        "author": _COLUMN,
        "keep": Several(_COLUMN, MOST_FIELDS),
        "method": Choice(tuple(card.method for card in methods.CARDS)),
        "position": Whole(0, 63),
    },
    frozenset({"author"}),
)
_STATE = {"state": "none", "name": "", "columns": [], "rows": [], "done": 0, "total": 0, "problem": "", "promise": ""}

Answer = Callable[[Request], Awaitable[Response]]


async def screen(request: Request) -> Response:
    """Show the Table screen."""
    return pages.page("table.html", "table", suffixes=", ".join(table.SUFFIXES), previewed=table.PREVIEWED)


async def state(request: Request) -> Response:
    """Return how far the table is."""
    held = _room(request).table
    return JSONResponse(_STATE if held is None else held.to_dict())


async def upload(request: Request) -> Response:
    """Take a table; one file, few fields."""
    room = _room(request)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "multipart/form-data":
        raise guard.Refused(415, "A table is sent as a form with a file; use the page itself.")
    try:
        async with request.form(max_files=1, max_fields=MOST_FIELDS) as form:
            file = form.get("file")
            if not isinstance(file, UploadFile) or not file.filename:
                raise Invalid("There is no file in the request; choose one.")
            name, content = file.filename, await file.read()
    except HTTPException:
        raise Invalid("The form cannot be read; send one file and nothing else.") from None
    taken = await room.quick.do(table.take, name, content)
    if room.table is not None:
        room.table.close()
    room.table = taken
    return JSONResponse(taken.to_dict())


async def start(request: Request) -> Response:
    """Begin to protect a column."""
    room = _room(request)
    held = _held(room)
    given = _START.check(await read_json(request))
    await room.quick.do(lambda: held.start(**given))
    room.long.start(lambda: held.work(resume=False))
    return JSONResponse(held.to_dict())


async def stop(request: Request) -> Response:
    """Stop after the rows at hand."""
    held = _held(_room(request))
    held.stop()
    return JSONResponse(held.to_dict())


async def go_on(request: Request) -> Response:
    """Take a stopped job up again."""
    room = _room(request)
    held = _held(room)
    held.go_on()
    room.long.start(lambda: held.work(resume=True))
    return JSONResponse(held.to_dict())


async def drop(request: Request) -> Response:
    """Delete the table and its result."""
    room = _room(request)
    if room.table is not None:
        room.table.close()
        room.table = None
    return JSONResponse(_STATE)


async def save(request: Request) -> Response:
    """Give the result or its guarantee."""
    held = _held(_room(request))
    path = held.result() if request.path_params["what"] == "result" else held.promise_file()
    suffix = "".join(path.suffixes[-2:]) if path.name.endswith(".privacy.json") else path.suffix
    name = f"table.anon{suffix}"
    return FileResponse(path, media_type="application/octet-stream", filename=name)


def routes() -> list[Route]:
    """Return all routes of the table."""
    own = f"{PREFIX}/table"
    return [
        Route("/table", screen, methods=["GET"]),
        Route(
            own, _told(_by_method({"GET": state, "POST": upload, "DELETE": drop})), methods=["GET", "POST", "DELETE"]
        ),
        Route(f"{own}/start", _told(start), methods=["POST"]),
        Route(f"{own}/stop", _told(stop), methods=["POST"]),
        Route(f"{own}/resume", _told(go_on), methods=["POST"]),
        Route("/save-table/{what}", _told(save), methods=["GET"]),
    ]


def _by_method(answers: dict[str, Answer]) -> Answer:
    async def answer(request: Request) -> Response:
        return await answers["GET" if request.method == "HEAD" else request.method](request)

    return answer


def _told(answer: Answer) -> Answer:
    """Return the same, with errors told as everywhere."""

    async def careful(request: Request) -> Response:
        try:
            return await answer(request)
        except Invalid as invalid:
            return problem(422, str(invalid))
        except AllonymError as error:
            return problem(409, str(error), "The table is still here.")
        except Busy as busy:
            return problem(503, str(busy), "The table is still here.", {"Retry-After": str(RETRY_AFTER)})

    return careful


def _room(request: Request) -> Room:
    room: Room = request.app.state.room
    return room


def _held(room: Room) -> table.Table:
    held: Any = room.table
    if held is None:
        raise InputError("There is no table; choose a file first.")
    return held  # type: ignore[no-any-return]
