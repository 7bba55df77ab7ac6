"""What `from allonym import metrics` gives, and that it costs nothing to ask."""

from __future__ import annotations

import subprocess
import sys

import pytest

from allonym import metrics

MEASURES = {
    *("topic_scores", "cosine", "embed", "similarity", "word_movers", "meteor_1_5", "meteor_nltk", "feature_distance"),
    *("unchanged", "unchanged_in_place", "length_change", "perplexity", "grammar_findings", "meaning_use"),
    *("notes_kept", "notes_invented", "negations_kept", "numbers_kept", "names_kept"),
}


def test_every_public_name_is_there():
    assert set(dir(metrics)) == set(metrics.__all__) >= MEASURES
    for name in metrics.__all__:
        assert getattr(metrics, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        _ = metrics.nonsense


def test_modules_are_reached_by_name():
    assert metrics.semantics.cosine is metrics.cosine
    assert metrics.utility.topic_scores is metrics.topic_scores


def test_available_says_ready_or_what_to_install():
    available = metrics.available()
    assert set(available) == MEASURES
    for name in ("topic_scores", "feature_distance", "unchanged", "length_change", "word_movers"):
        assert available[name] == metrics.READY
    for answer in available.values():
        assert answer == metrics.READY or "install" in answer


def test_asking_imports_nothing_heavy():
    heavy = ("torch", "onnxruntime", "tokenizers", "harper", "gguf")
    script = (
        "import sys; from allonym import metrics; metrics.available(); metrics.unchanged(['a'], ['a']); "
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
