"""Who looks on while a network is trained, and when a checkpoint is written."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from allonym.errors import ParameterError
from allonym.training import checkpoints

_SECONDS_BETWEEN_CHECKPOINTS = 60.0
_SHARE_FOR_CHECKPOINTS = 0.1  # of the time, at most


@dataclass(frozen=True)
class Watcher:
    """Who is told how training goes, and may end it."""

    # Told after each step how much is done, from 0 to 1, and how many steps that is.
    step: Callable[[float, int], None] = lambda done, step: None
    # Told at each look at the held-out sentences, the measurements by name.
    look: Callable[[dict[str, float]], None] = lambda found: None
    # Asked after each step whether to write a checkpoint and end; the run then raises KeyboardInterrupt.
    stop: Callable[[], bool] = lambda: False


class Keeper:
    """Writes checkpoints: when asked to stop, and else often, but not so often that it takes much of the time."""

    def __init__(self, folder: Path, record: dict[str, Any], watcher: Watcher) -> None:
        self.folder, self.record, self.watcher = folder, record, watcher
        self._looked = False
        self._written, self._took = time.monotonic(), 0.0

    def looked(self, found: dict[str, float]) -> None:
        """Take the measurements of a look."""
        if not math.isfinite(found["held_out_loss"]):
            raise ParameterError(
                "The loss became infinite; choose a smaller --learning-rate, and train anew (--force)."
            )
        self.found, self._looked = found, True
        self.watcher.look(found)

    def stepped(self, training: checkpoints.Resumable) -> None:
        """Write a checkpoint if one is due or the run is to end."""
        self.watcher.step(training.done, training.step)
        since = time.monotonic() - self._written
        due = since > _SECONDS_BETWEEN_CHECKPOINTS or (self._looked and since > self._took / _SHARE_FOR_CHECKPOINTS)
        self._looked = False
        if self.watcher.stop():
            self.write(training)
            raise KeyboardInterrupt
        if due:
            self.write(training)

    def run(self, training: checkpoints.Resumable, *, resume: bool, smaller: str) -> bool:
        """Run a training to its end, from the checkpoint if it is resumed, and write a last one.

        Returns whether an uninterrupted run would have made the same model.

        Raises:
            ResumeError: The checkpoint is damaged.
            KeyboardInterrupt: The watcher said stop; there is a checkpoint.
            ParameterError: There is not enough memory (the options in `smaller` need less), or the loss is infinite.
        """
        from torch import OutOfMemoryError

        exact = checkpoints.restore(self.folder, training) if resume else True
        try:
            training.run()
        except OutOfMemoryError as error:
            raise ParameterError(
                f"There is not enough memory on the graphics card; choose a smaller {smaller}."
            ) from error
        self.write(training)
        return exact

    def write(self, training: checkpoints.Resumable) -> None:
        """Write a checkpoint."""
        began = time.monotonic()
        checkpoints.save(self.folder, training, self.record)
        self._written = time.monotonic()
        self._took = self._written - began
