"""Run a program as an ordinary user without a network."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

NOBODY = 65534
ROOT = Path(__file__).resolve().parents[2]
# In a network of its own, this machine's own address must be switched on before rights are given up.
_WITH_LOOPBACK = """
import os, sys
sys.path.insert(0, sys.argv.pop(1))
from tests.web.cut_off import raise_loopback
raise_loopback()
os.execvp(sys.argv[1], sys.argv[1:])
"""


@cache
def without_network() -> tuple[str, ...] | None:
    """Return what to put before a command so that it has no network; None where the system does not allow that."""
    for line in (("unshare", "--net"), ("unshare", "--map-root-user", "--net")):
        if (
            shutil.which("unshare")
            and subprocess.run([*line, "true"], capture_output=True, check=False).returncode == 0
        ):
            return line
    return None


def as_somebody() -> list[str]:
    """Return what to put before a command so that it runs without a network, and without the rights of root."""
    cut = without_network()
    loopback = () if cut is None else (*cut, sys.executable, "-c", _WITH_LOOPBACK, str(ROOT))
    return [*loopback, *(_without_rights() or ("env",))]


def _without_rights() -> tuple[str, ...]:
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        return ()
    user = (f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
    return ("setpriv", *user, "--no-new-privs", "--inh-caps=-all", "--bounding-set=-all")


@cache
def python_for_somebody() -> str | None:
    """Return a Python of the version that runs the tests which an ordinary user can start, if there is one."""
    version = sysconfig.get_python_version()
    for program in (os.path.realpath(sys.executable), f"/usr/bin/python{version}", f"/usr/local/bin/python{version}"):
        line = [*_without_rights(), "sh", "-c", '"$0" -I -c "import venv, zlib, ctypes"', program]
        with contextlib.suppress(OSError):
            if subprocess.run(line, capture_output=True, check=False).returncode == 0:
                return program
    return None


def open_folder() -> Iterator[Path]:
    """Yield a folder that every user may write to, and remove it."""
    with tempfile.TemporaryDirectory(prefix="bundle-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o777)
        yield Path(name)
