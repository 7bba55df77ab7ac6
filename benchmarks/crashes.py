"""Claim: jobs killed at any moment lose nothing, do nothing twice, and are never paid for too little.

A 100,000-row job is killed with SIGKILL again and again: 100 times at random moments, and 20 times each when half of a
temporary file is written, when it is to be brought to disk (fsync), at the naming of a file (replace), and at a random
statement to the ledger. After each kill the job is resumed, and killed again, until it is done; then the output must be
the bytes of an uninterrupted run. Between the kills, every file but the input is searched for 1,000 made-up words that
are in its texts, and the number of outputs ever seen is held against the number of charges in the ledger. Ledgers alone
are then crashed 1,000 times.

Then the job replaces an older output, and is stopped 50 times each by SIGTERM, by SIGINT, by a file that may not grow
any more, and by a disk that refuses (full, failing, read-only) at a random call. Each time it must end with its exit
code and a sentence, the older output as it was or the new one whole, and `--resume` must go on from there.

Jobs run in forked children of this process, so that a kill is a real one and starting is cheap.
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import _record
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from allonym import cli
from allonym.budget import file as ledger_file
from allonym.budget.account import Charge
from allonym.budget.ledger import Ledger
from allonym.cli import BAD_USE, INTERRUPTED
from allonym.jobs.batches import Protected
from allonym.jobs.chunks import Layout
from allonym.privacy import Guarantee

ROWS = 100_000
CHUNK_ROWS = 2_000
LETTERS = "bdfghjklmn"
CANARIES = [f"zyxq{LETTERS[i // 100]}{LETTERS[i // 10 % 10]}{LETTERS[i % 10]}qvo" for i in range(1000)]
WORDS = ["rain", "snow", "harbour", "letter", "morning", "bird", "evening", "ship", "word", "sun"]


class Job:
    """The job, its files, and what happened to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.out = folder / "out.parquet"
        self.work = folder / ".out.parquet.allonym-job"
        self.ledger = folder / "ledger"
        self.begun = self.published = self.leaks = self.partial = self.most_rework = self.resumed = 0
        texts = [f"people {CANARIES[i % 1000]} {i if i % 3 else 0}" for i in range(ROWS)]  # a third are repeated
        table = {"key": range(ROWS), "who": [f"{CANARIES[i % 100]}who" for i in range(ROWS)], "text": texts}
        pq.write_table(pa.table(table), folder / "in.parquet")
        (folder / "words.txt").write_text("\n".join(WORDS))
        self.line = [
            "anonymize", str(folder / "in.parquet"), "--text", "text", "--id", "key", "--author", "who", "--quiet",
            "--method", "random-replacement", "--words", "3", "--vocabulary", str(folder / "words.txt"),
            "--insecure-seed", "11", "--chunk-rows", str(CHUNK_ROWS), "--budget-db", str(self.ledger),
            "--dataset", "in", "-o", str(self.out),
        ]  # fmt: skip
        self._warm_up()
        started = time.perf_counter()
        if self.attempt(lambda _: None, lambda: None) != 0:
            raise RuntimeError("the uninterrupted run failed")
        self.seconds = time.perf_counter() - started
        self.expected = self.family()
        self.clear()

    def _warm_up(self) -> None:
        """Import here what the children will need."""
        (self.folder / "warm.txt").write_text("rain")
        method = ["--method", "random-replacement", "--words", "3", "--vocabulary", str(self.folder / "words.txt")]
        if cli.run(["anonymize", str(self.folder / "warm.txt"), *method, "--quiet"]) != 0:
            raise RuntimeError("the first run failed")

    def family(self) -> dict[str, bytes]:
        """Return the output and its guarantee."""
        return {path.name: path.read_bytes() for path in sorted(self.folder.glob("out.parquet*"))}

    def clear(self) -> None:
        """Take the output away, so that the next run begins anew."""
        for path in self.folder.glob("out.parquet*"):
            path.unlink()

    def start_anew(self) -> None:
        """Take away also what a wrong end left, so that it is counted once."""
        shutil.rmtree(self.work, ignore_errors=True)
        self.clear()

    def attempt(self, from_outside: Callable[[int], None], inside: Callable[[], None]) -> int:
        """Run or resume the job in a child; return its exit status, negative for the signal that ended it."""
        resume = self.work.is_dir()
        self.begun += not resume
        self.resumed += resume
        child = os.fork()
        if child == 0:
            silent = os.open(self.folder / "talk", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            os.dup2(silent, 1)
            os.dup2(silent, 2)
            inside()
            more = ["--resume"] if resume else ["--force"] if self.out.exists() else []
            try:
                code = cli.run([*self.line, *more])
            except KeyboardInterrupt:  # sent when all was done but the end of this process
                code = INTERRUPTED
            os._exit(code)
        from_outside(child)
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status)

    def look(self) -> None:
        """Look at what a kill left."""
        family = self.family()
        whole = self.out.name in family
        if whole and family != self.expected:
            self.partial += 1
        for path in self.folder.rglob("*"):
            if path.is_file() and path.name != "in.parquet" and shows_a_canary(path):
                self.leaks += 1
        self.most_rework = max(self.most_rework, self.begun_in_vain())

    def begun_in_vain(self) -> int:
        """Count the chunks that were begun or made and are not in the record, so that they are made again."""
        if not (self.work / "record").exists() or not (self.work / "chunks").is_dir():  # not begun, or nearly removed
            return 0
        with tempfile.TemporaryDirectory() as name:  # a copy: to look must not change what the kill left
            for path in self.work.glob("record*"):
                shutil.copy(path, name)
            with closing(sqlite3.connect(Path(name) / "record")) as record:
                tables = {table for (table,) in record.execute("SELECT name FROM sqlite_master")}
                known = {n for (n,) in record.execute("SELECT number FROM chunks")} if "chunks" in tables else set()
        begun = {int(path.name.split(".")[0]) for path in (self.work / "chunks").iterdir()}
        return len(begun - known)

    def ended(self) -> bool:
        """After an end by itself: check the output, and make room for the next job."""
        right = self.family() == self.expected and not self.work.exists()
        self.published += 1
        self.clear()
        return right


def shows_a_canary(path: Path) -> bool:
    """Search a file for what all canaries have in common; Parquet files, where they are whole, also unpacked."""
    if b"zyxq" in path.read_bytes():
        return True
    if path.suffix != ".parquet":
        return False
    try:
        table = pq.read_table(path)
    except pa.ArrowInvalid:  # half written: it is put together from chunks, which are searched
        return False
    texts = (column for column in table.columns if pa.types.is_string(column.type))
    return any(pc.any(pc.match_substring(column, "zyxq")).as_py() for column in texts)


def killed(job: Job, kills: int, way: Callable[[], tuple[Callable[[int], None], Callable[[], None]]]) -> dict[str, int]:
    """Run and resume the job until it was killed so often; `way` gives what kills from outside and from inside."""
    done = wrong = 0
    while done < kills:
        status = job.attempt(*way())
        if status == -signal.SIGKILL:
            done += 1
            job.look()
            if done % 10 == 0:
                print(f"{done} kills, {wrong} wrong ends", file=sys.stderr, flush=True)
            if job.out.exists() and not job.work.is_dir():  # killed after all was done: nothing is left to resume
                wrong += not job.ended()
        elif status != 0 or not job.ended():
            wrong += 1
            job.start_anew()
    wrong += finish(job)
    return {"kills": done, "wrong_ends": wrong}


def at_random(job: Job, rng: random.Random) -> tuple[Callable[[int], None], Callable[[], None]]:
    """Kill at moments spread evenly over the time that an uninterrupted run takes."""
    moment = rng.random() * job.seconds

    def later(child: int) -> None:
        deadline = time.monotonic() + moment
        while time.monotonic() < deadline and os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            time.sleep(0.002)
        os.kill(child, signal.SIGKILL)

    return later, lambda: None


def at_calls(name: str, rng: random.Random) -> tuple[Callable[[int], None], Callable[[], None]]:
    """Kill at a random call of a function of the system, before it is done."""
    at = rng.randrange(60)

    def dying() -> None:
        real, calls = getattr(os, name), iter(range(10**9))

        def call(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401
            if next(calls) == at:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments, **named)

        setattr(os, name, call)

    return lambda _: None, dying


def at_half_a_file(rng: random.Random) -> tuple[Callable[[int], None], Callable[[], None]]:
    """Kill when half of a random chunk is written."""
    at = rng.randrange(ROWS // CHUNK_ROWS)

    def dying() -> None:
        real, calls = Layout._fill, iter(range(10**9))

        def fill(layout: Layout, file: Any, protected: Protected) -> None:  # noqa: ANN401 - a binary file
            real(layout, file, protected)
            if next(calls) == at:
                file.truncate(file.tell() // 2)
                os.kill(os.getpid(), signal.SIGKILL)

        Layout._fill = fill  # type: ignore[method-assign]

    return lambda _: None, dying


def at_statements(rng: random.Random) -> tuple[Callable[[int], None], Callable[[], None]]:
    """Kill at a random statement to the ledger."""
    at = rng.randrange(25)

    def dying() -> None:
        real, calls = ledger_file.connected, iter(range(10**9))

        def connected(path: Path, create: bool) -> Any:  # noqa: ANN401
            connection = real(path, create)
            connection.set_trace_callback(lambda _: os.kill(os.getpid(), signal.SIGKILL) if next(calls) == at else None)
            return connection

        ledger_file.connected = connected

    return lambda _: None, dying


def stopped(
    job: Job, times: int, code: int, way: Callable[[], tuple[Callable[[int], None], Callable[[], None]]]
) -> dict[str, int]:
    """Run and resume the job over an older output until it ended so often with a code that says that it was stopped."""
    older = dict.fromkeys(job.expected, b"older")
    done = wrong = 0

    def put_older() -> None:
        for name, content in older.items():
            (job.folder / name).write_bytes(content)

    put_older()
    while done < times:
        (job.folder / "talk").write_bytes(b"")
        status, family = job.attempt(*way()), job.family()
        said = (job.folder / "talk").read_text().strip()
        right = family in (older, job.expected) if status == code else status == 0 and family == job.expected
        right = right and (status == 0 or (said.startswith("allonym: ") and "\n" not in said))
        done += status == code
        wrong += not right
        if not right:
            print(f"status {status}, output {sorted(family)}, said: {said}", file=sys.stderr, flush=True)
            job.start_anew()
        if not right or (family == job.expected and not job.work.is_dir()):
            put_older()
    wrong += finish(job)
    job.start_anew()
    return {"stops": done, "wrong_ends": wrong}


def at_random_by(
    job: Job, which: signal.Signals, rng: random.Random
) -> tuple[Callable[[int], None], Callable[[], None]]:
    """Send a signal at a random moment, to a child that hears it as the program does."""
    moment = rng.random() * job.seconds

    def listening() -> None:
        for one in (signal.SIGINT, signal.SIGTERM):
            signal.signal(one, signal.default_int_handler)

    def later(child: int) -> None:
        deadline = time.monotonic() + moment
        while time.monotonic() < deadline and os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            time.sleep(0.002)
        os.kill(child, which)

    return later, listening


def with_little_room(job: Job, rng: random.Random) -> tuple[Callable[[int], None], Callable[[], None]]:
    """Let no file grow beyond a random size, up to that of the output."""
    most = rng.randrange(2_000, len(job.expected[job.out.name]))

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    return lambda _: None, limited


def on_a_refusing_disk(rng: random.Random) -> tuple[Callable[[int], None], Callable[[], None]]:
    """Let a random call that changes the disk be refused."""
    name = rng.choice(("fsync", "replace", "rename", "mkdir"))
    error = rng.choice((errno.ENOSPC, errno.EIO, errno.EROFS))
    at = rng.randrange(60)

    def failing() -> None:
        real, calls = getattr(os, name), iter(range(10**9))

        def call(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401
            if next(calls) == at:
                raise OSError(error, os.strerror(error))
            return real(*arguments, **named)

        setattr(os, name, call)

    return lambda _: None, failing


def finish(job: Job) -> int:
    """Bring an unfinished job to its end; return 1 if that is not the right one."""
    if not job.work.is_dir():
        job.clear()
        return 0
    return int(job.attempt(lambda _: None, lambda: None) != 0 or not job.ended())


def crash_ledgers(crashes: int, folder: Path) -> dict[str, int]:
    """Take the files of a ledger as they lie before each statement: what a kill at that moment would leave."""
    path, left = folder / "alone", folder / "left"
    rng = random.Random(5)
    paid = Fraction(0)  # what has been charged and returned: a release may be seen from then on
    under = broken = seen = 0
    with Ledger(path) as ledger:

        def snapshot(_: str) -> None:
            nonlocal under, broken, seen
            if seen >= crashes:
                return
            seen += 1
            shutil.rmtree(left, ignore_errors=True)
            left.mkdir()
            for name in ("alone", "alone-wal"):
                if (folder / name).exists():
                    shutil.copy(folder / name, left / name)
            try:
                with Ledger(left / "alone") as found:
                    total = sum((totals.document for totals in found.totals()), Fraction(0))
            except Exception:
                broken += 1
                return
            under += total < paid

        ledger._connection.set_trace_callback(snapshot)
        while seen < crashes:
            epsilon = rng.choice([0.1, 1.0, 47.5])
            promise = Guarantee(definition="pure", loss_per_word=epsilon, words=1, epsilon=epsilon)
            ledger.charge(Charge("d", "m", promise, 2, has_authors=True), [(None, ["x", "y"])])
            paid += Fraction(epsilon)
            snapshot("")
        ledger._connection.set_trace_callback(None)
    return {"crashes": seen, "under_counts": int(under), "broken": broken}


def seen_and_charged(job: Job) -> dict[str, int]:
    """Hold the outputs that were seen against the charges, and count what the looks between the kills found."""
    with Ledger(job.ledger) as ledger:
        [totals] = ledger.totals()
    return {
        "outputs_seen": job.published + 1,
        "jobs_begun": job.begun,
        "resumed": job.resumed,
        "charges": totals.releases,
        "under_counts": max(0, job.published + 1 - totals.releases),
        "outputs_partly_written": job.partial,
        "files_with_canaries": job.leaks,
        "most_chunks_to_do_again": job.most_rework,
    }


def is_met(found: dict[str, Any]) -> bool:
    """Tell whether nothing was lost, made twice, shown in part, shown of the input, or paid for too little."""
    wrong = sum(phase["wrong_ends"] for phase in found.values() if isinstance(phase, dict) and "wrong_ends" in phase)
    alone = found["ledger_alone"]
    kept = ("under_counts", "outputs_partly_written", "files_with_canaries")
    return not (wrong or any(found[name] for name in kept) or alone["under_counts"] or alone["broken"])


def main() -> None:
    """Run all and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--at-each", type=int, default=20)
    parser.add_argument("--crashes", type=int, default=1000)
    parser.add_argument("--stops", type=int, default=50)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rng = random.Random(20261115)
    found: dict[str, Any] = {"rows": ROWS, "chunk_rows": CHUNK_ROWS, "canaries": len(CANARIES)}

    def keep(**figures: Any) -> None:  # noqa: ANN401 - plain values
        found.update(figures)
        _record.keep(found, options.json)  # after each phase, so that what was found is not lost with the rest

    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "temporary").mkdir()
        os.environ["TMPDIR"] = tempfile.tempdir = str(Path(name) / "temporary")  # searched with the rest
        job = Job(Path(name))
        keep(random_moments=killed(job, options.kills, lambda: at_random(job, rng)))
        keep(at_half_a_file=killed(job, options.at_each, lambda: at_half_a_file(rng)))
        for step in ("fsync", "replace"):
            keep(**{f"at_{step}": killed(job, options.at_each, lambda step=step: at_calls(step, rng))})
        keep(at_ledger_statements=killed(job, options.at_each, lambda: at_statements(rng)))
        keep(**seen_and_charged(job), ledger_alone=crash_ledgers(options.crashes, Path(name)))
        for which in (signal.SIGTERM, signal.SIGINT):
            way = partial(at_random_by, job, which, rng)
            keep(**{f"by_{which.name}": stopped(job, options.stops, INTERRUPTED, way)})
        keep(by_a_file_that_may_not_grow=stopped(job, options.stops, BAD_USE, partial(with_little_room, job, rng)))
        keep(by_a_disk_that_refuses=stopped(job, options.stops, BAD_USE, partial(on_a_refusing_disk, rng)))
    keep(met=is_met(found))
    print(json.dumps(found, indent=2))
    sys.exit(0 if found["met"] else 1)


if __name__ == "__main__":
    main()
