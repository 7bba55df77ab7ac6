"""`allonym methods`: what there is to choose from, side by side."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from allonym.cli import told
from allonym.cli.presets import MEASURED_AS
from allonym.cli.talk import Talk, common_options

MEASURED = Path(__file__).with_name("measured.json")
_HEADER = ("method", "proof", "gives", "setting", "loss a word", "named", "meaning", "words/s", "preset")
_NOTHING = "–"


_HELP = """Compare the methods: proof, what comes out, loss, measured attack and meaning, speed.

\b
allonym methods                              all of them
allonym guarantee --method erae              what one promises
allonym anonymize --method erae --help       its options alone

"named" is how often the strongest attacker, who knows the method and has learned from its output, names the author of a
text; how often it names that of an original is said below the table. "meaning" is 1 for the same meaning and 0 for none
in common. "preset" is the --preset that stands for the row (docs/choose.md).
"""


@click.command(name="methods", help=_HELP)
@common_options
@click.pass_obj
def command(talk: Talk) -> None:
    """Compare the methods."""
    measured = json.loads(MEASURED.read_text("utf-8"))
    rows = [row for name, about in sorted(told.kept()["about"].items()) for row in _rows(name, about, measured["rows"])]
    of_presets = [row | {"preset": MEASURED_AS.get((row["method"], row["setting"]))} for row in measured["rows"]]
    answer = {**measured, "rows": of_presets, "methods": told.kept()["about"]}
    talk.data(answer, "\n".join([*_table(rows), "", measured["note"]]))


def _rows(method: str, about: dict[str, Any], measured: Sequence[dict[str, Any]]) -> list[tuple[str, ...]]:
    """Return a row for each measured setting of a method, or one that says that none was measured."""
    proof = "proved" if about["proved"] else "none"
    own = [row for row in measured if row["method"] == method] or [{}]
    return [
        (
            method,
            proof,
            about["gives"],
            row.get("setting") or _NOTHING,
            _written(row.get("loss_per_word"), ".1f"),
            row.get("named_in_words", _NOTHING),
            _written(row.get("meaning"), ".2f"),
            _written(row.get("words_per_second"), ",.0f"),
            MEASURED_AS.get((method, row.get("setting", "")), "") if row else "",
        )
        for row in own
    ]


def _written(value: float | None, how: str) -> str:
    return _NOTHING if value is None else format(value, how)


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Return lines whose columns stand below one another; numbers to the right."""
    widths = [max(len(row[place]) for row in (_HEADER, *rows)) for place in range(len(_HEADER))]
    numbers = range(_HEADER.index("loss a word"), _HEADER.index("preset"))
    return [
        "  ".join(
            cell.rjust(width) if place in numbers else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (_HEADER, *rows)
    ]
