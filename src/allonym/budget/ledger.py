"""What has been spent on which data: an account on disk that survives crashes and concurrent writers.

Rules:

- A release is charged, and the charge is on disk, before a random bit is drawn. A crash may leave a charge for
  something that was never seen; it can never leave something seen without its charge.
- Losses add up, exactly, as fractions; a metric promise is charged with its loss for the two documents furthest apart.
  A release with a promise for single words only, or with none, has no loss that could be added: a data set with one has
  no total, and that is said instead. A total that is not about any two documents says about which it is. A cap refuses
  what cannot be held against it, and so does one set on data of which that was released before.
- Documents are told apart by their ids, authors by their names, both as keyed pseudonyms: the names are not in the
  file. Where a run has no ids, every document of the data set is charged; where it has no authors, every author is
  charged with all documents of the run. Totals are then larger than they might be and never smaller.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from allonym.budget import file
from allonym.budget.account import Caps, Charge, Entry, Totals, kind_of, shown_cap, why_not
from allonym.errors import BudgetError
from allonym.language.words import name_key
from allonym.privacy.guarantee import ANY_TWO_DOCUMENTS
from allonym.privacy.statement import number

Level = str  # "document" or "author"
Units = tuple[Sequence[str] | None, Sequence[str] | None]  # ids and authors of some documents, where they are known

_EVERY = b""  # stands for each document, or each author, of a data set
_CLOSE = 1e-9  # sums of floats err by less; what is that near to the largest is added up exactly


class Ledger:
    """An account in an SQLite file that only its owner may read.

    Privacy: spends nothing; it says what was spent. The file holds a key, by which its pseudonyms can be tested
    against known names: keep it as private as the data.
    """

    def __init__(self, path: str | Path, *, create: bool = True) -> None:
        self.path = Path(path)
        self._connection = file.connected(self.path, create)
        self._checked_at = file.changes_of_others(self._connection)
        [(self._key,)] = self._connection.execute("SELECT value FROM meta WHERE name = 'key'").fetchall()
        # A part of the key's hash names the account without giving the key away.
        self.name = hashlib.blake2b(b"name", key=self._key, digest_size=8).hexdigest()

    @classmethod
    @contextmanager
    def looked_at(cls, path: Path) -> Iterator[Ledger]:
        """Open an account to look ahead in: the file, or an empty one while there is none. No file is made."""
        with TemporaryDirectory() as folder, cls(path if path.exists() else Path(folder) / "ledger") as ledger:
            yield ledger

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def charge(self, charge: Charge, units: Iterable[Units] = (), caps: Caps | None = None) -> int:
        """Charge a release and return its number, or refuse it and leave the account as it was.

        Args:
            charge: What is charged.
            units: Ids and authors of the documents, batch by batch, as far as `charge` says they are known.
            caps: Limits for this run; stored ones hold as well.

        Raises:
            BudgetError: A cap would be exceeded, or a cap is set and this release, or an earlier one, has no total.
        """
        with _disk_errors():
            self._note(charge, units)
            with self._transaction() as run:
                return self._enter(run, charge, caps or Caps())

    def foresee(self, charge: Charge, units: Iterable[Units] = (), caps: Caps | None = None) -> Totals:
        """Return what the totals would be after a charge, or refuse as `charge` would; the account stays as it is."""
        self._note(charge, units)
        run = self._connection.cursor()
        run.execute("BEGIN IMMEDIATE")
        try:
            self._enter(run, charge, caps or Caps())
            return _totals(run, self._dataset(run, charge.dataset))
        finally:
            run.execute("ROLLBACK")

    def holds(self, release: int, job: str) -> bool:
        """Tell whether a charge of this job is in the account."""
        charged = self._connection.execute("SELECT job FROM releases WHERE id = ?", (release,)).fetchone()
        return charged is not None and charged[0] == job

    def cap(self, dataset: str, caps: Caps) -> None:
        """Store limits for a data set; None leaves one as it is."""
        with self._transaction() as run:
            known = self._dataset(run, dataset)
            for column, cap in (("cap_document", caps.document), ("cap_author", caps.author)):
                if cap is not None:
                    run.execute(f"UPDATE datasets SET {column} = ? WHERE id = ?", (str(cap), known))  # noqa: S608

    def totals(self, dataset: str | None = None) -> list[Totals]:
        """Return what was spent on each data set, or on one."""
        run = self._connection.cursor()
        datasets = run.execute("SELECT id, name FROM datasets ORDER BY name").fetchall()
        return [_totals(run, known) for known, name in datasets if dataset in (None, name)]

    def history(self, dataset: str | None = None) -> Iterator[Entry]:
        """Return all releases, or those of one data set, the oldest first."""
        query = (
            "SELECT r.id, d.name, r.at, r.method, r.definition, r.unit, l.exact, r.documents, r.ids, r.authors, "
            "r.adjacency "
            "FROM releases r JOIN datasets d ON d.id = r.dataset LEFT JOIN losses l ON l.id = r.loss ORDER BY r.id"
        )
        for row in self._connection.execute(query):
            release, name, at, method, definition, unit, loss, documents, ids, authors, adjacency = row
            if dataset in (None, name):
                known = (bool(ids), bool(authors))
                yield Entry(release, name, at, method, definition, unit, _fraction(loss), documents, *known, adjacency)

    def _note(self, charge: Charge, units: Iterable[Units]) -> None:
        """Write pseudonyms and how often each occurs beside the account, before others have to wait for it."""
        run = self._connection.cursor()
        run.execute("CREATE TEMP TABLE IF NOT EXISTS touched (level TEXT, unit BLOB, documents INTEGER)")
        run.execute("DELETE FROM touched")
        if charge.loss is None:
            return
        run.execute("BEGIN")
        add = "INSERT INTO touched VALUES (?, ?, ?)"
        if not charge.has_ids:
            run.execute(add, ("document", _EVERY, 1))
        if not charge.has_authors:
            run.execute(add, ("author", _EVERY, charge.documents))
        for ids, authors in units:
            if charge.has_ids:
                run.executemany(add, (("document", self._pseudonym("document", name), 1) for name in ids or ()))
            if charge.has_authors:
                counts = Counter(map(name_key, authors or ())).items()
                run.executemany(add, (("author", self._pseudonym("author", name), n) for name, n in counts))
        run.execute("COMMIT")

    def _pseudonym(self, level: Level, name: str) -> bytes:
        content = f"{level}\0{name_key(name)}".encode("utf-8", "surrogatepass")
        return hashlib.blake2b(content, key=self._key, digest_size=16).digest()

    def _enter(self, run: sqlite3.Cursor, charge: Charge, caps: Caps) -> int:
        """Write the release and its losses, or refuse it."""
        dataset = self._dataset(run, charge.dataset)
        limits = caps.stricter(_stored_caps(run, dataset))
        if limits != Caps():
            _refuse_unlimited(charge, _counted(run, dataset))
        release = self._add(run, dataset, charge)
        if charge.loss is not None:
            _refuse_excess(run, dataset, limits, charge)
        return release

    def _add(self, run: sqlite3.Cursor, dataset: int, charge: Charge) -> int:
        """Write the release and add it to every unit it touches."""
        loss = None
        if charge.loss is not None:
            exact = str(charge.loss)
            run.execute("INSERT OR IGNORE INTO losses (exact, about) VALUES (?, ?)", (exact, float(charge.loss)))
            [(loss,)] = run.execute("SELECT id FROM losses WHERE exact = ?", (exact,)).fetchall()
        promise = charge.guarantee
        run.execute(
            "INSERT INTO releases (dataset, at, method, definition, unit, loss, documents, ids, authors, job, "
            "adjacency) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (dataset, datetime.now(UTC).isoformat(timespec="seconds"), charge.method, promise.definition,
             promise.unit, loss, charge.documents, charge.has_ids, charge.has_authors, charge.job,
             promise.adjacency),
        )  # fmt: skip
        release = int(run.lastrowid or 0)
        run.execute(
            "INSERT INTO spent SELECT ?, level, unit, ?, SUM(documents) FROM touched WHERE true GROUP BY level, unit "
            "ON CONFLICT DO UPDATE SET documents = documents + excluded.documents",
            (dataset, loss),
        )
        return release

    def _dataset(self, run: sqlite3.Cursor, name: str) -> int:
        run.execute("INSERT OR IGNORE INTO datasets (name) VALUES (?)", (name,))
        [(known,)] = run.execute("SELECT id FROM datasets WHERE name = ?", (name,)).fetchall()
        return int(known)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Cursor]:
        run = self._connection.cursor()
        run.execute("BEGIN IMMEDIATE")
        try:
            self._check_again()
            yield run
            file.stamp(self._connection)
        except BaseException:
            run.execute("ROLLBACK")
            raise
        run.execute("COMMIT")

    def _check_again(self) -> None:
        """Look for damage once more if another process has written since; its checksum must fit, too."""
        changes = file.changes_of_others(self._connection)
        if changes != self._checked_at:
            file.check(self._connection, self.path)
            self._checked_at = changes


@contextmanager
def _disk_errors() -> Iterator[None]:
    """Say as the system would what SQLite has its own words for: a full disk, a file that may not be written."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise OSError(None, f"the ledger, {error}") from None


def _refuse_excess(run: sqlite3.Cursor, dataset: int, caps: Caps, charge: Charge) -> None:
    """Refuse a charge, already entered, by which a unit it touches exceeds its cap."""
    for level, cap in (("document", caps.document), ("author", caps.author)):
        if cap is None:
            continue
        total = _largest(run, dataset, level, touched=True)
        if total > cap:
            whose = "a document" if level == "document" else "an author"
            known = charge.has_ids if level == "document" else charge.has_authors
            option = "--id" if level == "document" else "--author"
            tip = "" if known else f" Without {option}, each {level} is charged with all that may be theirs."
            raise BudgetError(
                f"This would bring {whose} of {charge.dataset!r} to ε = {number(total)}, above the cap of "
                f"{shown_cap(cap)}; nothing was drawn or charged.{tip}"
            )


def _largest(run: sqlite3.Cursor, dataset: int, level: Level, *, touched: bool = False) -> Fraction:
    """Return the largest total of one document or author, exactly; among the touched ones if asked to."""
    [(every,)] = run.execute(
        "SELECT GROUP_CONCAT(loss || ':' || documents) FROM spent WHERE dataset = ? AND level = ? AND unit = ?",
        (dataset, level, _EVERY),
    ).fetchall()
    alone = "AND unit IN (SELECT unit FROM touched WHERE level = s.level)" if touched else ""
    if touched and run.execute("SELECT 1 FROM touched WHERE level = ? AND unit = ?", (level, _EVERY)).fetchone():
        alone = ""  # everybody is touched
    # Few distinct patterns of releases stand for millions of documents, so exact sums are cheap.
    patterns = run.execute(
        "WITH sums AS (SELECT SUM(s.documents * l.about) AS about, GROUP_CONCAT(s.loss || ':' || s.documents) AS uses "  # noqa: S608
        f"FROM spent s JOIN losses l ON l.id = s.loss WHERE dataset = ? AND level = ? AND unit <> ? {alone} "
        "GROUP BY s.unit) SELECT DISTINCT uses FROM sums WHERE about >= (SELECT MAX(about) FROM sums) * ?",
        (dataset, level, _EVERY, 1 - _CLOSE),
    ).fetchall()
    losses = {key: Fraction(exact) for key, exact in run.execute("SELECT id, exact FROM losses")}
    return _sum(every, losses) + max((_sum(uses, losses) for (uses,) in patterns), default=Fraction(0))


def _sum(uses: str | None, losses: dict[int, Fraction]) -> Fraction:
    pairs = (use.split(":") for use in (uses or "").split(",") if use)
    return sum((losses[int(loss)] * int(documents) for loss, documents in pairs), Fraction(0))


def _totals(run: sqlite3.Cursor, dataset: int) -> Totals:
    [(name,)] = run.execute("SELECT name FROM datasets WHERE id = ?", (dataset,)).fetchall()
    counted = replace(_counted(run, dataset), dataset=name, caps=_stored_caps(run, dataset))
    if counted.not_added:
        return counted
    document, author = (_largest(run, dataset, level) for level in ("document", "author"))
    return replace(counted, document=document, author=author)


def _counted(run: sqlite3.Cursor, dataset: int) -> Totals:
    """Return how many releases there were, and what keeps them from being added up; the sum itself is left out."""
    not_added: dict[str, int] = {}
    between, releases = set(), 0
    query = (
        "SELECT definition, unit, adjacency, loss IS NULL, COUNT(*) FROM releases WHERE dataset = ? GROUP BY 1, 2, 3, 4"
    )
    for definition, unit, adjacency, outside, count in run.execute(query, (dataset,)).fetchall():
        releases += count
        if outside:
            kind = kind_of(definition, unit)
            not_added[kind] = not_added.get(kind, 0) + count
        elif adjacency != ANY_TWO_DOCUMENTS:
            between.add(adjacency)
    about = () if not_added else tuple(sorted(between))
    return Totals(releases=releases, document=None, between=about, not_added=not_added)


def _refuse_unlimited(charge: Charge, before: Totals) -> None:
    """Refuse under a cap what has no loss to hold against it, and all that follows on such a release."""
    if charge.loss is None or charge.guarantee.adjacency != ANY_TWO_DOCUMENTS:
        raise BudgetError(
            f"A cap is set for {charge.dataset!r}, and {charge.method} as it is has no total for any two documents "
            "that could be held against it; set a number of words, or choose a method with a pure guarantee."
        )
    if before.not_added or before.between:
        why = why_not(before) if before.not_added else f"and a promise only between {' and '.join(before.between)}"
        raise BudgetError(
            f"A cap is set for {charge.dataset!r}, and no total for any two documents can be held against it: "
            f"{before.releases:,} so far, {why}; nothing was drawn or charged. Name other data with --dataset."
        )


def _stored_caps(run: sqlite3.Cursor, dataset: int) -> Caps:
    row = run.execute("SELECT cap_document, cap_author FROM datasets WHERE id = ?", (dataset,)).fetchone()
    return Caps(*map(_fraction, row))


def _fraction(text: Any) -> Fraction | None:  # noqa: ANN401 - a cell
    return None if text is None else Fraction(text)
