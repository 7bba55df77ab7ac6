"""Write the numbers that README and docs state, from the result files they come from.

    python tools/fill_numbers.py            # fills them in; `make numbers` does it
    python tools/fill_numbers.py --check    # says which are stale, and fails if any is

How a number is marked stands in tools/stated/pages.py and, in short, in CONTRIBUTING.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from stated import pages
from stated.values import SourceError, Sources

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "benchmarks/README.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]


def main(arguments: Sequence[str] | None = None) -> int:
    """Fill the pages, or check them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a page is stale")
    chosen = parser.parse_args(arguments)
    sources = Sources(ROOT / "results")
    problems = 0
    for page in PAGES:
        name, text = page.relative_to(ROOT).as_posix(), page.read_text("utf-8")
        try:
            lines = pages.stale(text, sources)
            if lines and not chosen.check:
                page.write_text(pages.fill(text, sources), "utf-8")
        except SourceError as error:
            print(f"{name}: {error}", file=sys.stderr)
            problems += 1
            continue
        problems += len(lines) if chosen.check else 0
        for line in lines:
            print(f"{name}, {line}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
