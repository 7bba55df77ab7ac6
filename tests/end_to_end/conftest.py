"""The command run in-process, what it must always obey, and readers for what it writes."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.sparse import load_npz
from sklearn.datasets import load_svmlight_file

from allonym import cli
from allonym.language.words import terms
from allonym.vectors import embeddings
from tests.conftest import PATIENCE

WORDS = 20
ROWS = [
    {"key": "k1", "who": "ann", "grade": "7", "text": "People write about work, time and the world."},
    {"key": "k2", "who": "ann", "grade": "8", "text": "Where would you place a house? 🙂"},
    {"key": "k3", "who": "bob", "grade": "9", "text": ""},
    {"key": "k4", "who": "ann", "grade": "9", "text": "Первые слова, first things, שלום"},
]


@dataclass(frozen=True)
class Result:
    """What one command did."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        """The one JSON value on stdout; anything beside it makes this fail."""
        return json.loads(self.out)

    def refused(self) -> Result:
        """Check that this is an error as users may expect one: exit 2, one sentence, on stderr alone."""
        lines = self.err.splitlines()
        assert self.code == 2, (self.code, self.err)
        assert self.out == ""
        assert len(lines) == 1, self.err
        assert lines[0].startswith("allonym: ")
        assert lines[0].endswith((".", ")"))
        return self

    def done(self) -> Result:
        """Check success."""
        assert self.code == 0, (self.code, self.err)
        return self


@pytest.fixture
def command(capsys, monkeypatch):
    """Run `allonym` in this process: arguments in, Result out."""

    def run(*arguments: object, stdin: bytes = b"") -> Result:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        code = cli.run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.out + captured.err
        return Result(code, captured.out, captured.err)

    return run


@pytest.fixture
def program():
    """Run `python -m allonym` as a process of its own, if asked for after something a shell does first."""

    def run(*arguments: object, stdin: bytes = b"", shell: str = "", **settings: object) -> Result:
        line = [sys.executable, "-m", "allonym", *map(str, arguments)]
        if shell:
            line = ["sh", "-c", f'{shell}; exec "$@"', "sh", *line]
        done = subprocess.run(line, input=stdin, capture_output=True, timeout=PATIENCE, check=False, **settings)
        assert b"Traceback" not in done.stdout + done.stderr
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture(scope="session")
def vocabulary(tmp_path_factory) -> Path:
    """A small public word list: each run takes milliseconds."""
    usual = (word for word in embeddings.load().words if len(word) > 4 and terms(word, morphology="lemma") == [word])
    path = tmp_path_factory.mktemp("vocabulary") / "public.txt"
    path.write_text("".join(f"{word}\n" for _, word in zip(range(200), usual, strict=False)), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def public_words(vocabulary) -> list[str]:
    return vocabulary.read_text(encoding="utf-8").split()


@pytest.fixture
def syntf(vocabulary) -> list[str]:
    """The options of a quick SynTF."""
    return ["--method", "syntf", "--vocabulary", str(vocabulary), "--words", str(WORDS)]


@pytest.fixture
def words() -> int:
    return WORDS


@pytest.fixture
def everything():
    """Paths and bytes of all that lies below a folder, hidden files too."""

    def look(folder: Path) -> dict[str, bytes | None]:
        found = sorted(Path(folder).rglob("*"))
        return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in found}

    return look


@pytest.fixture
def write_table():
    """Write rows of text as a .csv, .jsonl or .parquet."""

    def write(path: Path, rows: list[dict[str, object]]) -> Path:
        if path.suffix == ".csv":
            with path.open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, list(rows[0]))
                writer.writeheader()
                writer.writerows(rows)
        elif path.suffix == ".jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        else:
            pq.write_table(pa.Table.from_pylist(rows), path)
        return path

    return write


@pytest.fixture
def table(tmp_path, write_table) -> Path:
    """Four rows with an id, an author and a grade, one of them empty, one in other scripts."""
    return write_table(tmp_path / "in.csv", ROWS)


@pytest.fixture
def labelled(tmp_path, write_table, public_words):
    """Public texts of two topics, each with its words, and words of both."""

    def write(name="reference.csv"):
        sea, road, both = public_words[:5], public_words[5:10], public_words[10:15]
        rows = [{"body": " ".join(sea + both), "topic": "sea"}, {"body": " ".join(road + both), "topic": "road"}]
        return write_table(tmp_path / name, rows * 3)

    return write


@pytest.fixture
def read_counts():
    """Read term vectors of any format as one {term: count} a document."""

    def read(path: Path) -> list[dict[str, int]]:
        if path.suffix == ".parquet":
            rows = pq.read_table(path).to_pylist()
            return [dict(zip(row["terms"], row["counts"], strict=True)) for row in rows]
        names = path.with_suffix(".vocabulary.txt").read_text(encoding="utf-8").splitlines()
        if path.suffix == ".npz":
            matrix = load_npz(path).tocsr()
        else:
            matrix, _ = load_svmlight_file(str(path), n_features=len(names), zero_based=False)
        assert matrix.shape[1] == len(names)
        bounds = zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)
        pairs = [zip(matrix.indices[a:b], matrix.data[a:b], strict=True) for a, b in bounds]
        return [{names[column]: int(count) for column, count in row} for row in pairs]

    return read


@pytest.fixture
def readable():
    """All that a reader could find in a folder: raw bytes, names, and compressed files unpacked."""

    def texts(folder: Path) -> str:
        found = [str(sorted(os.listdir(folder)))]
        for path in sorted(folder.rglob("*")):
            found.append(path.name)
            if path.is_file():
                found.append(path.read_bytes().decode("utf-8", "replace"))
            if path.suffix == ".parquet":
                table = pq.read_table(path)
                found += [str(table.to_pylist()), str(table.schema), str(pq.read_metadata(path).metadata)]
        return "\n".join(found)

    return texts
