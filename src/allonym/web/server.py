"""Put the page together and run it on this machine's own address."""

from __future__ import annotations

import contextlib
import logging
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from allonym.web import api, guard, letters, methods, openapi, pages, table_pages
from allonym.web.desk import Desk
from allonym.web.heads import PromptHeads
from allonym.web.purse import Purse
from allonym.web.work import Worker

ADDRESS = "127.0.0.1"
_BACKLOG = 512

Answers = dict[str, Callable[[Request], Awaitable[Response]]]
# How long a thread that computes may keep the interpreter while another waits. After every wait for the network the
# page must get it back, and Python's usual 5 ms, once for each request, let 256 visitors wait for seconds.
_TURN_S = 0.0001


def build(
    access: guard.Access,
    port: int,
    complain: Callable[[str], None] = lambda _: None,
    purse: Purse | None = None,
    books: Sequence[str] = (),
) -> guard.Guard:
    """Return the whole page, guarded; `complain` is told of bugs, in sentences without text.

    `books` are folders of books whose sentences are offered, beside those that ship.
    """
    methods.take_books(books)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        before = sys.getswitchinterval()
        sys.setswitchinterval(_TURN_S)
        yield
        sys.setswitchinterval(before)
        for worker in (room.quick, room.long, room.tables):
            worker.close()
        room.forget()

    app = Starlette(routes=_routes(), lifespan=lifespan, exception_handlers={guard.Refused: _refused})
    app.router.redirect_slashes = False
    app.state.access = access
    app.state.room = room = api.Room(Desk(purse=purse), Worker("quick"), Worker("long"), Worker("tables"))
    return guard.Guard(app, access, port, complain)


def listen(port: int = 0) -> socket.socket:
    """Take a port of this machine alone; 0 takes any free one."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((ADDRESS, port))
        listening.listen(_BACKLOG)  # at once: until then somebody else could take the port, too
    except OSError:
        listening.close()
        raise
    return listening


def serve(listening: socket.socket, app: guard.Guard, started: Callable[[], None]) -> None:
    """Answer until the process is asked to stop."""
    logging.getLogger("uvicorn.error").disabled = True  # its tracebacks could hold text
    logging.getLogger("python_multipart").setLevel(logging.CRITICAL + 1)  # what is wrong with a form is answered
    server = _Server(settings(app), started)
    server.run(sockets=[listening])


def settings(app: guard.Guard) -> uvicorn.Config:
    """Return how the page is served."""
    return uvicorn.Config(
        app,
        http=PromptHeads,
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="on",
        backlog=_BACKLOG,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=32_768,
    )


class _Server(uvicorn.Server):
    """Says when it is ready, and ends on Ctrl-C without raising again."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._started()

    @contextlib.contextmanager
    def capture_signals(self) -> Any:  # noqa: ANN401 - a context manager
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _routes() -> list[Route]:
    screens = {
        "/health": pages.health,
        "/": pages.start,
        "/read": pages.read,
        "/rewrite": pages.rewrite,
        "/report": pages.report,
        "/limits": pages.limits,
        "/static/{name}": pages.static,
        "/save/{name}": pages.save,
        f"{api.PREFIX}/openapi.json": _described,
    }
    routes = [Route(path, endpoint, methods=["GET"]) for path, endpoint in screens.items()]
    routes += [
        Route(guard.DOOR, pages.door, methods=["GET"]),
        Route(guard.DOOR, pages.enter, methods=["POST"]),
    ]
    by_path: dict[str, Answers] = {
        table_pages.UPLOAD: {"POST": table_pages.upload},
        letters.UPLOAD: {"POST": letters.upload},
    }
    for operation in openapi.OPERATIONS:
        by_path.setdefault(f"{api.PREFIX}{operation.path}", {})[operation.method] = api.endpoint(operation)
    routes += [_operations(path, operations) for path, operations in by_path.items()]
    return [*routes, *table_pages.routes()]


def _operations(path: str, by_method: Answers) -> Route:
    """Return one route for all methods of a path, so that others are answered with 405 and what is allowed."""

    async def answer(request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        return await by_method[method](request)

    return Route(path, answer, methods=list(by_method))


async def _described(request: Request) -> Response:
    """Describe the interface."""
    return JSONResponse(openapi.description())


async def _refused(request: Request, refusal: Exception) -> Response:
    """Answer what was refused while its body arrived."""
    status, sentence = getattr(refusal, "status", 400), str(refusal)
    if request.url.path.startswith("/api/"):
        return api.problem(status, sentence, headers={"Connection": "close"})  # the rest of the body is not wanted
    return PlainTextResponse(f"{sentence}\n", status, {"Connection": "close"})
