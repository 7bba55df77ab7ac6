"""The screens: one URL each, filled in by templates that escape everything."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response

from allonym.web import downloads, guard, methods, reporting
from allonym.web.api import Room, answered, problem
from allonym.web.desk import Desk
from allonym.web.fields import Invalid, Record, TextField
from allonym.web.rendering import render
from allonym.web.work import RETRY_AFTER, Busy

SCREENS = (("read", "Read"), ("rewrite", "Rewrite"), ("report", "Report"))
_KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".txt": "text/plain"}
_TOKEN = Record({"token": TextField(200, 1)})


async def start(request: Request) -> Response:
    """Lead to the first screen."""
    return RedirectResponse("/read", 303)


async def read(request: Request) -> Response:
    """Show how recognisable a text is."""
    return page(request, "read.html", "read")


async def rewrite(request: Request) -> Response:
    """Show the protections and the draft."""
    return page(request, "rewrite.html", "rewrite", limit=methods.MOST_WORDS)


async def report(request: Request) -> Response:
    """Show what can be claimed."""
    room: Room = request.app.state.room
    if room.desk.draft is None:
        return page(request, "report.html", "report", report=None, files=[], limits=reporting.LIMITS)
    try:
        built = await room.quick.do(reporting.build, room.desk)
    except Busy as busy:
        return PlainTextResponse(f"{busy}\n", 503, {"Retry-After": str(RETRY_AFTER)})
    spent = {"spent": room.desk.spent_in_words, "ledger": room.desk.ledger}
    shown = {"report": built, "files": downloads.names(room.desk), "limits": reporting.LIMITS}
    shown["not_covered"] = reporting.NOT_COVERED
    return page(request, "report.html", "report", **shown, **spent)


async def limits(request: Request) -> Response:
    """Show what no text method can do."""
    return page(request, "limits.html", "limits", limits=reporting.LIMITS)


async def save(request: Request) -> Response:
    """Give one of the files; names that are not offered do not exist."""
    offered = downloads.OFFERED.get(request.path_params["name"])
    if offered is None:
        return problem(404, "There is no such file; choose one on the Report screen.")
    return await answered(_saved(request.app.state.room, offered[0]))


async def _saved(room: Room, make: Callable[[Desk], downloads.File]) -> Response:
    name, kind, content = await room.quick.do(make, room.desk)
    return Response(content, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


async def door(request: Request) -> Response:
    """Show the page that exchanges the token, which stands behind # in its address and is never sent with it."""
    return HTMLResponse(render("open.html"))


async def enter(request: Request) -> Response:
    """Exchange the one-time token for the cookie."""
    try:
        given = _TOKEN.check(await request.json())
    except (ValueError, RecursionError, Invalid):
        return problem(422, "The token cannot be read; open the address that `allonym serve` printed.")
    access: guard.Access = request.app.state.access
    cookie = access.exchange(given["token"])
    if cookie is None:
        return problem(403, "This address was opened before or is not the one printed; start `allonym serve` again.")
    return Response(status_code=204, headers={"Set-Cookie": cookie})


async def health(request: Request) -> Response:
    """Say that the page is there."""
    return JSONResponse({"status": "ready"})


async def static(request: Request) -> Response:
    """Give a script or style; only names that ship exist."""
    name = str(request.path_params["name"])
    if name == "figures.css":
        return Response(reporting.figure_styles(), media_type="text/css")
    content = _statics().get(name)
    if content is None:
        return PlainTextResponse("There is no such file.\n", 404)
    return Response(content, media_type=_KINDS[PurePosixPath(name).suffix])


def page(request: Request, template: str, screen: str, **given: Any) -> Response:  # noqa: ANN401 - what it shows
    """Return a screen."""
    desk = request.app.state.room.desk
    return HTMLResponse(render(template, screen=screen, screens=SCREENS, purse=desk.purse, **given))


@cache
def _statics() -> dict[str, bytes]:
    """Read all files that ship once, so that no name from outside ever becomes a path."""
    folder = files("allonym.web") / "static"
    return {entry.name: entry.read_bytes() for entry in folder.iterdir() if PurePosixPath(entry.name).suffix in _KINDS}
