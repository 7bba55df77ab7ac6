"""Model folders: complete ones open, anything missing, changed or unlisted is refused."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from allonym import models
from allonym.errors import ModelError
from allonym.vectors import embeddings


@pytest.fixture
def folder(tmp_path) -> Path:
    root = tmp_path / "mine"
    root.mkdir()
    save_file({"vectors": np.eye(3, dtype=np.int8)}, root / "weights.safetensors")
    (root / "config.json").write_text(
        json.dumps({"name": "mine", "format": "word-table", "scale": 0.5}), encoding="utf-8"
    )
    (root / "CARD.md").write_text("# mine\n", encoding="utf-8")
    (root / "vocabulary.txt").write_text("a\nb\nc\n", encoding="utf-8")
    models.seal(root)
    return root


def refused(folder: Path, pattern: str) -> None:
    with pytest.raises(ModelError, match=pattern) as caught:
        models.verify(folder)
    report = models.check(folder)
    assert not report.ok
    assert report.problem == str(caught.value)
    assert str(caught.value).endswith(".")
    with pytest.raises(ModelError):
        models.open_tensors(folder)
    with pytest.raises(ModelError):
        models.open_tensors(report)


def test_complete_folder(folder):
    model = models.verify(folder)
    assert model.ok
    assert model.name == "mine"
    assert model.card == "# mine\n"
    assert model.files == ("CARD.md", "config.json", "vocabulary.txt", "weights.safetensors")
    assert model.size_bytes == sum(path.stat().st_size for path in folder.iterdir())
    assert models.open_tensors(model)["vectors"].dtype == np.int8
    table = embeddings.load(folder)
    assert table.words == ("a", "b", "c")
    np.testing.assert_array_equal(table.vectors, np.eye(3) / 2)
    with pytest.raises(TypeError):
        model.config["name"] = "other"


def test_checksums_are_what_sha256sum_writes(folder):
    if shutil.which("sha256sum") is None:
        pytest.skip("sha256sum is not installed")
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256"], cwd=folder, check=True)


def test_find(folder, monkeypatch):
    assert models.find("words-en").name == "words-en"
    assert models.find(folder) == folder
    assert models.find(str(folder)) == folder
    for absent in ("no-such-model", folder / "absent", ""):
        with pytest.raises(ModelError, match="words-en"):
            models.find(absent)
    monkeypatch.chdir(folder.parent)
    assert models.find("mine") == Path("mine")


@pytest.mark.parametrize("name", ["weights.safetensors", "config.json", "CARD.md", "vocabulary.txt"])
def test_every_file_is_guarded(folder, name):
    original = (folder / name).read_bytes()
    (folder / name).write_bytes(original[:-1] + bytes([original[-1] ^ 1]))
    refused(folder, "does not match its checksum")
    (folder / name).unlink()
    refused(folder, "lacks")


@pytest.mark.parametrize("name", ["extra.txt", ".hidden", "code.py", "deeper/extra.txt"])
def test_unlisted_file(folder, name):
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("x", encoding="utf-8")
    refused(folder, "does not list")


@pytest.mark.parametrize("suffix", [".pkl", ".pt", ".bin", ".pickle", ".joblib", ".PKL"])
def test_pickle_is_refused_even_when_listed(folder, suffix):
    (folder / f"weights{suffix}").write_bytes(b"\x80\x04.")
    refused(folder, "pickle")
    with pytest.raises(ModelError, match="pickle"):
        models.seal(folder)
    refused(folder, "pickle")


@pytest.mark.parametrize("name", ["config.json", "weights.safetensors", "CARD.md"])
def test_incomplete_folder_cannot_be_sealed(folder, name):
    (folder / name).unlink()
    with pytest.raises(ModelError, match=name):
        models.seal(folder)


def test_malformed_checksum_file(folder):
    good = (folder / "SHA256").read_text(encoding="utf-8")
    digest = "0" * 64
    for bad in [
        "nonsense\n",
        f"{digest} *config.json\n",
        f"{digest[:-1]}  x\n",
        f"{digest}  ../x\n",
        f"{digest}  /x\n",
    ]:
        (folder / "SHA256").write_text(good + bad, encoding="utf-8")
        refused(folder, "Line 5")
    (folder / "SHA256").write_text(good + good, encoding="utf-8")
    refused(folder, "Line 5")
    (folder / "SHA256").write_bytes(b"\xff\xfe")
    refused(folder, "UTF-8")
    (folder / "SHA256").unlink()
    refused(folder, "has no SHA256")


@pytest.mark.parametrize("config", ["", "{", "[1]", "null", "[" * 100_000])
def test_malformed_config(folder, config):
    (folder / "config.json").write_text(config, encoding="utf-8")
    with pytest.raises(ModelError, match="JSON"):
        models.seal(folder)


def test_fuzzed_weights_raise_model_errors_only(folder):
    weights = folder / "weights.safetensors"
    original = weights.read_bytes()
    damaged = [original[:cut] for cut in range(0, len(original), 5)]
    for position in range(len(original) - 9):  # header bytes; changed values of a tensor are still a tensor
        for value in (0, 255, original[position] ^ 4):
            damaged.append(original[:position] + bytes([value]) + original[position + 1 :])
    damaged.append(b"\xff" * 64)
    refusals = 0
    for data in damaged:
        weights.write_bytes(data)
        models.seal(folder)
        try:
            embeddings.load(folder)
        except ModelError:
            refusals += 1
    assert refusals > len(damaged) * 0.8


@pytest.mark.parametrize(
    "config",
    [
        {"format": "other"},
        {},
        {"format": "word-table", "scale": "x"},
        {"format": "word-table", "scale": None},
    ],
)
def test_folder_that_is_no_word_table(folder, config):
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    models.seal(folder)
    with pytest.raises(ModelError, match="word table"):
        embeddings.load(folder)


def test_vocabulary_must_fit(folder):
    for words in ("a\nb\n", "a\nb\nb\n", "a\n\nc\n"):
        (folder / "vocabulary.txt").write_text(words, encoding="utf-8")
        models.seal(folder)
        with pytest.raises(ModelError, match="malformed"):
            embeddings.load(folder)


@pytest.mark.parametrize("name", models.shipped())
def test_shipped_models_verify(name):
    model = models.verify(name)
    assert model.name == name
    assert model.size_bytes < 15_000_000
    assert "Licences" in model.card


def test_words_en_is_shipped_and_small():
    assert "words-en" in models.shipped()
    model = models.verify("words-en")
    assert model.size_bytes <= 6_000_000
    table = embeddings.load("words-en")
    assert model.config["words"] == len(table)
    assert model.config["dimensions"] == table.dimensions
    assert model.config["scores"]["all_pairs"]["simlex999"]["spearman"] > 0.4


def test_import_is_cheap():
    code = "import sys, allonym.models; print('numpy' in sys.modules, 'safetensors' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
