"""Work that takes a while: one thing at a time in a thread of its own, a short queue, and a friendly no beyond it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Any, ParamSpec, TypeVar

from allonym.web.guard import SECONDS

MOST_WAITING = 8
RETRY_AFTER = 2  # seconds
AT_ONCE = 0.5  # seconds that a request waits for what may take long, before it answers that it goes on
_FULL = "Too much is being computed already; wait a little and try again."
_SLOW = f"This takes longer than {SECONDS:.0f} seconds; it goes on, so load this page again in a little while."

_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")


class Busy(Exception):  # noqa: N818 - an answer, not a fault
    """The queue is full, or what was asked for is not done in time and `goes_on`."""

    def __init__(self, sentence: str, *, goes_on: bool = False) -> None:
        super().__init__(sentence)
        self.goes_on = goes_on


class Worker:
    """Does one thing after the other; more than a few waiting are turned away.

    Its thread is a daemon: Ctrl-C ends the page at once, whatever is being computed.
    """

    def __init__(self, name: str) -> None:
        self._queue: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._waiting = 0
        Thread(target=self._work, name=f"allonym-{name}", daemon=True).start()

    async def do(self, function: Callable[_Given, _Answer], *given: _Given.args, **named: _Given.kwargs) -> _Answer:
        """Run a function and return what it returns, or raise `Busy`; what takes longer than a request goes on."""
        return await self.wait_for(lambda: function(*given, **named), SECONDS)

    async def wait_for(self, function: Callable[[], _Answer], seconds: float) -> _Answer:
        """Do the same, and wait for no longer than so many seconds."""
        work = self._begin(function)
        try:
            result: _Answer = await asyncio.wait_for(asyncio.shield(work), seconds)
        except TimeoutError:
            if work.done():
                raise
            raise Busy(_SLOW, goes_on=True) from None
        return result

    def start(self, function: Callable[[], None]) -> None:
        """Run a function that nobody waits for and that reports its own failures, or raise `Busy`."""
        self._begin(function)

    def close(self) -> None:
        """Stop after what is running."""
        self._queue.put(None)

    def _begin(self, function: Callable[[], Any]) -> asyncio.Future[Any]:
        if self._waiting >= MOST_WAITING:
            raise Busy(_FULL)
        self._waiting += 1
        loop = asyncio.get_running_loop()
        work: asyncio.Future[Any] = loop.create_future()
        work.add_done_callback(self._done)

        def job() -> None:
            try:
                settle = partial(work.set_result, function())
            except Exception as error:
                settle = partial(work.set_exception, error)
            with suppress(RuntimeError):  # the page was closed meanwhile
                loop.call_soon_threadsafe(lambda: None if work.done() else settle())

        self._queue.put(job)
        return work

    def _work(self) -> None:
        while (job := self._queue.get()) is not None:
            job()

    def _done(self, work: asyncio.Future[Any]) -> None:
        self._waiting -= 1
        if not work.cancelled():
            work.exception()  # looked at, so that a failure after the answer is not printed with its text
