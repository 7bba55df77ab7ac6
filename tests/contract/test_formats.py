"""What every format must do, found by its file: a new one is checked without being named here.

`test_a_new_format_is_one_file` builds the example of CONTRIBUTING in a tree of its own and runs all of this on it.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

import allonym
from allonym.anonymizers.identity import Identity
from allonym.errors import InputError
from allonym.formats.base import Format, TableFormat, formats, table_format, table_formats, table_suffixes
from allonym.formats.files import DocumentBatch, open_documents
from allonym.jobs.execute import Options, execute, plan
from tests.conftest import PATIENCE

TEXTS = ['naïve, "quoted"; a\ttab', "two\r\nlines\n", "", "=1+1", " blanks ", "\u202e\U0001f469\ufeff"]
IDS = [f"k{number}.txt" for number in range(len(TEXTS))]
EXAMPLE = Path(__file__).with_name("tsv_example.py")
FENCE = re.compile(r"```python\n# src/allonym/formats/tsv\.py\n(.*?)```", re.DOTALL)
every = pytest.mark.parametrize("kind", formats().values(), ids=lambda kind: kind.name)
every_table = pytest.mark.parametrize("kind", table_formats(), ids=lambda kind: kind.name)


def place(folder: Path, kind: Format) -> Path:
    return folder / f"in{(*kind.suffixes, '')[0]}"


def batch_for(kind: Format) -> DocumentBatch:
    """Documents that a format can hold."""
    kept = pa.table({"key": IDS, "who": ["Ann", "Bob", "", "Ann", "É", "x,y\t"]}) if kind.holds == "rows" else None
    count = 1 if kind.holds == "document" else len(TEXTS)
    return DocumentBatch(0, IDS[:count], TEXTS[:count], kept)


@every
def test_texts_ids_authors_and_kept_columns_come_back(kind, tmp_path):
    written = batch_for(kind)
    halves = [written] if written.kept is None else [_rows(written, 0, 2), _rows(written, 2, 6)]
    kind.write(place(tmp_path, kind), halves, "text", ("key", "text", "who") if written.kept is not None else ())
    columns = {"text": "text", "id": "key", "author": "who", "keep": ["who"]} if written.kept is not None else {}
    documents = open_documents(place(tmp_path, kind), batch_rows=4, **columns)
    batches = list(documents)
    assert documents.format is kind
    assert [text for batch in batches for text in batch.texts] == written.texts
    if kind.holds != "document":
        assert [identifier for batch in batches for identifier in batch.ids] == written.ids
    if written.kept is not None:
        assert documents.columns == ("text", "who")
        who = written.kept["who"].to_pylist()
        assert [author for batch in batches for author in batch.authors] == who
        assert [value for batch in batches for value in batch.kept["who"].to_pylist()] == who


def _rows(batch: DocumentBatch, first: int, last: int) -> DocumentBatch:
    return replace(batch, ids=batch.ids[first:last], texts=batch.texts[first:last], kept=batch.kept[first:last])


@every
def test_a_job_writes_what_it_read_whole_or_in_chunks(kind, tmp_path):
    source = place(tmp_path, kind)
    written = batch_for(kind)
    kind.write(source, [written])
    outs = []
    for rows in (100, 2):
        columns = {"text": "text", "keep": ["key", "who"]} if written.kept is not None else {}
        out = tmp_path / f"out{rows}{source.suffix}"
        keep = tuple(columns.get("keep", ()))
        job = plan(Identity(), open_documents(source, **columns), out=out, has_ids=False, has_authors=False, keep=keep,
                   repeatable=False, chunk_rows=rows)  # fmt: skip
        execute(job, None, lambda _: None, Options())
        outs.append(out)
        again = [text for batch in open_documents(out, **columns) for text in batch.texts]
        assert again == written.texts
    if kind.holds != "files":
        assert outs[0].read_bytes() == outs[1].read_bytes()


@every_table
def test_a_preview_shows_the_rows_and_sizes_are_looked_at(kind, tmp_path):
    kind.write(place(tmp_path, kind), [batch_for(kind)])
    kind.check_size(place(tmp_path, kind).read_bytes())
    rows = list(kind.preview(place(tmp_path, kind)))
    assert [row["text"] for row in rows] == TEXTS
    assert [list(row) for row in rows] == [["text", "key", "who"]] * len(TEXTS)


@every_table
def test_garbage_and_nothing_are_refused_in_a_sentence(kind, tmp_path):
    rng = random.Random(kind.name)
    for content in (b"", b"\n\n", *(rng.randbytes(80) + b"\xff" for _ in range(50))):
        place(tmp_path, kind).write_bytes(content)
        refused(open_documents, place(tmp_path, kind))
        if content.strip():  # a preview of nothing has no rows
            refused(lambda path: list(kind.preview(path)), place(tmp_path, kind))


def refused(read, path: Path) -> None:
    with pytest.raises(InputError) as error:
        read(path)
    assert str(error.value).endswith(".")
    assert ";" in str(error.value), "a message needs a way out"


@every
def test_a_format_says_what_it_is(kind):
    assert kind.name.isidentifier()
    assert all(suffix.startswith(".") and suffix == suffix.lower() for suffix in kind.suffixes)
    assert isinstance(kind, TableFormat) == (kind.holds == "rows")
    for suffix in kind.suffixes if kind.holds == "rows" else ():
        assert table_format(f"A{suffix.upper()}") is kind
        assert suffix in table_suffixes()
    others = [suffix for other in formats().values() if other is not kind for suffix in other.suffixes]
    assert not set(kind.suffixes) & set(others)


def test_a_new_format_is_one_file(tmp_path):
    """The package again, with one file more."""
    if "tsv" in formats():
        return  # this is the run below
    package = Path(allonym.__file__).parent
    tree = tmp_path / "allonym"
    (tree / "formats").mkdir(parents=True)
    for folder, name in ((tree, "*"), (tree / "formats", "formats/*.py")):
        for path in package.glob(name):
            if path.name not in ("formats", "__pycache__"):
                (folder / path.name).symlink_to(path)
    (tree / "formats" / "tsv.py").write_bytes(EXAMPLE.read_bytes())
    repository = Path(__file__).parents[2]
    shown = FENCE.findall((repository / "CONTRIBUTING.md").read_text("utf-8"))
    assert all(source == EXAMPLE.read_text("utf-8") for source in shown), "CONTRIBUTING shows another example"
    settings = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{repository}"}
    line = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    done = subprocess.run(line, env=settings, cwd=repository, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout[-2000:]
    code = "import sys; from allonym.cli import run; sys.exit(run(sys.argv[1:]))"
    (tmp_path / "in.tsv").write_text("n\ttext\n1\train, and snow\n", encoding="utf-8")
    line = [sys.executable, "-c", code, "anonymize", "in.tsv", "--keep", "n", "--method", "identity"]
    subprocess.run(line, env=settings, cwd=tmp_path, check=True, capture_output=True, timeout=PATIENCE)
    assert (tmp_path / "in.anon.tsv").read_text() == "n\ttext\n1\train, and snow\n"
