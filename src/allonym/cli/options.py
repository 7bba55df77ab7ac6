"""Options of the methods, made from the parameters of the anonymizers, so that a new one needs no code here.

`make man` stores what there is to say of them, so that a command whose help is asked for loads none of them.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from allonym import anonymizers
from allonym.cli import told
from allonym.cli.guiding import KindChoice
from allonym.errors import InputError
from allonym.formats.base import table_suffixes
from allonym.formats.files import open_documents

if TYPE_CHECKING:
    from allonym.anonymizers.base import Anonymizer

_UNCHANGED = "Choose ε so that, on average, this share of the words stays as it is. [{replacing}]"
_REFERENCE = (
    "Public texts to learn from (a file or folder, but never the input itself): the vocabulary [{learning}] or, with "
    "--reference-label, what tells their labels apart [{labelled}]."
)
_REFERENCE_LABEL = "Column of the reference with the label of each text. [{labelled}]"
_REFERENCE_TEXT = "Column of the reference with the texts; by default the one --text names."

_ALSO = {"source": ["--from"], "target": ["--to"]}  # shorter names of options
_TYPES = {"bool": bool, "int": int, "float": float, "str": str}

_Command = TypeVar("_Command", bound=Callable[..., Any])


def method_options(command: _Command, *names: str, words: str = "How to protect the texts.", **more: Any) -> _Command:  # noqa: ANN401
    """Add --method and one option for every parameter of any method."""
    choice = KindChoice(told.kept()["methods"])
    option = click.option("--method", *names, type=choice, help=words, **({"required": True} | more))
    return option(parameter_options(command))


def several_method_options(command: _Command) -> _Command:
    """Add --method, which may be repeated or left out, and one option for every parameter of any method."""
    words = "How to protect the texts; may be repeated. Options apply to the methods that take them."
    return method_options(command, "methods", words=words, multiple=True, required=False)


def parameter_options(command: _Command) -> _Command:
    """Add one option for every parameter of any method."""
    methods = told.kept()
    for name, parameter in sorted(methods["parameters"].items(), reverse=True):
        is_switch = parameter["type"] == "bool"
        flags = [f"{_flag(name)}/--no-{_flag(name)[2:]}" if is_switch else _flag(name), *_ALSO.get(name, ())]
        kind = _TYPES.get(parameter["type"]) or click.Choice(parameter["choices"])
        command = click.option(*flags, name, default=None, help=parameter["help"], type=kind)(command)
    who = {what: ", ".join(names) for what, names in methods["able"].items()}
    command = click.option("--reference-text", help=_REFERENCE_TEXT)(command)
    command = click.option("--reference-label", help=_REFERENCE_LABEL.format(**who))(command)
    command = click.option("--reference", help=_REFERENCE.format(**who))(command)
    return click.option("--target-unchanged", type=float, help=_UNCHANGED.format(**who))(command)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


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
