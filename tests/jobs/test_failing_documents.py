"""Documents that fail: they stop the job, are left out, or are written without text."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest

from allonym.anonymizers.random_replacement import RandomReplacement
from allonym.anonymizers.syntf import SynTF
from allonym.errors import RowsError
from allonym.formats.files import open_documents
from allonym.jobs.execute import Options, execute, run
from allonym.randomness import secure
from tests.jobs.made import KEY, ROWS, WORDS, ignore, planned, visible, write


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
