"""`allonym audit`: methods and programs, as text, JSON and a page, and what it refuses."""

from __future__ import annotations

import contextlib
import itertools
import os
import shlex
import sys
import textwrap
import time
from functools import partial
from pathlib import Path

import pytest

from allonym.anonymizers import base
from allonym.audit import mechanisms, methods, release, texts
from allonym.audit.findings import Audit, Finding
from allonym.audit.page import page
from allonym.mechanisms import Subset
from allonym.randomness import insecure
from tests.conftest import PATIENCE

DRAWS = ("--draws", 2000)
FEW = ("--draws", 20)


@pytest.fixture(scope="module")
def few_words(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("words") / "few.txt"
    path.write_text("house\nwater\nmusic\nwinter\ndoctor\nletter\ngarden\npaper\n", encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def fixed_keys(monkeypatch):
    """The same draws in every run of these tests: an audit may be wrong one time in a thousand."""
    seeds = itertools.count(100)
    monkeypatch.setattr(methods, "secure", lambda: insecure(7))
    monkeypatch.setattr(base, "secure", lambda: insecure(next(seeds)))


@pytest.fixture
def script(tmp_path):
    """A program of a few lines: `answers` is a list made from `documents`."""

    def write(body: str) -> str:
        path = tmp_path / "program.py"
        lines = ["import sys, random", "documents = sys.stdin.read().splitlines()", textwrap.dedent(body)]
        path.write_text("\n".join([*lines, "print('\\n'.join(answers))"]), encoding="utf-8")
        return shlex.join([sys.executable, str(path)])

    return write


HONEST = """
    random.seed(len(documents))  # another one in the second run, which has fewer
    answers = [" ".join(random.choice(["house", "water", "music"]) for _ in range(3)) for document in documents]
"""
COPIES = "answers = documents"
SEEDED = """
    random.seed(42)
    answers = [" ".join(random.choice(["house", "water", "music"]) for _ in range(6)) for document in documents]
"""


def verdicts(result) -> dict[str, str]:
    findings = [one for one in result.json["findings"] if one["check"] != "support" or one["verdict"] != "measured"]
    return {finding["check"]: finding["verdict"] for finding in findings}


@pytest.mark.parametrize(
    "options",
    [
        ("syntf", "--epsilon", 6, "--words", 12),
        ("exponential", "--epsilon", 4, "--order", "text"),
        ("laplace", "--epsilon", 4, "--words", 5),
        ("random-replacement", "--words", 5),
    ],
    ids=lambda options: options[0],
)
def test_our_methods_pass(command, few_words, options):
    result = command("audit", "--method", *options, "--vocabulary", few_words, *DRAWS, "--json").done()
    assert result.json["violated"] is False
    assert result.json["not_audited"] == []
    found = verdicts(result)
    assert {"interference", "draws", "records", "words drawn", "job files", "law", "fresh noise"} <= set(found)
    assert {"noise of documents", "noise of texts", "noise of releases", "own streams", "rows apart"} <= set(found)
    assert {"weak generator", *("length", "case", "unknown words"), "rows share noise", "cached noise"} <= set(found)
    assert "violated" not in found.values()


@pytest.fixture
def fewer_documents(monkeypatch):
    """Few documents for slow networks: small versions get all of them."""
    some = release.few_documents
    monkeypatch.setattr(release, "few_documents", lambda words: some(words)[:3])


def test_er_ae_passes(command, monkeypatch, fewer_documents):
    monkeypatch.setattr(methods, "TEXT_DRAWS", 5)
    monkeypatch.setattr(mechanisms, "_MOST_RATED_DRAWS", 500)
    result = command("audit", "--method", "erae", *DRAWS, "--json").done()
    assert verdicts(result)["exact loss"] == verdicts(result)["length"] == "holds"


@pytest.fixture
def fewer_rows(monkeypatch):
    """Few answers of slow networks: enough for what is copied every time."""
    monkeypatch.setattr(texts, "ask", partial(texts.ask, rows=12))


def test_er_ae_with_groups_and_neutral_style_passes_by_its_whole_law(command, monkeypatch, fewer_rows, fewer_documents):
    monkeypatch.setattr(methods, "TEXT_DRAWS", 5)
    monkeypatch.setattr(mechanisms, "_MOST_RATED_DRAWS", 500)
    options = ("--mechanism", "subset", "--candidate-sets", "groups", "--style", "neutral", "--loss-per-word", 10)
    result = command("audit", "--method", "erae", *options, *DRAWS, "--json").done()
    assert "violated" not in verdicts(result).values()
    [whole] = [one for one in result.json["findings"] if "candidate sets of 20,000 words" in one["says"][-60:]][1:2]
    assert (whole["check"], whole["verdict"]) == ("exact loss", "holds")
    assert whole["figures"]["exact_loss"] <= whole["figures"]["claimed"] <= 10


def test_what_no_check_looked_at_is_not_passed(command, tmp_path):
    two_words = tmp_path / "two.txt"
    two_words.write_text("house\nwater\n", encoding="utf-8")
    options = ("audit", "--method", "exponential", "--epsilon", 4, "--vocabulary", two_words, *DRAWS)
    result = command(*options)
    assert result.code == 1
    assert "NOT AUDITED (words of the checks)" in result.out.splitlines()[0]
    assert "knows fewer than 3 words" in result.out
    assert "no check could prove" not in result.out
    allowed = command(*options, "--allow-unaudited", "--json").done()
    assert set(allowed.json["not_audited"]) == {"words of the checks"}
    assert allowed.json["violated"] is False


def test_words_of_the_checks_are_those_that_the_vocabulary_knows(command, tmp_path):
    others = tmp_path / "others.txt"
    others.write_text("rain\nsnow\nship\nboat\nbird\nmorning\nevening\nharbour\n", encoding="utf-8")
    options = ("--epsilon", 4, "--vocabulary", others, *DRAWS, "--json")
    result = command("audit", "--method", "exponential", *options).done()
    [loss] = [one for one in result.json["findings"] if "order aside" in one["says"]]
    asked = {word for pair in loss["figures"]["pairs"] for word in pair["inputs"]}
    assert asked <= {"rain", "snow", "ship", "boat", "bird", "morning", "evening", "harbour"}


A4NT = ("a4nt", "--model", "age", "--target", "adult")


def test_a_method_without_a_claim_is_said_to_leak(command, monkeypatch, fewer_rows):
    pytest.importorskip("spacy")  # reads names for it
    monkeypatch.setattr(methods, "TEXT_DRAWS", 10)
    result = command("audit", "--method", *A4NT, "--json").done()
    assert set(verdicts(result).values()) == {"measured"}
    assert result.json["claim"] == "nothing"
    assert {"length", "unknown words", "numbers", "sampled loss", "reconstruction"} <= set(result.json["leaks"])
    assert "no claim to check; it LEAKS (length" in result.json["verdict"]
    assert any("it is declared" in one["says"] for one in result.json["findings"] if one["check"] == "numbers")


def test_a_method_without_a_claim_is_said_to_leak_as_a_program_too(command, script, fewer_rows):
    pytest.importorskip("spacy")
    line = script("""
        from allonym import A4NT
        answers = A4NT(model="age", target="adult").transform(documents)
    """)
    result = command("audit", "--command", line, *FEW, "--json").done()
    assert {"unknown words", "numbers"} <= set(result.json["leaks"])
    assert set(verdicts(result).values()) == {"measured"}


@pytest.mark.parametrize("loss", [0.5, 4.0, 11.4])
def test_the_subset_mechanism_passes_and_a_smaller_claim_does_not(loss):
    mechanism = Subset(400, loss=loss, candidates=3)
    findings = mechanisms.of_mechanism(mechanism.audited(), mechanism.loss(), 0.0, 5000, insecure(3))
    assert {one.verdict for one in findings} == {"holds"}
    findings = mechanisms.of_mechanism(mechanism.audited(), 0.99 * mechanism.loss(), 0.0, 50, insecure(3))
    assert "exact loss" in {one.check for one in findings if one.verdict == "violated"}


def test_a_method_without_a_guarantee_is_measured_only(command):
    result = command("audit", "--method", "identity", *FEW, "--json").done()
    assert set(verdicts(result).values()) == {"measured"}
    assert result.json["claim"] == "nothing"
    text = command("audit", "--method", "identity", *FEW).done().out
    assert "nothing is claimed" in text.splitlines()[0]
    assert "it LEAKS (length, case, punctuation, unknown words, numbers" in text.splitlines()[0]


def test_what_gives_nothing_away_is_not_said_to_leak(command, script):
    result = command("audit", "--command", script(HONEST), *FEW).done()
    assert result.out.splitlines()[0].endswith("no claim to check; no check saw a leak.")


def test_an_honest_program_passes_and_a_copying_one_fails(command, script):
    honest = command("audit", "--command", script(HONEST), "--claimed", 1, "--draws", 200, "--json").done()
    assert set(verdicts(honest).values()) == {"holds"}
    copying = command("audit", "--command", script(COPIES), "--claimed", 1, "--draws", 200, "--json")
    assert copying.code == 1
    assert verdicts(copying)["unknown words"] == verdicts(copying)["sampled loss"] == "violated"
    unclaimed = command("audit", "--command", script(COPIES), *FEW, "--json").done()
    assert set(verdicts(unclaimed).values()) == {"measured"}


def test_a_fixed_seed_fails(command, script):
    result = command("audit", "--command", script(SEEDED), "--claimed", 1, *FEW)
    assert result.code == 1
    assert result.out.splitlines()[0].endswith("the claim is VIOLATED (runs share noise).")


def test_pairs_and_declarations_are_the_users(command, script):
    arguments = ("--claimed", 1, "--pair", "tea time", "coffee", "--draws", 200, "--json")
    declared = [part for habit in ("length", "case", "punctuation", "numbers") for part in ("--declared", habit)]
    result = command("audit", "--command", script(COPIES), *arguments, *declared)
    assert result.code == 1
    assert verdicts(result)["length"] == "measured"
    [loss] = [one for one in result.json["findings"] if one["check"] == "sampled loss"]
    assert loss["figures"]["pairs"][0]["inputs"] == ["tea time", "coffee"]


def test_the_page_is_complete_harmless_and_not_overwritten(command, script, tmp_path):
    target = tmp_path / "audit.html"
    line = script(COPIES)
    arguments = ("audit", "--command", line, "--claimed", 1, *FEW, "--report", target)
    assert command(*arguments).code == 1
    written = target.read_text(encoding="utf-8")
    assert "default-src 'none'" in written
    assert "unknown words" in written
    assert "<script" not in written
    assert "http" not in written.replace("http-equiv", "")
    command(*arguments).refused()
    assert command(*arguments, "--force").code == 1


def test_bytes_that_are_no_text_do_no_harm(command, tmp_path):
    target = tmp_path / "audit.html"
    result = command("audit", "--command", "cat", "--pair", "tea\udcff", "milk", *FEW, "--report", target).done()
    assert "tea" in result.out
    assert target.exists()


def test_texts_on_the_page_are_shown_as_texts():
    hostile = "<script>alert(1)</script>&\"'"
    finding = Finding(check=hostile, verdict="violated", says=hostile, figures={hostile: hostile})
    written = page(Audit(subject=hostile, claim=hostile, findings=(finding,), notes=(hostile,)))
    assert "<script" not in written
    assert written.count("&lt;script&gt;") >= 6


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "either --method or --command"),
        (("--method", "identity", "--command", "cat"), "either --method or --command"),
        (("--command", "cat", "--epsilon", 3), "do not go with --command"),
        (("--method", "identity", "--claimed", 3), "are for --command"),
        (("--command", ""), "empty"),
        (("--command", "cat 'a"), "quotes"),
        (("--command", "cat | sort"), "sh -c"),
        (("--command", "no-such-program-anywhere"), "cannot be run"),
        (("--command", "false"), "ended with status 1"),
        (("--command", "true"), "0 answers"),
        (("--command", "sleep 5", "--timeout", 0.2), "took longer than 0.2 seconds"),
        (("--command", "yes"), "wrote more than 256 MiB"),
        (("--command", "cat", "--report", "absent/audit.html"), "does not exist"),
        (("--command", "cat", "--timeout", -1), "timeout must be"),
        (("--command", "cat", "--claimed", -1), "at least 0"),
        (("--command", "cat", "--claimed", "nan"), "at least 0"),
        (("--command", "cat", "--pair", "a", "a"), "must differ"),
        (("--command", "cat", "--draws", 1), "--draws"),
        (("--method", "syntf", "--sentences", 3), "not an option of the method syntf"),
    ],
)
def test_what_cannot_be_audited_is_refused_in_a_sentence(command, arguments, says):
    assert says in command("audit", *arguments).refused().err


def test_a_program_that_takes_too_long_is_ended_with_its_children(command, tmp_path):
    late = tmp_path / "late"
    hold = tmp_path / "hold"
    os.mkfifo(hold)  # the child goes on when somebody writes to it, however long that takes
    line = f"sh -c '(cat {hold}; touch {late}) & wait'"
    command("audit", "--command", line, *FEW, "--timeout", 0.2).refused()
    ends, written = time.monotonic() + PATIENCE, []
    with contextlib.suppress(OSError):  # as soon as nobody is left who reads
        while time.monotonic() < ends:
            written.append(os.open(hold, os.O_WRONLY | os.O_NONBLOCK))  # closing it would let the child go on
            time.sleep(0.05)
    assert time.monotonic() < ends
    assert not late.exists()
    for end in written:
        os.close(end)


def test_a_program_may_take_for_ever(command):
    assert command("audit", "--command", "cat", *FEW, "--timeout", "inf").code == 0  # nothing is claimed


def test_no_shell_ever_sees_the_command(command, tmp_path):
    canary = tmp_path / "canary"
    command("audit", "--command", f"cat $(touch {canary})", *FEW).refused()
    command("audit", "--command", f"echo hello;touch {canary}", *FEW).refused()
    assert not canary.exists()
