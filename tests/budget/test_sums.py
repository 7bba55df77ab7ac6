"""What is charged to whom, and that sums are exact."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from charges import CLAIMED, METRIC, METRIC_PER_WORD, NONE, PER_WORD, charge, promise, totals
from hypothesis import given, settings
from hypothesis import strategies as st

from allonym.budget.account import Caps, Charge, added, worded
from allonym.budget.ledger import Ledger
from allonym.errors import BudgetError
from allonym.privacy.accounting import rounded_up


def test_without_ids_every_document_and_every_author_is_charged(ledger):
    ledger.charge(charge(1.5, 10))
    assert totals(ledger) == (Fraction(3, 2), 15)
    ledger.charge(charge(1.5, 4))
    assert totals(ledger) == (3, 21)


def test_with_ids_and_authors_each_is_charged_what_is_theirs(ledger):
    known = {"has_ids": True, "has_authors": True}
    ledger.charge(charge(1, 3, **known), [(["a", "b", "c"], ["ann", "ann", "bob"])])
    assert totals(ledger) == (1, 2)
    ledger.charge(charge(2, 1, **known), [(["b"], ["ann"])])
    assert totals(ledger) == (3, 4)
    ledger.charge(charge(8, 1, **known), [(["d"], ["bob"])])
    assert totals(ledger) == (8, 9)
    ledger.charge(charge(1, 2))  # neither ids nor authors: everyone
    assert totals(ledger) == (9, 11)


def test_documents_of_one_author_add_up_over_batches(ledger):
    ledger.charge(charge(1, 5, has_authors=True), [(None, ["ann", "bob"]), (None, ["ann", "ann", "cy"])])
    assert totals(ledger) == (1, 3)


@pytest.mark.parametrize(
    "spellings",
    [
        ["José", "Jose\u0301", " JOSÉ ", "josé"],
        ["Işık", "IŞIK", "ışık", "is\u0327ik"],  # the capital of ı is I, and that of i is İ
        ["İpek", "ipek", "İPEK".lower(), "I\u0307PEK"],
        ["Weiß", "WEISS", "weiss", "WEI\u1e9e"],
        ["Ann", "ann\0", "\x7fANN", "a\x90nn"],
    ],
)
def test_spellings_of_a_name_are_one_name(ledger, spellings):
    for number, name in enumerate(spellings):
        ledger.charge(charge(1, 1, has_ids=True, has_authors=True), [([name], [name])])
        assert totals(ledger) == (number + 1, number + 1)
    ledger.charge(charge(1, 4, has_authors=True), [(None, spellings)])
    assert totals(ledger) == (5, 8)


def test_sums_are_exact(ledger):
    for _ in range(10):
        ledger.charge(charge(0.1))
    assert totals(ledger)[0] == 10 * Fraction(0.1)
    assert Fraction(rounded_up(totals(ledger)[0])) >= totals(ledger)[0]


def test_data_sets_are_apart(ledger):
    ledger.charge(charge(1))
    ledger.charge(Charge("letters", "syntf", promise(5), 1))
    assert {found.dataset: found.document for found in ledger.totals()} == {"letters": 5, "reviews": 1}


def test_a_metric_release_is_charged_with_its_loss_for_any_two_documents(ledger):
    ledger.charge(Charge("reviews", "laplace", METRIC, 3))
    [found] = ledger.totals()
    assert (found.document, found.author, found.not_added) == (10, 30, {})
    assert worded(found) == "at most ε = 10.00 on a document and 30.00 on an author, in 1 release."
    ledger.charge(charge(1), caps=Caps.of(document=11))
    with pytest.raises(BudgetError, match=r"to ε = 21\.00, above the cap of 11\.00"):
        ledger.charge(Charge("reviews", "laplace", METRIC, 3), caps=Caps.of(document=11))


@pytest.mark.parametrize("kind", [PER_WORD, METRIC_PER_WORD, NONE, CLAIMED])
def test_what_cannot_be_added_is_said_instead_of_a_total(kind, ledger):
    ledger.charge(charge(1))
    ledger.charge(Charge("reviews", "laplace", kind, 3))
    [found] = ledger.totals()
    assert (found.document, found.author, found.releases, sum(found.not_added.values())) == (None, None, 2, 1)
    said = worded(found)
    assert said.startswith("no total can be given: 2 releases, 1 of them with")
    assert "ε" not in said
    assert [entry.loss for entry in ledger.history()] == [1, None]
    with pytest.raises(BudgetError, match="no total for any two documents"):
        ledger.charge(Charge("reviews", "laplace", kind, 3), caps=Caps.of(document=1e9))
    with pytest.raises(BudgetError, match="no total for any two documents can be held against it"):
        ledger.charge(charge(1), caps=Caps.of(document=1e9))  # what was spent before is not known to be less


def test_a_total_that_is_not_about_any_two_documents_says_so(ledger):
    given = replace(promise(2), adjacency="any two documents of as many words")
    ledger.charge(charge(1))
    ledger.charge(Charge("reviews", "erae", given, 1))
    [found] = ledger.totals()
    assert found.document == 3
    assert worded(found).endswith("in 2 releases, between any two documents of as many words.")
    for asked in (charge(1), Charge("reviews", "erae", given, 1)):
        with pytest.raises(BudgetError, match="for any two documents"):
            ledger.charge(asked, caps=Caps.of(document=1e9))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from([METRIC, PER_WORD, NONE, *map(promise, (0.1, 1 / 3, 8.57))]), min_size=1, max_size=6))
def test_the_ledger_and_a_plain_sum_say_the_same(tmp_path_factory, promises):
    with Ledger(tmp_path_factory.mktemp("l") / "ledger") as ledger:
        for one in promises:
            ledger.charge(Charge("reviews", "m", one, 1))
        [found] = ledger.totals()
    plain = added(promises)
    assert (found.document, found.between, found.not_added) == (plain.document, plain.between, plain.not_added)
    if plain.document is not None:
        assert plain.document == sum(Fraction(one.epsilon) for one in promises)


def test_a_charge_is_known_again_by_its_job(ledger):
    release = ledger.charge(charge(1, job="mine"))
    assert ledger.holds(release, "mine")
    assert not ledger.holds(release, "other")
    assert not ledger.holds(release + 1, "mine")
