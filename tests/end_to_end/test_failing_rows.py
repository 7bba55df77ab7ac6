"""Documents that cannot be anonymized: exit 4, row numbers and never text, and a job that can go on without them."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from allonym.anonymizers.random_replacement import RandomReplacement

ROWS = [{"text": f"zyxq number {i}" + (" bad" if i in (3, 17) else "")} for i in range(20)]


@pytest.fixture
def line(monkeypatch, write_table, vocabulary, tmp_path) -> list[object]:
    real = RandomReplacement._anonymize

    def fragile(self, texts, streams):
        if any("bad" in text for text in texts):
            raise ValueError(f"cannot handle {texts}")
        return real(self, texts, streams)

    monkeypatch.setattr(RandomReplacement, "_anonymize", fragile)
    source = write_table(tmp_path / "in.jsonl", ROWS)
    method = ["--method", "random-replacement", "--words", "2", "--vocabulary", vocabulary]
    return ["anonymize", source, *method, "-o", tmp_path / "o.jsonl"]


@pytest.mark.parametrize("chunks", [[], ["--chunk-rows", "4"]])
def test_stop_ends_with_4_and_the_row(chunks, line, command, everything, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["allonym", *map(str, line), *chunks])
    result = command(*line, *chunks)
    assert (result.code, result.out) == (4, "")
    assert "4" in result.err.split("could not be anonymized")[0]
    assert "zyxq" not in result.err
    assert not (tmp_path / "o.jsonl").exists()
    if chunks:
        resume = shlex.split(result.err.partition("go on with: ")[2])[1:]
        assert command(*resume, "--on-error", "skip").code == 4
        assert len((tmp_path / "o.jsonl").read_text().splitlines()) == 18


@pytest.mark.parametrize(
    ("on_error", "rows", "words"), [("skip", 18, "left out"), ("blank", 20, "written without text")]
)
def test_skip_and_blank_write_the_rest_and_end_with_4(on_error, rows, words, line, command, tmp_path):
    result = command(*line, "--on-error", on_error, "--json", "--quiet")
    assert result.code == 4
    assert result.json["failed_rows"] == [4, 18]
    assert result.err == f"allonym: Rows 4, 18 could not be anonymized. Such rows were {words}.\n"
    written = [json.loads(row)["text"] for row in (tmp_path / "o.jsonl").read_text().splitlines()]
    assert len(written) == rows
    assert written.count("") == rows - 18
    assert "which documents could not be anonymized" in (tmp_path / "o.jsonl.privacy.json").read_text()


def test_a_terminal_sees_progress_with_rate_and_time(write_table, vocabulary, tmp_path):
    source = write_table(tmp_path / "in.jsonl", [{"text": "people"}] * 3000)
    method = ["--method", "random-replacement", "--words", "2", "--vocabulary", str(vocabulary), "--chunk-rows", "300"]
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    line = [sys.executable, "-m", "allonym", "anonymize", str(source), *method]
    with subprocess.Popen(line, stderr=theirs, stdout=subprocess.PIPE) as process:
        os.close(theirs)
        seen = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # how Linux says that the other side is closed
                break
            if not piece:
                break
            seen += piece
    os.close(ours)
    assert process.returncode == 0
    assert b"documents/s" in seen
    assert b"3000/3000" in seen
    assert b"0:00:00 left" in seen
    assert Path(tmp_path / "in.anon.jsonl").exists()
