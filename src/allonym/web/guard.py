"""Who may talk to the page: this machine's own browser, holding this run's key, and nobody else.

Every request passes here first. The raw Host header must be one of the page's own names (against DNS rebinding); a
request from another site is refused by what browsers say of it (`Origin`, `Sec-Fetch-Site`); all but the door needs the
cookie that the one-time token was exchanged for; bodies are limited in size and time. Every answer carries the headers
that keep pages apart, and nothing is cached.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import traceback
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from allonym.randomness import secure

MOST_BYTES = 20_000_000
SECONDS = 30.0
DOOR = "/open"
_FREE = (DOOR, "/health")  # without the cookie, as are the static files: none of them knows anything
_STATIC = "/static/"
_SAFE = ("GET", "HEAD")
_METHODS = (*_SAFE, "POST", "DELETE")

_HEADERS = [
    (
        b"content-security-policy",
        b"default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        b"font-src 'none'; object-src 'none'; media-src 'none'; worker-src 'none'; frame-src 'none'; "
        b"frame-ancestors 'none'; base-uri 'none'; form-action 'self'; require-trusted-types-for 'script'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-embedder-policy", b"require-corp"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), interest-cohort=()"),
    (b"x-frame-options", b"DENY"),
]
_OWN = {name for name, _ in _HEADERS}
_TOO_LARGE = f"This is larger than {MOST_BYTES // 1_000_000} MB; use the command line for large files."
_TOO_SLOW = f"The request took longer than {SECONDS:.0f} seconds to arrive; send it again."

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class Access:
    """The one-time token and the cookie it is exchanged for, 256 bits each.

    Args:
        port: The page's port; cookies know no ports, so the name of this one holds it.
    """

    def __init__(self, port: int) -> None:
        self.token = secure().key.hex()
        self.cookie_name = f"allonym-{port}"
        self._cookie = secure().key.hex()
        self._used = False

    def exchange(self, token: str) -> str | None:
        """Return the Set-Cookie line for the right token, once; None for anything else."""
        right = hmac.compare_digest(token.encode("utf-8", "replace"), self.token.encode())
        if not right or self._used:
            return None
        self._used = True
        return f"{self.cookie_name}={self._cookie}; HttpOnly; SameSite=Strict; Path=/"

    def knows(self, cookies: list[bytes]) -> bool:
        """Tell whether one of the Cookie headers holds the right cookie."""
        for line in cookies:
            for pair in line.split(b";"):
                name, _, value = pair.strip().partition(b"=")
                if name == self.cookie_name.encode() and hmac.compare_digest(value, self._cookie.encode()):
                    return True
        return False


class Refused(Exception):  # noqa: N818 - an answer, not a fault
    """A request that goes no further."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


class Guard:
    """Checks every request before the page sees it.

    Args:
        app: The page.
        access: Its token and cookie.
        port: Its port.
        complain: Told of a bug, without any text.
    """

    def __init__(self, app: App, access: Access, port: int, complain: Callable[[str], None]) -> None:
        self._app, self._access, self._complain = app, access, complain
        names = (f"127.0.0.1:{port}", f"localhost:{port}")
        self._hosts = {name.encode() for name in names}
        self._origins = {b"http://" + name for name in self._hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})  # before it is accepted: a plain 403
            return
        answer = _Answer(send)
        try:
            self._check(scope)
            await self._app(scope, _Body(receive, _declared(scope)), answer)
        except Refused as refusal:
            await answer.refuse(refusal, _wants_json(scope))
        except Exception as error:  # the last resort; never its message, which may hold text
            frame = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{type(error).__name__} at {frame.filename.rpartition('allonym')[2].lstrip('/')}:{frame.lineno}"
            self._complain(f"This is a bug ({where}); please report it.")
            await answer.refuse(Refused(500, f"This is a bug ({where}); please report it."), _wants_json(scope))

    def _check(self, scope: Scope) -> None:
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.lower(), []).append(value)
        hosts = headers.get(b"host", [])
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            raise Refused(403, "This address is not the page's own; open the address that `allonym serve` printed.")
        path, method = scope["path"], scope["method"]
        if not path.startswith("/") or path.startswith("//") or "\\" in path or not path.isprintable():
            raise Refused(400, "There is no such page; open the address that `allonym serve` printed.")
        if method not in _METHODS:
            raise Refused(405, "The page does not answer this kind of request; use its own buttons.")
        self._check_site(headers, method, path)
        if path not in _FREE and not path.startswith(_STATIC) and not self._access.knows(headers.get(b"cookie", [])):
            raise Refused(401, "This browser has not opened the page; use the address that `allonym serve` printed.")

    def _check_site(self, headers: dict[bytes, list[bytes]], method: str, path: str) -> None:
        if path == DOOR and method in _SAFE:  # a link to it may be followed from anywhere; it shows nothing
            return
        allowed = {b"same-origin", b"none"} if method in _SAFE else {b"same-origin"}
        foreign = not set(headers.get(b"sec-fetch-site", [])) <= allowed
        origins = headers.get(b"origin", [])
        if foreign or not set(origins) <= self._origins or (method not in _SAFE and len(origins) != 1):
            raise Refused(403, "Requests from other pages are refused; use the page itself.")


class _Body:
    """Receives a request's body, as much of it and as long as is allowed."""

    def __init__(self, receive: Receive, declared: int) -> None:
        if declared > MOST_BYTES:
            raise Refused(413, _TOO_LARGE)
        self._receive, self._bytes, self._done = receive, 0, False
        self._ends = asyncio.get_running_loop().time() + SECONDS

    async def __call__(self) -> Message:
        if self._done:
            return await self._receive()  # waits for the browser to leave, which may take as long as it likes
        left = self._ends - asyncio.get_running_loop().time()
        try:
            message = await asyncio.wait_for(self._receive(), max(left, 0.001))
        except TimeoutError:
            raise Refused(408, _TOO_SLOW) from None
        self._bytes += len(message.get("body", b""))
        if self._bytes > MOST_BYTES:
            raise Refused(413, _TOO_LARGE)
        self._done = not message.get("more_body", False)
        return message


class _Answer:
    """Sends answers with the headers that every one has."""

    def __init__(self, send: Send) -> None:
        self._send, self._started = send, False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._started = True
            others = [(name, value) for name, value in message.get("headers", []) if name.lower() not in _OWN]
            message = {**message, "headers": [*others, *_HEADERS]}
        await self._send(message)

    async def refuse(self, refusal: Refused, as_json: bool) -> None:
        """Answer in place of the page, unless it has begun to."""
        if self._started:
            return
        body = as_record(refusal.sentence) if as_json else f"{refusal.sentence}\n"
        kind = b"application/json" if as_json else b"text/plain; charset=utf-8"
        headers = [(b"content-type", kind), (b"connection", b"close")]
        if refusal.status == 405:
            headers.append((b"allow", ", ".join(_METHODS).encode()))
        await self({"type": "http.response.start", "status": refusal.status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body.encode()})


def as_record(sentence: str, kept: str = "Nothing was changed.") -> str:
    """Return a sentence "what happened; what to do." as the JSON of every error."""
    happened, _, next_step = sentence.partition("; ")
    way_out = next_step[:1].upper() + next_step[1:] or "Try again."
    answer = {"happened": f"{happened.rstrip('.')}.", "kept": kept, "next": way_out}
    return json.dumps({"error": answer}, ensure_ascii=False)


def _wants_json(scope: Scope) -> bool:
    return bool(scope["path"].startswith("/api/"))


def _declared(scope: Scope) -> int:
    """Return the length that a request says it has; 0 if it does not say."""
    for name, value in scope["headers"]:
        if name.lower() == b"content-length":
            return int(value) if value.isdigit() else MOST_BYTES + 1
    return 0
