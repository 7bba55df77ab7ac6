"""Parts of a table that are made more than once, as a cluster may do: the same bytes, and nothing left beside them."""

from __future__ import annotations

import json
import multiprocessing
from dataclasses import replace
from pathlib import Path

import pytest

from allonym.anonymizers.identity import Identity
from allonym.anonymizers.random_replacement import RandomReplacement
from allonym.budget.ledger import Ledger
from allonym.errors import InputError, ResumeError
from allonym.formats.tables import Roles
from allonym.jobs.accounts import Account
from allonym.jobs.engines.local import Local
from allonym.jobs.execute import Options, Plan, execute, plan
from allonym.jobs.parts import InputPart, PartMaker, find_parts, open_parts
from allonym.jobs.store import folder_of
from allonym.randomness import insecure, secure
from tests.jobs.made import KEY, ROWS, WORDS, ignore, planned, stopped_after, write

COUNT, COPIES, ROUNDS = 400, 3, 10


def make_again_and_again(source: str, folder: str, waiting) -> None:
    """Make the part once with all others at the same time, several times over."""
    method = RandomReplacement(words=4, vocabulary=["rain", "snow", "harbour", "letter"])
    maker = PartMaker(method, Roles("text", tolerant=True), 50, "skip", folder)
    for _ in range(ROUNDS):
        waiting.wait(60)
        maker.make(InputPart(3, source, start=1000), insecure(2).one_release())


@pytest.fixture
def source(tmp_path) -> Path:
    (tmp_path / "in").mkdir()
    rows = [json.dumps({"text": f"rain {i}"}) if i % 90 else "{" for i in range(COUNT)]
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
    done = maker.make(InputPart(3, str(source), start=1000), insecure(2).one_release())
    assert (done.rows, done.failed) == (COUNT, tuple(1000 + i for i in range(0, COUNT, 90)))
    [alone], [together] = (list((tmp_path / name).iterdir()) for name in ("alone", "together"))
    assert alone.name == together.name == "part-00000003.jsonl"
    assert alone.read_bytes() == together.read_bytes()
    assert len(alone.read_text().splitlines()) == COUNT - len(done.failed)


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_an_empty_part_has_no_rows(content, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text(content)
    [part] = find_parts(tmp_path / "in")
    maker = PartMaker(RandomReplacement(words=4), Roles("text"), 50, "stop", str(tmp_path))
    assert maker.make(part, insecure(2).one_release()).rows == 0
    assert not list(tmp_path.glob("part-*"))


# Whole jobs, by this machine's processes: the plan and the job of a cluster


def job_in_parts(folder: Path, processes: int = 1, rows: int = 7) -> Plan:
    """A hundred rows in four parts, one of them empty."""
    (folder / "parts").mkdir(exist_ok=True)
    for number, some in enumerate((ROWS[:30], ROWS[30:31], [], ROWS[31:])):
        content = "".join(json.dumps(row) + "\n" for row in some)
        (folder / "parts" / f"{number}.jsonl").write_text(content, encoding="utf-8")
    roles = Roles("text", "key", "who", ("key", "n"))
    documents, parts = open_parts(folder / "parts", roles, Local(processes))
    method = RandomReplacement(words=3, vocabulary=WORDS)
    return plan(method, documents, out=folder / "out", has_ids=True, has_authors=True, keep=("n",), repeatable=False,
                chunk_rows=rows, parts=parts)  # fmt: skip


def joined(folder: Path) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in sorted(folder.iterdir()))


@pytest.mark.parametrize("processes", [1, 2])
def test_a_table_in_parts_is_the_same_job(processes, tmp_path):
    whole = planned(write(tmp_path, "jsonl"), tmp_path / "whole.jsonl")
    execute(whole, secure(KEY), ignore, Options())
    job = job_in_parts(tmp_path, processes)
    with Ledger(tmp_path / "ledger") as ledger:
        execute(job, secure(KEY), ignore, Options(account=Account(ledger, "rows")))
        [totals] = ledger.totals("rows")
    assert joined(tmp_path / "out") == (tmp_path / "whole.jsonl").read_text(encoding="utf-8")
    assert (job.count, job.per_author) == (
        whole.count,
        replace(whole.per_author, released_as_is=job.per_author.released_as_is),
    )
    assert totals.releases == 1
    assert "how the documents are spread over the parts" in job.per_document.released_as_is
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [f"part-0000000{n}.jsonl" for n in (0, 1, 3)]


def test_a_job_in_parts_goes_on_after_an_interruption(tmp_path):
    execute(job_in_parts(tmp_path), secure(KEY), ignore, Options())
    expected = joined(tmp_path / "out")
    job = job_in_parts(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        execute(job, secure(KEY), stopped_after(2), Options(force=True))
    assert joined(tmp_path / "out") == expected  # the older output
    [first, *_] = (folder_of(job.out) / "new" / "out").iterdir()
    first.unlink()  # a part that a machine lost is made again
    outcome = execute(job, None, ignore, Options(resume=True))
    assert outcome.resumed < job.count
    assert joined(tmp_path / "out") == expected
    assert not folder_of(job.out).exists()


def test_a_job_in_parts_is_not_resumed_after_a_change(tmp_path):
    job = job_in_parts(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        execute(job, None, stopped_after(1), Options())
    path = tmp_path / "parts" / "3.jsonl"
    content = path.read_text(encoding="utf-8")
    changed = job_in_parts(tmp_path)
    path.write_text(content.replace("rain", "vain"), encoding="utf-8")
    with pytest.raises(ResumeError, match="the input"):
        execute(changed, None, ignore, Options(resume=True))


def test_parts_must_be_alike_and_hold_something(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "0.csv").write_text("")
    with pytest.raises(InputError, match="holds no documents"):
        open_parts(tmp_path / "in", Roles("text"), Local())
    for number, name in enumerate(("n", "m")):
        (tmp_path / "in" / f"{number}.csv").write_text(f"text,{name}\nrain,1\n")
    documents, parts = open_parts(tmp_path / "in", Roles("text"), Local())
    list(parts.looks(10))
    _, parts = open_parts(tmp_path / "in", Roles(), Local())
    list(parts.looks(10))
    (tmp_path / "in" / "1.csv").write_text("review,n\nrain,1\n")
    _, parts = open_parts(tmp_path / "in", Roles(), Local())
    with pytest.raises(InputError, match="do not have the same columns"):
        list(parts.looks(10))
    with pytest.raises(InputError, match="Only a single document can go to standard output"):
        plan(Identity(), documents, out=Path("-"), has_ids=False, has_authors=False, keep=(), repeatable=False,
             parts=parts)  # fmt: skip
