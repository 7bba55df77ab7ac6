"""What makes the chunks of a job: this machine's processes, or a Spark cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

Task = TypeVar("Task")
Shared = TypeVar("Shared")
# Plain values by name, since an engine may hand them over as JSON; whoever asked knows which (`Written`, `Look`).
Answer = dict[str, Any]


class Engine(Protocol[Task]):
    """Something that does the same work on many tasks."""

    def map(self, work: Callable[[Shared, Task], Answer], shared: Shared, tasks: Iterable[Task]) -> Iterator[Answer]:
        """Do the work on every task and give the answers as they come, in any order.

        Args:
            work: What to do; it may hold a secret, so it travels with the tasks alone. Doing it twice changes nothing.
            shared: What all tasks need and is large; sent to every worker once.
            tasks: What to do it on.
        """
