"""Draw on an emulated aarch64 processor and compare with the committed digests: `python tools/aarch64.py`.

Debian's Python for arm64 and the packages' aarch64 wheels are put into a folder, without root and without touching this
system; QEMU runs them. Needed: Debian or a system with Debian's package sources, apt-get, dpkg-deb, and
`qemu-aarch64-static` (`apt-get install qemu-user-static`). It takes 1 GB of disk and, for each
kind, some 5 to 10 minutes of a core.

    python tools/aarch64.py                          # all digests, on each kind below
    python tools/aarch64.py --folder DIR --kind old  # keep what was downloaded in DIR; one kind alone
    python tools/aarch64.py -- -m pytest tests/exact/test_arithmetic.py  # any command of Python instead
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "tests" / "exact" / "drawn_outputs.py"
EMULATOR = "qemu-aarch64-static"
PROGRAMS = {EMULATOR: "qemu-user-static", "apt-get": "apt", "dpkg-deb": "dpkg"}
PACKAGES = ("python3", "libstdc++6")
TESTS_NEED = ("pytest", "hypothesis")
PLATFORMS = ("manylinux2014_aarch64", "manylinux_2_17_aarch64", "manylinux_2_27_aarch64", "manylinux_2_28_aarch64")

# QEMU's name of a processor, and how the digests are made there. "max" has SVE, SME and all else that QEMU knows,
# "cortex-a57" the least that an aarch64 has: OpenBLAS and NumPy choose other loops on each.
KINDS = {
    "new": ("max", ("--compiled", "yes", "--batch", "64")),
    "old": ("cortex-a57", ("--compiled", "no", "--batch", "3")),
}


class Machine:
    """A folder with a userland of aarch64, and the way to run Python there.

    Args:
        folder: Where it is, or will be.
    """

    def __init__(self, folder: Path) -> None:
        self.userland = folder / "userland"
        self.packages = folder / "packages"
        self._folder = folder

    def build(self) -> None:
        """Download and unpack whatever is not there yet."""
        if not self.userland.exists():
            print("Downloading Debian's Python for arm64", flush=True)
            unpacked = self._folder / "userland.part"
            for archive in _debian_archives(self._folder / "apt"):
                subprocess.run(["dpkg-deb", "--extract", str(archive), str(unpacked)], check=True)
            unpacked.rename(self.userland)
        if not self.packages.exists():
            print("Downloading the packages' wheels for aarch64", flush=True)
            unpacked = self._folder / "packages.part"
            _install_wheels(unpacked, self._python().name.removeprefix("python"))
            unpacked.rename(self.packages)

    def run(
        self, processor: str, command: Sequence[str], *, output: int | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run Python with these arguments on a processor."""
        # Bytecode and machine code are kept apart from this machine's own, one folder for each processor.
        kept = self._folder / "caches" / processor
        variables = {
            **{name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG", "TMPDIR")},
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT / "tools"), str(self.packages)]),
            "PYTHONPYCACHEPREFIX": str(kept / "bytecode"),
            "NUMBA_CACHE_DIR": str(kept / "numba"),
        }
        line = [EMULATOR, "-cpu", processor, "-L", str(self.userland), str(self._python()), *command]
        return subprocess.run(line, env=variables, cwd=ROOT, text=True, stdout=output, check=False)

    def _python(self) -> Path:
        """Return the interpreter, with the number of its version in its name."""
        return next(path for path in (self.userland / "usr" / "bin").glob("python3.*") if path.name.count(".") == 1)


def _debian_archives(folder: Path) -> list[Path]:
    """Download Python for arm64 and all that it depends on, from this system's package sources."""
    for needed in ("state/lists/partial", "cache/archives/partial"):
        (folder / needed).mkdir(parents=True, exist_ok=True)
    (folder / "status").touch()  # nothing is installed there, so every dependency is downloaded
    settings = {
        "APT::Architecture": "arm64",
        "APT::Architectures": "arm64",
        "APT::Install-Recommends": "false",
        "APT::Sandbox::User": "",
        "Dir::State": folder / "state",
        "Dir::State::status": folder / "status",
        "Dir::Cache": folder / "cache",
    }
    written = folder / "apt.conf"
    written.write_text("".join(f'{name} "{value}";\n' for name, value in settings.items()), encoding="utf-8")
    variables = {**os.environ, "APT_CONFIG": str(written)}
    subprocess.run(["apt-get", "-qq", "update"], env=variables, check=True)
    line = ["apt-get", "-qq", "--yes", "--download-only", "install", *PACKAGES]
    subprocess.run(line, env=variables, check=True, stdout=subprocess.DEVNULL)
    return sorted((folder / "cache" / "archives").glob("*.deb"))


def _install_wheels(folder: Path, version: str) -> None:
    """Unpack what the package needs, as built for aarch64 and that version of Python."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    platforms = (option for name in PLATFORMS for option in ("--platform", name))
    line = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:"]
    line += ["--python-version", version, "--target", str(folder), *platforms]
    subprocess.run([*line, *project["dependencies"], *TESTS_NEED], check=True)


def differing(machine: Machine, kind: str) -> list[str]:
    """Return the methods that draw something else on a kind of aarch64 than the committed digests say."""
    processor, arguments = KINDS[kind]
    print(f"On {processor}, {' '.join(arguments)}:", flush=True)
    done = machine.run(processor, [str(SCRIPT), *arguments], output=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"The digests could not be made on {processor}: see above.")
    drawn = json.loads(done.stdout)
    committed = json.loads(SCRIPT.with_name("digests.json").read_text(encoding="utf-8"))
    for name in committed:
        print(f"  {name}: {'the same' if drawn.get(name) == committed[name] else 'DIFFERENT'}", flush=True)
    return [name for name in committed.keys() | drawn.keys() if committed.get(name) != drawn.get(name)]


def main() -> None:
    """Build the machine where it is missing, and draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="keep everything there; by default a temporary folder is used")
    parser.add_argument("--kind", choices=list(KINDS), action="append", help="by default all")
    parser.add_argument("command", nargs="*", help="after --: arguments of Python, run instead of the digests")
    options = parser.parse_args()
    for program, package in PROGRAMS.items():
        if shutil.which(program) is None:
            parser.error(f"{program} is needed: install it with your system's packages (Debian: {package})")
    with tempfile.TemporaryDirectory(prefix="aarch64-") as temporary:
        machine = Machine((options.folder or Path(temporary)).resolve())
        machine.build()
        kinds = options.kind or list(KINDS)
        if options.command:
            sys.exit(max(machine.run(KINDS[kind][0], options.command).returncode for kind in kinds))
        wrong = [name for kind in kinds for name in differing(machine, kind)]
    sys.exit(f"Drawn otherwise on aarch64: {', '.join(sorted(set(wrong)))}" if wrong else None)


if __name__ == "__main__":
    main()
