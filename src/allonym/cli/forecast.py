"""How long a job would take, and how much memory: its first documents are tried, and what comes out is thrown away."""

from __future__ import annotations

import sys
import time
from dataclasses import asdict, dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from allonym.randomness import insecure

if TYPE_CHECKING:
    from allonym.jobs.execute import Plan

_TRIED = 8  # documents
_MEGABYTE = 1 << 20


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
        pace = f"{each:,.1f} s a document" if each >= 1 else f"{1 / max(each, 1e-6):,.0f} documents/s"
        memory = f" and {self.megabytes:,} MB of memory" if self.megabytes else ""
        return f"It would take about {_lasting(self.seconds)}{memory} on this machine as it is now ({pace})."


def of(job: Plan) -> Forecast | None:
    """Try the first documents of a job; None where they cannot be done, which the job itself will tell.

    Privacy: spends nothing. What is drawn leaves this function in no form but the time that it took.
    """
    texts = list(islice(job.documents.first_texts(), _TRIED))
    try:
        job.anonymizer.release(texts[:1], rng=insecure(0))  # what is loaded once is no part of the pace
        began = time.perf_counter()
        job.anonymizer.release(texts, rng=insecure(0))
    except Exception:
        return None
    each = (time.perf_counter() - began) / len(texts)
    return Forecast(round(each * job.count, 3), round(each, 6), _megabytes())


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
