"""The wheel, built and installed where nothing but the declared requirements can be imported, and the manual page."""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LETTER = ROOT / "examples" / "letter.txt"
A4NT = ("a4nt-age", "a4nt-age-neutral", "a4nt-gender", "a4nt-speech")
MOST_WHEEL_BYTES, MOST_MODEL_BYTES = 100_000_000, 90_000_000
MODELS = (*A4NT, "bloggers-en", "erae-en", "neutral-en", "pairs-en", "style-en", "style-encoder-en", "words-en")

needs_build = pytest.mark.skipif(
    find_spec("build") is None or find_spec("hatchling") is None, reason="build or hatchling is not installed"
)


def requirements(name: str, seen: dict[str, object]) -> dict[str, object]:
    """Return the installed distributions that a package needs, without its extras, by name."""
    from packaging.requirements import Requirement

    for line in distribution(name).requires or ():
        wanted = Requirement(line)
        needed = wanted.marker is None or wanted.marker.evaluate({"extra": ""})
        if needed and wanted.name.lower() not in seen:
            seen[wanted.name.lower()] = distribution(wanted.name)
            requirements(wanted.name, seen)
    return seen


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Build the wheel; hatchling is here already, so no index is asked."""
    out = tmp_path_factory.mktemp("dist")
    line = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert len(list(out.glob("*.tar.gz"))) == 1
    [made] = out.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def clean(wheel, tmp_path_factory):
    """Install the wheel in an environment of its own, with links to the requirements it declares and nothing more."""
    home = tmp_path_factory.mktemp("clean")
    venv.create(home, with_pip=False, symlinks=True)
    packages = next((home / "lib").glob("python*/site-packages"))
    for found in requirements("allonym", {}).values():
        tops = {file.parts[0] for file in found.files or () if file.parts[0] not in ("..", "__pycache__")}
        for top in tops:
            source, link = Path(str(found.locate_file(top))), packages / top
            if source.exists() and not link.exists():
                link.symlink_to(source)
    line = [sys.executable, "-m", "pip", "--python", str(home / "bin" / "python"), "install"]
    subprocess.run(
        [*line, "--quiet", "--no-deps", "--no-index", "--no-compile", "--disable-pip-version-check", str(wheel)],
        check=True, capture_output=True,
    )  # fmt: skip
    return home


def run(clean, folder, *arguments):
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder)}
    line = [str(clean / "bin" / "allonym"), *map(str, arguments)]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return done


@needs_build
def test_the_installed_wheel_works(clean, tmp_path):
    from allonym import __version__

    assert run(clean, tmp_path, "--version").stdout.split()[-1] == __version__
    verified = run(clean, tmp_path, "models", "verify").stdout
    for name in MODELS:
        assert f"{name}: ok" in verified
    (tmp_path / "words.txt").write_text("garden\nwater\nsummer\nletter\nneighbour\n", "utf-8")
    run(clean, tmp_path, "anonymize", LETTER, "--method", "syntf", "--vocabulary", "words.txt", "-o", "letter.npz")
    assert (tmp_path / "letter.npz.privacy.json").is_file()
    written = run(clean, tmp_path, "anonymize", LETTER, "--method", "erae", "--sentences", 2, "-o", "-")
    assert written.stdout.strip()
    assert "proved" in written.stderr


@needs_build
def test_the_wheel_is_small_enough_for_an_index(wheel):
    assert wheel.stat().st_size < MOST_WHEEL_BYTES


def test_shipped_models_together_are_small():
    shipped = [path for path in (ROOT / "src" / "allonym" / "models").rglob("*") if path.is_file()]
    assert len(shipped) > 4 * len(MODELS)  # weights, card, configuration and checksums of each
    assert sum(path.stat().st_size for path in shipped) < MOST_MODEL_BYTES


@needs_build
def test_the_wheel_holds_everything_and_nothing_else(wheel, clean):
    import zipfile

    names = zipfile.ZipFile(wheel).namelist()
    assert not [name for name in names if name.startswith(("tests/", "docs/")) or name.endswith((".pyc", ".nbc"))]
    assert "allonym/py.typed" in names
    assert [name for name in names if name.endswith("licenses/NOTICE")]
    assert (clean / "share" / "man" / "man1" / "allonym.1").read_bytes() == (ROOT / "man" / "allonym.1").read_bytes()


def test_the_manual_page_says_what_the_commands_say():
    line = [sys.executable, str(ROOT / "tools" / "make_man.py"), "--check"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(shutil.which("groff") is None, reason="there is no groff")
def test_the_manual_page_is_well_formed():
    line = ["groff", "-man", "-ww", "-z", "-Tutf8", "-Kutf8", str(ROOT / "man" / "allonym.1")]
    assert subprocess.run(line, capture_output=True, text=True, check=True).stderr == ""
