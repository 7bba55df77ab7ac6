"""Set pieces of letters: how they open and close, and sentences that everybody writes; each in one public form."""

from __future__ import annotations

import re
from typing import Final

_GREETING: Final = re.compile(
    r"^(?:dear|hi|hello|hey|good (?:morning|afternoon|evening)|to)\b,?\s*(?P<whom>[^,.!:]{0,60}?)\s*[,.!:]*$",
    re.IGNORECASE,
)
_NOBODY: Final = re.compile(
    r"^(?:whom it may concern|sirs?(?: (?:or|and) madam)?|sir/madam|madam|all|everyone|there|both)?$", re.IGNORECASE
)
_GOODBYE: Final = re.compile(
    r"^(?:(?:yours|your)(?: (?:sincerely|faithfully|truly|respectfully|ever))?"
    r"|(?:with )?(?:my |our )?(?:kind(?:est)?|warm(?:est)?|best|many)? ?(?:regards|wishes|thanks)"
    r"|cheers|all the best|best|sincerely(?: yours)?|faithfully|respectfully|regards|thanks|thank you"
    r"|many thanks(?: in advance)?|thanks in advance|take care|love)[,.!\s]*$",
    re.IGNORECASE,
)
_LIST_MARK: Final = re.compile(r"^\s*(?:[-*•‣·–—]|(?P<number>\(?\d{1,2}[.)])|(?P<letter>\(?[a-zA-Z]\)))\s+")
_WITHIN: Final = r"(?P<rest>(?: (?:within|in|by|before|soon)\b[^.]*)?)"
_ANSWER: Final = "(?:reply|response|answer)"
_SOON: Final = "(?:(?:prompt|early|swift) )?"
_REPLY: Final = r"I look forward to your reply\g<rest>."
# Whole sentences that a network turns into nonsense, and what everybody writes in their place.
_SENTENCES: Final = {
    r"(?:and )?(?:i|we)(?: am| are)? look(?:ing)? forward to "
    rf"(?:hearing from you|your {_SOON}{_ANSWER}){_WITHIN}": _REPLY,
    rf"(?:i|we) (?:await|expect|hope for) (?:your )?{_SOON}{_ANSWER}{_WITHIN}": _REPLY,
    r"(?:many )?(?:thanks|thank you)(?: very much| so much)?(?: in advance)?"
    r"(?: for your (?:time|help|attention|time and attention|understanding|attention to this matter))?": "Thank you.",
    r"(?:please (?:do not hesitate to|feel free to)) (?:contact|call|ring|email|get in touch with|write to) me\b"
    r"(?P<rest>[^.]*)": r"Please contact me\g<rest>.",
    r"i hope (?:this (?:letter|email|message) finds you well|you are (?:well|keeping well|doing well))": "",
}
_COMPILED_SENTENCES: Final = tuple(
    (re.compile(rf"^{pattern}\.?$", re.IGNORECASE), written) for pattern, written in _SENTENCES.items()
)
# Parts of sentences of the same kind, mended before a network reads them.
_PARTS: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), written)
    for pattern, written in {
        r"\bplease find (?:enclosed|attached)\b": "I enclose",
        r"\b(?:i|we) (?:would|should) be (?:very |most |really )?grateful if you (?:could|would)\b": "please",
        r"\b(?:i|we) would (?:appreciate it|be obliged|be pleased) if you (?:could|would)\b": "please",
        r"\b(?:could|would|can|will) you(?: please| kindly)? "
        r"(?=(?:let|send|tell|call|write|look|confirm|explain|arrange|refund"
        r"|repair|give|return|pay|stop|make)\b)(?P<rest>[^?]*)\?": r"please \g<rest>.",
        r"\b(?:i|we) (?:am|are) writing (?:to you )?(?:in order )?to\b": "I am writing to",
        r"\bkindly\b": "please",
        r"\bplease please\b": "please",
    }.items()
)
# A deadline becomes a duration on the way ("by 3 May", "until 3 May"), unless it is said so that it cannot.
_MONTHS: Final = "January|February|March|April|May|June|July|August|September|October|November|December"
_DAYS: Final = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
_DEADLINE: Final = re.compile(
    rf"\bby (?=(?:the )?(?:\d|noon|midnight|tomorrow|then|next|{_DAYS}|{_MONTHS}|end of (?:this|next|the|{_MONTHS}))\b)"
)


def greeting(line: str) -> str | None:
    """Return the public form of a line that greets; None if it is none.

    Examples:
        >>> greeting("Hi Karen!"), greeting("To whom it may concern:"), greeting("I paid.")
        ('Dear Karen,', 'Dear Sir or Madam,', None)
    """
    match = _GREETING.match(line)
    if (
        not match
        or (line.lower().startswith("to ") and not _NOBODY.match(match["whom"]))
        or len(match["whom"].split()) > 6
    ):
        return None
    return "Dear Sir or Madam," if _NOBODY.match(match["whom"]) else f"Dear {match['whom']},"


def goodbye(line: str) -> str | None:
    """Return the public form of a line that closes a letter; None if it is none."""
    return "Yours sincerely," if _GOODBYE.match(line) else None


def list_mark(line: str) -> tuple[str, str]:
    """Return what marks an entry of a list, in its public form, and the rest of the line.

    Examples:
        >>> list_mark("* the door"), list_mark("2) the lock"), list_mark("the key")
        (('- ', 'the door'), ('2. ', 'the lock'), ('', 'the key'))
    """
    match = _LIST_MARK.match(line)
    if not match:
        return "", line
    mark = match["number"] or match["letter"]
    return (f"{mark.strip('().')}. " if mark else "- "), line[match.end() :]


def formula(sentence: str) -> str | None:
    """Return the public form of a sentence that everybody writes; None if it is none."""
    for pattern, written in _COMPILED_SENTENCES:
        if match := pattern.match(sentence.strip()):
            return match.expand(written)
    return None


def mended(sentence: str) -> str:
    """Return a sentence whose set pieces are such as a network can read."""
    for pattern, written in _PARTS:
        sentence = pattern.sub(written, sentence)
    return _DEADLINE.sub("no later than ", sentence)
