"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]], *, wide: bool = True) -> str:
    """Return a table; `wide` puts blanks around the rule below its head.

    >>> print(markdown_table(["word", "count"], [["tea", "2"]], wide=False))
    | word | count |
    |---|---|
    | tea | 2 |
    """
    rule = "| " + " | ".join(["---"] * len(head)) + " |" if wide else "|" + "---|" * len(head)
    lines = ["| " + " | ".join(cells) + " |" for cells in (head, *rows)]
    return "\n".join([lines[0], rule, *lines[1:]])
