"""`python -m allonym anonymize` as a process: pipes, full disks, closed streams, and no network."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import allonym
from tests.conftest import PATIENCE
from tests.end_to_end.conftest import ROWS


def privacy_of(out: Path) -> dict:
    return json.loads(Path(f"{out}.privacy.json").read_text(encoding="utf-8"))


def test_program_from_file_to_file(program, syntf, everything, read_counts, words, tmp_path):
    (tmp_path / "letter.txt").write_text("People of the world", encoding="utf-8")
    result = program("anonymize", "letter.txt", *syntf, "--json", cwd=tmp_path).done()
    assert result.json["output"] == "letter.anon.npz"
    assert [sum(row.values()) for row in read_counts(tmp_path / "letter.anon.npz")] == [words]
    before = everything(tmp_path)
    program("anonymize", "letter.txt", *syntf, cwd=tmp_path).refused()
    assert everything(tmp_path) == before


def test_program_in_a_pipe(program, syntf, words):
    result = program("anonymize", "-", *syntf, stdin="Straße, people".encode()).done()
    assert sum(int(line.split("\t")[0]) for line in result.out.splitlines()) == words
    program("anonymize", "-", *syntf, stdin=b"\xff").refused()


def test_program_does_not_mind_a_reader_that_leaves(syntf):
    # Exit code 1 would mean a risk was found.
    line = [sys.executable, "-m", "allonym", "guarantee", *syntf]
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        done = subprocess.run(line, stdout=pipe, stderr=subprocess.PIPE, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_program_prints_on_consoles_without_greek(program, syntf):
    setting = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    program("guarantee", *syntf, env=setting).done()
    assert "ε" in program("guarantee", *syntf, "--json", env=setting).done().json["guarantee"]["statement"]


def test_program_when_the_file_system_is_full(program, everything, write_table, syntf, tmp_path):
    table = write_table(tmp_path / "in.jsonl", ROWS * 200)
    before = everything(tmp_path)
    for name in ("o.npz", "o.svm", "o.parquet"):
        line = ["anonymize", table, "--text", "text", *syntf, "-o", tmp_path / name]
        result = program(*line, shell="ulimit -f 4")  # blocks of 512 or 1,024 bytes: enough for the guarantee only
        result.refused()
        assert "bug" not in result.err
        assert everything(tmp_path) == before


def test_program_says_what_was_written_when_its_answer_is_refused(program, table, syntf, everything, tmp_path):
    line = ["anonymize", table, "--text", "text", *syntf, "-o", tmp_path / "o.npz", "--json", "--quiet"]
    result = program(*line, shell="exec >/dev/full").refused()
    assert "was written" in result.err
    assert "nothing" not in result.err
    assert privacy_of(tmp_path / "o.npz")["documents"] == len(ROWS)


def test_program_with_closed_streams(program, table, syntf, tmp_path):
    result = program("anonymize", table, "--text", "text", *syntf, "-o", tmp_path / "o.npz", shell="exec >&-").done()
    assert "Wrote" in result.err
    assert program("guarantee", *syntf, shell="exec >&-").done().err == ""
    assert "closed" in program("anonymize", "-", *syntf, shell="exec <&-").refused().err


def test_version(command, program):
    for run in (command, program):
        result = run("--version").done()
        assert (result.out, result.err) == (f"allonym, version {allonym.__version__}\n", "")
