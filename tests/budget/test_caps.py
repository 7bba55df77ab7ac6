"""Caps refuse before anything is charged, and foresight changes nothing."""

from __future__ import annotations

from fractions import Fraction

import pytest
from charges import charge, totals
from hypothesis import given, settings
from hypothesis import strategies as st

from allonym.budget.account import Caps
from allonym.budget.ledger import Ledger
from allonym.errors import BudgetError


def test_caps_refuse_and_leave_the_account_as_it_was(ledger, tmp_path):
    ledger.charge(charge(1, 2))
    with pytest.raises(BudgetError, match=r"bring a document of 'reviews' to ε = 3\.00, above the cap of 2\.50"):
        ledger.charge(charge(2), caps=Caps.of(document=2.5))
    with pytest.raises(BudgetError, match="Without --author"):
        ledger.charge(charge(1), caps=Caps.of(author=2.9))
    assert totals(ledger) == (1, 2)
    ledger.charge(charge(1), caps=Caps.of(document=2, author=3))  # to the cap, not beyond
    ledger.cap("reviews", Caps.of(document=2.5))
    with pytest.raises(BudgetError):
        ledger.charge(charge(1), caps=Caps.of(document=99))
    ledger.cap("reviews", Caps.of(author=4))
    assert ledger.totals()[0].caps == Caps.of(2.5, 4)
    assert len(list(ledger.history())) == 2


def test_a_cap_looks_at_those_who_are_charged_and_no_others(ledger):
    ledger.charge(charge(5, 1, has_ids=True), [(["old"], None)])
    ledger.charge(charge(1, 1, has_ids=True), [(["new"], None)], Caps.of(document=2))
    with pytest.raises(BudgetError):
        ledger.charge(charge(1), caps=Caps.of(document=5.5))  # everyone, so the old one too


def test_foresight_changes_nothing(ledger, tmp_path):
    ledger.charge(charge(1))
    assert ledger.foresee(charge(2)).document == 3
    with pytest.raises(BudgetError):
        ledger.foresee(charge(2), caps=Caps.of(document=2))
    assert totals(ledger)[0] == 1
    assert len(list(ledger.history())) == 1


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([0.1, 1 / 3, 1.0, 7.25]),
            st.one_of(st.none(), st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True)),
            st.one_of(st.none(), st.sampled_from("xy")),
        ),
        max_size=12,
    ),
    st.sampled_from([None, 1.0, 5.0]),
)
def test_any_sequence_of_charges_equals_a_plain_sum_and_never_exceeds_the_cap(tmp_path_factory, charges, cap):
    spent = {name: Fraction(0) for name in "abcxy"}
    with Ledger(tmp_path_factory.mktemp("l") / "ledger") as ledger:
        for loss, ids, author in charges:
            count = len(ids) if ids else 2
            unit = (ids, [author] * count if author else None)
            asked = charge(loss, count, has_ids=ids is not None, has_authors=author is not None)
            after = dict(spent)
            for name in ids or "abc":
                after[name] += Fraction(loss)
            for name in author or "xy":
                after[name] += Fraction(loss) * count
            try:
                ledger.charge(asked, [unit], Caps.of(document=cap))
            except BudgetError:
                assert max(after[name] for name in ids or "abc") > Fraction(cap)
                continue
            spent = after
            assert cap is None or max(spent[name] for name in ids or "abc") <= Fraction(cap)
        found = ledger.totals()
        if found:
            assert found[0].document == max(spent[name] for name in "abc")
            assert found[0].author == max(spent[name] for name in "xy")
