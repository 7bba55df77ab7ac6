"""All that ER-AE's tables and figures show, as it is stored and read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from allonym.papers.erae.examples import CandidatePlace, RewrittenSentence
from allonym.papers.erae.rows import Goal, SweepRow, TableRow
from allonym.papers.ruler.rows import Measured
from allonym.papers.stored import PaperResults, Result


@dataclass(frozen=True)
class ShippedNetwork(Result):
    """The network that the rows of ER-AE are drawn with, where no other is named."""

    name: str
    version: str
    weights_sha256: str
    words: int  # of its vocabulary


@dataclass(frozen=True)
class TrainedNetwork(Result, left_out=("earlier",)):
    """A network that is not shipped, and the row of table 1 that is drawn with it."""

    row: str
    name: str  # of its folder
    weights_sha256: str
    earlier: bool = False  # whether it was at hand in an earlier run alone


@dataclass(frozen=True)
class Amounts(Result):
    """How many texts there are, of each kind; film reviews unless it is said otherwise."""

    authors: int
    known: int
    train: int
    test: int
    swept: int
    fluency: int
    peer_reviews: int
    tokens: int  # of each text, at most


@dataclass(frozen=True)
class EraeResults(PaperResults):
    """All that the tables and figures show.

    Attributes:
        seeds: One for each run.
        interval: How intervals were made, in words.
        model: The shipped network.
        documents: How many texts there are.
        table_1: What each method does to meaning, attack, style and fluency.
        figure_2: Both mechanisms over the loss of a word.
        models: Networks that are not shipped.
        tables_2_and_3: Candidates of two words.
        table_4: Sentences of our own, rewritten.
        grounds: What the ruler measured, by the names of the texts.
        goals: What was to be reached, and whether it was.
    """

    seeds: tuple[int, ...]
    interval: str
    model: ShippedNetwork
    documents: Amounts
    table_1: tuple[TableRow, ...] = field(repr=False)
    figure_2: tuple[SweepRow, ...] = field(repr=False)
    models: tuple[TrainedNetwork, ...]
    tables_2_and_3: tuple[CandidatePlace, ...] = field(repr=False)
    table_4: tuple[RewrittenSentence, ...] = field(repr=False)
    grounds: Mapping[str, Measured] = field(default_factory=dict, repr=False)
    goals: tuple[Goal, ...] = field(default=(), repr=False)
