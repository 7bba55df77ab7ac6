"""Make the list of slurs and obscenities that no method should write, `allonym/language/blocked_words.txt`.

    npm pack cuss@2.2.0 && tar xzf cuss-2.2.0.tgz && python tools/build_blocked_words.py package/index.js

The words are those that the package `cuss` (MIT licence, Titus Wormer) rates as unlikely in clean text, single words
alone, less ordinary words that it rates so, too, and with some that it holds for less sure but nobody should be given.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

LIST = Path(__file__).resolve().parents[1] / "src" / "allonym" / "language" / "blocked_words.txt"
_ENTRY = re.compile(r"^\s*'?(\w+)'?: (\d),?$", re.M)
_UNLIKELY = 2  # the rating of words that clean text hardly has
_ORDINARY = frozenset(
    """
    kumquat welfare vomit spit squarehead triplex yanks yank slave stringer sucker tang tinker willie stupid pom poo
    poop pooping piss pollock prick nip looser loser idiot moron jackass jeez jig hobo ho hoes dumb dope dong dix damnit
    dammit crap crappy cocky chunky boong booty boobies bugger bullshit bollocks booby arse ass asses asshore wtf wn
    geez gangsta goddamn goddamned goddammit puke redneck scallywag slimeball slopy puss puke hooker hookers sissy
    sodomy
    """.split()  # noqa: SIM905
)
_ALSO = frozenset(
    """
    bitch bitches bitching cock cocks clit dick dicks dyke dykes fag fags goy goyim pedo pussy pussies queers shit
    shitty tit tits titty tranny trannies turd twat cripple cripples mongoloid spastic spaz shemale
    tard tards sluts midget midgets halfbreed fatso
    """.split()  # noqa: SIM905
)


def main() -> None:
    """Read the package's list and write ours."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("source", type=Path, help="index.js of the package cuss")
    rated = {word: int(rating) for word, rating in _ENTRY.findall(parser.parse_args().source.read_text("utf-8"))}
    words = {word.lower() for word, rating in rated.items() if rating == _UNLIKELY} - _ORDINARY | _ALSO
    LIST.write_text("\n".join(sorted(words)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
