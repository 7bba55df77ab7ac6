"""What `evaluate` and `tune` compare and who attacks it, as the command line says."""

from __future__ import annotations

import inspect
import itertools
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import click

from allonym import anonymizers, attackers, metrics
from allonym.anonymizers.base import Anonymizer
from allonym.attackers.base import Attacker
from allonym.attackers.panel import default_panel, missing_from_panel, quick_panel
from allonym.cli.options import build, several_method_options
from allonym.cli.talk import Talk
from allonym.evaluation.candidates import Candidate, Column, Method, Program
from allonym.evaluation.evaluate import DRAWS, Evaluation, Progress, evaluate
from allonym.evaluation.sample import FEWEST_DOCUMENTS, MOST_AUTHORS, MOST_DOCUMENTS, Sample, read_sample
from allonym.jobs.command import TIMEOUT, Command
from allonym.metrics.base import Measure

_MOST_CONFIGURATIONS = 100
_ABOUT_REFERENCE = ("reference_label", "reference_text")
_COMPARING = (
    *("methods", "sweep", "commands", "timeout", "draws", "panel", "names", "classes", "further", "insecure_seed"),
    *("reference", "target_unchanged"),
)

_Given = dict[str, Any]
_Function = TypeVar("_Function", bound=Callable[..., Any])


def _count(flag: str, least: int, default: int, about: str) -> Callable[[_Function], _Function]:
    """Return an option that takes a whole number."""
    return click.option(flag, type=click.IntRange(least), default=default, show_default=True, help=about)


_TABLE = (
    click.argument("table", metavar="TABLE"),
    click.option("--text", help="Column with the texts; may be left out if only one column holds texts."),
    click.option("--author", required=True, help="Column with the authors."),
    click.option("--label", help="Column with what an analyst wants to learn, such as the topic."),
    _count("--max-authors", 2, MOST_AUTHORS, "Keep at most this many authors."),
    _count("--max-documents", 2 * FEWEST_DOCUMENTS, MOST_DOCUMENTS, "Keep at most this many documents."),
)
_COMPARED = (
    click.option(
        "--sweep",
        multiple=True,
        help="Values to try, such as epsilon=35,40,45 or, for one method, syntf.epsilon=35,40,45; may be repeated.",
    ),
    click.option(
        "--command",
        "commands",
        multiple=True,
        help="A program to measure: it reads one document per line and writes one line for each; "
        "{draw} in it is the number of the run.",
    ),
    click.option("--timeout", type=float, default=TIMEOUT, show_default=True, help="Seconds a --command may take."),
    _count("--draws", 1, DRAWS, "How often every configuration is drawn; intervals are over draws and documents."),
    click.option(
        "--panel",
        type=click.Choice(["full", "quick"]),
        default="full",
        show_default=True,
        help="All attackers, or a few that answer in a minute and miss what stronger ones find.",
    ),
    click.option("--attackers", "names", help="Use only these attackers, with commas between them."),
    click.option(
        "--attacker",
        "classes",
        multiple=True,
        metavar="MODULE:CLASS",
        help="One more attacker: any scikit-learn classifier over texts, such as a Pipeline; may be repeated.",
    ),
    click.option(
        "--measures", "further", help="Further measures of usefulness, with commas between them, such as perplexity."
    ),
    click.option(
        "--insecure-seed", type=int, help="Make the run repeatable, for experiments: it then promises nothing."
    ),
)


def comparing_options(command: _Function) -> _Function:
    """Add the options that say what is compared, on which table and by whom."""
    command = several_method_options(command)
    for option in reversed((*_TABLE, *_COMPARED)):
        command = option(command)
    return command


@dataclass(frozen=True)
class ComparedTable:
    """The table on which everything is compared: its columns, and how much of it is used."""

    path: str
    text: str | None
    author: str
    label: str | None
    max_authors: int
    max_documents: int

    @classmethod
    def taken(cls, given: _Given) -> Self:
        """Take out of `given` what the options of `comparing_options` say of the table."""
        names = ("table", "text", "author", "label", "max_authors", "max_documents")
        return cls(*(given.pop(name) for name in names))

    def sample(self, talk: Talk, **columns: Any) -> Sample:  # noqa: ANN401 - further ones, as read_sample takes them
        """Read the table, and say what was left out."""
        sample = read_sample(
            self.path,
            text=self.text,
            author=self.author,
            label=self.label,
            max_authors=self.max_authors,
            max_documents=self.max_documents,
            **columns,
        )
        for note in sample.notes:
            talk.say(note)
        return sample


@dataclass(frozen=True)
class ComparedMethods:
    """What is compared, and by whom."""

    candidates: list[Candidate]
    attackers: list[Attacker]
    measures: list[Measure]  # of use
    draws: int  # of each configuration
    seed: int | None  # of a repeatable run
    quick: bool  # whether the panel is the quick one
    not_asked: dict[str, str]  # attackers of the full panel that lack something, with what to install

    @classmethod
    def of(
        cls,
        context: click.Context,
        given: _Given,
        *,
        table: ComparedTable,
        released: Sequence[str] = (),
        offered: bool = False,
    ) -> Self:
        """Return what is compared, by the options of `comparing_options`; `given` holds the methods' parameters, too.

        With `offered`, a method that nothing is swept of is tried in all settings that people are offered.
        """
        asked = {name: given.pop(name) for name in _COMPARING} | {"offered": offered, "released": released}
        common = {
            "reference": asked["reference"],
            "unchanged": asked["target_unchanged"],
            "source": table.path,
            "text": table.text,
        }
        attackers = _panel(asked["panel"], asked["names"], asked["classes"])
        candidates = _candidates(context, asked, given, common)
        quick = asked["panel"] == "quick" and asked["names"] is None
        not_asked = missing_from_panel() if asked["panel"] == "full" and asked["names"] is None else {}
        measures, draws, seed = _measures(asked["further"]), asked["draws"], asked["insecure_seed"]
        return cls(candidates, attackers, measures, draws, seed, quick, not_asked)

    def evaluated(self, talk: Talk, sample: Sample, candidates: Sequence[Candidate] | None = None) -> Evaluation:
        """Measure everything, or some of it, and tell what it cost."""
        for name, lack in self.not_asked.items():
            talk.say(f"The attacker {name} is not asked: {lack}")
        with _measuring(talk) as progress:
            evaluation = evaluate(
                sample,
                self.candidates if candidates is None else candidates,
                self.attackers,
                measures=self.measures,
                draws=self.draws,
                seed=self.seed,
                progress=progress,
            )
        slowest = sorted(evaluation.seconds.items(), key=lambda item: -item[1])
        took = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in slowest)
        quick = " This was the quick panel; the full one finds more." if self.quick else ""
        talk.say(f"Processor time of the attackers: {took}.{quick}")
        return evaluation


def _panel(kind: str, names: str | None, classes: Sequence[str]) -> list[Attacker]:
    """Return the attackers that were asked for, all of which must be there."""
    if names is not None:
        asked = [attackers.make(name.strip()) for name in names.split(",")]
    else:
        asked = quick_panel() if kind == "quick" else default_panel()
    _refuse_lacks(asked)
    return [*asked, *(attackers.foreign(name) for name in classes)]


def _refuse_lacks(parts: Iterable[Attacker | Measure | Anonymizer]) -> None:
    """Refuse, before hours of measuring, what needs a package that is not installed."""
    for part in parts:
        if lack := part.missing():
            raise click.UsageError(lack)


def _measures(further: str | None) -> list[Measure]:
    """Return the usual measures and those asked for, all of which must be there."""
    known = metrics.measures()
    names = [] if further is None else [name.strip() for name in further.split(",")]
    for name in names:
        if name not in known:
            raise click.UsageError(f"There is no measure of that name; choose among: {', '.join(known)}.")
    _refuse_lacks(known[name] for name in names)
    return [measure for name, measure in known.items() if measure.usual or name in names]


@contextmanager
def _measuring(talk: Talk) -> Iterator[Progress]:
    """Show a bar with the time left, on a terminal."""
    hidden = talk.quiet or not sys.stderr.isatty()
    with click.progressbar(length=1, label="Measuring", file=sys.stderr, hidden=hidden) as bar:

        def progress(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        yield progress


def _candidates(context: click.Context, asked: _Given, given: _Given, common: _Given) -> list[Candidate]:
    """Return every method with every combination of the swept values it takes, every program and every column."""
    if not (asked["methods"] or asked["commands"] or asked["released"]):
        raise click.UsageError("Name what to measure: --method or --command.")
    programs = [Program(Command(line, timeout=asked["timeout"]), " ".join(line.split())) for line in asked["commands"]]
    plans = _plans(
        list(dict.fromkeys(asked["methods"])),
        given,
        [_swept(context, words) for words in asked["sweep"]],
        common,
        offered=asked["offered"],
    )
    number = len(plans) + len(programs) + len(asked["released"])
    if number > _MOST_CONFIGURATIONS:
        raise click.UsageError(f"That makes {number} configurations; sweep at most {_MOST_CONFIGURATIONS}.")
    _refuse_lacks(anonymizers.examples()[name] for name, _, _ in plans)
    built = [Method(_built(name, fixed | tried, given, common), _named(tried)) for name, fixed, tried in plans]
    return [*built, *programs, *(Column(name) for name in asked["released"])]


def _plans(
    methods: list[str],
    given: _Given,
    sweeps: Sequence[tuple[str | None, str, list[Any]]],
    common: _Given,
    *,
    offered: bool,
) -> list[tuple[str, _Given, _Given]]:
    """Return each method with its fixed parameters and those that are tried."""
    accepted = {method: set(inspect.signature(anonymizers.find(method)).parameters) for method in methods}
    wanted = [(None, name) for name, value in given.items() if value is not None and name not in _ABOUT_REFERENCE]
    for method, name in (*wanted, *((method, name) for method, name, _ in sweeps)):
        if not any(method in (None, taker) and name in accepted[taker] for taker in methods):
            flag = f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{flag} is not an option of {method or ' or '.join(methods)}; leave it out.")
    _refuse_unused(given, common, [anonymizers.find(method) for method in methods])
    plans = []
    for method in methods:
        values = {name: tried for only, name, tried in sweeps if only in (None, method) and name in accepted[method]}
        fixed = {name: value for name, value in given.items() if name in accepted[method]}
        tried = [dict(zip(values, chosen, strict=True)) for chosen in itertools.product(*values.values())]
        if offered and not values:
            chosen = {name for name, value in fixed.items() if value is not None}
            tried = [
                {name: value for name, value in position.items() if name not in chosen} for position in _offered(method)
            ]
        plans += [(method, fixed, each) for each in tried]
    return plans


def _offered(method: str) -> list[_Given]:
    """Return the settings that people are offered a method in; its own ones if nobody is."""
    positions = [
        dict(position)
        for offer in anonymizers.examples()[method].offers()
        for slider in offer.sliders()
        for position in slider.positions
    ]
    return positions or [{}]


def _swept(context: click.Context, words: str) -> tuple[str | None, str, list[Any]]:
    """Return a method or None for all, a parameter, and the values to try, read as its option reads them."""
    name, equals, values = words.partition("=")
    method, dot, name = name.strip().rpartition(".")
    name = name.strip().lstrip("-").replace("-", "_")
    options = {option.name: option for option in context.command.params if isinstance(option, click.Option)}
    known = anonymizers.examples()
    takers = {parameter for example in known.values() for parameter in inspect.signature(type(example)).parameters}
    if not equals or name not in takers or (dot and method not in known):
        raise click.UsageError(
            "--sweep takes a parameter of a method and its values, such as epsilon=35,40,45 or syntf.epsilon=35,40."
        )
    option = options[name]
    tried = [option.type.convert(value.strip(), option, context) for value in values.split(",")]
    return method or None, name, list(dict.fromkeys(tried))


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
