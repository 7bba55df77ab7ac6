"""A fresh ledger, and the way to the module that the tests here share."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from allonym.budget.ledger import Ledger

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "ledger") as opened:
        yield opened
