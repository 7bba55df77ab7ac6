"""Audits of any program that reads documents, one a line, and writes an answer to each, one a line."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from collections.abc import Collection, Sequence
from contextlib import suppress

from allonym.errors import InputError, ParameterError
from allonym.privacy import audit_texts
from allonym.privacy.audit import Audit
from allonym.privacy.statement import number

DRAWS = 1_000
TIMEOUT = 600.0
_SHELL = {"|", "||", "&", "&&", ";", ">", ">>", "<", "2>", "2>&1"}


class Command:
    """A program called by its command line, never through a shell.

    Args:
        line: The command line, split as a shell would split it.
        timeout: Seconds that one run may take.
    """

    def __init__(self, line: str, *, timeout: float = TIMEOUT) -> None:
        try:
            self._arguments = shlex.split(line)
        except ValueError as error:
            raise ParameterError(f"The command cannot be split into words ({error}); check its quotes.") from None
        if not self._arguments:
            raise ParameterError("The command is empty; name a program to run.")
        if _SHELL & set(self._arguments):
            raise ParameterError("The command has a pipe or redirection, which needs a shell; write: sh -c '…'.")
        if not timeout > 0:
            raise ParameterError(f"timeout must be a positive number of seconds, got {timeout}.")
        self._timeout = timeout

    def __call__(self, documents: Sequence[str]) -> list[str]:
        """Run the program once."""
        given = "".join(f"{' '.join(document.splitlines())}\n" for document in documents)
        try:
            status, written = self._run(given.encode("utf-8", "surrogateescape"))
        except subprocess.TimeoutExpired:
            raise InputError(
                f"The command took longer than {self._timeout:g} seconds; give fewer --draws or a longer --timeout."
            ) from None
        except OSError as error:
            raise InputError(f"The command cannot be run: {error.strerror or type(error).__name__}.") from None
        if status:
            raise InputError(f"The command ended with status {status}; run it by itself to see why.")
        answers = written.decode("utf-8", "replace").split("\n")
        return [answer.rstrip("\r") for answer in answers[: -1 if answers[-1] == "" else None]]

    def _run(self, given: bytes) -> tuple[int, bytes]:
        """Return the exit status and what was written; whatever ends the wait ends the program and its children."""
        with subprocess.Popen(  # noqa: S603 - the user's own command, and no shell
            self._arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as process:
            try:
                written, _ = process.communicate(given, timeout=self._timeout)
            except BaseException:
                with suppress(OSError):
                    os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
                raise
            return process.returncode, written


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
        claimed: The claimed loss between the two documents of any pair; None if nothing is claimed.
        pairs: Documents to be told apart; by default pairs of single words.
        declared: Habits that the program says it copies.
        draws: Judging answers to each document of a pair; as many more choose the events.
        timeout: Seconds that one run may take.
    """
    if claimed is not None and not 0 <= claimed < float("inf"):
        raise ParameterError(f"The claimed loss must be a number of at least 0, got {claimed}.")
    compared = list(pairs) or list(audit_texts.PAIRS)
    if any(first == second for first, second in compared):
        raise ParameterError("The two documents of a pair must differ.")
    answers = audit_texts.ask(Command(line, timeout=timeout), compared, draws)
    findings = [
        *audit_texts.leaks(answers, claimed=claimed, declared=declared),
        *audit_texts.noise(answers, claimed=claimed),
        *audit_texts.losses(answers, compared, claimed=claimed),
        audit_texts.reconstruction(answers, compared, claimed=claimed),
    ]
    notes = ("Answers alone were seen: a claim that no check could prove wrong may still be wrong.",)
    said = "nothing" if claimed is None else f"a loss of at most {number(claimed)} between two documents"
    return Audit(subject=line, claim=said, findings=tuple(findings), notes=notes)
