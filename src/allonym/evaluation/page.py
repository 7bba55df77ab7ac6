"""The report as one HTML file: no script, no network, light and dark, readable aloud and on paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from string import Template
from typing import Any

from allonym import metrics
from allonym.drawing.figure_data import Figure, table
from allonym.drawing.svg import escaped
from allonym.metrics.figures import spread
from allonym.privacy.statement import number

_HEADLINES = {
    "accuracy": "accuracy",
    "f1_weighted": "F1 (weighted)",
    "f1_macro": "F1 (macro)",
    "top_5": "among first five",
    "mean_reciprocal_rank": "mean reciprocal rank",
}


def page(record: Mapping[str, Any], figures: Mapping[str, Figure], vectors: Mapping[str, str]) -> str:
    """Return the whole page.

    Args:
        record: What `report.record` returned.
        figures: The figures, by name.
        vectors: Their SVG, by name.
    """
    template = Template((files("allonym.drawing") / "report.html.template").read_text(encoding="utf-8"))
    chosen = record["configurations"][record["chosen"] - 1]
    parts = {
        "kind": f"{record['report']} report",
        "kind_note": _kind_note(record),
        "verdict": escaped(record["verdict"]),
        "chosen": escaped(f"{chosen['name']} (configuration {record['chosen']}, by {record['chosen_by']})"),
        "notes": _list(record["notes"]),
        "configurations": _configurations(record),
        "attacks": _attacks(record["attacks_on_originals"], chosen),
        "use": _use(record),
        "claim": _claim(record["claim"]),
        "paragraph": escaped(record["claim"]["for a data release"]),
        "limits": _list(record["limits"]),
        "how": _how(record),
        "version": escaped(record["version"]),
    }
    for name, figure in figures.items():
        parts[f"figure_{name.replace('-', '_')}"] = _figure(name, figure, vectors[name])
    return template.substitute(parts)


def _kind_note(record: Mapping[str, Any]) -> str:
    if record["report"] == "public":
        return "It holds no text, no author’s name and nothing about single rows."
    return "It names authors and comes with predictions of single rows: do not publish it."


def _figure(name: str, figure: Figure, vector: str) -> str:
    head, rows = table(figure)
    filled = [place for place, _ in enumerate(head) if any(row[place] not in (None, "") for row in rows)]
    data = _table(f"Data of: {figure.title}", [head[p] for p in filled], [[row[p] for p in filled] for row in rows])
    title = escaped(figure.title)
    return (
        f'<figure><div class="scroll" role="region" tabindex="0" aria-label="Figure: {title}">{vector}</div>'
        f"<figcaption><strong>{title}.</strong> {escaped(figure.description)}</figcaption>"
        f"<details><summary>Data of this figure (figures/{name}.csv)</summary>{data}</details></figure>"
    )


def _table(caption: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table that scrolls by itself on narrow screens; the first cell of a row names the row."""
    top = "".join(f'<th scope="col">{escaped(name.replace("_", " "))}</th>' for name in head)
    body = ""
    for first, *rest in rows:
        cells = "".join(f"<td>{_cell(value)}</td>" for value in rest)
        body += f'<tr><th scope="row">{_cell(first)}</th>{cells}</tr>'
    words = escaped(caption)
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{words}"><table><caption>{words}</caption>'
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cell(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return escaped(f"{value:.3f}".removesuffix(".000") if isinstance(value, float) else str(value))


def _configurations(record: Mapping[str, Any]) -> str:
    head = ["configuration", "ε", "strongest attack", "accuracy", "use kept", "attack left", "advantage"]
    rows = []
    for one in record["configurations"]:
        attack, epsilon = one["strongest"], one["guarantee"]["epsilon"]
        mark = " (chosen)" if one["number"] == record["chosen"] else ""
        promised = "none" if epsilon is None else f"{number(epsilon)} per {one['guarantee']['unit']}"
        shares = [spread(one["use_kept"], 2), spread(one["attack_left"], 2), f"{one['advantage']:+.2f}"]
        by = f"{attack['attacker']}, {attack['setting']}"
        rows.append([f"{one['number']}. {one['name']}{mark}", promised, by, spread(attack), *shares])
    caption = (
        "All configurations. Use kept and attack left are shares of what the originals reach, above what is reached "
        "without reading; the advantage is the lower end of the first minus the upper end of the second"
    )
    return _table(caption, head, rows)


def _attacks(on_originals: Sequence[Mapping[str, Any]], chosen: Mapping[str, Any]) -> str:
    rows = [
        [f"{attack['attacker']}, {attack['setting']}", attack["validated"]]
        + [spread(attack["figures"][name]) for name in _HEADLINES]
        for attack in (*on_originals, *chosen["attacks"])
    ]
    caption = f"Every attacker in every setting, on the originals and for {chosen['name']}, with intervals"
    return _table(caption, ["attacker", "of known texts set aside", *_HEADLINES.values()], rows)


def _use(record: Mapping[str, Any]) -> str:
    main = record["utility_measure"]
    taken = [metrics.measures()[name] for name in record["configurations"][0]["use"]]
    before, floor = ["original texts"], ["without reading"]
    for measure in taken:
        if measure.name == main["name"] and measure.untouched is None:
            before.append(measure.shown(record["utility_of_originals"]))
        else:
            before.append("not measured" if measure.untouched is None else f"{measure.untouched:g}")
        floor.append(f"{record['utility_floor']:.3f}" if measure.name == main["name"] else "–")
    rows = [before, floor]
    for one in record["configurations"]:
        rows.append([f"{one['number']}. {one['name']}", *(each.shown(one["use"][each.name]) for each in taken)])
    words = f"What is left of the texts’ use, with intervals; the main measure is the {main['meaning']}"
    return _table(words, ["configuration", *(measure.head for measure in taken)], rows)


def _claim(claim: Mapping[str, str]) -> str:
    shown = {name: words for name, words in claim.items() if name not in ("statement", "for a data release")}
    items = "".join(f"<dt>{escaped(name)}</dt><dd>{escaped(words)}</dd>" for name, words in shown.items())
    return f"<p>{escaped(claim['statement'])}</p><dl>{items}</dl>"


def _list(sentences: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{escaped(sentence)}</li>' for sentence in sentences)}</ul>" if sentences else ""


def _how(record: Mapping[str, Any]) -> str:
    how, documents = record["how"], record["documents"]
    plain = {
        "documents": f"{documents['train']:,} to learn from, {documents['test']:,} to test on, "
        f"by {record['authors']:,} authors",
        "floor": f"{record['floor']:.3f}: the share of the most frequent author among the test documents",
        "versions": ", ".join(f"{name} {version}" for name, version in how["versions"].items()),
        **{name.replace("_", " "): how[name] for name in how if name not in ("versions", "settings", "attackers")},
        **{f"setting: {name}": words for name, words in how["settings"].items()},
        **{f"attacker: {name}": words for name, words in how["attackers"].items()},
    }
    for one in record["configurations"]:
        given = ", ".join(f"{name} {value}" for name, value in one["parameters"].items() if value is not None)
        plain[f"configuration {one['number']}"] = f"{one['method']}: {given or 'no parameters'}"
    items = "".join(f"<dt>{escaped(name)}</dt><dd>{escaped(words)}</dd>" for name, words in plain.items())
    return f"<dl>{items}</dl>"
