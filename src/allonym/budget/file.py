"""The file of a ledger: how it is made, kept private, brought up to date, and checked for damage.

Every change ends with a checksum over all records, in the same transaction, and every opening begins by comparing it.
SQLite's own check sees broken pages; the checksum sees bytes that were overwritten inside a sound page. It is keyed
with the account's key, which lies in the same file: it is proof against accidents, not against a deceiver.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import stat
import time
from contextlib import closing
from pathlib import Path

from allonym.errors import InputError
from allonym.privacy.guarantee import ANY_TWO_DOCUMENTS

_PATIENCE = 120.0  # seconds to wait for another process; a charge of a million documents takes some ten
_SHORTLY = 0.01  # seconds until the next try
_VERSION = 2
_ROWS_AT_ONCE = 20_000
_OWNER_ONLY = stat.S_IRUSR | stat.S_IWUSR
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_MAGIC = b"SQLite format 3\0"
_SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE datasets (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, cap_document TEXT, cap_author TEXT);
CREATE TABLE losses (id INTEGER PRIMARY KEY, exact TEXT NOT NULL UNIQUE, about REAL NOT NULL);
CREATE TABLE releases (
    id INTEGER PRIMARY KEY AUTOINCREMENT, dataset INTEGER NOT NULL REFERENCES datasets, at TEXT NOT NULL,
    method TEXT NOT NULL, definition TEXT NOT NULL, unit TEXT NOT NULL, loss INTEGER REFERENCES losses,
    documents INTEGER NOT NULL, ids INTEGER NOT NULL, authors INTEGER NOT NULL, job TEXT NOT NULL
);
CREATE TABLE spent (
    dataset INTEGER NOT NULL, level TEXT NOT NULL, unit BLOB NOT NULL, loss INTEGER NOT NULL,
    documents INTEGER NOT NULL,
    PRIMARY KEY (dataset, level, unit, loss)
) WITHOUT ROWID;
"""
_SINCE_2 = f"ALTER TABLE releases ADD COLUMN adjacency TEXT NOT NULL DEFAULT '{ANY_TWO_DOCUMENTS}'"
# Every record, in an order that does not depend on how it came into the file.
_RECORDS = (
    "SELECT name || ',' || hex(value) FROM meta WHERE name <> 'checksum' ORDER BY name",
    "SELECT id || ',' || quote(name) || ',' || quote(cap_document) || ',' || quote(cap_author) "
    "FROM datasets ORDER BY id",
    "SELECT id || ',' || quote(exact) || ',' || quote(about) FROM losses ORDER BY id",
    "SELECT id || ',' || dataset || ',' || quote(at) || ',' || quote(method) || ',' || quote(definition) || ',' || "
    "quote(unit) || ',' || quote(loss) || ',' || documents || ',' || ids || ',' || authors || ',' || quote(job) || ',' "
    "|| quote(adjacency) FROM releases ORDER BY id",
    "SELECT dataset || ',' || level || ',' || hex(unit) || ',' || loss || ',' || documents "
    "FROM spent ORDER BY dataset, level, unit, loss",
)


def connected(path: Path, create: bool) -> sqlite3.Connection:
    """Open an account, or make one that only its owner may read; refuse one that is damaged."""
    if not create and not path.exists():
        raise InputError(f"{path.name} does not exist; name the file that was given as --budget-db.")
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, _OWNER_ONLY))
        _keep_private(path)
        _refuse_stale_log(path)
        connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
    except OSError as error:
        raise InputError(f"{path.name} cannot be opened as a ledger ({error.strerror}); check --budget-db.") from error
    except sqlite3.Error:
        raise _unusable(path) from None
    try:
        _made_ready(connection, path)
    except sqlite3.OperationalError:
        connection.close()
        raise _unusable(path) from None
    except (sqlite3.Error, UnicodeDecodeError):  # SQLite quotes what it cannot read
        connection.close()
        raise (_damaged(path) if _is_database(path) else _unusable(path)) from None
    except BaseException:
        connection.close()
        raise
    return connection


def _made_ready(connection: sqlite3.Connection, path: Path) -> None:
    _keep_a_log(connection)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA cache_size = -65536")  # KiB; pseudonyms have no order, so pages are met again
    _bring_up_to_date(connection, path)
    check(connection, path)


def _keep_a_log(connection: sqlite3.Connection) -> None:
    """Have changes logged before they are made; SQLite does not wait for others who ask for that in a new file."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(_SHORTLY)
        else:
            return


def _refuse_stale_log(path: Path) -> None:
    """Refuse a log of an earlier state beside the file, before SQLite takes it for the later one: a log only adds."""
    if path.with_name(f"{path.name}-wal").exists():
        alone, logged = _last_release(path, "&immutable=1"), _last_release(path)
        if alone is not None and logged is not None and alone > logged:
            raise _damaged(path)


def _last_release(path: Path, how: str = "") -> int | None:
    """Return the number of the last release, by a connection that changes nothing; None where it cannot be read."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro{how}", uri=True)) as connection:
            [(last,)] = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'releases'").fetchall()
            return int(last)
    except (OSError, ValueError, sqlite3.Error):  # what is no ledger is refused when it is opened
        return None


def check(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse an account whose records are not those that were written."""
    within = connection.in_transaction
    if not within:
        connection.execute("BEGIN")
    try:
        sound = connection.execute("PRAGMA integrity_check(1)").fetchall() == [("ok",)]
        stamped = connection.execute("SELECT value FROM meta WHERE name = 'checksum'").fetchone()
        if not sound or stamped is None or stamped[0] != _checksum(connection):
            raise _damaged(path)
    finally:
        if not within:
            connection.execute("ROLLBACK")


def stamp(connection: sqlite3.Connection) -> None:
    """Write the checksum of all records; the last step of each transaction."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('checksum', ?)", (_checksum(connection),))


def changes_of_others(connection: sqlite3.Connection) -> int:
    """Return a number that changes whenever another connection has written to the file."""
    [(number,)] = connection.execute("PRAGMA data_version").fetchall()
    return int(number)


def _checksum(connection: sqlite3.Connection) -> bytes:
    stored = connection.execute("SELECT value FROM meta WHERE name = 'key'").fetchone()
    key = stored[0][:64] if stored and isinstance(stored[0], bytes) else b""
    content = hashlib.blake2b(key=key, digest_size=32)
    for records in _RECORDS:
        rows = connection.execute(records)
        content.update(b"\0")
        while some := rows.fetchmany(_ROWS_AT_ONCE):
            content.update("".join(f"{record}\n" for (record,) in some).encode("utf-8", "surrogatepass"))
    return content.digest()


def _bring_up_to_date(connection: sqlite3.Connection, path: Path) -> None:
    """Make the tables of a new file; give an older one what was added since."""
    if _version(connection) == _VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    version = _version(connection)  # another process may have been quicker
    if version == 0:
        if connection.execute("SELECT 1 FROM sqlite_master").fetchone():
            raise InputError(f"{path.name} cannot be opened as a ledger: it is another database; check --budget-db.")
        for statement in filter(str.strip, _SCHEMA.split(";")):
            connection.execute(statement)
        from allonym.randomness import secure  # loads NumPy, which whoever reads a ledger does not need

        connection.execute("INSERT INTO meta VALUES ('key', ?)", (secure().key,))
    if version in (0, 1):
        if connection.execute("PRAGMA integrity_check(1)").fetchall() != [("ok",)]:
            raise _damaged(path)
        connection.execute(_SINCE_2)
        stamp(connection)
        connection.execute(f"PRAGMA user_version = {_VERSION}")
    elif version != _VERSION:
        raise InputError(f"{path.name} was written by another version of allonym; use that one.")
    connection.execute("COMMIT")


def _version(connection: sqlite3.Connection) -> int:
    [(version,)] = connection.execute("PRAGMA user_version").fetchall()
    return int(version)


def _keep_private(path: Path) -> None:
    """Take from others what they may do with the file, and with those that SQLite keeps beside it."""
    if os.name != "posix":  # elsewhere folders decide who may read
        return
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        beside = path.with_name(name)
        try:
            if stat.S_IMODE(beside.stat().st_mode) & _OTHERS:
                beside.chmod(_OWNER_ONLY)
            private = not stat.S_IMODE(beside.stat().st_mode) & _OTHERS
        except FileNotFoundError:
            continue
        except PermissionError:
            private = False
        if not private:
            raise InputError(
                f"Others may read {name}, and that cannot be changed here; have its owner run `chmod 600` on it, or "
                "copy it to a place of your own."
            )


def _is_database(path: Path) -> bool:
    with open(path, "rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def _unusable(path: Path) -> InputError:
    return InputError(f"{path.name} cannot be opened as a ledger; check --budget-db.")


def _damaged(path: Path) -> InputError:
    return InputError(
        f"{path.name} is damaged: its records are not those that were written, so its totals may be too small; put a "
        "copy in its place, or begin a new ledger and count what was spent before as well."
    )
