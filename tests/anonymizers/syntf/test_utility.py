"""SynTF with a rating learned from labelled reference texts."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.svm import LinearSVC

from allonym import SynTF
from allonym.errors import InputError, ParameterError
from allonym.randomness import insecure

SPORT = ["The hockey team won the game on the ice", "A goal decided the hockey game", "The team skates on ice"]
SCIENCE = ["The rocket reached orbit", "A telescope saw the planet from orbit", "The rocket left the planet"]
TEXTS, LABELS = SPORT + SCIENCE, ["sport"] * 3 + ["science"] * 3


@pytest.fixture(scope="module")
def fitted():
    return SynTF(rating="utility", words=40, loss_per_word=4.0).fit(TEXTS, LABELS)


def test_terms_of_one_label_stand_in_for_one_another(fitted):
    terms = fitted.vocabulary_
    law = dict(zip(terms, fitted.mechanism_.law(terms.index("hockey")), strict=True))
    assert law["game"] > 5 * law["rocket"]
    assert law["ice"] > 5 * law["orbit"]


def test_the_loss_is_what_was_asked_for_and_the_assumption_is_stated(fitted):
    guarantee = fitted.guarantee()
    assert guarantee.loss_per_word <= 4.0
    assert guarantee.loss_per_word > 3.9
    assert any("learned from public labelled texts" in line for line in guarantee.assumptions)
    assert not any("labelled" in line for line in SynTF(vocabulary=["tea", "bus"]).guarantee().assumptions)


def test_informative_terms_are_drawn_more_often(fitted):
    reference, labels = [*TEXTS, "We found it", "They found it"], [*LABELS, "sport", "science"]
    shares = {}
    for composition in ("tf", None):
        each = clone(fitted).set_params(composition=composition).fit(reference, labels)
        [row] = each.compositions(["rocket found"]).toarray()
        shares[composition] = row[each.vocabulary_.index("find")] / row.sum()
    assert shares["tf"] == 0.5
    assert 0 < shares[None] < 0.05  # it tells nothing of the label, but can still be drawn


def test_vectors_go_straight_into_a_linear_svm(fitted):
    vectors = fitted.release(TEXTS, rng=insecure(2)).payload
    assert vectors.indices.dtype == np.int32  # liblinear takes no other
    LinearSVC(random_state=0).fit(vectors, LABELS)


def test_labels_are_needed_and_checked():
    with pytest.raises(InputError, match=r"fit\(reference_texts, labels\)"):
        SynTF(rating="utility").fit(TEXTS)
    with pytest.raises(InputError, match=r"call fit\(reference_texts, labels\) first"):
        SynTF(rating="utility", vocabulary=["tea", "bus"]).guarantee()
    with pytest.raises(InputError, match="6 reference texts but 5 labels"):
        SynTF(rating="utility").fit(TEXTS, LABELS[:5])
    with pytest.raises(ParameterError, match="composition utility goes with the rating utility"):
        SynTF(composition="utility")
    with pytest.raises(ParameterError, match="rating must be"):
        SynTF(rating="topic")
    with pytest.raises(ParameterError, match="label_weight must be"):
        SynTF(label_weight=float("nan"))


def test_label_weight_zero_is_the_papers_rating():
    terms = SynTF(rating="utility", label_weight=0.0).fit(TEXTS, LABELS)
    plain = SynTF().fit(TEXTS)
    np.testing.assert_array_equal(terms.mechanism_.law(0), plain.mechanism_.law(0))
