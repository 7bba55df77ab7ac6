"""Dates and times of day, as people write them, each with one value for all its spellings.

A value is what is said, parts that are not said left out: "-03-12" is a 12 March, "14:30" a time. A spelling that can
be read in two ways has both values with a bar between: "03/12/2024" is "2024-03-12|2024-12-03".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from allonym.language.facts.number_words import ORDINALS

_MONTHS: Final = """
january february march april may june july august september october november december
    """.split()  # noqa: SIM905
_NUMBER_OF: Final = (
    {name: number for number, name in enumerate(_MONTHS, 1)}
    | {name[:3]: number for number, name in enumerate(_MONTHS, 1)}
    | {"sept": 9}
)
_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SHORT_DAYS: Final = {
    "mon": 0,
    "tue": 1,
    "tues": 1,
    "wed": 2,
    "thu": 3,
    "thur": 3,
    "thurs": 3,
    "fri": 4,
    "sat": 5,
    "sun": 6,
}
_HOURS: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_FEASTS: Final = (
    r"Christmas(?:[ ](?:Eve|Day))?|Easter(?:[ ](?:Sunday|Monday))?|New[ ]Year(?:['’]s)?(?:[ ](?:Eve|Day))?"
    r"|Good[ ]Friday|Boxing[ ]Day|Halloween|Thanksgiving|Ramadan|Hanukkah|Diwali|Passover|Whitsun"
)

_MONTH: Final = "|".join([*(name.capitalize() for name in _MONTHS), *_MONTHS, *(n.upper() for n in _MONTHS)])
_ABBREVIATED: Final = "|".join(name.capitalize() for name in _NUMBER_OF if name not in _MONTHS)
_ORDINAL_DAY: Final = "|".join(sorted((word for word, day in ORDINALS.items() if day <= 20), key=len, reverse=True))
_DAY: Final = rf"(?:[0-3]?[0-9](?:st|nd|rd|th)?|{_ORDINAL_DAY}|(?:twenty|thirty)-(?:{_ORDINAL_DAY})|thirtieth)"
_YEAR: Final = r"(?:1[5-9]|20)[0-9][0-9]"

DATE: Final = re.compile(
    rf"""(?<![\w/.-])(?:
    (?P<iso>{_YEAR}-[01][0-9]-[0-3][0-9])
    |(?P<slashed>[0-3]?[0-9](?P<sign>[/.-])[0-3]?[0-9](?P=sign)(?:{_YEAR}|[0-9][0-9]))
    |(?P<day>{_DAY})[ ]*(?:[ ]of[ ])?[ ]?(?P<month>{_MONTH}|(?:{_ABBREVIATED})\b\.?)(?:,?[ ]+(?P<year>{_YEAR}))?
    |(?P<month2>{_MONTH}|(?:{_ABBREVIATED})\b\.?)[ ](?:the[ ])?(?P<day2>{_DAY})(?:,?[ ]+(?P<year2>{_YEAR}))?
    |(?P<month3>{_MONTH})(?:,?[ ](?:of[ ])?(?P<year3>{_YEAR}))
    |(?P<month4>{_MONTH})
    |(?P<weekday>(?i:{"|".join(_DAYS)}))s?
    |(?P<short>(?:{"|".join(name.capitalize() for name in _SHORT_DAYS)}))(?=[.,]?[ ]\d)
    |(?P<feast>{_FEASTS})
    |(?P<decade>(?:1[5-9]|20)[0-9]0s|['’][0-9]0s)
    |(?P<relative>(?i:yesterday|today|tomorrow|tonight|(?:last|next)[ ](?:week|month|year|night|weekend|spring|summer|
        autumn|winter)))
    )(?![\w])(?!/\d)""",
    re.VERBOSE,
)
_LONE_YEAR: Final = re.compile(
    rf"(?<![\w/.,£$€-])(?:(?<=in )|(?<=since )|(?<=until )|(?<=before )|(?<=after )|(?<=from )|(?<=by )|(?<=of )"
    r"|(?<=to )"
    rf"|(?<=and )|(?<=during )|(?<=year )|(?<=\())(?P<year>{_YEAR})(?![\w%]|[.,/:-]?\d)",
    re.IGNORECASE,
)
# May and March are also words of other kinds: only after one of these are they months when they stand alone.
_OF_TIME: Final = re.compile(
    r"\b(?:in|since|until|till|by|last|next|this|of|early|late|mid|from|to|before|after|during|every|for|and|or)[ -]$",
    re.IGNORECASE,
)
TIME: Final = re.compile(
    rf"""(?<![\w:.,/£$€-])(?:
    (?P<hour>[01]?[0-9]|2[0-4])(?:[:.](?P<minute>[0-5][0-9])(?::[0-5][0-9])?)?[ ]?(?P<half>[ap](?:\.m\.|m\b)|[AP]M\b)
    |(?P<hour2>[01]?[0-9]|2[0-4]):(?P<minute2>[0-5][0-9])(?::[0-5][0-9])?(?![\w:])
    |(?P<at>(?<=at )|(?<=by )|(?<=until )|(?<=from ))(?P<hour3>[01]?[0-9]|2[0-4])\.(?P<minute3>[0-5][0-9])
        (?![\w%.])(?![ ]?[%£$€])
    |(?i:(?P<part>half|(?:a[ ])?quarter|five|ten|twenty(?:-five)?|[0-5]?[0-9](?:[ ]minutes)?)[ ](?P<side>past|to)[ ]
        (?P<hour4>{"|".join(_HOURS)}|1[0-2]|[1-9])\b(?![ ]?(?:[%:]|minutes|people|percent)))
    |(?i:(?P<hour5>{"|".join(_HOURS)}|1[0-2]|[1-9])[ ]?o['’]clock)
    |(?i:(?P<name>noon|midday|midnight)\b)
    )""",
    re.VERBOSE,
)
_PARTS: Final = {"half": 30, "quarter": 15, "a quarter": 15, "five": 5, "ten": 10, "twenty": 20, "twenty-five": 25}


class CalendarFact(NamedTuple):
    """A date or time: where it stands, and its value."""

    start: int
    end: int
    value: str


def dates(text: str) -> Iterator[CalendarFact]:
    """Yield dates in order; years that stand alone come after the others."""
    for match in DATE.finditer(text):
        kind = match.lastgroup or ""
        if match["month4"] in ("May", "March", "may", "march") and not (
            match["month4"][0] == "M" and _OF_TIME.search(text, max(0, match.start() - 9), match.start())
        ):
            continue
        value = _date(match, kind)
        if value:
            yield CalendarFact(match.start(), match.end(), value)
    for match in _LONE_YEAR.finditer(text):
        yield CalendarFact(match.start(), match.end(), match["year"])


def _date(match: re.Match[str], kind: str) -> str:
    for suffix in ("", "2", "3", "4"):
        if month := match[f"month{suffix}"]:
            year = match[f"year{suffix}"] if suffix != "4" else None
            day = match[f"day{suffix}"] if suffix in ("", "2") else None
            number = _day(day) if day else 0
            if not number <= 31:
                return ""
            return _written(year, _NUMBER_OF[month.lower().rstrip(".")], number)
    if match["slashed"]:
        return _slashed(match["slashed"], match["sign"])
    if match["weekday"]:
        return match["weekday"].lower()
    if match["short"]:
        return _DAYS[_SHORT_DAYS[match["short"].lower()]]
    if match["decade"]:
        return match["decade"].lstrip("'’")[-3:]
    return " ".join(match[0].lower().replace("’", "'").split())


def _day(written: str) -> int:
    lowered = written.lower()
    if lowered[0].isdigit():
        return int(re.sub(r"\D", "", lowered))
    tens, _, unit = lowered.rpartition("-")
    return {"": 0, "twenty": 20, "thirty": 30}[tens] + ORDINALS[unit]


def _written(year: str | None, month: int, day: int) -> str:
    return f"{year or ''}-{month:02d}" + (f"-{day:02d}" if day else "")


def _slashed(written: str, sign: str) -> str:
    """Return both readings, day first and month first, of those that are dates."""
    first, second, year = written.split(sign)
    if len(year) == 2:
        year = ("20" if int(year) < 50 else "19") + year
    pairs = sorted({(int(second), int(first)), (int(first), int(second))})
    return "|".join(f"{year}-{month:02d}-{day:02d}" for month, day in pairs if 0 < month <= 12 and 0 < day <= 31)


def times(text: str) -> Iterator[CalendarFact]:
    """Yield times of day in order."""
    for match in TIME.finditer(text):
        hour = match["hour"] or match["hour2"] or match["hour3"] or match["hour4"] or match["hour5"]
        if match["name"]:
            value = "00:00" if match["name"].lower() == "midnight" else "12:00"
        elif match["part"]:
            value = _around(match["part"].lower(), match["side"].lower(), _hour(hour))
        else:
            minute = int(match["minute"] or match["minute2"] or match["minute3"] or 0)
            half = (match["half"] or "").lower()[:1]
            value = _clock(_hour(hour), minute, half, sure=hour[0] == "0")
        if value:
            yield CalendarFact(match.start(), match.end(), value)


def _hour(written: str) -> int:
    return int(written) if written.isdigit() else _HOURS.index(written.lower()) + 1


def _around(part: str, side: str, hour: int) -> str:
    minutes = _PARTS[part] if part in _PARTS else int(part.split()[0])
    total = hour * 60 + (minutes if side == "past" else -minutes)
    return _clock(total // 60 % 12 or 12, total % 60, "", sure=False)


def _clock(hour: int, minute: int, half: str, *, sure: bool) -> str:
    """Return a time, or both that a face of twelve hours can mean."""
    if half:
        return (
            f"{hour % 12 + (12 if half == 'p' else 0):02d}:{minute:02d}" if hour <= 12 else f"{hour:02d}:{minute:02d}"
        )
    if sure or hour > 12:
        return f"{hour % 24:02d}:{minute:02d}"
    return f"{hour % 12:02d}:{minute:02d}|{hour % 12 + 12:02d}:{minute:02d}"
