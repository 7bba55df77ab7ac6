"""Disks that fail: the older output stays, and the job can go on."""

from __future__ import annotations

import os

import pytest

from allonym.jobs.execute import Options, execute, run
from allonym.jobs.store import folder_of
from allonym.randomness import secure
from tests.jobs.made import KEY, ignore, planned, visible, write


@pytest.mark.parametrize("name", ["fsync", "replace", "rename"])
def test_a_failing_disk_leaves_the_old_output_and_a_job_that_goes_on(name, tmp_path, monkeypatch):
    source, out = write(tmp_path, "jsonl"), tmp_path / "out.jsonl"
    run(planned(source, out, rows=40), secure(KEY), force=False, progress=ignore)
    expected = visible(tmp_path)
    real, points = getattr(os, name), 0
    while True:
        calls = iter(range(10_000))

        def failing(*arguments, calls=calls, point=points):
            if next(calls) == point:
                raise OSError(28, "No space left on device")
            return real(*arguments)

        monkeypatch.setattr(os, name, failing)
        try:
            execute(planned(source, out, rows=40), secure(KEY), ignore, Options(force=True))
        except OSError:
            points += 1
            monkeypatch.undo()
            assert visible(tmp_path) == expected, points
            if folder_of(out).exists():
                execute(planned(source, out, rows=40), None, ignore, Options(resume=True))
        else:
            break
        finally:
            monkeypatch.undo()
        assert visible(tmp_path) == expected, points
        assert not folder_of(out).exists()
    assert points >= {"fsync": 7, "replace": 5, "rename": 2}[name]
