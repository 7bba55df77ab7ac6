"""A forecast of time: from tries of several sizes, and never a reason for a job to fail."""

from __future__ import annotations

import pytest

from allonym.anonymizers.identity import Identity
from allonym.formats.files import open_documents
from allonym.jobs import forecast
from allonym.jobs.execute import plan
from allonym.jobs.forecast import Pace, lasting


@pytest.fixture
def job(tmp_path):
    (tmp_path / "t.csv").write_text("text\n" + "rain\n" * 100, encoding="utf-8")
    documents = open_documents(tmp_path / "t.csv", text="text")
    return plan(Identity(), documents, out=tmp_path / "out.csv", has_ids=False, has_authors=False, keep=(),
                repeatable=False, chunk_rows=50)  # fmt: skip


def clock(monkeypatch, batch_s: float, document_s: float) -> list[int]:
    """Let each release take a time of our own; return the sizes of the batches that are tried."""
    tried: list[int] = []
    now = [0.0]
    real = Identity.release

    def release(self, texts, **more):
        tried.append(len(texts))
        now[0] += batch_s + document_s * len(texts)
        return real(self, texts, **more)

    monkeypatch.setattr(Identity, "release", release)
    monkeypatch.setattr(forecast.time, "perf_counter", lambda: now[0])
    return tried


def test_what_a_batch_takes_is_told_from_what_a_document_takes(job, monkeypatch):
    tried = clock(monkeypatch, 0.3, 0.01)
    pace = forecast.pace(job)
    assert tried == [1, 1, 8, 64]
    assert pace.batch_s == pytest.approx(0.3)
    assert pace.document_s == pytest.approx(0.01)
    assert forecast.of(job).seconds == pytest.approx(2 * 0.3 + 100 * 0.01)


def test_after_a_try_that_took_long_there_is_no_other(job, monkeypatch):
    tried = clock(monkeypatch, 0.0, 3.0)
    assert forecast.pace(job) == Pace(0.0, 3.0)
    assert tried == [1, 1]
    tried = clock(monkeypatch, 0.0, 0.5)
    forecast.pace(job)
    assert tried == [1, 1, 8]


def test_a_job_that_cannot_be_done_has_none(job, monkeypatch):
    def failing(self, texts, **more):
        raise ValueError("no")

    monkeypatch.setattr(Identity, "release", failing)
    assert forecast.of(job) is None


@pytest.mark.parametrize(
    ("pace", "rows"), [(Pace(0.0, 0.5), 4), (Pace(1.5, 0.01), 150), (Pace(0.0, 9.0), 1), (Pace(0.1, 0.0), 1_900_000)]
)
def test_a_batch_lasts_as_long_as_asked_and_is_not_spent_on_itself(pace, rows):
    assert pace.documents_in(2.0) == rows


def test_lengths_of_time_are_said_as_people_do():
    said = [lasting(seconds) for seconds in (0, 1.4, 89, 90, 5399, 5400, 36_000)]
    assert said == ["1 second", "1 second", "89 seconds", "2 minutes", "90 minutes", "1.5 hours", "10.0 hours"]
