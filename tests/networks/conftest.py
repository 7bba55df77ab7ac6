"""What tests share that the same numbers come out on every kind of processor."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

USED = [name for name in __cpu_dispatch__ if __cpu_features__.get(name)]  # by NumPy, beyond the oldest processors
# What makes libraries and compiled loops take this processor for one of another kind.
KINDS = {
    "generic": {"NUMBA_CPU_NAME": "generic"},
    "AVX2": {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": ""},
    "old libraries": {"OPENBLAS_CORETYPE": "Prescott", "OPENBLAS_NUM_THREADS": "2", "NUMBA_DISABLE_JIT": "0"},
    "Haswell": {"OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": " ".join(USED)},
}
# Compiled, in a process of its own.
SCRIPT = """
import runpy, sys
from allonym import acceleration
acceleration._ENTRIES_WORTH_COMPILING = 1
print(runpy.run_path(sys.argv[1])["digest"]())
"""


@pytest.fixture(params=KINDS)
def digest_elsewhere(request, tmp_path):
    """A function that returns what `digest` of a test's file says on another kind of processor."""
    loops = pytest.importorskip("allonym.networks._byte_products", reason="numba is not installed")
    if "avx2" not in loops._HAS and request.param == "AVX2":
        pytest.skip("this processor has no AVX2")

    def run(file):
        # Machine code for another kind must not stay among ours.
        own = {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-W", "ignore", "-c", SCRIPT, file]
        made = subprocess.run(command, env=os.environ | KINDS[request.param] | own, capture_output=True, text=True)
        assert made.returncode == 0, made.stderr
        return made.stdout.split()[-1]

    return run
