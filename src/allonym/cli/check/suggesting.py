"""What would lower the risk of one text: changes with their effect, as the page's Read screen offers them."""

from __future__ import annotations

from collections.abc import Sequence
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
    alike: dict[tuple[str, str], list[Suggestion]] = {}
    for one in found.suggestions:
        alike.setdefault((text[one.start : one.stop].lower(), one.new.lower()), []).append(one)
    shown = list(alike.values())[:_SHOWN]
    more = len(alike) - len(shown)
    lines = [_HEADING, *(_line(group, text) for group in shown)]
    return [*lines, f"  and {more} more"] if more else lines


def _line(alike: Sequence[Suggestion], text: str) -> str:
    """Return the line of a change, with how often the same one could be made."""
    best = alike[0]
    [place] = placed(text, [(best.start, best.stop)])
    old, new = (printing.quote(words) for words in (text[best.start : best.stop], best.new))
    does = f"“{old}” left out" if not new else f"“{old}” → “{new}” ({best.why})" if old else best.why
    times = f", {len(alike)} times" if len(alike) > 1 else ""
    return f"  {_effect(best)}  line {place.line} {does}{times}"


def _effect(one: Suggestion) -> str:
    if one.before is None or one.after is None:
        return "nearer to usual habits"
    before, after = percent(one.before), percent(one.after)
    return f"{before} → {after}" if before != after else f"{before}, a little lower"
