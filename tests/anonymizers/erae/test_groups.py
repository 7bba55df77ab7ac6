"""Groups of unlike words: every candidate set has k outputs, the law keeps its loss, and the network finds the word."""

from __future__ import annotations

import math

import numpy as np
import pytest

from allonym import ERAE
from allonym.language.sequences import END, SPECIAL, UNKNOWN, tokens
from allonym.mechanisms import Subset
from allonym.networks.erae.groups import WordGroups, meant
from allonym.networks.erae.inference import EraeReader
from allonym.randomness import insecure

TEXT = "My sister bought a new car last week. She did not like the colour of it."


@pytest.fixture(scope="module")
def network():
    return EraeReader.open("erae-en")


@pytest.mark.parametrize(("words", "size"), [(20_000, 1), (20_000, 5), (20_000, 7), (997, 10), (30, 3), (12, 2)])
def test_groups_are_disjoint_and_leave_out_the_ends_and_fewer_than_a_group(words, size):
    groups = WordGroups(words, size)
    grouped = groups.members.ravel().tolist()
    assert len(set(grouped)) == len(grouped)
    assert not set(grouped) & set(groups.ends.tolist())
    assert set(range(len(SPECIAL))) <= set(groups.ends.tolist())
    assert len(groups.ends) >= size
    assert words - len(grouped) - len(groups.ends) < size
    assert all((groups.group_of[members] == number).all() for number, members in enumerate(groups.members))


def test_groups_do_not_change():
    assert WordGroups(20_000, 5).members[:2].tolist() == [
        [10946, 4181, 15127, 8362, 19308],
        [1597, 12543, 5778, 16724, 9959],
    ]


def test_every_step_has_a_set_of_k_outputs_whatever_the_sentence():
    groups = WordGroups(200, 6)
    for sentence in ([], [UNKNOWN], [7], list(range(200)), [END, 9, 199]):
        sets = groups.candidates(sentence, 12)
        assert sets.shape == (12, 6)
        assert all(len(set(row)) == 6 for row in sets.tolist())


def test_the_law_over_all_sentences_keeps_the_loss_exactly():
    words, size, loss = 14, 3, 2.0
    groups, mechanism = WordGroups(words, size), Subset(words, loss=loss, candidates=size)
    laws = []
    for word in range(words):
        row = np.zeros(words)
        row[groups.candidates([word], 1)[0]] = 1
        laws.append(mechanism.law(row))
    ratios = np.log(np.max(laws, axis=0) / np.min(laws, axis=0))
    assert ratios.max() == pytest.approx(mechanism.loss(), abs=1e-12)
    assert mechanism.loss() <= loss


def test_what_comes_out_depends_on_the_drawn_groups_alone(network):
    groups = WordGroups(20_000, 5)
    sentence = network.vocabulary.ids(tokens("We went to the beach and it rained all day."))
    others = [groups.members[groups.group_of[word]][2] for word in sentence]  # another member of each group
    found = meant(network, groups, [sentence, [], others], doubt=0.0)
    assert found[0] == found[2]
    assert found[1] == []
    ended = meant(network, groups, [sentence[:-1]], doubt=0.0, then=sentence[-1:])
    assert len(ended[0]) == len(sentence) - 1
    assert np.mean(np.array(found[0]) == sentence) >= 0.8


def test_an_accident_is_written_anew(network):
    groups = WordGroups(20_000, 1)
    drawn = network.vocabulary.ids(tokens("I have never seen such a beautiful landlord garden in my whole life."))
    [word] = network.vocabulary.ids(["landlord"])
    [trusted] = meant(network, groups, [drawn], doubt=0.0)
    [doubted] = meant(network, groups, [drawn], doubt=1e-3)
    assert trusted == drawn
    assert word not in doubted


def test_words_come_through_more_often_than_with_favourites_at_the_same_loss():
    def kept(**parameters):
        method = ERAE(mechanism="subset", sentences=2, words=12, **parameters)
        texts = method.release([TEXT] * 12, rng=insecure(3)).payload
        wanted = TEXT.lower().replace(".", "").split()
        return np.mean([sum(word in text.lower().replace(".", "").split() for word in wanted) for text in texts])

    assert kept() > kept(candidate_sets="favourites") + 4


def test_the_promise_is_that_of_favourites():
    groups, favourites = ERAE(mechanism="subset"), ERAE(mechanism="subset", candidate_sets="favourites")
    assert groups.guarantee() == favourites.guarantee()
    assert groups.guarantee().loss_per_word <= 1.5 + math.log(19_999) + 1e-9


def test_no_number_that_stands_for_the_end_and_no_unknown_word_is_written():
    method = ERAE(mechanism="subset", candidates=9, sentences=2, words=10, loss_per_word=6.0)
    never = {method.network_.vocabulary.forms[number].lower() for number in method._groups.ends}
    texts = method.release(["Zyxqqwort met plughxyzzy."] * 20, rng=insecure(5)).payload
    for text in texts:
        assert not {"zyxqqwort", "plughxyzzy"} & set(text.lower().split())
    drawn = [word for text in texts for word in text.lower().replace(".", " ").split()]
    # The network may write such a word itself, in the place of an accident; being the rarest of all, it does not.
    assert not never & set(drawn)


def test_public_length_is_as_many_steps_as_the_text_has():
    method = ERAE(mechanism="subset", length="public", loss_per_word=40.0)
    [text] = method.release(["We like the qqfoobarqq sea. It is cold."], rng=insecure(1)).payload
    assert text == "We like the sea. It is cold."
