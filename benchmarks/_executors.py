"""The processes of executors that a program on Spark's local cluster started, so that one can be killed."""

from __future__ import annotations

from pathlib import Path


def executors(program: int) -> list[int]:
    """Return the processes of executors that a program started, directly or not."""
    started = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            is_executor = b"CoarseGrainedExecutorBackend" in (path / "cmdline").read_bytes()
            if is_executor and program in ancestors(int(path.name)):
                started.append(int(path.name))
        except OSError:  # it ended meanwhile
            continue
    return started


def ancestors(process: int) -> list[int]:
    """Return the parent of a process, its parent, and so on."""
    parents = []
    while process > 1:
        process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
        parents.append(process)
    return parents
