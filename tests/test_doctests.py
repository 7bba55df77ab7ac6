"""Examples in docstrings show the answer, so they are run."""

from __future__ import annotations

import doctest
from importlib import import_module
from importlib.util import find_spec
from pkgutil import walk_packages

import pytest

import allonym

MODULES = sorted(
    module.name for module in walk_packages(allonym.__path__, "allonym.") if not module.name.endswith("__main__")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    if name.startswith("allonym.training.") and find_spec("torch") is None:
        pytest.skip("needs the extra neural (torch)")
    failed, _ = doctest.testmod(import_module(name))
    assert failed == 0


def test_there_are_examples():
    core = [name for name in MODULES if not name.startswith("allonym.training.")]
    assert sum(doctest.testmod(import_module(name)).attempted for name in core) >= 5
