"""For all tests."""

from __future__ import annotations

import os

# Two workers with two threads each on two cores spend their time waiting for each other, in torch above all.
# Set before torch and the matrix libraries are loaded, and inherited by the programs that tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")

PATIENCE = 900.0  # seconds; a loaded machine takes its time, so a limit is there to end what hangs and for nothing else
