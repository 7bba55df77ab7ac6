"""The one file that `make bundle` made, installed as a person without a network would: in an empty home, not as root.

It looks for the file in dist/, or where the variable ALLONYM_BUNDLE says, and is skipped where there is none: making
one takes a network. What its installer does with damage, old Pythons and the like is tested with a small file by
tests/tools/test_bundle.py.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from allonym import __version__
from tests.conftest import PATIENCE
from tests.end_to_end.surveys import write_survey
from tests.tools.ordinary import as_somebody, open_folder, python_for_somebody, without_network

ROOT = Path(__file__).resolve().parents[2]
NAME = f"allonym-{__version__}-linux-{platform.machine()}-python{sysconfig.get_python_version()}.sh"
FILE = Path(os.environ.get("ALLONYM_BUNDLE", ROOT / "dist" / NAME))
MOST_BYTES = 500_000_000

pytestmark = [
    pytest.mark.skipif(not FILE.is_file(), reason="there is no bundle for this Python; run make bundle"),
    pytest.mark.skipif(without_network() is None, reason="this machine does not let its users cut the network"),
    pytest.mark.skipif(python_for_somebody() is None, reason="an ordinary user cannot start the Python that is here"),
]

SERVE = """
import json, subprocess, sys, urllib.request
line = [sys.argv[1], "serve", "--no-browser", "--json"]
with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
    told = ""
    while not told.endswith("}\\n"):
        told += process.stdout.readline()
    address = json.loads(told)["address"].partition("/open")[0]
    with urllib.request.urlopen(address + "/health", timeout=600) as answer:
        print(answer.read().decode())
    process.terminate()
try:
    urllib.request.urlopen("http://192.0.2.1", timeout=5)
except OSError as error:
    print("no network:", error)
"""


@pytest.fixture(scope="module")
def place():
    yield from open_folder()


@pytest.fixture(scope="module")
def somebody(place):
    """Run something as an ordinary user in an empty home, without a network."""
    home = place / "home"
    home.mkdir()
    home.chmod(0o777)

    def run(*line: object) -> str:
        command = [*as_somebody(), *map(str, line)]
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(home)}
        done = subprocess.run(
            command, cwd=home, env=environment, capture_output=True, text=True, timeout=2 * PATIENCE, check=False
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return done.stdout + done.stderr

    return run


@pytest.fixture(scope="module")
def installed(somebody, place):
    """Install it; return the program."""
    file = place / FILE.name
    shutil.copyfile(FILE, file)
    somebody("sh", file, "--python", python_for_somebody())
    file.unlink()
    return place / "home" / ".local" / "bin" / "allonym"


def test_the_file_is_of_a_size_that_can_be_carried():
    assert FILE.stat().st_size < MOST_BYTES


def test_the_journeys_of_letter_and_table_work(installed, somebody, place):
    home = place / "home"
    shutil.copyfile(ROOT / "examples" / "letters" / "whistleblower.txt", home / "letter.txt")
    write_survey(home / "survey.xlsx", 5, 4)

    assert __version__ in somebody(installed, "--version")
    assert "Fenwick Water" in somebody(installed, "check", "letter.txt")
    assert "[PLACE 1" in somebody(
        installed, "anonymize", "letter.txt", "--preset", "letter", "--names", "mark", "-o", "marked.txt"
    ) + (home / "marked.txt").read_text("utf-8")
    somebody(installed, "anonymize", "letter.txt", "--preset", "letter", "-o", "rewritten.txt")
    assert 'it is "standard practice"' in (home / "rewritten.txt").read_text("utf-8")  # a contraction less
    somebody(installed, "anonymize", "survey.xlsx", "--preset", "survey", "--text", "answer", "-o", "survey.csv")
    assert len((home / "survey.csv").read_text("utf-8").splitlines()) == 21
    promised = json.loads((home / "survey.csv.privacy.json").read_text("utf-8"))
    assert promised["guarantee"]["definition"] == "pure"


def test_the_page_opens(installed, somebody, place):
    said = somebody(python_for_somebody(), "-c", SERVE, installed)
    assert '"status":"ready"' in said.replace(" ", "")
    assert "no network:" in said


def test_licences_are_there_and_one_command_removes_everything_but_what_is_yours(installed, somebody, place):
    home = place / "home"
    folder = home / ".local" / "share" / "allonym"
    listed = (folder / "LICENCES.md").read_text("utf-8")
    assert "| numpy |" in listed
    assert "MPL-2.0" in listed
    assert list((folder / "licences" / "spacy").iterdir())
    (home / "mine.txt").write_text("mine\n", "utf-8")
    somebody(folder / "uninstall")
    left = {path.name for path in home.rglob("*") if path.is_file() or path.is_symlink()}
    assert "mine.txt" in left
    assert not [name for name in left if "allonym" in name]
    assert not folder.exists()
    assert not (home / ".cache").exists()
