"""For all tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

# Two workers with two threads each on two cores spend their time waiting for each other, in torch above all.
# Set before torch and the matrix libraries are loaded, and inherited by the programs that tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")

PATIENCE = 900.0  # seconds; a loaded machine takes its time, so a limit is there to end what hangs and for nothing else


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
