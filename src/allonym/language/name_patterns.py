"""How names, addresses and the numbers of things are written in English text: patterns, each in linear time.

Privacy: spends nothing.
"""

from __future__ import annotations

import re
from typing import Final

# Dates only for who knows when the text was written.
RELATIVE_DATE: Final = re.compile(
    r"(?:yesterday|today|tomorrow|tonight|(?:last|next) (?:week|month|year|night|weekend|spring|summer|autumn|winter))",
    re.IGNORECASE,
)
STREET: Final = re.compile(
    r"(?<![\w.,])(?:(?:Flat|Apt|Apartment|Unit|Suite|Room|No\.?)[ ]\d{1,5}[A-Za-z]?,?[ ])?"
    r"\d{1,5}[A-Za-z]?(?:-\d{1,5})?,?[ ](?:[A-Z][\w'’.-]{0,30}[ ]){1,3}"
    r"(?:Street|Road|Lane|Avenue|Close|Drive|Way|Court|Square|Terrace|Place|Crescent|Gardens|"
    r"Grove|Row|Hill|Walk|Mews|Park|Boulevard|Highway|St|Rd|Ave|Blvd|Ln|Dr)\b\.?"
)
_STATES: Final = (
    "A[KLRZ]|C[AOT]|DE|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]"
)
POSTCODE: Final = re.compile(
    rf"(?<!\w)(?:[A-Z]{{1,2}}\d[A-Z\d]? ?\d[A-Z]{{2}}|(?:{_STATES})[ ]\d{{5}}(?:-\d{{4}})?)(?!\w)"
)
HANDLE: Final = re.compile(r"(?<![\w.@/])@[A-Za-z_]\w{1,30}(?!\w*\.\w)")
# Letters and digits mixed, parts with a stroke between, long rows of digits, a health number, a bank account.
IDENTIFIER: Final = re.compile(
    r"(?<![\w.,/£$€-])(?:"
    r"(?=[A-Z\d/-]{0,60}\d[A-Z\d/-]{0,60}\d[A-Z\d/-]{0,60}\d)(?=[\d/-]{0,60}[A-Z])[A-Z\d]{1,20}(?:[-/][A-Z\d]{1,12}){0,4}"
    r"|\d{2,8}(?:[/-]\d{2,8}){1,4}|\d{5,20}|\d{3}[ -]\d{3}[ -]\d{4}"
    r"|[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){3,7}(?: ?[A-Z\d]{1,3})?)(?![\w%])"
)
ROUND_NUMBER: Final = re.compile(r"[1-9]\d?0{4,}")
LOWER_WORD: Final = re.compile(r"(?<![\w@./-])[a-z]{3,15}(?![\w@/-]|\.\w)")
FIRST_WORD: Final = re.compile(r"([A-Za-z]+),?\s+")
LEGAL_FORM: Final = re.compile(
    r",?[ ](?:Ltd|Limited|Inc|LLC|LLP|plc|PLC|Co|Corp|GmbH|AG|SA|BV|Trust|Group|Hospital|University|School)\b\.?"
)
IN: Final = re.compile(r"\bin[ ](?:the[ ])?$")
AROUND: Final = re.compile(
    r"\b(?:in|near|from|to|at|outside|around|across|through|leaving|visited|visit|of)[ ](?:the[ ])?$"
)
TITLE: Final = re.compile(
    r"(?:mr|mrs|ms|miss|mx|dr|prof|professor|sir|dame|lord|lady|rev|reverend|father|captain|sergeant|inspector|"
    r"constable|pc|nurse|sister|auntie|aunt|uncle|cousin|judge|councillor|doctor)\b\.?[ ]",
    re.IGNORECASE,
)
