"""Options of the methods, made from the parameters of the anonymizers, so that a new one needs no code here."""

from __future__ import annotations

import inspect
import os
import re
import types
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import click

from allonym import anonymizers
from allonym.anonymizers.base import Anonymizer
from allonym.errors import InputError
from allonym.formats.base import table_suffixes
from allonym.formats.files import open_documents

_UNCHANGED = "Choose ε so that, on average, this share of the words stays as it is. [{replacing}]"
_REFERENCE = (
    "Public texts to learn from (a file or folder, but never the input itself): the vocabulary [{learning}] or, with "
    "--reference-label, what tells their labels apart [{labelled}]."
)
_REFERENCE_LABEL = "Column of the reference with the label of each text. [{labelled}]"
_REFERENCE_TEXT = "Column of the reference with the texts; by default the one --text names."

_ALSO = {"source": ["--from"], "target": ["--to"]}  # shorter names of options

_Command = TypeVar("_Command", bound=Callable[..., Any])


def method_options(command: _Command, *names: str, words: str = "How to protect the texts.", **more: Any) -> _Command:  # noqa: ANN401
    """Add --method and one option for every parameter of any method."""
    choice = click.Choice(sorted(anonymizers.examples()))
    option = click.option("--method", *names, type=choice, help=words, **({"required": True} | more))
    return option(parameter_options(command))


def several_method_options(command: _Command) -> _Command:
    """Add --method, which may be repeated or left out, and one option for every parameter of any method."""
    words = "How to protect the texts; may be repeated. Options apply to the methods that take them."
    return method_options(command, "methods", words=words, multiple=True, required=False)


def parameter_options(command: _Command) -> _Command:
    """Add one option for every parameter of any method."""
    takers: dict[str, list[str]] = {}
    options: dict[str, Any] = {}
    for method, example in sorted(anonymizers.examples().items()):
        hints = get_type_hints(type(example).__init__)
        for name in inspect.signature(type(example)).parameters:
            takers.setdefault(name, []).append(method)
            options.setdefault(name, _settings(hints[name]))
    for name in sorted(options, reverse=True):
        is_switch = options[name].get("type") is bool
        flags = [f"{_flag(name)}/--no-{_flag(name)[2:]}" if is_switch else _flag(name), *_ALSO.get(name, ())]
        command = click.option(*flags, name, default=None, help=_help(name, takers[name]), **options[name])(command)
    who = _takers()
    command = click.option("--reference-text", help=_REFERENCE_TEXT)(command)
    command = click.option("--reference-label", help=_REFERENCE_LABEL.format(**who))(command)
    command = click.option("--reference", help=_REFERENCE.format(**who))(command)
    return click.option("--target-unchanged", type=float, help=_UNCHANGED.format(**who))(command)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _takers() -> dict[str, str]:
    """Return which methods can do what."""
    kinds = {name: type(example) for name, example in sorted(anonymizers.examples().items())}
    able = {
        "replacing": [name for name, kind in kinds.items() if kind.replaces_words],
        "learning": [name for name, kind in kinds.items() if kind.learns_a_vocabulary],
        "labelled": [name for name, kind in kinds.items() if kind.learns_from_labels],
    }
    return {what: ", ".join(names) for what, names in able.items()}


def build(
    method: str,
    given: dict[str, Any],
    *,
    reference: str | None,
    unchanged: float | None,
    source: str | None = None,
    text: str | None = None,
) -> Anonymizer:
    """Return the anonymizer with the parameters of the command line, fitted to the reference texts if there are any.

    `given` has all options by name, those of the reference's columns too; None was not given. ε follows from
    `unchanged`, the share of words to leave as they are. The reference must not be `source`, the input.
    """
    kind = anonymizers.find(method)
    chosen = {name: value for name, value in given.items() if value is not None}
    label, text = chosen.pop("reference_label", None), chosen.pop("reference_text", text)
    accepted = inspect.signature(kind).parameters
    for name in chosen:
        if name not in accepted:
            raise click.UsageError(f"{_flag(name)} is not an option of the method {method}; leave it out.")
    if unchanged is not None:
        if not kind.replaces_words or "epsilon" in chosen:
            raise click.UsageError("--target-unchanged is for word substitution, in place of --epsilon.")
        chosen["epsilon"] = kind(**{**chosen, "epsilon": 1.0}).epsilon_for_unchanged(unchanged)
    for name, parameter in accepted.items():
        if parameter.default is inspect.Parameter.empty and name not in chosen:
            raise click.UsageError(f"The method {method} needs {_flag(name)}; choose a value.")
    anonymizer = kind(**chosen)
    _check_reference(anonymizer, reference, label)
    if reference is None:
        return anonymizer
    if source not in (None, "-") and os.path.exists(reference) and os.path.samefile(reference, str(source)):
        raise InputError(
            "The reference is the input itself, and what is learned from it gives it away; use other texts."
        )
    if label is None:
        columns = open_documents(reference, text=text)
        return anonymizer.fit([document for batch in columns for document in batch.texts])
    return anonymizer.fit(*_labelled(reference, text, label))


def _check_reference(anonymizer: Anonymizer, reference: str | None, label: str | None) -> None:
    """Refuse what the method cannot learn from, and a method that has nothing to learn from."""
    method = anonymizer.method
    asked = anonymizer.learns_labels(anonymizer.get_params(deep=False))
    if asked and (reference is None or label is None):
        options = _options_for_labels(anonymizer)
        raise click.UsageError(f"{options} needs labelled texts: give --reference and --reference-label.")
    if label is not None and not asked:
        options = _options_for_labels(anonymizer)
        way_out = f"give {options} too" if options else "leave it out"
        raise click.UsageError(f"The method {method} has no use for --reference-label with these settings; {way_out}.")
    if reference is not None and not asked and not anonymizer.learns_a_vocabulary:
        raise click.UsageError(f"The method {method} has no use for --reference with these settings; leave it out.")


def _options_for_labels(anonymizer: Anonymizer) -> str:
    """Return the option by which an anonymizer can learn from labels; empty if it cannot."""
    wanted = anonymizer.learns_from_labels.items()
    return " or ".join(_flag(name) if value is None else f"{_flag(name)} {value}" for name, value in wanted)


def _labelled(reference: str, text: str | None, label: str) -> tuple[list[str], list[str]]:
    """Return the texts of a table and the label of each."""
    if not reference.lower().endswith(table_suffixes()):
        raise click.UsageError(
            f"--reference-label names a column, so the reference must be one of {', '.join(table_suffixes())}."
        )
    if label == text:
        raise click.UsageError("--reference-label and the text column must be different columns.")
    try:
        batches = list(open_documents(reference, text=text, author=label))
    except InputError as error:
        raise InputError(str(error).replace("--text", "--reference-text")) from error
    labels = [name for batch in batches for name in batch.authors or []]
    if "" in labels:
        raise InputError("A row of the reference has no label; fill the label column or leave the row out.")
    return [document for batch in batches for document in batch.texts], labels


def _settings(hint: object) -> dict[str, Any]:
    """Return how click should read a parameter of this type."""
    choices = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    for choice in choices:
        if get_origin(choice) is Literal:
            return {"type": click.Choice(get_args(choice))}
    for plain in (bool, int, float):
        if plain in choices:
            return {"type": plain}
    return {"type": str}


def _help(name: str, methods: Sequence[str]) -> str:
    """Return what a parameter means, once for all methods that say the same of it."""
    meanings: dict[str, list[str]] = {}
    for method in methods:
        meanings.setdefault(_described(name, method), []).append(method)
    return " ".join(f"{meaning} [{', '.join(takers)}]" for meaning, takers in meanings.items())


def _described(name: str, method: str) -> str:
    """Return the line about a parameter in its class's docstring, or in that of the class it inherits from."""
    for kind in anonymizers.find(method).__mro__:
        words = inspect.cleandoc(kind.__doc__ or "")
        if line := re.search(rf"^ +{name}: (.*(?:\n {{8}}.*)*)", words, re.MULTILINE):
            return " ".join(line.group(1).split())
    return ""
