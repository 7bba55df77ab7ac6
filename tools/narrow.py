"""Run a command as on a processor with few abilities: `python tools/narrow.py [--kind avx2] COMMAND …`.

Matrix libraries, NumPy, numba and torch look at the processor when they are loaded, and each has a variable that makes
it look away. "oldest" is the least that each of them can run on, "avx2" a processor without AVX-512. On processors
other than x86-64 only NumPy's variable means anything; there the command runs nearly as it is.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys

KINDS = {
    "oldest": {
        "OPENBLAS_CORETYPE": "Prescott",
        "NUMBA_CPU_NAME": "x86-64",
        "ONEDNN_MAX_CPU_ISA": "SSE41",
        "ATEN_CPU_CAPABILITY": "default",
    },
    "avx2": {
        "OPENBLAS_CORETYPE": "Haswell",
        "NUMBA_CPU_NAME": "haswell",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "ATEN_CPU_CAPABILITY": "avx2",
    },
}


def variables(kind: str) -> dict[str, str]:
    """Return the variables that make this machine look like that kind."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__  # type: ignore[import-not-found]

    here = [name for name in __cpu_dispatch__ if __cpu_features__.get(name)]
    kept = ("AVX2", "X86_V3", "FMA3") if kind == "avx2" else ()
    chosen = {"NPY_DISABLE_CPU_FEATURES": " ".join(name for name in here if name not in kept)}
    if platform.machine() in ("x86_64", "AMD64"):
        chosen.update(KINDS[kind], NUMBA_CPU_FEATURES="")
    return chosen


def main() -> None:
    """Become the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", choices=list(KINDS), default="oldest")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if not options.command:
        parser.error("a command is needed")
    chosen = variables(options.kind)
    print("As on another processor:", " ".join(f"{name}={value!r}" for name, value in chosen.items()), file=sys.stderr)
    os.execvpe(options.command[0], options.command, {**os.environ, **chosen})


if __name__ == "__main__":
    main()
