"""`pipx install` of the wheel, with the extras that the documentation names.

It needs pipx, the wheel of `make dist`, and the wheels that `make bundle` downloaded, which stand for an index; where
one of them is missing it is skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from allonym import __version__
from tests.conftest import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
WHEEL = ROOT / "dist" / f"allonym-{__version__}-py3-none-any.whl"
INDEX = ROOT / "build" / "bundle"
PIPX = shutil.which("pipx") or ""

pytestmark = [
    pytest.mark.skipif(not PIPX, reason="pipx is not installed"),
    pytest.mark.skipif(not WHEEL.is_file() or not INDEX.is_dir(), reason="run make bundle first"),
]


def test_the_wheel_is_installed_with_its_extras_and_works(tmp_path):
    places = {name: str(tmp_path / name) for name in ("PIPX_HOME", "PIPX_BIN_DIR", "PIPX_MAN_DIR", "HOME")}
    (tmp_path / "HOME").mkdir()
    environment = {"PATH": os.environ["PATH"], **places, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(INDEX)}

    def run(*line: object) -> str:
        command = list(map(str, line))
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=2 * PATIENCE, check=False
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return done.stdout + done.stderr

    run(PIPX, "install", f"{WHEEL}[web,translate,style]")
    program = tmp_path / "PIPX_BIN_DIR" / "allonym"
    shutil.copyfile(ROOT / "examples" / "letters" / "whistleblower.txt", tmp_path / "letter.txt")
    assert "--preset letter" in run(program, "--help")
    assert "Fenwick Water" in run(program, "check", "letter.txt")
    run(program, "anonymize", "letter.txt", "--preset", "letter")
    assert "Fenwick Water" in (tmp_path / "letter.anon.txt").read_text("utf-8")
    with subprocess.Popen(
        [program, "serve", "--no-browser", "--json"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as page:
        assert page.stdout.readline()  # the address, once the page answers
        page.terminate()
    assert page.returncode == 0
    assert (tmp_path / "PIPX_MAN_DIR" / "man1" / "allonym.1").exists()
