"""Jobs in chunks: the same bytes however they are cut, spread or interrupted, and noise of their own."""

from __future__ import annotations

import csv

import pytest

from allonym.anonymizers.random_replacement import RandomReplacement
from allonym.anonymizers.syntf import SynTF
from allonym.jobs.execute import Options, _opened, execute, run
from allonym.jobs.store import folder_of
from allonym.randomness import secure
from tests.jobs.made import KEY, ROWS, WORDS, ignore, planned, stopped_after, visible, write


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
