"""The same jobs on a Spark cluster: one task a part, through `mapInArrow`.

Spark decides who does which part and does again what was lost. What comes out does not depend on that: noise is keyed
by the job, the method with its settings, the document's position and its text, and parts are written under a temporary
name and renamed, so retries and speculative copies write the same bytes and spend nothing. Input and output lie on a
file system that all machines share.

Where the key travels: from the driver to the executors inside the serialised task, over Spark's own connections
(encrypt them: `spark.authenticate` and `spark.network.crypto.enabled`), and into the job folder beside the output, as
in a local job, until the job is done. It is in no output, log, plan or setting.

Nothing an executor raises reaches Spark's logs, which would quote texts: errors come back as rows, by their kind.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from allonym.errors import AllonymError, InputError, MissingDependencyError, RowsError
from allonym.formats.tables import DamagedRowError, Roles
from allonym.jobs.chunks import Written
from allonym.jobs.parts import Part, PartMaker, open_part, part_digest
from allonym.randomness import OneRelease, reopened

if TYPE_CHECKING:
    import pyarrow as pa

_ANSWER = "number long, answer string"
_COUNTED = "author string, documents long"
_KINDS: tuple[type[AllonymError], ...] = (DamagedRowError, RowsError, InputError)  # the narrowest first


@dataclass(frozen=True)
class Counted:
    """What a look at one part found; `unreadable` are places in the part of rows that could not be read."""

    number: int
    rows: int
    columns: tuple[str, ...]
    text: str
    format: str
    unreadable: tuple[int, ...] = ()


def session(master: str | None = None) -> Any:  # noqa: ANN401 - pyspark's
    """Return the Spark session of this program, or a new one; settings come from Spark's own files and variables."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingDependencyError("The engine spark needs PySpark: pip install 'allonym[spark]'.") from None
    builder = SparkSession.builder.appName("allonym")
    if master is not None:
        builder = builder.master(master)
    try:
        found = builder.getOrCreate()
    except Exception as error:  # whatever Java or the cluster says, which is long
        reason = "check its address, the network and that Java is installed"
        raise InputError(f"Spark cannot be reached ({type(error).__name__}); {reason}.") from None
    found.sparkContext.setLogLevel("ERROR")
    return found


def count(spark: Any, parts: list[Part], roles: Roles, rows: int) -> list[Counted]:  # noqa: ANN401
    """Read every part once, so that every error in it shows before anything is spent."""

    def look(part: Part) -> dict[str, Any]:
        documents = open_part(part, roles, rows)
        if documents is None:
            return asdict(Counted(part.number, 0, (), "", ""))
        found, broken = 0, list[int]()
        for batch in documents:
            found += len(batch.texts)
            broken += [batch.start + place for place in batch.unreadable]
        named = documents.columns, documents.text or "", documents.format.name
        return asdict(Counted(part.number, found, *named, tuple(broken)))

    listed = ("columns", "unreadable")
    found = [Counted(**{**one, **{name: tuple(one[name]) for name in listed}}) for one in _answers(spark, parts, look)]
    if len({(one.columns, one.text, one.format) for one in found if one.rows}) > 1:
        raise InputError("The parts do not have the same columns; make them alike, or name --text and --keep.")
    return found


def digest(spark: Any, parts: list[Part], key: bytes) -> str:  # noqa: ANN401
    """Return a keyed digest of all parts."""

    def read(part: Part) -> dict[str, Any]:
        return {"digest": part_digest(part, key)}

    return "-".join(one["digest"][:32] for one in _answers(spark, parts, read))


def authors(spark: Any, parts: list[Part], roles: Roles, rows: int) -> Iterator[tuple[str, int]]:  # noqa: ANN401
    """Count the documents of each author, on the cluster."""

    def tally(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from collections import Counter

        import pyarrow as pa

        for batch in batches:
            for row in batch.to_pylist():
                found = Counter[str]()
                for some in open_part(Part(**row), roles, rows) or ():
                    found.update(some.names()[1] or ())
                yield pa.record_batch({"author": list(found), "documents": list(found.values())})

    frame = _frame(spark, parts).mapInArrow(tally, _COUNTED).groupBy("author").sum("documents")
    for row in frame.toLocalIterator():
        yield row[0], int(row[1])


def make(spark: Any, maker: PartMaker, parts: list[Part], release: OneRelease, note: Callable[[Written], None]) -> None:  # noqa: ANN401
    """Do all parts; `note` is told of each that is done."""
    shipped = spark.sparkContext.broadcast(maker)  # once for each executor, whatever number of tasks it does
    key, repeatable = release.key, release.repeatable

    def work(part: Part) -> dict[str, Any]:
        return asdict(shipped.value.make(part, reopened(key, repeatable=repeatable)))

    for one in _answers(spark, parts, work):
        note(Written(**{**one, "failed": tuple(one["failed"])}))


def _frame(spark: Any, parts: list[Part]) -> Any:  # noqa: ANN401
    """Return the parts as a data frame with a partition for each."""
    rows = [(part.number, part.path, part.start) for part in parts]
    slices = spark.sparkContext.parallelize(rows, max(1, len(rows)))
    return spark.createDataFrame(slices, "number long, path string, start long")


def _answers(spark: Any, parts: list[Part], work: Callable[[Part], dict[str, Any]]) -> list[dict[str, Any]]:  # noqa: ANN401
    """Run `work` on every part and return what it answers, in the order of the parts."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for batch in batches:
            for row in batch.to_pylist():
                yield pa.record_batch({"number": [row["number"]], "answer": [json.dumps(_answered(work, Part(**row)))]})

    found = sorted(_frame(spark, parts).mapInArrow(run, _ANSWER).collect())
    answers = [json.loads(answer) for _, answer in found]
    for answer in answers:
        _raise_again(answer)
    return answers


def _answered(work: Callable[[Part], dict[str, Any]], part: Part) -> dict[str, Any]:
    """Return an answer, or an error in words that hold no text."""
    try:
        return work(part)
    except AllonymError as error:
        kind = next((one.__name__ for one in _KINDS if isinstance(error, one)), "AllonymError")
        return {"error": kind, "sentence": str(error)}
    except OSError as error:
        return {"error": "OSError", "sentence": error.strerror or "input or output failed"}
    except Exception as error:
        return {"error": "bug", "sentence": type(error).__name__}


def _raise_again(answer: dict[str, Any]) -> None:
    kind, sentence = answer.get("error"), answer.get("sentence", "")
    if kind is None:
        return
    if kind == "OSError":
        raise OSError(None, f"{sentence}, on a machine of the cluster")
    if kind == "bug":
        raise RuntimeError(sentence)
    raise next((one for one in _KINDS if one.__name__ == kind), AllonymError)(sentence)


def placed(parts: list[Part], counted: list[Counted]) -> list[Part]:
    """Return the parts with the position of their first row."""
    start, found = 0, []
    for part, one in zip(parts, counted, strict=True):
        found.append(replace(part, start=start))
        start += one.rows
    return found
