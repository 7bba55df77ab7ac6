"""Pages whose numbers have a source: filled from it, and searched for numbers that have none.

Three kinds of comments, none of which a reader sees:

    <!-- n: PATH as FORMAT -->0.45<!-- /n -->          a number, kept as results say (`values`, `written`)
    <!-- table: NAME -->…<!-- /table -->               a table, made by a function of `tables`
    <!-- given: WHERE FROM -->0.32<!-- /given -->      numbers that no result file holds: a paper's, or a setting

A comment at the beginning of a line makes that line HTML to GitHub: numbers stand within a line, what is given within a
line or between two lines of their own. A vertical bar would end a table's cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stated.tables import TABLES, stated
from stated.values import SourceError, Sources

NUMBER = re.compile(r"<!-- n: (?P<what>.*?) -->(?P<text>.*?)<!-- /n -->", re.DOTALL)
TABLE = re.compile(r"<!-- table: (?P<what>.*?) -->\n(?P<text>.*?)\n<!-- /table -->", re.DOTALL)
GIVEN = re.compile(r"<!-- given: (?P<what>.*?) -->.*?<!-- /given -->", re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
CODE = re.compile(r"^( *)```.*?^\1```|`(?:[^`\n]|\n(?!\n))+`", re.MULTILINE | re.DOTALL)
ADDRESS = re.compile(r"\]\([^)\s]*\)")

# What tells results: decimals, percentages, points and shares of a hundred, perplexities.
STATED = re.compile(
    r"(?<![\w.,−-])[+−-]?\d[\d,]*(?:\.\d+(?![\d.]*\.?\d)(?: ?%)?| ?%|(?=(?: to \d+)? points\b)|(?= of 100\b))"
    r"|(?<=\bperplexity )\d[\d,]*"
)
# Numbers that are no results, with the reason.
_PROGRAMS = "Python|NumPy|numba|OpenBLAS|OpenDP|scrubadub|WCAG|Apache|BY-SA|BY-NC|version"
_SIGN = r"(?:\b[a-zA-Z]|[ελδρα])"
ALLOWED = {
    "a name with a version": rf"METEOR 1\.5|(?:{_PROGRAMS})[ -]v?\d[\d.]*",
    "a setting, said by its sign": rf"{_SIGN} ?= ?\d[\d,.]*\d|{_SIGN} [≥≤] ?\d+\.\d+",
    "the level of an interval": r"95 %(?= (?:percentile |bootstrap )*(?:intervals?\b|bootstrap\b))",
    "an address": r"127\.0\.0\.1",
    "a place in a paper": r"(?:[Ss]ections?|[Ll]emma|[Tt]heorem|[Cc]orollary)\s\d+(?:\.\d+)+",
}


def fill(text: str, sources: Sources) -> str:
    """Return a page with every number and table as its source has it.

    Raises:
        SourceError: A source is not there, or a marker is half written.
    """
    _check(text)

    def number(match: re.Match[str]) -> str:
        return f"<!-- n: {match['what']} -->{stated(match['what'], sources)}<!-- /n -->"

    def table(match: re.Match[str]) -> str:
        if match["what"] not in TABLES:
            raise SourceError(f"there is no table {match['what']}.")
        return f"<!-- table: {match['what']} -->\n\n{TABLES[match['what']](sources)}\n\n<!-- /table -->"

    return TABLE.sub(table, NUMBER.sub(number, text))


def stale(text: str, sources: Sources) -> list[str]:
    """Return what a page says otherwise than its source: its line, what stands there, what should."""
    filled = fill(text, sources)
    differing = []
    for pattern in (NUMBER, TABLE):
        for old, new in zip(pattern.finditer(text), pattern.finditer(filled), strict=True):
            if old[0] != new[0]:
                line = text.count("\n", 0, old.start()) + 1
                told = "is another table now" if pattern is TABLE else f"is {new['text']}, not {old['text']}"
                differing.append(f"line {line}: {old['what']} {told}")
    return differing


def unsourced(text: str) -> Iterator[tuple[int, str]]:
    """Yield the numbers of a page that tell results without a source, each after its line."""
    patterns: list[re.Pattern[str] | str] = [TABLE, NUMBER, GIVEN, COMMENT, CODE, ADDRESS, *ALLOWED.values()]
    for pattern in patterns:
        text = re.sub(pattern, lambda match: re.sub(r"[^\n]", "\0", match[0]), text)
    for match in STATED.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match[0].strip()


def _check(text: str) -> None:
    """Refuse markers that would be shown, or that end nowhere."""
    bare = re.sub(CODE, "", text)
    for kind, pattern in (("n", NUMBER), ("table", TABLE), ("given", GIVEN)):
        whole = sum(1 for _ in pattern.finditer(bare))
        if not bare.count(f"<!-- {kind}: ") == whole == bare.count(f"<!-- /{kind} -->"):
            raise SourceError(f"a marker <!-- {kind}: … --> has no end, or an end no beginning.")
    for match in re.finditer(r"^[ >*-]*<!-- (?:n|given): [^>]*-->(?=.)", bare, re.MULTILINE):
        raise SourceError(f"a line begins with a marker, which makes it HTML: {match[0].strip()[:60]}")
    for match in re.finditer(r"^\|.*<!--[^>]*\|[^>]*-->", bare, re.MULTILINE):
        raise SourceError(f"a marker in a table holds a vertical bar: {match[0][:60]}")
