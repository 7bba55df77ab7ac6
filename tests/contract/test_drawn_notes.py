"""The contract of every anonymizer, run on Ghostwriter with a loss: it needs a trained folder, so no file finds it."""

from __future__ import annotations

import inspect

import pytest

from allonym import Ghostwriter
from allonym.randomness import insecure, secure
from tests.contract import test_anonymizers as contract

VALUES = {"stream": [secure, lambda: insecure(1)], "size": [1, 5]}
TESTS = {
    name: test
    for name, test in vars(contract).items()
    if name.startswith("test_") and "example" in inspect.signature(test).parameters
}


@pytest.fixture(scope="module")
def example(small_writer):
    return Ghostwriter(model=str(small_writer), loss_per_word=2.0, notes=10)


def test_the_contract_is_all_there():
    assert len(TESTS) >= 18


@pytest.mark.parametrize("name", TESTS)
def test_notes_keep(name, example, monkeypatch):
    monkeypatch.setattr(contract.anonymizers, "examples", lambda: {example.method: example})
    further = [parameter for parameter in inspect.signature(TESTS[name]).parameters if parameter in VALUES]
    for value in VALUES[further[0]] if further else [None]:
        TESTS[name](example, **({further[0]: value} if further else {}))
