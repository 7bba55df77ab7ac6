"""The frontier as tables and figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from allonym.drawing.figure_data import Figure
from allonym.evaluation.knowledge import Setting
from allonym.papers.ruler import tables as ruler
from allonym.papers.ruler.rows import Measured
from allonym.papers.stored import Result

_HOW_TO_READ = """
Each row is a method with one setting. **Meaning** is the cosine between a text before and after, by two encoders: 1 is
the same, and what two unrelated texts have stands above each table. **Labels** is how well an analyst who learns from
released texts still sorts others. **Perplexity** is how a language model reads the text: near that of the originals is
ordinary English. The **strongest attack** is the share of texts whose author is named: lower hides better, and chance
is the floor. **Loss a document** is what is proved: smaller is better, and a dash means that nothing is.

Attackers have every text that the corpus has of an author, release {own} of each author's texts themselves, twice, and
see what a method computes before it draws. The strongest attack is that of all attackers together, unless one alone
names clearly more of the known texts that they set aside. Every row is drawn {draws} times (a method that always writes
the same, once); brackets are 95 % intervals over draws and texts.
"""


@dataclass(frozen=True)
class FrontierResults(Result, stored_as={"version": "allonym"}):
    """A row for each configuration on each kind of texts.

    Attributes:
        version: Of this program.
        draws: How often each setting was drawn.
        seed: Fixes what is drawn.
        own_releases_of_author: How many texts of each author attackers release themselves.
        settings: What attackers learn from, by the name of the setting, in words.
        attackers: Who attacks, in words.
        grounds: What was measured, by the names of the texts.
    """

    version: str
    draws: int
    seed: int
    own_releases_of_author: int
    settings: Mapping[Setting, str] = field(repr=False)
    attackers: Mapping[str, str] = field(repr=False)
    grounds: Mapping[str, Measured] = field(repr=False)


def markdown(results: FrontierResults) -> str:
    """Return one table for each kind of texts."""
    text = "# The frontier: what is kept and what is given away\n"
    text += _HOW_TO_READ.format(own=results.own_releases_of_author, draws=results.draws)
    return text + "".join(f"\n{section}\n" for section in ruler.sections(results.grounds))


def figures(results: FrontierResults) -> dict[str, Figure]:
    """Return a figure for each kind of texts: attack to the right, meaning upwards."""
    return ruler.figures(results.grounds)
