from __future__ import annotations

import numpy as np
import pytest

from allonym import WordExponential, WordLaplace
from allonym.anonymizers.words import substitution
from allonym.distances import diameter, nearest_neighbour_distances
from allonym.errors import InputError, ParameterError
from allonym.randomness import insecure
from allonym.vectors.embeddings import WordTable

WORDS = ["the", "a", "don't", "coffee", "tea", "train", "bus", "rain", "snow", "harbour", "ship", "word", "garden"]
BOTH = pytest.mark.parametrize("kind", [WordLaplace, WordExponential])


def table(dimensions: int = 6) -> WordTable:
    return WordTable(tuple(WORDS), insecure(1).below(201, (len(WORDS), dimensions)).astype(np.float32) / 100 - 1)


def make(kind, **parameters):
    return kind(**{"epsilon": 3.0, "embeddings": table(), **parameters})


def released(model, texts):
    """Draw with a fixed key, so that no test fails by chance."""
    return model.release(texts, rng=insecure(1)).payload


@BOTH
def test_a_bag_has_no_stop_words_no_order_and_known_words_only(kind):
    model = make(kind, epsilon=500.0)
    assert released(model, ["The train and the COFFEE, qzxjvk 7!"]) == [["coffee", "train"]]
    assert set(model.table_.words) == set(WORDS) - {"the", "a", "don't"}
    mixed = released(make(kind, epsilon=0.01), ["train coffee rain snow ship"] * 30)
    assert all(bag == sorted(bag) for bag in mixed)


def test_promised_distances_are_those_the_mechanism_uses():
    model = make(WordExponential)
    assert (model.table_.vectors == model.mechanism_.closeness.rounded).all()


@BOTH
def test_a_text_keeps_places_and_nothing_else(kind):
    model = make(kind, epsilon=900.0, order="text")
    [text] = released(model, ["Don't, THE Train's coffee... 7 qzxjvk"])
    stand_in = model.table_.words[model.stand_in_]
    assert text == f"don't the train coffee {stand_in} {stand_in}"


@BOTH
@pytest.mark.parametrize("order", ["bag", "text"])
def test_a_given_length_is_kept_by_all_documents(kind, order):
    documents = ["", "qzxjvk", "coffee", "train " * 50, "coffee tea rain"]
    out = released(make(kind, words=7, order=order), documents)
    assert {len(d.split() if order == "text" else d) for d in out} == {7}


@BOTH
def test_without_a_length_the_number_of_words_is_released_and_said_to_be(kind):
    model = make(kind)
    assert [len(bag) for bag in released(model, ["", "coffee", "tea rain"])] == [0, 1, 2]
    guarantee = model.guarantee()
    assert guarantee.unit == "word"
    assert "the number of words" in guarantee.released_as_is[0]
    assert "as many words" in guarantee.adjacency


@BOTH
def test_the_guarantee_is_metric_and_states_the_worst_case(kind):
    model = make(kind, words=7)
    guarantee = model.guarantee()
    assert guarantee.definition == "metric"
    assert guarantee.loss_per_unit <= 3.0
    furthest = diameter(model.table_.vectors)
    assert guarantee.loss_per_word == pytest.approx(guarantee.loss_per_unit * furthest, rel=1e-3)
    assert guarantee.epsilon == pytest.approx(7 * guarantee.loss_per_word)
    assert "for each unit of Euclidean distance" in str(guarantee)


@BOTH
def test_the_loss_between_usual_neighbours(kind):
    model = make(kind, words=7)
    near = model.neighbours()
    nearest = np.sort(nearest_neighbour_distances(model.table_.vectors))
    assert near.distance in nearest
    assert (nearest <= near.distance).mean() >= 0.5
    assert (nearest < near.distance).mean() < 0.5
    assert near.distance * model.loss_per_unit < near.loss < model.guarantee().loss_per_word
    model.set_params(epsilon=1.5)
    assert model.neighbours().loss < near.loss
    assert make(kind, vocabulary=["coffee"]).neighbours().loss == 0


@BOTH
def test_figures_of_the_shipped_words_are_what_computing_them_gives(kind):
    """Both figures of both tables by brute force, to the digits of float32; words of bags are among those of texts."""
    text, bag = (kind(epsilon=8.0, order=order) for order in ("text", "bag"))
    vectors, in_bag = text.table_.vectors, text.table_.rows(bag.table_.words)
    assert (vectors[in_bag] == bag.table_.vectors).all()
    figures = {model: ([], []) for model in (text, bag)}
    squares = np.einsum("ij,ij->i", vectors, vectors)
    others = np.setdiff1d(np.arange(len(vectors)), in_bag)
    for start in range(0, len(vectors), 500):
        rows = np.arange(start, min(start + 500, len(vectors)))
        apart = (-2 * vectors[rows]) @ vectors.T
        apart += squares
        apart += squares[rows, None]
        for model, left_out in ((text, others[:0]), (bag, others)):
            mine = ~np.isin(rows, left_out)
            apart[:, left_out] = -np.inf
            figures[model][0].append(apart.max(axis=1)[mine])
            apart[:, left_out] = apart[np.arange(len(rows)), rows] = np.inf
            figures[model][1].append(apart.min(axis=1)[mine])
            apart[np.arange(len(rows)), rows] = 0
    for model, (far, near) in figures.items():
        assert model.table_.fingerprint in substitution._MEASURED
        assert model.furthest_ == pytest.approx(np.sqrt(np.concatenate(far).max()), rel=1e-6)
        ordered = np.sort(np.sqrt(np.maximum(np.concatenate(near), 0)))
        assert model._usual_neighbour == pytest.approx(ordered[(len(ordered) - 1) // 2], rel=1e-5)


@BOTH
def test_between_bags_both_distances_and_both_numbers(kind):
    model = make(kind)
    compared = model.between("coffee rain", "tea snow")
    sums, normalised = compared.distances["sum of distances (unnormalised)"], next(iter(compared.distances.values()))
    assert sums == pytest.approx(2 * normalised)
    assert compared.losses["ε·n·WMD (what holds)"] == pytest.approx(model.loss_per_unit * sums, rel=1e-3)
    assert min(compared.losses.values()) == pytest.approx(model.loss_per_unit * normalised)
    same = model.between("coffee rain", "rain coffee")
    assert max(same.distances.values()) == 0
    with pytest.raises(InputError, match="lengths tell them apart"):
        model.between("coffee", "tea snow")


@BOTH
def test_between_draws_the_bottleneck_counts(kind):
    model = make(kind, words=9)
    compared = model.between("coffee rain rain", "tea")
    assert compared.losses["n·ε·W∞ (words drawn to a fixed length)"] == pytest.approx(
        9 * model._loss(compared.distances["bottleneck distance (W∞)"])
    )
    assert model.between("", "").distances["bottleneck distance (W∞)"] == 0


@BOTH
def test_between_texts_places_count(kind):
    model = make(kind, order="text", words=3)
    moved = model.between("coffee rain", "rain coffee")
    assert moved.words == 3
    rows = model.table_.rows(["coffee", "rain"])
    apart = np.linalg.norm(np.diff(model.table_.vectors[rows], axis=0))
    assert next(iter(moved.distances.values())) == pytest.approx(2 * apart, rel=1e-5)


@BOTH
def test_long_documents_in_pieces_give_the_same_as_whole_batches(kind):
    documents = ["coffee " * n for n in (0, 1, 15, 16, 17, 1000)]
    model = make(kind)
    whole = model.release(documents, rng=insecure(1)).payload
    alone = [model.release([d], rng=insecure(1), start=i).payload[0] for i, d in enumerate(documents)]
    assert whole == alone
    assert [len(bag) for bag in whole] == [0, 1, 15, 16, 17, 1000]


def test_a_hundred_thousand_words():
    [bag] = released(make(WordLaplace), ["coffee tea " * 50_000])
    assert len(bag) == 100_000


@BOTH
def test_topical_words_are_learned_from_labelled_reference_texts(kind):
    texts = ["coffee tea word", "tea coffee word", "train bus word", "bus train word"]
    model = make(kind, epsilon=500.0, topical_words=4).fit(texts, ["drinks", "drinks", "travel", "travel"])
    assert released(model, ["word coffee train rain"]) == [["coffee", "train"]]
    assert "labelled reference texts" in model.guarantee().assumptions[-1]
    for labels in (["drinks"] * 4, ["drinks", "travel"]):
        with pytest.raises(InputError, match="one label each"):
            make(kind, topical_words=4).fit(texts, labels)
    with pytest.raises(InputError, match="needs the topic"):
        make(kind, topical_words=4).fit(texts)
    with pytest.raises(ParameterError, match="learned from labelled reference texts first"):
        released(make(kind, topical_words=4), ["coffee"])


def test_laplace_moves_more_words_than_its_sibling_at_the_same_loss():
    document = " ".join(["coffee", "train", "rain", "harbour", "garden"] * 400)
    kept = {}
    for kind in (WordLaplace, WordExponential):
        model = kind(epsilon=4.0, order="text", embeddings=table(6))
        [text] = model.release([document], rng=insecure(3)).payload
        kept[kind] = np.mean([a == b for a, b in zip(document.split(), text.split(), strict=True)])
    assert kept[WordExponential] > kept[WordLaplace]


@BOTH
def test_bad_parameters_fail_at_once(kind):
    for bad in ({"epsilon": 0}, {"epsilon": float("nan")}, {"order": "tree"}, {"words": 0}, {"topical_words": 0}):
        with pytest.raises(ParameterError, match=next(iter(bad))):
            make(kind, **bad)
    with pytest.raises(ParameterError, match="bag' only"):
        make(kind, order="text", topical_words=3)
    with pytest.raises(InputError, match="No word of the vocabulary"):
        released(make(kind, vocabulary=["qzxjvk"]), ["coffee"])


def test_topical_scores_are_those_of_scikit_learn():
    from scipy import sparse
    from sklearn.feature_selection import chi2

    counts = sparse.csr_array(insecure(4).below(4, (60, 25)) * (np.arange(25) > 1))
    labels = np.array(["a", "b", "c"])[insecure(5).below(3, (60,))]
    expected, _ = chi2(counts, labels)
    found = substitution._chi_squared(counts, labels)
    np.testing.assert_allclose(found[2:], expected[2:], rtol=1e-12)
    assert found[:2].tolist() == [-1, -1]
