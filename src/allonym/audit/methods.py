"""Audits of the methods of this package: the law behind each exactly, its draws by sampling, its texts as a black box.

What is claimed is read off the method's guarantee; what is audited are the weights and the draws it really makes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym.anonymizers.base import Anonymizer
from allonym.anonymizers.erae import ERAE
from allonym.anonymizers.words.substitution import WordSubstitution
from allonym.audit import exact as audit_exact
from allonym.audit import metric, texts
from allonym.audit.findings import Audit, Finding
from allonym.audit.generator import BITS, audit_generator
from allonym.audit.release import of_release, unknown_words, words_for
from allonym.audit.sampled import Pair, Reconstruction, audit_pairs, judge_reconstruction
from allonym.mechanisms import Exponential, LaplaceND, MetricExponential, Subset, TwoSet
from allonym.networks.erae.groups import WordGroups
from allonym.privacy import Guarantee
from allonym.privacy.habits import Habit
from allonym.privacy.statement import number
from allonym.randomness import Rng, secure

Int64 = NDArray[np.int64]
Float64 = NDArray[np.float64]

DRAWS = 100_000
TEXT_DRAWS = 200
_MOST_RATED_DRAWS = 50_000  # of rows of 20,000 ratings: seconds
_MOST_LAPLACE_DRAWS = 50_000
_FEW_STEPS = 6  # of ER-AE where texts are audited: all steps are alike, and each takes a network's time
_LITTLE = 0.1  # of two-set's ε
_LITTLE_A_WORD = 7.0  # of subset's loss
_SMALL = 5  # outputs of a mechanism that is enumerated
_LEVELS = (0.0, 1.0, 4.0)
_RATINGS_AT_ONCE = 10_000_000  # 40 MB
_POINTS_AT_ONCE = 10_000
_SETS_AT_ONCE = 100  # rows of weights
_STEPS_OF_THE_GRID = 4096  # units of closeness in one step of its vectors


def audit_method(anonymizer: Anonymizer, *, draws: int = DRAWS, text_draws: int | None = None) -> Audit:
    """Return the audit of a method with its parameters.

    Args:
        anonymizer: The method, fitted if it needs to be.
        draws: Judging draws of each input of a pair; as many more choose the events.
        text_draws: Judging answers to each document where whole texts are anonymized; 200 by default.
    """
    promised = anonymizer.guarantee()
    rng = secure()
    findings = list[Finding]()
    if promised.formal:
        findings = [*_of_mechanism(anonymizer, promised, draws, rng), _coins(rng), *of_release(anonymizer)]
    findings += of_texts(anonymizer, draws=text_draws or TEXT_DRAWS)
    notes = ["A lower bound by sampling that stays below a claim does not prove the claim; the exact checks do."]
    if not promised.formal:
        notes = [
            "This method promises nothing, so no verdict is passed; what it leaks was measured as for any program."
        ]
    return Audit(subject=anonymizer.method, claim=_claim(promised), findings=tuple(findings), notes=tuple(notes))


def _claim(promised: Guarantee) -> str:
    if not promised.formal:
        return "nothing"
    per_word = f"a loss of at most {number(promised.loss_per_word or 0.0)} for each output word"
    if promised.metric is not None:
        per_word += f", and of {number(promised.loss_per_unit or 0.0)} for each unit of {promised.metric}"
    return f"{per_word}, between {promised.adjacency}"


def _of_mechanism(anonymizer: Anonymizer, promised: Guarantee, draws: int, rng: Rng) -> list[Finding]:
    """Return what the mechanism's law and draws show; nothing for methods that need none, as they lose nothing."""
    mechanism = getattr(anonymizer, "mechanism_", None)
    per_word = promised.loss_per_word or 0.0
    if isinstance(mechanism, Exponential):
        return of_exponential(mechanism, per_word, draws, rng)
    if isinstance(mechanism, MetricExponential):
        return of_metric(mechanism, promised.loss_per_unit or 0.0, per_word, draws, rng)
    if isinstance(mechanism, TwoSet | Subset):
        findings = of_candidates(mechanism, per_word, draws, rng)
        if isinstance(anonymizer, ERAE) and isinstance(mechanism, Subset) and anonymizer.candidate_sets == "groups":
            findings += of_groups(mechanism, WordGroups(mechanism.outputs, anonymizer.candidates), per_word, draws, rng)
        return findings
    if isinstance(mechanism, LaplaceND) and isinstance(anonymizer, WordSubstitution):
        return of_laplace(mechanism, anonymizer.table_.vectors.astype(np.float64), draws, rng)
    if per_word == 0:
        return []
    says = f"The mechanism of {anonymizer.method} is none that this audit knows, so its loss was not looked at."
    return [Finding(check="mechanism", verdict="not audited", says=says)]


def of_exponential(mechanism: Exponential, claimed: float, draws: int, rng: Rng) -> list[Finding]:
    """Audit an exponential mechanism: all its weights exactly, and its worst pair of inputs by sampling."""
    found = audit_exact.loss_of_tiles(mechanism.weight_tiles, mechanism.inputs, mechanism.outputs)
    findings = audit_exact.judge(found, claimed, where=f"all {mechanism.inputs * mechanism.outputs:,} weights")
    findings.append(_guess(found, claimed))
    if mechanism.inputs > 1:
        findings.append(audit_pairs([drawn(mechanism, found.likely, found.unlikely, claimed, rng)], draws))
    return findings


def of_metric(mechanism: MetricExponential, per_unit: float, claimed: float, draws: int, rng: Rng) -> list[Finding]:
    """Audit a metric mechanism: the claim for each unit of distance, and that for the words furthest apart."""
    tiles, closeness = mechanism.weight_tiles, mechanism.closeness
    found = audit_exact.loss_of_tiles(tiles, mechanism.inputs, mechanism.outputs)
    findings = audit_exact.judge(found, claimed, where=f"all {mechanism.inputs**2:,} weights")
    findings.append(_guess(found, claimed))
    if found.impossible or mechanism.inputs < 2:
        return findings
    step = closeness.unit * _STEPS_OF_THE_GRID
    steps = np.rint(closeness.rounded / step).astype(np.float32)
    worst: metric.MetricLoss | metric.MetricCertificate
    if mechanism.inputs <= metric.MOST_TO_ENUMERATE:
        points = steps.astype(np.float64) * step
        distances = np.linalg.norm(points[:, None] - points[None], axis=2)
        rows = [mechanism.weights(row) for row in range(mechanism.inputs)]
        worst = metric.metric_loss(rows, distances, per_unit)
    else:
        worst = metric.metric_certificate(tiles, steps, step, rate=mechanism.rate, furthest=mechanism.furthest)
    findings.append(metric.judge_metric(worst, per_unit, inputs=mechanism.inputs, where="exact weights"))
    apart = step * float(np.linalg.norm(steps[worst.pair[0]].astype(np.float64) - steps[worst.pair[1]]))
    pairs = [drawn(mechanism, *worst.pair, per_unit * apart, rng)]
    pairs.append(drawn(mechanism, found.likely, found.unlikely, claimed, rng))
    return [*findings, audit_pairs(pairs, draws)]


def drawn(mechanism: Exponential | MetricExponential, first: int, second: int, claimed: float, rng: Rng) -> Pair:
    """Return two inputs of a mechanism as a pair."""

    def sampler(row: int) -> Any:  # noqa: ANN401 - a Sampler
        return lambda draws: mechanism.draw(np.full(draws, row), rng)

    return Pair((f"input {first}", f"input {second}"), claimed, sampler(first), sampler(second))


def _guess(found: audit_exact.ExactLoss, claimed: float) -> Finding:
    low, high = found.success
    return judge_reconstruction(Reconstruction(low, low, high, found.inputs), exact=True, claimed=claimed)


def of_candidates(mechanism: TwoSet | Subset, claimed: float, draws: int, rng: Rng) -> list[Finding]:
    """Audit a mechanism over a model's ratings: enumerated where it is small, sampled at its true size."""
    small = _small(mechanism)
    name = "two-set" if isinstance(small, TwoSet) else "subset"
    ratings = [np.array(row) for row in product(_LEVELS, repeat=small.outputs) if any(row)]
    laws = [small.fractions(row) if isinstance(small, TwoSet) else small.weights(row) for row in ratings]
    where = f"{name} with {small.outputs} outputs, {len(ratings):,} rows of ratings enumerated"
    found = audit_exact.loss_of_laws(laws)
    findings = audit_exact.judge(found, small.loss(), where=where)
    pair = rated(small, small.loss(), rng)
    findings.append(audit_pairs([pair], draws, where=f"{name} with {small.outputs} outputs"))
    if isinstance(mechanism, Subset):
        at_size = audit_exact.loss_of_laws(list(mechanism.weights(certain(mechanism))))
        findings += audit_exact.judge(at_size, claimed, where=f"subset with {mechanism.outputs:,} outputs, one pair")
    pair = rated(mechanism, claimed, rng)
    where = f"{name} with {mechanism.outputs:,} outputs, certain of different words"
    return [*findings, audit_pairs([pair], min(draws, _MOST_RATED_DRAWS), where=where)]


def _small(mechanism: TwoSet | Subset) -> TwoSet | Subset:
    """Return the mechanism with the same parameters and so few outputs that all sets can be enumerated."""
    if isinstance(mechanism, TwoSet):
        return TwoSet(_SMALL, epsilon=mechanism.epsilon, candidates=mechanism.candidates)
    return Subset(_SMALL, loss=mechanism.loss() or 1.0, candidates=min(mechanism.candidates, _SMALL // 2))


def certain(mechanism: TwoSet | Subset) -> NDArray[np.float32]:
    """Return two rows of ratings that are sure of different outputs: one each, or as many as there are candidates."""
    sure = mechanism.candidates if isinstance(mechanism, Subset) else 1
    ratings = np.zeros((2, mechanism.outputs), np.float32)
    ratings[0, :sure] = ratings[1, mechanism.outputs - sure :] = 1
    return ratings


def of_groups(mechanism: Subset, groups: WordGroups, claimed: float, draws: int, rng: Rng) -> list[Finding]:
    """Audit the mechanism over public groups of words: the word at a place is the input, so the law is a table.

    Words with the same candidates are one input: nothing tells them apart, whatever is drawn.
    """
    sets = candidate_sets(mechanism, groups)

    def tiles(rows: Int64) -> Iterator[tuple[int, Int64]]:
        for start in range(0, len(rows), _SETS_AT_ONCE):
            some = sets[rows[start : start + _SETS_AT_ONCE]]
            yield start, mechanism.weights(ratings_of_sets(mechanism, some))

    found = audit_exact.loss_of_tiles(tiles, len(sets), mechanism.outputs)
    where = f"subset over public groups, all candidate sets of {mechanism.outputs:,} words"
    findings = [*audit_exact.judge(found, claimed, where=where), _guess(found, claimed)]
    if found.impossible:
        return findings
    pair = rated(mechanism, claimed, rng, ratings_of_sets(mechanism, sets[[found.likely, found.unlikely]]))
    where = "subset over public groups, two candidate sets"
    return [*findings, audit_pairs([pair], min(draws, _MOST_RATED_DRAWS), where=where)]


def candidate_sets(mechanism: Subset, groups: WordGroups) -> Int64:
    """Return the candidate sets that ER-AE may hand to the mechanism, one a row: those of every word there is."""
    found = [groups.candidates([word], 1)[0] for word in range(mechanism.outputs)]
    sets: Int64 = np.unique(np.sort(np.array(found), axis=1), axis=0)
    return sets


def ratings_of_sets(mechanism: Subset, sets: Int64) -> NDArray[np.float32]:
    """Return the rows that ER-AE hands to the mechanism: 1 for the candidates, 0 for all other words."""
    ratings = np.zeros((len(sets), mechanism.outputs), np.float32)
    np.put_along_axis(ratings, sets, 1, axis=1)
    return ratings


def rated(mechanism: TwoSet | Subset, claimed: float, rng: Rng, ratings: NDArray[np.float32] | None = None) -> Pair:
    """Return two rows of ratings as a pair of inputs, by default two that are sure of different outputs."""
    two = certain(mechanism) if ratings is None else ratings
    at_once = max(1, _RATINGS_AT_ONCE // mechanism.outputs)

    def sampler(row: int) -> Any:  # noqa: ANN401 - a Sampler
        def draw(draws: int) -> Int64:
            counts = [min(at_once, draws - start) for start in range(0, draws, at_once)]
            shapes = [(count, mechanism.outputs) for count in counts]
            return np.concatenate([mechanism.draw(np.broadcast_to(two[row], shape), rng) for shape in shapes])

        return draw

    return Pair(("one rating", "another"), claimed, sampler(0), sampler(1))


def of_laplace(mechanism: LaplaceND, points: Float64, draws: int, rng: Rng) -> list[Finding]:
    """Audit Laplace noise: that all outputs lie on one grid, and two points by where they land between them.

    The law is continuous, so it cannot be enumerated. In one dimension, with the same ε, sampling reaches the claim.
    """
    from scipy.spatial.distance import cdist

    distances = cdist(points[:1], points)[0]
    distances[distances == 0] = np.inf
    near = points[int(distances.argmin())] if len(points) > 1 and np.isfinite(distances).any() else points[0] + 1
    line = LaplaceND(1, epsilon=mechanism.epsilon)
    unit = np.array([[0.0], [1 / line.epsilon]])
    few = min(draws, _MOST_LAPLACE_DRAWS)
    pairs = [moved(line, unit, line.loss(1 / line.epsilon), rng)]
    wide = np.stack([points[0], near])
    claimed = mechanism.loss(float(np.linalg.norm(wide[1] - wide[0])))
    return [
        _on_the_grid(mechanism, wide, rng),
        audit_pairs(pairs, draws, where="noise of the same ε in one dimension"),
        audit_pairs([moved(mechanism, wide, claimed, rng)], few, where="a word and its neighbour, by direction"),
    ]


def moved(mechanism: LaplaceND, two: Float64, claimed: float, rng: Rng) -> Pair:
    """Return the pair of points, told apart by where the moved point lies along the line through both."""
    direction = (two[1] - two[0]) / float(np.linalg.norm(two[1] - two[0]))
    cell = float(np.linalg.norm(two[1] - two[0])) / 4

    def sampler(row: int) -> Any:  # noqa: ANN401 - a Sampler
        def draw(draws: int) -> Int64:
            parts = [_points(mechanism, two[row], count, rng) @ direction for count in _counts(draws)]
            cells: Int64 = np.floor((np.concatenate(parts) - two[0] @ direction) / cell).astype(np.int64)
            return cells

        return draw

    return Pair(("one point", "another"), claimed, sampler(0), sampler(1))


def _points(mechanism: LaplaceND, point: Float64, count: int, rng: Rng) -> Float64:
    return mechanism.perturb(
        np.broadcast_to(point, (count, len(point))), rng.centred((count, mechanism.numbers_per_point))
    )


def _counts(draws: int) -> list[int]:
    whole, rest = divmod(draws, _POINTS_AT_ONCE)
    return [_POINTS_AT_ONCE] * whole + ([rest] if rest else [])


def _on_the_grid(mechanism: LaplaceND, points: Float64, rng: Rng) -> Finding:
    """Tell whether outputs of all points are whole numbers of one grid: otherwise their last bits tell them apart."""
    moved = np.concatenate([_points(mechanism, point, _POINTS_AT_ONCE // 10, rng) for point in points])
    cells = moved / mechanism.grid
    off = int((cells != np.rint(cells)).any(axis=1).sum())
    says = f"All of {len(moved):,} moved points lie on one grid of {mechanism.grid:g}"
    if off:
        says = f"{off:,} of {len(moved):,} moved points lie off the grid: their last bits tell inputs apart"
    figures = {"points": len(moved), "off_the_grid": off, "grid": mechanism.grid}
    return Finding(check="support", verdict="violated" if off else "holds", says=f"{says}.", figures=figures)


def _coins(rng: Rng) -> Finding:
    return audit_generator(
        (rng.words(BITS) >> np.uint64(63)).tolist(), where="the stream that all mechanisms draw from"
    )


def of_texts(anonymizer: Anonymizer, *, draws: int) -> list[Finding]:
    """Audit a method as a black box: what its texts give away around the mechanism, and whether noise is fresh."""
    small = _quick(anonymizer)
    promised = small.guarantee()
    claimed = promised.epsilon if promised.formal else None
    words = words_for(small)
    if len(words) < 2 * len(texts.PAIRS):
        return [Finding(check="words of the checks", verdict="not audited", says=unknown_words(small))]
    pairs = list(zip(words[::2], words[1::2], strict=False))[: len(texts.PAIRS)]
    answers = texts.ask(program_of(small), pairs, draws, words=words)
    return [
        *texts.leaks(answers, claimed=claimed, declared=_declared(promised)),
        *texts.noise(answers, claimed=claimed),
        *texts.losses(answers, pairs, claimed=claimed),
        texts.reconstruction(answers, pairs, claimed=claimed),
    ]


def _quick(anonymizer: Anonymizer) -> Anonymizer:
    """Return the method itself, or ER-AE with fewer steps and a smaller loss.

    ER-AE draws lengths, capitals and punctuation like any word: at a large loss they follow the text honestly. What
    still follows it at a small loss came around the mechanism.
    """
    if not isinstance(anonymizer, ERAE):
        return anonymizer
    small = ERAE(**anonymizer.get_params()).set_params(sentences=1, words=min(_FEW_STEPS, anonymizer.words))
    if anonymizer.mechanism == "two-set":
        return small.set_params(loss_per_word=None, epsilon=min(_LITTLE, anonymizer.epsilon))
    return small.set_params(loss_per_word=min(_LITTLE_A_WORD, anonymizer.mechanism_.loss()))


_HABITS = {
    Habit.NUMBER_OF_WORDS: "length",
    Habit.NUMBER_OF_SENTENCES: "length",
    Habit.SENTENCE_LENGTHS: "length",
    Habit.ROUGH_SENTENCE_LENGTHS: "length",
    Habit.CASE: "case",
    Habit.PUNCTUATION: "punctuation",
    Habit.UNKNOWN_WORDS: "unknown words",
    Habit.NUMBERS: "numbers",
    Habit.NUMBERS_AND_NAMES: "numbers",
}


def _declared(promised: Guarantee) -> list[str]:
    """Return the checks of habits that a guarantee says are copied."""
    if Habit.TEXT in promised.copies:
        return list(texts.HABITS)
    return sorted({check for habit, check in _HABITS.items() if habit in promised.copies})


def program_of(anonymizer: Anonymizer) -> texts.Program:
    """Return a method as a program: documents in, what is released for each out, as text."""

    def program(documents: Sequence[str]) -> list[str]:
        return [" ".join(text.split()) for text in anonymizer.release(documents).texts()]

    return program
