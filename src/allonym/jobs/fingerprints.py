"""What must be the same for a job to be resumed: the input, the settings, and everything that draws.

Digests are keyed with the job's secret key, so that the record of a job cannot be used to test guesses of its input.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from allonym import __version__
from allonym.errors import AllonymError
from allonym.randomness import insecure

if TYPE_CHECKING:
    from allonym.anonymizers.base import Anonymizer
    from allonym.formats.files import Documents
    from allonym.randomness import Rng

_DRAWING = ("cryptography", "numpy", "scipy", "simplemma")  # what a draw goes through
_PROBE = "On some mornings we walked to the old harbour and counted ships, birds and letters until it rained."
_PROBED_TERMS = 64


def of_input(documents: Documents, key: bytes) -> str:
    """Return a digest of all bytes of an input: of a folder, of the names and contents of the texts in it."""
    digest = hashlib.blake2b(key=key)
    source = Path(documents.source)
    if documents.format.holds != "files":
        _add_file(digest, source)
        return digest.hexdigest()
    for batch in documents:
        for name in batch.ids:
            _add_text(digest, name)
            _add_file(digest, source / name)
    return digest.hexdigest()


def of_anonymizer(anonymizer: Anonymizer, key: bytes) -> dict[str, Any]:
    """Return what an anonymizer is: its parameters, the files they name, its promise, and what it draws for a probe.

    Privacy: spends nothing; the probe is public.
    """
    from allonym.jobs.plan import plain_parameter

    digest = hashlib.blake2b(key=key)
    digest.update(anonymizer.settings_digest())  # noise is keyed by it
    _add_text(digest, anonymizer.guarantee().to_json())
    probe = _PROBE
    if anonymizer.kind == "vectors":
        names = [str(name) for name in anonymizer.get_feature_names_out()]
        _add_text(digest, json.dumps(names))
        probe += " " + " ".join(names[:: max(1, len(names) // _PROBED_TERMS)])
    _add_text(digest, _drawn(anonymizer, probe))
    digest.update(of_files(anonymizer))
    plain = {name: plain_parameter(value) for name, value in anonymizer.get_params().items()}
    return {"method": anonymizer.method, "parameters": plain, "law": digest.hexdigest()}


def of_files(anonymizer: Anonymizer) -> bytes:
    """Return a digest of the files that the parameters name, such as a model; nothing where they name none."""
    values = [value for _, value in sorted(anonymizer.get_params().items()) if isinstance(value, str | Path)]
    files = [path for value in values if os.path.exists(value) for path in _files(Path(value))]
    digest = hashlib.blake2b(digest_size=32)
    for path in files:
        _add_file(digest, path)
    return digest.digest() if files else b""


def of_origin(rng: Rng, key: bytes) -> str:
    """Return what tells whether a job's key came from this stream."""
    return hashlib.blake2b(rng.key, key=key).hexdigest()


def _drawn(anonymizer: Anonymizer, probe: str) -> str:
    """Return what an anonymizer draws for public texts under a public seed, or by what error it fails."""
    try:
        return json.dumps(anonymizer.release([probe, ""], rng=insecure(0)).texts())
    except AllonymError:
        raise
    except Exception as error:  # a document it fails on is the job's business, and a probe is none of its documents
        return type(error).__name__


def of_versions() -> dict[str, str]:
    """Return the versions of everything a draw goes through."""
    versions = {"allonym": __version__, "python": ".".join(platform.python_version_tuple()[:2])}
    for name in _DRAWING:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "absent"
    return versions


def _files(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())


def _add_file(digest: Any, path: Path) -> None:  # noqa: ANN401 - a hash
    with open(path, "rb") as file:
        size = 0
        while block := file.read(1 << 20):
            digest.update(block)
            size += len(block)
    digest.update(size.to_bytes(8, "big"))


def _add_text(digest: Any, text: str) -> None:  # noqa: ANN401 - a hash
    content = text.encode("utf-8", "surrogatepass")
    digest.update(content + len(content).to_bytes(8, "big"))
