"""Mail that was pasted: which lines of it are headers, quoted from others, or a signature, and what is left.

`email` of the standard library reads the headers. What a mail program puts above a quotation ("On Monday, … wrote:")
and the block below "-----Original Message-----" belong to what is quoted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.parser import HeaderParser
from typing import Final

_HEADER: Final = re.compile(r"(?:From|To|Cc|Bcc|Date|Sent|Subject|Reply-To|Received|Message-ID|Return-Path): ", re.I)
_FEWEST_HEADERS: Final = 2  # a single such line may be the writer's own
_FIELD: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,40}:(?:\s|$)")
_QUOTED: Final = re.compile(r"\s?>")
_ANNOUNCED: Final = re.compile(r"\s*(?:On|Am|Le|El)\b.{0,200}\b(?:wrote|schrieb|a écrit|escribió)\s?:\s*$")
_FORWARDED: Final = re.compile(r"\s*(?:-{2,}\s*(?:Original Message|Forwarded message)\s*-{2,}|_{20,})\s*$", re.I)
_SIGNATURE: Final = "-- "


@dataclass(frozen=True)
class Mail:
    """What a pasted text holds besides the words of its writer, counted in lines, and these words."""

    headers: int
    quoted: int
    signature: int
    body: str

    @property
    def is_mail(self) -> bool:
        """Whether anything was found that is not the writer's."""
        return bool(self.headers or self.quoted or self.signature)


def parted(text: str) -> Mail:
    r"""Part a pasted text.

    Examples:
        >>> parted("From: Ann\nSubject: Rain\n\nIt rained.\n\n> Did it?\n-- \nAnn, Leeds\n")
        Mail(headers=2, quoted=1, signature=2, body='It rained.')
        >>> parted("Dear Ann,\n\nDate: not sure yet.\n").is_mail
        False
    """
    lines = text.splitlines()
    headers = _headers(lines)
    own: list[str] = []
    quoted = signature = 0
    for number in range(headers, len(lines)):
        line = lines[number]
        if line == _SIGNATURE or (line == "--" and number > headers):
            signature = sum(bool(rest.strip()) for rest in lines[number:])
            break
        if _FORWARDED.match(line) and _headers(lines[number + 1 :]) >= _FEWEST_HEADERS:
            quoted += sum(bool(rest.strip()) for rest in lines[number:])
            break
        if _QUOTED.match(line) or (_ANNOUNCED.match(line) and _quotation_follows(lines[number + 1 :])):
            quoted += 1
        else:
            own.append(line)
    return Mail(headers, quoted, signature, _without_gaps(own))


def text_of(content: bytes) -> str:
    """Return a mail that was saved as a file (.eml): its usual headers, and its plain text."""
    message = message_from_bytes(content, policy=policy.default)
    part = message.get_body(preferencelist=("plain",))
    body = "" if part is None else str(part.get_content())
    named = [f"{name}: {message[name]}" for name in ("From", "To", "Date", "Subject") if message[name]]
    return "\n".join([*named, "", body]) if named else body


def _headers(lines: list[str]) -> int:
    """Return how many of the first lines are headers of a mail; none where there are too few that mails have."""
    count, usual = 0, 0
    for line in lines:
        if _FIELD.match(line):
            usual += bool(_HEADER.match(line))
        elif not (count and line[:1] in (" ", "\t") and line.strip()):  # a header that goes on
            break
        count += 1
    if usual < _FEWEST_HEADERS:
        return 0
    parsed = HeaderParser(policy=policy.compat32).parsestr("\n".join(lines[:count]))
    return count if len(parsed.keys()) >= _FEWEST_HEADERS else 0


def _quotation_follows(lines: list[str]) -> bool:
    """Tell whether the next line with anything in it is quoted."""
    return bool(_QUOTED.match(next((line for line in lines if line.strip()), "")))


def _without_gaps(lines: list[str]) -> str:
    """Join lines, with no more than one empty one in a row and none at the ends."""
    filled = [line for number, line in enumerate(lines) if line.strip() or (number and lines[number - 1].strip())]
    return "\n".join(filled).strip("\n")
