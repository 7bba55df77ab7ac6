"""A text written anew: its lines, their sentences, the versions of each, and the one that is written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from allonym.anonymizers.ghostwriter import carried, ranking
from allonym.anonymizers.ghostwriter.carried import ALWAYS, STATED, Carried
from allonym.anonymizers.ghostwriter.ranking import Weights
from allonym.language import layout, sequences
from allonym.language.public_style import lengths, letters, marks, money, phrases, spelling, words
from allonym.language.stop_words import STOP_WORDS
from allonym.networks.translation.search import Translator, Version, Wishes, translator

_FEWEST_WORDS: Final = 3  # of what is translated: shorter pieces come back wrong
_HEADING_WORDS: Final = 8
_LETTER: Final = re.compile(r"[a-zA-Z]{2}")
_PIVOTS: Final = 1  # Portuguese versions of a sentence
_BEAM: Final = 6
_APART: Final = 0.3
_DEAR: Final = 0.0  # what a pair of the writer's own words costs
_HINT: Final = 3.0  # what a content word of the writer's is worth
_DENYING: Final = frozenset({"not", "never", "no", "nothing", "nobody", "without", "cannot"})


@dataclass(frozen=True)
class Style:
    """How much is asked of the search and of the choice; the defaults were chosen on other authors."""

    beam: int = _BEAM
    pivots: int = _PIVOTS
    apart: float = _APART
    dear: float = _DEAR
    hint: float = _HINT
    weights: Weights = field(default_factory=Weights)


DEFAULT: Final = Style()


@dataclass
class _Line:
    """A line of a text: what stands before its sentences, or all of it."""

    fixed: str
    sentences: list[str] = field(default_factory=list)


def written(text: str, style: Style = DEFAULT) -> str:
    """Return a text written anew."""
    held = carried.carry(carried.without_signs(text), ALWAYS)
    lines = [_line(line) for line in layout.lines(held.text)]
    sentences = list(dict.fromkeys(sentence for line in lines for sentence in line.sentences))
    rewritten = _rewritten(sentences, held, style)
    return "\n".join(_joined(line, rewritten, held) for line in lines)


def _line(line: str) -> _Line:
    """Read a line: a greeting, a goodbye, an entry of a list, or sentences."""
    whole = letters.greeting(line) or letters.goodbye(line)
    if whole is None and _is_heading(line):
        whole = line
    if whole is not None:
        return _Line(whole)
    mark, rest = letters.list_mark(line)
    plain = marks.plain(rest)
    sentences = [part for sentence in sequences.cut(plain) for part in lengths.cut(_prepared(sentence))]
    return _Line(mark, [sentence for sentence in sentences if sentence])


def _is_heading(line: str) -> bool:
    """Tell a heading, an address or a name from a sentence: a few words without a mark at the end."""
    return len(line.split()) <= _HEADING_WORDS and line[-1:].isalnum()


def _prepared(sentence: str) -> str:
    formula = letters.formula(sentence)
    if formula is not None:
        return formula
    return marks.sentence(letters.mended(phrases.public(sentence))) if _is_translated(sentence) else sentence


def _is_translated(sentence: str) -> bool:
    return len(sentence.split()) >= _FEWEST_WORDS and _LETTER.search(sentence) is not None


def _joined(line: _Line, rewritten: Mapping[str, str], held: Carried) -> str:
    sentences = [rewritten[sentence] for sentence in line.sentences]
    return held.put_back(line.fixed + " ".join(lengths.joined(sentences)))


def _rewritten(sentences: Sequence[str], held: Carried, style: Style) -> dict[str, str]:
    """Return what each sentence becomes."""
    done = {sentence: sentence for sentence in sentences}
    asked = [sentence for sentence in sentences if _is_translated(sentence) and letters.formula(sentence) is None]
    failed = _choose(asked, [Carried(sentence, held.things) for sentence in asked], done, style)
    again = [carried.carry(sentence, STATED, held.things) for sentence in failed]
    _choose(failed, again, done, style)
    return done


def _choose(sentences: Sequence[str], asked: Sequence[Carried], done: dict[str, str], style: Style) -> list[str]:
    """Write the best version of each sentence into `done`; return the sentences that have none."""
    failed = []
    for sentence, question, versions in zip(sentences, asked, _versions(asked, style), strict=True):
        whole = {finished(question.put_back(one.text)): one.likelihood for one in versions if question.all_there(one.text)}
        original = question.put_back(question.text)
        public = finished(original)
        chosen = ranking.best(original, list(whole.items()), style.weights)
        if chosen is None or chosen[1] > style.weights.untranslated + style.weights.own:
            failed.append(sentence)
            done[sentence] = public
        else:
            done[sentence] = chosen[0]
    return failed


def _versions(asked: Sequence[Carried], style: Style) -> list[list[Version]]:
    """Translate sentences to Portuguese and back, in several versions each."""
    if not asked:
        return []
    there, back = translator("en-pt"), translator("pt-en")
    pivots = [found[: style.pivots] for found in there.versions([one.text for one in asked], beam=style.pivots)]
    owners = [place for place, found in enumerate(pivots) for _ in found]
    wishes = {place: _wishes(back, asked[place].text, style) for place in set(owners)}
    answers = back.versions(
        [pivot.text for found in pivots for pivot in found],
        beam=style.beam,
        apart=style.apart,
        wishes=[wishes[place] for place in owners],
    )
    versions: list[list[Version]] = [[] for _ in asked]
    for place, found in zip(owners, answers, strict=True):
        versions[place] += found
    return versions


def _wishes(back: Translator, sentence: str, style: Style) -> Wishes:
    """Return what a version of a sentence should have: its content words and persons, but not how they were joined."""
    encoded = back.tokenizer.encode(sentence)
    spelt = _in_words(encoded.ids, encoded.tokens)
    small = {pieces: word in STOP_WORDS for word, pieces in spelt}
    dear = {
        (one[-1], other[0]): style.dear
        for (_, one), (_, other) in pairwise(spelt)
        if small[one] or small[other]
    }
    content = {pieces: style.hint for word, pieces in spelt if word.isalpha() and not small[pieces]}
    persons = {pieces: style.hint for word, pieces in spelt if word in ranking.PERSONS or word in _DENYING}
    return Wishes(dear, content, persons)


def _in_words(ids: Sequence[int], tokens: Sequence[str]) -> list[tuple[str, tuple[int, ...]]]:
    """Return words in lower case with their pieces; marks are left out."""
    found: list[tuple[str, list[int]]] = []
    for piece, token in zip(ids, tokens, strict=True):
        if token.startswith("▁") or not found:
            found.append((token.strip("▁").lower(), [piece]))
        elif token[0].isalnum():
            word, pieces = found[-1]
            found[-1] = (word + token.lower(), [*pieces, piece])
    return [(word, tuple(pieces)) for word, pieces in found if word]


def finished(version: str) -> str:
    """Return a sentence in the public style."""
    plain = phrases.public(marks.plain(version))
    return marks.sentence(money.plain(words.common(spelling.british(plain))))
