"""`allonym audit`: tries to prove a claimed loss wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from allonym import anonymizers
from allonym.audit import command as audit_command
from allonym.audit import methods
from allonym.audit.findings import Audit
from allonym.audit.page import page
from allonym.audit.texts import HABITS
from allonym.cli import RISK
from allonym.cli.options import build, parameter_options
from allonym.cli.talk import Talk, common_options
from allonym.formats.tables import shown
from allonym.jobs.command import TIMEOUT
from allonym.jobs.outputs import atomic

_MOST_DRAWS = 10**9


@click.command(name="audit")
@click.option("--method", type=click.Choice(sorted(anonymizers.examples())), help="The method to audit.")
@click.option(
    "--command", "line", help="A program to audit: it reads one document per line and writes one line for each."
)
@click.option("--claimed", type=float, help="With --command: the loss it claims between the two documents of a pair.")
@click.option(
    "--pair",
    "pairs",
    type=(str, str),
    multiple=True,
    help="With --command: two documents to tell apart; may be repeated. By default pairs of single words.",
)
@click.option(
    "--declared",
    type=click.Choice(HABITS),
    multiple=True,
    help="With --command: what the program admits to copying from a document; may be repeated.",
)
@click.option(
    "--draws",
    type=click.IntRange(10, _MOST_DRAWS),
    help=f"Draws that judge each input; the same number is drawn first, to choose what to look at. "
    f"[default: {methods.DRAWS:,}; with --command {audit_command.DRAWS:,}]",
)
@click.option("--timeout", type=float, help=f"With --command: seconds that one run may take. [default: {TIMEOUT:g}]")
@click.option(
    "--report", type=click.Path(dir_okay=False, path_type=Path), help="Also write the audit as a page (.html)."
)
@click.option("--force", is_flag=True, help="Replace an existing report.")
@click.option(
    "--allow-unaudited", is_flag=True, help="Exit with status 0 even if no check looked at part of the claim."
)
@parameter_options
@common_options
@click.pass_context
def command(
    context: click.Context,
    /,
    method: str | None,
    line: str | None,
    claimed: float | None,
    pairs: tuple[tuple[str, str], ...],
    declared: tuple[str, ...],
    draws: int | None,
    timeout: float | None,
    report: Path | None,
    force: bool,
    allow_unaudited: bool,
    reference: str | None,
    target_unchanged: float | None,
    **parameters: Any,  # noqa: ANN401 - the parameters of the method
) -> None:
    """Try to prove a claimed loss wrong: that of a method, or of any program that turns texts into texts.

    Finite laws are audited exactly, draws by lower bounds that all hold with 99.9 % confidence; what bypasses the draws
    is found by holding them fixed. The exit status is 1 if the claim is violated, or part of it was not audited.
    """
    talk: Talk = context.obj
    given = {name: value for name, value in parameters.items() if value is not None}
    if (method is None) == (line is None):
        raise click.UsageError("Give either --method or --command.")
    if line is not None and (given or reference or target_unchanged is not None):
        raise click.UsageError("Options of methods do not go with --command; leave them out.")
    if method is not None and (claimed, timeout, pairs, declared) != (None, None, (), ()):
        raise click.UsageError("--claimed, --pair, --declared and --timeout are for --command; leave them out.")
    _refuse_report(report, force)
    if line is not None:
        audit = audit_command.audit_command(
            line,
            claimed=claimed,
            pairs=pairs,
            declared=declared,
            draws=draws or audit_command.DRAWS,
            timeout=TIMEOUT if timeout is None else timeout,
        )
    else:
        anonymizer = build(method or "", given, reference=reference, unchanged=target_unchanged)
        audit = methods.audit_method(anonymizer, draws=draws or methods.DRAWS)
    _answer(context, talk, audit, report, force)
    if audit.violations or (audit.unaudited and not allow_unaudited):
        context.exit(RISK)


def _refuse_report(report: Path | None, force: bool) -> None:
    """Refuse a place for the page before an audit that may take minutes."""
    if report is not None and report.exists() and not force:
        raise click.UsageError(f"{shown(report)} exists; name another --report, or add --force.")
    if report is not None and not report.absolute().parent.is_dir():
        raise click.UsageError(f"The folder of {shown(report)} does not exist; create it, or name another --report.")


def _answer(context: click.Context, talk: Talk, audit: Audit, report: Path | None, force: bool) -> None:
    """Print the audit, and write the page."""
    if report is not None:
        with atomic(report, force) as path:
            path.write_bytes(page(audit).encode("utf-8", "backslashreplace"))  # a command may hold odd bytes
    first, rest = str(audit).split("\n", 1)
    talk.data(audit.to_json(), f"{talk.heading(first)}\n{rest}")
    if report is not None:
        talk.say(f"Wrote the page to {report}.")
