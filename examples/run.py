"""A first look, in a minute: how recognisable is a letter, three ways to rewrite it, a report. `make run` runs this."""

from __future__ import annotations

import textwrap
from pathlib import Path

from allonym import A4NT, SynTF
from allonym.web import downloads, methods
from allonym.web.desk import Desk

LETTER = Path(__file__).with_name("letter.txt")
OUT = Path(__file__).resolve().parents[1] / "out"
MOST_COMMON = 24


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

    closest = len(methods.curves()["erae"]["points"]) - 1
    readable = desk.rewrite("erae", closest)
    show("2. Proof, readable (ER-AE, as close to the letter as its slider goes)", readable.text)
    show("   Promised", str(readable.draw.guarantee))

    styled = A4NT(model="age", target="teen").release([text])
    show("3. Style change, no proof (A4NT: as a teenager might write)", styled.payload[0])
    show("   Promised", str(styled.guarantee))

    OUT.mkdir(exist_ok=True)
    name, _, content = downloads.public_report(desk)
    (OUT / name).write_bytes(content)
    show("Report", f"{OUT.name}/{name} says what was done to the letter in 2, and holds no word of it: open it.")
    show("The page", ".venv/bin/pip install -e '.[web]' && .venv/bin/allonym serve")


def show(heading: str, text: str) -> None:
    """Print a paragraph under its heading."""
    if heading:
        print(f"\n{heading}")
    print(textwrap.fill(text, 96, initial_indent="  ", subsequent_indent="  "))


if __name__ == "__main__":
    main()
