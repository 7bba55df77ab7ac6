"""For all tests."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

# Two workers with two threads each on two cores spend their time waiting for each other, in torch above all.
# Set before torch and the matrix libraries are loaded, and inherited by the programs that tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")

PATIENCE = 900.0  # seconds; a loaded machine takes its time, so a limit is there to end what hangs and for nothing else

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture
def benchmark_script(monkeypatch):
    """Take a script of the benchmarks as a module."""

    def take(name: str):
        if not BENCHMARKS.is_dir():
            pytest.skip("the benchmarks are not here")
        monkeypatch.syspath_prepend(str(BENCHMARKS))
        found = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{name}.py")
        module = importlib.util.module_from_spec(found)
        monkeypatch.setitem(sys.modules, name, module)
        found.loader.exec_module(module)
        return module

    return take


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Keep torch to one thread: on busy cores its threads wait for each other longer than such small sums take."""
    if find_spec("torch") is None:
        yield
        return
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


_PARTS = (
    ("the old teacher", "my kind neighbour", "the tired doctor", "her younger brother", "the cheerful cook",
     "a careful driver", "the local farmer"),
    ("opened", "closed", "painted", "lost", "found", "sold", "bought", "moved", "cleaned", "watched",
     "did not repair"),
    ("the wooden door", "the kitchen window", "a long letter", "the blue car", "a red chair", "the quiet garden",
     "a heavy book", "the fishing boat", "the broken lamp"),
    ("in the morning", "after lunch", "before dinner", "with great pleasure", "in the rain", "near the river",
     "behind the school", "for the village market"),
)  # fmt: skip


@pytest.fixture(scope="session")
def plain_texts() -> list[str]:
    """Return texts of a few words, from which a tiny network learns much in a second."""
    sentences = [
        " ".join(part[number * step % len(part)] for part, step in zip(_PARTS, (1, 3, 5, 3), strict=True)).capitalize()
        for number in range(480)
    ]
    texts = [". ".join(sentences[start : start + 4]) + "." for start in range(0, 480, 4)]
    return [f"{text} It was day {number + 20}." for number, text in enumerate(texts)]


@pytest.fixture(scope="session")
def small_writer(plain_texts, tmp_path_factory) -> Path:
    """Return the folder of a tiny network of Ghostwriter's, trained on these texts."""
    if find_spec("torch") is None or find_spec("tokenizers") is None:
        pytest.skip("training needs torch and tokenizers (pip install 'allonym[neural,translate]')")
    import torch

    from allonym.training.ghostwriter.corpus import prepare
    from allonym.training.ghostwriter.own_text import WriterRecipe, train
    from allonym.training.keeping import Watcher

    recipe = WriterRecipe(
        start="nothing",
        size="tiny",
        notes=120,
        pieces=300,
        candidates=2,
        slots=8,
        loss_per_word=8.0,
        epochs=20,
        batch=16,
    )
    corpus = prepare(
        [(None, text) for text in plain_texts],
        notes=recipe.notes, pieces=recipe.pieces, shared_by=recipe.shared_by, held_out=0.1, seed=1,
        from_translation=False,
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("models") / "small-writer"
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    train(corpus, recipe, folder, device=torch.device("cpu"), resume=False, watcher=Watcher())
    torch.set_num_threads(before)
    return folder
