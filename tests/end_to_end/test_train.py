"""`allonym train erae`: from a table to a model that anonymizes, through interruptions and bad input."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
from importlib.util import find_spec

import pytest

from allonym import disk, models
from allonym.cli.train import common
from tests.conftest import PATIENCE

needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="needs the extra neural (torch)")

PARTS = (
    ("the teacher", "my neighbour", "the doctor", "her brother", "the cook", "a driver", "the farmer", "our cat"),
    ("opened", "closed", "painted", "lost", "found", "sold", "bought", "moved", "cleaned", "watched"),
    ("the door", "the window", "a letter", "the old car", "a red chair", "the garden", "a book", "the boat"),
    ("in the morning", "after lunch", "before dinner", "on monday", "last week", "with care", "in the rain"),
)
QUICK = ("--size", "tiny", "--words", "200", "--batch", "32")


def texts(count=90):
    for start in range(count):
        rows = range(start * 4, start * 4 + 4)
        said = [" ".join(part[row * step % len(part)] for part, step in zip(PARTS, (1, 3, 5, 2), strict=True))
                for row in rows]  # fmt: skip
        yield f"{'. '.join(said)}. It was day {start + 20}."


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "mine.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["user", "body"])
        writer.writerows((f"writer {number % 9}", text) for number, text in enumerate(texts()))
    return path


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    """Small products only wait for each other's threads."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


@needs_torch
def test_a_model_of_your_own_anonymizes(command, table, tmp_path):
    model = tmp_path / "model"
    result = command(
        "train", "erae", table, "--text", "body", "--author", "user", "-o", model, *QUICK, "--epochs", 4, "--json"
    ).done()
    figures = result.json
    assert figures["differential_privacy"] is False
    assert "release of the text" in figures["warning"]
    assert 0 < figures["accuracy"] <= figures["among_five"] <= 1
    losses = [
        float(line.split("held-out loss ")[1].split(",")[0]) for line in result.err.splitlines() if "loss" in line
    ]
    assert losses[-1] < losses[0]
    assert command("models", "verify", model).done().out == f"{model}: ok\n"
    options = ("--method", "erae", "--model", model, "--sentences", 2, "--words", 8)
    written = command("anonymize", "-", *options, stdin=b"The zebra opened the door. Our cat lost a book.").done().out
    known = {*models.verify(model).folder.joinpath("vocabulary.txt").read_text("utf-8").lower().split()}
    # Where sentences end is drawn, too: there may be no word at all, or a mark alone.
    words = {word.strip(".,").lower() for word in written.split()} - {""}
    assert words <= known | {"20", "1000", "2000", "1.5", "20th"}
    assert "zebra" not in words


@needs_torch
def test_a_folder_in_use_is_kept_and_force_replaces_it(command, table, tmp_path):
    model = tmp_path / "model"
    line = ("train", "erae", table, "--text", "body", "-o", model, *QUICK, "--epochs", 1)
    command(*line).done()
    before = (model / "SHA256").read_bytes()
    command(*line).refused()
    assert (model / "SHA256").read_bytes() == before
    command(*line, "--seed", 2, "--force").done()
    assert (model / "SHA256").read_bytes() != before
    (model / "notes.md").write_text("mine", "utf-8")
    command(*line, "--force").refused()
    assert command(*line[:-2], "--resume").code == 5  # it is finished: there is nothing to resume


@needs_torch
def test_a_terminated_run_goes_on_and_refuses_changes(command, table, tmp_path):
    model = tmp_path / "a model"
    line = ["train", "erae", str(table), "--text", "body", *QUICK, "--epochs", "12"]
    process = subprocess.Popen(
        [sys.executable, "-m", "allonym", *line, "-o", str(model)], stderr=subprocess.PIPE, stdout=subprocess.PIPE
    )
    said = b""
    while b"done, step" not in said:  # in mid-training
        read = process.stderr.readline()
        assert read, said
        said += read
    process.send_signal(signal.SIGTERM)
    _, error = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, error
    assert f"allonym train erae {table} -o '{model}' --resume" in error.decode()
    assert not models.check(model).ok
    again = ("train", "erae", table, "-o", model, "--resume")
    for changed in (("--words", 100), ("--epochs", 13), ("--variant", "paper"), ("--text", "user"), ("--seed", 9)):
        refused = command(*again, *changed)
        assert refused.code == 5
        assert changed[0] in refused.err
    content = table.read_text("utf-8")
    table.write_text(content.replace("Monday", "monday", 1).replace("rain", "snow", 1), "utf-8")
    refused = command(*again)
    assert refused.code == 5
    assert "snow" not in refused.err
    table.write_text(content, "utf-8")
    command(*again, "--epochs", 12).done()  # said again, but the same
    assert models.check(model).ok


@needs_torch
@pytest.mark.parametrize(
    ("content", "options", "hint"),
    [
        ("body\n", (), "holds no documents"),
        ("body\nhello\n", (), "shared"),
        ("body\n" + "abc\n" * 50, (), "shared"),
        ("user,body\na,b\n", ("--text", "nothing"), "nothing"),
        ("body\nhello\n", ("--words", 10), "--words"),
        ("body\nhello\n", ("--held-out", "nan"), "--held-out"),
        ("body\nhello\n", ("--minutes", "inf"), "--minutes"),
        ("body\nhello\n", ("--epochs", 0), "--epochs"),
        ("body\nhello\n", ("--device", "abacus"), "--device"),
    ],
)
def test_garbage_is_refused_in_a_sentence(command, tmp_path, content, options, hint):
    (tmp_path / "mine.csv").write_text(content, "utf-8")
    result = command("train", "erae", tmp_path / "mine.csv", "-o", tmp_path / "model", "--quiet", *options).refused()
    assert hint in result.err
    assert not (tmp_path / "model").exists()


@needs_torch
def test_a_full_disk_leaves_the_checkpoint_before(command, table, tmp_path, monkeypatch):
    write, written = disk.write, []

    def full(path, content, **options):
        written.append(path)
        if len(written) > 2:  # the first checkpoint is two files
            raise OSError(28, "No space left on device")
        write(path, content, **options)

    monkeypatch.setattr(disk, "write", full)
    result = command(
        "train", "erae", table, "--text", "body", "-o", tmp_path / "model", *QUICK, "--epochs", 3, "--quiet"
    )
    assert result.code == 2
    assert "No space left" in result.err
    assert "--resume" in result.err
    monkeypatch.undo()
    command("train", "erae", table, "-o", tmp_path / "model", "--resume").done()


@needs_torch
def test_resuming_nothing_is_refused(command, table, tmp_path):
    result = command("train", "erae", table, "-o", tmp_path / "model", "--resume")
    assert result.code == 5
    assert "no checkpoint" in result.err


def test_without_torch_the_extra_is_named(command, table, tmp_path, monkeypatch):
    monkeypatch.setattr(common, "find_spec", lambda name: None)
    result = command("train", "erae", table, "--text", "body", "-o", tmp_path / "model").refused()
    assert "allonym[neural]" in result.err


def test_help_lists_what_can_be_trained(command):
    assert "erae" in command("train", "--help").done().out
    assert "--shared-by" in command("train", "erae", "--help").done().out
    assert command("train", "nothing").code == 2


@needs_torch
def test_json_is_one_value_and_quiet_is_quiet(command, table, tmp_path):
    line = ("train", "erae", table, "--text", "body", "-o", tmp_path / "model", *QUICK, "--epochs", 1)
    result = command(*line, "--json", "--quiet").done()
    assert json.loads(result.out)["model"] == str(tmp_path / "model")
    assert result.err == ""
