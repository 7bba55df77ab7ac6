"""The irregular verbs of English: which verb a past form belongs to, and which forms are participles alone."""

from __future__ import annotations

from functools import cache
from typing import Final

# Infinitive, past, participle; one form where all are the same, two where past and participle are.
_FORMS: Final = """
beat beat beaten; become became become; begin began begun; bend bent; bet; bind bound; bite bit bitten; bleed bled;
blow blew blown; break broke broken; breed bred; bring brought; build built; burn burnt; buy bought; catch caught;
choose chose chosen; come came come; cost; creep crept; cut; deal dealt; dig dug; draw drew drawn; dream dreamt; drink
drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel felt; fight fought; find found; flee
fled; fly flew flown; forbid forbade forbidden; forget forgot forgotten; forgive forgave forgiven; freeze froze
frozen; get got gotten; give gave given; go went gone; grow grew grown; hang hung; hear heard; hide hid hidden; hit;
hold held; hurt; keep kept; kneel knelt; know knew known; lay laid; lead led; lean leant; leap leapt; learn learnt;
leave left; lend lent; let; light lit; lose lost; make made; mean meant; meet met; mistake mistook mistaken; pay paid;
put; quit; read; ride rode ridden; ring rang rung; rise rose risen; run ran run; say said; see saw seen; seek sought;
sell sold; send sent; set; sew sewed sewn; shake shook shaken; shine shone; shoot shot; show showed shown; shrink
shrank shrunk; shut; sing sang sung; sink sank sunk; sit sat; sleep slept; slide slid; smell smelt; speak spoke
spoken; spell spelt; spend spent; spill spilt; spit spat; split; spoil spoilt; spread; spring sprang sprung; stand
stood; steal stole stolen; stick stuck; sting stung; stink stank stunk; strike struck; swear swore sworn; sweep swept;
swim swam swum; swing swung; take took taken; teach taught; tear tore torn; tell told; think thought; throw threw
thrown; understand understood; upset; wake woke woken; wear wore worn; weep wept; win won; withdraw withdrew
withdrawn; write wrote written; misspell misspelt; overhear overheard; rebuild rebuilt; repay repaid; undo undid
undone; overcome overcame overcome
"""


@cache
def _infinitives() -> dict[str, str]:
    return {form: forms[0] for forms in _split() for form in reversed(forms)}


@cache
def _participles() -> frozenset[str]:
    return frozenset(forms[2] for forms in _split() if len(forms) == 3 and forms[2] not in forms[:2])


def _split() -> list[list[str]]:
    return [forms.split() for forms in _FORMS.split(";")]


def infinitive(word: str) -> str | None:
    """Return the verb that a word in lower case is an irregular form of, or None.

    Examples:
        >>> infinitive("bitten"), infinitive("bit"), infinitive("hit"), infinitive("walked")
        ('bite', 'bite', 'hit', None)
    """
    return _infinitives().get(word)


def is_participle_alone(word: str) -> bool:
    """Tell whether a form is a participle and no past: "broken", but not "told".

    Examples:
        >>> is_participle_alone("broken"), is_participle_alone("told")
        (True, False)
    """
    return word in _participles()


def irregular_forms(verb: str) -> tuple[str, str] | None:
    """Return the past and the participle of an irregular verb; None for a regular one.

    Examples:
        >>> irregular_forms("buy"), irregular_forms("show"), irregular_forms("walk")
        (('bought', 'bought'), ('showed', 'shown'), None)
    """
    forms = _irregular().get(verb)
    return None if forms is None else (forms[min(1, len(forms) - 1)], forms[-1])


@cache
def _irregular() -> dict[str, list[str]]:
    return {forms[0]: forms for forms in _split()}
