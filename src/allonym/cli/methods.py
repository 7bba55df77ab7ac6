"""Options of the methods, made from the parameters of the anonymizers, so that a new one needs no code here."""

from __future__ import annotations

import inspect
import os
import types
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import click

from allonym import anonymizers
from allonym.anonymizers.base import Anonymizer
from allonym.anonymizers.word_substitution import WordSubstitution
from allonym.errors import InputError
from allonym.jobs.files import open_documents

_UNCHANGED = "Find ε so that this share of words stays as it is on average. [exponential, laplace]"
_REFERENCE = "Public texts to learn the vocabulary from (a file or folder as INPUT, never INPUT itself). [syntf]"

_Command = TypeVar("_Command", bound=Callable[..., Any])


def method_options(command: _Command) -> _Command:
    """Add --method and one option for every parameter of any method."""
    takers: dict[str, list[str]] = {}
    options: dict[str, Any] = {}
    for method, example in sorted(anonymizers.examples().items()):
        hints = get_type_hints(type(example).__init__)
        for name in inspect.signature(type(example)).parameters:
            takers.setdefault(name, []).append(method)
            options.setdefault(name, _settings(hints[name]))
    for name in sorted(options, reverse=True):
        flag = f"--{name.replace('_', '-')}"
        flags = (f"{flag}/--no-{flag[2:]}",) if options[name].get("type") is bool else (flag,)
        command = click.option(*flags, name, default=None, help=_help(name, takers[name]), **options[name])(command)
    command = click.option("--reference", help=_REFERENCE)(command)
    command = click.option("--target-unchanged", type=float, help=_UNCHANGED)(command)
    choice = click.Choice(sorted(anonymizers.examples()))
    return click.option("--method", type=choice, required=True, help="How to protect the texts.")(command)


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

    Args:
        method: Its name.
        given: Values of the options; None was not given.
        reference: Public texts to learn a vocabulary from.
        unchanged: Share of words to leave as they are, from which ε is then found.
        source: The input, which must not be the reference.
        text: Name of the text column, if the reference is a table.
    """
    kind = anonymizers.find(method)
    chosen = {name: value for name, value in given.items() if value is not None}
    accepted = inspect.signature(kind).parameters
    for name in chosen:
        if name not in accepted:
            flag = f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{flag} is not an option of the method {method}; leave it out.")
    if unchanged is not None:
        if not issubclass(kind, WordSubstitution) or "epsilon" in chosen:
            raise click.UsageError("--target-unchanged is for word substitution, and in the place of --epsilon.")
        chosen["epsilon"] = kind(**{**chosen, "epsilon": 1.0}).epsilon_for_unchanged(unchanged)
    for name, parameter in accepted.items():
        if parameter.default is inspect.Parameter.empty and name not in chosen:
            raise click.UsageError(f"The method {method} needs --{name.replace('_', '-')}; choose a value.")
    anonymizer = kind(**chosen)
    if reference is None:
        return anonymizer
    if not kind.learns_a_vocabulary:
        raise click.UsageError(f"--reference is not an option of the method {method}; leave it out.")
    if source not in (None, "-") and os.path.exists(reference) and os.path.samefile(reference, str(source)):
        raise InputError("The reference is the input itself, which its vocabulary would give away; use other texts.")
    columns = open_documents(reference, text=text)
    return anonymizer.fit([document for batch in columns for document in batch.texts])


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
    """Return the line about a parameter in its class's docstring, so that help and reference cannot differ."""
    lines = inspect.cleandoc(anonymizers.find(method).__doc__ or "").splitlines()
    for number, line in enumerate(lines):
        if line.strip().startswith(f"{name}: "):
            text = line.strip().partition(": ")[2]
            for more in lines[number + 1 :]:
                if not more.startswith(" " * 8):
                    break
                text += f" {more.strip()}"
            return text
    return ""
