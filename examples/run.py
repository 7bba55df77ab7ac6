"""The main job on the shipped defaults: anonymize a letter and say what is promised. `make run` runs this."""

from __future__ import annotations

import textwrap
from pathlib import Path

from allonym import SynTF
from allonym.text import terms

LETTER = Path(__file__).with_name("letter.txt")


def main() -> None:
    """Print the letter's words, what is released in their place, and the guarantee."""
    text = LETTER.read_text("utf-8")
    anonymizer = SynTF()
    release = anonymizer.release([text])
    names = anonymizer.get_feature_names_out()
    counts = sorted(zip(release.payload.data, names[release.payload.indices], strict=True), reverse=True)
    written = set(terms(text, morphology="lemma"))

    show("The letter", f"{LETTER.name}: {len(text.split())} words by somebody who would rather not be recognised.")
    show("What is released", ", ".join(f"{word} {count}" if count > 1 else word for count, word in counts))
    kept = sum(count for count, word in counts if word in written)
    show(
        "", f"{release.payload.sum()} words, of which {kept} also occur in the letter; no order and no grammar is left."
    )
    show("What is promised", str(release.guarantee))
    show("Next", "allonym anonymize YOUR.txt --method syntf     allonym guarantee --method syntf --words 50")


def show(heading: str, text: str) -> None:
    """Print a paragraph under its heading."""
    print(f"\n{heading}" if heading else "")
    print(textwrap.fill(text, 96, initial_indent="  ", subsequent_indent="  "))


if __name__ == "__main__":
    main()
