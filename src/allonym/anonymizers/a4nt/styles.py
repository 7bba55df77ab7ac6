"""The style changes that the installed models allow: a slider for each class that can be imitated."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final

from allonym import models
from allonym.anonymizers.offers import Slider
from allonym.errors import AllonymError, ParameterError
from allonym.networks.a4nt.inference import NEUTRAL

SHIPPED: Final = "a4nt-"  # begins the names of the shipped models
_STRENGTHS: Final = {"strongest": "privacy", "middle": "balanced", "closest": "meaning"}  # what is preferred


def sliders() -> Sequence[Slider]:
    """Return a slider for each target of each shipped model."""
    usable = list(_shipped())
    if not usable:
        raise ParameterError("No model for a style change is installed; the protections with a proof are.")
    return usable


def _shipped() -> Iterator[Slider]:
    for name in models.shipped():
        if not name.startswith(SHIPPED):
            continue
        try:  # its other files are checked when it is opened
            config = json.loads((models.find(name) / models.CONFIG).read_text("utf-8"))
        except AllonymError:
            continue
        short, neutral = name.removeprefix(SHIPPED), config.get("shape", {}).get("neutral", False)
        for target in [NEUTRAL] if neutral else map(str, config.get("classes", ())):
            sound = "like nobody in particular" if neutral else f"like “{target}”"
            chosen = [{"model": short, "target": target, "prefer": prefer} for prefer in _STRENGTHS.values()]
            label = f"{short.removesuffix('-' + NEUTRAL)}: sound {sound}"
            yield Slider(chosen, tuple(_STRENGTHS), label, name)
