"""The folder of an unfinished job: chunks done so far, the record of them, and the key of its noise.

It lies beside the output as `.OUT.allonym-job`, only its owner may enter it, and it is gone when the output is there.
No text of the input is in it: chunks hold what the output will hold, and everything else is numbers and fingerprints
under the job's own key.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from allonym.errors import InputError, ResumeError
from allonym.formats.tables import shown
from allonym.jobs.chunks import Written, intact
from allonym.jobs.outputs import make_private, put_back
from allonym.randomness import KEY_BYTES

_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS chunks (
    number INTEGER PRIMARY KEY, start INTEGER NOT NULL, rows INTEGER NOT NULL, failed TEXT NOT NULL,
    digest TEXT NOT NULL
);
"""


def folder_of(out: Path) -> Path:
    """Where the job of an output lies while it is unfinished."""
    return out.with_name(f".{out.name}.allonym-job")


class JobFolder:
    """An unfinished job on disk, held by one process at a time."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.path = folder_of(out)
        self.chunks, self.new, self.old = (self.path / name for name in ("chunks", "new", "old"))

    @contextmanager
    def held(self) -> Iterator[JobFolder]:
        """Make the folder unless it is there, and keep other processes out; the system lets go if we are killed."""
        fresh = not self.path.is_dir()
        if fresh:
            make_private(self.path)
        with ExitStack() as held:
            try:
                self._open(held)
            except BaseException:
                if fresh:
                    shutil.rmtree(self.path, ignore_errors=True)
                raise
            try:
                yield self
            except KeyboardInterrupt:
                if fresh and "same" not in self.facts():  # not begun, so there is nothing to resume
                    self.destroy()
                raise
            except sqlite3.OperationalError as error:
                # SQLite has its own words for a full or failing disk; say it as the rest of the job would.
                raise OSError(None, f"the record of the job, {error}") from None

    def _open(self, held: ExitStack) -> None:
        for folder in (self.chunks, self.new, self.old):
            folder.mkdir(exist_ok=True)
        lock = held.enter_context(closing(sqlite3.connect(self.path / "lock", timeout=0, isolation_level=None)))
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            reason = "is being written by another process; wait for it, or choose another -o"
            raise InputError(f"{shown(self.out)} {reason}.") from None
        self._record = held.enter_context(closing(sqlite3.connect(self.path / "record", isolation_level=None)))
        self._record.execute("PRAGMA journal_mode = WAL")
        self._record.execute("PRAGMA synchronous = FULL")
        self._record.executescript(_SCHEMA)

    def facts(self) -> dict[str, Any]:
        """Return what was noted about the job."""
        return {name: json.loads(value) for name, value in self._record.execute("SELECT name, value FROM facts")}

    def note(self, **facts: Any) -> None:  # noqa: ANN401 - plain values
        """Note facts about the job, on disk when this returns."""
        self._record.execute("BEGIN")
        rows = [(name, json.dumps(value)) for name, value in facts.items()]
        self._record.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", rows)
        self._record.execute("COMMIT")

    def done(self, path_of: Callable[[int], Path]) -> dict[int, Written]:
        """Return the chunks that are there, whole; damaged ones are forgotten and will be made again."""
        chunks = {}
        for number, start, rows, failed, digest in self._record.execute("SELECT * FROM chunks ORDER BY number"):
            if not digest or intact(path_of(number), digest):  # a part without rows has no file
                chunks[number] = Written(number, start, rows, tuple(json.loads(failed)), digest)
        return chunks

    def add(self, chunk: Written) -> None:
        """Note a chunk that is on disk."""
        row = (chunk.number, chunk.start, chunk.rows, json.dumps(chunk.failed), chunk.digest)
        self._record.execute("INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, ?, ?)", row)

    @property
    def _key_path(self) -> Path:
        return self.path / "key"

    def write_key(self, key: bytes) -> None:
        """Keep the key where only the owner may read it, until the job is done."""
        descriptor = os.open(self._key_path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, stat.S_IRUSR | stat.S_IWUSR)
        try:
            os.write(descriptor, key)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def read_key(self) -> bytes:
        """Return the key."""
        with suppress(OSError):
            key = self._key_path.read_bytes()
            if len(key) == KEY_BYTES:
                return key
        raise ResumeError(f"The key of the job of {shown(self.out)} is gone; start anew with --force.")

    def clear_stage(self) -> None:
        """Empty the place where the output is put together."""
        shutil.rmtree(self.new, ignore_errors=True)
        self.new.mkdir(exist_ok=True)

    def forget_replaced(self) -> None:
        """Remove older files that were set aside and whose names are taken by now."""
        for path in self.old.iterdir():
            if os.path.lexists(self.out.with_name(path.name)):
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                else:
                    path.unlink()

    def destroy(self) -> None:
        """Overwrite the key, give set-aside files their names back where they have none, and remove the folder."""
        with suppress(OSError):
            if self._key_path.is_file():
                self.write_key(bytes(KEY_BYTES))
            self._key_path.unlink()
        if self.old.is_dir():
            put_back(self.out, self.old)
        shutil.rmtree(self.path, ignore_errors=True)
