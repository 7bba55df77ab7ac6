"""The script that trains Ghostwriter's network: whose text it reads, and that arrays come back as they were written."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

if find_spec("torch") is None or find_spec("tokenizers") is None:
    pytest.skip("training needs torch and tokenizers", allow_module_level=True)

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import train_ghostwriter

from allonym.networks.translation import weights
from allonym.training.ghostwriter.corpus import prepare
from allonym.training.ghostwriter.own_text import WriterRecipe


@pytest.fixture
def corpora(tmp_path):
    def table(name, **columns):
        (tmp_path / name).mkdir()
        file = {"imdb62": "imdb62", "blogs": "blogs_4002", "peerread": "peerread"}[name]
        pq.write_table(pa.table(columns), tmp_path / name / f"{file}.parquet")

    authors = [str(number) for number in range(100, 115)]
    table("imdb62", author=[*authors, "114"], doc_id=[f"r{a}" for a in authors] + ["r"], text=["A film."] * 16,
          split=["train"] * 15 + ["test"])  # fmt: skip
    table("blogs", author=[1, 2, 3], doc_id=["b1", "b2", "b3"], text=["urlLink A day.", "A night.", ""],
          split=["train", "val", "train"])  # fmt: skip
    table("peerread", doc_id=[f"p{n}" for n in range(40)], text=["A paper."] * 40, kind=["review"] * 39 + ["abstract"])
    return tmp_path


def test_nobody_who_is_reported_on_is_learned_from(corpora):
    found = list(train_ghostwriter.documents(corpora, 100))
    writers = [writer for writer, _ in found]
    reviewers = {writer for writer in writers if writer.startswith("imdb62")}
    assert reviewers == {f"imdb62 {number}" for number in range(110, 115)}
    assert [text for writer, text in found if writer.startswith("blogs")] == ["  A day."]
    assert 0 < sum(writer.startswith("peerread") for writer in writers) < 39
    assert list(train_ghostwriter.documents(corpora, 0)) == []


@pytest.mark.skipif(bool(weights.missing()), reason=weights.missing())
def test_arrays_come_back_as_they_were_written(plain_texts, tmp_path, monkeypatch):
    monkeypatch.setattr(train_ghostwriter, "_PASSAGES_A_PART", 50)
    corpus = prepare(
        [(None, text) for text in plain_texts],
        notes=120, pieces=300, shared_by=3, held_out=0.1, seed=1, from_translation=True,
    )  # fmt: skip
    size = train_ghostwriter.save(corpus, WriterRecipe(), tmp_path)
    assert size == sum(path.stat().st_size for path in tmp_path.iterdir())
    assert len(list(tmp_path.glob("learned-passages-*"))) == -(-len(corpus.learned) // 50) > 1
    again, about = train_ghostwriter.load(tmp_path)
    assert about["shared_by"] == 3
    assert (again.pieces, again.vocabulary, again.fingerprint) == (corpus.pieces, corpus.vocabulary, corpus.fingerprint)
    for part in ("learned", "held_out"):
        before, after = getattr(corpus, part).arrays(), getattr(again, part).arrays()
        assert before.keys() == after.keys()
        assert all(np.array_equal(before[name], after[name]) for name in before)
