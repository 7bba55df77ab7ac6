"""Many requests at once: a small edition of benchmarks/page_load.py."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def page_load(monkeypatch):
    if not BENCHMARKS.is_dir():
        pytest.skip("the benchmarks are not here")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    found = importlib.util.spec_from_file_location("page_load", BENCHMARKS / "page_load.py")
    module = importlib.util.module_from_spec(found)
    monkeypatch.setitem(sys.modules, "page_load", module)
    found.loader.exec_module(module)
    return module


def test_many_connections_get_no_server_error(page_load):
    with page_load.running() as page:
        statuses, health = asyncio.run(page_load.load(page, 1_000, 128))
    assert statuses == {200: 1_000}
    assert len(health) == 250
