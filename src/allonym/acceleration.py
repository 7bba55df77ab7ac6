"""Speed: compiling the few inner loops with numba and spreading rows over the cores, where that pays.

Each compiled loop stands beside NumPy code that gives the same integers; which of the two runs is a question
of speed alone, and the tests compare them.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

_Loop = TypeVar("_Loop", bound=Callable[..., Any])
_Result = TypeVar("_Result")

# Below this many matrix entries NumPy is done before numba has even been imported.
_ENTRIES_WORTH_COMPILING = 12_000_000
_MOST_THREADS = 4
_SLAB_BYTES = 120 * 2**20  # of all threads together


def worth_compiling(entries: int) -> bool:
    """Tell whether a pass over that many matrix entries should use the compiled loops."""
    return entries >= _ENTRIES_WORTH_COMPILING and _numba_is_there()


@cache
def _numba_is_there() -> bool:
    return find_spec("numba") is not None


def compiled(loop: _Loop) -> _Loop:
    """Compile a loop without the interpreter's lock, keeping the machine code on disk where that is possible.

    A division by zero gives infinity, as in NumPy: Python's error would keep a loop from being vectorised.
    """
    import numba

    try:
        return numba.njit(loop, nogil=True, error_model="numpy", cache=True)  # type: ignore[no-any-return]
    except RuntimeError:  # no folder to keep the machine code in
        return numba.njit(loop, nogil=True, error_model="numpy")  # type: ignore[no-any-return]


def in_threads(work: Callable[[NDArray[np.int64]], _Result], rows: int, columns: int) -> list[_Result]:
    """Do `work` on all rows: at once if they are few, else a contiguous part of them on each core.

    Meanwhile linear algebra keeps to one thread a core: its idle threads would spin and burn the other cores.
    """
    threads = min(_cores(), _MOST_THREADS)
    small = rows * columns < threads * _ENTRIES_WORTH_COMPILING  # each part is to be worth compiling for
    helps = getattr(_here, "is_helper", False)  # and would wait for ever if all helpers waited for helpers
    if not rows or small or threads == 1 or helps:
        return [work(np.arange(rows))] if rows else []
    first, *others = (part for part in np.array_split(np.arange(rows), threads) if len(part))
    with _linear_algebra(len(sys.modules)).limit(limits=1):
        waiting = [_helpers(threads - 1, os.getpid()).submit(work, part) for part in others]
        try:
            return [work(first), *(other.result() for other in waiting)]
        finally:
            wait(waiting)  # what they write into may be used again


@lru_cache(1)
def _helpers(count: int, process: int) -> ThreadPoolExecutor:
    """Return the threads that help the one that asks: kept, as starting them costs as much as small pieces of work.

    They are of one process: after a fork there are none.
    """
    return ThreadPoolExecutor(count, "allonym-helper", _become_helper)


_here = threading.local()


def _become_helper() -> None:
    _here.is_helper = True


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep linear algebra to one thread: the order of its sums then does not follow the number of cores."""
    with _linear_algebra(len(sys.modules)).limit(limits=1):
        yield


@lru_cache(1)
def _linear_algebra(modules: int) -> Any:  # noqa: ANN401 - threadpoolctl has no types
    """Return what sets the threads of linear algebra. Looking for its libraries takes milliseconds.

    When other modules are loaded, there may be another library.
    """
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextmanager
def processes(count: int | None, initializer: Callable[[], None] | None = None) -> Iterator[ProcessPoolExecutor]:
    """Give a pool of processes, one a core if no count is given; an error or an interrupt ends them at once.

    A pool left to itself first does all that was asked of it, which may be hours. Its processes are spawned, not
    forked: a fork would copy the locks of threads that are running here.
    """
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import active_children, get_context

    before = set(active_children())
    pool = ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=initializer)
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in set(active_children()) - before:
            child.terminate()
        raise
    pool.shutdown()


def slab_bytes() -> int:
    """Return how much memory one thread may fill with products at a time."""
    return _SLAB_BYTES // min(_cores(), _MOST_THREADS)


@cache
def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
