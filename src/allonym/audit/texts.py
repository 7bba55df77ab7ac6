"""Audits of any program that turns texts into texts, from its answers alone.

A program is asked about short public documents, many times each: pairs that differ in one habit (length, case,
punctuation, a made-up word) and pairs of single words. A habit is leaked if every answer shows it as the document had
it: then two documents that differ in it are told apart with certainty, whatever ε says of the words.
Noise is checked by comparing answers that should be independent with answers that cannot be anything else: rows of
one run with rows of another, the same word twice in one document with the same word in two runs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from allonym.audit.findings import CONFIDENCE, Finding, Verdict
from allonym.audit.sampled import (
    Bound,
    Pair,
    highest_share,
    judge_bounds,
    judge_reconstruction,
    loss_bound,
    lowest_share,
    reach,
    reconstruct,
)
from allonym.errors import InputError, ParameterError
from allonym.mechanisms.base import Int64
from allonym.metrics.figures import percent

Program = Callable[[Sequence[str]], Sequence[str]]
Habit = Literal["length", "case", "punctuation", "unknown words", "numbers"]

HABITS: tuple[str, ...] = get_args(Habit)
ROWS = 64  # answers to each document of a habit
WORDS = ("house", "water", "music")
PAIRS = (("house", "water"), ("music", "winter"), ("doctor", "letter"))

_TOKENS = {"unknown words": ("quavexil", "brintosk"), "numbers": ("7305918", "2846037")}
_ALPHA = 1e-6  # of each test of a habit or of noise
_SELDOM_VARIES = 0.95
_NEARLY_ALWAYS = 0.75
_STRIDE, _OTHER_STRIDE = 104_729, 7_919  # primes
_WORD = re.compile(r"\w+(?:['’]\w+)*")

_SAYS: dict[str, tuple[str, str]] = {  # of each habit: what is said if it leaks, and if not
    "length": ("The number of words follows the document's", "The number of words does not follow the document's"),
    "case": ("Capitals follow the document's", "Capitals do not follow the document's"),
    "punctuation": ("Punctuation marks follow the document's", "Punctuation marks do not follow the document's"),
    "unknown words": ("Made-up words of the document come out as they are", "No made-up word of the document came out"),
    "numbers": ("Numbers of the document come out as they are", "No number of the document came out"),
}


@dataclass(frozen=True)
class Answers:
    """What a program answered."""

    habits: dict[str, tuple[list[list[str]], list[list[str]]]]  # to the two documents of each, in two runs
    words: dict[str, list[str]]  # answers to single-word documents, by word; all in the first run


def _documents(words: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return two documents for each habit that differ in it alone."""
    first, second, third = words[:3]
    plain = f"{first} {second} {third}"
    documents = {"length": (f"{first} {first}", " ".join([first] * 9)), "case": (plain, plain.upper())}
    documents["punctuation"] = (plain, f"{first}, {second}; {third}!")
    return documents | {habit: (f"{first} {a} {third}", f"{first} {b} {third}") for habit, (a, b) in _TOKENS.items()}


def ask(
    program: Program, pairs: Sequence[tuple[str, str]], draws: int, *, rows: int = ROWS, words: Sequence[str] = WORDS
) -> Answers:
    """Run a program, documents in and as many answers out, twice on all documents.

    So many answers to each document of a pair judge; before that, the same number choose the events. Documents of the
    habits consist of `words`, which the program should know.
    """
    habit_documents = _documents(words)
    singles = list(dict.fromkeys(word for pair in pairs for word in pair))
    asked = [document for two in habit_documents.values() for document in two for _ in range(rows)]
    # A word's rows are spread, so that noise which a program changes from time to time is not mistaken for the word's.
    first = _run(program, asked + singles * (2 * draws))
    second = _run(program, asked)
    cut = [[run[start : start + rows] for start in range(0, len(asked), rows)] for run in (first, second)]
    habits = {name: (cut[0][2 * i : 2 * i + 2], cut[1][2 * i : 2 * i + 2]) for i, name in enumerate(habit_documents)}
    rest = first[len(asked) :]
    return Answers(habits, {word: rest[index :: len(singles)] for index, word in enumerate(singles)})


def _run(program: Program, documents: Sequence[str]) -> list[str]:
    answers = list(program(documents))
    if len(answers) != len(documents):
        raise InputError(
            f"The program gave {len(answers):,} answers to {len(documents):,} documents; it must give a line for each."
        )
    return answers


def findings(
    answers: Answers, pairs: Sequence[tuple[str, str]], *, claimed: float | None, declared: Collection[str]
) -> list[Finding]:
    """Return all that answers show."""
    return [
        *leaks(answers, claimed=claimed, declared=declared),
        *noise(answers, claimed=claimed),
        *losses(answers, pairs, claimed=claimed),
        reconstruction(answers, pairs, claimed=claimed),
    ]


def leaks(answers: Answers, *, claimed: float | None, declared: Collection[str] = ()) -> list[Finding]:
    """Return a finding for each habit that answers may copy from the document."""
    for habit in declared:
        if habit not in HABITS:
            raise ParameterError(f"What is declared must be one of {', '.join(HABITS)}; got {habit!r}.")
    return [_leak(habit, first, claimed, habit in declared) for habit, (first, _) in answers.habits.items()]


def _leak(habit: str, blocks: Sequence[Sequence[str]], claimed: float | None, declared: bool) -> Finding:
    """Return the finding about one habit, from the answers to its two documents."""
    (leaks_so, stays), share = _SAYS[habit], _copied(habit, blocks)
    bound = loss_bound(*_coded(lambda answer: _shows(habit, answer), blocks[0], blocks[1]), _ALPHA).loss
    figures = {"rows": len(blocks[0]), "copied": share, "lower_bound": bound}
    if share:
        says = f"{leaks_so}, in {percent(share)} of the answers"
        if declared:
            says += "; it is declared"
            return Finding(habit, "measured", f"{says}.", figures, tells=True)
        says += ": two documents that differ in this are told apart at any ε"
        return _finding(habit, "violated", claimed, f"{says}.", figures, tells=True)
    if bound == 0:
        return _finding(habit, "holds", claimed, f"{stays}.", figures)
    says = f"{leaks_so} in part: by a loss of at least {bound:.2f}"
    if declared or claimed is None:
        return Finding(habit, "measured", f"{says}.", figures, tells=True)
    broken = bound > claimed
    says += ", more than was claimed" if broken else ", which the claim allows"
    return _finding(habit, "violated" if broken else "holds", claimed, f"{says}.", figures, tells=True)


def _finding(
    check: str,
    verdict: Verdict,
    claimed: float | None,
    says: str,
    figures: Mapping[str, object],
    *,
    tells: bool = False,
) -> Finding:
    return Finding(check, "measured" if claimed is None else verdict, says, figures, tells)


def _copied(habit: str, blocks: Sequence[Sequence[str]]) -> float:
    """Return the share of answers that copy the habit of their document; 0 unless that is beyond doubt.

    Nobody draws a made-up word by chance, so that a single one is proof. Of other habits every answer to one document
    must show the same, and every answer to the other something else: what a mechanism draws varies.
    """
    if habit in _TOKENS:
        pairs = zip(_TOKENS[habit], blocks, strict=True)
        hits = sum(token in answer.lower() for token, block in pairs for answer in block)
        return hits / sum(map(len, blocks))
    shown = [{_shows(habit, answer) for answer in block} for block in blocks]
    return float(len(shown[0]) == len(shown[1]) == 1 and shown[0] != shown[1])


def _shows(habit: str, answer: str) -> object:
    if habit in _TOKENS:
        return tuple(token in answer.lower() for token in _TOKENS[habit])
    if habit == "length":
        return len(_words(answer))
    if habit == "case":
        return tuple("upper" if word.isupper() else "title" if word.istitle() else "other" for word in _words(answer))
    return "".join(sign for sign in answer if not sign.isalnum() and not sign.isspace())


def _words(answer: str) -> list[str]:
    return _WORD.findall(answer)


# Of each check of noise: what is said if it is shared, and if not.
_NOISE: dict[str, tuple[str, str]] = {
    "rows share noise": (
        "Rows of one run with the same document agree more often than rows of two runs: they share their noise",
        "Rows of one run are as independent as rows of two runs",
    ),
    "runs share noise": (
        "A second run repeats the noise of the first: a fixed seed, and whoever knows it can undo the noise",
        "A second run draws other noise than the first",
    ),
    "cached noise": (
        "A word that a document repeats gets the same substitute more often than in two runs: its noise is cached",
        "A word that a document repeats gets fresh noise each time",
    ),
}


def noise(answers: Answers, *, claimed: float | None) -> list[Finding]:
    """Return findings about noise that is shared where it should be fresh.

    Answers that should be independent are compared with answers to the same document, in the other run and in another
    row, that nothing but a lack of noise could make alike.
    """
    blocks = [two for runs in answers.habits.values() for two in zip(*runs, strict=True)]
    same_run = [_equal(first[0::2], first[1::2]) for first, _ in blocks]
    other_run = [_equal(first[0::2], second[1::2]) for first, second in blocks]
    in_step = [_equal(first, second) for first, second in blocks]
    out_of_step = [_equal(first, [*second[1:], second[0]]) for first, second in blocks]
    longest = [run[1] for run in answers.habits["length"]]
    inside, apart = _repeats(longest[0], longest[1])
    return [
        _shared("rows share noise", claimed, same_run, other_run),
        _shared("runs share noise", claimed, in_step, out_of_step),
        # Programs may smooth what was drawn, and words of one answer then agree more often, but never nearly always.
        _shared("cached noise", claimed, [inside], [apart], least=_NEARLY_ALWAYS),
    ]


def _equal(some: Sequence[str], others: Sequence[str]) -> tuple[int, int]:
    pairs = list(zip(some, others, strict=False))
    return sum(mine == theirs for mine, theirs in pairs), len(pairs)


def _repeats(rows: Sequence[str], others: Sequence[str]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return how often two words of one answer agree, and a word of one with a word of another run's."""
    inside, apart, pairs = 0, 0, 0
    for number, (row, other) in enumerate(zip(rows, [*others[1:], *others[:1]], strict=False)):
        mine, theirs = _words(row), _words(other)
        if min(len(mine), len(theirs)) < 2:
            continue
        # Places all over the answer: it may be sorted, and neighbours agree more often then.
        first = number * _STRIDE % len(mine)
        second = (first + 1 + number * _OTHER_STRIDE % (len(mine) - 1)) % len(mine)
        inside += mine[first] == mine[second]
        apart += mine[first] == theirs[number * _OTHER_STRIDE % len(theirs)]
        pairs += 1
    return (inside, pairs), (apart, pairs)


def _shared(
    check: str,
    claimed: float | None,
    suspicious: Sequence[tuple[int, int]],
    independent: Sequence[tuple[int, int]],
    least: float = 0.0,
) -> Finding:
    """Compare how often answers agree that should be independent with how often independent ones do."""
    bad, good = _NOISE[check]
    worst = None
    for (hits, pairs), (others, other_pairs) in zip(suspicious, independent, strict=True):
        low = float(lowest_share(hits, pairs, _ALPHA)) if pairs else 0.0
        high = float(highest_share(others, other_pairs, _ALPHA)) if other_pairs else 1.0
        if low > max(high, least):
            worst = max(worst or (0.0, 0.0), (hits / pairs, others / other_pairs))
    (agree, of), (agree_apart, of_apart) = (map(sum, zip(*hits, strict=True)) for hits in (suspicious, independent))
    figures = {"agree": agree, "of": of, "agree_if_independent": agree_apart, "of_independent": of_apart}
    if worst is None and figures["agree_if_independent"] >= _SELDOM_VARIES * figures["of_independent"]:
        why = "Answers vary too seldom to tell." if figures["of"] else "No answer had two words to compare."
        return Finding(check, "measured", why, figures)
    if worst is None:
        return _finding(check, "holds", claimed, f"{good}.", figures)
    says = f"{bad} ({percent(worst[0])} against {percent(worst[1])})."
    return _finding(check, "violated", claimed, says, figures, tells=True)


def losses(answers: Answers, pairs: Sequence[tuple[str, str]], *, claimed: float | None) -> list[Finding]:
    """Return findings about how far the answers tell the documents of each pair apart, by their words and their order.

    What is looked at in an answer is chosen on the choosing draws, too.
    """
    alpha = (1 - CONFIDENCE) / (2 * len(pairs))
    bags, whole = [], []
    for first, second in pairs:
        bags.append(_best_view(answers.words[first], answers.words[second], _bag_views(first, second), alpha))
        whole.append(_best_view(answers.words[first], answers.words[second], _ORDERED_VIEWS, alpha))
    sampled = [Pair(pair, claimed, _unused, _unused) for pair in pairs]
    half = 1 - (1 - CONFIDENCE) / 2  # of the confidence for either finding
    where = "answers, order aside"
    judged = [judge_bounds(sampled, bags, confidence=half, where=where, check="sampled loss")]
    ordered = judge_bounds(sampled, whole, confidence=half, where="whole answers", check="order")
    if ordered.verdict == "violated" and judged[0].verdict != "violated":
        says = f"The order of an answer's words tells more than was claimed. {ordered.says}"
        judged.append(Finding("order", "violated", says, ordered.figures))
    return [_support(answers, pairs), *judged, *_never_varied(answers, claimed, alpha)]


def _support(answers: Answers, pairs: Sequence[tuple[str, str]]) -> Finding:
    """Say how many answers came for both documents of the pair that shares fewest.

    That none did is no proof that none can: how far it speaks against a claim is what the sampled loss says.
    """
    shared = []
    for first, second in pairs:
        mine, theirs = set(answers.words[first]), set(answers.words[second])
        shared.append((len(mine & theirs), len(mine | theirs)))
    fewest = min(range(len(pairs)), key=lambda index: shared[index][0] / shared[index][1])
    common, seen = shared[fewest]
    says = f"{common:,} of {seen:,} different answers came for both {pairs[fewest][0]} and {pairs[fewest][1]}"
    says += "." if common else ": what never comes for one of them at all is an infinite loss."
    figures = {"inputs": list(pairs[fewest]), "in_common": common, "different": seen}
    return Finding("support", "measured", says, figures)


def _unused(draws: int) -> Int64:
    raise ParameterError(f"The answers are at hand; no further {draws} are drawn.")


def _bag_views(first: str, second: str) -> dict[str, Callable[[str], object]]:
    return {
        "bag of words": lambda answer: tuple(sorted(_words(answer))),
        "number of words": lambda answer: len(_words(answer)),
        "holds the first document": lambda answer: first in answer,
        "holds the second document": lambda answer: second in answer,
    }


_ORDERED_VIEWS: dict[str, Callable[[str], object]] = {
    "answer": str,
    "first word": lambda answer: _words(answer)[:1],
    "last word": lambda answer: _words(answer)[-1:],
}


def _best_view(
    first: Sequence[str], second: Sequence[str], views: dict[str, Callable[[str], object]], alpha: float
) -> Bound:
    """Return the bound by the view of an answer that the choosing half finds most telling."""
    half = len(first) // 2
    best: tuple[float, Callable[[str], object]] | None = None
    for view in views.values():
        tried = loss_bound(*_coded(view, first[:half], second[:half]), alpha)
        if best is None or tried.loss > best[0]:
            best = (tried.loss, view)
    if best is None:
        raise ParameterError("There must be something to look at in an answer.")
    return loss_bound(*_coded(best[1], first, second), alpha)


def _coded(view: Callable[[str], object], first: Sequence[str], second: Sequence[str]) -> tuple[Int64, Int64]:
    numbers: dict[str, int] = {}
    coded = [
        np.array([numbers.setdefault(str(view(a)), len(numbers)) for a in answers], np.int64)
        for answers in (first, second)
    ]
    return coded[0], coded[1]


def _never_varied(answers: Answers, claimed: float | None, alpha: float) -> Iterator[Finding]:
    """Say if the answer to a document was always the same, and another to another document."""
    kinds = {word: set(given) for word, given in answers.words.items()}
    if any(len(given) > 1 for given in kinds.values()) or len(set(map(frozenset, kinds.values()))) < 2:
        return
    draws = len(next(iter(answers.words.values())))
    shown = reach(draws // 2, alpha)
    broken = claimed is not None and claimed < shown
    says = f"In {draws:,} answers to each document nothing ever varied, and answers differ between documents"
    rest = "no noise was seen" if broken or claimed is None else "noise is too rare to be seen with so few draws"
    verdict: Verdict = "violated" if broken else "holds"
    yield _finding("no noise", verdict, claimed, f"{says}: {rest}.", {"draws": draws}, tells=True)


def reconstruction(answers: Answers, pairs: Sequence[tuple[str, str]], *, claimed: float | None) -> Finding:
    """Return how often an attacker who learned from half of the answers names the document of another answer.

    A claim is about the two documents of a pair, so it is judged by guesses between these; guesses among the documents
    of all pairs are a figure beside it.
    """
    numbers: dict[str, int] = {}
    drawn = {
        word: np.array([numbers.setdefault(answer, len(numbers)) for answer in given], np.int64)
        for word, given in answers.words.items()
    }
    alpha = (1 - CONFIDENCE) / len(pairs)
    guesses = [reconstruct([drawn[first], drawn[second]], alpha) for first, second in pairs]
    worst = max(range(len(pairs)), key=lambda pair: guesses[pair].low)
    judged = judge_reconstruction(guesses[worst], exact=False, claimed=claimed)
    together = reconstruct(list(drawn.values()), 1 - CONFIDENCE)
    says = f"{judged.says} Among all {together.inputs} it is right {together.success:.4f} of the time."
    figures = {**judged.figures, "inputs": list(pairs[worst]), "among_all": together.success, "all": together.inputs}
    return replace(judged, says=says, figures=figures)
