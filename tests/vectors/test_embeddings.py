"""Word tables: every format round trips, malformed files are named, and what is shipped makes sense."""

from __future__ import annotations

import copy
import gzip
import pickle
import struct
from pathlib import Path

import numpy as np
import pytest

from allonym.errors import InputError, ModelError, ParameterError
from allonym.vectors.embeddings import WordTable, load

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"
WORDS = ("the", "naïve", "don't", "日本", "new_york", "x")
SECRET = "zebrasecret"


def grid(rows: int, columns: int, step: float = 0.618033988749) -> np.ndarray:
    """Well-spread numbers in (-1, 1) without a random source."""
    values = np.modf(np.arange(1, rows * columns + 1) * step)[0]
    return (2 * values - 1).reshape(rows, columns).astype(np.float32)


VECTORS = grid(len(WORDS), 20)


def text_lines(words=WORDS, vectors=VECTORS) -> bytes:
    rows = (" ".join([word, *(repr(float(value)) for value in row)]) for word, row in zip(words, vectors, strict=True))
    return ("\n".join(rows) + "\n").encode()


def binary(words=WORDS, vectors=VECTORS, ending: bytes = b"\n") -> bytes:
    records = (
        word.encode() + b" " + struct.pack(f"<{len(row)}f", *row) + ending
        for word, row in zip(words, vectors, strict=True)
    )
    return f"{len(words)} {vectors.shape[1]}\n".encode() + b"".join(records)


def same(table: WordTable, words=WORDS, vectors=VECTORS) -> None:
    assert table.words == tuple(words)
    np.testing.assert_array_equal(table.vectors, vectors)


HEADER = f"{len(WORDS)} {VECTORS.shape[1]}\n".encode()


@pytest.mark.parametrize(
    "data",
    [
        text_lines(),
        HEADER + text_lines(),
        text_lines().replace(b"\n", b" \r\n"),
        text_lines().replace(b" ", b"\t"),
        text_lines().replace(b" ", b"  "),
        b"\xef\xbb\xbf" + text_lines() + b"\n\n",
        gzip.compress(text_lines()),
        gzip.compress(HEADER + text_lines()),
        binary(),
        binary(ending=b""),
        gzip.compress(binary()),
    ],
    ids=[
        "glove",
        "word2vec",
        "crlf",
        "tabs",
        "doubled-spaces",
        "bom",
        "glove-gz",
        "word2vec-gz",
        "bin",
        "bin-tight",
        "bin-gz",
    ],
)
def test_formats_are_told_by_content(tmp_path, data):
    path = tmp_path / "vectors.any"
    path.write_bytes(data)
    same(load(path))
    same(load(str(path), limit=2), WORDS[:2], VECTORS[:2])
    same(load(path, limit=99))


def test_binary_is_recognised_wherever_newline_bytes_fall(tmp_path):
    path = tmp_path / "v.bin"
    for step in np.linspace(0.1, 0.9, 60):
        vectors = grid(4, 25, step)
        vectors[0, 0] = struct.unpack("<f", b"ab\nc")[0]
        path.write_bytes(binary(WORDS[:4], vectors))
        same(load(path), WORDS[:4], vectors)


def test_npy_with_vocabulary_beside_it_or_named(tmp_path):
    path = tmp_path / "v.npy"
    np.save(path, VECTORS.astype(np.float16))
    half = VECTORS.astype(np.float16).astype(np.float32)
    with pytest.raises(InputError, match="vocabulary="):
        load(path)
    (tmp_path / "vocab_a.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    same(load(path), vectors=half)
    (tmp_path / "vocab_b.txt").write_text("\n".join(WORDS), encoding="utf-8")
    with pytest.raises(InputError, match="2 other files"):
        load(path)
    same(load(path, vocabulary=tmp_path / "vocab_b.txt"), vectors=half)
    same(load(path, vocabulary=WORDS, limit=3), WORDS[:3], half[:3])
    (tmp_path / "v.txt").write_text("\r\n".join(WORDS), encoding="utf-8")
    same(load(path), vectors=half)
    with pytest.raises(InputError, match="6 vectors but its vocabulary 2 words"):
        load(path, vocabulary=["a", "b"])
    with pytest.raises(InputError, match="cannot be read"):
        load(path, vocabulary=tmp_path / "absent.txt")


def test_malformed_npy(tmp_path):
    path = tmp_path / "v.npy"
    np.save(path, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="NumPy"):
        load(path, vocabulary=["a"])
    np.save(path, np.ones(3))
    with pytest.raises(InputError, match="shape"):
        load(path, vocabulary=["a"])
    np.save(path, np.array([[np.nan], [1.0]]))
    with pytest.raises(InputError, match="NaN"):
        load(path, vocabulary=["a", "b"])
    np.save(path, VECTORS)
    whole = path.read_bytes()
    for damaged in (whole[:-9], whole[:50], whole.replace(b"{'descr'", b"('descr'"), whole.replace(b"<f4", b"<}4")):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match="whole NumPy array"):
            load(path, vocabulary=WORDS)


def test_objects_are_tables_too():
    table = WordTable(WORDS, VECTORS)
    assert load(table) is table
    same(load((WORDS, VECTORS)))
    same(load((list(WORDS), VECTORS.tolist())))
    same(load(dict(zip(WORDS, VECTORS, strict=True))))
    same(load(table, limit=1), WORDS[:1], VECTORS[:1])
    ragged = [[1.0], [1.0, 2.0]]
    for wrong in (42, ("a", [1.0], "b"), [1.0], (["a", "b"], ragged), dict(zip("ab", ragged, strict=True))):
        with pytest.raises(ParameterError):
            load(wrong)


BAD_LINE = {
    "ragged-short": f"{SECRET} 1 2\n",
    "ragged-long": f"{SECRET} 1 2 3 4\n",
    "word-only": f"{SECRET}\n",
    "not-a-number": f"{SECRET} 1 two 3\n",
    "nan": f"{SECRET} 1 nan 3\n",
    "infinite": f"{SECRET} 1 inf 3\n",
    "too-large": f"{SECRET} 1 1e39 3\n",
    "nul": f"{SECRET} 1 \0 3\n",
}


@pytest.mark.parametrize("bad", BAD_LINE.values(), ids=BAD_LINE)
def test_a_bad_line_is_named_by_number_and_never_shown(tmp_path, bad):
    path = tmp_path / "v.txt"
    path.write_text("a 1 2 3\nb 1 2 3\n" + bad + "c 4 5 6\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"Line 3 of v\.txt") as caught:
        load(path)
    assert SECRET not in str(caught.value)


def test_bad_line_far_down_and_after_a_header(tmp_path):
    path = tmp_path / "v.txt"
    path.write_text("10000 2\n" + "".join(f"w{i} {i} 1\n" for i in range(9998)) + "x 1\ny 1 2\n", encoding="utf-8")
    with pytest.raises(InputError, match="Line 10000 "):
        load(path)


def test_undecodable_word(tmp_path):
    path = tmp_path / "v.txt"
    path.write_bytes(b"a 1 2\n\xff\xfe 1 2\n")
    with pytest.raises(InputError, match=r"line 2 of v\.txt is not UTF-8"):
        load(path)
    path.write_bytes(binary().replace("naïve".encode(), b"na\xffve"))
    with pytest.raises(InputError, match=r"vector 2 of v\.txt is not UTF-8"):
        load(path)


def test_words_with_spaces_are_words(tmp_path):
    path = tmp_path / "v.txt"
    path.write_text("a 1 2\n. . . 3 4\n", encoding="utf-8")
    same(load(path), ("a", ". . ."), np.array([[1, 2], [3, 4]]))


@pytest.mark.parametrize("data", [b"", b"\n", b"word\n", b"\x80\x04\x95abc\n", b"0 5\n", b"3 0\n", b"5 3\na 1 2 3\n"])
def test_files_without_a_table(tmp_path, data):
    path = tmp_path / "v"
    path.write_bytes(data)
    with pytest.raises(InputError):
        load(path)


def test_truncated_files(tmp_path):
    path = tmp_path / "v"
    for whole in (binary(), binary(ending=b""), HEADER + text_lines(), gzip.compress(binary())):
        for cut in (40, 100, 300):  # text cut inside its very last number still reads as a number
            path.write_bytes(whole[:-cut])
            with pytest.raises(InputError):
                load(path)
    path.write_bytes(b"999999999999 300\n" + bytes(2000))  # a promise of 1 PB is not believed
    with pytest.raises(InputError, match="ends before"):
        load(path)


def test_missing_file_and_wrong_arguments(tmp_path):
    with pytest.raises(InputError, match="words-en"):
        load(tmp_path / "absent.txt")
    with pytest.raises(ModelError):
        load(tmp_path)
    with pytest.raises(ParameterError, match="limit"):
        load(limit=0)
    path = tmp_path / "v.txt"
    path.write_bytes(text_lines())
    with pytest.raises(ParameterError, match="vocabulary"):
        load(path, vocabulary=WORDS)


def test_first_of_equal_words_wins_in_a_file(tmp_path):
    path = tmp_path / "v.txt"
    path.write_text("a 1\nb 2\na 3\nc 4\n", encoding="utf-8")
    same(load(path), "abc", np.array([[1], [2], [4]]))
    same(load(path, limit=3), "abc", np.array([[1], [2], [4]]))


def test_constructor_checks_and_freezes():
    for words, vectors in [
        ((), np.ones((0, 2))),
        (("a",), np.ones((2, 2))),
        (("a",), np.ones(1)),
        (("a",), np.ones((1, 0))),
        (("a",), [[np.nan]]),
        (("a",), [[1e300]]),
        (("a", "a"), np.ones((2, 2))),
        (("",), np.ones((1, 2))),
        ((3,), np.ones((1, 2))),
        (("a", "b"), [[1.0], [1.0, 2.0]]),
        (("a",), [["x"]]),
    ]:
        with pytest.raises(ParameterError):
            WordTable(words, vectors)
    mine = VECTORS.copy()
    table = WordTable(WORDS, mine)
    mine[:] = 0
    same(table)
    with pytest.raises(ValueError, match="read-only"):
        table.vectors[0, 0] = 1
    with pytest.raises(AttributeError):
        table.words = ()


def test_look_up():
    table = WordTable(WORDS, VECTORS)
    assert len(table) == 6
    assert table.dimensions == 20
    assert table.index("日本") == 3
    assert table.index("The") is None
    assert "x" in table
    assert 3 not in table
    assert table.rows(["x", "?", "the"]).tolist() == [5, -1, 0]
    assert table.rows([]).dtype == np.int64
    assert repr(table) == "WordTable(6 words, 20 dimensions)"


def test_fingerprint_pickle_and_copy():
    table = WordTable(WORDS, VECTORS)
    again = pickle.loads(pickle.dumps(table))
    assert again.fingerprint == table.fingerprint
    assert not again.vectors.flags.writeable
    assert copy.deepcopy(table) is table
    others = [WordTable(WORDS[::-1], VECTORS), WordTable(WORDS, -VECTORS), table.first(5)]
    assert len({table.fingerprint, *(other.fingerprint for other in others)}) == 4


def test_unit_keeps_zero_and_survives_extremes():
    table = WordTable(tuple("abc"), np.array([[0, 0], [3e-30, 4e-30], [3e38, 0]]))
    np.testing.assert_allclose(table.unit(), [[0, 0], [0.6, 0.8], [1, 0]], rtol=1e-6)
    assert table.unit().dtype == np.float32
    assert not table.unit().flags.writeable


@pytest.mark.parametrize(
    ("word", "expected"),
    [("car", "cars"), ("doctor", "physician"), ("happy", "glad"), ("quickly", "rapidly"), ("king", "queen")],
)
def test_shipped_neighbours_are_sensible(word, expected):
    assert expected in [other for other, _ in load().neighbours(word, 25)]


def test_shipped_table():
    table = load()
    assert load("words-en") is table
    assert 28_000 <= len(table) <= 32_000
    assert {"the", "a", "i", "don't", "it's"} < set(table.words)
    np.testing.assert_allclose(np.linalg.norm(table.vectors, axis=1), 1, atol=0.02)
    rows = np.arange(0, len(table), 7)
    np.testing.assert_array_equal(table.nearest(table.vectors[rows])[:, 0], rows)  # every word is reachable
    with pytest.raises(ParameterError):
        table.neighbours("notawordatall")


def test_real_glove():
    folder = SHARED / "glove_wink"
    if not folder.is_dir():
        pytest.skip("the GloVe vectors of shared/data are not here")
    table = load(folder / "vectors_100k_f16.npy")
    assert (len(table), table.dimensions) == (100_000, 100)
    assert "dog" in [word for word, _ in table.neighbours("cat", 5)]


def test_large_text_loads_whole(tmp_path):
    path = tmp_path / "v.txt"
    row = " ".join(["-0.123456"] * 100)
    path.write_text("".join(f"w{i} {row}\n" for i in range(20_000)), encoding="utf-8")
    table = load(path)
    assert len(table) == 20_000
    np.testing.assert_allclose(table.vectors, np.float32(-0.123456))
