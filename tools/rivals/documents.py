"""Documents in, documents out: what the programs that run rivals share. It needs nothing but Python.

Each program reads one document a line from standard input and writes one a line to standard output, as
`allonym evaluate --command` and `allonym audit --command` expect.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
import time
from collections.abc import Callable, Sequence

Rewrite = Callable[[Sequence[str], argparse.Namespace], Sequence[str]]

_TOKEN = re.compile(r"\w+(?=n't\b)|n't\b|'(?:s|re|ve|ll|d|m)\b|\w+|[^\w\s]")
_GLUED_TO_THE_LEFT = re.compile(r" (?=[.,!?;:)\]%]|n't\b|'(?:s|re|ve|ll|d|m)\b)")
_GLUED_TO_THE_RIGHT = re.compile(r"(?<=[(\[$#]) ")


def tokens(text: str) -> list[str]:
    """Split a text in lower case into words and marks, contractions as the Penn Treebank does.

    Examples:
        >>> tokens("I don't: it's over!")
        ['i', 'do', "n't", ':', 'it', "'s", 'over', '!']
    """
    return _TOKEN.findall(text.lower().replace("\u2019", "'"))


def joined(words: Sequence[str]) -> str:
    """Write tokens as a text.

    Examples:
        >>> joined(["do", "n't", "(", "ever", ")", "!"])
        "don't (ever)!"
    """
    return _GLUED_TO_THE_RIGHT.sub("", _GLUED_TO_THE_LEFT.sub("", " ".join(words)))


def noise_options(description: str | None, mechanisms: Sequence[str], unit: str) -> argparse.ArgumentParser:
    """Return a parser of what every program takes that adds noise to words; `unit` is what its ε is for."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mechanism", choices=mechanisms, required=True)
    parser.add_argument("--epsilon", type=float, required=True, help=f"for each {unit}, and each word")
    parser.add_argument("--seed", type=int, help="by default fresh noise")
    return parser


def answer(parser: argparse.ArgumentParser, rewrite: Rewrite) -> None:
    """Rewrite what stands on standard input; say on standard error how long that took."""
    chosen = parser.parse_args()
    documents = sys.stdin.read().splitlines()
    started = time.process_time()
    with contextlib.redirect_stdout(sys.stderr):  # the packages print while they load
        rewritten = rewrite(documents, chosen)
    seconds = time.process_time() - started
    count = sum(len(document.split()) for document in documents)
    print(f"{len(documents):,} documents, {count:,} words, {seconds:.1f} CPU seconds with loading", file=sys.stderr)
    sys.stdout.write("".join(f"{' '.join(text.split())}\n" for text in rewritten))
