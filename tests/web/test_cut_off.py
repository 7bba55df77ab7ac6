"""The whole page with the network cut: a network of its own, in which nothing but loopback exists."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import PATIENCE
from tests.web import cut_off
from tests.web.conftest import _CHROMIUM

CUT = ["unshare", "--net", "--map-root-user"]
FLOWS = ("test_read_rewrite_report", "test_a_table_in_the_browser")


def test_an_attempt_to_leave_is_seen():
    assert cut_off.outside("socket.connect", (None, ("192.0.2.1", 80)))
    assert cut_off.outside("socket.getaddrinfo", ("example.org", 80, 0, 0, 0))
    assert not cut_off.outside("socket.connect", (None, ("127.0.0.1", 80)))
    assert not cut_off.outside("socket.connect", (None, "/tmp/a-socket"))


def test_the_screens_work_with_the_network_cut():
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if _CHROMIUM is None:
        pytest.skip("there is no chromium on this machine")
    if shutil.which("unshare") is None or subprocess.run([*CUT, "true"], capture_output=True).returncode:
        pytest.skip("this machine does not let its users make a network of their own (unshare --net)")
    root = Path(__file__).resolve().parents[2]
    tests = [f"{root}/tests/web/test_browser.py::{name}" for name in FLOWS]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    command = [*CUT, sys.executable, "-m", "tests.web.cut_off", *tests]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=4 * PATIENCE)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert all(f"PASSED tests/web/test_browser.py::{name}" in done.stdout for name in FLOWS)
    assert "attempts to leave: 0" in done.stdout
