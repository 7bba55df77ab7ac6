"""Jobs that are killed, stopped or run out of disk: nothing lost, nothing twice, nothing half-done, no text left.

A few moments here; `benchmarks/crashes.py` kills hundreds of times.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from allonym.budget.ledger import Ledger
from allonym.cli.budgets import Budget
from allonym.jobs import execute
from tests.conftest import PATIENCE

ROWS = 6_000
CANARY = "zyxqvwone"
# Runs the command and sends it a signal, such as that of `kill -9`, at the n-th call of a function of the system.
SIGNALLED = """
import os, signal, sys
name, at = sys.argv[1], int(sys.argv[2])
real, calls = getattr(os, name), iter(range(10**9))
def dying(*arguments, **named):
    if next(calls) == at:
        os.kill(os.getpid(), signal.SIGNAL)
    return real(*arguments, **named)
setattr(os, name, dying)
sys.argv = ["allonym", *sys.argv[3:]]
from allonym.cli import main
main()
"""
KILLED, HELD = (SIGNALLED.replace("SIGNAL)", f"{name})") for name in ("SIGKILL", "SIGSTOP"))


@pytest.fixture
def source(tmp_path) -> Path:
    """A table of which a third of the texts are the same, each with a canary."""
    path = tmp_path / "in.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for i in range(ROWS):
            text = f"people {CANARY}" if i % 3 == 0 else f"people {CANARY} write {i}"
            file.write(json.dumps({"key": f"k{i}", "who": f"zyxqwho{i % 7}", "text": text}) + "\n")
    return path


@pytest.fixture
def line(source, vocabulary, tmp_path) -> list[str]:
    method = ["--method", "random-replacement", "--vocabulary", str(vocabulary), "--words", "12"]
    columns = ["--text", "text", "--id", "key", "--author", "who", "--chunk-rows", "500", "--insecure-seed", "7"]
    ledger = ["--budget-db", str(tmp_path / "ledger"), "-o", str(tmp_path / "o.jsonl")]
    return ["anonymize", str(source), *columns, *method, *ledger]


def job_folder(folder: Path) -> Path:
    return folder / ".o.jsonl.allonym-job"


def outputs(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("o.jsonl*"))}


def releases(folder: Path) -> int:
    with Ledger(folder / "ledger") as ledger:
        return len(list(ledger.history()))


def leaks(folder: Path) -> list[str]:
    """Files that hold something of the input, but for the input; protected chunks hold its ids."""
    found = (path for path in folder.rglob("*") if path.is_file() and path.name != "in.jsonl")
    return [str(path) for path in found if b"zyxq" in path.read_bytes()]


@pytest.fixture
def expected(command, line, tmp_path) -> dict[str, bytes]:
    """What an uninterrupted run writes; the output is taken away again."""
    command(*line).done()
    found = outputs(tmp_path)
    for name in found:
        (tmp_path / name).unlink()
    (tmp_path / "ledger").unlink()
    return found


@pytest.mark.parametrize(
    ("name", "at", "older"),
    [
        ("fsync", 3, False),  # a chunk is written and not yet on disk
        ("replace", 5, True),  # a chunk is about to get its name
        ("replace", 13, False),  # the guarantee has its name, the output not yet
        ("rename", 1, True),  # the older output is set aside, its guarantee not yet
        ("replace", 13, True),
        ("unlink", 0, False),  # the key is overwritten and not yet gone
    ],
)
def test_killed_at_any_step_and_resumed(name, at, older, command, line, expected, tmp_path):
    if older:
        for path in expected:
            (tmp_path / path).write_bytes(b"older")
    force = ["--force"] if older else []
    done = subprocess.run([sys.executable, "-c", KILLED, name, str(at), *line, *force], check=False, timeout=PATIENCE)
    assert done.returncode == -signal.SIGKILL
    assert job_folder(tmp_path).is_dir()
    assert leaks(tmp_path) == []
    late = name in ("unlink", "rename") or at > 12
    if not late:
        assert outputs(tmp_path) == (dict.fromkeys(expected, b"older") if older else {})
    result = command(*line, "--resume").done()
    assert outputs(tmp_path) == expected
    assert not job_folder(tmp_path).exists()
    assert releases(tmp_path) == 1
    assert CANARY not in result.out + result.err


@pytest.mark.parametrize("which", [signal.SIGTERM, signal.SIGINT])
def test_stopped_in_the_middle_it_says_how_to_go_on(which, line, expected, tmp_path):
    program = [sys.executable, "-m", "allonym"]
    # What is started in the background, as this suite may be, ignores Ctrl-C unless told otherwise.
    listening = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    held = [sys.executable, "-c", HELD, "replace", "5", *line, "--chunk-rows", "20"]  # it stops itself in mid-job
    process = subprocess.Popen(held, stderr=subprocess.PIPE, preexec_fn=listening)
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    assert 0 < len(list(job_folder(tmp_path).glob("chunks/*.lines"))) < ROWS // 20
    process.send_signal(which)
    process.send_signal(signal.SIGCONT)
    _, talk = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, talk
    assert b"Traceback" not in talk
    assert outputs(tmp_path) == {}
    [sentence] = talk.decode().splitlines()
    resume = shlex.split(sentence.partition("Go on with: ")[2])
    assert resume[0] == "allonym"
    subprocess.run([*program, *resume[1:]], check=True, capture_output=True, timeout=PATIENCE)
    assert outputs(tmp_path) == expected
    assert releases(tmp_path) == 1


def is_running(process: str) -> bool:
    """Whether a process is there and no zombie that nobody has asked after."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_workers_end_with_a_killed_parent_and_the_job_goes_on(command, line, expected, tmp_path):
    process = subprocess.Popen([sys.executable, "-m", "allonym", *line, "--jobs", "2"], stderr=subprocess.DEVNULL)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not children.exists():
        process.kill()
        pytest.skip("this system does not list the children of a process")
    deadline = time.monotonic() + PATIENCE
    workers: list[str] = []
    while not list(job_folder(tmp_path).glob("chunks/*.lines")) and time.monotonic() < deadline:
        workers = children.read_text().split()
        time.sleep(0.005)
    process.kill()
    process.wait(timeout=PATIENCE)
    deadline = time.monotonic() + PATIENCE
    while any(map(is_running, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert workers
    assert not any(map(is_running, workers))
    if job_folder(tmp_path).exists():
        command(*line, "--resume", "--jobs", "2").done()
    assert outputs(tmp_path) == expected


def test_a_full_disk_ends_with_2_keeps_what_was_done_and_says_how_to_go_on(command, line, expected, tmp_path):
    # A file may not grow beyond 500 blocks of 512 or 1,024 bytes: enough for each chunk, too little for the output.
    assert len(expected["o.jsonl"]) > 500 * 1024
    shell = ["sh", "-c", 'ulimit -f 500; exec "$@"', "sh", sys.executable, "-m", "allonym"]
    done = subprocess.run([*shell, *line], capture_output=True, check=False, timeout=PATIENCE)
    assert done.returncode == 2, done.stderr
    assert b"go on with: allonym anonymize" in done.stderr
    assert outputs(tmp_path) == {}
    assert leaks(tmp_path) == []
    command(*line, "--resume").done()
    assert outputs(tmp_path) == expected


def test_exit_codes_of_resuming(command, line, source, tmp_path):
    assert command(*line, "--resume").code == 5
    done = subprocess.run([sys.executable, "-c", KILLED, "replace", "3", *line], check=False, timeout=PATIENCE)
    assert done.returncode == -signal.SIGKILL
    assert "--resume" in command(*line).refused().err
    assert command(*line, "--resume", "--words", "5").code == 5
    other = [part for part in line if part not in ("--budget-db", str(tmp_path / "ledger"))]
    assert command(*other, "--resume").code == 5
    source.write_text(source.read_text() + json.dumps({"key": "new", "who": "x", "text": "people"}) + "\n")
    result = command(*line, "--resume")
    assert (result.code, result.out) == (5, "")
    assert "the input" in result.err
    command(*line, "--force").done()
    assert releases(tmp_path) == 2  # discarding refunds nothing


def test_works_without_a_network(line, expected, tmp_path):
    apart = ["unshare", "--net", "--map-root-user"]
    if shutil.which("unshare") is None or subprocess.run([*apart, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this system does not let a user take the network away")
    subprocess.run([*apart, sys.executable, "-m", "allonym", *line, "--jobs", "2"], check=True, timeout=PATIENCE)
    assert outputs(tmp_path) == expected


def test_small_jobs_leave_no_folder_behind(command, syntf, tmp_path):
    (tmp_path / "letter.txt").write_text("people", encoding="utf-8")
    command("anonymize", tmp_path / "letter.txt", *syntf).done()
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".")]


def interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_interrupted_after_the_end_it_does_not_say_that_nothing_was_written(command, line, monkeypatch, tmp_path):
    monkeypatch.setattr(Budget, "report", interrupt)
    result = command(*line)
    assert result.code == 130
    assert "o.jsonl was written" in result.err
    assert (tmp_path / "o.jsonl").exists()


def test_interrupted_before_the_beginning_it_leaves_nothing_to_resume(command, line, monkeypatch, everything, tmp_path):
    before = everything(tmp_path)
    monkeypatch.setattr(execute, "_begun", interrupt)
    result = command(*line)
    assert result.code == 130
    assert "nothing was written" in result.err
    left = {name: content for name, content in everything(tmp_path).items() if not name.startswith("ledger")}
    assert left == before
    assert releases(tmp_path) == 0
