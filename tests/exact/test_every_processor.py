"""The same key draws the same bytes on every kind of processor, with any BLAS, batch, number of threads and process.

Each kind is a process of its own, because the libraries look at the processor when they are loaded. The digests are
committed: a machine of another kind than those tried here compares with what this one drew.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

SCRIPT = Path(__file__).with_name("drawn_outputs.py")
DIGESTS = json.loads(SCRIPT.with_name("digests.json").read_text(encoding="utf-8"))
INTEL = platform.machine() in ("x86_64", "AMD64")

# What each kind of BLAS cannot run without, as NumPy names it.
NEEDS = {"Sandybridge": "AVX", "Haswell": "AVX2", "Zen": "AVX2", "SkylakeX": "AVX512_SKX"}
# BLAS, NumPy and numba for some kind of processor ("host": as it is), threads, documents at a time, compiled loops.
KINDS = [
    ("Prescott", "oldest", "x86-64", 1, 3, "yes"),
    ("Nehalem", "oldest", "x86-64", 2, 64, "no"),
    ("Sandybridge", "host", "host", 1, 1, "no"),
    ("Haswell", "oldest", "host", 2, 3, "yes"),
    ("Zen", "host", "host", 1, 64, "no"),
    ("SkylakeX", "host", "host", 2, 1, "yes"),
    ("host", "host", "host", 2, 64, None),
]


def features() -> dict[str, bool]:
    from numpy._core._multiarray_umath import __cpu_features__

    return dict(__cpu_features__)


def environment(blas: str, numpy_kind: str, numba_kind: str, threads: int) -> dict[str, str]:
    """Variables that make the libraries take this machine for another one."""
    from numpy._core._multiarray_umath import __cpu_dispatch__

    chosen = {**os.environ, "OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)}
    if INTEL and blas != "host":
        chosen["OPENBLAS_CORETYPE"] = blas
    if numpy_kind == "oldest":
        chosen["NPY_DISABLE_CPU_FEATURES"] = " ".join(name for name in __cpu_dispatch__ if features().get(name))
        chosen["ONEDNN_MAX_CPU_ISA"], chosen["ATEN_CPU_CAPABILITY"] = "SSE41", "default"
    if INTEL and numba_kind != "host":
        chosen["NUMBA_CPU_NAME"], chosen["NUMBA_CPU_FEATURES"] = numba_kind, ""
    return chosen


def drawn(arguments: list[str], variables: dict[str, str]) -> dict[str, str]:
    line = [sys.executable, str(SCRIPT), *arguments]
    done = subprocess.run(line, env=variables, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout[done.stdout.index("{") :])


def differing(found: dict[str, str]) -> list[str]:
    return [name for name in DIGESTS.keys() | found.keys() if DIGESTS.get(name) != found.get(name)]


@pytest.mark.parametrize(("blas", "numpy_kind", "numba_kind", "threads", "batch", "compiled"), KINDS)
def test_drawn_bytes_do_not_depend_on_the_processor(blas, numpy_kind, numba_kind, threads, batch, compiled):
    if blas in NEEDS and not features().get(NEEDS[blas]):
        pytest.skip(f"this processor cannot run the BLAS of {blas}")
    arguments = ["--batch", str(batch), *(["--compiled", compiled] if compiled else [])]
    assert differing(drawn(arguments, environment(blas, numpy_kind, numba_kind, threads))) == []


def test_a_spark_worker_draws_the_same_bytes(tmp_path):
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    local = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_DIRS": str(tmp_path), "PYSPARK_PYTHON": sys.executable}
    assert differing(drawn(["--batch", "3", "--spark"], {**os.environ, **local})) == []


def test_the_kinds_are_really_set():
    """A variable that a library no longer knows would make all kinds one."""
    code = (
        "import json; from numpy._core._multiarray_umath import __cpu_features__ as f, __cpu_dispatch__ as d;"
        "from threadpoolctl import threadpool_info; from numba.core.registry import cpu_target as t; "
        "cores = [i.get('architecture') for i in threadpool_info() if i.get('internal_api') == 'openblas'];"
        "print(json.dumps([[n for n in d if f.get(n)], cores, t.target_context.codegen().magic_tuple()[1]]))"
    )
    if not INTEL:
        pytest.skip("the kinds have other names here")
    line = [sys.executable, "-c", code]
    done = subprocess.run(line, env=environment("Nehalem", "oldest", "x86-64", 1), capture_output=True, text=True)
    assert json.loads(done.stdout) == [[], ["Nehalem"], "x86-64"], done.stderr[-2000:]


def test_every_method_has_a_digest():
    from allonym.anonymizers import examples

    sys.path.insert(0, str(SCRIPT.parent))
    try:
        from drawn_outputs import BATCHES, METHODS
    finally:
        sys.path.remove(str(SCRIPT.parent))
    assert METHODS.keys() == DIGESTS.keys()
    tried = {type(make()).method for make, _ in METHODS.values()}
    assert tried >= examples().keys() - {"identity", "ghostwriter", "round-trip"}  # which draw nothing
    assert {batch for *_, batch, _ in KINDS} == set(BATCHES)
    assert np.unique([threads for _, _, _, threads, _, _ in KINDS]).tolist() == [1, 2]
