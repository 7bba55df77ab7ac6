"""Attackers on disk: a folder with JSON and safetensors, checked by SHA-256. No pickle."""

from __future__ import annotations

import json
from pathlib import Path

from allonym import attackers, disk
from allonym.attackers.base import Attacker
from allonym.errors import ModelError

_FORMAT = "allonym attacker 1"
_FILES = ("attacker.json", "weights.safetensors")


def save(attacker: Attacker, folder: str | Path) -> None:
    """Write a fitted attacker to a folder, which is made if need be.

    What it learned tells of its training texts: an n-gram attacker keeps their n-grams. Treat the folder like them.
    """
    from safetensors.numpy import save_file

    path = Path(folder)
    path.mkdir(parents=True, exist_ok=True)
    state, arrays = attacker._state()
    content = {
        "format": _FORMAT,
        "name": attacker.name,
        "parameters": {key: _plain(value) for key, value in attacker.get_params().items()},
        "classes": attacker.classes_.tolist(),
        "state": state,
    }
    # Escaped: an n-gram may hold half a surrogate pair, which UTF-8 cannot.
    (path / _FILES[0]).write_text(json.dumps(content), encoding="utf-8")
    save_file(arrays, path / _FILES[1])
    sums = [f"{disk.digest(path / file)}  {file}\n" for file in _FILES]
    (path / "SHA256").write_text("".join(sums), encoding="utf-8")


def load(folder: str | Path) -> Attacker:
    """Read an attacker that `save` wrote."""
    import numpy as np
    from safetensors.numpy import load_file

    path = Path(folder)
    try:
        lines = (path / "SHA256").read_text("utf-8").splitlines()
        sums = {file: checksum for checksum, _, file in (line.partition("  ") for line in lines)}
        for file in _FILES:
            if sums[file] != disk.digest(path / file):
                raise ModelError(f"{file} of the saved attacker is not as it was written; train it again.")
        content = json.loads((path / _FILES[0]).read_text("utf-8"))
        if content["format"] != _FORMAT:
            raise ModelError("The saved attacker has a format this version does not know; train it again.")
        attacker = attackers.make(content["name"], **content["parameters"])
        attacker.classes_ = np.array(content["classes"])
        attacker._restore(content["state"], load_file(path / _FILES[1]))
    except (OSError, KeyError, ValueError, TypeError) as error:
        raise ModelError(f"There is no complete saved attacker in {path}; train it again.") from error
    return attacker


def _plain(value: object) -> object:
    return str(value) if isinstance(value, Path) else value
