"""Many requests at once: a small edition of benchmarks/page_load.py."""

from __future__ import annotations

import asyncio


def test_many_connections_get_no_server_error(benchmark_script):
    page_load = benchmark_script("page_load")
    with page_load.running() as page:
        statuses, health = asyncio.run(page_load.load(page, 1_000, 128))
    assert statuses == {200: 1_000}
    assert len(health) == 250
