"""Amounts and dates in one form: the sign before the digits, the day before the month."""

from __future__ import annotations

import re
from typing import Final

_MONTHS: Final = "January|February|March|April|May|June|July|August|September|October|November|December"
_SHORT_MONTHS: Final = {month[:3]: month for month in _MONTHS.split("|")} | {"Sept": "September"}
_SUM: Final = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_SIGNS: Final = {"pound": "£", "euro": "€", "dollar": "$", "quid": "£", "gbp": "£", "eur": "€", "usd": "$"}
_SPELLED: Final = re.compile(
    rf"(?<![\w.,£€$])(?P<sum>{_SUM})(?P<large> (?:thousand|million|billion))? ?"
    r"(?P<name>pounds?|euros?|dollars?|quid|GBP|EUR|USD)\b(?! sterling)(?!-)",
    re.IGNORECASE,
)
_MONTH: Final = rf"(?P<month>{_MONTHS}|{'|'.join(_SHORT_MONTHS)})"
_DAY: Final = r"(?P<day>[12]?\d|3[01])(?:st|nd|rd|th)?"
_YEAR: Final = r"(?:,? (?P<year>(?:19|20)\d\d))?"
_MONTH_FIRST: Final = re.compile(rf"\b{_MONTH}\.? (?:the )?{_DAY}{_YEAR}\b(?![\d:])")
_DAY_FIRST: Final = re.compile(rf"\b(?:the )?{_DAY}(?: of)? {_MONTH}\b\.?{_YEAR}\b")


def plain(sentence: str) -> str:
    """Return a sentence with amounts and dates in one form.

    Examples:
        >>> plain("I paid 1,200 pounds on the 3rd of May, 2024, and 30 euros on Sept. 4.")
        'I paid £1,200 on 3 May 2024, and €30 on 4 September.'
    """
    sentence = _SPELLED.sub(_amount, sentence)
    return _DAY_FIRST.sub(_date, _MONTH_FIRST.sub(_date, sentence))


def _amount(match: re.Match[str]) -> str:
    name = match["name"].lower()
    return f"{_SIGNS[name] if name in _SIGNS else _SIGNS[name.rstrip('s')]}{match['sum']}{match['large'] or ''}"


def _date(match: re.Match[str]) -> str:
    month = _SHORT_MONTHS.get(match["month"], match["month"])
    return f"{match['day']} {month}{' ' + match['year'] if match['year'] else ''}"
