"""Claim: 10,000 requests over 256 connections get no 5xx, and the page still says within 250 ms that it is there.

Connections are kept open and each sends its next request when the last was answered, while the page works on a text in
the background. Requests go to a screen, a script and the desk in turn; every fourth asks for the page's health, whose
95th percentile is the one that counts.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from _common import Row, run_script

from allonym.web import guard, server

REQUESTS = 10_000
CONNECTIONS = 256
TARGET_S = 0.25
PATHS = ("/health", "/read", "/static/page.css", "/api/v1/desk")


@dataclass
class Page:
    """A page that runs: where, its cookie, and what it holds."""

    port: int
    cookie: str
    room: Any

    def request(self, method: str, path: str, body: bytes = b"") -> bytes:
        """Return a request as its own browser would send it."""
        own = f"127.0.0.1:{self.port}"
        lines = [f"{method} {path} HTTP/1.1", f"Host: {own}", f"Cookie: {self.cookie}", f"Origin: http://{own}"]
        if body:
            lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        return "\r\n".join([*lines, "", ""]).encode() + body

    def read_answer(self, connection: socket.socket) -> int:
        """Read one answer to its end and return its status."""
        held = b""
        while b"\r\n\r\n" not in held:
            held += connection.recv(65536)
        head, _, body = held.partition(b"\r\n\r\n")
        left = length_of(head) - len(body)
        while left > 0:
            left -= len(connection.recv(min(left, 65536)))
        return int(head.split()[1])


def length_of(head: bytes) -> int:
    """Return the length of an answer's body."""
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0


@contextlib.contextmanager
def running() -> Iterator[Page]:
    """Run the page in a thread of this process."""
    import uvicorn

    place = server.listen()
    port = place.getsockname()[1]
    access = guard.Access(port)
    app = server.build(access, port)
    config = uvicorn.Config(app, log_config=None, access_log=False, ws="none", lifespan="on", backlog=512)
    ready = threading.Event()
    own = server._Server(config, ready.set)
    own.capture_signals = contextlib.nullcontext
    thread = threading.Thread(target=own.run, kwargs={"sockets": [place]})
    thread.start()
    ready.wait(30)
    try:
        cookie = (access.exchange(access.token) or "").partition(";")[0]
        yield Page(port, cookie, app._app.state.room)
    finally:
        own.should_exit = True
        thread.join(30)
        place.close()


async def load(page: Page, requests: int, connections: int) -> tuple[Counter[int], list[float]]:
    """Return how often each status came, and the seconds that each answer about health took."""
    statuses: Counter[int] = Counter()
    health: list[float] = []
    queue = iter(range(requests))

    async def one() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", page.port)
        for number in queue:
            path = PATHS[number % len(PATHS)]
            started = time.perf_counter()
            writer.write(page.request("GET", path))
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(length_of(head))
            statuses[int(head.split()[1])] += 1
            if path == "/health":
                health.append(time.perf_counter() - started)
        writer.close()

    await asyncio.gather(*(one() for _ in range(connections)))
    return statuses, health


def visit(port: int, cookie: str) -> tuple[Counter[int], list[float]]:
    """Send all requests; for a process of its own."""
    return asyncio.run(load(Page(port, cookie, None), REQUESTS, CONNECTIONS))


def busy(page: Page, done: threading.Event) -> None:
    """Keep the page reading a text until told to stop."""
    text = "It was raining; and the bell by the shed, as ever, was silent. " * 200
    while not done.is_set():
        page.room.desk.measure(text)


def measure(_: Path | None) -> list[Row]:
    """Send all requests while the page works."""
    with running() as page:
        done = threading.Event()
        worker = threading.Thread(target=busy, args=(page, done))
        worker.start()
        started = time.perf_counter()
        # In a process of its own: the page and its visitors would otherwise share one interpreter lock.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as visitors:
            statuses, health = visitors.submit(visit, page.port, page.cookie).result()
        seconds = time.perf_counter() - started
        done.set()
        worker.join()
    broken = sum(count for status, count in statuses.items() if status >= 500)
    slow = float(np.quantile(health, 0.95))
    numbers = {"p95_health_s": slow, "seconds": seconds, "server_errors": float(broken)}
    told = f"{broken} errors, {statuses[200]:,} answered in {seconds:.1f} s; 95 % of health within {1000 * slow:.0f} ms"
    claim = f"{REQUESTS:,} requests over {CONNECTIONS} connections, while the page works"
    return [Row(claim, f"0 errors, health < {1000 * TARGET_S:.0f} ms", told, broken == 0 and slow < TARGET_S, numbers)]


if __name__ == "__main__":
    run_script(measure)
