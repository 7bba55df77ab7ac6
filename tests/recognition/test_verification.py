"""Same-author verification: pairs, probabilities, and what is kept on disk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from allonym.errors import InputError, ModelError, ParameterError
from allonym.randomness import insecure
from allonym.recognition.verification import Verifier, draw_pairs

IMDB = Path(__file__).resolve().parents[3] / "shared" / "data" / "imdb62" / "imdb62.parquet"
MARKS = ["!!", " ...", ";", " -", "."]
OPENINGS = ["Well, ", "So ", "Indeed ", "ok ", "Then ", ""]
TOPICS = ["the boat", "my garden", "an old clock", "the winter market", "our neighbour", "a long walk", "the bread"]
VERBS = ["was there", "has gone", "looked fine", "made us laugh", "cost a lot", "fell down"]


def written(author: int, seed: int, sentences: int = 25) -> str:
    """Make up a text: an author is a choice of mark and opening, the rest is chance."""
    rng = insecure(1_000 * author + seed)
    opening, mark = OPENINGS[author % len(OPENINGS)], MARKS[author % len(MARKS)]
    topics, verbs = rng.below(len(TOPICS), (sentences,)), rng.below(len(VERBS), (sentences,))
    return " ".join(f"{opening}{TOPICS[t]} {VERBS[v]}{mark}" for t, v in zip(topics, verbs, strict=True))


def collection(authors: range, texts: int = 6) -> tuple[list[str], list[int]]:
    pairs = [(written(author, seed), author) for author in authors for seed in range(texts)]
    return [text for text, _ in pairs], [author for _, author in pairs]


@pytest.fixture(scope="module")
def verifier() -> Verifier:
    return Verifier(pairs=400).fit(*collection(range(12)))


def test_pairs_are_balanced_right_and_all_different():
    authors = ["a"] * 5 + ["b"] * 5 + ["c"]
    pairs, same = draw_pairs(authors, 30, insecure(0))
    names = np.array(authors)
    assert len(pairs) == 30
    assert same.sum() == 15
    assert (same == (names[pairs[:, 0]] == names[pairs[:, 1]])).all()
    assert len({tuple(pair) for pair in pairs.tolist()}) == 30
    assert (pairs[:, 0] < pairs[:, 1]).all()


def test_no_author_fills_the_pairs():
    authors = ["a"] * 40 + ["b"] * 4
    pairs, same = draw_pairs(authors, 12, insecure(0))
    of_b = [pair for pair in pairs[same].tolist() if min(pair) >= 40]
    assert len(of_b) == 3


def test_parts_of_one_document_are_paired_only_where_there_is_no_other():
    authors, sources = ["a"] * 4 + ["b"] * 3, [0, 0, 1, 1, 2, 2, 2]
    pairs, same = draw_pairs(authors, 100, insecure(0), sources)
    together = {tuple(pair) for pair in pairs[same].tolist()}
    assert together == {(0, 2), (0, 3), (1, 2), (1, 3), (4, 5), (4, 6), (5, 6)}


def test_many_texts_of_many_authors_are_paired_without_listing_every_pair():
    authors = np.arange(60_000) // 30
    pairs, same = draw_pairs(authors.tolist(), 1_000, insecure(0))
    assert same.sum() == 500
    assert len(set((pairs[same] // 30)[:, 0].tolist())) > 50


def test_pairs_that_cannot_be_are_refused():
    for authors in (["a", "a"], ["a", "b"], []):
        with pytest.raises(InputError, match="two authors at least"):
            draw_pairs(authors, 10, insecure(0))


def test_unseen_authors_are_told_apart(verifier):
    measured = verifier.evaluate(*collection(range(12, 20)), pairs=200)
    assert measured.area_under_curve > 0.95
    assert measured.accuracy.value > 0.85
    assert measured.pairs == 200
    assert measured.to_json()["accuracy"]["value"] == measured.accuracy.value


def test_probability_is_symmetric_bounded_and_higher_for_one_author(verifier):
    same = verifier.probability(written(14, 50), written(14, 51))
    other = verifier.probability(written(14, 50), written(16, 51))
    assert 0 < other < 0.5 < same < 1
    assert verifier.probability(written(16, 51), written(14, 50)) == pytest.approx(other, rel=1e-12)


def test_odd_texts_have_a_probability(verifier):
    for odd in ("", "?", "字" * 1_000, "a" * 100_000):
        assert 0 <= verifier.probability(odd, written(1, 1)) <= 1


def test_it_survives_the_disk_and_pickle_is_not_used(verifier, tmp_path):
    verifier.save(tmp_path / "saved")
    again = Verifier.load(tmp_path / "saved")
    first, second = written(3, 70), written(4, 71)
    assert again.probability(first, second) == verifier.probability(first, second)
    assert sorted(path.name for path in (tmp_path / "saved").iterdir()) == ["verifier.json", "weights.safetensors"]


def test_a_broken_folder_is_refused(verifier, tmp_path):
    with pytest.raises(ModelError, match="no complete saved verifier"):
        Verifier.load(tmp_path)
    verifier.save(tmp_path)
    (tmp_path / "weights.safetensors").write_bytes(b"no")
    with pytest.raises(ModelError, match="no complete saved verifier"):
        Verifier.load(tmp_path)


def test_learning_twice_gives_the_same(verifier):
    again = Verifier(pairs=400).fit(*collection(range(12)))
    assert again.probability(written(1, 90), written(2, 91)) == verifier.probability(written(1, 90), written(2, 91))


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(ParameterError, match="at least 2, got 1"):
        Verifier(pairs=1)
    with pytest.raises(InputError, match="learned nothing"):
        Verifier().probability("a", "b")


@pytest.mark.skipif(not IMDB.exists(), reason="needs the IMDb62 corpus beside the repository")
def test_reviewers_who_were_not_learned_from_are_told_apart():
    import pyarrow.parquet as pq

    table = pq.read_table(IMDB, columns=["author", "text"]).to_pydict()
    by_author: dict[str, list[str]] = {}
    for author, text in zip(table["author"], table["text"], strict=True):
        own = by_author.setdefault(author, [])
        if len(own) < 6 and len(words := text.split()) >= 300:
            own.append(" ".join(words[:300]))
    names = sorted(by_author)

    def part(chosen: list[str]) -> tuple[list[str], list[str]]:
        return [text for name in chosen for text in by_author[name]], [name for name in chosen for _ in by_author[name]]

    measured = Verifier(pairs=900).fit(*part(names[::2])).evaluate(*part(names[1::2]), pairs=1_000)
    # 0.87 of 4,000 pairs with 40 texts of each author; the bound leaves room for the smaller sample.
    assert measured.area_under_curve > 0.8
