"""Make what the page's sliders show: for each position, what attackers reached and what was kept.

    python tools/build_curves.py --data ../shared/data

Nothing is interpolated: a position of a slider is a configuration that was measured. SynTF (twenty newsgroups) and word
substitution (ten reviewers of IMDb62) are read from `results/laplace.json`, style changes from `results/a4nt.json`.
ER-AE is measured here, on the same ten reviewers and by the same attackers as `results/erae.json`, because a slider has
more positions than that table has rows. A position of ER-AE that was measured with the weights that ship is kept, so
that the command takes seconds; `--anew` measures all ten again (some ten minutes on two idle cores). Every curve
keeps the checksum of its model, by which the page can tell when another one ships. Losses are those of the shipped
models.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from allonym import acceleration, models
from allonym.anonymizers import examples, find
from allonym.anonymizers.base import Anonymizer
from allonym.anonymizers.erae.recipe import DEFAULT_MODEL
from allonym.anonymizers.offers import STRENGTHS as WORDS
from allonym.papers import ten_reviewers
from allonym.papers.corpora import newsgroups20
from allonym.papers.erae import reviewers

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "src" / "allonym" / "web" / "curves.json"
COMMAND = "python tools/build_curves.py --data ../shared/data"
STRENGTHS = {"privacy": "strongest", "balanced": "middle", "meaning": "closest"}  # A4NT's `prefer`
SETTINGS = {"blog-age": "blogs: teenagers or adults", "blog-gender": "blogs: women or men", "speech": "speeches"}

Record = dict[str, Any]


def positions(method: str, offered: str) -> list[Record]:
    """Return the settings that a method offers people, from the most protection to the most of the text."""
    [slider] = next(offer for offer in examples()[method].offers() if offer.name == offered).sliders()
    return [dict(parameters) for parameters in slider.positions]


def figure(found: Record) -> Record:
    """Return a figure as the page reads it."""
    return {name: round(found[name], 4) for name in ("value", "low", "high")}


def point(label: str, anonymizer: Anonymizer, parameters: Record, attacked: Record, kept: float) -> Record:
    """Return one position of a slider."""
    promised = anonymizer.guarantee()
    return {
        "label": label,
        "parameters": parameters,
        "loss_per_word": promised.loss_per_word,
        "words": promised.words,
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
    private = [row for row in rows if row["method"] == "syntf"][1:]
    for label, parameters, row in zip(WORDS, positions("syntf", "counts"), private, strict=True):
        made = find("syntf")(**parameters)
        points.append(point(label, made, parameters, _attack(row), row["f1"] / before["f1"]))
    return {
        "bench": "messages of twenty newsgroups; ten people who may have written each",
        "by": "the strongest of three attackers who had learned from released counts",
        "attack_means": "attackers name the right writer",
        "source": "results/laplace.json",
        "chance": round(max(tested.values()) / tested.total(), 4),
        "attack_before": _attack(before),
        "kept_means": "of what an analyst finds out about topics (F1)",
        "points": points,
    }


def _attack(row: Record) -> Record:
    return figure({"value": row["attack"], "low": row["attack_low"], "high": row["attack_high"]})


def exponential(results: Record) -> Record:
    """Return word substitution's curve: ten reviewers."""
    rows = {row["epsilon"]: row for row in results["reviews"]["rows"] if row["method"] == "exponential"}
    points = []
    for label, parameters in zip(WORDS, positions("exponential", "words"), strict=True):
        made, row = find("exponential")(**parameters), rows[parameters["epsilon"]]
        points.append(point(label, made, parameters, _stronger(row), row["cosine"]))
    return _reviewers(results, "results/laplace.json", points)


def _stronger(row: Record) -> Record:
    """Return the stronger of the attackers who learned from originals and from released texts."""
    return figure(max((row["static"], row["adaptive"]), key=lambda found: found["value"]))


def _reviewers(results: Record, source: str, points: Iterable[Record]) -> Record:
    """Return a curve of the ten reviewers."""
    return {
        "bench": "reviews of about 130 words by ten reviewers",
        "by": "the strongest of eight attackers, of whom four had learned from originals and four from rewritten texts",
        "attack_means": "attackers name the right writer",
        "source": source,
        "chance": 1 / ten_reviewers.AUTHORS,
        "attack_before": figure(results["reviews"]["rows"][0]["adaptive"]),
        "kept_means": "likeness of meaning (cosine of sentence embeddings)",
        "points": list(points),
    }


def measured(data: Path, parameters: Record) -> Record:
    """Measure one position of ER-AE on the ten reviewers."""
    row = reviewers.row(data, "", parameters)
    return {"parameters": parameters, "attack": _stronger(row), "kept": row["cosine"]["value"]}


def erae(data: Path, results: Record, former: list[Record], anew: bool) -> tuple[Record, Record]:
    """Return ER-AE's two curves: all of a text, and its core; positions that were measured before are kept."""
    weights = fingerprint(DEFAULT_MODEL)
    whole, core = (positions("erae", name) for name in ("meaning", "core"))
    known = [one for curve in former if curve.get("weights") == weights for one in curve["points"]]
    found = [] if anew else [one for one in known if one["parameters"] in (*whole, *core)]
    missing = [given for given in (*whole, *core) if all(given != one["parameters"] for one in found)]
    if missing:
        # The longest first, so that two processes end at about the same time.
        with acceleration.processes(2) as pool:
            for one in pool.map(partial(measured, data), missing):
                print(f"{one['parameters']}: attack {one['attack']['value']:.3f}, kept {one['kept']:.3f}", flush=True)
                found.append(one)

    def curve(chosen: list[Record]) -> Record:
        points = []
        for label, given in zip(WORDS, chosen, strict=True):
            one = next(one for one in found if one["parameters"] == given)
            points.append(point(label, find("erae")(**given), given, one["attack"], one["kept"]))
        made = _reviewers(results, "tools/build_curves.py", points)
        return {**made, "model": DEFAULT_MODEL, "weights": weights}

    return curve(whole), curve(core)


def a4nt(results: Record) -> dict[str, Record]:
    """Return the curves of the shipped style changes, by the names of their models."""
    curves = {}
    for row in results["operating_points"]:
        picks = {one["pick"]: one for one in row["points"]}
        if row["name"] in models.shipped() and STRENGTHS.keys() <= picks.keys():
            curves[row["name"]] = _style(results, row, picks)
    return curves


def _style(results: Record, row: Record, picks: dict[str, Record]) -> Record:
    """Return the curve of one style change, and how attackers fare who learned from rewritten texts."""
    setting = row["setting"]
    original = next(one for one in results["originals"] if one["setting"] == setting)
    attackers = [one for one in results["attackers"] if one["setting"] == setting]
    usual = next(one for one in attackers if one["attacker"] == "lstm")
    shipped = next(one for one in results["measured"] if one["name"] == row["name"] and one["way"] == "balanced")
    before = max((one["test_few"]["document"]["f1"] for one in attackers), key=lambda found: found["value"])
    after = max(
        (one["adaptive"]["document"]["f1"] for one in shipped["attacks"] if one.get("adaptive")),
        key=lambda found: found["value"],
    )
    points = [
        {
            "label": label,
            "parameters": {"prefer": prefer},
            "attack": figure(picks[prefer]["document"]),
            "kept": round(picks[prefer]["meteor"]["value"], 4),
        }
        for prefer, label in STRENGTHS.items()
    ]
    return {
        "bench": SETTINGS.get(setting, setting),
        "by": "a network that had seen no rewritten text",
        "attack_means": "an attacker tells which group wrote (F1)",
        "source": "results/a4nt.json",
        "chance": round(original["random_guess"]["document"], 4),
        "attack_before": figure(usual["test"]["document"]["f1"]),
        "kept_means": "of the wording (METEOR)",
        "learned": {"before": figure(before), "after": figure(after)},
        "points": points,
        "model": row["name"],
        "weights": row["weights"],
    }


def fingerprint(model: str) -> str:
    """Return the checksum of a shipped model's weights."""
    lines = (models.find(model) / models.CHECKSUMS).read_text("utf-8").splitlines()
    return next(line.split()[0] for line in lines if line.endswith(models.WEIGHTS))


def main() -> None:
    """Write the curves."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="Folder with imdb62/ and newsgroups20/.")
    parser.add_argument("--anew", action="store_true", help="Measure ER-AE again, also where its weights are the same.")
    given = parser.parse_args()
    laplace, style = (
        json.loads((ROOT / "results" / f"{name}.json").read_text("utf-8")) for name in ("laplace", "a4nt")
    )
    former = json.loads(OUT.read_text("utf-8")).get("curves", {}) if OUT.exists() else {}
    kept = [former[name] for name in ("meaning", "core") if name in former]
    meaning, core = erae(given.data, laplace, kept, given.anew)
    curves = {"counts": syntf(laplace, given.data), "core": core, "meaning": meaning, "words": exponential(laplace)}
    content = {"command": COMMAND, "curves": curves | a4nt(style)}
    OUT.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
