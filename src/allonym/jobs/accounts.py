"""Charge a job to a ledger."""

from __future__ import annotations

from dataclasses import dataclass, field

from allonym.budget.account import Caps, Charge, Totals
from allonym.budget.ledger import Ledger
from allonym.jobs.plan import Plan


@dataclass(frozen=True)
class Account:
    """A ledger, the data set in it, and the limits of this run."""

    ledger: Ledger
    dataset: str
    caps: Caps = field(default_factory=Caps)

    def charge(self, job: Plan, fingerprint: str = "") -> int:
        """Charge a job; return the number of the release."""
        return self.ledger.charge(self._charge(job, fingerprint), job.units(), self.caps)

    def foresee(self, job: Plan) -> Totals:
        """Return the totals after a job, or refuse it; nothing is charged."""
        return self.ledger.foresee(self._charge(job, ""), job.units(), self.caps)

    def _charge(self, job: Plan, fingerprint: str) -> Charge:
        return Charge(
            self.dataset,
            job.anonymizer.method,
            job.per_document,
            job.count,
            has_ids=job.has_ids,
            has_authors=job.has_authors,
            job=fingerprint,
        )
