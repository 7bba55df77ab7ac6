"""Work that takes a while: one thing at a time in a thread of its own, a short queue, and a friendly no beyond it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

from allonym.web.guard import SECONDS

MOST_WAITING = 8
RETRY_AFTER = 2  # seconds
_FULL = "Too much is being computed already; wait a little and try again."
_SLOW = f"This takes longer than {SECONDS:.0f} seconds; it goes on, so load this page again in a little while."

_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")


class Busy(Exception):  # noqa: N818 - an answer, not a fault
    """The queue is full, or what was asked for is not done in time and `goes_on`."""

    def __init__(self, sentence: str, *, goes_on: bool = False) -> None:
        super().__init__(sentence)
        self.goes_on = goes_on


class Worker:
    """Does one thing after the other; more than a few waiting are turned away.

    Args:
        name: Of its thread.
    """

    def __init__(self, name: str) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"allonym-{name}")
        self._waiting = 0

    async def do(self, function: Callable[_Given, _Found], *given: _Given.args, **named: _Given.kwargs) -> _Found:
        """Run a function and return what it returns.

        Raises:
            Busy: Too many wait already, or it takes longer than a request may; it then goes on unseen.
        """
        if self._waiting >= MOST_WAITING:
            raise Busy(_FULL)
        self._waiting += 1
        work = asyncio.get_running_loop().run_in_executor(self._thread, lambda: function(*given, **named))
        work.add_done_callback(self._done)
        try:
            return await asyncio.wait_for(asyncio.shield(work), SECONDS)
        except TimeoutError:
            raise Busy(_SLOW, goes_on=True) from None

    def start(self, function: Callable[[], None]) -> None:
        """Run a function that nobody waits for and that reports its own failures.

        Raises:
            Busy: Too many wait already.
        """
        if self._waiting >= MOST_WAITING:
            raise Busy(_FULL)
        self._waiting += 1
        work = asyncio.get_running_loop().run_in_executor(self._thread, function)
        work.add_done_callback(self._done)

    def _done(self, work: asyncio.Future[Any]) -> None:
        self._waiting -= 1
        if not work.cancelled():
            work.exception()  # looked at, so that a failure after the answer is not printed with its text

    def close(self) -> None:
        """Stop after what is running."""
        self._thread.shutdown(wait=False, cancel_futures=True)
