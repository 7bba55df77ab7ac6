"""`allonym evaluate`: attackers before and after, what is left of the texts' use, and a report."""

from __future__ import annotations

import inspect
import itertools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from allonym import anonymizers, attackers, metrics
from allonym.anonymizers.base import Anonymizer
from allonym.attackers.base import Attacker
from allonym.attackers.panel import HEADLINE, default_panel
from allonym.cli import RISK
from allonym.cli.methods import build, several_method_options
from allonym.cli.talk import Talk, common_options
from allonym.evaluation import report
from allonym.evaluation.evaluate import Candidate, Evaluation, evaluate
from allonym.evaluation.sample import FEWEST_DOCUMENTS, MOST_AUTHORS, MOST_DOCUMENTS, Sample, read_sample
from allonym.metrics.base import Measure

_MOST_CONFIGURATIONS = 100
_ABOUT_REFERENCE = ("reference_label", "reference_text")

_Given = dict[str, Any]


@click.command(name="evaluate")
@click.argument("table", metavar="TABLE")
@click.option("--text", help="Column with the texts; may be left out when just one holds text.")
@click.option("--author", required=True, help="Column with the authors.")
@click.option("--label", help="Column with what an analyst wants to find, such as the topic.")
@click.option(
    "--split", help="Column that says train or test; by default 70 % of each author's texts are for training."
)
@click.option("--report", "folder", type=click.Path(path_type=Path), required=True, help="Folder for the report.")
@click.option("--sweep", multiple=True, help="Values to try, as epsilon=35,40,45; may be repeated.")
@click.option("--choose", type=click.IntRange(1), help="Number of the configuration to report on; by default the best.")
@click.option("--attackers", "names", help="Which attackers to ask, with commas between them; by default all.")
@click.option("--measures", "further", help="Further measures of use, with commas between them, such as perplexity.")
@click.option("--max-authors", type=click.IntRange(2), default=MOST_AUTHORS, show_default=True, help="Most authors.")
@click.option(
    "--max-documents",
    type=click.IntRange(2 * FEWEST_DOCUMENTS),
    default=MOST_DOCUMENTS,
    show_default=True,
    help="Most documents.",
)
@click.option("--public/--internal", "public", default=True, help="Nothing about single rows and no names, or both.")
@click.option("--force", is_flag=True, help="Replace an existing report.")
@click.option("--insecure-seed", type=int, help="Make the run repeatable, for experiments: it then promises nothing.")
@click.option(
    "--fail-above", type=click.FloatRange(0, 1), help="Exit with 1 if the strongest adaptive attack is above."
)
@several_method_options
@common_options
@click.pass_context
def command(
    context: click.Context,
    /,
    table: str,
    text: str | None,
    author: str,
    label: str | None,
    split: str | None,
    folder: Path,
    sweep: tuple[str, ...],
    choose: int | None,
    names: str | None,
    further: str | None,
    max_authors: int,
    max_documents: int,
    public: bool,
    force: bool,
    insecure_seed: int | None,
    fail_above: float | None,
    methods: tuple[str, ...],
    reference: str | None,
    target_unchanged: float | None,
    **parameters: Any,  # noqa: ANN401 - the parameters of the methods
) -> None:
    """Measure protections on TABLE (.csv, .jsonl or .parquet): attackers before and after, and what use is left.

    Writes a folder with report.html, report.json, and a CSV and SVG of each figure. Nothing anonymized is kept.
    """
    talk: Talk = context.obj
    report.check_folder(folder, force)
    panel = default_panel() if names is None else [attackers.make(name.strip()) for name in names.split(",")]
    measures = _measures([] if further is None else further.split(","))
    common = {"reference": reference, "unchanged": target_unchanged, "source": table, "text": text}
    candidates = _candidates(context, dict.fromkeys(methods), parameters, sweep, common)
    if choose is not None and choose > len(candidates):
        raise click.UsageError(f"--choose must be from 1 to {len(candidates)}, the number of configurations.")
    sample = read_sample(
        table,
        text=text,
        author=author,
        label=label,
        split=split,
        max_authors=max_authors,
        max_documents=max_documents,
    )
    for note in sample.notes:
        talk.say(note)
    found = _measured(talk, sample, candidates, panel, measures, insecure_seed)
    chosen = None if choose is None else choose - 1
    record = report.write(folder, found, chosen=chosen, internal=not public, force=force)
    talk.data(record, talk.heading(record["verdict"]))
    talk.say(
        f"Wrote {folder / 'report.html'} ({record['report']}), report.json and figures; nothing anonymized is kept."
    )
    risk = record["configurations"][record["chosen"] - 1]["strongest_adaptive"]["value"]
    if fail_above is not None and risk > fail_above:
        talk.say(f"The strongest adaptive attack has an {HEADLINE} of {risk:.3f}, above {fail_above:g}.")
        context.exit(RISK)


def _measures(further: Sequence[str]) -> list[Measure]:
    """Return the usual measures and those asked for, all of which must be there."""
    known = metrics.measures()
    names = [name.strip() for name in further]
    for name in names:
        if name not in known:
            raise click.UsageError(f"There is no measure of that name; choose among: {', '.join(known)}.")
        if lack := known[name].missing():
            raise click.UsageError(lack)
    return [measure for name, measure in known.items() if measure.usual or name in names]


def _measured(
    talk: Talk,
    sample: Sample,
    candidates: Sequence[Candidate],
    panel: Sequence[Attacker],
    measures: Sequence[Measure],
    seed: int | None,
) -> Evaluation:
    hidden = talk.quiet or not sys.stderr.isatty()
    with click.progressbar(length=1, label="Measuring", file=sys.stderr, hidden=hidden) as bar:

        def progress(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        return evaluate(sample, candidates, panel, measures=measures, seed=seed, progress=progress)


def _candidates(
    context: click.Context,
    methods: Sequence[str] | dict[str, None],
    given: _Given,
    sweep: Sequence[str],
    common: _Given,
) -> list[Candidate]:
    """Return every method with every combination of the swept values that it takes."""
    values = dict(_swept(context, one) for one in sweep)
    accepted = {method: set(inspect.signature(anonymizers.find(method)).parameters) for method in methods}
    wanted = [name for name, value in given.items() if value is not None and name not in _ABOUT_REFERENCE]
    for name in (*wanted, *values):
        if not any(name in taken for taken in accepted.values()):
            flag = f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{flag} is not an option of {' or '.join(methods)}; leave it out.")
    _refuse_unused(given, common, [anonymizers.find(method) for method in methods])
    plans = []
    for method in methods:
        names = [name for name in values if name in accepted[method]]
        own = {name: value for name, value in given.items() if name in accepted[method]}
        for chosen in itertools.product(*(values[name] for name in names)):
            plans.append((method, own, dict(zip(names, chosen, strict=True))))
    if len(plans) > _MOST_CONFIGURATIONS:
        raise click.UsageError(f"That makes {len(plans)} configurations; sweep at most {_MOST_CONFIGURATIONS}.")
    return [Candidate(_built(method, own | tried, given, common), _named(tried)) for method, own, tried in plans]


def _swept(context: click.Context, words: str) -> tuple[str, list[Any]]:
    """Return a parameter and the values to try, read as its option reads them."""
    name, equals, values = words.partition("=")
    name = name.strip().lstrip("-").replace("-", "_")
    options = {one.name: one for one in context.command.params if isinstance(one, click.Option)}
    takers = {
        parameter for one in anonymizers.examples().values() for parameter in inspect.signature(type(one)).parameters
    }
    if not equals or name not in takers:
        raise click.UsageError("--sweep takes a parameter of a method and its values, such as epsilon=35,40,45.")
    option = options[name]
    found = [option.type.convert(value.strip(), option, context) for value in values.split(",")]
    return name, list(dict.fromkeys(found))


def _refuse_unused(given: _Given, common: _Given, kinds: Sequence[type[Anonymizer]]) -> None:
    """Refuse what no method would look at."""
    if common["unchanged"] is not None and not any(kind.replaces_words for kind in kinds):
        raise click.UsageError("--target-unchanged is for word substitution; leave it out.")
    if common["reference"] is None and given.get("reference_label") is not None:
        raise click.UsageError("--reference-label is a column of the reference; give --reference too.")
    if common["reference"] is not None and not any(_learns(kind, given) for kind in kinds):
        raise click.UsageError("--reference is not an option of these methods as they are; leave it out.")


def _built(method: str, chosen: _Given, given: _Given, common: _Given) -> Anonymizer:
    """Build one configuration, with the reference only where it is learned from."""
    kind = anonymizers.find(method)
    settings = {**common, "reference": common["reference"] if _learns(kind, given) else None}
    if not kind.replaces_words:
        settings["unchanged"] = None
    if settings["reference"] is not None:
        chosen = chosen | {"reference_text": given.get("reference_text")}
        if kind.learns_labels(given):
            chosen["reference_label"] = given.get("reference_label")
    return build(method, chosen, **settings)


def _learns(kind: type[Anonymizer], given: _Given) -> bool:
    return kind.learns_a_vocabulary or kind.learns_labels(given)


def _named(tried: _Given) -> str:
    return ", ".join(f"{'ε' if name == 'epsilon' else name.replace('_', ' ')} {_plain(v)}" for name, v in tried.items())


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
