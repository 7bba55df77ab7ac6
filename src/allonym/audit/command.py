"""Audits of any program that reads documents, one a line, and writes an answer to each, one a line."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from allonym.audit import texts
from allonym.audit.findings import Audit
from allonym.errors import ParameterError
from allonym.jobs.command import TIMEOUT, Command
from allonym.privacy.statement import number

DRAWS = 1_000


def audit_command(
    line: str,
    *,
    claimed: float | None,
    pairs: Sequence[tuple[str, str]] = (),
    declared: Collection[str] = (),
    draws: int = DRAWS,
    timeout: float = TIMEOUT,
) -> Audit:
    """Return the audit of a text-to-text program.

    Args:
        line: Its command line.
        claimed: The loss it claims between the two documents of any pair; None if it claims nothing.
        pairs: Documents to be told apart; by default pairs of single words.
        declared: Habits that the program says it copies.
        draws: Answers to each document of a pair that judge it; before them, the same number choose the events.
        timeout: Seconds that one run may take.
    """
    if claimed is not None and not 0 <= claimed < float("inf"):
        raise ParameterError(f"The claimed loss must be a number of at least 0, got {claimed}.")
    compared = list(pairs) or list(texts.PAIRS)
    if any(first == second for first, second in compared):
        raise ParameterError("The two documents of a pair must differ.")
    answers = texts.ask(Command(line, timeout=timeout), compared, draws)
    findings = texts.findings(answers, compared, claimed=claimed, declared=declared)
    notes = (
        "Answers alone were seen: a claim that no check could prove wrong may still be wrong.",
        f"Whether the program knows the words of the checks ({', '.join(texts.WORDS)}) is not known; a program "
        "that takes them all for unknown shows less.",
    )
    said = "nothing" if claimed is None else f"a loss of at most {number(claimed)} between two documents"
    return Audit(subject=" ".join(line.split()), claim=said, findings=tuple(findings), notes=notes)
