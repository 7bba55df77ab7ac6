"""Who may talk to the page, and what every answer carries."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import threading
import time
from pathlib import Path

import pytest
from starlette.responses import JSONResponse
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from allonym.web import api, guard, heads, openapi, server, table_pages, work
from tests.conftest import PATIENCE
from tests.web.conftest import LETTER, ORIGIN, PORT, raw, running

WEB = Path(server.__file__).parent
EVIL = (
    "evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "evil.127.0.0.1", "0.0.0.0", "127.1", "[::1]",
)  # fmt: skip
HOSTS = [
    *(f"{name}{port}" for name in EVIL for port in ("", f":{PORT}", ":80", ":0", f":{PORT}.")),
    *(f"127.0.0.{number}:{PORT}" for number in range(2, 100)),
    *(f"127.0.0.1:{port}" for port in (*range(8700, 8730), 80, 443, 8, 87650, 18765)),
    *(f"{before}127.0.0.1:{PORT}{after}" for before in ("", "@", "evil@", "x.") for after in ("@evil", "/", "#", "?x")),
    *(f"{before}127.0.0.1:{PORT}{after}" for before in (" ", ".") for after in ("@evil", "/", "#", "?x", ".")),
    *(f"{number}:{PORT}" for number in ("2130706433", "0x7f000001", "017700000001", "LOCALHOST", "127.0.0.1:0")),
    *(f"127.0.0.1:{PORT}{after}" for after in (" ", ",evil", "0", ".")),
    "", "127.0.0.1", "localhost", f"http://127.0.0.1:{PORT}",
]  # fmt: skip
ROUTES = [
    *((operation.method, f"{api.PREFIX}{operation.path}") for operation in openapi.OPERATIONS),
    ("POST", table_pages.UPLOAD),
    *(("GET", path) for path in ("/", "/read", "/rewrite", "/report", "/limits", "/save/result")),
    ("POST", "/open"),
]


def test_two_hundred_hostile_hosts_are_refused(client):
    assert len(set(HOSTS)) >= 200
    for host in HOSTS:
        answer = client.get("/read", headers={"host": host})
        assert answer.status_code in (400, 403), host
    for host in (f"127.0.0.1:{PORT}", f"localhost:{PORT}"):
        assert client.get("/health", headers={"host": host}).status_code == 200


def test_a_request_has_one_host_and_a_path_of_its_own():
    with running() as (address, *_):
        host = address.removeprefix("http://").encode()
        for request in (
            b"GET /health HTTP/1.1\r\n\r\n",
            b"GET /health HTTP/1.1\r\nHost: " + host + b"\r\nHost: evil.example\r\n\r\n",
            b"GET http://evil.example/health HTTP/1.1\r\nHost: " + host + b"\r\nConnection: close\r\n\r\n",
            b"GET //evil.example/health HTTP/1.1\r\nHost: " + host + b"\r\nConnection: close\r\n\r\n",
            b"GET @evil.example/health HTTP/1.1\r\nHost: " + host + b"\r\nConnection: close\r\n\r\n",
            b"GET /%5cevil.example HTTP/1.1\r\nHost: " + host + b"\r\nConnection: close\r\n\r\n",
            b"GET /health%00 HTTP/1.1\r\nHost: " + host + b"\r\nConnection: close\r\n\r\n",
            b"GET /health HTTP/1.0\r\nConnection: close\r\n\r\n",
        ):
            assert re.match(rb"HTTP/1\.\d (400|403)", raw(address, request)), request
        good = b"GET /health HTTP/1.1\r\nHost: " + host + b"\r\nConnection: close\r\n\r\n"
        assert raw(address, good).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_other_sites_are_refused(client, method, path):
    foreign = [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "nonsense"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": f"https://127.0.0.1:{PORT}"},
        {"origin": f"http://127.0.0.1:{PORT + 1}"},
    ]
    if method != "GET":
        foreign.append({"sec-fetch-site": "none"})
    for headers in foreign:
        answer = client.request(method, path, headers=headers, json={})
        assert answer.status_code == 403, headers
    if method != "GET":
        del client.headers["origin"]
        assert client.request(method, path, json={}).status_code == 403


def test_forms_of_other_sites_cannot_pass_for_json(client):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        answer = client.post("/api/v1/read", content=b'{"text": "a"}', headers={"content-type": kind})
        assert answer.status_code == 415


def test_only_usual_methods(client):
    for method in ("PUT", "PATCH", "OPTIONS", "TRACE", "CONNECT", "FOO"):
        assert client.request(method, "/read").status_code == 405


def test_a_socket_is_refused(client):
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/read"):
        pass


def test_the_token_opens_the_page_once(page, stranger):
    for path in ("/", "/read", "/report", "/save/result", "/api/v1/desk", "/nothing"):
        assert stranger.get(path).status_code == 401
    for wrong in ("", "0" * 64, page.access.token[:-1], page.access.token + "0", "é"):
        assert stranger.post("/open", json={"token": wrong}).status_code in (403, 422)
    assert stranger.post("/open", content=b"[" * 100_000, headers={"content-type": "text/plain"}).status_code == 422
    assert len(page.access.token) == 64
    opened = stranger.post("/open", json={"token": page.access.token})
    cookie = opened.headers["set-cookie"]
    assert opened.status_code == 204
    assert page.access.token not in cookie
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert re.search(r"=[0-9a-f]{64};", cookie)
    assert stranger.get("/read").status_code == 200
    with TestClient(page.app, base_url=ORIGIN, headers={"origin": ORIGIN}) as second:
        assert second.post("/open", json={"token": page.access.token}).status_code == 403
        assert second.get("/read").status_code == 401
        assert second.get("/read", headers={"cookie": f"{page.access.cookie_name}={'0' * 64}"}).status_code == 401
        assert second.get("/read", headers={"cookie": "=;;\x01=,"}).status_code == 401


def test_two_pages_have_different_secrets():
    assert guard.Access(1).token != guard.Access(1).token


def test_every_answer_keeps_pages_apart(client, stranger):
    paths = ("/read", "/open", "/static/page.css", "/api/v1/desk", "/health", "/nothing")
    answers = [client.get(path) for path in paths]
    answers += [client.post("/api/v1/read", json={}), client.get("/read", headers={"host": "evil.example"})]
    answers.append(client.request("FOO", "/read"))
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"
        assert "server" not in answer.headers


def test_no_asset_leads_outside_or_runs_inline():
    for path in [*WEB.glob("templates/*"), *WEB.glob("static/*")]:
        content = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|//[a-z]+\.|@import|url\(", content), path.name
        if path.suffix == ".html" and path.name != "saved.html":  # a report that is saved has its style with it
            assert not re.search(r"<script(?![^>]* src=)|<style|\son\w+=|\sstyle=|javascript:", content), path.name
        if path.suffix == ".js":
            assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|Function\(", content)
            assert "localStorage" not in content


def test_long_texts_and_bodies_are_refused(client, page):
    assert client.post("/api/v1/read", json={"text": "a" * 1_000_001}).status_code == 422
    assert client.post("/api/v1/read", json={"text": "a" * 1_000_000}).status_code == 200
    too_much = b"a" * (guard.MOST_BYTES + 1)
    for path in ("/api/v1/read", "/open"):
        headers = {"content-type": "application/json"}
        assert client.post(path, content=too_much, headers=headers).status_code == 413
        chunks = (b"a" * 1_000_000 for _ in range(21))
        assert client.post(path, content=chunks, headers=headers).status_code == 413
    assert page.complaints == []


def test_a_body_that_trickles_is_cut_off(monkeypatch):
    monkeypatch.setattr(guard, "SECONDS", 0.3)
    with running() as (address, *_):
        host = address.removeprefix("http://").encode()
        head = b"POST /open HTTP/1.1\r\nHost: " + host + b"\r\nOrigin: http://" + host
        answer = raw(address, head + b"\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{")
        assert answer.startswith(b"HTTP/1.1 408")


def test_a_full_queue_says_when_to_come_back(client, page, monkeypatch):
    monkeypatch.setattr(work, "MOST_WAITING", 0)
    answer = client.post("/api/v1/read", json={"text": "one two"})
    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) > 0
    assert "kept" in answer.json()["error"]


def test_slow_work_is_answered_and_goes_on(client, monkeypatch):
    monkeypatch.setattr(work, "SECONDS", 0.05)
    answered = threading.Event()
    monkeypatch.setattr("allonym.web.desk.Desk.read", lambda *_: answered.wait(PATIENCE))
    assert client.post("/api/v1/read", json={"text": "one"}).status_code == 503
    answered.set()


def test_a_head_that_trickles_is_cut_off(monkeypatch):
    """However many bytes of it come, and whether none came at all; uvicorn would wait for ever."""
    monkeypatch.setattr(heads.PromptHeads, "seconds", 0.5)
    with running() as (address, *_):
        host, port = address.removeprefix("http://").split(":")
        places = [socket.create_connection((host, int(port)), timeout=PATIENCE) for _ in range(12)]
        for place in places[2:]:  # two say nothing at all
            place.sendall(b"GET /health HTTP/1.1\r\nHost: " + host.encode())
        ends, trickling = time.monotonic() + PATIENCE, places[2:7]
        while trickling and time.monotonic() < ends:
            trickling = [place for place in trickling if _takes(place, b"x")]
            time.sleep(0.02)
        assert not trickling
        for place in places:
            with contextlib.suppress(ConnectionError):
                assert place.recv(100)[:12] in (b"HTTP/1.1 408", b"")
            place.close()


def test_a_whole_head_is_not_cut_off_while_its_answer_takes_long(monkeypatch):
    monkeypatch.setattr(heads.PromptHeads, "seconds", 0.5)
    answered = threading.Event()

    async def slow(_: object) -> JSONResponse:
        await asyncio.to_thread(answered.wait, PATIENCE)
        return JSONResponse({"status": "late"})

    monkeypatch.setattr(server.pages, "health", slow)
    with running() as (address, *_):
        timer = threading.Timer(1.5, answered.set)
        timer.start()
        host = address.removeprefix("http://").encode()
        answer = raw(address, b"GET /health HTTP/1.1\r\nHost: " + host + b"\r\nConnection: close\r\n\r\n")
        assert b"late" in answer


def _takes(place: socket.socket, byte: bytes) -> bool:
    try:
        place.sendall(byte)
    except OSError:
        return False
    return True


def asked(page, cookie: str, path: str) -> int:
    """Ask for a path exactly as written, which no client library would do."""
    import asyncio
    from urllib.parse import unquote

    sent: list[dict] = []
    headers = [(b"host", f"127.0.0.1:{PORT}".encode()), (b"cookie", cookie.encode())]
    scope = {"type": "http", "method": "GET", "path": unquote(path), "raw_path": path.encode(), "query_string": b"",
             "headers": headers, "http_version": "1.1", "scheme": "http", "server": ("127.0.0.1", PORT),
             "client": ("127.0.0.1", 1), "root_path": ""}  # fmt: skip

    async def receive() -> dict:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict) -> None:
        sent.append(message)

    asyncio.run(page.app(scope, receive, send))
    return sent[0]["status"]


def test_names_never_become_paths(page):
    cookie = page.access.exchange(page.access.token).partition(";")[0]
    parts = ["..", "%2e%2e", "..%2f", "%2fetc%2fpasswd", "....//", "C:", "\u202e", "page.css%00", "PAGE.CSS", "~"]
    ends = ("page.css", "etc/passwd", "__init__.py", "", "result", "%5c%5cserver%5cshare")
    names = [f"{one}/{other}/{last}" for one in parts for other in parts for last in ends]
    assert len(set(names)) >= 500
    assert asked(page, cookie, "/static/page.css") == 200
    for name in names:
        for folder in ("static", "save"):
            assert asked(page, cookie, f"/{folder}/{name}") in (400, 404), name


def test_a_bug_is_told_without_text(client, page, monkeypatch):
    def broken(*_: object) -> None:
        raise RuntimeError(LETTER)

    monkeypatch.setattr("allonym.web.desk.Desk.read", broken)
    answer = client.post("/api/v1/read", json={"text": LETTER})
    assert answer.status_code == 500
    [complaint] = page.complaints
    for told in (answer.text, complaint):
        assert "allotment" not in told
    assert "RuntimeError" in complaint


def test_it_listens_to_this_machine_alone():
    place = server.listen()
    assert place.getsockname()[0] == "127.0.0.1"
    with pytest.raises(OSError, match="in use"):
        server.listen(place.getsockname()[1])
    place.close()
