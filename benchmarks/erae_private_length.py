"""Claim: short answers with private length take minutes, not hours: padding is drawn, but read by no network.

The job is 200 answers of four sentences and 50 words, their words drawn by Zipf's law from the model's vocabulary, each
released as 20 sentences of 30 words: 600 draws an answer, of which the network reads about 54 steps. The floor is the
float32 product of those steps with all words' vectors. Minutes are CPU time for 20,000 answers, divided by two cores.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from _common import Row, interleaved, run_script, zipf_inputs
from erae_inference import multiply

from allonym.anonymizers.erae import ERAE
from allonym.language.sequences import SPECIAL
from allonym.randomness import insecure

ANSWERS, SENTENCES, WORDS = 200, 4, 50
SURVEY, CORES, MINUTES = 20_000, 2, 20
SETTINGS = {
    "two-set": {},
    "subset, groups": {"mechanism": "subset"},
    "subset, favourites": {"mechanism": "subset", "candidate_sets": "favourites"},
    "subset, neutral": {"mechanism": "subset", "style": "neutral", "sentences": 3, "words": 14, "candidates": 3},
}


def make_answers(forms: Sequence[str]) -> list[str]:
    """Return the answers."""
    words = [form for form in forms[len(SPECIAL) :] if form.isalpha()]
    drawn = zipf_inputs(len(words), ANSWERS * WORDS).reshape(ANSWERS, WORDS)
    split = (np.array_split(own, SENTENCES) for own in drawn)
    return [" ".join(" ".join(words[n] for n in part).capitalize() + "." for part in own) for own in split]


def measure(_: Path | None) -> Sequence[Row]:
    """Time all settings."""
    methods = {name: ERAE(**settings) for name, settings in SETTINGS.items()}  # type: ignore[arg-type]
    network = next(iter(methods.values())).network_
    answers = make_answers(network.vocabulary.forms)
    steps = ANSWERS * (WORDS + 2 * SENTENCES)  # words, full stops and ends
    rng = np.random.default_rng(1)
    features = rng.normal(size=(steps, network.shape.embedding)).astype(np.float32)
    columns = rng.normal(size=(network.shape.embedding, network.shape.words)).astype(np.float32)
    for method in methods.values():
        method.release(answers[:20], rng=insecure(1))  # what compiles, compiles now
    jobs = {name: (lambda method=method: method.release(answers, rng=insecure(1))) for name, method in methods.items()}
    seconds = interleaved({"product": lambda: multiply(features, columns)} | jobs)
    rows = []
    for name in methods:
        minutes = seconds[name] / ANSWERS * SURVEY / CORES / 60
        survey = f"{SURVEY:,} answers of {WORDS} words on two cores, scaled from {ANSWERS}"
        rows.append(
            Row(
                f"ER-AE ({name}), private length: {survey}",
                f"≤ {MINUTES} min",
                f"{minutes:.1f} min ({seconds[name] / seconds['product']:.1f} output products of the words read)",
                minutes <= MINUTES,
                {"seconds": seconds[name], "products": seconds[name] / seconds["product"]},
            )
        )
    return rows


if __name__ == "__main__":
    run_script(measure)
