"""Claim: whatever is sent to the page's interface, it answers as its description says, and never breaks.

Schemathesis makes requests from the description at /api/v1/openapi.json, half of them such as it allows and half such
as it does not, 1,000 for each operation (those that take nothing are asked 1,000 times). No answer may be a 5xx, or of
another status, content type or shape than described. A full queue is an answer (503 with Retry-After), and is asked
again until there is room, as a browser does. Word counts and word-by-word substitution are drawn at one position of
their slider each: their tables take seconds to make, and nothing here depends on them.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from _common import Row, run_script

from allonym.web import arrival, guard, methods, server, table

EXAMPLES = 1_000
PORT = 8766
ORIGIN = f"http://127.0.0.1:{PORT}"
_PATIENCE_S = 120.0
_HEAVY = ("counts", "words")


@contextmanager
def one_position() -> Iterator[None]:
    """Draw with one position of the sliders whose tables take long."""
    real = methods.anonymizer
    methods.anonymizer = lambda name, position: real(name, 2 if name in _HEAVY and position < 5 else position)
    try:
        yield
    finally:
        methods.anonymizer = real


def ready(app: guard.Guard) -> None:
    """Lay a text, a draft and a table on the desk, so that there is something to work on."""
    room = app._app.state.room  # type: ignore[attr-defined]
    room.desk.read("It was raining; and the bell by the shed, as ever, was silent. " * 10)
    room.desk.rewrite("core", 0)
    if room.table is not None:
        room.table.close()
    room.table = table.UploadedTable(
        arrival.read("a.csv", b"text,writer\nIt was raining.,one\nThe bell was silent.,two\n")
    )


def fuzz(app: guard.Guard, access: guard.Access, examples: int, origin: str = ORIGIN) -> tuple[Counter[int], int]:
    """Return how often each status came, and how many requests had to be asked again; raises on a wrong answer."""
    import schemathesis
    from hypothesis import HealthCheck, Phase, given, settings
    from schemathesis import GenerationMode
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import (
        content_type_conformance,
        response_schema_conformance,
        status_code_conformance,
    )

    cookie = (access.exchange(access.token) or "").partition(";")[0]
    headers = {"Cookie": cookie, "Origin": origin, "Host": origin.removeprefix("http://")}
    schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", app, headers=headers)
    checks = [not_a_server_error, content_type_conformance, response_schema_conformance, status_code_conformance]
    statuses: Counter[int] = Counter()
    again = 0

    def call(case: Any) -> None:  # noqa: ANN401 - schemathesis makes it
        nonlocal again
        ends = time.monotonic() + _PATIENCE_S
        answer = case.call(headers=headers, timeout=_PATIENCE_S)
        while answer.status_code == 503 and "retry-after" in answer.headers and time.monotonic() < ends:
            again += 1
            time.sleep(0.05)
            answer = case.call(headers=headers, timeout=_PATIENCE_S)
        statuses[answer.status_code] += 1
        case.validate_response(answer, checks=checks, headers=headers)

    for found in schema.get_all_operations():
        operation = found.ok()
        ready(app)
        if not operation.body:
            for _ in range(examples):
                call(operation.Case())
            continue
        for mode in GenerationMode:
            limited = settings(
                max_examples=examples // 2, deadline=None, database=None, phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )  # fmt: skip
            limited(given(case=operation.as_strategy(generation_mode=mode))(call))()
    app._app.state.room.forget()  # type: ignore[attr-defined]
    return statuses, again


def measure(_: Path | None) -> list[Row]:
    """Send everything to a page of its own."""
    complaints: list[str] = []
    logging.getLogger("python_multipart").setLevel(logging.CRITICAL + 1)  # as `allonym serve` does
    access = guard.Access(PORT)
    app = server.build(access, PORT, complaints.append)
    started = time.perf_counter()
    with one_position():
        statuses, again = fuzz(app, access, EXAMPLES)
    seconds = time.perf_counter() - started
    broken = sum(count for status, count in statuses.items() if status >= 500) + len(complaints)
    answers = ", ".join(f"{count:,} × {status}" for status, count in sorted(statuses.items()))
    told = f"{statuses.total():,} requests, {broken} errors ({answers}; {again} asked again) in {seconds:.0f} s"
    numbers = {"requests": float(statuses.total()), "server_errors": float(broken), "asked_again": float(again)}
    claim = f"the interface answers as described, {EXAMPLES:,} requests for each operation (schemathesis)"
    return [Row(claim, "0 errors 5xx, 0 other answers", told, broken == 0, numbers)]


if __name__ == "__main__":
    run_script(measure)
