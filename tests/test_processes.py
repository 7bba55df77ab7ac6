"""Pools of processes: they do their work, and who interrupts them need not wait for it."""

from __future__ import annotations

import time
from multiprocessing import active_children

import pytest

from allonym import acceleration


def test_work_is_done():
    with acceleration.processes(2) as pool:
        assert list(pool.map(abs, [-1, 2, -3])) == [1, 2, 3]


def interrupted(error: type[BaseException], started: set) -> None:
    before = set(active_children())
    with acceleration.processes(2) as pool:
        for _ in range(4):
            pool.submit(time.sleep, 3000)  # longer than any suite may take
        started |= set(active_children()) - before
        raise error


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_interrupted_pool_ends_at_once(error):
    started: set = set()
    with pytest.raises(error):
        interrupted(error, started)
    assert started
    until = time.monotonic() + 60
    # Asked again and again: the pool's own thread waits for the same processes, and while it is told of an end, nobody
    # else is.
    while any(child.is_alive() for child in started) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(child.is_alive() for child in started)
