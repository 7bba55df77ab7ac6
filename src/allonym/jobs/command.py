"""Texts through any other program: one document a line in, an answer to each, one a line, out."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import IO

from allonym.errors import InputError, ParameterError

TIMEOUT = 600.0
DRAW = "{draw}"
_LAST_WORDS = 5.0  # seconds that a killed program's streams may take to end
_MOST_WRITTEN = 1 << 28  # bytes: a program that never stops must not fill the memory
_SHELL = {"|", "||", "&", "&&", ";", ">", ">>", "<", "2>", "2>&1"}


def as_line(document: str) -> str:
    """Return a document on one line, as a program reads it."""
    return " ".join(document.splitlines())


class Command:
    """A program called by its command line, split as a shell would split it, but never through a shell.

    `{draw}` in the line stands for the number of the call, from 1: a seed for a program that takes one.
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
        self._timeout = min(timeout, threading.TIMEOUT_MAX)
        self._calls = 0

    def __call__(self, documents: Sequence[str]) -> list[str]:
        """Run the program once."""
        self._calls += 1
        given = "".join(f"{as_line(document)}\n" for document in documents)
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
            [argument.replace(DRAW, str(self._calls)) for argument in self._arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as process:
            written = bytearray()
            reader = threading.Thread(target=_read, args=(_number(process.stdout), written), daemon=True)
            writer = threading.Thread(target=_write, args=(_number(process.stdin), process.stdin, given), daemon=True)
            try:
                self._await(process, reader, writer, written)
            except BaseException:
                with suppress(OSError):
                    os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
                for thread in filter(threading.Thread.is_alive, (reader, writer)):
                    thread.join(_LAST_WORDS)  # it then meets the end, before the streams are closed
                raise
            return process.returncode, bytes(written)

    def _await(
        self, process: subprocess.Popen[bytes], reader: threading.Thread, writer: threading.Thread, written: bytearray
    ) -> None:
        """Hand over the documents and take the answers, as long as they come in time and fit into the memory."""
        deadline = time.monotonic() + self._timeout
        for thread in (reader, writer):
            thread.start()
        reader.join(self._timeout)
        if len(written) > _MOST_WRITTEN:
            raise InputError(f"The command wrote more than {_MOST_WRITTEN >> 20} MiB; it must write a line for each.")
        if reader.is_alive():
            raise subprocess.TimeoutExpired(self._arguments, self._timeout)
        process.wait(max(0.0, deadline - time.monotonic()))


def _number(stream: IO[bytes] | None) -> int:
    if stream is None:
        raise ParameterError("The command must have its own streams.")
    return stream.fileno()


def _read(descriptor: int, written: bytearray) -> None:
    """Read to the end, or until it is too much."""
    with suppress(OSError):
        while len(written) <= _MOST_WRITTEN and (block := os.read(descriptor, 1 << 16)):
            written += block


def _write(descriptor: int, stream: IO[bytes], given: bytes) -> None:
    """Write everything and close; a program that does not read to the end shows by its answers."""
    rest = memoryview(given)
    with suppress(OSError):
        while rest:
            rest = rest[os.write(descriptor, rest[: 1 << 16]) :]
        stream.close()
