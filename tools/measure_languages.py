"""Measure how well text that is not English is told from text that is.

    python tools/measure_languages.py [--texts ../shared/data/imdb62/imdb62.parquet]

Reads tests/language/written_in.txt and writes results/languages.json. With --texts, pieces of 20, 50 and 100 words are
cut from English texts of other people, too, and those that are taken for another language are counted; only counts are
kept. Without it, those of the last time stay.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from allonym.formats.files import open_documents
from allonym.language.identification import other_language

ROOT = Path(__file__).resolve().parents[1]
LABELLED, RESULT = ROOT / "tests" / "language" / "written_in.txt", ROOT / "results" / "languages.json"
NOT_ANOTHER = ("English", "none")
TEXTS = 1000
LENGTHS = (20, 50, 100)


def labelled() -> Iterator[tuple[str, str]]:
    """Yield each text with what it is written in."""
    for line in LABELLED.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            language, _, text = line.partition("\t")
            yield language, text


def of_labelled() -> dict[str, Any]:
    """Count what is said of the labelled texts."""
    rows = [(language, other_language(text)) for language, text in labelled()]
    others = [(language, said) for language, said in rows if language not in NOT_ANOTHER]
    return {
        "texts": len(rows),
        "other": {
            "texts": len(others),
            "languages": len({language for language, _ in others}),
            "told": sum(said is not None for _, said in others),
            "named_rightly": sum(said == language for language, said in others),
        },
        **{
            kind.lower(): {
                "texts": sum(language == kind for language, _ in rows),
                "alarms": sum(language == kind and said is not None for language, said in rows),
            }
            for kind in NOT_ANOTHER
        },
    }


def of_english(source: Path) -> list[dict[str, int]]:
    """Count pieces of English texts that are taken for another language."""
    texts = list(islice((text.split() for batch in open_documents(source, text="text") for text in batch.texts), TEXTS))
    rows = []
    for length in LENGTHS:
        pieces = [" ".join(words[:length]) for words in texts if len(words) >= length]
        alarms = sum(other_language(piece) is not None for piece in pieces)
        rows.append({"words": length, "texts": len(pieces), "alarms": alarms})
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=Path)
    asked = parser.parse_args(arguments)
    earlier = json.loads(RESULT.read_text("utf-8")) if RESULT.exists() else {}
    long_texts = of_english(asked.texts) if asked.texts else earlier.get("english_pieces", [])
    result = {"labelled": of_labelled(), "english_pieces": long_texts}
    RESULT.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    print(json.dumps(result, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
