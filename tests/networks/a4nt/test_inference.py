"""A4NT's networks in NumPy: the numbers of the torch networks, in any company."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="compares with the torch networks")

from allonym import models  # noqa: E402
from allonym.errors import ModelError, ParameterError  # noqa: E402
from allonym.language.sequences import END, PAD, SPECIAL, START, UNKNOWN, Vocabulary  # noqa: E402
from allonym.networks.a4nt._words import chosen_words  # noqa: E402
from allonym.networks.a4nt.inference import FURTHER_WORDS, A4ntReader, A4ntShape  # noqa: E402
from allonym.training.a4nt import judges, store  # noqa: E402
from allonym.training.a4nt import network as a4nt  # noqa: E402
from allonym.training.a4nt.draw import WordDraw  # noqa: E402

WORDS = 40
NEAR = 1e-3  # by rounding to 16 bits
SENTENCES = [[5, 6, 7, 3, 9, 8], [39], [10, 11], [12, 5, 5, 30, 31, 32, 33], [4, 20]] + [
    [4 + n, 5, 6] for n in range(20)
]


def networks(variant: str, classes: int = 2, *, conditioned: bool = False):
    torch.manual_seed(3)
    shape = a4nt.TranslatorShape(
        words=WORDS, classes=classes, variant=variant, conditioned=conditioned, embedding=12, hidden=12
    )
    translator = a4nt.make(shape).eval()
    judge = judges.Opponent(words=WORDS, classes=classes, embedding=6, hidden=7).eval()
    for network in (translator, judge):
        for weight in network.parameters():
            torch.nn.init.normal_(weight, std=0.5)
    return translator, judge


def vocabulary() -> Vocabulary:
    letters = "abcdefghijklmnopqrstuvwxyz"
    return Vocabulary((*SPECIAL, *(f"w{letters[n // 26]}{letters[n % 26]}" for n in range(WORDS - len(SPECIAL)))))


def reader_of(translator, judge) -> A4ntReader:
    weights = {f"translator.{name}": weight.numpy() for name, weight in translator.state_dict().items()}
    weights |= {f"judge.{name}": weight.numpy() for name, weight in judge.state_dict().items()}
    shape = A4ntShape(**vars(translator.shape), judge_embedding=6, judge_hidden=7)
    return A4ntReader(shape, weights, vocabulary(), [f"c{n}" for n in range(translator.shape.classes)])


def tensors(sentences):
    lengths = torch.tensor([len(sentence) for sentence in sentences])
    words = torch.full((len(sentences), int(lengths.max())), PAD)
    for row, sentence in zip(words, sentences, strict=True):
        row[: len(sentence)] = torch.tensor(sentence)
    return words, lengths


@pytest.mark.parametrize("variant", ["editor", "transformer"])
@pytest.mark.parametrize(("classes", "conditioned"), [(2, False), (3, True)])
def test_an_editor_rates_words_as_torch_does(variant, classes, conditioned):
    translator, judge = networks(variant, classes, conditioned=conditioned)
    reader = reader_of(translator, judge)
    words, lengths = tensors(SENTENCES)
    for source, target in ((0, 1), (1, 0), (classes - 1, 0)):
        with torch.no_grad():
            wanted = translator.ratings(words, lengths, a4nt.Direction(source, target), words).numpy()
        for row in range(5):
            found = reader.ratings(SENTENCES[row], source, target)
            assert np.abs(found - wanted[row, : lengths[row]]).max() < NEAR


def test_the_judge_gives_torchs_log_probabilities():
    translator, judge = networks("editor")
    words, lengths = tensors(SENTENCES)
    with torch.no_grad():
        wanted = judge(words, lengths).numpy()
    assert np.abs(reader_of(translator, judge).judged(SENTENCES) - wanted).max() < NEAR


class Likeliest(WordDraw):
    """Takes the likeliest word, without noise."""

    def __init__(self) -> None:
        super().__init__(torch.Generator())

    def noise(self, like):
        return torch.zeros_like(like)


@pytest.mark.parametrize("variant", ["editor", "transformer", "paper"])
@pytest.mark.parametrize("conditioned", [False, True])
def test_the_likeliest_translations_are_torchs(variant, conditioned):
    translator, judge = networks(variant, conditioned=conditioned)
    reader = reader_of(translator, judge)
    steps = max(map(len, SENTENCES)) + FURTHER_WORDS
    found = reader.drawn(SENTENCES, [0] * len(SENTENCES), 1, np.full((len(SENTENCES), 1, steps), -1.0))
    compared = 0
    for sentence, own in zip(SENTENCES, found, strict=True):
        with torch.no_grad():
            soft, lengths = translator.sample(*tensors([sentence]), a4nt.Direction(0, 1), Likeliest())
        wanted = soft[0, : int(lengths[0])].argmax(-1).tolist()
        if wanted[0] != END:  # the paper's translator may end at once; ours then writes one word at least
            assert own == [wanted]
            compared += 1
        assert own[0]
    assert compared >= 15


@pytest.mark.parametrize("variant", ["editor", "transformer", "paper"])
def test_company_and_order_do_not_matter(variant):
    reader = reader_of(*networks(variant))
    chance = np.linspace(0, 0.999, len(SENTENCES) * 3 * 12).reshape(len(SENTENCES), 3, 12)
    together = reader.drawn(SENTENCES, [0] * len(SENTENCES), 1, chance)
    backwards = reader.drawn(SENTENCES[::-1], [0] * len(SENTENCES), 1, chance[::-1])
    assert backwards[::-1] == together
    alone = [reader.drawn([s], [0], 1, chance[row : row + 1])[0] for row, s in enumerate(SENTENCES)]
    assert alone == together
    judged = reader.judged(SENTENCES)
    assert np.array_equal(np.concatenate([reader.judged([sentence]) for sentence in SENTENCES]), judged)


def test_words_are_drawn_from_the_softmax_of_their_ratings():
    weights = np.array([0.5, 0.0, 2.0, 1.5], dtype=np.float32)
    with np.errstate(divide="ignore"):
        ratings = np.log(np.tile(weights, (2, 1)))
    uniforms = (np.arange(4000) + 0.5)[None].repeat(2, 0) / 4000
    found = chosen_words(ratings, uniforms)
    assert np.bincount(found[0], minlength=4).tolist() == [500, 0, 2000, 1500]
    many = np.zeros((1, 1000), np.float32)  # several blocks of words
    assert (chosen_words(many, (np.arange(1000) + 0.5)[None] / 1000) == np.arange(1000)).all()
    some = np.full((1, 300), -np.inf, np.float32)
    some[0, [130, 140]] = 0.0
    assert chosen_words(some, np.array([[0.0, 0.499, 0.5, 1 - 2.0**-53]])).tolist() == [[130, 130, 140, 140]]
    assert chosen_words(np.log(weights + 1e-3)[None], np.array([[-1.0, 0.0, 1 - 2.0**-53]])).tolist() == [[2, 0, 3]]


@pytest.mark.parametrize("variant", ["editor", "transformer", "paper"])
@pytest.mark.parametrize("unknown", [False, True])
def test_special_tokens_are_not_written_and_unknown_only_where_it_may(variant, unknown):
    reader = reader_of(*networks(variant))
    chance = (np.arange(3000 * 9) * 0.618034 % 1).reshape(1, 3000, 9)
    found = reader.drawn([[UNKNOWN, 5, UNKNOWN]], [0], 1, chance, unknown=unknown)[0]
    words = {word for sample in found for word in sample}
    assert len(words) > 10
    assert words.isdisjoint({PAD, START})
    assert (UNKNOWN in words) == unknown
    if variant != "paper":
        assert all(sample[1] != UNKNOWN for sample in found)


def test_what_is_no_sentence_is_refused():
    reader = reader_of(*networks("editor"))
    for bad in ([], [WORDS], [-1]):
        with pytest.raises(ParameterError, match="at least one"):
            reader.judged([bad])
    with pytest.raises(ParameterError, match="uniforms"):
        reader.drawn([[5, 6]], [0], 1, np.zeros((1, 1, 3)))
    with pytest.raises(ParameterError, match="Only an editor"):
        reader_of(*networks("paper")).ratings([5], 0, 1)
    assert reader.judged([]).shape == (0, 2)


@pytest.fixture
def folder(tmp_path):
    translator, judge = networks("editor")
    facts = {"name": "tiny", "classes": ["teen", "adult"]}
    store.save(tmp_path / "tiny", translator, judge, vocabulary(), facts)
    (tmp_path / "tiny" / models.CARD).write_text("A tiny one.\n")
    models.seal(tmp_path / "tiny")
    return tmp_path / "tiny"


def test_a_folder_is_read_as_torch_reads_it(folder):
    translator, judge, _, _ = store.load(folder)
    reader = A4ntReader.open(folder)
    assert reader.classes == ("teen", "adult")
    words, lengths = tensors(SENTENCES[:1])
    with torch.no_grad():
        wanted = translator.ratings(words, lengths, a4nt.Direction(0, 1), words).numpy()[0]
        judged = judge(words, lengths).numpy()
    assert np.abs(reader.ratings(SENTENCES[0], 0, 1) - wanted).max() < NEAR
    assert np.abs(reader.judged(SENTENCES[:1]) - judged).max() < NEAR


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "erae"}, "not of the kind"),
        ({"shape": None}, "lacks sizes"),
        ({"judge": {}}, "lacks sizes"),
        ({"classes": ["teen"]}, "do not fit"),
        ({"classes": ["teen", "teen"]}, "do not fit"),
        ({"judge": {"embedding": 6, "hidden": 8}}, "lack"),
    ],
)
def test_a_folder_of_another_kind_is_refused(folder, change, message):
    config = json.loads((folder / models.CONFIG).read_text()) | change
    (folder / models.CONFIG).write_text(json.dumps(config))
    models.seal(folder)
    with pytest.raises(ModelError, match=message):
        A4ntReader.open(folder)


def test_a_damaged_file_is_refused(folder):
    content = bytearray((folder / models.WEIGHTS).read_bytes())
    content[-3] ^= 1
    (folder / models.WEIGHTS).write_bytes(content)
    with pytest.raises(ModelError, match="checksum"):
        A4ntReader.open(folder)


def test_weights_without_scales_or_with_nan_are_refused():
    translator, judge = networks("editor")
    reader = reader_of(translator, judge)
    weights = {f"translator.{name}": weight.numpy() for name, weight in translator.state_dict().items()}
    weights |= {f"judge.{name}": weight.numpy() for name, weight in judge.state_dict().items()}
    whole = weights | {"judge.embedding.weight": np.zeros((WORDS, 6), np.int8)}
    with pytest.raises(ModelError, match="scales"):
        A4ntReader(reader.shape, whole, vocabulary(), reader.classes)
    broken = weights | {"judge.output.bias": np.array([0, np.nan], np.float32)}
    with pytest.raises(ModelError, match="not finite"):
        A4ntReader(reader.shape, broken, vocabulary(), reader.classes)
    with pytest.raises(ModelError, match="variant"):
        A4ntReader(replace(reader.shape, variant="other"), weights, vocabulary(), reader.classes)
