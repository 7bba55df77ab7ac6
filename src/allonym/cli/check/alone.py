"""Without known writers: what is unusual about a text, as the page's Read screen says it."""

from __future__ import annotations

from typing import Any

from allonym.cli import looking
from allonym.cli.check import printing, suggesting
from allonym.cli.talk import Talk
from allonym.errors import InputError
from allonym.formats.tables import shown
from allonym.metrics.figures import NOT_MEASURED
from allonym.recognition import reading
from allonym.recognition.evidence import Evidence, placed
from allonym.recognition.reading import Reading

HEADER = "risk\twords\tdocument"
MORE = (
    "To learn whether a writer would be recognised, give known writers: --known FOLDER, with a sub-folder of .txt for "
    "each, or --known TABLE --known-text COL --known-author COL."
)


def look(talk: Talk, documents: dict[str, str], *, show: bool, suggest: bool = False) -> float | None:
    """Print what is unusual about each document, and return the largest risk; None if all are too short to say."""
    looking.tell_language(talk, documents.values())
    readings = {name: reading.read(text, None) for name, text in documents.items()}
    if len(readings) == 1:
        readings = {name: reading.with_names(answer, documents[name]) for name, answer in readings.items()}
        [(name, answer)] = readings.items()
        data, offered = {"summary": _summary(answer), **answer.to_json()}, list[str]()
        if suggest:
            data["suggestions"] = suggesting.add(offered, documents[name])
        talk.data(data, "\n".join(_lines(talk, answer, documents[name], show, offered)))
    else:
        ranked = sorted(readings.items(), key=lambda item: (-(item[1].risk or 0.0), item[0]))
        lines = [HEADER, *(row(name, answer) for name, answer in ranked)]
        talk.data({"documents": [record(name, answer) for name, answer in readings.items()]}, "\n".join(lines))
        looking.count_names(talk, documents.values(), model=False)
    for note in dict.fromkeys(note for answer in readings.values() for note in answer.notes):
        talk.say(note)
    talk.say(MORE)
    risks = [answer.risk for answer in readings.values() if answer.risk is not None]
    return max(risks, default=None)


def decided(risk: float | None) -> float:
    """Return the risk, or refuse to compare one that is not there."""
    if risk is None:
        raise InputError("There is no figure, so --fail-above cannot be decided; give 100 words of English at least.")
    return risk


def row(name: str, reading: Reading) -> str:
    """Return the row of one of several documents, as `HEADER` has it."""
    risk = NOT_MEASURED if reading.risk is None else f"{reading.risk:.3f}"
    return f"{risk}\t{reading.words}\t{shown(name)}"


def record(name: str, reading: Reading) -> dict[str, Any]:
    """Return the same for JSON."""
    return {
        "id": name,
        "risk": reading.risk,
        "risk_means": reading.risk_means,
        "words": reading.words,
        "basis": reading.basis,
    }


def _summary(reading: Reading) -> str:
    return f"{reading.sentence} {reading.verdict}"


def _lines(talk: Talk, reading: Reading, text: str, show: bool, offered: list[str]) -> list[str]:
    lines = [talk.heading(_summary(reading)), *printing.named(reading.names, text)]
    if reading.attackers:
        lines += ["", "Attackers (how often each names the right one):", *printing.others(reading.attackers)]
    marks = [Evidence(f"{mark.feature}, {mark.note}", mark.share, placed(text, mark.places)) for mark in reading.marks]
    lines += printing.clues(marks, text, "What sets it apart, with its share of all that does:") + offered
    every = [*printing.as_clues(reading.names, text), *marks]
    return [*lines, "", printing.marked(text, every, talk)] if show else lines
