"""Whether draws follow a known law, and are independent of each other: the statistics, with their error rates.

All p-values of one audit together raise a false alarm with probability 1e-6 at most: each finding has its share, and
divides it among its tests (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from allonym.audit.findings import Finding
from allonym.mechanisms.base import Float64, Int64

FALSE_ALARMS = 1e-6  # of all findings of an audit together
FINDINGS = 12  # that share them, at most
_MARGIN = 100  # because far out, the tail of χ² is an approximation
_LEAST_EXPECTED = 25.0  # of a cell; smaller ones are put together
_IMPOSSIBLE = 0.0
_FEWEST_ROWS = 5
_BANDS = 16
_TILTS = np.linspace(0.05, 12.0, 240)


@dataclass(frozen=True)
class Test:
    """One comparison: what was compared, and how likely so great a difference is by chance."""

    what: str
    p_value: float


def follows(counts: Int64, law: Float64) -> float:
    """Return the p-value of Pearson's χ² between counts and their law; 0 if something impossible came.

    Cells of which fewer than 25 are expected are put together.
    """
    total = int(counts.sum())
    if counts[law <= 0].any():
        return _IMPOSSIBLE
    order = np.argsort(-law, kind="stable")
    expected, seen = total * law[order], counts[order].astype(np.float64)
    large = int((expected >= _LEAST_EXPECTED).sum())
    rest, seen_rest = expected[large:].sum(), seen[large:].sum()
    expected, seen = expected[:large], seen[:large]
    if rest >= _LEAST_EXPECTED or large == 0:
        expected, seen = np.append(expected, rest), np.append(seen, seen_rest)
    elif large:  # too few to stand alone: they go with the smallest
        expected[-1] += rest
        seen[-1] += seen_rest
    if len(expected) < 2:
        return 1.0
    return _chance(seen, expected, len(expected) - 1)


def _chance(seen: Float64, expected: Float64, freedom: int) -> float:
    """Return how likely χ² is at least as large as here."""
    from scipy.stats import chi2

    return float(chi2.sf(((seen - expected) ** 2 / expected).sum(), freedom))


def bands(order: Int64) -> Int64:
    """Return for each output in which of 16 equal parts of an order it lies, so that a part left out shows as one."""
    cells: Int64 = np.empty(len(order), np.int64)
    cells[order] = np.arange(len(order)) * _BANDS // max(1, len(order))
    return cells


def follows_in(cells: Int64, counts: Int64, law: Float64) -> float:
    """Return the p-value of counts against their law, where outputs of one cell are not told apart."""
    return follows(np.bincount(cells, counts).astype(np.int64), np.bincount(cells, law).astype(np.float64))


def same_law(first: Int64, second: Int64) -> float:
    """Return the p-value of Pearson's χ² between the counts of two samples."""
    both = np.stack([first, second]).astype(np.float64)
    order = np.argsort(-both.sum(axis=0), kind="stable")
    both = both[:, order]
    large = int((both.sum(axis=0) >= 2 * _LEAST_EXPECTED).sum())
    both = np.concatenate([both[:, :large], both[:, large:].sum(axis=1, keepdims=True)], axis=1)
    both = both[:, both.sum(axis=0) > 0]
    expected = both.sum(axis=1, keepdims=True) * both.sum(axis=0, keepdims=True) / both.sum()
    return _chance(both, expected, max(1, both.shape[1] - 1))


def varies(rows: Int64, law: Float64) -> float:
    """Return the p-value of the rows' spread about their law: draws of one row that hang together spread more."""
    expected = rows.sum(axis=1, keepdims=True) * law[None, :]
    if (expected[:, law > 0] < _FEWEST_ROWS).any() or rows[:, law <= 0].any():
        return 1.0
    possible = law > 0
    return _chance(rows[:, possible].astype(np.float64), expected[:, possible], len(rows) * (int(possible.sum()) - 1))


def most_alike(matrix: Int64, chances: Float64) -> float:
    """Return the p-value of the two rows that agree in most places, as if all pairs of rows had been looked at.

    `chances` says how likely two independent rows agree in each place.
    """
    rows = len(matrix)
    most = max((int((matrix[shift:] == matrix[:-shift]).sum(axis=1).max()) for shift in range(1, rows)), default=0)
    return min(1.0, rows * (rows - 1) / 2 * tail(chances, most))


def tail(chances: Float64, hits: int) -> float:
    """Return an upper bound on the chance of so many hits (Chernoff's), each with its own chance."""
    if hits <= chances.sum():
        return 1.0
    logs = np.log1p(np.expm1(_TILTS)[:, None] * chances[None, :]).sum(axis=1) - _TILTS * hits
    everything = float(np.log(np.maximum(chances, 1e-300)).sum()) if hits == len(chances) else 0.0
    return float(np.exp(min(logs.min(), everything, 0.0)))


def judged(check: str, tests: Iterable[Test], *, holds: str, broken: str, where: str, **figures: Any) -> Finding:  # noqa: ANN401
    """Return the finding of several tests that share an error rate."""
    listed = list(tests)
    if not listed:
        return Finding.not_audited(check, f"There was nothing to compare ({where}).")
    alpha = FALSE_ALARMS / FINDINGS / _MARGIN / len(listed)
    worst = min(listed, key=lambda test: test.p_value)
    failed = [test.what for test in listed if test.p_value <= alpha]
    numbers = {"tests": len(listed), "smallest_p": worst.p_value, "alpha": alpha, "failed": failed[:50], **figures}
    named = "; ".join(failed[:4]) + ("; …" if len(failed) > 4 else "")
    says = f"{holds} ({where}).", f"{broken} ({where}): {named} (p = {worst.p_value:.1g})."
    return Finding.of(check, bool(failed), says, numbers, tells=True)
