"""The contract every anonymizer keeps, run on each one found by file name."""

from __future__ import annotations

import json
import pickle
from multiprocessing import get_context

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import allonym
from allonym import anonymizers
from allonym.errors import AllonymError, InputError, MissingDependencyError
from allonym.privacy import Guarantee
from allonym.randomness import insecure, secure

UNKNOWN = ["qzxjvk", "wvutsrqpx", "zzyzxxkq"]
TEXTS = [
    "A quiet morning by the harbour, with gulls and a little rain.",
    "",
    "harbour",
    " ".join(UNKNOWN),
    "🧑‍🚀🚀 👩‍👩‍👧‍👦 ✨",
    "שלום עולם, מה שלומך היום?",
    "Быстрая лиса перепрыгнула через собаку 42 раза",
    "私は昨日、港で猫を見ました。",
    "NUL\x00 and \ud800 a lone surrogate\u202e bidi",
    "the of and to in",
    "rain " * 30,
    "harbour",
]
LONG = "harbour rain morning gull letter committee " * 17_000
EXAMPLES = sorted(anonymizers.examples().items())


def ready(example, name: str):
    """Return the example as a test's parameter; skipped, with the reason, where a package is missing."""
    return pytest.param(example, id=name, marks=pytest.mark.skipif(bool(example.missing()), reason=example.missing()))


examples = pytest.mark.parametrize("example", [ready(e, name) for name, e in EXAMPLES])
private = pytest.mark.parametrize("example", [ready(e, name) for name, e in EXAMPLES if e.guarantee().formal])


def plain(payload) -> list:
    return payload.toarray().tolist() if sparse.issparse(payload) else list(payload)


def words_out(example, payload) -> set[str]:
    if sparse.issparse(payload):
        return {str(example.get_feature_names_out()[column]) for column in payload.indices}
    return {word for text in payload for word in text.split()}


def test_the_registry_finds_every_file():
    assert {"syntf", "identity", "random-replacement"} <= set(anonymizers.examples())
    with pytest.raises(AllonymError, match="choose one of"):
        anonymizers.find("magic")


@examples
def test_same_key_same_output_and_another_key_another(example):
    first = plain(example.release(TEXTS, rng=insecure(1)).payload)
    assert plain(example.release(TEXTS, rng=insecure(1)).payload) == first
    again = plain(example.release(TEXTS, rng=insecure(2)).payload)
    if example.guarantee().formal:
        assert again != first
    assert example.draws or again == first


@private
def test_two_calls_draw_fresh_noise(example):
    assert plain(example.transform(TEXTS)) != plain(example.transform(TEXTS))


@private
@pytest.mark.parametrize("stream", [secure, lambda: insecure(1)])
def test_two_releases_under_one_stream_draw_fresh_noise(example, stream):
    """Else what was promised for both together would be false: the second tells the noise of the first."""
    rng = stream()
    releases = [plain(example.release(TEXTS, rng=rng).payload) for _ in range(3)]
    releases.append(plain(example.release(TEXTS, rng=rng.one_release()).payload))
    assert len({str(rows) for rows in releases}) == len(releases)


@examples
def test_other_settings_get_other_noise_even_under_the_same_key(example):
    key, seen = secure().key, []
    for name, value in example.get_params(deep=False).items():
        if isinstance(value, float | int) and not isinstance(value, bool):
            changed = clone(example).set_params(**{name: value + 1 if isinstance(value, int) else value / 2})
            seen.append((changed.method, changed.settings_digest()))
    seen.append((example.method, example.settings_digest()))
    assert len(set(seen)) == len(seen)
    streams = [secure(key).documents([b"text"], settings=settings).words((1, 50)) for _, settings in seen]
    assert len(np.unique(np.concatenate(streams))) == 50 * len(seen)


def test_no_two_methods_share_a_stream():
    digests = {example.settings_digest() for example in anonymizers.examples().values()}
    assert len(digests) == len(anonymizers.examples())


@examples
def test_a_job_draws_its_batches_from_one_release(example):
    for rng in (secure(), insecure(4)):
        one = rng.one_release()
        whole = plain(example.release(TEXTS, rng=one).payload)
        parts = [
            row for i in range(0, 12, 5) for row in plain(example.release(TEXTS[i : i + 5], rng=one, start=i).payload)
        ]
        assert parts == whole[: len(parts)]


@private
def test_the_same_text_elsewhere_gets_other_noise(example):
    rows = plain(example.release(["a rainy harbour"] * 40, rng=insecure(3)).payload)
    assert len({str(row) for row in rows}) > 30


@private
def test_another_text_at_the_same_place_gets_other_noise(example):
    """One changed character that no method looks at (a space) must still change the stream."""
    first, second = (plain(example.release([text], rng=insecure(3)).payload) for text in ("harbour", "harbour "))
    assert first != second


@examples
@pytest.mark.parametrize("size", [1, 5, 12])
def test_batch_size_does_not_matter(example, size):
    whole = plain(example.release(TEXTS, rng=insecure(4)).payload)
    parts = []
    for start in range(0, len(TEXTS), size):
        parts += plain(example.release(TEXTS[start : start + size], rng=insecure(4), start=start).payload)
    assert parts == whole


def _in_worker(job: tuple[str, bytes, int, list[str]]) -> list:
    method, key, start, texts = job
    return plain(anonymizers.examples()[method].release(texts, rng=secure(key), start=start).payload)


@examples
def test_processes_do_not_matter(example):
    key = secure().key
    jobs = [(example.method, key, start, TEXTS[start : start + 3]) for start in range(0, len(TEXTS), 3)]
    with get_context("fork").Pool(4) as pool:
        by_workers = [row for part in pool.map(_in_worker, jobs) for row in part]
    assert by_workers == _in_worker((example.method, key, 0, TEXTS))
    if example.guarantee().formal:
        assert by_workers != _in_worker((example.method, secure().key, 0, TEXTS))


@private
def test_no_unknown_word_comes_through(example):
    out = words_out(example, example.release(TEXTS * 3, rng=insecure(5)).payload)
    assert out
    assert out.isdisjoint(UNKNOWN)


@private
def test_output_size_does_not_follow_input_size(example):
    payload = example.release([*TEXTS, LONG], rng=insecure(6)).payload
    if sparse.issparse(payload):
        assert set(payload.sum(axis=1).tolist()) == {example.words}
    elif example.guarantee().drawn == "sentence":  # as many as are drawn, or fewer where silence was drawn
        public = [line.split() for line in example.book_.sentences]
        assert max(len(text.split()) for text in payload) <= example.guarantee().words * max(map(len, public))
    elif example.guarantee().drawn == "note":  # written out with room for what stands between them
        assert max(len(text.split()) for text in payload) <= example.writer_.most_words(example.notes)
    elif example.draws_its_length:  # like any word, up to a number that is the same for all
        assert max(len(text.split()) for text in payload) <= example.guarantee().words
    else:
        assert {len(text.split()) for text in payload} == {example.words}


@examples
def test_one_row_a_document(example):
    for texts in ([], ["harbour"], TEXTS):
        payload = example.release(texts, rng=insecure(7)).payload
        assert (payload.shape[0] if sparse.issparse(payload) else len(payload)) == len(texts)


@examples
def test_every_release_reads_as_texts(example):
    release = example.release(TEXTS, rng=insecure(7))
    assert [type(text) for text in release.texts()] == [str] * len(TEXTS)
    if sparse.issparse(release.payload):
        counts = release.counts()
        assert [sum(row.values()) for row in counts] == [len(text.split()) for text in release.texts()]
        assert all(list(row.values()) == sorted(row.values(), reverse=True) for row in counts)


def test_what_is_missing_is_said_before_anything_is_done(monkeypatch):
    example = clone(anonymizers.examples()["random-replacement"])
    monkeypatch.setattr(type(example), "missing", lambda self: "Nothing works without a kettle: buy one.")
    with pytest.raises(MissingDependencyError, match="kettle"):
        example.transform(["harbour"])


@examples
def test_what_is_offered_to_people_can_be_made(example):
    for offer in example.offers():
        assert offer.title
        assert offer.gives
        for slider in offer.sliders():
            for parameters in slider.positions:
                assert json.loads(json.dumps(parameters)) == parameters
                made = type(example)(**parameters)
                assert made.words_at_most("Rain, at home.") >= 3


@examples
def test_the_guarantee_is_there_and_complete(example):
    release = example.release(["harbour"], rng=secure())
    assert isinstance(release.guarantee, Guarantee)
    assert release.guarantee == example.guarantee()
    assert json.loads(release.guarantee.to_json())["statement"]
    if release.guarantee.formal:
        assert release.guarantee.assumptions
        assert release.guarantee.epsilon == pytest.approx(release.guarantee.loss_per_word * release.guarantee.words)
        author = example.guarantee(documents=3)
        assert author.unit == "author"
        assert author.epsilon == pytest.approx(3 * release.guarantee.epsilon)
    else:
        assert release.guarantee.epsilon is None


@examples
def test_a_repeatable_run_promises_nothing(example):
    guarantee = example.release(["harbour"], rng=insecure(1)).guarantee
    assert not guarantee.formal
    assert "reproducible run: no privacy" in str(guarantee)


@examples
def test_survives_pickling_and_cloning(example):
    first = plain(example.release(TEXTS, rng=insecure(8)).payload)
    for copy in (pickle.loads(pickle.dumps(example)), clone(example)):
        assert str(copy.get_params()) == str(example.get_params())
        assert plain(copy.release(TEXTS, rng=insecure(8)).payload) == first


@examples
def test_works_in_a_pipeline(example):
    pipeline = make_pipeline(clone(example), FunctionTransformer(plain))
    assert len(pipeline.fit_transform(["harbour", "rain"])) == 2
    assert len(pipeline.transform(["harbour"])) == 1


@examples
def test_parameters_are_keyword_only_and_checked(example):
    with pytest.raises(TypeError):
        type(example)(1)
    if "words" in example.get_params():
        for bad in (0, -1, 1.5, True, float("nan")):
            with pytest.raises(AllonymError):
                type(example)(**{**example.get_params(), "words": bad})
            with pytest.raises(AllonymError):
                clone(example).set_params(words=bad)


@examples
def test_what_is_not_a_list_of_texts_is_refused_without_showing_it(example):
    with pytest.raises(InputError, match="not a single one"):
        example.transform("qzxjvk")
    for bad in ([None], ["fine", 3], [b"qzxjvk"], [np.nan]):
        with pytest.raises(InputError, match="Document") as caught:
            example.transform(bad)
        assert "qzxjvk" not in str(caught.value)


def test_public_names_are_there():
    for name in allonym.__all__:
        assert getattr(allonym, name) is not None
    assert set(allonym.__all__) == set(dir(allonym))
    with pytest.raises(AttributeError):
        allonym.magic  # noqa: B018
