"""Make chunks, in this process or in several; the bytes are the same."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path

from allonym.anonymizers.base import Anonymizer
from allonym.errors import AllonymError
from allonym.formats.files import DocumentBatch
from allonym.jobs.batches import OnError, protect
from allonym.jobs.chunks import Layout, Written
from allonym.randomness import OneRelease, reopened

Task = tuple[int, DocumentBatch]

_WAITING_FOR_EACH = 2  # chunks read ahead for each process; more would only fill the memory


@dataclass(frozen=True)
class Maker:
    """All that is needed to make any chunk of a job."""

    anonymizer: Anonymizer
    layout: Layout
    folder: Path
    on_error: OnError

    def make(self, number: int, batch: DocumentBatch, release: OneRelease) -> Written:
        """Protect a batch and write it as a chunk."""
        return self.layout.write(self.folder, number, protect(self.anonymizer, batch, release, self.on_error), batch)


def make_all(maker: Maker, tasks: Iterable[Task], release: OneRelease, processes: int) -> Iterator[Written]:
    """Give the chunks as they are done, in any order."""
    if processes == 1:
        for number, batch in tasks:
            yield maker.make(number, batch, release)
        return
    # Spawned, not forked: threads of the libraries do not survive a fork. The key goes through a pipe.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(
        processes, mp_context=context, initializer=_start, initargs=(maker, release.key, release.repeatable)
    )
    try:
        yield from _fed(pool, iter(tasks), _WAITING_FOR_EACH * processes)
    except BrokenProcessPool:
        raise AllonymError(
            "A worker process ended on its own, perhaps for want of memory; resume with fewer --jobs."
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


def _fed(pool: ProcessPoolExecutor, tasks: Iterator[Task], most: int) -> Iterator[Written]:
    """Keep so many tasks waiting, and give what is done."""
    running: set[Future[Written]] = set()
    for number, batch in tasks:
        running.add(pool.submit(_work, number, batch))
        if len(running) >= most:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)
    while running:
        done, running = wait(running, return_when=FIRST_COMPLETED)
        yield from (future.result() for future in done)


_maker: Maker
_release: OneRelease


def _start(maker: Maker, key: bytes, repeatable: bool) -> None:
    """Prepare a worker: Ctrl-C is for the parent to handle, and without a parent there is nothing to do."""
    global _maker, _release
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    _maker, _release = maker, reopened(key, repeatable=repeatable)


def _end_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(number: int, batch: DocumentBatch) -> Written:
    return _maker.make(number, batch, _release)
