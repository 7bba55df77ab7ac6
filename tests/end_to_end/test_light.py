"""Commands that answer from little load little: counted in modules, which are the same on every machine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from allonym import cli

HEAVY = {
    "joblib", "matplotlib", "narwhals", "nltk", "numba", "openpyxl", "pandas", "pyarrow", "pyspark", "scipy", "sklearn",
    "spacy", "starlette", "tokenizers", "torch", "transformers", "uvicorn",
}  # fmt: skip

_SCRIPT = """
import contextlib, io, json, sys
from allonym.cli import run
with contextlib.redirect_stdout(io.StringIO()):
    code = run(sys.argv[1:])
print(json.dumps([code, sorted({name.partition(".")[0] for name in sys.modules})]))
"""

LIGHT = [
    "--help", "--version", "anonymize --help", "budget --help", "budget show --help", "completion bash",
    "guarantee --help", "guard --help", "methods", "models list", "serve --help", "train --help", "train erae --help",
]  # fmt: skip


def loaded(command):
    result = subprocess.run(
        [sys.executable, "-c", _SCRIPT, *command.split()], capture_output=True, text=True, check=True
    )
    code, modules = json.loads(result.stdout)
    assert code == 0
    return set(modules)


@pytest.mark.parametrize("command", LIGHT)
def test_a_light_command_loads_no_heavy_library(command):
    assert not loaded(command) & HEAVY


def test_what_is_loaded_is_seen():
    assert "numpy" in loaded("anonymize --help")


@pytest.mark.parametrize("command", ["budget --help", "guarantee --help", "methods", "models list"])
def test_numpy_waits_until_it_is_needed(command):
    assert "numpy" not in loaded(command)


def test_help_names_every_command_and_what_it_does():
    files = {path.stem for path in Path(cli.__file__).parent.iterdir() if "command" in _defined(path)}
    assert files == set(cli._COMMANDS)
    for name in cli._COMMANDS:
        assert cli.group.get_command(None, name).get_short_help_str(200) == cli._COMMANDS[name]


def _defined(path):
    source = path / "__init__.py" if path.is_dir() else path
    is_source = source.suffix == ".py" and source.exists()  # the folder of compiled modules has none
    return ["command"] if is_source and "def command(" in source.read_text("utf-8") else []
