"""A text written anew: its lines, their sentences, the versions of each, and the one that is written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from allonym.anonymizers.ghostwriter import carried, ranking
from allonym.anonymizers.ghostwriter.carried import Carried
from allonym.anonymizers.ghostwriter.ranking import Costs
from allonym.language import layout, sequences
from allonym.language.persons import PERSONS
from allonym.language.public_style import lengths, letters, marks, money, phrases, spelling, words
from allonym.language.stop_words import STOP_WORDS
from allonym.networks.translation.search import Version, VersionTranslator, Wishes, translator

_FEWEST_WORDS: Final = 3  # of what is translated: shorter pieces come back wrong
_HEADING_WORDS: Final = 8
_LETTER: Final = re.compile(r"[a-zA-Z]{2}")
_AT_ONCE: Final = 24  # sentences that are translated together
_PIVOTS: Final = 2  # Portuguese versions of a sentence
_BEAM: Final = 6
_APART: Final = 0.3
_HINT: Final = 3.0  # what a content word of the writer's is worth
_SMALL: Final = 0.5  # what a small word is worth
_DENYING: Final = frozenset({"not", "never", "no", "nothing", "nobody", "without", "cannot"})


@dataclass(frozen=True)
class Style:
    """How much is asked of the search and of the choice; the defaults were chosen on other authors."""

    beam: int = _BEAM
    pivots: int = _PIVOTS
    apart: float = _APART
    hint: float = _HINT
    small: float = _SMALL
    costs: Costs = field(default_factory=Costs)


DEFAULT: Final = Style()


@dataclass
class _Line:
    """A line of a text: what stands before its sentences, or all of it."""

    fixed: str
    sentences: list[str] = field(default_factory=list)


def written(text: str, style: Style = DEFAULT) -> str:
    """Return a text written anew."""
    held = carried.carry(carried.without_signs(text))
    lines = [_line(line) for line in layout.lines(held.text)]
    sentences = list(dict.fromkeys(sentence for line in lines for sentence in line.sentences))
    rewritten = _rewritten(sentences, style)
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
    sentences = [part for sentence in _cut(plain) for part in lengths.cut(_prepared(sentence))]
    return _Line(mark, [sentence for sentence in sentences if sentence])


def _cut(line: str) -> list[str]:
    """Cut a line into sentences; none ends inside of "3.5K", where no blank follows."""
    found: list[str] = []
    place = 0
    for piece in sequences.cut(line):
        start = line.find(piece, place)
        if found and start == place and piece[0].isdigit():
            found[-1] += piece
        else:
            found.append(piece)
        place = start + len(piece)
    return found


def _is_heading(line: str) -> bool:
    """Tell a heading, an address or a name from a sentence: a few words without a mark at the end."""
    return len(line.split()) <= _HEADING_WORDS and line[-1:].isalnum()


def _prepared(sentence: str) -> str:
    formula = letters.formula(sentence)
    if formula is not None:
        return formula
    public = phrases.public(sentence)
    if _is_translated(sentence):
        return marks.sentence(letters.mended(public))
    return marks.sentence(public) if public.endswith((".", "?")) else public


def _is_translated(sentence: str) -> bool:
    return len(sentence.split()) >= _FEWEST_WORDS and _LETTER.search(sentence) is not None


def _joined(line: _Line, rewritten: Mapping[str, str], held: Carried) -> str:
    sentences = [rewritten[sentence] for sentence in line.sentences]
    return held.put_back(line.fixed + " ".join(lengths.joined(sentences)))


def _rewritten(sentences: Sequence[str], style: Style) -> dict[str, str]:
    """Return what each sentence becomes: the best version, or itself in the public style if none is good enough."""
    done = {sentence: finished(sentence) if _is_translated(sentence) else sentence for sentence in sentences}
    asked = [sentence for sentence in sentences if _is_translated(sentence) and letters.formula(sentence) is None]
    batches = (asked[start : start + _AT_ONCE] for start in range(0, len(asked), _AT_ONCE))
    found = chain.from_iterable(_versions(batch, style) for batch in batches)
    for sentence, versions in zip(asked, found, strict=True):
        whole = {finished(one.text): one.likelihood for one in versions if carried.same_signs(sentence, one.text)}
        chosen = ranking.best(sentence, list(whole.items()), style.costs)
        if chosen is not None and chosen[1] <= style.costs.untranslated:
            done[sentence] = chosen[0]
    return done


def _versions(asked: Sequence[str], style: Style) -> list[list[Version]]:
    """Translate sentences to Portuguese and back, in several versions each."""
    if not asked:
        return []
    there, back = translator("en-pt"), translator("pt-en")
    pivots = [found[: style.pivots] for found in there.versions(asked, beam=style.pivots)]
    owners = [place for place, found in enumerate(pivots) for _ in found]
    wishes = {place: _wishes(back, asked[place], style) for place in set(owners)}
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


def _wishes(back: VersionTranslator, sentence: str, style: Style) -> Wishes:
    """Return the words that a version of a sentence should have: those with content before all, and its persons."""
    encoded = back.tokenizer.encode(sentence)
    spelt = _in_words(encoded.ids, encoded.tokens)
    small = {pieces: word in STOP_WORDS and word not in ranking.LIGHT for word, pieces in spelt}
    content = {pieces: style.small if small[pieces] else style.hint for word, pieces in spelt if word.isalpha()}
    persons = {pieces: style.hint for word, pieces in spelt if word in PERSONS or word in _DENYING}
    return Wishes(content, persons)


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
