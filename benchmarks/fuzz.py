"""Claim: 10,000 damaged tables and texts end in a sentence: exit 0 or 2, no traceback, under 2 seconds each.

The files are made by the generator of `tests/end_to_end/test_fuzz.py`, which runs 800 of them in every test run. Here
the command runs in this process. Output must be whole where the exit is 0, and nothing may be left where it is 2.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import io
import json
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

from allonym import cli, embeddings
from allonym.text import terms

CASES = 10_000
SLOWEST_S = 2.0
GENERATOR = Path(__file__).resolve().parent.parent / "tests" / "end_to_end" / "test_fuzz.py"


def generator() -> ModuleType:
    """Load the generator that the tests use."""
    spec = importlib.util.spec_from_file_location("fuzz_generator", GENERATOR)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(GENERATOR)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(line: list[str]) -> tuple[int, str, str]:
    """Run the command; return its exit code and what it said."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.run(line)
    return code, out.getvalue(), err.getvalue()


def one_case(
    made: ModuleType, rng: random.Random, samples: dict[str, list[bytes]], folder: Path, words: Path
) -> dict[str, Any]:
    """Write a damaged file, run the command on it, and say what was wrong with the answer."""
    suffix = rng.choice(list(samples))
    source = folder / f"in{suffix}"
    source.write_bytes(made.broken(rng, rng.choice(samples[suffix])))
    target, columns = made.target_and_columns(rng, folder, suffix)
    before = source.read_bytes()
    method = ["--method", "syntf", "--vocabulary", str(words), "--words", "20"]
    wall, cpu = time.perf_counter(), time.process_time()
    code, out, err = run(["anonymize", str(source), *columns, *method, "-o", str(target)])
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    left = {path.name for path in folder.iterdir()} - {source.name}
    wrong = []
    if code not in (0, 2):
        wrong.append(f"exit {code}")
    if "Traceback" in out + err or "bug" in err:
        wrong.append("traceback or bug")
    if code == 2 and (left or len(err.splitlines()) != 1):
        wrong.append("a refusal that leaves files or says more than a sentence")
    if code == 0 and not target.exists():
        wrong.append("no output")
    if source.read_bytes() != before:
        wrong.append("the input changed")
    return {"code": code, "wall": wall, "cpu": cpu, "wrong": wrong}


def main() -> None:
    """Run all and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=CASES)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    made = generator()
    usual = (word for word in embeddings.load().words if len(word) > 4 and terms(word, morphology="lemma") == [word])
    public = [word for _, word in zip(range(200), usual, strict=False)]
    rng, codes, wrong = random.Random(options.seed), Counter[int](), list[str]()
    slowest_wall = slowest_cpu = 0.0
    with tempfile.TemporaryDirectory() as name:
        words = Path(name) / "words.txt"
        words.write_text("\n".join(public), encoding="utf-8")
        samples = made.sound_files(public)
        for number in range(options.cases):
            folder = Path(name) / "case"
            folder.mkdir()
            found = one_case(made, rng, samples, folder, words)
            shutil.rmtree(folder)
            codes[found["code"]] += 1
            wrong += [f"case {number}: {what}" for what in found["wrong"]]
            if number:  # the first one imports everything
                slowest_wall, slowest_cpu = max(slowest_wall, found["wall"]), max(slowest_cpu, found["cpu"])
            if number % 1000 == 0:
                print(number, dict(codes), len(wrong), file=sys.stderr, flush=True)
    result = {
        "cases": options.cases,
        "exits": {str(code): count for code, count in sorted(codes.items())},
        "wrong": wrong[:20],
        "wrong_count": len(wrong),
        "slowest_wall_s": round(slowest_wall, 3),
        "slowest_cpu_s": round(slowest_cpu, 3),
        "met": not wrong and slowest_cpu < SLOWEST_S,
    }
    print(json.dumps(result, indent=2))
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
