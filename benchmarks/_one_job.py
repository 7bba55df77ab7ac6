"""One draw and one loss in a process of their own, for the benchmarks of memory and of the first run.

Prints JSON: CPU seconds from the start of the process to the end of the imports and the loading, of the first draw
and of the loss, and the largest memory the process ever held.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from pathlib import Path

import numpy as np
from _common import cpu_seconds, mechanism, word_table, zipf_inputs

from allonym.randomness import insecure


def main() -> None:
    """Run the job that the command line describes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--words", type=int, required=True)
    parser.add_argument("--inputs", type=Path, help="prepared draws; made up without it")
    parser.add_argument("--draws", type=int, default=0, help="how many to make up")
    parser.add_argument("--no-loss", action="store_true")
    options = parser.parse_args()
    table = word_table(options.words)
    inputs = np.load(options.inputs) if options.inputs else zipf_inputs(options.words, options.draws)
    started = time.process_time()
    law = mechanism(table)
    draw = cpu_seconds(lambda: law.draw(inputs, insecure(4)))
    loss = 0.0 if options.no_loss else cpu_seconds(law.loss)
    unit = 1 if sys.platform == "darwin" else 1024  # ru_maxrss is in bytes there, in KiB elsewhere
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    print(json.dumps({"start_s": started, "draw_s": draw, "loss_s": loss, "peak_bytes": peak}))


if __name__ == "__main__":
    main()
