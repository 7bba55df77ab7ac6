"""A Spark cluster: one task a part of the table, through `mapInArrow`.

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
from dataclasses import astuple
from typing import TYPE_CHECKING, Any

from allonym.errors import AllonymError, InputError, MissingDependencyError, RowsError
from allonym.formats.tables import DamagedRowError
from allonym.jobs.engines import Answer, Shared
from allonym.jobs.parts import InputPart

if TYPE_CHECKING:
    import pyarrow as pa

_TASK = "number long, path string, start long"
_ANSWER = "number long, answer string"
_KINDS: tuple[type[AllonymError], ...] = (DamagedRowError, RowsError, InputError)  # the narrowest first


class Spark:
    """A cluster, reached by its address or as Spark is set up."""

    def __init__(self, master: str | None = None) -> None:
        self.session = _session(master)

    def map(
        self, work: Callable[[Shared, InputPart], Answer], shared: Shared, tasks: Iterable[InputPart]
    ) -> Iterator[Answer]:
        """Give the answers in the order of the parts, up to the first that is an error."""
        parts = [astuple(part) for part in tasks]
        shipped = self.session.sparkContext.broadcast(shared)  # once for each executor, however many tasks it does

        def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            import pyarrow as pa

            for batch in batches:
                for row in batch.to_pylist():
                    answer = json.dumps(_answered(work, shipped.value, InputPart(**row)))
                    yield pa.record_batch({"number": [row["number"]], "answer": [answer]})

        slices = self.session.sparkContext.parallelize(parts, max(1, len(parts)))
        frame = self.session.createDataFrame(slices, _TASK).mapInArrow(run, _ANSWER)
        for _, content in sorted(frame.collect()):
            answer = json.loads(content)
            _raise_again(answer)
            yield answer


def _session(master: str | None) -> Any:  # noqa: ANN401 - pyspark's
    """Return the Spark session of this program, or a new one; settings come from Spark's own files and variables."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingDependencyError("The engine spark needs PySpark: pip install 'allonym[spark]'.") from None
    builder = SparkSession.builder.appName("allonym")
    if master is not None:
        builder = builder.master(master)
    try:
        session = builder.getOrCreate()
    except Exception as error:  # whatever Java or the cluster says, which is long
        reason = "check its address, the network and that Java is installed"
        raise InputError(f"Spark cannot be reached ({type(error).__name__}); {reason}.") from None
    session.sparkContext.setLogLevel("ERROR")
    return session


def _answered(work: Callable[[Shared, InputPart], Answer], shared: Shared, part: InputPart) -> Answer:
    """Return an answer, or an error in words that hold no text."""
    try:
        return work(shared, part)
    except AllonymError as error:
        kind = next((kind for kind in _KINDS if isinstance(error, kind)), AllonymError)
        return {"error": kind.__name__, "sentence": str(error)}
    except OSError as error:
        return {"error": "OSError", "sentence": error.strerror or "input or output failed"}
    except Exception as error:
        return {"error": "bug", "sentence": type(error).__name__}


def _raise_again(answer: Answer) -> None:
    kind, sentence = answer.get("error"), answer.get("sentence", "")
    if kind is None:
        return
    if kind == "OSError":
        raise OSError(None, f"{sentence}, on a machine of the cluster")
    if kind == "bug":
        raise RuntimeError(sentence)
    raise next((known for known in _KINDS if known.__name__ == kind), AllonymError)(sentence)
