"""Shares of what matters that is left, as measures: one figure a document."""

from __future__ import annotations

import numpy as np
import pytest

from allonym import metrics
from allonym.errors import InputError

BEFORE = ["Ann never paid £40 for the red kite.", "The cat slept."]
AFTER = ["Ann paid £14 for the kite of a baker.", "The cat was asleep."]


def test_each_document_has_its_shares():
    assert metrics.names_kept(BEFORE, AFTER).tolist()[0] == 1.0
    assert metrics.numbers_kept(BEFORE, AFTER).tolist()[0] == 0.0
    assert metrics.negations_kept(BEFORE, AFTER).tolist()[0] == 0.0
    assert metrics.notes_kept(BEFORE, AFTER)[0] == pytest.approx(2 / 3)
    assert metrics.notes_invented(BEFORE, AFTER)[0] == pytest.approx(1 / 3)


def test_a_share_of_nothing_is_no_number():
    for share in (metrics.names_kept, metrics.numbers_kept, metrics.negations_kept):
        assert np.isnan(share(BEFORE, AFTER)[1])
    assert np.isnan(metrics.notes_kept([""], ["A kite."])).all()


def test_progress_is_told():
    seen = []
    metrics.notes_kept(BEFORE, AFTER, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 2), (2, 2)]


def test_lists_must_be_of_one_length():
    with pytest.raises(InputError, match="one text each"):
        metrics.names_kept(BEFORE, AFTER[:1])
