"""How long a job would take, and how much memory: its first documents are tried, and what comes out is thrown away."""

from __future__ import annotations

import sys
import time
from dataclasses import asdict, dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from allonym.randomness import insecure

if TYPE_CHECKING:
    from allonym.jobs.plan import Plan

_TRIED: Final = (1, 8, 64)  # documents at a time: a batch of many is quicker for each than a single one
_ENOUGH_S: Final = 0.5  # a try that took as long says enough
_MEGABYTE: Final = 1 << 20


@dataclass(frozen=True)
class Forecast:
    """What a job would take on this machine as it is now, in one process."""

    seconds: float
    seconds_per_document: float
    megabytes: int | None  # None where the system does not tell

    def to_json(self) -> dict[str, Any]:
        """Return the figures by name."""
        return asdict(self)

    def documents_in(self, seconds: float) -> int:
        """Return how many documents are done in so many seconds, at least one."""
        return max(1, round(seconds / max(self.seconds_per_document, 1e-6)))

    @property
    def lasting(self) -> str:
        """How long it takes, as people say it."""
        return _lasting(self.seconds)

    def __str__(self) -> str:
        each = self.seconds_per_document
        pace = f"{each:,.1f} s a document" if each >= 1 else f"{1 / max(each, 1e-6):,.0f} documents/s"
        memory = f" and {self.megabytes:,} MB of memory" if self.megabytes else ""
        return f"It would take about {self.lasting}{memory} on this machine as it is now ({pace})."


def of(job: Plan) -> Forecast | None:
    """Try the first documents of a job; None where they cannot be done, which the job itself will tell.

    Privacy: spends nothing. What is drawn leaves this function in no form but the time that it took.
    """
    texts = list(islice(job.documents.first_texts(), _TRIED[-1]))
    try:
        job.anonymizer.release(texts[:1], rng=insecure(0))  # what is loaded once is no part of the pace
        each = _pace(job, texts)
    except Exception:
        return None
    return Forecast(round(each * job.count, 3), round(each, 6), _megabytes())


def _pace(job: Plan, texts: list[str]) -> float:
    """Return the seconds of a document: of the largest try, and none is made after one that took long."""
    for tried in _TRIED:
        batch = texts[:tried]
        began = time.perf_counter()
        job.anonymizer.release(batch, rng=insecure(0))
        lasted = time.perf_counter() - began
        if lasted >= _ENOUGH_S or tried >= len(texts):
            break
    return lasted / len(batch)


def _megabytes() -> int | None:
    """Return the most memory that this process has held."""
    try:
        import resource  # of Unix alone
    except ImportError:
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(most / _MEGABYTE if sys.platform == "darwin" else most * 1024 / _MEGABYTE)


def _lasting(seconds: float) -> str:
    """Return a length of time as people say it, never less than a second."""
    if seconds < 90:
        whole = max(1, round(seconds))
        return f"{whole} second{'s' if whole != 1 else ''}"
    return f"{seconds / 60:,.0f} minutes" if seconds < 5400 else f"{seconds / 3600:,.1f} hours"
