"""Vectors that one process computed serve another, and no text lies beside them."""

from __future__ import annotations

import numpy as np
import pytest

from allonym.errors import InputError
from allonym.metrics import _minilm, semantics

TEXTS = ["The parcel came on Monday.", "Nobody was at home."]


@pytest.fixture
def encoded(monkeypatch):
    """Return the texts that were encoded; nothing is remembered at the beginning."""
    seen: list[str] = []

    def encode(texts):
        seen.extend(texts)
        return np.array([[len(text)] for text in texts], dtype=np.float32)

    monkeypatch.setattr(_minilm, "_MEMORY", _minilm._Memory(100))
    monkeypatch.setattr(_minilm, "encoder", lambda: type("Encoder", (), {"encode": staticmethod(encode)}))
    return seen


def test_another_process_reads_what_one_wrote(encoded, tmp_path, monkeypatch):
    path = tmp_path / "vectors.npz"
    semantics.embed_beside(path, TEXTS)
    assert encoded == TEXTS
    assert TEXTS[0].encode() not in path.read_bytes()
    monkeypatch.setattr(_minilm, "_MEMORY", _minilm._Memory(100))
    semantics.embed_beside(path, [*TEXTS, "A third one."])
    assert _minilm.encode(TEXTS).ravel().tolist() == [len(text) for text in TEXTS]
    assert encoded == [*TEXTS, "A third one."]


def test_vectors_of_another_network_are_made_anew(encoded, tmp_path, monkeypatch):
    path = tmp_path / "vectors.npz"
    semantics.embed_beside(path, TEXTS)
    monkeypatch.setattr(_minilm, "NETWORK_SHA256", "another")
    monkeypatch.setattr(_minilm, "_MEMORY", _minilm._Memory(100))
    semantics.embed_beside(path, TEXTS)
    assert encoded == TEXTS * 2


def test_a_file_of_something_else_is_refused(encoded, tmp_path):
    path = tmp_path / "vectors.npz"
    path.write_bytes(b"a letter")
    with pytest.raises(InputError, match="remove it"):
        semantics.embed_beside(path, TEXTS)
