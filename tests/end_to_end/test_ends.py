"""How a run ends when something goes wrong in the middle of it: the exit code, one sentence, nothing left."""

from __future__ import annotations

import errno
import json
import signal

import pytest

import allonym
from allonym import cli
from allonym.anonymizers.syntf import SynTF
from allonym.cli import anonymize as anonymize_module
from allonym.jobs import execute as jobs_run
from allonym.jobs import outputs

CANARY = "zyxqcanaryqvo"


@pytest.fixture
def job(tmp_path, write_table, syntf) -> list[object]:
    """A job whose output exists already; its texts hold a canary."""
    path = write_table(tmp_path / "in.jsonl", [{"text": f"people {CANARY}"}, {"text": CANARY}])
    for name in ("o.npz", "o.npz.privacy.json"):
        (tmp_path / name).write_bytes(b"older")
    return ["anonymize", path, *syntf, "-o", tmp_path / "o.npz", "--force"]


def breaking(monkeypatch, place: str, error: BaseException) -> None:
    """Make a step of the job fail: reading, drawing, writing, bringing to disk, or publishing."""

    def fail(*_: object, **__: object) -> None:
        raise error

    module, name = {
        "reading": (anonymize_module, "open_as"),
        "promising": (SynTF, "guarantee"),
        "drawing": (SynTF, "_anonymize"),
        "writing": (jobs_run, "write_terms"),
        "syncing": (outputs, "sync"),
        "publishing": (outputs.os, "replace"),
    }[place]
    monkeypatch.setattr(module, name, fail)


PLACES = ["reading", "promising", "drawing", "writing", "syncing", "publishing"]


@pytest.mark.parametrize("place", PLACES)
def test_interrupt_ends_with_130_and_leaves_nothing(place, job, command, monkeypatch, everything, tmp_path):
    before = everything(tmp_path)
    breaking(monkeypatch, place, KeyboardInterrupt(CANARY))
    result = command(*job)
    monkeypatch.undo()
    assert (result.code, result.out) == (130, "")
    assert "Interrupted" in result.err
    assert CANARY not in result.err
    assert everything(tmp_path) == before


@pytest.mark.parametrize("kind", [RuntimeError, KeyError, ValueError, UnicodeError, AssertionError])
@pytest.mark.parametrize("place", PLACES)
def test_a_bug_ends_with_70_and_its_message_is_not_shown(kind, place, job, command, monkeypatch, everything, tmp_path):
    before = everything(tmp_path)
    breaking(monkeypatch, place, kind(f"cannot handle {CANARY}"))
    result = command(*job, "--json")
    monkeypatch.undo()
    assert (result.code, result.out) == (70, "")
    assert len(result.err.splitlines()) == 1
    assert kind.__name__ in result.err
    assert CANARY not in result.err
    assert everything(tmp_path) == before


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EROFS])
@pytest.mark.parametrize("place", ["writing", "syncing", "publishing"])
def test_a_failing_disk_ends_with_2_and_leaves_nothing(place, number, job, command, monkeypatch, everything, tmp_path):
    before = everything(tmp_path)
    breaking(monkeypatch, place, OSError(number, "No space left", f"/{CANARY}"))
    result = command(*job)
    monkeypatch.undo()
    result.refused()
    assert "nothing was written" in result.err
    assert CANARY not in result.err
    assert everything(tmp_path) == before


def test_too_little_memory_is_no_bug(job, command, monkeypatch, everything, tmp_path):
    before = everything(tmp_path)
    breaking(monkeypatch, "drawing", MemoryError())
    result = command(*job)
    monkeypatch.undo()
    assert "memory" in result.refused().err
    assert everything(tmp_path) == before


def test_first_run_leaves_nothing_either(job, command, monkeypatch, everything, tmp_path):
    for name in ("o.npz", "o.npz.privacy.json"):
        (tmp_path / name).unlink()
    for place in ("drawing", "publishing"):
        breaking(monkeypatch, place, KeyboardInterrupt())
        assert command(*job).code == 130
        monkeypatch.undo()
        assert everything(tmp_path).keys() == {"in.jsonl"}


def test_errors_raised_on_purpose_are_shown_whole(command, monkeypatch):
    def fail(*_: object) -> None:
        raise allonym.AllonymError("This is meant to be read.")

    monkeypatch.setattr(SynTF, "guarantee", fail)
    assert command("guarantee", "--method", "syntf").refused().err == "allonym: This is meant to be read.\n"


def test_a_bug_in_a_library_is_told_without_a_path_of_this_machine(command, monkeypatch):
    monkeypatch.setattr(SynTF, "guarantee", lambda *_: json.loads("{"))
    result = command("guarantee", "--method", "syntf")
    assert result.code == 70
    assert "This is a bug (JSONDecodeError at cli/guarantee.py:" in result.err


@pytest.fixture
def own_handler():
    """Give the signal back as it was: a forked worker that inherits another handler may not end when it is told to."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


def test_main_exits_with_the_code_of_the_run(own_handler, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["allonym", "magic"])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("allonym: No such command")
