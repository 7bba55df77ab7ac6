"""The one file that installs without a network: what `make bundle` writes, here around a package that is made up.

It is installed as an ordinary user with an empty home, where possible without a network (`unshare`). The real file is
tried by tests/end_to_end/test_bundle.py.
"""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

from tests.tools.ordinary import as_somebody, open_folder, python_for_somebody

BUNDLE = Path(__file__).resolve().parents[2] / "tools" / "bundle"
GREET = "def main():\n    import sys\n    print('greeter', VERSION) if '--version' in sys.argv else print('hello')\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
PYTHON = python_for_somebody() or ""

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the file is for Linux"),
    pytest.mark.skipif(not PYTHON, reason="an ordinary user cannot start the Python that runs the tests"),
]


@pytest.fixture
def make(monkeypatch):
    monkeypatch.syspath_prepend(str(BUNDLE))
    yield importlib.import_module("make")
    for name in ("make", "licences"):
        sys.modules.pop(name, None)


def wheel(folder, version="1.0", needs="", licence="MIT"):
    """Write the wheel of a package that says hello."""
    path = folder / f"greeter-{version}-py3-none-any.whl"
    about = f"Metadata-Version: 2.4\nName: greeter\nVersion: {version}\nLicense-Expression: {licence}\n{needs}"
    files = {
        "greeter.py": f"VERSION = {version!r}\n{GREET}",
        f"greeter-{version}.dist-info/METADATA": about,
        f"greeter-{version}.dist-info/WHEEL": WHEEL,
        f"greeter-{version}.dist-info/entry_points.txt": "[console_scripts]\ngreeter = greeter:main\n",
        f"greeter-{version}.dist-info/licenses/LICENSE": "Do as you like.\n",
    }
    names = [*files, f"greeter-{version}.dist-info/RECORD"]
    files[names[-1]] = "".join(f"{name},,\n" for name in names)
    with zipfile.ZipFile(path, "w") as file:
        for name, text in files.items():
            file.writestr(zipfile.ZipInfo(name), text)
        file.writestr(zipfile.ZipInfo(f"greeter-{version}.dist-info/licenses/"), "")  # as some wheels list folders
    return path


def pip_wheel(folder):
    """Write a wheel of the pip that is installed here: wheels are what is installed, packed."""
    try:
        found = distribution("pip")
    except PackageNotFoundError:
        pytest.skip("there is no pip in this environment")
    path = folder / f"pip-{found.version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name in sorted(
            name for name in found.files or () if name.parts[0].startswith("pip") and name.suffix != ".pyc"
        ):
            entry = zipfile.ZipInfo(name.as_posix())
            file.writestr(entry, Path(str(found.locate_file(name))).read_bytes())
    return path


@pytest.fixture
def bundle(make, tmp_path):
    """Write the file around a version of the package; returns its path, where everybody may read it."""

    def write(out, version="1.0", **about):
        wheels = tmp_path / version
        wheels.mkdir(exist_ok=True)
        own = wheel(wheels, version, **about)
        pip_wheel(wheels)
        return make.main([str(own), "--no-download", "--wheels", str(wheels), "--extras", "", "--out", str(out)])

    return write


@pytest.fixture
def place():
    yield from open_folder()


def run(file, place, *arguments, python=PYTHON, home="home"):
    (place / home).mkdir(exist_ok=True)
    (place / home).chmod(0o777)
    chosen = ("--python", python) if python else ()
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(place / home)}
    line = [*as_somebody(), "sh", str(file), *chosen, *map(str, arguments)]
    return subprocess.run(line, cwd=place, env=environment, capture_output=True, text=True, check=False)


def hello(program):
    return subprocess.run([*as_somebody(), str(program)], capture_output=True, text=True, check=True).stdout


def test_it_installs_runs_and_goes_away(bundle, place):
    file = bundle(place)
    assert f"python{sysconfig.get_python_version()}.sh" in file.name
    done = run(file, place)
    assert done.returncode == 0, done.stderr
    folder = place / "home" / ".local" / "share" / "greeter"
    assert f"Remove it:   {folder}/uninstall" in done.stdout
    assert hello(place / "home" / ".local" / "bin" / "greeter") == "hello\n"
    assert "| greeter | 1.0 | MIT |" in (folder / "LICENCES.md").read_text("utf-8")
    assert (folder / "licences" / "greeter" / "LICENSE").is_file()
    assert not (folder / "packages").exists()
    gone = subprocess.run([*as_somebody(), str(folder / "uninstall")], capture_output=True, text=True, check=True)
    assert "is removed" in gone.stdout
    assert [path for path in (place / "home").rglob("*") if not path.is_dir()] == []
    assert not folder.exists()


def test_another_folder_and_another_version(bundle, place):
    folder = place / "home" / "my 'own' programs"
    (place / "home").mkdir()
    assert run(bundle(place), place, "--to", folder).returncode == 0
    second = run(bundle(place, "2.0"), place, "--to", folder)
    assert second.returncode == 0, second.stderr
    program = place / "home" / ".local" / "bin" / "greeter"
    assert subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout == "greeter 2.0\n"
    assert run(bundle(place, "3.0", needs="Requires-Dist: nowhere-to-be-had\n"), place, "--to", folder).returncode != 0
    assert hello(program) == "hello\n"  # the earlier version is back
    assert not list(folder.parent.glob("*.earlier"))
    subprocess.run([*as_somebody(), str(folder / "uninstall")], capture_output=True, check=True)
    assert not folder.exists()


def test_a_link_and_a_folder_of_somebody_else_are_left_alone(bundle, place):
    taken = place / "home" / ".local" / "bin" / "greeter"
    taken.parent.mkdir(parents=True)
    for folder in (place / "home", place / "home" / ".local", taken.parent):
        folder.chmod(0o777)
    taken.write_text("mine\n", "utf-8")
    done = run(bundle(place), place)
    assert done.returncode == 0, done.stderr
    assert "venv/bin/greeter --help" in done.stdout
    assert taken.read_text("utf-8") == "mine\n"
    full = place / "home" / "full"
    full.mkdir()
    (full / "letter.txt").write_text("mine\n", "utf-8")
    refused = run(bundle(place), place, "--to", full)
    assert refused.returncode == 2
    assert "holds something else" in refused.stderr
    assert (full / "letter.txt").read_text("utf-8") == "mine\n"


def test_a_damaged_file_installs_nothing(bundle, place):
    file = bundle(place)
    data = bytearray(file.read_bytes())
    for position in (len(data) // 2, len(data) - 1):
        broken = place / "broken.sh"
        broken.write_bytes(data[:position] + bytes([data[position] ^ 1]) + data[position + 1 :])
        for arguments in ((), ("--check",)):
            refused = run(broken, place, *arguments)
            assert refused.returncode == 2
            assert "is damaged or was changed" in refused.stderr
    (place / "short.sh").write_bytes(data[:-512])
    assert "is damaged" in run(place / "short.sh", place).stderr
    assert list((place / "home").iterdir()) == []
    assert "is whole" in run(file, place, "--check").stdout


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("echo 3.9", "Python 3.9 is too old"),
        ("echo 2.7", "Python 2.7 is too old"),
        ("echo 3.99", "make bundle PYTHON=python3.99"),
        (
            f'case "$*" in *version_info*) echo {sysconfig.get_python_version()};; *) exit 1;; esac',
            "apt install python3-venv",
        ),
        (None, "there is no Python here"),
    ],
)
def test_a_python_that_does_not_fit_is_told_so(program, said, bundle, place):
    python = place / "python"
    if program is not None:
        python.write_text(f"#!/bin/sh\n{program}\n", "utf-8")
        python.chmod(0o755)
    refused = run(bundle(place), place, python=str(python))
    assert refused.returncode == 2
    assert said in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert list((place / "home").iterdir()) == []


def test_too_little_disk_and_another_processor_are_told_so(bundle, place):
    tools = place / "tools"
    tools.mkdir()
    for name, line, said in (
        ("df", "printf 'head\\nx 1 1 2048 1 /\\n'", "2 MB free"),
        ("uname", 'if [ "$1" = -m ]; then echo riscv64; else echo Linux; fi', "this is riscv64"),
        ("getconf", "echo glibc 2.5", "this system is too old"),
    ):
        (tools / name).write_text(f"#!/bin/sh\n{line}\n", "utf-8")
        (tools / name).chmod(0o755)
        environment = {"PATH": f"{tools}:/usr/bin:/bin", "HOME": str(place)}
        line = ["sh", str(bundle(place)), "--python", PYTHON]
        refused = subprocess.run(line, cwd=place, env=environment, capture_output=True, text=True, check=False)
        assert refused.returncode == 2
        assert said in refused.stderr
        (tools / name).unlink()


def test_the_same_wheels_give_the_same_bytes_and_licences_are_listed(bundle, place):
    first, second = bundle(place / "one"), bundle(place / "two")
    assert first.read_bytes() == second.read_bytes()
    sums = first.with_name(f"{first.name}.sha256")
    subprocess.run(["sha256sum", "--check", "--quiet", sums.name], cwd=sums.parent, check=True)
    assert "| greeter | 1.0 | MIT |" in run(first, place, "--licences", python="").stdout
    assert "--to FOLDER" in run(first, place, "--help", python="").stdout
    assert run(first, place, "--nonsense", python="").returncode == 2


def test_what_may_not_be_passed_on_is_not_bundled(bundle, make, place):
    with pytest.raises(SystemExit, match="greeter may not be bundled"):
        bundle(place, licence="LicenseRef-Proprietary")
    may = sys.modules["licences"].may_be_passed_on
    for free in ("MIT", "Apache-2.0 OR BSD-3-Clause", "BSD-2-Clause AND Apache-2.0 WITH LLVM-exception", "(MIT)",
                 "Mozilla Public License 2.0 (MPL 2.0)", "BSD License, MIT License", "The MIT License"):  # fmt: skip
        assert may(free), free
    for other in ("", "Proprietary", "MIT AND GPL-3.0-only", "UNKNOWN", "CC-BY-NC-4.0"):
        assert not may(other), other


def test_the_script_is_plain_shell():
    if shutil.which("dash") is None:
        pytest.skip("there is no dash, Debian's shell")
    subprocess.run(["dash", "-n", str(BUNDLE / "install.sh")], check=True)
