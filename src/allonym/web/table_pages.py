"""The Table screen and its interface: upload, look, choose columns, work, save."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from allonym.errors import AllonymError, InputError
from allonym.formats.base import table_suffixes
from allonym.jobs.outputs import privacy_path
from allonym.web import arrival, downloads, pages, table, work
from allonym.web.api import MOST_POSITION, PREFIX, PROTECTIONS, Arriving, Handler, Operation, Room, answered, problem
from allonym.web.fields import ChoiceField, Record, Several, TextField, Whole
from allonym.web.uploads import one_file
from allonym.web.work import Busy

MOST_FIELDS = 64
_COLUMN = TextField(1_000, 1)
_START = Record(
    {
        "text": _COLUMN,
        "author": _COLUMN,
        "keep": Several(_COLUMN, MOST_FIELDS),
        "protection": PROTECTIONS,
        "position": Whole(0, MOST_POSITION),
        "first_row": ChoiceField((table.FIRST_ROW_NAMES,)),
        "names": ChoiceField(("keep", "mark", "replace")),
        "counts_as": ChoiceField(table.COUNTS_AS),
    },
    frozenset({"author", "first_row", "names", "counts_as"}),
)
_NO_QUOTE = table.Quote().to_json()
_NONE = {"state": "none", "name": "", "columns": [], "named": True, "rows": [], "count": 0, "guess": None, "done": 0,
         "total": 0, "problem": "", "promise": "", "command": "", "ledger": "", "chosen": None,
         "quote": _NO_QUOTE}  # fmt: skip
_KEPT = "The table is still here."
_FORGOTTEN = "This table was forgotten while it was read; choose it again."

Given = dict[str, Any]


async def screen(request: Request) -> Response:
    """Show the Table screen."""
    return pages.page(request, "table.html", "table", suffixes=", ".join(table_suffixes()), previewed=arrival.PREVIEWED)


async def upload(request: Request) -> Response:
    """Take a table; one file, few fields."""
    return await answered(_taken(request), "A table that was here before still is.")


async def _taken(request: Request) -> Response:
    room: Room = request.app.state.room
    name, content = await one_file(request, "A table", MOST_FIELDS)
    turn = room.expect(name)
    try:
        await _soon(room, lambda: _arrived(room, turn, name, content), lambda why: _missed(room, turn, why))
    except Busy:
        room.arriving = None
        raise
    return JSONResponse(await state(room, {}))


def _arrived(room: Room, turn: int, name: str, content: bytes) -> None:
    """Read a table and hold it, unless it was forgotten or another was taken meanwhile."""

    def progress(rows: int) -> None:
        if room.turn != turn:
            raise InputError(_FORGOTTEN)
        room.arriving = Arriving(name[:200], rows)

    try:
        read = arrival.read(name, content, progress)
    except BaseException:
        if room.turn == turn:
            room.arriving = None
        raise
    taken = table.UploadedTable(read)
    if room.turn != turn:
        taken.close()
        raise InputError(_FORGOTTEN)
    room.hold(taken)


def _missed(room: Room, turn: int, why: str) -> None:
    if room.turn == turn:  # otherwise it was forgotten, and nobody asks
        room.missed = why


async def _soon(room: Room, task: Callable[[], None], miss: Callable[[str], None]) -> None:
    """Do work that may take long: it goes on beyond the request, and a failure after its answer is missed."""
    late = False

    def noted() -> None:
        try:
            task()
        except Exception as error:
            if not late:
                raise
            miss(_sentence(error))  # nobody waits for the answer any more

    try:
        await room.tables.wait_for(noted, work.AT_ONCE)
    except Busy as busy:
        late = busy.goes_on
        if not late:
            raise


def _sentence(error: Exception) -> str:
    if isinstance(error, AllonymError):
        return str(error)
    return f"The table could not be read ({type(error).__name__}); check that its name fits what it holds."


async def state(room: Room, _: Given) -> object:
    """Return how far the table is."""
    if room.arriving is not None:
        return {**_NONE, "state": "reading", "name": room.arriving.name, "done": room.arriving.rows}
    if room.table is None:
        return {**_NONE, "problem": room.missed}
    shown = room.table.to_json()
    return {**shown, "problem": shown["problem"] or room.missed}


async def price(room: Room, given: Given) -> object:
    """Say what a choice would cost; more may be known later, and is then told with the state of the table."""
    if room.table is None:
        return _NO_QUOTE  # a table that was forgotten meanwhile costs nothing
    held, choice = _held(room), table.TableChoice(**given)
    if held.state not in ("checking", "running"):
        held.ask(choice)
        try:
            await _soon(room, lambda: held.look(choice, room.desk.purse), lambda why: held.miss(choice, why))
        except Busy as busy:
            held.miss(choice, str(busy))
    return held.quote


async def start(room: Room, given: Given) -> object:
    """Begin to protect a column."""
    held, loop = _held(room), asyncio.get_running_loop()
    held.check()

    def begin() -> None:
        try:
            _begin(room, held, resume=False)
        except Busy as busy:
            held.state, held.problem = "failed", str(busy)

    def begun() -> None:
        held.start(table.TableChoice(**given), room.desk.purse)
        with suppress(RuntimeError):  # the page was closed meanwhile
            loop.call_soon_threadsafe(begin)

    try:
        await _soon(room, begun, lambda why: setattr(held, "problem", why))
    except Busy:
        held.back()
        raise
    return held.to_json()


async def stop(room: Room, _: Given) -> object:
    """Stop after the rows at hand."""
    held = _held(room)
    held.stop()
    return held.to_json()


async def go_on(room: Room, _: Given) -> object:
    """Take a stopped job up again."""
    held = _held(room)
    held.go_on()
    _begin(room, held, resume=True)
    return held.to_json()


async def drop(room: Room, _: Given) -> object:
    """Delete the table and its result."""
    room.hold(None)
    return _NONE


def _begin(room: Room, held: table.UploadedTable, *, resume: bool) -> None:
    try:
        room.long.start(lambda: held.work(resume=resume))
    except Busy:
        held.state = "stopped" if resume else "ready"
        raise


async def save(request: Request) -> Response:
    """Give the result, its guarantee or its report; other names do not exist."""
    what = request.path_params["what"]
    if what not in ("result", "privacy", "report"):
        return problem(404, "There is no such file; choose one on the Tables screen.")
    return await answered(_saved(request.app.state.room, what), _KEPT)


async def _saved(room: Room, what: str) -> Response:
    held = _held(room)
    result = held.result()
    if what == "report":
        name, kind, content = await room.quick.do(downloads.table_report, held)
        return Response(content, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})
    path, suffix = (result, result.suffix) if what == "result" else (privacy_path(result), ".privacy.json")
    return FileResponse(path, media_type="application/octet-stream", filename=f"table.anon{suffix}")


def routes() -> list[Route]:
    """Return the routes that are no operations of the interface."""
    return [Route("/table", screen, methods=["GET"]), Route("/save-table/{what}", save, methods=["GET"])]


def _held(room: Room) -> table.UploadedTable:
    if room.table is None:
        raise InputError("There is no table; choose a file first.")
    return room.table


def _operation(path: str, method: str, summary: str, handler: Handler, body: Record | None = None) -> Operation:
    answers = tuple(_NO_QUOTE) if handler is price else tuple(_NONE)
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
