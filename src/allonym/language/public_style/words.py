"""One word for each meaning: the commonest of a group that may stand for one another wherever they stand.

Nothing here reads the sentence, so only words are listed whose usual senses agree, in those forms that are not another
part of speech as well: "purchased" becomes "bought", and "purchase" stays. Each keeps its form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from allonym.language.verb_forms import irregular_forms

# In each group the public word comes first, then those that become it. A verb with a star is replaced in its forms on
# -ed and -ing alone: the others are a noun as well.
_VERBS: Final = """
buy purchase*; get obtain; start commence; stop cease; need require; tell inform notify; repair mend; try attempt*
endeavour*; help assist; use utilise; happen occur; keep retain; allow permit*; ban prohibit; live reside dwell; hate
loathe detest; annoy irritate; surprise astonish amaze; check verify; shout yell* scream*; destroy ruin* wreck*
demolish; improve enhance; change alter modify; reduce lessen; leave depart; appear emerge; complain moan* grumble*;
explain clarify; hurt injure; own possess; repay reimburse; reply respond; understand comprehend; argue contend;
mention cite; fix rectify
"""
_NOUNS: Final = """
film movie; child kid youngster; mistake error; reply response; story tale; car automobile; parcel package; doctor
physician; illness sickness; chance opportunity; danger hazard; help assistance; result outcome; woman lady; man guy
bloke gentleman; friend mate pal buddy; house residence; shop store; smell odour stench stink; idea notion concept;
staff personnel; customer client; photo photograph; phone telephone; bike bicycle; law legislation; company
corporation; teacher instructor; student pupil; need requirement; amount sum
"""
_ADJECTIVES: Final = """
big large huge enormous gigantic massive vast; small tiny; great excellent superb brilliant fantastic wonderful
marvellous amazing terrific magnificent splendid fabulous awesome; terrible awful dreadful horrible appalling atrocious
horrendous; beautiful gorgeous lovely stunning; happy glad pleased delighted; angry furious livid irate; tired exhausted
weary; ill unwell; funny amusing humorous comical hilarious; boring dull tedious; interesting fascinating intriguing;
clever smart intelligent; stupid silly foolish dumb; strange odd weird peculiar unusual bizarre; important significant
crucial vital essential; difficult tough tricky; easy straightforward; quick rapid swift speedy; cheap inexpensive;
expensive costly pricey; wrong incorrect; famous renowned; whole entire; enough sufficient; several various numerous;
clear obvious evident; faulty defective; rude impolite; dangerous hazardous unsafe; empty vacant; rich wealthy; extra
additional; disgusting revolting; exciting thrilling gripping; useless worthless; polite courteous
"""
_ADVERBS: Final = """
soon shortly; often frequently; sometimes occasionally; always constantly; almost nearly; about approximately roughly;
only merely solely; mostly mainly largely primarily; suddenly abruptly; quickly swiftly rapidly; badly poorly; clearly
plainly; unfortunately sadly regrettably; luckily fortunately thankfully; later afterwards subsequently; easily
effortlessly; wrongly incorrectly
"""
_IRREGULAR_PLURALS: Final = {"child": "children", "man": "men", "woman": "women", "gentleman": "gentlemen"}
_VOWELS: Final = "aeiou"
_WORD: Final = re.compile(r"(?:(?<!\w)(?P<article>[Aa]n?) )?(?<![\w'@./-])(?P<word>[A-Za-z]+)(?![\w@/'-]|\.\w)")


def common(sentence: str) -> str:
    """Return a sentence with one word for each meaning.

    Examples:
        >>> common("I purchased an excellent bicycle, and the kids loathed it.")
        'I bought a great bike, and the children hated it.'
    """
    return _WORD.sub(_replaced, sentence)


def _replaced(match: re.Match[str]) -> str:
    new = _table().get(match["word"].lower())
    is_name = not match["word"].islower() and match.start("word") > 0
    if new is None or is_name or (match["word"].isupper() and len(match["word"]) > 1):
        return match[0]
    new = new.capitalize() if match["word"][0].isupper() else new
    if not match["article"]:
        return new
    return f"{match['article'][0]}{'n' if new[0].lower() in _VOWELS else ''} {new}"


@cache
def _table() -> dict[str, str]:
    """Return what each form becomes."""
    table: dict[str, str] = {}
    for listed, forms in ((_ADJECTIVES, _itself), (_ADVERBS, _itself), (_NOUNS, _noun), (_VERBS, _verb)):
        for public, other in _pairs(listed):
            inflected = zip(forms(other.rstrip("*")), forms(public), strict=True)
            chosen = [*inflected][2:] if other.endswith("*") else inflected
            table |= {old: new for old, new in chosen if old not in table}
    return table


def _pairs(listed: str) -> Iterator[tuple[str, str]]:
    for group in listed.split(";"):
        public, *others = group.split()
        for other in others:
            yield public, other


def _itself(word: str) -> list[str]:
    return [word]


def _noun(word: str) -> list[str]:
    return [word, _IRREGULAR_PLURALS.get(word) or with_s(word)]


def _verb(verb: str) -> list[str]:
    """Return the forms of a verb: infinitive, third person, participles, past."""
    irregular = irregular_forms(verb)
    past = irregular[0] if irregular else _with("ed", verb)
    return [verb, with_s(verb), _with("ing", verb), past]


def with_s(word: str) -> str:
    """Return a regular plural, or the third person of a verb."""
    if word.endswith(("s", "x", "ch", "sh", "z")):
        return f"{word}es"
    return f"{word[:-1]}ies" if word.endswith("y") and word[-2] not in _VOWELS else f"{word}s"


def _with(ending: str, verb: str) -> str:
    """Return a regular form: "stop" is "stopped", "try" is "tried", "use" is "using"."""
    if verb.endswith("e"):
        return f"{verb[:-1]}{ending}"
    if verb.endswith("y") and verb[-2] not in _VOWELS:
        return f"{verb[:-1]}ied" if ending == "ed" else f"{verb}ing"
    double = verb in _DOUBLED
    return f"{verb}{verb[-1] if double else ''}{ending}"


_DOUBLED: Final = frozenset({"stop", "ban", "occur", "permit", "get"})
