"""List the texts that a comparison hands to a rival, draw by draw, so that a slow rival can answer them elsewhere.

    python tools/rivals/list_releases.py DATA FILE --ground imdb62-10 --ground newsgroups20-10

Writes a JSON object a line: `draw` is the number that the rival's command is told as `{draw}`, `row` the text's place
in what that draw hands over, `text` the text as the command reads it. Texts of a corpus lie in FILE afterwards: keep it
where you keep the corpus.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from allonym.evaluation.candidates import Candidate, Releasing
from allonym.evaluation.evaluate import DRAWS, RELEASED_OF_AUTHOR, Bench
from allonym.evaluation.sample import Sample
from allonym.jobs.command import as_line
from allonym.metrics.base import ReleasedPart
from allonym.papers.ruler.grounds import GROUNDS, SEED
from allonym.privacy import Guarantee, accounting


class Listing(Candidate):
    """Notes what it is asked to release, and answers with something new each time, as a rival that draws does."""

    setting = ""

    def __init__(self) -> None:
        self.noted: list[list[str]] = []

    @property
    def method(self) -> str:
        """What it is called."""
        return "listing"

    def releasing(self, sample: Sample, seed: int | None) -> Releasing:
        """Return what notes the texts."""

        def release(places: Any) -> ReleasedPart:  # noqa: ANN401 - places in the sample
            self.noted.append([as_line(sample.texts[place]) for place in places])
            return ReleasedPart.of_texts([f"{len(self.noted)} {place}" for place in places])

        return release

    def guarantee(self, documents: int, seed: int | None) -> Guarantee:
        """Return that nothing is promised."""
        return accounting.nothing(reasons=("it releases nothing",), documents=documents)


def records(sample: Sample, draws: int) -> Iterator[dict[str, Any]]:
    """Return what a comparison hands over, in its order."""
    listing = Listing()
    Bench(sample, RELEASED_OF_AUTHOR).releases(listing, draws, SEED, lambda: None)
    for draw, texts in enumerate(listing.noted, 1):
        yield from ({"draw": draw, "row": row, "text": text} for row, text in enumerate(texts))


def main() -> None:
    """Read the texts and list them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA", help="folder of the corpora")
    parser.add_argument("listed", type=Path, metavar="FILE", help="what to write")
    parser.add_argument("--ground", choices=sorted(GROUNDS), action="append", required=True, help="may be repeated")
    parser.add_argument("--draws", type=int, default=DRAWS, help="how often test texts are released (%(default)s)")
    chosen = parser.parse_args()
    with chosen.listed.open("w", encoding="utf-8") as lines:
        for name in chosen.ground:
            listed = list(records(GROUNDS[name].read(chosen.data), chosen.draws))
            lines.writelines(f"{json.dumps(record, ensure_ascii=False)}\n" for record in listed)
            print(f"{name}: {len(listed):,} texts")


if __name__ == "__main__":
    main()
