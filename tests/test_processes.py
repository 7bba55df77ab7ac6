"""Pools of processes and threads: they do their work, and who interrupts them need not wait for it."""

from __future__ import annotations

import threading
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


def test_threads_may_ask_for_threads(monkeypatch):
    monkeypatch.setattr(acceleration, "_ENTRIES_WORTH_COMPILING", 1)
    monkeypatch.setattr(acceleration, "_cores", lambda: 3)
    inner = acceleration.in_threads(
        lambda rows: [part.tolist() for part in acceleration.in_threads(lambda some: some, len(rows), 9)], 30, 9
    )
    assert [sum(map(len, parts)) for parts in inner] == [10, 10, 10]


def test_a_thread_that_fails_is_told_after_all_are_done(monkeypatch):
    monkeypatch.setattr(acceleration, "_ENTRIES_WORTH_COMPILING", 1)
    monkeypatch.setattr(acceleration, "_cores", lambda: 3)
    done, go_on = [], threading.Event()

    def work(rows):
        if rows[0] == 0:
            go_on.set()
            raise ValueError("the first part")
        go_on.wait()
        done.append(int(rows[0]))

    with pytest.raises(ValueError, match="the first part"):
        acceleration.in_threads(work, 30, 9)
    assert sorted(done) == [10, 20]
