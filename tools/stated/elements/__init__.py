"""The papers' elements, each with what became of it: read from a file a paper, and written as tables of docs/papers.md.

An entry of `syntf.toml` and its three siblings:

    [[element]]
    name = "Algorithm 1"               # what the paper calls it, or a few words
    kind = "algorithm"                 # one of KINDS
    what = "Draw n terms, replace each, count."   # the element, with its printed figures
    status = "complete"                # one of STATUSES
    here = ""                          # what differs and why, or what is missing; {PATH as FORMAT} is filled in
    code = ["anonymizers.syntf.counts:synthesise"]      # module below allonym, or a file of tools/, and the name
    shown = ["syntf.json#settings[table=optimum]"]      # a row, a figure of results/, or a test and its function
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from allonym.drawing.tables import markdown_table

FOLDER = Path(__file__).parent
PAPERS = ("syntf", "laplace", "erae", "a4nt")
STATUSES = ("complete", "differs", "missing")
KINDS = (
    "algorithm",
    "attacker",
    "baseline",
    "claim",
    "definition",
    "equation",
    "figure",
    "measure",
    "setting",
    "table",
    "theorem",
)


@dataclass(frozen=True)
class Element:
    """Something that a paper describes, proves, measures or claims, and what became of it here."""

    name: str
    kind: str
    what: str
    status: str
    here: str
    code: tuple[str, ...]
    shown: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.status not in STATUSES or self.kind not in KINDS:
            raise ValueError(f"{self.name}: {self.status} is no status, or {self.kind} no kind.")
        if self.status == "missing" and (self.code or not self.here):
            raise ValueError(f"{self.name}: what is missing has a reason and no code.")
        if self.status != "missing" and not self.code:
            raise ValueError(f"{self.name}: name the code that does it.")
        if self.status == "differs" and not self.here:
            raise ValueError(f"{self.name}: say what differs.")


@cache
def read(paper: str) -> tuple[Element, ...]:
    """Return the elements of a paper, in its order."""
    entries = tomllib.loads((FOLDER / f"{paper}.toml").read_text("utf-8"))["element"]
    return tuple(
        Element(**{**entry, "code": tuple(entry["code"]), "shown": tuple(entry["shown"])}) for entry in entries
    )


def table(paper: str) -> str:
    """Return a paper's table, its places not yet filled."""
    rows = [
        [
            f"**{each.name}** ({each.kind})",
            each.what,
            each.status,
            each.here or "–",
            ", ".join(map(_code, each.code)) or "–",
            ", ".join(map(_shown, each.shown)) or "–",
        ]
        for each in read(paper)
    ]
    return markdown_table(["element", "in the paper", "status", "here", "code", "shown by"], rows, wide=False)


def counts() -> str:
    """Return how many elements of each paper have which status."""
    titles = {"syntf": "SynTF", "laplace": "Generalised differential privacy", "erae": "ER-AE", "a4nt": "A4NT"}
    rows = [[titles[paper], *_numbers(read(paper))] for paper in PAPERS]
    rows.append(["all", *_numbers([each for paper in PAPERS for each in read(paper)])])
    return markdown_table(["", "elements", *STATUSES], rows, wide=False)


def _numbers(elements: Sequence[Element]) -> list[str]:
    by_status = Counter(each.status for each in elements)
    return [str(len(elements)), *(str(by_status[status]) for status in STATUSES)]


def _code(place: str) -> str:
    module, _, name = place.partition(":")
    path = module if module.endswith(".py") else f"src/allonym/{module.replace('.', '/')}.py"
    return f"[`{name or Path(path).stem}`](../{path})"


def _shown(place: str) -> str:
    path, separator, inside = place.partition("#" if "#" in place else "::")
    if separator == "::":
        return f"[`{inside}`](../{path})"
    return f"[{path}](../results/{path})" + (f" `{inside}`" if inside else "")
