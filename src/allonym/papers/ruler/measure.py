"""Settings measured on a kind of texts: those that a work folder holds are read, the others are measured and kept.

Any paper that asks for the same setting on the same texts gets the same row; it is measured once.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from allonym import disk, metrics
from allonym.attackers.base import Attacker
from allonym.attackers.panel import default_panel
from allonym.errors import InputError
from allonym.evaluation.candidates import Candidate, Method
from allonym.evaluation.evaluate import DRAWS, Outcome, Ruler
from allonym.evaluation.sample import Sample
from allonym.metrics import semantics
from allonym.metrics.base import Measure
from allonym.papers import Asked, earlier_results
from allonym.papers.ruler.grounds import SEED, Ground, asked_for
from allonym.papers.ruler.rows import (
    ORIGINAL,
    About,
    Measured,
    MethodRow,
    OriginalRow,
    Row,
    row_from_json,
)
from allonym.papers.ruler.settings import Compared, Rival
from allonym.papers.stored import Result

_MEASURED: dict[str, int | None] = {
    "meaning": 100,
    "meaning-use": 60,
    "topic": None,
    "unchanged": None,
    "length": None,
}
_FLUENCY: dict[str, int | None] = {"perplexity": 60}  # minutes a row, so on one kind of texts
_TIMED = 40  # documents
_VECTORS = "vectors.npz"  # of the originals, which every process would take minutes to compute

Report = Callable[[str], None]


class Work:
    """The rows that are done on one kind of texts, each a file, so that a run that is cut off loses one at most.

    Args:
        folder: Where the rows of all kinds of texts lie; None keeps them in memory alone.
        ground: The texts.
        draws: How often each setting is drawn; rows of another number of draws lie apart.

    Attributes:
        vectors: Where vectors of the originals are kept for other processes; None keeps them in memory alone.
    """

    def __init__(self, folder: Path | None, ground: Ground, draws: int = DRAWS) -> None:
        self.ground, self.draws = ground, draws
        self._folder = None if folder is None else folder / ground.name / f"{draws} draws"
        self.vectors = None if folder is None else folder / ground.name / _VECTORS
        self._rows: dict[str, Row] = {}
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
            for path in sorted(self._folder.glob("*.json")):
                row = _read(path)
                self._rows[row.name] = row

    def missing(self, compared: Sequence[Compared]) -> list[Compared]:
        """Return what is not done, or was done with other parameters."""
        return [each for each in compared if not self._has(each)]

    def know(self, row: Row) -> None:
        """Take over a row of a result file, unless there is one already; it is not written to the folder."""
        self._rows.setdefault(row.name, row)

    def keep(self, row: Row) -> None:
        """Add a row that was measured."""
        self._rows[row.name] = row
        if self._folder is not None:
            name = hashlib.blake2b(row.name.encode(), digest_size=8).hexdigest()
            disk.write(self._folder / f"{name}.json", json.dumps(row.to_json(), ensure_ascii=False, indent=1).encode())

    @property
    def has_originals(self) -> bool:
        """Whether the texts were attacked as they are."""
        return ORIGINAL in self._rows

    def rows(self) -> list[Row]:
        """Return all rows, in the order of their files, then in that in which they were measured."""
        return list(self._rows.values())

    def of(self, compared: Sequence[Compared]) -> Measured:
        """Return the rows of these settings that are done, in this order, after the originals.

        Raises:
            InputError: The originals are not done.
        """
        if not self.has_originals:
            raise InputError(f"The originals of {self.ground.name} were not measured; measure them first.")
        done = (self._rows[each.name] for each in compared if self._has(each))
        return Measured.of_rows([self._rows[ORIGINAL], *done])

    def _has(self, each: Compared) -> bool:
        row = self._rows.get(each.name)
        return isinstance(row, MethodRow) and each.made_with(row.parameters)


def measure(data: Path, compared: Sequence[Compared], work: Work, report: Report) -> Measured:
    """Return a row for the originals and for each setting; those that are not done yet are measured and kept.

    Args:
        data: Folder that holds the corpora.
        compared: The settings.
        work: The texts, and the rows that are done.
        report: Told what is done.
    """
    missing = work.missing(compared)
    if missing or not work.has_originals:
        _measure(data, missing, work, report)
    return work.of(compared)


@dataclass(frozen=True)
class RulersPart(Result):
    """What the ruler measured, of the results of any paper."""

    grounds: Mapping[str, Measured]
    draws: int = DRAWS


def take_over(earlier: Path | None, work: Work) -> None:
    """Let `work` know the rows that an earlier run stored of its texts, so that they are not measured again.

    Raises:
        InputError: The file holds no results, or each setting was drawn another number of times.
    """
    if earlier is None:
        return
    stored = earlier_results(earlier, RulersPart)
    if stored.draws != work.draws:
        raise InputError(
            f"{earlier} has {stored.draws} draws of each setting, not {work.draws}: "
            f"add --runs {stored.draws}, or leave --earlier out."
        )
    measured = stored.grounds.get(work.ground.name)
    for row in () if measured is None else measured.rows:
        work.know(row)


def measured_grounds(wanted: Mapping[Ground, Sequence[Compared]], asked: Asked) -> dict[str, Measured]:
    """Return what a paper wants measured, by the names of the texts.

    Rows that neither `asked.work` nor the earlier run has are measured and added to `asked.work`; of texts that are not
    asked for, the rows that are done are returned.
    """
    chosen = asked_for(asked.only, {ground.name: ground for ground in wanted})
    grounds = {}
    for ground, compared in wanted.items():
        done = Work(asked.work, ground, DRAWS)
        take_over(asked.earlier, done)
        if ground in chosen:
            measure(asked.data, compared, done, asked.report)
        if done.has_originals:
            grounds[ground.name] = done.of(compared)
    return grounds


def _measure(data: Path, missing: Sequence[Compared], work: Work, report: Report) -> None:
    ground = work.ground
    sample = ground.read(data)
    if work.vectors is not None and not metrics.measures()["meaning"].missing():
        semantics.embed_beside(work.vectors, sample.texts)
    wanted = _MEASURED | (_FLUENCY if ground.fluency else {})

    def ruler_with(*further: Attacker) -> Ruler:
        return Ruler(
            sample,
            [*default_panel(), *further],
            measures=_measures(wanted),
            draws=work.draws,
            released_of_author=ground.released_of_author,
            seed=SEED,
        )

    ruler = ruler_with()
    if not work.has_originals:
        work.keep(_original(ground, sample, ruler))
    for each in missing:
        candidate = each.made()
        further = each.attackers()
        outcome = (ruler_with(*further) if further else ruler).measured(candidate)
        row = _row(each, candidate, outcome, sample)
        work.keep(row)
        attack = row.strongest
        report(f"{ground.name}, {each.name}: attack {attack.accuracy} ({attack.attacker}, {attack.setting})")


def _measures(wanted: Mapping[str, int | None]) -> list[Measure]:
    """Return the measures that can be taken here, slow ones on fewer documents."""
    known = metrics.measures()
    taken = [replace(known[name], most=most) for name, most in wanted.items() if name in known]
    return [measure for measure in taken if not measure.missing()]


def _original(ground: Ground, sample: Sample, ruler: Ruler) -> OriginalRow:
    attacked = ruler.panel.on_originals
    return OriginalRow(
        name=ORIGINAL,
        method=ORIGINAL,
        setting="",
        strongest=attacked.strongest().in_short,
        attacks=tuple(attack.in_short for attack in attacked.attacks),
        use=ruler.of_originals(),
        about=About(
            title=ground.title,
            labels=ground.labels,
            authors=len(set(sample.authors)),
            known=len(sample.places("train")),
            tested=len(sample.places("test")),
            chance=ruler.panel.chance,
            floors=ruler.floors(),
        ),
    )


def _row(each: Compared, candidate: Candidate, outcome: Outcome, sample: Sample) -> MethodRow:
    return MethodRow(
        name=each.name,
        method=each.title,
        setting=each.setting,
        strongest=outcome.strongest.in_short,
        attacks=tuple(attack.in_short for attack in outcome.attacked.attacks),
        use=outcome.use,
        rival=isinstance(each, Rival),
        parameters=candidate.parameters(),
        definition=candidate.guarantee(1, None).definition,
        loss_per_document=_loss(candidate, sample),
        copies=tuple(outcome.promised.released_as_is),
        draws=outcome.draws,
        strongest_static=outcome.attacked.strongest("static").in_short,
        words_per_second=_speed(each.timed(candidate), sample),
    )


def _loss(candidate: Candidate, sample: Sample) -> float | None:
    """Return the proved loss of a document; where its length is copied, that of a mean test document."""
    promised = candidate.guarantee(1, None)
    if not promised.formal or promised.epsilon is None:
        return None
    if promised.unit != "word" or not isinstance(candidate, Method):
        return promised.epsilon
    texts = [sample.texts[row] for row in sample.places("test")]
    return promised.epsilon * sum(map(candidate.anonymizer.words_drawn, texts)) / len(texts)


def _speed(candidate: Candidate, sample: Sample) -> float:
    """Return words a second of one processor, loading included."""
    places = sample.places("test")[:_TIMED]
    release = candidate.releasing(sample, SEED)
    began = sum(os.times()[:4])
    release(places)
    words = sum(len(sample.texts[row].split()) for row in places)
    return words / max(sum(os.times()[:4]) - began, 0.01)


def _read(path: Path) -> Row:
    try:
        return row_from_json(json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} holds no measured row; remove it, or give another folder as --work.") from error
