"""Forms of English verbs: the third person, the present participle, the past and the past participle."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from allonym.language.public_style.words import with_s
from allonym.language.rewording.lists import listed
from allonym.language.verb_forms import irregular_forms

Part = Literal["base", "s", "ing", "past", "participle"]

_DOUBLED: Final = listed(
    """
stop ban occur permit get wed grab chat plan drop beg run hit sit dig brag hug tug sob nod put set cut let begin
submit omit refer swim win
    """
)


class VerbForm(NamedTuple):
    """A form and which it is."""

    form: str
    part: Part


def verb_forms(verb: str) -> tuple[VerbForm, ...]:
    """Return the five forms of a verb.

    Examples:
        >>> [form for form, _ in verb_forms("go")], [form for form, _ in verb_forms("tie")]
        (['go', 'goes', 'going', 'went', 'gone'], ['tie', 'ties', 'tying', 'tied', 'tied'])
    """
    past, participle = irregular_forms(verb) or (_with("ed", verb), _with("ed", verb))
    third = f"{verb}es" if verb in ("go", "do") else "has" if verb == "have" else with_s(verb)
    return (
        VerbForm(verb, "base"),
        VerbForm(third, "s"),
        VerbForm(_with("ing", verb), "ing"),
        VerbForm(past, "past"),
        VerbForm(participle, "participle"),
    )


def _with(ending: str, verb: str) -> str:
    if verb.endswith("ie") and ending == "ing":
        return f"{verb[:-2]}ying"
    if verb.endswith("e") and not (verb.endswith(("ee", "oe")) and ending == "ing"):
        return f"{verb[:-1]}{ending}"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ied" if ending == "ed" else f"{verb}ing"
    return f"{verb}{verb[-1] if verb in _DOUBLED else ''}{ending}"
