"""Ghostwriter's plain face: facts stay, habits go, nothing depends on the batch, and no proof is claimed."""

from __future__ import annotations

import pytest

from allonym import Ghostwriter
from allonym.anonymizers.ghostwriter import carried, ranking, writing
from allonym.anonymizers.ghostwriter.ranking import Costs
from allonym.anonymizers.ghostwriter.recipe import EXAMPLE
from allonym.audit.methods import audit_method
from allonym.errors import MissingDependencyError
from allonym.guard import compare
from allonym.networks.translation import weights
from allonym.networks.translation.search import Version

needs_networks = pytest.mark.skipif(bool(EXAMPLE.missing()), reason=EXAMPLE.missing())
LETTER = """Hi Karen!

I've NEVER paid £1,240.50 - and I won't!! On 3 May 2024 you told me, quote, "it's all settled"; it wasn't.

- the key
- the lock

See https://example.org/a?b=1 or write to a.b@example.org (the office is shut on Mondays, I am afraid).

Cheers,
Ben Okafor
"""


@pytest.fixture
def answers(monkeypatch):
    """Put versions there that a test gives, in the place of the networks'."""
    given: dict[str, list[str]] = {}

    def versions(asked, style):
        return [[Version(text, -0.1) for text in given.get(sentence, [])] for sentence in asked]

    monkeypatch.setattr(writing, "versions", versions)
    return given


@needs_networks
def test_facts_and_layout_stay_and_habits_go():
    (after,) = Ghostwriter().transform([LETTER])
    report = compare(LETTER, after)
    for figure in ("numbers", "names", "addresses", "quotations", "negations"):
        assert getattr(report.figures, figure).value == 1.0, figure
    lines = after.split("\n")
    assert (lines[0], lines[-2], lines[-1]) == ("Dear Karen,", "Yours sincerely,", "Ben Okafor")
    assert lines[4:6] == ["- the key", "- the lock"]
    assert not any(sign in after for sign in ("!", ";", "'ve", "n't", " - and", "NEVER"))


@needs_networks
def test_no_batch_and_no_neighbour_changes_a_text():
    texts = [LETTER, "The doctor said that nothing could be done about it.", "", "I paid him twice, and he left."]
    together = Ghostwriter().transform(texts)
    assert [Ghostwriter().transform([text])[0] for text in texts] == together
    assert Ghostwriter().transform(texts[::-1]) == together[::-1]


def test_the_version_in_other_words_is_written(answers):
    before = "I sent you the receipt on Monday morning."
    answers[before] = ["On Monday morning I sent you the receipt.", "I sent him the receipt on Monday morning."]
    assert writing.written(before) == answers[before][0]


@pytest.mark.parametrize(
    "version",
    [
        "I did send you the receipt for £40 on Monday.",  # a sum that nobody said
        "I never sent you the receipt on Monday.",
        "I sent you the receipt on Tuesday.",
        "I sent him the receipt on Monday.",
        "I sent you the reciplet on Monday.",  # no such word
        "I sent you on Monday.",
        "I did sent you the receipt on Monday.",
        "you sent you sent you sent you the receipt on Monday I.",
    ],
)
def test_a_version_that_says_something_else_is_not_written(answers, version):
    before = "I sent you the receipt on Monday."
    answers[before] = [version]
    assert writing.written(before) == before


def test_what_a_network_loses_of_what_is_carried_is_noticed(answers):
    before = 'She wrote "I did it" to us in the morning.'
    answers["She wrote XQ1 to us in the morning."] = [
        "In the morning she wrote to us.",
        "In the morning she wrote XQ1 to us.",
    ]
    assert writing.written(before) == 'In the morning she wrote "I did it" to us.'


def test_signs_come_back_whatever_the_text_holds():
    for text in (
        "XQ1 is a sign, and so is XQ22.",
        "мир and שלום and www.example.org",
        "x" * 70,
        "",
        "“It's.” He left.",
    ):
        held = carried.carry(carried.without_signs(text))
        assert (
            held.put_back(held.text).replace("X-Q", "XQ").replace('"', "").replace("  ", " ")[:4] == text.strip("“")[:4]
        )
    assert carried.carry("“Go!” He went.").text == "XQ1. He went."
    assert carried.same_signs("XQ1 and XQ2", "XQ2, XQ1")
    assert not carried.same_signs("XQ1", "XQ1 XQ1")


def test_no_sentence_ends_inside_of_a_number(answers):
    assert writing.written("We saw it glow at 3.5K in the dark. He left early.") == (
        "We saw it glow at 3.5K in the dark. He left early."
    )


def test_costs_rank_versions_as_they_say():
    before = "He told me that I would get the money."
    texts = [
        "He told me that I would get the money.",
        "He said I would get the money.",
    ]
    best = ranking.best(before, [(text, -0.1) for text in texts], Costs(own=0.0))
    assert best is not None
    assert best[0] == texts[0]
    other = ranking.best(before, [(text, -0.1) for text in texts], Costs(own=9.0, light=0.0))
    assert other is not None
    assert other[0] == texts[1]
    assert ranking.best(before, [], Costs()) is None


def test_it_promises_nothing_and_says_what_it_copies():
    promise = EXAMPLE.guarantee()
    assert not promise.formal
    assert "No formal privacy is promised." in str(promise)
    assert {"numbers and names", "line breaks", "most words and marks"} <= promise.copies


@needs_networks
def test_an_audit_says_that_it_copies():
    audit = audit_method(EXAMPLE, text_draws=5)
    assert audit.claim == "nothing"
    assert {finding.verdict for finding in audit.findings} == {"measured"}


def test_without_the_package_there_is_a_way_out(monkeypatch):
    monkeypatch.setattr(weights, "find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'allonym\[translate\]'"):
        EXAMPLE.transform(["I paid."])
    [offer] = EXAMPLE.offers()
    with pytest.raises(MissingDependencyError, match="translate"):
        offer.sliders()
