"""The Table screen and its interface: upload, look, choose columns, work, save."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from allonym.errors import AllonymError, InputError
from allonym.formats.base import table_suffixes
from allonym.web import guard, pages, table
from allonym.web.api import MOST_POSITION, PREFIX, PROTECTIONS, Handler, Operation, Room, problem
from allonym.web.fields import Choice, Invalid, Record, Several, Text, Whole
from allonym.web.work import RETRY_AFTER, Busy

MOST_FIELDS = 64
_COLUMN = Text(1_000, 1)
_START = Record(
    {
        "text": _COLUMN,
        "author": _COLUMN,
        "keep": Several(_COLUMN, MOST_FIELDS),
        "protection": PROTECTIONS,
        "position": Whole(0, MOST_POSITION),
        "first_row": Choice((table.FIRST_ROW_NAMES,)),
    },
    frozenset({"author", "first_row"}),
)
_NONE = {"state": "none", "name": "", "columns": [], "named": True, "rows": [], "done": 0, "total": 0, "problem": "",
         "promise": "", "command": "", "ledger": ""}  # fmt: skip
_KEPT = "The table is still here."
_SLOW_TABLE = (
    f"Reading the table takes longer than {guard.SECONDS:.0f} seconds; it goes on, so load this page again in a little "
    "while: the table is then here, or why it could not be read."
)

Given = dict[str, Any]


async def screen(request: Request) -> Response:
    """Show the Table screen."""
    return pages.page(request, "table.html", "table", suffixes=", ".join(table_suffixes()), previewed=table.PREVIEWED)


async def upload(request: Request) -> Response:
    """Take a table; one file, few fields."""
    try:
        return JSONResponse(await _taken(request))
    except Invalid as invalid:
        return problem(422, str(invalid))
    except AllonymError as error:
        return problem(409, str(error), "A table that was here before still is.")
    except Busy as busy:
        return problem(503, str(busy), headers={"Retry-After": str(RETRY_AFTER)})


async def _taken(request: Request) -> Given:
    room: Room = request.app.state.room
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
    room.missed = ""
    taking = _Taking(room, name, content, room.turn)
    try:
        return (await room.quick.do(taking.work)).to_dict()
    except Busy as busy:
        taking.late = busy.goes_on
        raise Busy(_SLOW_TABLE, goes_on=True) if busy.goes_on else busy from None


@dataclass
class _Taking:
    """Takes a table, however long that is: one whose request was answered meanwhile is here when it is done."""

    room: Room
    name: str
    content: bytes = field(repr=False)
    turn: int
    late: bool = False

    def work(self) -> table.Table:
        """Take it, and put it in the place of the former; for a worker."""
        try:
            taken = table.take(self.name, self.content)
        except Exception as error:
            if self.late:  # nobody waits for the answer any more
                self.room.missed = _missed(error)
            raise
        if self.room.turn != self.turn:
            taken.close()
            raise InputError("This table was forgotten while it was read; choose it again.")
        self.room.hold(taken)
        return taken


def _missed(error: Exception) -> str:
    if isinstance(error, AllonymError):
        return str(error)
    return f"The table could not be read ({type(error).__name__}); check that its name fits what it holds."


async def state(room: Room, _: Given) -> Any:  # noqa: ANN401 - ready for JSON
    """Return how far the table is."""
    return {**_NONE, "problem": room.missed} if room.table is None else room.table.to_dict()


async def price(room: Room, given: Given) -> Any:  # noqa: ANN401
    """Say what a choice would cost; nothing is drawn. A table that was forgotten meanwhile costs nothing to say."""
    if room.table is None:
        return {"sentence": "", "ledger": ""}
    return await room.quick.do(_held(room).price, table.Choice(**given), room.desk.purse)


async def start(room: Room, given: Given) -> Any:  # noqa: ANN401
    """Begin to protect a column."""
    held = _held(room)
    starting = _Starting(room, held, table.Choice(**given), asyncio.get_running_loop())
    try:
        await room.quick.do(starting.work)
    except Busy as busy:
        starting.late = busy.goes_on
        raise
    return held.to_dict()


@dataclass
class _Starting:
    """Starts a job, however long it takes to look at the table: one whose request was answered meanwhile begins too."""

    room: Room
    held: table.Table
    choice: table.Choice
    loop: asyncio.AbstractEventLoop
    late: bool = False

    def work(self) -> None:
        """Look at the table, and have the job begun; for a worker."""
        try:
            self.held.start(self.choice, self.room.desk.purse)
        except Exception as error:
            if self.late:
                self.held.problem = _missed(error)
            raise
        with suppress(RuntimeError):  # the page was closed meanwhile
            self.loop.call_soon_threadsafe(self._begin)

    def _begin(self) -> None:
        try:
            _begin(self.room, self.held, resume=False)
        except Busy as busy:
            self.held.state, self.held.problem = "failed", str(busy)


async def stop(room: Room, _: Given) -> Any:  # noqa: ANN401
    """Stop after the rows at hand."""
    held = _held(room)
    held.stop()
    return held.to_dict()


async def go_on(room: Room, _: Given) -> Any:  # noqa: ANN401
    """Take a stopped job up again."""
    held = _held(room)
    held.go_on()
    _begin(room, held, resume=True)
    return held.to_dict()


async def drop(room: Room, _: Given) -> Any:  # noqa: ANN401
    """Delete the table and its result."""
    room.hold(None)
    return _NONE


def _begin(room: Room, held: table.Table, *, resume: bool) -> None:
    try:
        room.long.start(lambda: held.work(resume=resume))
    except Busy:
        held.state = "stopped" if resume else "ready"
        raise


async def save(request: Request) -> Response:
    """Give the result or its guarantee; other names do not exist."""
    what = request.path_params["what"]
    if what not in ("result", "privacy"):
        return problem(404, "There is no such file; choose one on the Tables screen.")
    try:
        held = _held(request.app.state.room)
        path = held.result() if what == "result" else held.promise_file()
    except AllonymError as error:
        return problem(409, str(error), _KEPT)
    suffix = "".join(path.suffixes[-2:]) if path.name.endswith(".privacy.json") else path.suffix
    return FileResponse(path, media_type="application/octet-stream", filename=f"table.anon{suffix}")


def routes() -> list[Route]:
    """Return the routes that are no operations of the interface."""
    return [Route("/table", screen, methods=["GET"]), Route("/save-table/{what}", save, methods=["GET"])]


def _held(room: Room) -> table.Table:
    held: Any = room.table
    if held is None:
        raise InputError("There is no table; choose a file first.")
    return held  # type: ignore[no-any-return]


def _operation(path: str, method: str, summary: str, handler: Handler, body: Record | None = None) -> Operation:
    answers = ("sentence", "ledger") if handler is price else tuple(_NONE)
    return Operation(path, method, summary, handler, body, answers, kept=_KEPT)


OPERATIONS = (
    _operation("/table", "GET", "How far the table is", state),
    _operation("/table", "DELETE", "Forget the table", drop),
    _operation("/table/price", "POST", "What protecting a column would cost", price, _START),
    _operation("/table/start", "POST", "Protect a column", start, _START),
    _operation("/table/stop", "POST", "Stop after the rows at hand", stop),
    _operation("/table/resume", "POST", "Go on with a stopped job", go_on),
)
UPLOAD = f"{PREFIX}/table"
