"""What `allonym methods` shows: a row for each measured setting of ours, in the file that the command reads."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from allonym.metrics.figures import percent
from allonym.papers import earlier_results
from allonym.papers.ruler.measure import RulersPart
from allonym.papers.ruler.rows import Measured, MethodRow, Row
from allonym.papers.ruler.settings import OURS, syntf_by_epsilon
from allonym.papers.stored import Result

SHOWN = (*OURS, syntf_by_epsilon(35.0))  # the frontier's, and what a preset stands for
GROUND = "newsgroups20-10"  # on which all methods were measured
_DIGITS = 4


@dataclass(frozen=True)
class ShownSetting(Result):
    """What the command shows of a setting.

    Attributes:
        method: The method's name.
        setting: What sets it apart from others of the method.
        loss_per_word: What a word loses by proof; None where nothing is proved of a word.
        named: Share of the texts whose author the strongest attacker names.
        named_in_words: The same as it is shown; written here, because the command loads next to nothing.
        meaning: How near in meaning a text is to what it was.
        words_per_second: Of one processor; None where it was not measured.
    """

    method: str
    setting: str
    loss_per_word: float | None
    named: float
    named_in_words: str
    meaning: float | None
    words_per_second: int | None

    @classmethod
    def of(cls, method: str, row: MethodRow) -> ShownSetting:
        """Return what is shown of a measured row."""
        named = row.strongest.accuracy.value
        return cls(
            method=method,
            setting=row.setting,
            loss_per_word=row.parameters.get("loss_per_word") if row.definition == "pure" else None,
            named=round(named, _DIGITS),
            named_in_words=percent(named),
            meaning=None if row.meaning is None else round(row.meaning.value, _DIGITS),
            words_per_second=round(row.words_per_second) if row.words_per_second else None,
        )


def stored(*results: Path) -> str:
    """Return the figures of result files that the command shows, as JSON; a row in several is taken from the first."""
    rows: dict[str, Row] = {}
    for result in results:
        rows = {row.name: row for row in earlier_results(result, RulersPart).grounds[GROUND].rows} | rows
    measured = Measured.of_rows(list(rows.values()))
    texts, before = measured.about, measured.original.strongest.accuracy.value
    note = (
        f"Measured on posts of {texts.authors} newsgroup writers: of originals the strongest attacker names "
        f"{percent(before)}, by chance {percent(texts.chance)}. Other texts and attackers give other figures: see "
        "docs/frontier.md."
    )
    of_settings = [(setting.method, measured.find(setting.name)) for setting in SHOWN]
    shown = [ShownSetting.of(method, row).to_json() for method, row in of_settings if row is not None]
    return json.dumps({"note": note, "rows": shown}, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
