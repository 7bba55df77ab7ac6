"""How far `allonym check` can be trusted: is what it says with 70 % certainty right 70 % of the time, on other authors?

    python tools/measure_check.py fit --data ../shared/data       # → src/allonym/recognition/certainty.json
    python tools/measure_check.py report --data ../shared/data    # → results/check.json

`fit` learns what ships from authors of the fitting parts; `report` measures on the others, whom nothing was fitted or
chosen on. `check_trials` says who they are. With ``--cache DIR`` scores of trials are kept and used again.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from check_trials import CORPORA, SETTINGS, Setting, Trial, Writers, scored, trials
from numpy.typing import NDArray

from allonym.metrics.figures import Figure
from allonym.randomness import insecure
from allonym.recognition import certainty, strangers
from allonym.recognition.certainty import Certainty, ErrorRates, Outsiders, Steepness
from allonym.recognition.recogniser import DEFAULT_ATTACKERS
from allonym.recognition.reliability import probabilities, sharpness_of
from allonym.recognition.strangers import LeftOut

ROOT = Path(__file__).resolve().parents[1]
SHIPPED = ROOT / "src" / "allonym" / "recognition" / certainty.TABLE
RESULTS = ROOT / "results" / "check.json"
BINS = 10
RESAMPLES = 1_000
NOTHING_ELSEWHERE = Steepness(mean=0.0, spread=1e6, shift=0.0)
AUTHORS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)  # tried: how many known authors the shipped numbers count for

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Scores:
    """What the strongest attacker of a trial said.

    Attributes:
        trial: Which.
        unseen: Of pieces of known texts, by copies that had not seen them.
        writers: The author of each.
        known: Of texts by known authors.
        truth: The author of each.
        strangers: Of texts by others.
        groups: With authors left out.
        authors: The author of each piece, as `groups` count them.
        words: Median length of the texts.
    """

    trial: Trial
    unseen: Floats
    writers: NDArray[np.intp]
    known: Floats
    truth: NDArray[np.intp]
    strangers: Floats
    groups: list[LeftOut]
    authors: NDArray[np.str_]
    words: int

    @classmethod
    def of(cls, trial: Trial, kept: dict[str, Any]) -> Scores:
        """Take what `check_trials` kept."""
        name = DEFAULT_ATTACKERS[int(kept["strongest"])]
        tested = kept["dealt"] >= 0
        groups: list[LeftOut] = []
        while f"left {len(groups)}:known" in kept:
            fields = LeftOut.__dataclass_fields__
            groups.append(LeftOut(**{field: kept[f"left {len(groups)}:{field}"] for field in fields}))
        words = trial.setting.words or round(float(np.median(kept["piece_words"])))
        return cls(
            trial,
            kept[f"{name}:unseen"][tested],
            kept["author"][tested],
            kept[f"{name}:known"],
            kept["truth"],
            kept[f"{name}:strangers"],
            groups,
            kept["author"].astype(str),
            words,
        )

    def signals(self) -> tuple[Floats, Floats]:
        """Return how far one author stands out in known authors' texts and in strangers', in units of known ones."""
        usual = strangers.standing_out(self.unseen)
        known, others = (strangers.standing_out(scores) for scores in (self.known, self.strangers))
        return (known - usual.mean()) / usual.std(), (others - usual.mean()) / usual.std()


def read(part: str, data: Path, cache: Path) -> list[Scores]:
    """Return the scores of all trials of a part."""
    writers: dict[tuple[str, str], Writers] = {}
    return [Scores.of(trial, scored(trial, data, cache, writers)) for trial in trials(part)]


# ---- fitting


def fit_steepness(read_trials: Sequence[Scores]) -> Steepness:
    """Measure which steepness was best for the texts asked about, trial by trial; then fit what is added in the end."""
    from scipy.optimize import minimize_scalar

    logarithms = [
        np.log(sharpness_of(one.known, one.truth, NOTHING_ELSEWHERE) * (one.unseen - one.unseen.mean(1)[:, None]).std())
        for one in read_trials
    ]
    measured = Steepness(float(np.mean(logarithms)), float(np.std(logarithms, ddof=1)), 0.0)

    def loss(shift: float) -> float:
        found = replace(measured, shift=shift)
        return sum(_log_loss(one, sharpness_of(one.unseen, one.writers, found)) for one in read_trials)

    return replace(measured, shift=float(minimize_scalar(loss, bounds=(-1, 1), method="bounded").x))


def _log_loss(one: Scores, sharpness: float) -> float:
    shares = probabilities(one.known, sharpness)[np.arange(len(one.truth)), one.truth]
    return float(-np.log(np.maximum(shares, 1e-300)).sum())


def fit_outsiders(read_trials: Sequence[Scores]) -> Outsiders:
    """Choose how much the shipped numbers count by learning them from two corpora and judging on the third."""
    best = min(AUTHORS, key=lambda authors: _unlike_corpora(read_trials, authors, 0.0))
    shifts = np.linspace(-0.6, 0.6, 25)
    shift = float(min(shifts, key=lambda shift: _unlike_corpora(read_trials, best, float(shift))))
    errors = [_errors(read_trials, setting, best, shift) for setting in SETTINGS]
    return _outsiders(read_trials, best, shift, tuple(errors))


def _outsiders(
    read_trials: Sequence[Scores], authors: float, shift: float, errors: tuple[ErrorRates, ...] = ()
) -> Outsiders:
    """Fit a logistic regression to the signals of real strangers and known authors."""
    from sklearn.linear_model import LogisticRegression

    pairs = [one.signals() for one in read_trials]
    signals = np.concatenate([*(known for known, _ in pairs), *(others for _, others in pairs)])
    labels = np.repeat([0, 1], [sum(len(known) for known, _ in pairs), sum(len(others) for _, others in pairs)])
    model = LogisticRegression(C=1e3, class_weight="balanced").fit(signals[:, None], labels)
    constant, slope = float(model.intercept_[0]), float(model.coef_[0, 0])
    design = np.stack([np.ones_like(signals), signals], axis=1)
    shares = strangers.logistic(constant + slope * signals)
    curvature = (design * (shares * (1 - shares))[:, None]).T @ design / len(signals)
    rows = (
        (float(curvature[0, 0]), float(curvature[0, 1])),
        (float(curvature[1, 0]), float(curvature[1, 1])),
    )
    return Outsiders(constant, slope, rows, authors, shift, errors)


def _elsewhere(read_trials: Sequence[Scores], corpus: str, authors: float, shift: float) -> Outsiders:
    return _outsiders([one for one in read_trials if one.trial.corpus != corpus], authors, shift)


def can_tell(one: Scores, outsiders: Outsiders) -> bool:
    """Tell whether `check` would answer at all."""
    _, slope = strangers.weigh(strangers.in_units(one.groups, one.authors), outsiders)
    return len(one.unseen) >= strangers.FEWEST_PIECES and slope < strangers.FLATTEST


def shares_of(one: Scores, outsiders: Outsiders) -> tuple[Floats, Floats]:
    """Return the probabilities of a stranger, for known authors' texts and for strangers'."""
    constant, slope = strangers.weigh(strangers.in_units(one.groups, one.authors), outsiders)
    known, others = one.signals()
    constant += outsiders.shift
    return strangers.logistic(constant + slope * known), strangers.logistic(constant + slope * others)


def _unlike_corpora(read_trials: Sequence[Scores], authors: float, shift: float) -> float:
    losses = []
    for corpus in CORPORA:
        outsiders = _elsewhere(read_trials, corpus, authors, shift)
        for one in (one for one in read_trials if one.trial.corpus == corpus):
            known, others = shares_of(one, outsiders)
            losses.append(-np.log(1 - known).mean() - np.log(others).mean())
    return float(np.mean(losses))


def _errors(read_trials: Sequence[Scores], setting: Setting, authors: float, shift: float) -> ErrorRates:
    """Return how often the answer is wrong in a setting, what is known of strangers learned from the other corpora."""
    taken: list[Floats] = []
    refused: list[Floats] = []
    chosen = [one for one in read_trials if one.trial.setting == setting]
    for one in chosen:
        elsewhere = _elsewhere(read_trials, one.trial.corpus, authors, shift)
        if not can_tell(one, elsewhere):
            continue
        known, others = shares_of(one, elsewhere)
        taken.append((others < 0.5).astype(float))
        refused.append((known >= 0.5).astype(float))
    words = round(float(np.median([one.words for one in chosen])))
    return ErrorRates(over_trials(taken), over_trials(refused), setting.authors, words, known_writers=False)


# ---- reporting


def over_trials(values: Sequence[Floats]) -> Figure:
    """Return the mean of all values, with an interval over trials drawn with replacement."""
    sums, counts = (np.array([function(own) for own in values]) for function in (np.sum, len))
    drawn = insecure(1).below(len(values), (RESAMPLES, len(values)))
    return Figure.of_resamples(float(sums.sum() / counts.sum()), sums[drawn].sum(1) / counts[drawn].sum(1))


def as_it_was(scores: Floats, writers: NDArray[np.intp]) -> float:
    """Return the sharpness as it was learned before: from the known pieces alone, and an imagined one by nobody."""
    from scipy.optimize import minimize_scalar

    spread = float((scores - scores.mean(1, keepdims=True)).std())

    def loss(logarithm: float) -> float:
        logs = np.log(np.maximum(probabilities(scores, np.exp(logarithm) / spread), 1e-300))
        return float(-logs[np.arange(len(writers)), writers].sum() - logs.mean())

    found = minimize_scalar(loss, bounds=(-10, 10), method="bounded", options={"xatol": 1e-6})
    return float(np.exp(found.x) / spread)


def curve(said: Floats, right: Floats) -> list[dict[str, float]]:
    """Return what was said and what was right, in bins of equal width."""
    place = np.minimum((said * BINS).astype(int), BINS - 1)
    return [
        {
            "said": float(said[place == number].mean()),
            "right": float(right[place == number].mean()),
            "texts": int((place == number).sum()),
        }
        for number in range(BINS)
        if (place == number).any()
    ]


def calibration_error(points: Iterable[dict[str, float]]) -> float:
    """Return the expected calibration error: the mean distance of the curve from the diagonal, by texts."""
    found = list(points)
    return sum(one["texts"] * abs(one["said"] - one["right"]) for one in found) / sum(one["texts"] for one in found)


def _said_and_right(said: Sequence[Floats], right: Sequence[Floats]) -> dict[str, Any]:
    points = curve(np.concatenate(said), np.concatenate(right))
    return {
        "said": over_trials(said).to_json(),
        "right": over_trials(right).to_json(),
        "difference": over_trials([one - other for one, other in zip(said, right, strict=True)]).to_json(),
        "calibration_error": calibration_error(points),
        "curve": points,
    }


def of_certainty(chosen: Sequence[Scores]) -> dict[str, Any]:
    """Return what was said and what was right, as it was and as it is."""
    right = [(one.known.argmax(1) == one.truth).astype(float) for one in chosen]
    found: dict[str, Any] = {"trials": len(chosen), "texts": sum(len(one) for one in right)}
    ways: dict[str, Callable[[Floats, NDArray[np.intp]], float]] = {"before": as_it_was, "after": sharpness_of}
    for name, way in ways.items():
        sharpness = [way(one.unseen, one.writers) for one in chosen]
        shares = [probabilities(one.known, sharp) for one, sharp in zip(chosen, sharpness, strict=True)]
        found[name] = _said_and_right([own.max(1) for own in shares], right)
        losses = [_log_loss(one, sharp) / len(one.truth) for one, sharp in zip(chosen, sharpness, strict=True)]
        found[name]["log_loss"] = float(np.mean(losses))
    return found


def of_strangers(chosen: Sequence[Scores]) -> dict[str, Any]:
    """Return how often “by none of these” is wrong, and how often it said it would be."""
    from sklearn.metrics import roc_auc_score

    outsiders = certainty.shipped().outsiders
    trials_in_all = len(chosen)
    chosen = [one for one in chosen if can_tell(one, outsiders)]
    pairs = [shares_of(one, outsiders) for one in chosen]
    rates = [stated_errors(one, outsiders) for one in chosen]
    shares = [np.concatenate(pair) for pair in pairs]
    truth = [np.repeat([0.0, 1.0], [len(known), len(others)]) for known, others in pairs]
    areas = [float(roc_auc_score(right, said)) for right, said in zip(truth, shares, strict=True)]
    return {
        "trials": trials_in_all,
        "answered": len(chosen),
        "texts": sum(len(one) for one in shares),
        "strangers_taken": over_trials([(others < 0.5).astype(float) for _, others in pairs]).to_json(),
        "known_refused": over_trials([(known >= 0.5).astype(float) for known, _ in pairs]).to_json(),
        "stated_strangers_taken": float(np.mean([one.strangers_taken.value for one in rates])),
        "stated_known_refused": float(np.mean([one.known_refused.value for one in rates])),
        "area_under_curve": float(np.mean(areas)),
        "share": _said_and_right(shares, truth),
    }


def stated_errors(one: Scores, outsiders: Outsiders) -> ErrorRates:
    """Return the error rates that `check` would state."""
    known = one.trial.setting.authors
    if known < strangers.AUTHORS_TO_MEASURE:
        return outsiders.nearest_errors(known, one.words)
    taken, refused = strangers.tested(one.groups, strangers.in_units(one.groups, one.authors), one.authors, outsiders)
    return ErrorRates(taken, refused, known, one.words, known_writers=True)


def report(read_trials: Sequence[Scores]) -> dict[str, Any]:
    """Return everything of the reported authors: in all, by corpus and by setting."""
    subsets: dict[str, list[Scores]] = {"overall": list(read_trials)}
    subsets |= {corpus: [one for one in read_trials if one.trial.corpus == corpus] for corpus in CORPORA}
    for setting in SETTINGS:
        length = f"{setting.words} words" if setting.words else "whole documents"
        name = f"{setting.authors} writers, {setting.known_words} words known, {length}"
        subsets[name] = [one for one in read_trials if one.trial.setting == setting]
    return {
        "certainty": {name: of_certainty(chosen) for name, chosen in subsets.items()},
        "strangers": {name: of_strangers(chosen) for name, chosen in subsets.items()},
    }


def main() -> None:
    """Fit or report, as asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("fit", "report"))
    parser.add_argument("--data", type=Path, required=True, help="Folder with imdb62/, blogs/ and newsgroups20/.")
    parser.add_argument("--cache", type=Path, default=Path("check-trials"), help="Folder for scores of trials.")
    given = parser.parse_args()
    part = {"fit": "fit", "report": "test"}[given.step]
    read_trials = read(part, given.data, given.cache)
    made = {
        "command": f"python tools/measure_check.py {given.step} --data ../shared/data",
        "trials": len(read_trials),
        "attackers": list(DEFAULT_ATTACKERS),
        "settings": [asdict(setting) for setting in SETTINGS],
    }
    if given.step == "fit":
        fitted = Certainty(fit_steepness(read_trials), fit_outsiders(read_trials))
        made["certainty"] = fitted.to_json()
    else:
        made |= report(read_trials)
    path = {"fit": SHIPPED, "report": RESULTS}[given.step]
    path.write_text(json.dumps(made, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
