"""Where a clause begins, as far as the words alone can tell: what decides whether a comma may become a full stop.

Careful rather than complete: what is not surely a clause is none.
"""

from __future__ import annotations

import re
from typing import Final

from allonym.language.rewording.lists import listed
from allonym.language.verb_forms import infinitive, is_participle_alone

SUBJECTS: Final = listed("i you he she it we they there")
DETERMINERS: Final = listed(
    """
a an the my your his her its our their this that these those some no every each another
    """
)
FINITE: Final = listed(
    """
am is are was were have has had do does did will would can could shall should may might must cannot isn't aren't
wasn't weren't haven't hasn't hadn't don't doesn't didn't won't wouldn't can't couldn't shan't shouldn't mustn't
    """
)
_BOTH: Final = listed(
    """
put cut set let hit hurt cost read shut split spread come become run found felt left
    """
)
_RELATIVE: Final = listed(
    """
who which that whom whose where when because if as while although though since
    """
)
_ADVERBS: Final = listed(
    """
then so now still yet also perhaps maybe today yesterday sometimes often usually
    """
)
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SHORT: Final = re.compile(r"(?:i|you|he|she|it|we|they|there|that|this)'(?:m|re|s|ve|ll|d)")


def is_clause(stretch: str) -> bool:
    """Tell whether a stretch is surely a clause that can stand alone.

    Examples:
        >>> [is_clause(words) for words in ("I own no hose", "the meter was broken", "a good memory", "which was late")]
        [True, True, False, False]
    """
    words = [match[0].lower().replace("’", "'") for match in _WORD.finditer(stretch)]
    while words and words[0] in _ADVERBS:
        words = words[1:]
    if len(words) < 3 and not (len(words) == 2 and words[0] in SUBJECTS):
        return False
    if words[0] in SUBJECTS or _SHORT.fullmatch(words[0]):
        return words[0] != "there" or words[1] in FINITE
    if words[0] not in DETERMINERS and words[0] not in ("nobody", "everyone", "everybody", "nothing", "somebody"):
        return False
    for word in words[1:6]:
        if word in _RELATIVE:
            return False
        if word in FINITE or _is_past(word):
            return True
    return False


def _is_past(word: str) -> bool:
    return word not in _BOTH and infinitive(word) not in (None, word) and not is_participle_alone(word)
