"""Make what the page's sliders show: for each position, what attackers reached and what was kept.

    python tools/build_curves.py [--data DIR --work DIR]

Nothing is interpolated: a position of a slider is a row that the ruler of all papers measured
(`allonym.papers.ruler`). Rows are taken from erae.json, laplace.json, syntf.json and frontier.json in results/ and from
the work folder; the command names the positions that are missing, and the page says of these that they were not
measured. With --data they are measured, and kept in the work folder, from which an interrupted run goes on. Style
changes are read from results/a4nt.json. Losses are those of the shipped models.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from allonym import models
from allonym.anonymizers import examples, find
from allonym.anonymizers.offers import STRENGTHS as WORDS
from allonym.evaluation.candidates import Method
from allonym.metrics.figures import Figure
from allonym.papers.ruler.grounds import NEWSGROUPS20_10, TOKENS, Ground
from allonym.papers.ruler.measure import Work, measure
from allonym.papers.ruler.rows import About, Measured, MethodRow, Row
from allonym.papers.ruler.settings import (
    PLAIN_GHOSTWRITER,
    ROUND_TRIP,
    Setting,
    plain_clauses,
    public_groups,
    syntf_by_epsilon,
    word_substitution,
)

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "src" / "allonym" / "web" / "curves.json"
COMMAND = "python tools/build_curves.py"
STRENGTHS = {"privacy": "strongest", "balanced": "middle", "meaning": "closest"}  # A4NT's `prefer`
SETTINGS = {"blog-age": "blogs: teenagers or adults", "blog-gender": "blogs: women or men", "speech": "speeches"}
RESULTS = ("erae", "laplace", "syntf", "frontier", "a4nt")
SOURCES = ("erae", "laplace", "syntf", "frontier")  # result files that may hold rows of the ruler

Record = dict[str, Any]


@dataclass(frozen=True)
class Curve:
    """A slider of the page, and how its positions are measured.

    Attributes:
        offer: What the page calls it to itself.
        method: The method's name.
        ground: The texts.
        texts: What the page calls these.
        setting: What measures a position, by its parameters.
        kept: What is kept, of a row and of the originals; None where it was not measured.
        kept_means: What that is, in words.
        kept_of: Of what it is a share, in plain words.
        floor: What of it two unrelated texts have in common, of what was measured of unrelated texts and the originals.
    """

    offer: str
    method: str
    ground: Ground
    texts: str
    setting: Callable[[Record], Setting]
    kept: Callable[[Row, Row], float | None]
    kept_means: str
    kept_of: str
    floor: Callable[[About, Row], float]

    def positions(self) -> list[Record]:
        """Return the parameters that people are offered, from the most protection to the most of the text."""
        [slider] = next(offer for offer in examples()[self.method].offers() if offer.name == self.offer).sliders()
        return [dict(parameters) for parameters in slider.positions]

    def settings(self) -> list[Setting]:
        """Return what measures each position.

        Raises:
            SystemExit: The slider goes through something else than is measured here.
        """
        made = [(parameters, self.setting(parameters)) for parameters in self.positions()]
        for parameters, setting in made:
            if Method(find(self.method)(**parameters)).parameters() != setting.made().parameters():
                raise SystemExit(f"{setting.name} is not what the page offers as {self.offer}; change `Curve.setting`.")
        return [setting for _, setting in made]


def meaning(row: Row, _: Row) -> float | None:
    """Return the likeness of meaning."""
    return None if row.meaning is None else row.meaning.value


def topics(row: Row, original: Row) -> float | None:
    """Return what an analyst still finds out, as a share of what he does from originals."""
    after, before = row.use.get("topic"), original.use.get("topic")
    return None if after is None or before is None else after.value / before.value


def unrelated_meaning(_: About, __: Row) -> float:
    """Return the likeness of meaning of two unrelated texts: on the ground where it is largest, as one subject is."""
    return UNRELATED["meaning"]


def guessed_topics(about: About, original: Row) -> float:
    """Return what guessing finds out about topics, as a share of what an analyst does from originals."""
    found = original.use["topic"]
    return 0.0 if found is None else round(about.floors["topic"] / found.value, 4)


def largest_floor(measure: str) -> float:
    """Return what unrelated texts reach on the ground of `results/frontier.json` where they reach most."""
    frontier = json.loads((ROOT / "results" / "frontier.json").read_text("utf-8"))
    floors = [float(ground["about"]["floors"][measure]) for ground in frontier["grounds"].values()]
    return round(max(floors), 4)


def _only(setting: Setting, _: Record) -> Setting:
    """Return the one setting of a method that has no others."""
    return setting


UNRELATED = {"meaning": largest_floor("meaning")}
_MESSAGES = f"messages of at most {TOKENS} words to newsgroups"
_LIKENESS = "likeness of meaning (cosine of sentence embeddings)"
_MEANING = "the meaning"
CURVES = (
    Curve(
        "counts",
        "syntf",
        NEWSGROUPS20_10,
        _MESSAGES,
        lambda given: syntf_by_epsilon(given["epsilon"]),
        topics,
        "of what an analyst finds out about topics (F1)",
        "what an analyst finds out about topics",
        guessed_topics,
    ),
    Curve(
        "core",
        "erae",
        NEWSGROUPS20_10,
        _MESSAGES,
        lambda given: plain_clauses(given["sentences"]),
        meaning,
        _LIKENESS,
        _MEANING,
        unrelated_meaning,
    ),
    Curve(
        "meaning",
        "erae",
        NEWSGROUPS20_10,
        _MESSAGES,
        lambda given: public_groups(given["loss_per_word"], given["candidates"]),
        meaning,
        _LIKENESS,
        _MEANING,
        unrelated_meaning,
    ),
    Curve(
        "words",
        "exponential",
        NEWSGROUPS20_10,
        _MESSAGES,
        lambda given: word_substitution(given["epsilon"]),
        meaning,
        _LIKENESS,
        _MEANING,
        unrelated_meaning,
    ),
    *(
        Curve(
            setting.method,
            setting.method,
            NEWSGROUPS20_10,
            _MESSAGES,
            partial(_only, setting),
            meaning,
            _LIKENESS,
            _MEANING,
            unrelated_meaning,
        )
        for setting in (PLAIN_GHOSTWRITER, ROUND_TRIP)
    ),
)


def known(results: Mapping[str, Record], ground: Ground, work: Path | None) -> Work:
    """Return the rows that the result files and the work folder have of some texts."""
    done = Work(work, ground)
    for name in SOURCES:
        if stored := results[name].get("grounds", {}).get(ground.name):
            for row in Measured.from_json(stored).rows:
                done.know(row)
    return done


def built(curve: Curve, done: Work, model: Record | None) -> Record:
    """Return a curve with all its positions, measured or not."""
    settings = curve.settings()
    rows = done.of(settings)
    labels = WORDS if len(settings) == len(WORDS) else ("as it is",)
    points = [
        point(label, curve, parameters, rows.find(setting.name), rows.original)
        for label, parameters, setting in zip(labels, curve.positions(), settings, strict=True)
    ]
    about = {
        "bench": f"{rows.about.tested} {curve.texts}, by {rows.about.authors} people",
        "by": attackers(rows.about),
        "attack_means": "attackers name the right writer",
        "names": "writer",
        "source": COMMAND.split()[1],
        "chance": round(rows.about.chance, 4),
        "attack_before": figure(rows.original.strongest.accuracy),
        "kept_means": curve.kept_means,
        "kept_of": curve.kept_of,
        "kept_floor": curve.floor(rows.about, rows.original),
        "points": points,
    }
    return about if model is None else about | {"model": model["name"], "weights": model["weights_sha256"]}


def attackers(texts: About) -> str:
    """Return who attacks, and what they know."""
    each = texts.known // texts.authors
    return f"the strongest of attackers who know about {each} other texts of each writer and have this program"


def point(label: str, curve: Curve, parameters: Record, row: MethodRow | None, original: Row) -> Record:
    """Return one position of a slider; one that was not measured says what it costs alone."""
    promised = find(curve.method)(**parameters).guarantee()
    kept = None if row is None else curve.kept(row, original)
    return {
        "label": label,
        "parameters": parameters,
        "loss_per_word": promised.loss_per_word,
        "words": promised.words,
        "attack": None if row is None else figure(row.strongest.accuracy),
        "kept": None if kept is None else round(kept, 4),
    }


def figure(measured: Figure | Record) -> Record:
    """Return a figure as the page reads it."""
    numbers = measured.to_json() if isinstance(measured, Figure) else measured
    return {name: round(numbers[name], 4) for name in ("value", "low", "high")}


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
        "names": "group",
        "source": "results/a4nt.json",
        "chance": round(original["random_guess"]["document"], 4),
        "attack_before": figure(usual["test"]["document"]["f1"]),
        "kept_means": "of the wording (METEOR)",
        "kept_of": "the wording",
        "kept_floor": 0.0,
        "learned": {"before": figure(before), "after": figure(after)},
        "points": points,
        "model": row["name"],
        "weights": row["weights"],
    }


def main() -> None:
    """Write the curves."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="Folder with the corpora, to measure positions that are missing.")
    parser.add_argument("--work", type=Path, help="Folder of rows that were measured, for a paper or for the page.")
    given = parser.parse_args()
    if given.data is not None and given.work is None:
        parser.error("Give --work beside --data: measured rows are kept there.")
    results = {name: json.loads((ROOT / "results" / f"{name}.json").read_text("utf-8")) for name in RESULTS}
    done = {ground: known(results, ground, given.work) for ground in {curve.ground: None for curve in CURVES}}
    wanted = {
        ground: [each for curve in CURVES if curve.ground == ground for each in curve.settings()] for ground in done
    }
    for ground, settings in wanted.items():
        if given.data is not None:
            measure(given.data, settings, done[ground], lambda said: print(said, flush=True))
    missing = [(ground, setting) for ground, settings in wanted.items() for setting in done[ground].missing(settings)]
    for ground, setting in missing:
        print(f"not measured on {ground.name}: {setting.name}")
    if missing:
        print(f"{len(missing)} positions are not measured; {COMMAND} --data DIR --work DIR measures them.")
    model = results["erae"]["model"]
    curves = {
        curve.offer: built(curve, done[curve.ground], model if curve.method == "erae" else None)
        for curve in CURVES
        if done[curve.ground].has_originals
    }
    content = {"command": COMMAND, "unrelated": UNRELATED, "curves": curves | a4nt(results["a4nt"])}
    OUT.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
