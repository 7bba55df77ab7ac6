"""For all tests."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

# Two workers with two threads each on two cores spend their time waiting for each other, in torch above all.
# Set before torch and the matrix libraries are loaded, and inherited by the programs that tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")

PATIENCE = 900.0  # seconds; a loaded machine takes its time, so a limit is there to end what hangs and for nothing else

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture
def benchmark_script(monkeypatch):
    """Take a script of the benchmarks as a module."""

    def take(name: str):
        if not BENCHMARKS.is_dir():
            pytest.skip("the benchmarks are not here")
        monkeypatch.syspath_prepend(str(BENCHMARKS))
        found = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{name}.py")
        module = importlib.util.module_from_spec(found)
        monkeypatch.setitem(sys.modules, name, module)
        found.loader.exec_module(module)
        return module

    return take


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Keep torch to one thread: on busy cores its threads wait for each other longer than such small sums take."""
    if find_spec("torch") is None:
        yield
        return
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
