"""A first look, in a minute: how recognisable is a letter, three ways to rewrite it, a report. `make run` runs this."""

from __future__ import annotations

import textwrap
from pathlib import Path

from allonym import A4NT, SynTF
from allonym.anonymizers.offers import STRENGTHS
from allonym.web import downloads, methods
from allonym.web.desk import Desk

LETTER = Path(__file__).with_name("letter.txt")
OUT = Path(__file__).resolve().parents[1] / "out"
MOST_COMMON = 24
MIDDLE, CLOSEST = len(STRENGTHS) // 2, len(STRENGTHS) - 1


def main() -> None:
    """Check the letter, rewrite it three ways with what is promised for each, and write a report of one of them."""
    text = LETTER.read_text("utf-8")
    desk = Desk()
    reading = desk.read(text)
    show("The letter", f"{LETTER.name}: {len(text.split())} words by somebody who would rather not be recognised.")
    show("How recognisable is it?", f"{reading.sentence} {reading.verdict}")
    for mark in reading.marks[:3]:
        show("", f"- {mark.feature}: {mark.note}")

    numbers = SynTF()
    release = numbers.release([text])
    names = numbers.get_feature_names_out()
    counts = sorted(zip(release.payload.data, names[release.payload.indices], strict=True), reverse=True)
    listed = ", ".join(f"{word} {count}" for count, word in counts[:MOST_COMMON])
    show("1. Proof, numbers only (SynTF): for sharing data", f"{listed}, …")
    show("   Promised", str(release.guarantee))

    hidden = desk.rewrite("core", MIDDLE)
    show("2. Proof, readable (ER-AE), to hide the writer: the core of the letter in plain clauses", hidden.text)
    show("   Expected", expected("core", MIDDLE))
    show("   Promised", str(hidden.draw.guarantee))
    other = Desk()
    other.read(text)
    whole = other.rewrite("meaning", CLOSEST)
    show("   or to keep the meaning: every sentence of it", whole.text)
    show("   Expected", f"{expected('meaning', CLOSEST)} (In earnest draw one of the two: draws add up.)")

    styled = A4NT(model="age", target="teen").release([text])
    show("3. Style change, no proof (A4NT: as a teenager might write)", styled.payload[0])
    show("   Promised", str(styled.guarantee))

    OUT.mkdir(exist_ok=True)
    name, _, content = downloads.public_report(desk)
    (OUT / name).write_bytes(content)
    show("Report", f"{OUT.name}/{name} says what was done to hide the writer and holds no word of the letter: open it.")
    show("The page", ".venv/bin/pip install -e '.[web]' && .venv/bin/allonym serve")


def expected(protection: str, position: int) -> str:
    """Return what was measured at a position of a slider, on other texts."""
    curve, place = methods.curve(protection, position)
    if curve is None:
        return "Nothing was measured."
    point = curve["points"][place]
    attack, before = (round(100 * figure["value"]) for figure in (point["attack"], curve["attack_before"]))
    found = f"{curve['attack_means']} {attack} times of 100 ({before} before, {100 * curve['chance']:.0f} by chance)"
    return f"Measured on {curve['bench']}: {found}; kept: {point['kept']:.2f}, {curve['kept_means']}."


def show(heading: str, text: str) -> None:
    """Print a paragraph under its heading."""
    if heading:
        print(f"\n{heading}")
    print(textwrap.fill(text, 96, initial_indent="  ", subsequent_indent="  "))


if __name__ == "__main__":
    main()
