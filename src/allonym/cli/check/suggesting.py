"""What would lower the risk of one text: changes with their effect, as the page's Read screen offers them."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from allonym.cli.check import printing
from allonym.metrics.figures import percent
from allonym.recognition import suggestions
from allonym.recognition.evidence import placed
from allonym.recognition.reading import YOU
from allonym.recognition.recogniser import Recogniser
from allonym.recognition.suggestions import Suggestion, Suggestions

ONE_TEXT: Final = "--suggest looks for changes of one text; give a .txt, or leave it out."
_HEADING: Final = "What would lower it, each change by itself, the best first:"
_NONE: Final = "No change that is known here would lower it."
_SHOWN: Final = 30


def add(lines: list[str], text: str, recogniser: Recogniser | None = None, me: str = YOU) -> dict[str, Any]:
    """Add the suggestions for a text to what is printed, and return them for JSON."""
    found = suggestions.suggest(text, partial(suggestions.risk_of, recogniser=recogniser, me=me))
    lines += ["", *_written(found, text)]
    return found.to_json()


def _written(found: Suggestions, text: str) -> list[str]:
    if not found.suggestions:
        return [_NONE]
    shown = found.suggestions[:_SHOWN]
    more = len(found.suggestions) - len(shown)
    lines = [_HEADING, *(_line(one, text) for one in shown)]
    return [*lines, f"  and {more} more"] if more else lines


def _line(one: Suggestion, text: str) -> str:
    [place] = placed(text, [(one.start, one.stop)])
    old, new = (printing.quote(words) for words in (text[one.start : one.stop], one.new))
    does = f"“{old}” left out" if not new else f"“{old}” → “{new}”" if old else one.why
    return f"  {_effect(one)}  line {place.line} {does} ({one.why})"


def _effect(one: Suggestion) -> str:
    if one.before is None or one.after is None:
        return "nearer to usual habits"
    before, after = percent(one.before), percent(one.after)
    return f"{before} → {after}" if before != after else f"{before}, a little lower"
