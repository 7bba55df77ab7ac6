"""Help and the global options: every command and option is named, and what is unknown is refused."""

from __future__ import annotations

import inspect

import pytest

from allonym import anonymizers

METHODS = sorted(anonymizers.examples())


def test_help_names_every_command_and_option(command):
    overview = command("--help").done()
    assert overview.err == ""
    for name in ("anonymize", "guarantee", "models", "--json", "--quiet", "--no-color", "--version"):
        assert name in overview.out
    assert command("-h").out == overview.out
    every = {name for method in METHODS for name in inspect.signature(anonymizers.find(method)).parameters}
    of_methods = {f"--{name.replace('_', '-')}" for name in every} | {"--method", *METHODS}
    shared = {"--json", "--quiet", "--no-color"}
    job = {"--output", "-o", "--text", "--id", "--author", "--keep", "--force", "--dry-run", "--insecure-seed"}
    for name, expected in {
        "anonymize": of_methods | shared | job,
        "guarantee": of_methods | shared | {"--documents", "--delta"},
        "models": shared | {"list", "verify"},
        "models list": shared,
        "models verify": shared,
    }.items():
        helped = command(*name.split(), "--help").done()
        assert helped.err == ""
        assert {word for word in expected if word not in helped.out} == set(), name


def test_every_option_of_a_method_is_explained(command):
    helped = " ".join(command("anonymize", "--help").out.split())
    for text in ("Output words of each document", "ε of the exponential mechanism", "WordNet synonyms", "The public"):
        assert text in helped


@pytest.mark.parametrize(
    "line", [["magic"], ["anonymise", "x.txt"], ["--magic"], ["models", "magic"], ["models", "list", "x"]]
)
def test_unknown_commands_are_refused(line, command):
    command(*line).refused()


@pytest.mark.parametrize("line", [[], ["models"]])
def test_no_command_shows_the_help_as_an_error(line, command):
    result = command(*line)
    assert (result.code, result.out) == (2, "")
    assert "Usage: " in result.err


@pytest.mark.parametrize(
    "line",
    [["guarantee", "--method", "identity"], ["models", "list"], ["models", "verify"], ["anonymize", "-", "SYNTF"]],
)
def test_json_stands_anywhere_and_is_alone_on_stdout(line, command, syntf):
    line = [part for word in line for part in (syntf if word == "SYNTF" else [word])]
    for spelled in (["--json", *line], [*line, "--json"], ["--json", *line, "--json", "--no-color"]):
        result = command(*spelled, stdin=b"people").done()
        assert isinstance(result.json, dict | list)
        assert "\x1b" not in result.out + result.err
    if line[0] == "models":
        assert command("models", "--json", *line[1:]).json
