"""The page in this process, a real one on the loopback address, and a browser where there is one."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")
pytest.importorskip("uvicorn", reason="the extra `web` is not installed")
pytest.importorskip("jinja2", reason="the extra `web` is not installed")
pytest.importorskip("httpx", reason="Starlette's test client needs httpx")

from starlette.testclient import TestClient

from allonym.anonymizers.identity import Identity
from allonym.web import guard, heads, methods, server, work
from tests.conftest import PATIENCE

PORT = 8765
CURVE = methods.curve
ORIGIN = f"http://127.0.0.1:{PORT}"
LETTER = (Path(server.__file__).parent / "static" / "example.txt").read_text("utf-8")
_CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
_QUIET = ("gpu", "quic", "background-networking", "component-update", "sync")
_FLAGS = ["--headless", "--no-sandbox", "--no-first-run", *(f"--disable-{what}" for what in _QUIET)]


@dataclass
class Page:
    """The page and what it complained of."""

    access: guard.Access
    app: guard.Guard
    complaints: list[str] = field(default_factory=list)


@pytest.fixture
def page(monkeypatch) -> Page:
    """A page of its own for each test."""
    for part in (work, guard):  # a loaded machine must not fail a test of the page
        monkeypatch.setattr(part, "SECONDS", PATIENCE)
    monkeypatch.setattr(work, "AT_ONCE", PATIENCE)
    complaints: list[str] = []
    access = guard.Access(PORT)
    return Page(access, server.build(access, PORT, complaints.append), complaints)


@pytest.fixture
def stranger(page) -> Iterator[TestClient]:
    """A browser that has not opened the page."""
    with TestClient(page.app, base_url=ORIGIN, headers={"origin": ORIGIN}, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def client(page, stranger) -> TestClient:
    """A browser that has."""
    assert stranger.post("/open", json={"token": page.access.token}).status_code == 204
    return stranger


@pytest.fixture
def unproved(monkeypatch) -> None:
    """Let the style change be a method that is quick and without a proof, wherever its models are."""
    real = methods.anonymizer, methods.parameters
    chosen = {"style": Identity()}
    monkeypatch.setattr(methods, "anonymizer", lambda name, place: chosen.get(name) or real[0](name, place))
    monkeypatch.setattr(methods, "unprepared", methods.anonymizer)
    monkeypatch.setattr(methods, "parameters", lambda name, place: {} if name in chosen else real[1](name, place))
    monkeypatch.setattr(methods, "curve", lambda name, place: (None, 0) if name in chosen else CURVE(name, place))


@contextlib.contextmanager
def running(port: int = 0) -> Iterator[tuple[str, guard.Access, server._Server]]:
    """Run a real server in a thread; yields its address, its access and the server."""
    listener = server.listen(port)
    taken = listener.getsockname()[1]
    access = guard.Access(taken)
    app = server.build(access, taken)
    ready = threading.Event()
    real = server._Server(server.settings(app), ready.set)
    real.capture_signals = contextlib.nullcontext  # signals belong to the main thread
    thread = threading.Thread(target=real.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        yield f"http://127.0.0.1:{taken}", access, real
    finally:
        real.should_exit = True
        thread.join(PATIENCE)
        listener.close()


def raw(address: str, request: bytes) -> bytes:
    """Send bytes as they are and return the answer."""
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
        connection.sendall(request)
        answer = b""
        with contextlib.suppress(TimeoutError, ConnectionResetError):
            while chunk := connection.recv(65536):
                answer += chunk
    return answer


@pytest.fixture(scope="module")
def chromium():
    """A browser for the tests of a file: while it is open, its event loop runs, and other tests could start none."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if _CHROMIUM is None:
        pytest.skip("there is no chromium on this machine")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_CHROMIUM, args=_FLAGS, timeout=1000 * PATIENCE)
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium, monkeypatch):
    """Open the page in the browser: yields its tab and its address; fails on any error in its console."""
    for part in (work, guard):  # a loaded machine must not fail a test of the page
        monkeypatch.setattr(part, "SECONDS", PATIENCE)
    monkeypatch.setattr(heads.PromptHeads, "seconds", PATIENCE)
    with running() as (address, access, _):
        context = chromium.new_context(viewport={"width": 1280, "height": 900}, bypass_csp=False)
        context.set_default_timeout(1000 * PATIENCE)
        tab = context.new_page()
        errors: list[str] = []
        tab.on("pageerror", lambda error: errors.append(str(error)))
        tab.on("dialog", lambda dialog: (errors.append(f"dialog {dialog.message}"), dialog.dismiss()))
        tab.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        requests: list[str] = []
        tab.on("request", lambda request: requests.append(request.url))
        tab.goto(f"{address}/open#{access.token}")
        tab.wait_for_url("**/read")
        tab.requests = requests
        yield tab, address
        context.close()
        assert errors == []
        assert all(url.startswith((address, "blob:", "data:")) for url in requests)
