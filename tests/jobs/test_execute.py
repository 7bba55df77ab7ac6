"""Jobs in chunks: the same bytes however they are cut, spread or interrupted; nothing half-done is ever seen."""

from __future__ import annotations

import csv
import json
import os
import sqlite3
import stat
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from allonym.anonymizers.random_replacement import RandomReplacement
from allonym.anonymizers.syntf import SynTF
from allonym.errors import InputError, ResumeError, RowsError
from allonym.formats.files import open_documents
from allonym.jobs.execute import Options, Plan, _opened, execute, plan, run
from allonym.jobs.store import folder_of
from allonym.randomness import insecure, secure

WORDS = ["rain", "snow", "harbour", "letter", "morning", "bird"]
ROWS = [
    {
        "key": f"k{i}",
        "who": f"w{i % 3}",
        "n": i,
        "text": f"{WORDS[i % 6]} {WORDS[i * i % 6]} zyxq{'abcdefghij'[i % 10]}",
    }
    for i in range(100)
]
KEY = bytes(range(32))


class Fragile(RandomReplacement):
    """Fails on texts with a certain word, as a bug might."""

    method = "fragile"
    broken = "snow"

    def _anonymize(self, texts, streams):
        if any(self.broken in text for text in texts):
            raise ValueError(f"cannot handle {texts}")
        return super()._anonymize(texts, streams)


class Mended(Fragile):
    broken = "no such word"


class FragileVectors(SynTF):
    method = "fragile-vectors"

    def _anonymize(self, texts, streams):
        if any("snow" in text for text in texts):
            raise KeyError(texts[0])
        return super()._anonymize(texts, streams)


def write(folder: Path, kind: str, rows: list[dict] = ROWS) -> Path:
    path = folder / f"in.{kind}"
    if kind == "folder":
        path.mkdir()
        for row in rows:
            (path / f"{row['key']}.txt").write_text(row["text"], encoding="utf-8")
    elif kind == "csv":
        lines = [",".join(map(str, row.values())) for row in rows]
        path.write_text("\n".join([",".join(rows[0]), *lines, ""]), encoding="utf-8")
    elif kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    else:
        pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def planned(source: Path, out: Path, anonymizer=None, rows: int = 7, **given) -> Plan:
    anonymizer = anonymizer or RandomReplacement(words=3, vocabulary=WORDS)
    columns = {} if source.is_dir() else {"text": "text", "id": "key", "author": "who", "keep": ["n"]}
    if columns and anonymizer.kind == "texts":
        columns["keep"] = ["key", "n"]
    elif columns and out.suffix != ".parquet":
        columns["keep"] = []
    documents = open_documents(source, **columns)
    settings = {"has_ids": bool(columns), "has_authors": bool(columns), "repeatable": False} | given
    keep = tuple(columns.get("keep", ()))
    return plan(anonymizer, documents, out=out, keep=keep, chunk_rows=rows, **settings)


def visible(folder: Path) -> dict[str, bytes]:
    """All files but those of unfinished jobs and the input."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    names = ((str(path.relative_to(folder)), path) for path in found)
    return {name: path.read_bytes() for name, path in names if not name.startswith((".", "in"))}


def ignore(_: int) -> None:
    """Watch no progress."""


def stopped_after(chunks: int):
    """A progress callback that interrupts, as Ctrl-C would, after so many chunks."""
    left = iter([None] * chunks)

    def progress(_: int) -> None:
        if next(left, "none left") == "none left":
            raise KeyboardInterrupt

    return progress


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "folder"])
@pytest.mark.parametrize("suffix", ["text", ".npz", ".svm", ".parquet"])
def test_bytes_do_not_depend_on_chunks_or_interruptions(kind, suffix, tmp_path):
    source = write(tmp_path, kind)
    vectors = suffix != "text"
    name = f"out{suffix}" if vectors else ("out" if kind == "folder" else f"out.{kind}")
    made = SynTF(vocabulary=WORDS, words=5) if vectors else RandomReplacement(words=3, vocabulary=WORDS)
    for rows in (1000, 7, 33):
        run(planned(source, tmp_path / name, made, rows), secure(KEY), force=True, progress=ignore)
        found = visible(tmp_path)
        if rows == 1000:
            expected = found
        assert found == expected
        assert not folder_of(tmp_path / name).exists()
    job = planned(source, tmp_path / name, made, 7)
    with pytest.raises(KeyboardInterrupt):
        execute(job, secure(KEY), stopped_after(5), Options(force=True))
    assert visible(tmp_path) == expected  # the older output
    done: list[int] = []
    outcome = execute(job, None, done.append, Options(resume=True))
    assert visible(tmp_path) == expected
    assert done[0] == outcome.resumed == 42  # the sixth chunk was recorded before the interrupt
    assert sum(done) == len(ROWS)
    assert not folder_of(tmp_path / name).exists()


def test_processes_give_the_same_bytes(tmp_path):
    source = write(tmp_path, "parquet")
    for processes in (1, 2):
        options = Options(force=True, processes=processes)
        execute(planned(source, tmp_path / "out.parquet"), secure(KEY), ignore, options)
        if processes == 1:
            expected = visible(tmp_path)
    assert visible(tmp_path) == expected


def interrupted(tmp_path: Path, kind: str = "jsonl", **options) -> Plan:
    """A job of 15 chunks that was stopped after some."""
    source = tmp_path / f"in.{kind}"
    job = planned(source if source.exists() else write(tmp_path, kind), tmp_path / f"out.{kind}")
    with pytest.raises(KeyboardInterrupt):
        execute(job, None, stopped_after(3), Options(**options))
    return job


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


# Documents that fail


@pytest.mark.parametrize("rows", [7, 1000])
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_failing_rows_stop_are_left_out_or_blank(rows, kind, tmp_path):
    source, out = write(tmp_path, kind), tmp_path / f"out.{kind}"
    failing = [i for i, row in enumerate(ROWS) if "snow" in row["text"]]
    made = Fragile(words=3, vocabulary=WORDS)
    with pytest.raises(RowsError, match=rf"Rows? {failing[0] + 1}\b.*--on-error skip") as error:
        execute(planned(source, out, made, rows), secure(KEY), ignore, Options())
    assert "zyxq" not in str(error.value)
    assert visible(tmp_path) == {}
    for on_error in ("skip", "blank"):
        options = Options(force=True, on_error=on_error)
        outcome = execute(planned(source, out, made, rows), secure(KEY), ignore, options)
        assert list(outcome.failed) == failing
        again = open_documents(out, text="text", id="key", keep=["n"])
        found = [(int(n), text) for b in again for n, text in zip(b.kept["n"].to_pylist(), b.texts, strict=True)]
        left = range(100) if on_error == "blank" else [i for i in range(100) if i not in failing]
        assert [n for n, _ in found] == list(left)
        assert [n for n, text in found if not text] == (failing if on_error == "blank" else [])
        record = json.loads((tmp_path / f"out.{kind}.privacy.json").read_text())
        assert record["documents_failed"] == len(failing)
        assert "which documents could not be anonymized" in record["guarantee"]["released_as_is"]


def test_rows_that_do_not_fail_come_out_as_if_none_had(tmp_path):
    source, out = write(tmp_path, "jsonl"), tmp_path / "out.jsonl"
    run(planned(source, out, Mended(words=3, vocabulary=WORDS)), secure(KEY), force=True, progress=ignore)
    sound = out.read_text().splitlines()
    made = Fragile(words=3, vocabulary=WORDS)
    execute(planned(source, out, made), secure(KEY), ignore, Options(force=True, on_error="skip"))
    assert out.read_text().splitlines() == [s for s, row in zip(sound, ROWS, strict=True) if "snow" not in row["text"]]


def test_failing_rows_of_vectors(tmp_path):
    source = write(tmp_path, "jsonl")
    failing = [i for i, row in enumerate(ROWS) if "snow" in row["text"]]
    for on_error in ("skip", "blank"):
        job = planned(source, tmp_path / "out.parquet", FragileVectors(vocabulary=WORDS, words=5))
        execute(job, None, ignore, Options(force=True, on_error=on_error))
        rows = pq.read_table(tmp_path / "out.parquet").to_pylist()
        assert [row["n"] for row in rows] == [i for i in range(100) if on_error == "blank" or i not in failing]
        assert [row["n"] for row in rows if not row["terms"]] == (failing if on_error == "blank" else [])


def test_a_job_that_stopped_at_a_row_goes_on_without_it(tmp_path):
    source, out = write(tmp_path, "jsonl"), tmp_path / "out.jsonl"
    made = Fragile(words=3, vocabulary=WORDS)
    made.broken = "zyxqj"
    with pytest.raises(RowsError, match="Row 10 could not be anonymized"):
        execute(planned(source, out, made, 3), None, ignore, Options())
    outcome = execute(planned(source, out, made, 3), None, ignore, Options(resume=True, on_error="skip"))
    assert outcome.resumed == 9
    assert len(out.read_text().splitlines()) == 90


@pytest.mark.parametrize("rows", [7, 1000])
def test_when_every_document_fails_it_is_a_bug(rows, tmp_path):
    made = Fragile(words=3, vocabulary=WORDS)
    made.broken = "zyxq"
    for on_error in ("stop", "skip", "blank"):
        job = planned(write(tmp_path, "jsonl"), tmp_path / f"{rows}.jsonl", made, rows)
        with pytest.raises(ValueError, match="cannot handle"):
            execute(job, None, ignore, Options(on_error=on_error, force=True))


# Disks that fail


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


def test_two_jobs_under_one_stream_share_no_noise(tmp_path):
    source, rng = write(tmp_path, "csv"), secure()
    outs = [tmp_path / f"{number}.csv" for number in range(4)]
    for number, out in enumerate(outs):
        execute(planned(source, out, rows=1000 if number < 2 else 30), rng, ignore, Options())
    texts = [out.read_bytes() for out in outs]
    assert len(set(texts)) == len(texts)


def test_a_job_and_a_call_with_the_same_fresh_stream_agree_and_a_job_repeats_under_its_key(tmp_path):
    source = write(tmp_path, "csv")
    for number in range(2):
        job = planned(source, tmp_path / f"{number}.csv", rows=30)
        execute(job, secure(KEY), ignore, Options(processes=1 + number))
    assert (tmp_path / "0.csv").read_bytes() == (tmp_path / "1.csv").read_bytes()
    by_call = job.anonymizer.release([row["text"] for row in ROWS], rng=secure(KEY)).payload
    lines = (tmp_path / "0.csv").read_text(encoding="utf-8").splitlines()
    written = [row["text"] for row in csv.DictReader(lines)]
    assert written == [" ".join(text) if isinstance(text, list) else text for text in by_call]


def test_another_model_file_under_the_same_name_gets_other_noise(tmp_path):
    source, words = write(tmp_path, "csv"), tmp_path / "words.txt"
    keys = []
    for content in ("rain\nsnow\n", "rain\nhail\n"):
        words.write_text(content, encoding="utf-8")
        job = planned(source, tmp_path / "out.csv", RandomReplacement(words=5, vocabulary=str(words)))
        keys.append(_opened(job, secure(KEY)).key)
    assert keys[0] != keys[1]
