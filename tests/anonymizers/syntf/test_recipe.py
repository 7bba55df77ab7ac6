from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from allonym import SynTF
from allonym.errors import AllonymError, InputError, MissingDependencyError, ParameterError
from allonym.language.synonyms import WordNet
from allonym.randomness import insecure
from allonym.vectors.embeddings import WordTable

DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data"
REFERENCE = ["Cats chase mice.", "The dog chased 3 cats!", "Mice eat cheese, dogs eat meat.", "Running dogs run."]


def table() -> WordTable:
    words = ("cat", "dog", "mouse", "chase", "eat", "cheese", "meat", "run", "kitten")
    vectors = insecure(1).below(201, (len(words), 8)).astype(np.float32) - 100
    return WordTable(words, vectors)


def test_fit_learns_the_terms_that_have_vectors():
    model = SynTF(embeddings=table()).fit(REFERENCE)
    assert model.vocabulary_ == ["cat", "chase", "cheese", "dog", "eat", "meat", "mouse", "run"]
    assert model.get_feature_names_out().tolist() == model.vocabulary_
    assert SynTF(embeddings=table(), min_documents=3).fit(REFERENCE).vocabulary_ == ["dog"]


def test_morphologies_give_their_own_terms():
    words = ("Cats", "cats", "cat", "chase", "mice", "mouse")
    vectors = np.eye(6, dtype=np.float32)
    found = {
        kind: SynTF(embeddings=WordTable(words, vectors), morphology=kind).fit(["Cats chase mice."]).vocabulary_
        for kind in ("lemma", "lower", "orth")
    }
    assert found == {
        "lemma": ["cat", "chase", "mouse"],
        "lower": ["cats", "chase", "mice"],
        "orth": ["Cats", "chase", "mice"],
    }


def test_orth_terms_find_their_lower_case_vectors():
    model = SynTF(vocabulary=["Cat", "dog"], embeddings=table(), morphology="orth", spelling_weight=0.0)
    assert model.mechanism_.law(0)[0] > 0.9
    assert (model._vectors[0] == table().vectors[0]).all()


def test_stop_words_and_numbers_are_left_out_unless_asked_for():
    words = ("the", "3", "cat")
    vectors = WordTable(words, np.eye(3, dtype=np.float32))
    assert SynTF(embeddings=vectors).fit(["the 3 cats"]).vocabulary_ == ["cat"]
    assert SynTF(embeddings=vectors, keep_stop_words=True).fit(["the 3 cats"]).vocabulary_ == ["cat", "the"]
    assert SynTF(embeddings=vectors, keep_numbers=True).fit(["the 3 cats"]).vocabulary_ == ["3", "cat"]


def test_a_confident_mechanism_keeps_the_words():
    model = SynTF(embeddings=table(), epsilon=300.0, spelling_weight=0.0, words=1000).fit(REFERENCE)
    counts = model.transform(["cats cats cats dog"]).toarray()[0]
    held = dict(zip(model.vocabulary_, counts, strict=True))
    assert held["cat"] + held["dog"] == 1000
    assert 650 < held["cat"] < 850


def test_tf_idf_draws_rare_terms_more_often():
    settings = {"embeddings": table(), "epsilon": 300.0, "spelling_weight": 0.0, "words": 20_000}
    text = ["dog cheese"]
    tf = SynTF(**settings).fit(REFERENCE)
    tf_idf = SynTF(**settings, composition="tf-idf").fit(REFERENCE)
    column = tf.vocabulary_.index("cheese")
    share = tf.release(text, rng=insecure(1)).payload.toarray()[0, column] / 20_000
    weighted = tf_idf.release(text, rng=insecure(1)).payload.toarray()[0, column] / 20_000
    idf = {term: np.log(5 / (1 + found)) + 1 for term, found in (("cheese", 1), ("dog", 3))}
    assert share == pytest.approx(0.5, abs=0.02)
    assert weighted == pytest.approx(idf["cheese"] / (idf["cheese"] + idf["dog"]), abs=0.02)
    with pytest.raises(ParameterError, match="learned from reference texts first"):
        SynTF(vocabulary=["dog"], embeddings=table(), composition="tf-idf").transform(text)


def test_texts_without_a_known_word_are_drawn_from_every_word():
    model = SynTF(embeddings=table(), epsilon=300.0, spelling_weight=0.0, words=8000).fit(REFERENCE)
    rows = model.release(["", "qzxjvk", "これは"], rng=insecure(2)).payload.toarray()
    assert (rows > 800).all()  # 1,000 expected of each of 8 terms
    assert (rows.sum(axis=1) == 8000).all()


def test_a_given_vocabulary_is_kept_as_given():
    model = SynTF(vocabulary=["dog", "unheardof", "cat", "dog"], embeddings=table())
    assert model.vocabulary_ == ["dog", "unheardof", "cat"]
    assert model.mechanism_.law(1)[1] > 0.99  # similar to itself alone
    assert model.fit(REFERENCE).vocabulary_ == ["dog", "unheardof", "cat"]


def test_a_vocabulary_may_be_a_file(tmp_path):
    path = tmp_path / "terms.txt"
    path.write_text("dog\ncat\n", "utf-8")
    assert SynTF(vocabulary=path, embeddings=table()).vocabulary_ == ["dog", "cat"]
    with pytest.raises(AllonymError):
        SynTF(vocabulary=tmp_path / "absent.txt", embeddings=table()).transform(["dog"])


def test_the_shipped_vocabulary_is_public_and_needs_no_fit():
    model = SynTF()
    assert 15_000 < len(model.vocabulary_) < 30_000
    assert "coffee" in model.vocabulary_
    assert "the" not in model.vocabulary_
    assert len(set(model.vocabulary_)) == len(model.vocabulary_)


def test_private_reference_texts_are_said_to_be_private():
    public = SynTF(embeddings=table()).fit(REFERENCE)
    private = SynTF(embeddings=table()).fit(REFERENCE, public=False)
    assert "conditional on the vocabulary" in str(private.guarantee())
    assert "conditional" not in str(public.guarantee())


def test_fit_transform_learns_nothing_from_what_it_protects():
    model = SynTF(embeddings=table(), vocabulary=["dog", "cat"])
    assert model.fit_transform(["kitten kitten"]).shape == (1, 2)
    assert model.vocabulary_ == ["dog", "cat"]


def test_changed_parameters_change_the_mechanism():
    model = SynTF(embeddings=table()).fit(REFERENCE)
    first = model.guarantee().loss_per_word
    assert model.set_params(epsilon=5.0).guarantee().loss_per_word < first
    calibrated = model.set_params(loss_per_word=1.5).guarantee()
    assert 1.49 < calibrated.loss_per_word <= 1.5


@pytest.mark.parametrize(
    "bad",
    [
        {"epsilon": 0}, {"epsilon": float("nan")}, {"epsilon": "much"}, {"loss_per_word": -1}, {"words": 0},
        {"spelling_weight": 1.5}, {"spelling_weight": float("nan")}, {"morphology": "stem"}, {"composition": "bm25"},
        {"min_documents": 0},
    ],
)  # fmt: skip
def test_bad_parameters_fail_at_once(bad):
    with pytest.raises(ParameterError, match=next(iter(bad))):
        SynTF(**bad)


def test_a_vocabulary_without_vectors_is_an_error_with_a_way_out():
    with pytest.raises(InputError, match="give more reference texts"):
        SynTF(embeddings=table()).fit(["qzxjvk"])
    with pytest.raises(ParameterError, match="at least one word"):
        SynTF(vocabulary=[], embeddings=table()).transform(["dog"])


def test_synonyms_extend_the_vocabulary(monkeypatch):
    class FakeWordNet:
        def of(self, word: str) -> tuple[str, ...]:
            return ("kitten", "the", "qzxjvk") if word == "cat" else ()

    monkeypatch.setattr(WordNet, "open", classmethod(lambda cls: FakeWordNet()))
    model = SynTF(embeddings=table(), synonyms=True).fit(["cats and dogs"])
    assert model.vocabulary_ == ["cat", "dog", "kitten"]  # a stop word and one without a vector stay out


def test_synonyms_from_a_real_wordnet():
    try:
        WordNet.open()
    except MissingDependencyError as error:
        pytest.skip(f"no WordNet on this machine: {error}")
    plain = SynTF(vocabulary=["car", "doctor"])
    extended = SynTF(vocabulary=["car", "doctor"], synonyms=True)
    assert len(extended.vocabulary_) > len(plain.vocabulary_)
    assert "physician" in extended.vocabulary_


@pytest.mark.skipif(not DATA.exists(), reason="the corpora are not beside the checkout")
def test_the_papers_setting_gives_the_papers_loss():
    """20 newsgroups vocabulary, GloVe, ε = 47.5, s = 0.3: the paper reports an effective loss of about 25.4."""
    posts = pq.read_table(DATA / "newsgroups20" / "newsgroups20.parquet", columns=["split", "body_noquote"])
    reference = [row["body_noquote"] for row in posts.to_pylist() if row["split"] == "train"]
    vectors = DATA / "glove_wink" / "vectors_100k_f16.npy"
    model = SynTF(embeddings=vectors, min_documents=3).fit(reference)
    assert 12_000 < len(model.vocabulary_) < 20_000
    assert 24 < model.guarantee().loss_per_word < 26
