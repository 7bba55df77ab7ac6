"""Tab-separated files: as CSV, with tabs between the cells."""

from __future__ import annotations

from allonym.formats.csv import Csv


class Tsv(Csv):
    """Cells with a tab between them."""

    name = "tsv"
    suffixes = (".tsv", ".tab")
    separator = "\t"
    separator_name = "tab"


FORMAT = Tsv()
