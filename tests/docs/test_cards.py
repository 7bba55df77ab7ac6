"""Model cards: the figures they state are those of the model's own configuration, or of the results they come from."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from safetensors.numpy import load_file

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import build_bloggers  # noqa: E402
import build_style_profile  # noqa: E402
from ship_style_encoder import table  # noqa: E402

MODELS = ROOT / "src" / "allonym" / "models"


def card_and_config(name: str):
    return (MODELS / name / "CARD.md").read_text("utf-8"), json.loads(
        (MODELS / name / "config.json").read_text("utf-8")
    )


@pytest.mark.parametrize("name", ["a4nt-age", "a4nt-age-neutral", "a4nt-gender", "a4nt-speech"])
def test_a4nt(name):
    card, config = card_and_config(name)
    held_out = config["held_out"]
    for title, figure in (
        ("sentences the judge gives to their true class", "sentences"),
        ("writers it gives to their true class", "documents"),
        ("loss of the language model a word", "language"),
    ):
        assert f"| {title} | {held_out[f'{figure}_before']:.3f} | {held_out[f'{figure}_after']:.3f} |" in card
    assert f"| words kept | | {held_out['kept']:.3f} |" in card
    assert f"float32; {(MODELS / name / 'weights.safetensors').stat().st_size / 1e6:.1f} MB |" in card
    assert f"log-odds is {config['balance']:g} " in card


def test_erae():
    card, config = card_and_config("erae-en")
    for title, figure in config["held_out"].items():
        assert f"| {title} | {figure} |" in card
    flowing, rounding = " ".join(card.split()), config["rounding"]
    for share in ("same_first", "accuracy", "accuracy_before", "shared_of_five", "probability_moved"):
        assert f"{rounding[share]:.2%}" in flowing
    assert f"{rounding['sentences']} held-out sentences ({rounding['steps']:,} steps)" in flowing


def test_style_profile():
    card, config = card_and_config("style-en")
    assert card == build_style_profile.card(config, load_file(MODELS / "style-en" / "weights.safetensors"))


def test_bloggers():
    card, config = card_and_config("bloggers-en")
    assert card == build_bloggers.card(config)


def test_style_encoder():
    card, _ = card_and_config("style-encoder-en")
    assert table(json.loads((ROOT / "results" / "style_encoder.json").read_text("utf-8"))) in card
