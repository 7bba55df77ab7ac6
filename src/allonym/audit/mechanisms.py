"""Audits of mechanisms, each in the way it names: whole laws exactly, others by a small version, and all by draws.

What is claimed comes from elsewhere, and never from the law that is looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym import distances
from allonym.audit import exact, metric
from allonym.audit.findings import Finding
from allonym.audit.law import Test, bands, follows_in, judged
from allonym.audit.sampled import Pair, Reconstruction, Sampler, audit_pairs, judge_reconstruction
from allonym.mechanisms.base import Audited, Float64, Int64, Mechanism, Metric, Points, Ratings, Table
from allonym.randomness import Rng

_MOST_RATED_DRAWS = 50_000  # of rows of 20,000 ratings, or of points of many dimensions: seconds
_LEVELS = (0.0, 1.0, 4.0)
_NUMBERS_AT_ONCE = 10_000_000  # 40 MB of ratings
_DRAWS_AT_ONCE = 10_000
_GRID_DRAWS = 1_000
_RATED_ALIKE = 20_000  # draws
_PARTS = 16
_DOWN = 1 - 1e-12  # distances err by less


def of_mechanism(audited: Audited | None, claimed: float, per_unit: float, draws: int, rng: Rng) -> list[Finding]:
    """Return what a mechanism's law and draws show, if it says how it can be checked.

    Claimed is a loss of one draw between any two inputs, and one for each unit of distance, where distances count.
    So many draws of each input of a pair judge it; before them, the same number choose the events.
    """
    if isinstance(audited, Table):
        return _of_table(audited, claimed, per_unit, draws, rng)
    if isinstance(audited, Ratings):
        return _of_ratings(audited, claimed, draws, rng)
    if isinstance(audited, Points):
        return [*_of_points(audited, draws, rng), _furthest_apart(audited, claimed, per_unit)]
    says = "The mechanism is none that this audit knows, so its loss was not looked at."
    return [Finding.not_audited("mechanism", says)]


def _of_table(audited: Table, claimed: float, per_unit: float, draws: int, rng: Rng) -> list[Finding]:
    """Audit a whole law: all its weights exactly, and its worst pairs of inputs by sampling."""
    loss = exact.loss_of_tiles(audited.tiles, audited.inputs, audited.outputs)
    where = audited.of or f"all {audited.inputs * audited.outputs:,} weights"
    low, high = loss.success
    guess = judge_reconstruction(Reconstruction(low, low, high, loss.inputs), exact=True, claimed=claimed)
    findings = [*exact.judge(loss, claimed, where=where), guess]
    if loss.impossible or audited.inputs < 2:
        return findings
    pairs = [drawn(audited, loss.likely, loss.unlikely, claimed, rng)]
    if audited.metric is not None:
        worst = _steepest(audited, audited.metric, per_unit)
        findings.append(metric.judge_metric(worst, per_unit, inputs=audited.inputs, where="exact weights"))
        first, second = (audited.metric.steps[row].astype(np.float64) for row in worst.pair)
        apart = audited.metric.step * float(np.linalg.norm(first - second))
        pairs.insert(0, drawn(audited, *worst.pair, per_unit * apart, rng))
    return [*findings, audit_pairs(pairs, _affordable(audited.mechanism, draws), where=audited.of or "drawn")]


def _steepest(audited: Table, places: Metric, per_unit: float) -> metric.MetricLoss | metric.MetricCertificate:
    if audited.inputs > metric.MOST_TO_ENUMERATE:
        return metric.metric_certificate(
            audited.tiles, places.steps, places.step, rate=places.rate, furthest=places.furthest
        )
    points = places.steps.astype(np.float64) * places.step
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    rows = [weights.copy() for _, tile in audited.tiles(np.arange(audited.inputs)) for weights in tile]
    return metric.metric_loss(rows, distances, per_unit)


def drawn(audited: Table, first: int, second: int, claimed: float, rng: Rng) -> Pair:
    """Return two inputs of a table as a pair."""
    samplers = [_sampler(audited.mechanism, audited.given(row), rng) for row in (first, second)]
    return Pair((f"input {first}", f"input {second}"), claimed, *samplers)


def _sampler(
    mechanism: Mechanism,
    given: Any,  # noqa: ANN401 - an input of any mechanism
    rng: Rng,
    seen_as: Callable[[NDArray[Any]], Int64] = np.asarray,
) -> Sampler:
    """Return what draws so many outputs for one input, as whole numbers."""
    at_once = min(_DRAWS_AT_ONCE, max(1, _NUMBERS_AT_ONCE // np.size(given)))

    def sampler(draws: int) -> Int64:
        counts = [min(at_once, draws - start) for start in range(0, draws, at_once)]
        shapes = [(count, *np.shape(given)) for count in counts]
        return np.concatenate([seen_as(mechanism.draw(np.broadcast_to(given, shape), rng)) for shape in shapes])

    return sampler


def _affordable(mechanism: Mechanism, draws: int) -> int:
    """Return how many draws to make: fewer if every input is a row of numbers."""
    return min(draws, _MOST_RATED_DRAWS) if mechanism.input_axes else draws


def _of_ratings(audited: Ratings, claimed: float, draws: int, rng: Rng) -> list[Finding]:
    """Audit a mechanism over a model's ratings: enumerated where it is small, sampled at its true size."""
    mechanism, small = audited.mechanism, audited.small()
    findings = _enumerated(small, audited.name)
    where = f"{audited.name} with {small.outputs} outputs"
    findings.append(audit_pairs([rated(small, small.loss(), rng)], draws, where=where))
    if audited.exact is not None:
        at_size = exact.loss_of_laws([audited.exact(row) for row in certain(mechanism)])
        where = f"{audited.name} with {mechanism.outputs:,} outputs, one pair"
        findings += exact.judge(at_size, claimed, where=where)
    where = f"{audited.name} with {mechanism.outputs:,} outputs, certain of different words"
    pair = rated(mechanism, claimed, rng)
    findings.append(audit_pairs([pair], _affordable(mechanism, draws), where=where))
    return [*findings, _alike(mechanism, rng)]


def _alike(mechanism: Mechanism, rng: Rng) -> Finding:
    """Tell whether outputs that are rated alike are drawn alike, as no law of ratings has another way."""
    ratings = certain(mechanism)[0]
    drawn = _sampler(mechanism, ratings, rng)(_RATED_ALIKE)
    name, alike = type(mechanism).__name__, np.flatnonzero(ratings == 0)
    if drawn.min() < 0 or drawn.max() >= mechanism.outputs:
        tests = [Test("a draw that is no output", 0.0)]
    else:
        counts = np.bincount(drawn, minlength=mechanism.outputs)[alike]
        law = np.full(len(alike), 1 / len(alike))
        ways = {"by place": bands(np.arange(len(alike))), "by last digits": np.arange(len(alike)) % _PARTS}
        tests = [Test(f"outputs {way}", follows_in(cells, counts, law)) for way, cells in ways.items()]
    holds = "Outputs that are rated alike are drawn alike"
    broken = "Outputs that are rated alike are not drawn alike"
    where = f"{name} with {mechanism.outputs:,} outputs"
    return judged("law", tests, holds=holds, broken=broken, where=where, draws=len(drawn))


def _enumerated(small: Mechanism, name: str) -> list[Finding]:
    """Return the findings about all rows of a few levels of ratings."""
    audited = small.audited()
    if not isinstance(audited, Ratings) or audited.exact is None:
        says = f"The small version of {name} has no exact law, so nothing was enumerated."
        return [Finding.not_audited("exact loss", says)]
    ratings = [np.array(row) for row in product(_LEVELS, repeat=small.outputs) if any(row)]
    where = f"{name} with {small.outputs} outputs, {len(ratings):,} rows of ratings enumerated"
    return exact.judge(exact.loss_of_laws([audited.exact(row) for row in ratings]), small.loss(), where=where)


def certain(mechanism: Mechanism) -> NDArray[np.float32]:
    """Return two rows of ratings that are sure of different outputs: one each, or as many as they can be sure of."""
    audited = mechanism.audited()
    sure = audited.sure if isinstance(audited, Ratings) else 1
    ratings = np.zeros((2, mechanism.outputs), np.float32)
    ratings[0, :sure] = ratings[1, mechanism.outputs - sure :] = 1
    return ratings


def rated(mechanism: Mechanism, claimed: float, rng: Rng) -> Pair:
    """Return two rows of ratings that are sure of different outputs as a pair of inputs."""
    return Pair(
        ("one rating", "another"), claimed, *(_sampler(mechanism, ratings, rng) for ratings in certain(mechanism))
    )


def _of_points(audited: Points, draws: int, rng: Rng) -> list[Finding]:
    """Audit noise on points: that all outputs lie on one grid, and two points by where they land between them.

    The law is continuous, so it cannot be enumerated. In one dimension, with the same ε, sampling reaches the claim.
    """
    line, points = audited.line, audited.points
    away = np.linalg.norm(points - points[0], axis=1)
    away[away == 0] = np.inf
    near = points[int(away.argmin())] if np.isfinite(away).any() else points[0] + 1
    two, unit = np.stack([points[0], near]), np.array([[0.0], [1 / (line.metric_loss or 1.0)]])
    return [
        _on_the_grid(audited, two, rng),
        audit_pairs([moved(line, unit, rng)], draws, where="noise of the same ε in one dimension"),
        audit_pairs(
            [moved(audited.mechanism, two, rng)],
            _affordable(audited.mechanism, draws),
            where="a word and its neighbour, by direction",
        ),
    ]


def _furthest_apart(audited: Points, claimed: float, per_unit: float) -> Finding:
    """Tell whether what is claimed for any two inputs covers the two that are furthest apart."""
    furthest = distances.diameter(audited.points)
    lost = per_unit * furthest
    says = f"The two inputs furthest apart are {furthest:.4f} apart and lose {lost:.4f}, claimed {claimed:.4f}."
    figures = {"inputs": len(audited.points), "furthest": furthest, "loss": lost, "claimed": claimed}
    return Finding.of("largest loss", lost * _DOWN > claimed, (says, says), figures)


def moved(mechanism: Mechanism, two: Float64, rng: Rng) -> Pair:
    """Return the pair of points, told apart by where the moved point lies along the line through both."""
    apart = float(np.linalg.norm(two[1] - two[0]))
    direction = (two[1] - two[0]) / apart

    def cell(points: Float64) -> Int64:
        cells: Int64 = np.floor((points - two[0]) @ direction / (apart / 4)).astype(np.int64)
        return cells

    samplers = (_sampler(mechanism, point, rng, cell) for point in two)
    return Pair(("one point", "another"), mechanism.loss(apart), *samplers)


def _on_the_grid(audited: Points, points: Float64, rng: Rng) -> Finding:
    """Tell whether outputs of all points are whole numbers of one grid: otherwise their last bits tell them apart."""
    moved = np.concatenate([audited.mechanism.draw(np.tile(point, (_GRID_DRAWS, 1)), rng) for point in points])
    cells = moved / audited.grid
    off = int((cells != np.rint(cells)).any(axis=1).sum())
    says = (
        f"All of {len(moved):,} moved points lie on one grid of {audited.grid:g}.",
        f"{off:,} of {len(moved):,} moved points lie off the grid: their last bits tell inputs apart.",
    )
    figures = {"points": len(moved), "off_the_grid": off, "grid": audited.grid}
    return Finding.of("support", off > 0, says, figures, tells=False)
