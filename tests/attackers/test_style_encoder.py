"""The attacker with the style encoder; what holds for every attacker is in tests/contract."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from allonym import models
from allonym.attackers.style_encoder import StyleEncoder
from allonym.errors import ModelError, ParameterError

TEXTS = [
    "Well, I suppose the train was fine; however, it was late!",
    "Well, I suppose the dinner was fine; however, it was cold!",
    "the garden is good. the letter is bad. i go home.",
    "the market is good. the lesson is bad. i eat.",
    "WHAT a concert?! Nobody told me, did they?",
    "WHAT a picture?! Nobody asked me, did they?",
]
AUTHORS = ["anna", "anna", "boris", "boris", "clara", "clara"]


@pytest.mark.parametrize("classifier", ["svm", "logistic", "nearest"])
@pytest.mark.parametrize("known", [2, 6])
def test_every_classifier_names_the_writer(classifier, known):
    authors = AUTHORS if known == 6 else AUTHORS[:4]
    attacker = StyleEncoder(classifier=classifier).fit(TEXTS[: len(authors)], authors)
    assert attacker.predict(["Well, I suppose the tea was fine; however..."]).tolist() == ["anna"]
    assert attacker.decision_function(TEXTS).shape == (6, len(set(authors)))


def test_one_known_text_of_each_writer_is_enough():
    attacker = StyleEncoder().fit(TEXTS[::2], AUTHORS[::2])
    assert attacker.predict(TEXTS[1::2]).tolist() == AUTHORS[1::2]


def test_texts_without_a_word_can_be_known():
    attacker = StyleEncoder(classifier="nearest").fit(["", " ", *TEXTS], ["nobody", "nobody", *AUTHORS])
    assert np.isfinite(attacker.decision_function(["", "a text"])).all()


def test_what_cannot_be_is_refused():
    with pytest.raises(ParameterError, match="svm, logistic, nearest"):
        StyleEncoder(classifier="oracle")
    with pytest.raises(ModelError, match="style-encoder"):
        StyleEncoder(model="words-en").fit(TEXTS, AUTHORS)


def test_it_needs_no_torch():
    script = "import sys\nfrom allonym.attackers.style_encoder import StyleEncoder\n"
    script += f"StyleEncoder().fit({TEXTS!r}, {AUTHORS!r})\nprint('torch' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"


def test_published_figures_are_those_that_were_measured():
    root = Path(__file__).resolve().parents[2]
    results = json.loads((root / "results" / "style_encoder.json").read_text("utf-8"))
    pages = [(root / "docs" / "attackers.md").read_text("utf-8"), models.verify("style-encoder-en").card]
    cells: dict[tuple[str, int, int], list[str]] = {}
    for row in results["rows"]:
        place = (row["corpus"], row["authors"], row["known"])
        cells.setdefault(place, []).append(f"{row['accuracy']['value']:.3f}")
    for (corpus, authors, known), figures in cells.items():
        line = "| " + " | ".join([corpus, str(authors), str(known), *figures]) + " |"
        assert all(line in page for page in pages)
    assert results["model"]["balance"] == models.verify("style-encoder-en").config["balance"]
