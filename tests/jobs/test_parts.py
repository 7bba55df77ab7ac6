"""Parts of a table that are made more than once, as a cluster may do: the same bytes, and nothing left beside them."""

from __future__ import annotations

import json
import multiprocessing
from pathlib import Path

import pytest

from allonym.anonymizers.random_replacement import RandomReplacement
from allonym.formats.tables import Roles
from allonym.jobs.parts import Part, PartMaker, find_parts
from allonym.randomness import insecure

ROWS, COPIES, ROUNDS = 400, 3, 10


def make_again_and_again(source: str, folder: str, waiting) -> None:
    """Make the part once with all others at the same time, several times over."""
    method = RandomReplacement(words=4, vocabulary=["rain", "snow", "harbour", "letter"])
    maker = PartMaker(method, Roles("text", tolerant=True), 50, "skip", folder)
    for _ in range(ROUNDS):
        waiting.wait(60)
        maker.make(Part(3, source, start=1000), insecure(2).one_release())


@pytest.fixture
def source(tmp_path) -> Path:
    (tmp_path / "in").mkdir()
    rows = [json.dumps({"text": f"rain {i}"}) if i % 90 else "{" for i in range(ROWS)]
    path = tmp_path / "in" / "a.jsonl"
    path.write_text("\n".join(rows) + "\n")
    return path


def test_copies_that_run_at_the_same_time_write_the_same_bytes(source, tmp_path):
    context = multiprocessing.get_context("spawn")
    waiting = context.Barrier(COPIES)
    for name in ("alone", "together"):
        (tmp_path / name).mkdir()
    arguments = (str(source), str(tmp_path / "together"), waiting)
    copies = [context.Process(target=make_again_and_again, args=arguments) for _ in range(COPIES)]
    for copy in copies:
        copy.start()
    for copy in copies:
        copy.join(60)
    assert [copy.exitcode for copy in copies] == [0] * COPIES
    method = RandomReplacement(words=4, vocabulary=["rain", "snow", "harbour", "letter"])
    maker = PartMaker(method, Roles("text", tolerant=True), 50, "skip", str(tmp_path / "alone"))
    done = maker.make(Part(3, str(source), start=1000), insecure(2).one_release())
    assert (done.rows, done.failed) == (ROWS, tuple(1000 + i for i in range(0, ROWS, 90)))
    [alone], [together] = (list((tmp_path / name).iterdir()) for name in ("alone", "together"))
    assert alone.name == together.name == "part-00000003.jsonl"
    assert alone.read_bytes() == together.read_bytes()
    assert len(alone.read_text().splitlines()) == ROWS - len(done.failed)


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_an_empty_part_has_no_rows(content, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text(content)
    [part] = find_parts(tmp_path / "in")
    maker = PartMaker(RandomReplacement(words=4), Roles("text"), 50, "stop", str(tmp_path))
    assert maker.make(part, insecure(2).one_release()).rows == 0
    assert not list(tmp_path.glob("part-*"))
