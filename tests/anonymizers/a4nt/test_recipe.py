"""A4NT with a tiny made-up model: what is rewritten, what is left alone, and that nothing is promised."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from safetensors.numpy import save_file
from sklearn.base import clone

from allonym import models
from allonym.anonymizers.a4nt import A4NT
from allonym.errors import AllonymError, InputError, ModelError, ParameterError
from allonym.language.pairs import WordPairs
from allonym.language.sequences import NUMBER_CLASSES, SPECIAL, UNKNOWN, Vocabulary
from allonym.networks.a4nt.inference import A4ntShape
from allonym.randomness import insecure
from allonym.vectors import embeddings

# Teenagers of this model say the words of the first row, adults those of the second, in the same places.
TEEN = ["cool", "dude", "totally", "omg"]
ADULT = ["nice", "gentleman", "certainly", "indeed"]
COMMON = ["the", "is", "and", "a", "dog", "house", ".", ",", "!"]
VOCABULARY = Vocabulary((*SPECIAL, *NUMBER_CLASSES, *TEEN, *ADULT, *COMMON))
TEEN_TEXT = "The dog is cool! The dude totally is a dog."
ADULT_TEXT = "The dog is nice! The gentleman certainly is a dog."


def ids(words):
    return VOCABULARY.ids(words)


def weights(shape: A4ntShape) -> dict[str, np.ndarray]:
    """Return an editor that swaps teenagers' words for adults', and a judge that counts them."""
    found = {name: np.zeros(size, np.float32) for name, size in shape.tensors().items()}
    size = shape.embedding
    table = np.eye(size, dtype=np.float32)
    # A word's embedding marks it; both LSTMs copy what they read: o open, c = tanh(input) for one step (f closed).
    found["translator.embedding.weight"] = 4 * table
    for name in ("translator.encoder", *(f"translator.decoders.{n}.lstm" for n in range(shape.decoders))):
        read = found[f"{name}.weight_ih_l0"].shape[1]
        copy = np.zeros((size, read), np.float32)
        copy[:, :size] = table
        gates = found[f"{name}.weight_ih_l0"].reshape(4, size, read)
        gates[2] = 10 * copy
        bias = found[f"{name}.bias_ih_l0"].reshape(4, size)
        bias[0], bias[1], bias[3] = 20, -20, 20
    for target in range(shape.decoders):
        swap = np.eye(size, dtype=np.float32)
        said, instead = (TEEN, ADULT) if target == 1 else (ADULT, TEEN)
        for word, other in zip(ids(said), ids(instead), strict=True):
            swap[word, word], swap[other, word] = 0, 1
        found[f"translator.decoders.{target}.projection.weight"][:, :size] = swap
        found[f"translator.decoders.{target}.liking.bias"][:] = -20
    found["judge.embedding.weight"][ids(TEEN), 0] = 3
    found["judge.embedding.weight"][ids(ADULT), 1] = 3
    gates = found["judge.lstm.weight_ih_l0"].reshape(4, shape.judge_hidden, shape.judge_embedding)
    gates[2] = np.eye(shape.judge_hidden)
    found["judge.lstm.bias_ih_l0"].reshape(4, shape.judge_hidden)[[0, 1, 3]] = 20
    found["judge.output.weight"] = np.tile(20 * np.eye(2, dtype=np.float32), (1, 2))
    found["judge.output.weight"][:, :2] = 0
    return found


def toy_model(root, **more):
    words = len(VOCABULARY)
    sizes = {"words": words, "classes": 2, "variant": "editor", "conditioned": False, **more}
    sizes |= {"embedding": words, "hidden": words}
    shape = A4ntShape(**sizes, judge_embedding=2, judge_hidden=2)
    root.mkdir()
    save_file({name: array for name, array in weights(shape).items() if name in shape.tensors()}, root / models.WEIGHTS)
    VOCABULARY.save(root / "vocabulary.txt")
    judge = {"embedding": 2, "hidden": 2}
    config = {"name": "tiny", "kind": "a4nt", "classes": ["teen", "adult"], "shape": sizes, "judge": judge}
    (root / models.CONFIG).write_text(json.dumps(config))
    (root / models.CARD).write_text("Made up.\n")
    models.seal(root)
    return str(root)


def table(levels):
    """Return a table of pairs in which all words are as frequent as each other."""
    size = len(VOCABULARY)
    follows = np.bincount([first for first, _ in levels], minlength=size).astype(np.int64)
    ordered = sorted(levels)
    seconds = np.array([second for _, second in ordered], np.int64)
    given = np.array([levels[pair] for pair in ordered], np.float32)
    return WordPairs(VOCABULARY, np.ones(size, np.float32), follows, seconds, given)


@pytest.fixture(autouse=True)
def no_pairs(monkeypatch):
    """Let every word fit everywhere, so that the tiny model alone decides."""
    monkeypatch.setattr(WordPairs, "open", lambda: table({}))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return toy_model(tmp_path_factory.mktemp("models") / "tiny")


def rewritten(folder, text, seed=1, **parameters):
    settings = {"target": "adult", **parameters}
    [found] = A4NT(model=folder, **settings).release([text], rng=insecure(seed)).payload
    return found


def test_a_teenager_s_text_becomes_an_adult_s_and_the_way_back(folder):
    assert rewritten(folder, TEEN_TEXT, candidates=1) == ADULT_TEXT
    assert rewritten(folder, ADULT_TEXT, candidates=1, target="teen") == TEEN_TEXT


def test_a_document_of_the_target_is_left_alone(folder):
    assert rewritten(folder, ADULT_TEXT) == ADULT_TEXT
    mixed = "Nice gentleman, certainly. The dog is cool!"
    assert rewritten(folder, mixed) == mixed
    # Unless the source is given: then only what sounds like it is rewritten.
    assert rewritten(folder, mixed, source="teen", candidates=1) == "Nice gentleman, certainly. The dog is nice!"


def test_a_sentence_without_style_is_left_alone_but_written_alike(folder):
    text = "the HOUSE   is a house .  OMG, the dog is cool !"
    found = rewritten(folder, text, candidates=1)
    assert found == "The house is a house. Indeed, the dog is nice!"


@pytest.mark.parametrize("prefer", ["balanced", "meaning", "privacy"])
def test_the_choice_follows_the_preference(folder, prefer):
    method = A4NT(model=folder, target="adult", prefer=prefer)
    original = ids(["the", "dog", "is", "cool", "."])
    near, far, neither = (
        ids(["the", "dog", "is", *rest]) for rest in (["nice", "."], ["nice", "indeed"], ["cool", "."])
    )
    judged = np.log(np.array([[0.67, 0.33], [0.64, 0.36], [0.9, 0.1]], np.float32))
    chosen = method._best(original, [near, far, neither], judged)
    assert chosen == {"balanced": 0, "meaning": 2, "privacy": 1}[prefer]
    if prefer == "balanced":  # of two that are as near, the one that gains more; and very much gain is worth a word
        assert method._best(original, [neither, neither], np.log(np.array([[0.9, 0.1], [0.6, 0.4]], np.float32))) == 1
        judged[1] = np.log([1e-6, 1 - 1e-6])
        assert method._best(original, [near, far, neither], judged) == 1


@pytest.mark.parametrize("prefer", ["balanced", "meaning", "privacy"])
def test_of_two_that_gain_alike_the_one_whose_words_go_together_is_taken(folder, prefer, monkeypatch):
    original, one, other = (ids(["the", "dog", "is", word, "."]) for word in ("omg", "indeed", "certainly"))
    judged = np.log(np.array([[0.3, 0.7], [0.3, 0.7]], np.float32))
    for liked in (one, other):
        monkeypatch.setattr(WordPairs, "open", lambda word=liked[3]: table({(ids(["is"])[0], word): 9.0}))
        method = A4NT(model=folder, target="adult", prefer=prefer)
        method._wording.similarities = lambda *_: 0.5
        assert [one, other][method._best(original, [one, other], judged)] == liked


def test_similarity_is_that_of_vectors_and_depends_on_no_other_form(folder):
    wording = A4NT(model=folder, target="adult")._wording
    original, other = ids(["the", "dog", "house"]), ids(["the", "house", "cool", "dude"])
    both = wording.similarities(original, [original, other])
    assert both[0] == 1
    assert both[1:].tolist() == wording.similarities(original, [other]).tolist()
    table = embeddings.load()
    left, right = (
        table.unit()[table.rows(words)] for words in (["the", "dog", "house"], ["the", "house", "cool", "dude"])
    )
    cosines = left @ right.T
    # Words without a meaning of their own, here "the", count a fifth.
    means = (
        np.average(cosines.max(axis=1), weights=[0.2, 1, 1]),
        np.average(cosines.max(axis=0), weights=[0.2, 1, 1, 1]),
    )
    assert both[1] == pytest.approx(np.mean(means), abs=1e-3)


def test_a_shorter_form_does_not_gain_by_leaving_words_out(folder):
    method = A4NT(model=folder, target="adult", prefer="privacy")
    original = ids(["the", "dog", "is", "cool", "."])
    judged = np.log(np.array([[0.30, 0.70], [0.31, 0.69]], np.float32))
    assert method._best(original, [original, original[:2]], judged) == 0


@pytest.fixture(scope="module")
def neutral(tmp_path_factory):
    """A model that writes what the adult's decoder of the other one writes, whoever wrote."""
    return toy_model(tmp_path_factory.mktemp("models") / "neutral", neutral=True)


def test_a_neutral_model_is_told_nothing_of_the_writer(neutral):
    texts = [TEEN_TEXT, ADULT_TEXT]
    method = A4NT(model=neutral, target="neutral", candidates=1, prefer="privacy")
    one, other = (method.release(order, rng=insecure(1)).payload for order in (texts, texts[::-1]))
    assert one == other[::-1]  # what becomes of a text depends on it alone
    assert "sentences that seem to be the target's already" not in method.guarantee().released_as_is
    assert not method.guarantee().formal
    for wrong in ({"target": "adult"}, {"target": "neutral", "source": "teen"}):
        with pytest.raises(ParameterError, match="imitates nobody"):
            A4NT(model=neutral, **wrong).guarantee()


def test_of_a_neutral_model_s_forms_the_one_that_leaves_the_judge_undecided_is_taken(neutral):
    method = A4NT(model=neutral, target="neutral", prefer="privacy")
    original = ids(["the", "dog", "is", "cool", "."])
    judged = np.log(np.array([[0.1, 0.9], [0.45, 0.55], [0.8, 0.2]], np.float32))
    assert method._best(original, [original] * 3, judged) == 1


def test_a_sentence_stays_as_it_is_where_no_translation_is_worth_it(folder):
    method = A4NT(model=folder, target="adult")
    original = ids(["the", "dog", "is", "cool", "."])
    assert method._choices(original, [original]) == [original]
    assert method._choices(original, [[4]]) == [original, [4]]
    unknown = [*original, UNKNOWN]
    assert A4NT(model=folder, target="adult", prefer="privacy")._choices(unknown, [[4]]) == [[4]]


def test_numbers_come_back_and_labels_are_shown_only_if_asked_for(folder):
    text = "The dude is 345, and the dog is cool in 1987."
    assert "345" in rewritten(folder, text, candidates=1)
    assert "1987" in rewritten(folder, text, candidates=1)
    for shown in (rewritten(folder, text), rewritten(folder, ADULT_TEXT + " 345.")):
        assert "<" not in shown
        assert "[" not in shown
    asked = rewritten(folder, text, candidates=1, placeholders=True)
    assert "[number]" in asked
    assert "[year]" in asked
    assert "345" not in asked


def test_unknown_words_stay_unless_privacy_is_preferred(folder):
    text = "The zxqv is cool and the dog is totally a dude."
    assert rewritten(folder, text, candidates=1) == "The zxqv is nice and the dog is certainly a gentleman."
    assert "zxqv" not in rewritten(folder, text, candidates=1, prefer="privacy")
    assert A4NT(model=folder, target="adult").guarantee().released_as_is[-1] == "words the model does not know"


@pytest.mark.parametrize("prefer", ["balanced", "privacy"])
@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", ""),
        (" \n\n ", ""),
        ("🧑‍🚀 ✨", ""),
        ("Быстрая лиса  перепрыгнула через собаку .", "Быстрая лиса перепрыгнула через собаку."),
        ("私は昨日、港で猫を見ました。", "私は昨日 港で猫を見ました"),
        ("\ud800 \x00", ""),
        ("𐀀𐀀 𐀁", "𐀁"),
    ],
)
def test_what_is_not_english_goes_through_as_it_is(folder, text, wanted, prefer):
    assert rewritten(folder, text, prefer=prefer) == wanted


def test_a_very_long_text_and_a_very_long_sentence(folder):
    long = "the cool dog and " * 300 + "a dude."
    found = rewritten(folder, long, candidates=1)
    assert found.count("nice dog and") == 300
    assert found.endswith("a gentleman.")
    assert found.count("The ") == 1  # cut for the network, but one sentence all the same
    assert len(rewritten(folder, TEEN_TEXT * 600, candidates=1)) > 20_000


def test_batches_and_company_do_not_matter(folder):
    texts = [TEEN_TEXT, "", ADULT_TEXT, "OMG, cool dude!", TEEN_TEXT, "zxqv " * 40]
    method = A4NT(model=folder, target="adult", candidates=4, prefer="privacy")
    whole = method.release(texts, rng=insecure(4)).payload
    parts = [method.release([text], rng=insecure(4), start=row).payload[0] for row, text in enumerate(texts)]
    assert parts == whole
    for copy in (clone(method), pickle.loads(pickle.dumps(method))):
        assert copy.release(texts, rng=insecure(4)).payload == whole
    assert len(pickle.dumps(method)) < 2000


def test_samples_are_whole_texts_and_differ(folder):
    [found] = A4NT(model=folder, target="adult").samples([TEEN_TEXT], n=6)
    assert len(found) == 6
    assert found[0] == ADULT_TEXT
    assert len(set(found)) > 1
    assert A4NT(model=folder, target="adult").samples([ADULT_TEXT, ""], n=2) == [[ADULT_TEXT] * 2, ["", ""]]
    with pytest.raises(InputError):
        A4NT(model=folder, target="adult").samples("one")


def test_nothing_is_promised_and_no_epsilon_is_shown(folder):
    method = A4NT(model=folder, target="adult")
    for guarantee in (method.guarantee(), method.guarantee(3), method.release([TEEN_TEXT], rng=insecure(1)).guarantee):
        assert guarantee.formal is False
        assert (guarantee.definition, guarantee.evidence) == ("none", "none")
        assert (guarantee.epsilon, guarantee.loss_per_word, guarantee.words) == (None, None, None)
        assert "ε" not in str(guarantee)
        assert "e^" not in str(guarantee)
        stated = json.loads(guarantee.to_json())
        assert stated["epsilon"] is None
        assert not stated["formal"]
    assert "measured attacks" in str(method.guarantee())
    assert "numbers" in method.guarantee().released_as_is
    assert "numbers" not in A4NT(model=folder, target="adult", placeholders=True).guarantee().released_as_is


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"prefer": "speed"}, "prefer"),
        ({"candidates": 0}, "candidates"),
        ({"candidates": True}, "candidates"),
        ({"placeholders": "no"}, "placeholders"),
        ({"target": ""}, "target"),
        ({"source": None}, "source"),
    ],
)
def test_bad_parameters_are_refused_at_once(folder, parameters, message):
    with pytest.raises(ParameterError, match=message):
        A4NT(**{"model": folder, "target": "adult", **parameters})


@pytest.mark.parametrize("parameters", [{"target": "elf"}, {"target": "auto"}, {"source": "adult"}, {"source": "elf"}])
def test_classes_the_model_does_not_have_are_refused_before_anything_is_drawn(folder, parameters):
    with pytest.raises(ParameterError, match=r"teen(,| and) adult"):
        A4NT(**{"model": folder, "target": "adult", **parameters}).transform([TEEN_TEXT])


def test_a_model_that_is_none_is_refused(tmp_path):
    with pytest.raises(ModelError, match="no model folder"):
        A4NT(model=str(tmp_path / "nowhere"), target="adult").transform([TEEN_TEXT])
    with pytest.raises(AllonymError, match="not of the kind"):
        A4NT(model="erae-en", target="adult").transform([TEEN_TEXT])


def test_another_target_gets_a_fresh_model(folder):
    method = A4NT(model=folder, target="adult", candidates=1)
    assert method.transform([TEEN_TEXT]) == [ADULT_TEXT]
    assert method.set_params(target="teen").transform([ADULT_TEXT]) == [TEEN_TEXT]
