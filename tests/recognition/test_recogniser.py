"""How recognisable a text is: pieces, folds, calibration, and the verdict on three invented writers."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from allonym import attackers
from allonym.attackers.delta import Delta
from allonym.attackers.floors import Majority
from allonym.attackers.linear import ClearChannelSVM, WordNGramSVM
from allonym.errors import InputError, ParameterError
from allonym.randomness import insecure
from allonym.recognition import certainty
from allonym.recognition.certainty import Steepness
from allonym.recognition.recogniser import DEFAULT_ATTACKERS, Recogniser
from allonym.recognition.reliability import Piece, count_words, cut, folds, probabilities, sharpness_of
from tests.recognition.writers import written

WRITERS = ("ada", "ben", "cleo")


def known(texts: int = 4, sentences: int = 40) -> tuple[list[str], list[str]]:
    pairs = [
        (written(author, sentences, 10 * i + seed), author) for i, author in enumerate(WRITERS) for seed in range(texts)
    ]
    return [text for text, _ in pairs], [author for _, author in pairs]


@pytest.fixture(scope="module")
def recogniser() -> Recogniser:
    return Recogniser([Majority(), ClearChannelSVM(), WordNGramSVM()]).fit(*known(), words=150)


# pieces


def numbered(words: int, start: int = 0) -> str:
    return " ".join(f"w{number}" for number in range(start, start + words))


def test_a_text_is_cut_into_equal_pieces_that_lose_no_word():
    pieces = cut([numbered(1_030)], ["a"], 200)
    assert [piece.words for piece in pieces] == [206] * 5
    assert " ".join(piece.text for piece in pieces) == numbered(1_030)
    assert {piece.source for piece in pieces} == {0}


def test_pieces_keep_the_layout():
    text = "\n\n".join("one two\tthree" for _ in range(99))
    [first, second] = cut([text], ["a"], 150)[:2]
    assert text.startswith(first.text + "\n\n" + second.text)


def test_only_short_texts_are_joined():
    texts = [numbered(400), numbered(60, 1_000), numbered(60, 2_000), numbered(90, 3_000), numbered(10, 4_000)]
    pieces = cut(texts, ["a"] * 5, 200)
    assert [(piece.source, piece.words) for piece in pieces] == [(0, 200), (0, 200), (1, 210)]
    assert pieces[2].text.split() == " ".join(texts[1:4]).split()


def test_an_author_with_little_text_gets_shorter_pieces_but_none_below_100_words():
    assert [piece.words for piece in cut([numbered(600)], ["a"], 2_000)] == [200] * 3
    assert [piece.words for piece in cut([numbered(220)], ["a"], 2_000)] == [110] * 2
    assert [piece.words for piece in cut([numbered(30)], ["a"], 2_000)] == [30]
    assert [piece.words for piece in cut([numbered(300)], ["a"], 5)] == [100] * 3


def test_of_much_text_pieces_spread_over_all_of_it_are_taken():
    pieces = cut([numbered(100_000)], ["a"], 100)
    assert len(pieces) == 20
    assert pieces[0].text.startswith("w0 ")
    assert pieces[-1].text.endswith(" w99999")
    assert len(cut([numbered(100_000)], ["a"], 2_000)) == 10
    assert len(cut([numbered(100_000)], ["a"], 100_000)) == 5


def test_texts_without_a_word_make_no_piece():
    assert cut(["", " \n ", numbered(100)], ["a"] * 3, 100) == [Piece(numbered(100), "a", 2, 100)]


def test_cut_refuses_what_does_not_fit():
    with pytest.raises(InputError, match="1 texts but 2 authors"):
        cut(["x"], ["a", "b"], 100)
    with pytest.raises(ParameterError, match="at least 1, got 0"):
        cut(["x"], ["a"], 0)


# folds


def test_pieces_of_one_text_stay_in_one_fold_where_there_are_others():
    pieces = cut([numbered(400), numbered(400), numbered(400), *[numbered(1_000)]], ["a", "a", "a", "b"], 100)
    dealt = folds(pieces)
    of_text = {
        source: {int(f) for p, f in zip(pieces, dealt, strict=True) if p.source == source} for source in range(4)
    }
    assert [len(of_text[source]) for source in (0, 1, 2)] == [1, 1, 1]
    assert of_text[0] | of_text[1] | of_text[2] != of_text[0]
    assert of_text[3] == {0, 1, 2, 3, 4}
    assert np.bincount(dealt[[piece.author == "b" for piece in pieces]]).tolist() == [2] * 5


def test_every_author_is_in_every_training_set_and_the_only_piece_of_one_is_never_tested():
    texts = [numbered(100), numbered(250), numbered(900), numbered(150), numbered(150)]
    pieces = cut(texts, ["one", "two", "many", "both", "both"], 100)
    dealt = folds(pieces)
    authors = np.array([piece.author for piece in pieces])
    assert dealt[authors == "one"].tolist() == [-1]
    for fold in set(dealt.tolist()) - {-1}:
        assert set(authors[dealt != fold]) == {"one", "two", "many", "both"}


def test_no_folds_without_two_pieces_of_anybody():
    with pytest.raises(InputError, match="two pieces of 100 words"):
        folds(cut([numbered(100), numbered(100)], ["a", "b"], 100))


# calibration


FLAT = Steepness(mean=0.0, spread=1e6, shift=0.0)  # as if nothing had been measured elsewhere


def test_sharpness_recovers_a_known_temperature():
    # The first class is right two times of three, so the odds should be 2:1 and their logarithm ln 2.
    scores = np.tile([[1.0, 0.0]], (3_000, 1))
    truth = np.array([0, 0, 1] * 1_000)
    assert sharpness_of(scores, truth, FLAT) == pytest.approx(np.log(2), rel=2e-3)
    assert probabilities(scores[:1], sharpness_of(scores, truth, FLAT))[0] == pytest.approx([2 / 3, 1 / 3], rel=1e-3)
    # Many pieces outweigh what was measured elsewhere.
    elsewhere = replace(certainty.shipped().steepness, shift=0.0)
    assert sharpness_of(scores, truth, elsewhere) == pytest.approx(np.log(2), rel=0.1)


def test_sharpness_is_the_minimum_of_the_documented_loss():
    rng = insecure(3)
    truth = rng.below(3, (40,))
    scores = rng.below(1_000, (40, 3)) / 1_000 + 0.3 * np.eye(3)[truth]
    elsewhere = Steepness(mean=0.5, spread=0.4, shift=0.0)
    best = sharpness_of(scores, truth, elsewhere)
    spread = (scores - scores.mean(1, keepdims=True)).std()

    def loss(sharpness: float) -> float:
        logs = np.log(probabilities(scores, sharpness))
        return -logs[np.arange(40), truth].sum() - logs.mean() + ((np.log(sharpness * spread) - 0.5) / 0.4) ** 2 / 2

    assert loss(best) < min(loss(best * factor) for factor in (0.9, 0.99, 1.01, 1.1))
    assert sharpness_of(scores, truth, replace(elsewhere, shift=0.1)) == pytest.approx(best * np.exp(0.1))


def test_a_few_right_answers_do_not_make_an_attacker_certain():
    scores, truth = np.eye(3)[[0, 1, 2] * 3], np.array([0, 1, 2] * 3)
    shares = probabilities(scores, sharpness_of(scores, truth, FLAT))
    # One imagined piece of ten is by nobody in particular: a third for each author.
    assert shares[0] == pytest.approx([1 - 0.1 * 2 / 3, 0.1 / 3, 0.1 / 3], abs=1e-3)
    assert probabilities(scores, sharpness_of(scores, truth))[0, 0] < 0.99


def test_scores_that_say_nothing_stay_as_they_are():
    assert sharpness_of(np.zeros((4, 2)), np.array([0, 1, 0, 1])) == 1.0
    assert probabilities(np.zeros((1, 4)), 1.0).tolist() == [[0.25] * 4]
    assert np.isfinite(probabilities(np.array([[1e6, -1e6]]), 1e3)).all()


# the verdict


def test_three_writers_are_told_apart(recogniser):
    for author in WRITERS:
        found = recogniser.check(written(author, 30, 99), me=author)
        assert found.strongest.candidates[0].author == author
        assert found.recognised
        assert found.rank == 1
        assert found.risk == found.strongest.of(author).probability > 0.8


def test_the_figures_of_a_verdict(recogniser):
    found = recogniser.check(written("ben", 60, 99))
    assert (found.authors, found.me, found.rank, found.recognised) == (3, None, None, None)
    assert found.words == count_words(written("ben", 60, 99))
    assert found.chance == pytest.approx(1 / 3, abs=0.15)
    assert found.strongest.accuracy.value == 1.0
    assert [opinion.attacker for opinion in found.opinions][-1] == "majority"
    for opinion in found.opinions:
        shares = [candidate.probability for candidate in opinion.candidates]
        assert sum(shares) == pytest.approx(1)
        assert shares == sorted(shares, reverse=True)
        assert opinion.top_5.value == 1.0


def test_a_true_author_who_is_not_recognised_has_a_rank_and_a_small_risk(recogniser):
    found = recogniser.check(written("cleo", 30, 99), me="ada")
    assert not found.recognised
    assert found.rank in (2, 3)
    assert found.risk < 0.2
    assert "not recognised: ada ranks" in str(found)


def test_ties_count_as_before_the_true_author():
    texts, authors = known(3)
    found = Recogniser([Majority()]).fit(texts, authors, words=100).check("some words", me="ada")
    equal = [one.author for one in found.strongest.candidates if one.probability == found.risk]
    assert found.rank == 1 + [one.author for one in found.strongest.candidates].index(equal[-1])


def test_the_summary_says_what_was_measured(recogniser):
    found = recogniser.check(written("ada", 60, 99))
    said = str(found)
    assert said.startswith(
        "Among 3 writers, an attacker names the right one 100 % (100–100 %) of the time on texts of about "
    )
    assert f"chance is {100 * found.chance:.0f} %." in said
    assert "looks most like ada (" in said


def test_clues_name_the_habit_and_where_it_stands(recogniser):
    text = "ok so the boat is the best thing ever!!\nNothing to see.\nLoved my garden so much!!"
    clues = recogniser.check(text).clues
    assert [clue.share for clue in clues] == sorted((clue.share for clue in clues), reverse=True)
    assert 0 < sum(clue.share for clue in clues) <= 1 + 1e-9
    marks = next(clue for clue in clues if "!" in clue.feature)
    assert {place.line for place in marks.places} == {1, 3}
    for clue in clues:
        for place in clue.places:
            assert 0 <= place.start < place.stop <= len(text)
            assert text.count("\n", 0, place.start) + 1 == place.line


def test_attackers_without_clues_still_judge():
    found = Recogniser([Delta(most_frequent=30)]).fit(*known(), words=150).check(written("ben", 40, 5), me="ben")
    assert found.recognised
    assert found.clues == ()


def test_few_words_and_few_pieces_are_warned_of(recogniser):
    short, long = recogniser.check("just a few words"), recogniser.check(written("ada", 100, 7))
    assert any("fewer than 500 words are unreliable; this text has 4" in warning for warning in short.warnings)
    assert not any("unreliable" in warning for warning in long.warnings)
    texts, authors = known()
    thin = Recogniser([ClearChannelSVM()]).fit([*texts, numbered(90)], [*authors, "dora"], words=150)
    assert any("1 author has too little known text" in warning for warning in thin.check(texts[0]).warnings)


def test_the_verdict_is_json_and_holds_no_text(recogniser):
    secret = "qwertzuiop"
    found = recogniser.check(f"{secret} {written('ada', 30, 3)}", me="ada")
    answer = json.loads(json.dumps(found.to_json()))
    assert answer["risk"] == found.risk
    assert answer["author"] == "ada"
    assert answer["opinions"][0]["candidates"][0] == {"author": "ada", "probability": found.risk}
    assert secret not in json.dumps(answer)
    assert secret not in repr(found)
    with pytest.raises(FrozenInstanceError):
        found.words = 3


def test_the_same_texts_give_the_same_verdict(recogniser):
    again = Recogniser([Majority(), ClearChannelSVM(), WordNGramSVM()]).fit(*known(), words=150)
    text = written("cleo", 30, 8)
    assert again.check(text) == recogniser.check(text)


def test_progress_ends_where_it_said():
    seen = []
    Recogniser([Majority(), ClearChannelSVM()]).fit(*known(), words=150, progress=lambda *step: seen.append(step))
    assert [done for done, _ in seen] == list(range(1, seen[-1][1] + 1))


def test_the_usual_attackers_exist():
    assert set(DEFAULT_ATTACKERS) <= set(attackers.classes())


def test_what_cannot_be_checked_is_refused_without_showing_it(recogniser):
    with pytest.raises(InputError, match="learned nothing"):
        Recogniser([Majority()]).check("x")
    with pytest.raises(InputError, match="no word"):
        recogniser.check(" \n")
    with pytest.raises(ParameterError, match="not among the known") as refusal:
        recogniser.check("some words", me="zyx secret")
    assert "zyx" not in str(refusal.value)
    with pytest.raises(ParameterError, match="one attacker at least"):
        Recogniser([])
    with pytest.raises(InputError, match="two authors at least"):
        Recogniser([Majority()]).fit([numbered(300)], ["a"])
    with pytest.raises(InputError, match="1 known author has only texts without a word"):
        Recogniser([Majority()]).fit([numbered(300), numbered(300), ""], ["a", "b", "c"])
