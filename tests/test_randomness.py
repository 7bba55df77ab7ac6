from __future__ import annotations

import ast
import copy
import os
import pickle
import re
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from allonym.errors import AllonymError, ParameterError
from allonym.randomness import fold, insecure, reopened, secure

SOURCE = Path(__file__).resolve().parents[1] / "src" / "allonym"
DIGESTS = [bytes([i]) * 32 for i in range(6)]


def test_the_same_key_gives_the_same_words_and_another_does_not():
    key = secure().key
    assert (secure(key).words(100) == secure(key).words(100)).all()
    assert not (secure().words(100) == secure().words(100)).any()
    assert (insecure(7).words(100) == insecure(7).words(100)).all()
    assert not (insecure(7).words(100) == insecure(8).words(100)).any()


def test_a_known_answer_stays_the_same():
    """A change of these numbers breaks every resumed job: it needs a new name, not a new value."""
    assert insecure(2026).words(2).tolist() == [8765237563287090214, 12837260765980117151]
    streams = insecure(2026).documents([b"x" * 32])
    assert streams.words((1, 2)).tolist() == [[11008048131196110757, 8212580954410128649]]


def test_the_key_stream_is_aes_in_counter_mode():
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    from allonym.randomness import _counter_mode

    key, nonce = bytes(range(32)), np.array([[1, 2, 3]], ">u4")
    cipher = Cipher(algorithms.AES(key), modes.CTR(nonce.tobytes() + b"\0\0\0\0")).encryptor()
    assert _counter_mode(key, nonce, 7).tobytes() == cipher.update(bytes(56))


def test_a_sequence_does_not_repeat():
    rng = secure()
    words = np.concatenate([rng.words(1000) for _ in range(20)])
    assert len(np.unique(words)) == 20_000


def test_lanes_can_be_read_in_any_order():
    lanes = secure().lanes((3, 5))
    late, early = lanes(4), lanes(0)
    assert (lanes(4) == late).all()
    assert not (late == early).any()


def test_document_streams_depend_on_position_text_and_key_only():
    whole = insecure(1).documents(DIGESTS).words((6, 11))
    parts = [insecure(1).documents(DIGESTS[i : i + 2], start=i).words((2, 11)) for i in (0, 2, 4)]
    assert (whole == np.concatenate(parts)).all()
    moved = insecure(1).documents(DIGESTS, start=1).words((6, 11))
    assert not (whole == moved).any()
    swapped = insecure(1).documents(DIGESTS[::-1]).words((6, 11))
    assert not (whole == swapped).any()
    assert not (whole == insecure(2).documents(DIGESTS).words((6, 11))).any()


def test_every_release_under_one_stream_has_noise_of_its_own():
    for rng in (secure(), insecure(1)):
        drawn = [rng.documents(DIGESTS).words((6, 11)) for _ in range(4)]
        drawn += [rng.one_release().documents(DIGESTS).words((6, 11))]
        assert len(np.unique(np.concatenate(drawn))) == 5 * 66


def test_settings_purpose_and_key_each_change_the_noise():
    key = secure().key
    draws = [
        secure(key).documents(DIGESTS),
        secure(key).documents(DIGESTS, settings=b"one"),
        secure(key).documents(DIGESTS, settings=b"other"),
        secure(key).one_release(b"one").documents(DIGESTS),
        secure(key).one_release(b"one").documents(DIGESTS, settings=b"one"),
        secure().documents(DIGESTS, settings=b"one"),
    ]
    assert len(np.unique(np.concatenate([streams.words((6, 11)) for streams in draws]))) == 6 * 66


def test_one_release_is_the_same_in_any_batches_and_when_it_is_taken_up_again():
    for rng in (secure(), insecure(1)):
        release = rng.one_release(b"a job")
        whole = release.documents(DIGESTS, settings=b"s").words((6, 11))
        again = reopened(release.key, repeatable=release.repeatable)
        assert again.repeatable is rng.repeatable
        for one in (release, again):
            parts = [one.documents(DIGESTS[i : i + 2], i, b"s").words((2, 11)) for i in (0, 2, 4)]
            assert (whole == np.concatenate(parts)).all()


def test_threads_never_share_a_release():
    rng = secure()
    with ThreadPoolExecutor(8) as pool:
        keys = list(pool.map(lambda _: rng.one_release().key, range(2000)))
    assert len(set(keys)) == 2000


def test_calls_on_one_document_stream_differ():
    streams = insecure(1).documents(DIGESTS)
    assert not (streams.words((6, 4)) == streams.words((6, 4))).any()


def test_segments_and_parts_of_a_document_stream_repeat_nothing_drawn_before():
    streams = insecure(1).documents(DIGESTS)
    drawn = [streams.words((6, 4)), streams.part(0, 6).words((6, 4))]
    drawn += [streams.segments([1] * 6, size).words((6, 4)) for size in (1, 1, 2, 1)]
    assert len(np.unique(np.concatenate(drawn))) == 6 * 24


def test_a_longer_draw_begins_like_a_shorter_one():
    short, long = (insecure(1).documents(DIGESTS).words((6, n)) for n in (3, 9))
    assert (long[:, :3] == short).all()


@pytest.mark.parametrize("bound", [1, 2, 3, 10, 2**31 + 11, 2**62 + 1])
def test_below_is_uniform(bound):
    values = insecure(3).below(bound, (200_000,))
    assert values.min() >= 0
    assert values.max() < bound
    cells = np.bincount(np.minimum(values * 16.0 // bound, 15).astype(int), minlength=16)
    edges = [sum(1 for v in range(bound) if v * 16 // bound == c) for c in range(16)] if bound <= 10 else [1] * 16
    expected = np.array(edges) / sum(edges) * len(values)
    held = expected > 0
    assert cells[~held].sum() == 0
    if held.sum() > 1:
        assert stats.chisquare(cells[held], expected[held]).pvalue > 1e-6


def test_fold_keeps_exactly_the_multiples_of_the_bound():
    """All 2^64 words cannot be tried, but the edge can: each residue is kept equally often."""
    for bound in (3, 6, 10, 2**63 - 25, 2**44 * 30_000):
        whole = 2**64 // bound * bound
        edge = np.array([whole - 1, min(whole, 2**64 - 1), 2**64 - 1], np.uint64)
        values, kept = fold(edge, np.full(3, bound, np.uint64))
        assert values[0] == bound - 1
        assert kept.tolist() == [True, whole == 2**64, whole == 2**64]


def test_bad_bounds_keys_and_seeds_are_refused():
    for bounds in (0, -1, 1.5):
        with pytest.raises(ParameterError):
            secure().below(bounds)
    for seed in (1.5, "1", True, None):
        with pytest.raises(ParameterError):
            insecure(seed)
    with pytest.raises(ParameterError):
        secure(b"short")
    with pytest.raises(ParameterError):
        secure().documents(DIGESTS).words((5, 2))


def test_a_stream_is_never_copied_and_never_shows_its_key():
    for rng in (secure(), secure().one_release()):
        for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(AllonymError, match="repeat its noise"):
                attempt(rng)
        assert rng.key.hex() not in repr(rng)
        assert str(rng.key) not in repr(rng)


def _blocks(rng) -> bytes:
    return rng.words(20_000).tobytes() + rng.documents(DIGESTS).words((6, 1000)).tobytes()


def test_forked_workers_share_no_noise():
    rng = secure()
    rng.words(3)
    with get_context("fork").Pool(8) as pool:
        streams = [pool.apply_async(_inherited_blocks) for _ in range(16)]
        blocks = [stream.get() for stream in streams]
    blocks.append(_inherited_blocks())
    pieces = [stream[i : i + 16] for stream in blocks for i in range(0, len(stream), 16)]
    assert len(set(pieces)) == len(pieces)


INHERITED = secure()


def _inherited_blocks() -> bytes:
    return _blocks(INHERITED)


FORBIDDEN = re.compile(
    r"^(random|secrets|numpy\.random|np\.random|os\.urandom|uuid|torch\.(rand|normal|multinomial|bernoulli|manual_seed))"
)


def _names(tree: ast.AST) -> list[str]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [f"{node.module}.{alias.name}" for alias in node.names] + [node.module]
        elif isinstance(node, ast.Attribute):
            found.append(ast.unparse(node))
    return found


def _random_sources(source: str) -> list[str]:
    return [name for name in _names(ast.parse(source)) if FORBIDDEN.match(name)]


def test_nothing_random_outside_this_module():
    for path in SOURCE.rglob("*.py"):
        if path.name != "randomness.py":
            assert not _random_sources(path.read_text("utf-8")), f"{path.name} has a random source of its own"


@pytest.mark.parametrize(
    "line",
    [
        "import random",
        "from random import choice",
        "import secrets",
        "import numpy as np\nnp.random.seed(1)",
        "from numpy.random import default_rng",
        "import os\nos.urandom(3)",
        "from os import urandom",
        "import torch\ntorch.randn(3)",
        "import uuid",
    ],
)
def test_the_search_for_random_sources_finds_them(line):
    assert _random_sources(line)


def test_the_process_matters_to_secure_streams_only(monkeypatch):
    secret, repeatable = secure(bytes(32)), insecure(1)
    before = secure(bytes(32)).words(4), insecure(1).words(4)
    released = [rng.documents(DIGESTS).words((6, 4)) for rng in (secure(bytes(32)), insecure(1))]
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert not (secret.words(4) == before[0]).any()
    assert (repeatable.words(4) == before[1]).all()
    assert not (secret.documents(DIGESTS).words((6, 4)) == released[0]).any()
    assert (repeatable.documents(DIGESTS).words((6, 4)) == released[1]).all()
