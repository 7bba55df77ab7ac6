"""Make what the page's slider shows: for each position, what attackers reached and what was kept, from `results/`.

    python tools/build_curves.py --data ../shared/data

Nothing is interpolated: a position of the slider is a configuration that was measured. `results/laplace.json` holds the
curves of SynTF (twenty newsgroups) and of word substitution (ten reviewers of IMDb62). ER-AE is measured here on the
same ten reviewers and by the same attackers, because its guarantee given the lengths is what the page offers; the
model's checksum is kept, so that the page can tell when another model ships. Losses are those of the shipped models.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from allonym import metrics, models, scoring
from allonym.anonymizers import find
from allonym.anonymizers.base import Anonymizer
from allonym.anonymizers.erae import DEFAULT_MODEL
from allonym.attackers.panel import Texts, attack, train
from allonym.datasets import newsgroups20
from allonym.experiments import reviews
from allonym.randomness import insecure

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "src" / "allonym" / "web" / "curves.json"
WORDS = ("strongest", "strong", "middle", "close", "closest")  # from more protection to more of the text
SYNTF_WORDS = 150
# With the shipped vocabulary these lose a little less per word than what was measured: 3.4, 6.8, 10.2, 13.6 and 17.
SYNTF_EPSILONS = (6.9, 13.9, 20.5, 28.0, 35.3)
EXPONENTIAL = (5.0, 6.0, 6.5, 7.0, 8.0)
ERAE_SETS = "favourites"
ERAE_LOSSES = (7.0, 8.0, 9.0, 10.0, 11.5)

Record = dict[str, Any]


def figure(value: float, low: float, high: float) -> Record:
    """Return a figure as the page reads it."""
    return {"value": round(value, 4), "low": round(low, 4), "high": round(high, 4)}


def point(place: int, anonymizer: Anonymizer, parameters: Record, attacked: Record, kept: float) -> Record:
    """Return one position of the slider."""
    promised = anonymizer.guarantee()
    return {
        "label": WORDS[place],
        "parameters": parameters,
        "loss_per_word": promised.loss_per_word,
        "loss_per_unit": promised.loss_per_unit,
        "attack": attacked,
        "kept": round(kept, 4),
    }


def syntf(results: Record, data: Path) -> Record:
    """Return SynTF's curve: topics of newsgroups, ten people of whom one wrote."""
    rows = [row for row in results["rows"] if row["corpus"] == "20 newsgroups"]
    before = next(row for row in rows if row["method"] == "original")
    corpus = newsgroups20.load(data)
    suspects = newsgroups20.SCENARIOS[1].authors(corpus)
    tested = Counter(
        name for name, known in zip(corpus.authors, corpus.train, strict=True) if name in set(suspects) and not known
    )
    points = []
    for place, row in enumerate([row for row in rows if row["method"] == "syntf"][1:]):
        parameters = {"epsilon": SYNTF_EPSILONS[place], "words": SYNTF_WORDS}
        attacked = figure(row["attack"], row["attack_low"], row["attack_high"])
        points.append(point(place, find("syntf")(**parameters), parameters, attacked, row["f1"] / before["f1"]))
    return {
        "bench": "messages of twenty newsgroups; ten people who may have written each",
        "source": "results/laplace.json",
        "writers": 10,
        "chance": round(max(tested.values()) / tested.total(), 4),
        "attack_before": figure(before["attack"], before["attack_low"], before["attack_high"]),
        "kept_means": "of what an analyst finds out about topics (F1)",
        "points": points,
    }


def exponential(results: Record) -> Record:
    """Return word substitution's curve: ten reviewers."""
    rows = {row["epsilon"]: row for row in results["reviews"]["rows"] if row["method"] == "exponential"}
    points = []
    for place, epsilon in enumerate(EXPONENTIAL):
        parameters = {"epsilon": epsilon, "order": "text"}
        found = rows[epsilon]["adaptive"]
        attacked = figure(found["value"], found["low"], found["high"])
        points.append(point(place, find("exponential")(**parameters), parameters, attacked, rows[epsilon]["cosine"]))
    return _reviewers(results["reviews"]["rows"][0]["adaptive"], "results/laplace.json", points)


def _reviewers(before: Record, source: str, points: Sequence[Record]) -> Record:
    return {
        "bench": "reviews of about 130 words by ten reviewers",
        "source": source,
        "writers": reviews.AUTHORS,
        "chance": 1 / reviews.AUTHORS,
        "attack_before": figure(before["value"], before["low"], before["high"]),
        "kept_means": "likeness of meaning (cosine of sentence embeddings)",
        "points": list(points),
    }


def erae(data: Path, before: Record) -> Record:
    """Measure ER-AE with our subset mechanism on the ten reviewers, lengths copied."""
    texts, authors, _, known = reviews.read_reviews(data)
    names = (reviews.train_part(authors, known), reviews.test_part(authors, known))
    original = Texts(reviews.train_part(texts, known), reviews.test_part(texts, known))
    panel = reviews.panel()
    trained = train(panel, original.train, names[0])
    points = []
    for place, loss in enumerate(ERAE_LOSSES):
        parameters = {"mechanism": "subset", "candidate_sets": ERAE_SETS, "length": "public", "loss_per_word": loss}
        anonymizer = find("erae")(**parameters)
        released: list[str] = anonymizer.release(texts, rng=insecure(reviews.SEED)).payload
        after = Texts(reviews.train_part(released, known), reviews.test_part(released, known))
        found = attack(panel, *names, original=original, released=after, trained=trained).strongest("adaptive")
        accuracy = found.figures["accuracy"]
        kept = scoring.bootstrap(metrics.cosine(original.test, after.test)).value
        attacked = figure(accuracy.value, accuracy.low, accuracy.high)
        points.append(point(place, anonymizer, parameters, attacked, kept))
        print(f"erae at {loss}: attack {accuracy.value:.3f} by {found.attacker}, cosine {kept:.3f}", flush=True)
    curve = _reviewers(before, "tools/build_curves.py", points)
    return {**curve, "model": DEFAULT_MODEL, "model_sha256": fingerprint(DEFAULT_MODEL)}


def fingerprint(model: str) -> str:
    """Return the checksum of a shipped model's weights."""
    lines = (models.find(model) / models.CHECKSUMS).read_text("utf-8").splitlines()
    return next(line.split()[0] for line in lines if line.endswith(models.WEIGHTS))


def main() -> None:
    """Write the curves, keeping those of ER-AE where its model has not changed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="Folder with imdb62/ and newsgroups20/.")
    given = parser.parse_args()
    results = json.loads((ROOT / "results" / "laplace.json").read_text("utf-8"))
    methods = {"syntf": syntf(results, given.data), "exponential": exponential(results)}
    former = json.loads(OUT.read_text("utf-8"))["methods"].get("erae") if OUT.exists() else None
    if former is not None and former["model_sha256"] == fingerprint(DEFAULT_MODEL):
        methods["erae"] = former
    else:
        methods["erae"] = erae(given.data, results["reviews"]["rows"][0]["adaptive"])
    content = {"command": "python tools/build_curves.py --data ../shared/data", "methods": methods}
    OUT.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
