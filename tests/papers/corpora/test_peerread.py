from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from allonym.papers.corpora import peerread


def test_a_tenth_of_the_reviews_is_held_out_and_nothing_else_is_read(tmp_path):
    names = [f"venue_{number}" for number in range(2000)]
    kinds = ["review", "rebuttal"] * 1000
    texts = [None if number == 0 else name for number, name in enumerate(names)]
    (tmp_path / "peerread").mkdir()
    pq.write_table(
        pa.table({"doc_id": names, "kind": kinds, "text": texts}), tmp_path / "peerread" / "peerread.parquet"
    )
    found = peerread.held_out(tmp_path)
    assert 60 < len(found) < 140
    assert not any(peerread.training_review(name) for name in found)
    assert set(found) <= set(names[2::2])


def test_who_is_held_out_never_changes():
    # The shipped network was trained on the others: another answer would make its held-out figures wrong.
    held_out = [number for number in range(40) if not peerread.training_review(f"review {number}")]
    assert held_out == [3, 8, 17, 27]
