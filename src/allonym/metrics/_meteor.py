"""METEOR 1.5, the authors' own Java program, kept running for a whole list of pairs."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from allonym.errors import AllonymError, MissingDependencyError
from allonym.metrics._shared import encodable, how_to_install, packaged_file, pinned

EXTRA: Final = "meteor"
MODULE: Final = "pycocoevalcap"
JAR: Final = "meteor/meteor-1.5.jar"
PARAPHRASES: Final = "meteor/data/paraphrase-en.gz"
JAR_SHA256: Final = "1e57b4c72c0830ebe68558f1c799a624e96cbc1b6045c9f6330e26dcff6eafc2"
PARAPHRASES_SHA256: Final = "c147ac7d2c91f2fbb3ad31e4b352235061eb83145e0434daf217ee9ca5975f48"

_SECONDS_TO_LEAVE: Final = 10
_SEPARATORS: Final = re.compile(r"(?:[\s\x00-\x1f\x7f-\x9f]|\|{2,})+")
_NO_JAVA: Final = "METEOR 1.5 is a Java program, and no `java` is found: install a Java runtime (version 8 or later)."


class Meteor:
    """A running METEOR 1.5, which reads pairs of one-line texts and answers with scores."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def score(self, reference: str, candidate: str) -> float:
        """Score a candidate against its reference, from 0 to 1.

        Raises:
            AllonymError: The program stopped or answered something else.
        """
        statistics = self._answer(f"SCORE ||| {one_line(reference)} ||| {one_line(candidate)}")
        try:
            score = float(self._answer(f"EVAL ||| {statistics}"))
        except ValueError:
            # Without its text: what the program says could hold the user's.
            raise AllonymError("METEOR 1.5 gave no score for a pair: check the Java installation.") from None
        self._line()  # the score of the list of all pairs sent to EVAL, which is this one
        return score

    def _answer(self, question: str) -> str:
        stream = self._process.stdin
        try:
            if stream is not None:
                stream.write(question + "\n")
                stream.flush()
        except OSError:
            raise self._stopped() from None
        return self._line()

    def _line(self) -> str:
        stream = self._process.stdout
        line = "" if stream is None else stream.readline()
        if not line:
            raise self._stopped()
        return line.strip()

    def _stopped(self) -> AllonymError:
        return AllonymError(
            "METEOR 1.5 stopped before it had scored all pairs: it needs 2 GB of memory and Java 8 or later."
        )


@contextmanager
def running() -> Iterator[Meteor]:
    """Start METEOR 1.5 for English, with its texts normalised, and end it afterwards.

    Raises:
        MissingDependencyError: Java or the program is missing.
        ModelError: The program or its paraphrases are not those this version was tested with.
    """
    process = subprocess.Popen(  # noqa: S603 - a fixed command and a program pinned by its hash
        [
            *(_java(), "-Xmx2G", "-Dfile.encoding=UTF-8", "-jar", str(_program())),
            *("-", "-", "-stdio", "-l", "en", "-norm"),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    )
    try:
        yield Meteor(process)
    finally:
        _end(process)


def missing() -> str:
    """Say what is missing to run it; nothing if all is there."""
    if shutil.which("java") is None:
        return _NO_JAVA
    if packaged_file(MODULE, JAR) is None or packaged_file(MODULE, PARAPHRASES) is None:
        return f"METEOR 1.5 comes in the package {MODULE}, which is not installed: {how_to_install(EXTRA)}."
    return ""


def one_line(text: str) -> str:
    """Return a text without what the program takes for the end of a text: line ends and `|||`."""
    return _SEPARATORS.sub(" ", encodable(text)).strip()


def _java() -> str:
    problem = missing()
    java = shutil.which("java")
    if problem or java is None:
        raise MissingDependencyError(problem or _NO_JAVA)
    return java


def _program() -> Path:
    files = {}
    for file, digest in ((JAR, JAR_SHA256), (PARAPHRASES, PARAPHRASES_SHA256)):
        path = packaged_file(MODULE, file)
        if path is None:
            raise MissingDependencyError(missing())
        files[file] = pinned(path, digest, MODULE)
    return files[JAR]


def _end(process: subprocess.Popen[str]) -> None:
    try:
        if process.stdin is not None:
            process.stdin.close()
        process.wait(timeout=_SECONDS_TO_LEAVE)
    except (OSError, subprocess.TimeoutExpired):
        process.kill()
        process.wait()
    finally:
        if process.stdout is not None:
            process.stdout.close()
