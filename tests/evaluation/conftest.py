"""Tests of evaluations run without the sentence encoder, which takes seconds; one brings its own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from allonym import metrics


@pytest.fixture(autouse=True)
def _no_encoder(monkeypatch):
    known = metrics.measures()
    without = known | {"meaning": replace(known["meaning"], missing=lambda: "It is not here.")}
    monkeypatch.setattr(metrics, "measures", lambda: without)
