"""The report as one HTML file: no script, no network, light and dark, readable aloud and on paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from string import Template

from allonym import __version__, metrics
from allonym.drawing.figure_data import Figure, table
from allonym.drawing.svg import escaped
from allonym.evaluation.claims import Claim
from allonym.evaluation.evaluate import Evaluation
from allonym.evaluation.knowledge import SETTINGS
from allonym.evaluation.reported import EvaluationReport
from allonym.metrics.figures import Figure as Measured
from allonym.metrics.figures import spread
from allonym.privacy.statement import number

_HEADLINES = {
    "accuracy": "accuracy",
    "f1_weighted": "F1 (weighted)",
    "f1_macro": "F1 (macro)",
    "top_5": "among first five",
    "mean_reciprocal_rank": "mean reciprocal rank",
}


def page(report: EvaluationReport, figures: Mapping[str, Figure], vectors: Mapping[str, str]) -> str:
    """Return the whole page.

    Args:
        report: What it says.
        figures: The figures, by name.
        vectors: Their SVG, by name.
    """
    template = Template((files("allonym.drawing") / "report.html.template").read_text(encoding="utf-8"))
    chosen = f"{report.outcome.candidate} (configuration {report.index + 1}, by {report.chosen_by})"
    parts = {
        "kind": f"{report.kind} report",
        "kind_note": _kind_note(report),
        "verdict": escaped(report.verdict),
        "chosen": escaped(chosen),
        "notes": _list(report.evaluation.sample.notes),
        "configurations": _configurations(report),
        "attacks": _attacks(report),
        "use": _use(report.evaluation),
        "claim": _claim(report.claim),
        "paragraph": escaped(report.claim.for_a_data_release),
        "limits": _list(report.limits),
        "how": _how(report),
        "version": escaped(__version__),
    }
    for name, figure in figures.items():
        parts[f"figure_{name.replace('-', '_')}"] = _figure(name, figure, vectors[name])
    return template.substitute(parts)


def _kind_note(report: EvaluationReport) -> str:
    if report.internal:
        return "It names authors and comes with predictions of single rows: do not publish it."
    return "It holds no text, no author’s name and nothing about single rows."


def _figure(name: str, figure: Figure, vector: str) -> str:
    head, rows = table(figure)
    filled = [column for column, _ in enumerate(head) if any(row[column] not in (None, "") for row in rows)]
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


def _configurations(report: EvaluationReport) -> str:
    head = ["configuration", "ε", "strongest attack", "accuracy", "use kept", "attack left", "advantage"]
    rows = []
    for index, outcome in enumerate(report.evaluation.outcomes):
        attack, promise = outcome.strongest, outcome.promised
        mark = " (chosen)" if index == report.index else ""
        promised = "none" if promise.epsilon is None else f"{number(promise.epsilon)} per {promise.unit}"
        figures = [_spread(attack.headline, 3), _spread(outcome.use_kept, 2), _spread(outcome.attack_left, 2)]
        by = f"{attack.attacker}, {attack.setting}"
        rows.append([f"{index + 1}. {outcome.candidate}{mark}", promised, by, *figures, f"{outcome.advantage:+.2f}"])
    caption = (
        "All configurations. Use kept and attack left are shares of what the originals reach, above what is reached "
        "without reading; the advantage is the lower end of the first minus the upper end of the second"
    )
    return _table(caption, head, rows)


def _spread(figure: Measured, digits: int) -> str:
    return spread(figure.to_json(), digits)


def _attacks(report: EvaluationReport) -> str:
    rows = [
        [f"{attack.attacker}, {attack.setting}", attack.validated]
        + [_spread(attack.figures[name], 3) for name in _HEADLINES]
        for attack in (*report.evaluation.on_originals.attacks, *report.outcome.attacked.attacks)
    ]
    caption = f"Every attacker in every setting, on the originals and for {report.outcome.candidate}, with intervals"
    return _table(caption, ["attacker", "of known texts set aside", *_HEADLINES.values()], rows)


def _use(evaluation: Evaluation) -> str:
    main = evaluation.measure
    taken = [metrics.measures()[name] for name in evaluation.outcomes[0].use]
    before, floor = ["original texts"], ["without reading"]
    for measure in taken:
        if measure.name == main.name and measure.untouched is None:
            before.append(measure.shown(evaluation.before.to_json()))
        else:
            before.append("not measured" if measure.untouched is None else f"{measure.untouched:g}")
        floor.append(f"{evaluation.use_floor:.3f}" if measure.name == main.name else "–")
    rows = [before, floor]
    for position, outcome in enumerate(evaluation.outcomes, 1):
        use = {name: None if figure is None else figure.to_json() for name, figure in outcome.use.items()}
        rows.append([f"{position}. {outcome.candidate}", *(each.shown(use[each.name]) for each in taken)])
    words = f"What is left of the texts’ use, with intervals; the main measure is the {main.describes_itself_as}"
    return _table(words, ["configuration", *(measure.head for measure in taken)], rows)


def _claim(claim: Claim) -> str:
    return f"<p>{escaped(claim.statement)}</p>{_terms(claim.terms)}"


def _terms(explained: Mapping[str, str]) -> str:
    items = "".join(f"<dt>{escaped(name)}</dt><dd>{escaped(words)}</dd>" for name, words in explained.items())
    return f"<dl>{items}</dl>"


def _list(sentences: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{escaped(sentence)}</li>' for sentence in sentences)}</ul>" if sentences else ""


def _how(report: EvaluationReport) -> str:
    evaluation, documents = report.evaluation, report.documents
    plain = {
        "documents": f"{documents['train']:,} to learn from, {documents['test']:,} to test on, "
        f"by {evaluation.authors:,} authors",
        "floor": f"{evaluation.floor:.3f}: the share of the most frequent author among the test documents",
        "versions": ", ".join(f"{name} {version}" for name, version in report.versions.items()),
        **{name.replace("_", " "): words for name, words in report.how.items()},
        **{f"setting: {name}": words for name, words in SETTINGS.items()},
        **{f"attacker: {name}": words for name, words in evaluation.attackers.items()},
    }
    for position, outcome in enumerate(evaluation.outcomes, 1):
        parameters = outcome.candidate.parameters()
        given = ", ".join(f"{name} {value}" for name, value in parameters.items() if value is not None)
        plain[f"configuration {position}"] = f"{outcome.candidate.method}: {given or 'no parameters'}"
    return _terms(plain)
