"""`allonym models`: what is shipped is listed and verified, and a model that was tampered with is found out."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from allonym import models


@pytest.fixture
def copied(tmp_path) -> Path:
    """A copy of the shipped model, for tests to spoil."""
    return Path(shutil.copytree(models.find("words-en"), tmp_path / "copy"))


def test_models_are_listed_and_verified(command, copied):
    listed = command("models", "list").done()
    assert "words-en" in listed.out
    [row] = [row for row in command("models", "list", "--json").json if row["name"] == "words-en"]
    assert (row["name"], row["format"]) == ("words-en", models.verify("words-en").config["format"])
    assert row["bytes"] == sum(path.stat().st_size for path in copied.iterdir())
    assert set(row["files"]) >= {"CARD.md", "config.json", "weights.safetensors"}
    assert command("models", "verify").done().out == "".join(f"{name}: ok\n" for name in models.shipped())
    assert command("models", "verify", "words-en", copied, "--json").json == {"words-en": "ok", str(copied): "ok"}


@pytest.mark.parametrize("spoil", ["change a byte", "change the card", "remove", "add", "pickle", "cut checksums"])
def test_tampered_model_fails_verification(spoil, command, copied):
    weights = copied / "weights.safetensors"
    if spoil == "change a byte":
        content = bytearray(weights.read_bytes())
        content[-1] ^= 1
        weights.write_bytes(content)
    elif spoil == "change the card":
        (copied / "CARD.md").write_text("harmless", encoding="utf-8")
    elif spoil == "remove":
        weights.unlink()
    elif spoil == "add":
        (copied / "more.json").write_text("{}", encoding="utf-8")
    elif spoil == "pickle":
        (copied / "weights.pkl").write_bytes(b"\x80\x04.")
    else:
        (copied / "SHA256").write_bytes((copied / "SHA256").read_bytes()[:40])
    for talk in ([], ["--json"]):
        result = command("models", "verify", copied, "words-en", *talk)
        assert result.code == 2
        assert result.err.startswith("allonym: ")
        assert len(result.err.splitlines()) == 1
    assert result.json["words-en"] == "ok"
    assert result.json[str(copied)] != "ok"
    command("guarantee", "--method", "syntf", "--embeddings", copied, "--words", "5").refused()


def test_absent_model_fails_verification(command, tmp_path):
    result = command("models", "verify", tmp_path / "absent", "--json")
    assert result.code == 2
    assert "no model folder" in result.json[str(tmp_path / "absent")]
