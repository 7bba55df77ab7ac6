"""How long a job would take, and how much memory: its first documents are tried, and what comes out is thrown away.

Many methods spend some time on each batch, however small, and some on each document. Both are estimated from tries of
different sizes, since a job may have batches of any size.
"""

from __future__ import annotations

import math
import sys
import time
from dataclasses import asdict, dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from allonym.randomness import insecure

if TYPE_CHECKING:
    from allonym.jobs.plan import Plan

_TRIED: Final = (1, 8, 64)  # documents at a time, each try once the former was short
_ENOUGH_S: Final = 2.0  # a try that took as long is the last
_SHORTEST_S: Final = 1e-6
_MEGABYTE: Final = 1 << 20


@dataclass(frozen=True)
class Pace:
    """What a batch and each document of it take, on this machine as it is now, in one process."""

    batch_s: float
    document_s: float

    def seconds(self, documents: int, batch_rows: int) -> float:
        """Return how long so many documents take in batches of at most so many."""
        return math.ceil(documents / batch_rows) * self.batch_s + documents * self.document_s

    def documents_in(self, seconds: float) -> int:
        """Return how many documents of one batch are done in so many seconds, at least one.

        A batch is never so small that most of its time goes into what every batch takes.
        """
        room = max(seconds - self.batch_s, self.batch_s)
        return max(1, int(room / max(self.document_s, _SHORTEST_S)))


@dataclass(frozen=True)
class Forecast:
    """What a job would take on this machine as it is now, in one process."""

    seconds: float
    seconds_per_document: float
    megabytes: int | None  # None where the system does not tell

    def to_json(self) -> dict[str, Any]:
        """Return the figures by name."""
        return asdict(self)

    def __str__(self) -> str:
        each = self.seconds_per_document
        pace = f"{each:,.1f} s a document" if each >= 1 else f"{1 / max(each, _SHORTEST_S):,.0f} documents/s"
        memory = f" and {self.megabytes:,} MB of memory" if self.megabytes else ""
        return f"It would take about {lasting(self.seconds)}{memory} on this machine as it is now ({pace})."


def of(job: Plan) -> Forecast | None:
    """Try the first documents of a job; None where they cannot be done, which the job itself will tell.

    Privacy: spends nothing. What is drawn leaves this function in no form but the time that it took.
    """
    tried = pace(job)
    if tried is None:
        return None
    seconds = tried.seconds(job.count, job.documents.batch_rows)
    return Forecast(round(seconds, 3), round(seconds / job.count, 6), _megabytes())


def pace(job: Plan) -> Pace | None:
    """Return what batches and documents of a job take, as `of` finds it out."""
    texts = list(islice(job.documents.first_texts(), _TRIED[-1]))
    try:
        job.anonymizer.release(texts[:1], rng=insecure(0))  # what is loaded once is no part of the pace
        tries = [_timed(job, texts[:1])]
        for tried in _TRIED[1:]:
            if len(texts) <= tries[-1][0] or tries[-1][1] >= _ENOUGH_S:
                break
            tries.append(_timed(job, texts[:tried]))
    except Exception:
        return None
    return _line(tries)


def lasting(seconds: float) -> str:
    """Return a length of time as people say it, never less than a second.

    >>> lasting(0.2), lasting(100), lasting(9000)
    ('1 second', '2 minutes', '2.5 hours')
    """
    if seconds < 90:
        whole = max(1, round(seconds))
        return f"{whole} second{'s' if whole != 1 else ''}"
    return f"{seconds / 60:,.0f} minutes" if seconds < 5400 else f"{seconds / 3600:,.1f} hours"


def _timed(job: Plan, texts: list[str]) -> tuple[int, float]:
    """Return how many documents were tried and how long that took."""
    began = time.perf_counter()
    job.anonymizer.release(texts, rng=insecure(0))
    return len(texts), time.perf_counter() - began


def _line(tries: list[tuple[int, float]]) -> Pace:
    """Return the line through the smallest and the largest try."""
    (few, short), (many, long) = tries[0], tries[-1]
    if many == few:
        return Pace(0.0, long / many)
    each = max(0.0, (long - short) / (many - few))
    return Pace(max(0.0, short - few * each), each or long / many)


def _megabytes() -> int | None:
    """Return the most memory that this process has held."""
    try:
        import resource  # of Unix alone
    except ImportError:
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(most / _MEGABYTE if sys.platform == "darwin" else most * 1024 / _MEGABYTE)
