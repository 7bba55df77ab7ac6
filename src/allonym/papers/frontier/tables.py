"""The frontier as tables and figures."""

from __future__ import annotations

from allonym.drawing.figure_data import Figure
from allonym.papers import Results
from allonym.papers.ruler import tables as ruler

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


def markdown(results: Results) -> str:
    """Return one table for each kind of texts."""
    text = "# The frontier: what is kept and what is given away\n"
    text += _HOW_TO_READ.format(own=results["own_releases_of_author"], draws=results["draws"])
    return text + "".join(f"\n{section}\n" for section in ruler.sections(results["grounds"]))


def figures(results: Results) -> dict[str, Figure]:
    """Return a figure for each kind of texts: attack to the right, meaning upwards."""
    return ruler.figures(results["grounds"])
