"""Word tables: every format round trips, malformed files are named, the nearest word is exact."""

from __future__ import annotations

import copy
import gzip
import pickle
import struct
import time
from pathlib import Path

import numpy as np
import pytest

from allonym import acceleration
from allonym.embeddings import WordTable, load
from allonym.errors import InputError, ModelError, ParameterError

SHARED = Path(__file__).resolve().parents[1].parent / "shared" / "data"
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


def brute_force(vectors: np.ndarray, points: np.ndarray, k: int) -> np.ndarray:
    wide = vectors.astype(np.float64)
    distance = ((wide[None] - points[:, None]) ** 2).sum(axis=2)
    return np.argsort(distance, axis=1, kind="stable")[:, :k]


@pytest.mark.parametrize("k", [1, 2, 7])
@pytest.mark.parametrize("noise", [0.0, 0.1, 3.0, 100.0])
def test_nearest_is_brute_force(k, noise):
    vectors = grid(500, 17)
    table = WordTable(tuple(map(str, range(500))), vectors)
    points = vectors[::3].astype(np.float64) + noise * grid(167, 17, 0.7548776662)
    np.testing.assert_array_equal(table.nearest(points, k), brute_force(vectors, points, k))
    one = table.nearest(points[0], k)
    assert one.shape == (1, k)
    np.testing.assert_array_equal(one[0], table.nearest(points, k)[0])


def test_nearest_ties_and_near_ties():
    vectors = np.array([[1, 0], [0, 1], [1, 0], [-1, 0], [1, 1e-7]], dtype=np.float32)
    table = WordTable(tuple("abcde"), vectors)
    assert table.nearest(np.zeros((3, 2)))[:, 0].tolist() == [0, 0, 0]
    assert table.nearest([[1, 0]], 3)[0].tolist() == [0, 2, 4]
    assert table.nearest([[1, 9e-8]])[0, 0] == 4  # float32 cannot tell these apart
    assert table.nearest([[1, 4e-8]])[0, 0] == 0


def test_nearest_does_not_depend_on_batching():
    table = load(limit=3000)
    points = table.vectors[:400].astype(np.float64) + 0.5 * grid(400, table.dimensions)
    whole = table.nearest(points)
    single = np.concatenate([table.nearest(point) for point in points])
    np.testing.assert_array_equal(whole, single)


@pytest.fixture(params=["compiled", "numpy"])
def path_of_nearest(request, monkeypatch):
    entries = 0 if request.param == "compiled" else 10**18
    monkeypatch.setattr(acceleration, "_ENTRIES_WORTH_COMPILING", entries)
    return request.param


def exact_scores(vectors: np.ndarray, points: np.ndarray) -> np.ndarray:
    """|v|²/2 − q·v in float64: orders words as the distance does, without the cancellation of |v − q|² at large |q|."""
    wide = vectors.astype(np.float64)
    return (wide**2).sum(axis=1) / 2 - points @ wide.T


def wide_table(rows: int = 2000, columns: int = 20) -> WordTable:
    return WordTable(tuple(map(str, range(rows))), grid(rows, columns))


def test_nearest_of_many_queries_is_brute_force(path_of_nearest):
    table = wide_table()
    queries = 100_000
    lengths = 10.0 ** np.linspace(-3, 2, queries)
    points = table.vectors[np.arange(queries) % len(table)] + lengths[:, None] * grid(queries, 20, 0.7548776662)
    found = table.nearest(points)[:, 0]
    for at in range(0, queries, 10_000):
        expected = exact_scores(table.vectors, points[at : at + 10_000]).argmin(axis=1)
        np.testing.assert_array_equal(found[at : at + 10_000], expected)


def test_nearest_of_words_themselves_and_of_doubles(path_of_nearest):
    vectors = grid(700, 20)
    doubled = np.concatenate([vectors, vectors, vectors[::-1]])
    table = WordTable(tuple(map(str, range(len(doubled)))), doubled)
    np.testing.assert_array_equal(table.nearest(vectors)[:, 0], np.arange(700))
    np.testing.assert_array_equal(table.nearest(doubled)[:, 0], [*range(700), *range(700), *range(699, -1, -1)])


def test_nearest_breaks_ties_to_the_lowest_row(path_of_nearest):
    vectors = np.repeat(np.float32([[3, 0], [1, 0], [-1, 0], [0, 1]]), [3, 500, 500, 500], axis=0)
    table = WordTable(tuple(map(str, range(len(vectors)))), vectors)
    points = np.array([[0, 0], [9, 0], [1, 0], [0.5, 0.5], [-1, 1], [-1, 1.001]])
    assert table.nearest(points)[:, 0].tolist() == [3, 0, 3, 3, 503, 1003]
    one_word = WordTable(tuple(map(str, range(200))), np.ones((200, 3)))
    assert one_word.nearest(grid(50, 3)).max() == 0


def test_nearest_under_huge_noise_and_far_from_the_origin(path_of_nearest):
    table = wide_table()
    points = 1e6 * grid(3000, 20, 0.7548776662)
    np.testing.assert_array_equal(table.nearest(points)[:, 0], exact_scores(table.vectors, points).argmin(axis=1))
    shifted = WordTable(table.words, table.vectors + np.float32(1000))  # float32 cannot tell these apart
    near = shifted.vectors[:200] + 0.1 * grid(200, 20, 0.7548776662)
    np.testing.assert_array_equal(shifted.nearest(near), brute_force(shifted.vectors, near, 1))


def test_nearest_with_numbers_at_the_edges_of_float32(path_of_nearest):
    directions = grid(300, 5)
    for scale in (1e-30, 1e-22, 1e18, 1.5e19, 3e20, 1e38):
        vectors = (directions * scale).astype(np.float32)
        table = WordTable(tuple(map(str, range(300))), vectors)
        points = np.clip(vectors[::7].astype(np.float64), -9e29, 9e29)
        points[0] = 0
        expected = exact_scores(vectors, points).argmin(axis=1)
        np.testing.assert_array_equal(table.nearest(points)[:, 0], expected)


def test_nearest_k_is_the_same_on_both_paths(monkeypatch):
    table = wide_table()
    points = table.vectors[:600] + 0.3 * grid(600, 20, 0.7548776662)
    plain = {k: table.nearest(points, k) for k in (1, 2, 5)}
    monkeypatch.setattr(acceleration, "_ENTRIES_WORTH_COMPILING", 0)
    for k, expected in plain.items():
        np.testing.assert_array_equal(table.nearest(points, k), expected)
    np.testing.assert_array_equal(plain[5], brute_force(table.vectors, points, 5))
    np.testing.assert_array_equal(np.concatenate([table.nearest(point) for point in points[:50]]), plain[1][:50])
    assert table.nearest(np.empty((0, 20))).shape == (0, 1)


def test_nearest_refuses():
    table = WordTable(WORDS, VECTORS)
    for queries, k in [(np.ones((1, 3)), 1), (np.full((1, 20), np.nan), 1), (VECTORS, 0), (VECTORS, 7)]:
        with pytest.raises(ParameterError):
            table.nearest(queries, k)
    assert table.nearest(np.empty((0, 20))).shape == (0, 1)


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


def test_large_text_loads_fast(tmp_path):
    path = tmp_path / "v.txt"
    row = " ".join(["-0.123456"] * 100)
    path.write_text("".join(f"w{i} {row}\n" for i in range(20_000)), encoding="utf-8")
    start = time.perf_counter()
    assert len(load(path)) == 20_000
    assert time.perf_counter() - start < 5  # 0.5 s here; generous, for a busy machine
