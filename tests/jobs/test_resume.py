"""Unfinished jobs: private, resumed as they were or not at all, and never half-seen."""

from __future__ import annotations

import sqlite3
import stat
from pathlib import Path

import pytest

from allonym.anonymizers.random_replacement import RandomReplacement
from allonym.errors import InputError, ResumeError
from allonym.jobs.execute import Options, execute, run
from allonym.jobs.store import folder_of
from allonym.randomness import insecure, secure
from tests.jobs.made import KEY, ROWS, WORDS, ignore, interrupted, planned, stopped_after, visible, write


def test_an_unfinished_job_is_private_and_holds_no_text(tmp_path):
    job = interrupted(tmp_path)
    folder = folder_of(job.out)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "key").stat().st_mode) == 0o600
    assert len((folder / "key").read_bytes()) == 32
    for path in folder.rglob("*"):
        if path.is_file():
            assert b"zyxq" not in path.read_bytes(), path
    assert visible(tmp_path) == {}


def test_the_key_is_overwritten_before_it_is_removed(tmp_path, monkeypatch):
    job = interrupted(tmp_path)
    seen = []
    real = Path.unlink
    monkeypatch.setattr(
        Path,
        "unlink",
        lambda path, **k: (seen.append(path.read_bytes()) if path.name == "key" else None, real(path, **k))[1],
    )
    execute(job, None, ignore, Options(resume=True))
    assert seen == [bytes(32)]


def test_an_unfinished_job_must_be_resumed_or_discarded(tmp_path):
    job = interrupted(tmp_path)
    key = (folder_of(job.out) / "key").read_bytes()
    with pytest.raises(InputError, match="unfinished job; add --resume to go on with it, or --force to discard it"):
        execute(job, None, ignore, Options())
    assert (folder_of(job.out) / "key").read_bytes() == key
    execute(job, None, ignore, Options(force=True))
    assert set(visible(tmp_path)) == {"out.jsonl", "out.jsonl.privacy.json"}
    with pytest.raises(ResumeError, match="no unfinished job to resume"):
        execute(job, None, ignore, Options(resume=True))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("inserted", "the input"),
        ("removed", "the input"),
        ("reordered", "the input"),
        ("one letter", "the input"),
        ("words", "the method or its parameters"),
        ("vocabulary", "the method or its parameters"),
        ("version", "the versions of allonym"),
        ("chunk", "documents at a time"),
        ("columns", "the columns"),
        ("seed", "seed"),
    ],
)
def test_a_changed_job_is_not_resumed(change, said, tmp_path, monkeypatch):
    job = interrupted(tmp_path)
    source, made, rows, rng = tmp_path / "in.jsonl", None, 7, None
    if change in ("inserted", "removed", "reordered", "one letter"):
        lines = source.read_text().splitlines(keepends=True)
        changed = {
            "inserted": [lines[0].replace("k0", "new"), *lines],
            "removed": lines[:-1],
            "reordered": [lines[1], lines[0], *lines[2:]],
            "one letter": [lines[0].replace("rain", "vain"), *lines[1:]],
        }[change]
        source.write_text("".join(changed))
    elif change == "words":
        made = RandomReplacement(words=4, vocabulary=WORDS)
    elif change == "vocabulary":
        made = RandomReplacement(words=3, vocabulary=[*WORDS[:-1], "gull"])
    elif change == "version":
        monkeypatch.setattr("allonym.jobs.fingerprints.__version__", "99.0")
    elif change == "chunk":
        rows = 8
    elif change == "seed":
        rng = insecure(3)
    job = planned(source, job.out, made, rows, **({"has_authors": False} if change == "columns" else {}))
    before = {p: p.read_bytes() for p in folder_of(job.out).rglob("*.lines")}
    with pytest.raises(ResumeError, match=said):
        execute(job, rng, ignore, Options(resume=True))
    assert {p: p.read_bytes() for p in folder_of(job.out).rglob("*.lines")} == before
    assert visible(tmp_path) == {}


def test_a_changed_vocabulary_file_is_noticed(tmp_path):
    source, words = write(tmp_path, "jsonl"), tmp_path / "in-words.txt"
    words.write_text("\n".join(WORDS))
    out = tmp_path / "out.jsonl"
    job = planned(source, out, RandomReplacement(words=3, vocabulary=str(words)))
    with pytest.raises(KeyboardInterrupt):
        execute(job, None, stopped_after(2), Options())
    words.write_text("\n".join([*WORDS[:-1], "gull"]))
    job = planned(source, out, RandomReplacement(words=3, vocabulary=str(words)))
    with pytest.raises(ResumeError, match="the method or its parameters"):
        execute(job, None, ignore, Options(resume=True))


def test_a_damaged_chunk_is_made_again(tmp_path):
    source = write(tmp_path, "parquet")
    job = planned(source, tmp_path / "out.parquet")
    run(job, secure(KEY), force=False, progress=ignore)
    expected = visible(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        execute(job, secure(KEY), stopped_after(4), Options(force=True))
    first, second, *_ = sorted((folder_of(job.out) / "chunks").iterdir())
    first.write_bytes(first.read_bytes()[:-9])
    second.unlink()
    outcome = execute(job, None, ignore, Options(resume=True))
    assert outcome.resumed == 21  # of five chunks three were whole
    assert visible(tmp_path) == expected


def test_two_processes_do_not_write_one_job(tmp_path):
    job = interrupted(tmp_path)
    other = sqlite3.connect(folder_of(job.out) / "lock", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    for options in (Options(resume=True), Options(force=True)):
        with pytest.raises(InputError, match="being written by another process"):
            execute(job, None, ignore, options)
    other.close()
    execute(job, None, ignore, Options(resume=True))


def test_the_input_must_not_change_while_it_is_read(tmp_path):
    job = planned(write(tmp_path, "jsonl"), tmp_path / "out.jsonl")
    write(tmp_path, "jsonl", ROWS[:50])
    with pytest.raises(InputError, match="changed while it was read"):
        execute(job, None, ignore, Options())
    assert visible(tmp_path) == {}
