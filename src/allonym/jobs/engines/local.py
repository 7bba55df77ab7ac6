"""Work in this process or in several; the bytes are the same."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from allonym.errors import AllonymError
from allonym.jobs.engines import Answer, Shared

_WAITING_FOR_EACH = 2  # tasks read ahead for each process; more would only fill the memory


@dataclass(frozen=True)
class Local:
    """This machine."""

    processes: int = 1

    def map(self, work: Callable[[Shared, Any], Answer], shared: Shared, tasks: Iterable[Any]) -> Iterator[Answer]:
        """Give the answers as they are done, in any order."""
        if self.processes == 1:
            yield from (work(shared, task) for task in tasks)
            return
        # Spawned, not forked: threads of the libraries do not survive a fork. Secrets go through a pipe.
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(self.processes, mp_context=context, initializer=_start, initargs=(work, shared))
        try:
            yield from _fed(pool, tasks, _WAITING_FOR_EACH * self.processes)
        except BrokenProcessPool:
            raise AllonymError(
                "A worker process ended on its own, perhaps because memory ran out; resume with fewer --jobs."
            ) from None
        finally:
            pool.shutdown(cancel_futures=True)


def _fed(pool: ProcessPoolExecutor, tasks: Iterable[Any], most: int) -> Iterator[Answer]:
    """Keep so many tasks waiting, and give what is done."""
    running: set[Future[Answer]] = set()
    for task in tasks:
        running.add(pool.submit(_work_on, task))
        if len(running) >= most:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)
    while running:
        done, running = wait(running, return_when=FIRST_COMPLETED)
        yield from (future.result() for future in done)


_given: tuple[Callable[[Any, Any], Answer], Any]


def _start(work: Callable[[Any, Any], Answer], shared: object) -> None:
    """Prepare a worker: Ctrl-C is for the parent to handle, and without a parent there is nothing to do."""
    global _given
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    _given = work, shared


def _end_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work_on(task: object) -> Answer:
    work, shared = _given
    return work(shared, task)
