"""Numbers in digits or words with what they count: amounts of money, measures, shares, lengths of time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Final, NamedTuple

from allonym.language.facts import number_words

_DIGITS: Final = r"\d++(?:[.,]\d++)*+"
_LARGE: Final = {
    "thousand": 10**3, "k": 10**3, "million": 10**6, "m": 10**6, "mn": 10**6, "billion": 10**9, "bn": 10**9,
    "trillion": 10**12, "hundred": 100, "dozen": 12,
}  # fmt: skip
_SIGNS: Final = {"£": "GBP", "$": "USD", "€": "EUR", "¥": "JPY", "₹": "INR", "₽": "RUB", "₩": "KRW", "₺": "TRY"}
_CURRENCIES: Final = {
    "GBP": "gbp pound pounds quid sterling", "USD": "usd dollar dollars buck bucks", "EUR": "eur euro euros",
    "JPY": "jpy yen", "CHF": "chf franc francs", "INR": "inr rupee rupees", "SEK": "sek krona kronor",
    "DKK": "dkk krone kroner", "PLN": "pln zloty zlotys", "RUB": "rub rouble roubles ruble rubles",
    "CNY": "cny yuan", "MXN": "mxn peso pesos", "ZAR": "zar rand", "CAD": "cad", "AUD": "aud", "NZD": "nzd",
    "NOK": "nok", "TRY": "try lira", "KRW": "krw won",
}  # fmt: skip
_CURRENCY_OF: Final = {word: code for code, words in _CURRENCIES.items() for word in words.split()}
for _word in ("try", "won", "rand", "bucks", "buck", "sterling"):  # these are other words more often
    del _CURRENCY_OF[_word]
_PART_OF: Final = {"pence": "GBP", "penny": "GBP", "p": "GBP", "cent": "cent", "cents": "cent"}
_UNITS: Final = {
    "%": "% percent per\xa0cent", "kg": "kg kgs kilo kilos kilogram kilograms kilogramme kilogrammes",
    "g": "g gram grams gramme grammes", "mg": "mg milligram milligrams", "t": "tonne tonnes ton tons",
    "lb": "lb lbs", "oz": "oz ounce ounces", "stone": "stone",
    "km": "km kilometre kilometres kilometer kilometers", "m": "m metre metres meter meters",
    "cm": "cm centimetre centimetres centimeter centimeters", "mm": "mm millimetre millimetres millimeter millimeters",
    "mile": "mile miles", "ft": "ft foot feet", "in": "inch inches", "yd": "yard yards",
    "l": "l litre litres liter liters", "ml": "ml millilitre millilitres milliliter milliliters",
    "mph": "mph miles\xa0per\xa0hour miles\xa0an\xa0hour",
    "km/h": "km/h kph kilometres\xa0per\xa0hour kilometers\xa0per\xa0hour",
    "°": "° degrees °c °f", "gb": "gb gigabyte gigabytes", "mb": "mb megabyte megabytes",
    "kb": "kb", "tb": "tb terabyte terabytes",
    "w": "watt watts w", "kw": "kw", "v": "volt volts", "hz": "hz", "kcal": "kcal",
}  # fmt: skip
_UNIT_OF: Final = {word.replace("\xa0", " "): unit for unit, words in _UNITS.items() for word in words.split(" ")}
_MINUTES: Final = {
    "second": Fraction(1, 60), "sec": Fraction(1, 60), "minute": Fraction(1), "min": Fraction(1), "hour": Fraction(60),
    "hr": Fraction(60), "h": Fraction(60),
}  # fmt: skip

_DIGIT_NUMBER: Final = re.compile(
    rf"""(?<![\w.,:/@-])(?:
    (?P<id>[A-Z]{{1,4}}-?\d[\w-]*+|\d++[A-Za-z]{{1,3}}(?=\d)[\w-]*+)
    |(?P<sign>(?:US|A|C|NZ)?[{"".join(_SIGNS)}]|\b(?:{"|".join(_CURRENCIES)})\b)[ ]?(?P<money>{_DIGITS})
    |(?P<number>[+−-]?{_DIGITS})(?P<ordinal>(?:st|nd|rd|th)\b)?
    )(?=(?P<plural>s\b)?)""",
    re.VERBOSE,
)
_LARGE_AFTER: Final = re.compile(
    r"[ ]?(?P<word>thousand|million|billion|trillion|hundred|dozen|bn|mn|[kKmM])\b(?![²³/])"
)
_AND_A_HALF: Final = re.compile(r"[ ]and[ ]a[ ](?P<part>half|quarter)\b", re.IGNORECASE)
_MONEY_AFTER: Final = re.compile(
    rf"(?:[ ]?[{''.join(_SIGNS)}](?!\d)|[ -]?(?:(?:US|American|Canadian|Australian|Swiss|British|Swedish|Danish)[ ])?"
    rf"(?P<word>{'|'.join(sorted([*_CURRENCY_OF, *_PART_OF], key=len, reverse=True))})\b)",
    re.IGNORECASE,
)
_UNIT_AFTER: Final = re.compile(
    rf"[ \xa0-]?(?P<unit>{'|'.join(sorted(map(re.escape, _UNIT_OF), key=len, reverse=True))})(?![\w])", re.IGNORECASE
)
_TIME_AFTER: Final = re.compile(
    r"[ -]?(?:of[ ])?(?:an?[ ])?(?P<unit>second|sec|minute|min|hour|hr|h)s?\b(?P<half>[ ]and[ ]a[ ]half)?",
    re.IGNORECASE,
)
_AN_HOUR: Final = re.compile(
    r"(?<![\w'’])(?<!of )(?:(?P<part>half|(?:a[ ])?quarter[ ]of)[ -](?:an[ ])?hour"
    r"|an[ ]hour(?P<half>[ ]and[ ]a[ ]half)?)(?!\w)",
    re.IGNORECASE,
)
_FRACTION_OF_TIME: Final = re.compile(r"[ ]of[ ]an[ ]hour\b", re.IGNORECASE)


class Quantity(NamedTuple):
    """A number with what it counts: where it stands, whether it is money, and its value."""

    start: int
    end: int
    is_amount: bool
    value: str


def find(text: str) -> Iterator[Quantity]:
    """Yield quantities: those in digits, then those in words; a later one may overlap an earlier one."""
    for match in _DIGIT_NUMBER.finditer(text):
        yield _of_digits(text, match)
    for match in _AN_HOUR.finditer(text):
        part = (match["part"] or "").lower()
        minutes = (30 if part == "half" else 15) if part else 90 if match["half"] else 60
        yield Quantity(match.start(), match.end(), False, f"{minutes} min")
    for start, end, value, ordinal in number_words.find(text):
        if ordinal:
            yield Quantity(start, end, False, _ordinal(value))
        else:
            yield _with_what_follows(text, start, end, value)


def _of_digits(text: str, match: re.Match[str]) -> Quantity:
    start, end = match.span()
    if match["id"]:
        return Quantity(start, end, False, re.sub(r"\W", "", match["id"].lower()))
    if match["money"]:
        value, end = _scaled(text, end, decimal(match["money"]))
        return Quantity(start, end, True, f"{written(value)} {_sign(match['sign'])}")
    value = decimal(match["number"])
    if match["ordinal"]:
        return Quantity(start, end, False, _ordinal(value))
    return _with_what_follows(text, start, end, value)


def _with_what_follows(text: str, start: int, end: int, value: Fraction) -> Quantity:
    """Read a number's currency, unit or length of time."""
    value, end = _scaled(text, end, value)
    if money := _MONEY_AFTER.match(text, end):
        word = (money["word"] or "").lower()
        code = _CURRENCY_OF.get(word) or _PART_OF.get(word) or _SIGNS[money[0].strip()]
        value = value / 100 if word in _PART_OF else value
        return Quantity(start, money.end(), True, f"{written(value)} {code}")
    if of_hour := _FRACTION_OF_TIME.match(text, end):
        return Quantity(start, of_hour.end(), False, f"{written(value * 60)} min")
    if time := _TIME_AFTER.match(text, end):
        minutes = (value + (Fraction(1, 2) if time["half"] else 0)) * _MINUTES[time["unit"].lower()]
        return Quantity(start, time.end(), False, f"{written(minutes)} min")
    if unit := _UNIT_AFTER.match(text, end):
        name = _UNIT_OF[unit["unit"].lower()]
        if name == "%":
            return Quantity(start, unit.end(), False, written(value / 100))
        return Quantity(start, unit.end(), False, f"{written(value)} {name}")
    return Quantity(start, end, False, written(value))


def _scaled(text: str, end: int, value: Fraction) -> tuple[Fraction, int]:
    """Multiply by "million" and the like, and add "and a half", if they follow."""
    large = _LARGE_AFTER.match(text, end)
    if large and (large["word"] not in "mM" or (text[end - 1 : end].isdigit() and text[end : end + 1] != " ")):
        value, end = value * _LARGE[large["word"].lower()], large.end()
    half = _AND_A_HALF.match(text, end)
    if half:
        value, end = value + Fraction(1, 2 if half["part"].lower() == "half" else 4), half.end()
    return value, end


def decimal(digits: str) -> Fraction:
    """Read digits with inner points and commas: a group of three after a comma is thousands, else a decimal part."""
    digits = digits.replace("−", "-")
    sign = -1 if digits[0] == "-" else 1
    digits = digits.lstrip("+-")
    marks = [mark for mark in digits if mark in ".,"]
    last = marks[-1] if marks else ""
    if last == "," and (len(digits.rpartition(",")[2]) == 3 or marks.count(",") > 1):
        digits = digits.replace(",", "")
    elif last == "," or (last == "." and marks.count(".") == 1):
        digits = digits.replace("." if last == "," else ",", "").replace(",", ".")
    else:
        digits = digits.replace(".", "").replace(",", "")
    # Digits of other scripts are read alike; a row that is too long to be a number is taken as it stands.
    whole, _, part = digits.partition(".")
    longest = 300
    return sign * Fraction(int(whole[:longest] + part[:longest]), 10 ** len(part[:longest]))


def written(value: Fraction) -> str:
    """Write a value in one way."""
    return str(value.numerator) if value.denominator == 1 else str(value)


def _ordinal(value: Fraction) -> str:
    return f"{written(value)}th"


def _sign(sign: str) -> str:
    if sign in _CURRENCIES:
        return sign
    return {"US": "USD", "A": "AUD", "C": "CAD", "NZ": "NZD"}.get(sign[:-1]) or _SIGNS[sign[-1]]
