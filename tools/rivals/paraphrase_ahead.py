"""SmolLM2's paraphrases for a whole comparison at once, on an accelerator: what `paraphrase.py` asks, in large batches.

    python tools/rivals/list_releases.py DATA LISTED --ground imdb62-10
    python tools/rivals/paraphrase_ahead.py MODEL.gguf LISTED WRITTEN
    python tools/rivals/paraphrase.py --written WRITTEN --seed 1 < documents

Needs torch, transformers, accelerate and gguf. It has the same weights, prompt, cutting of sentences, length of answers
and way of drawing (the 40 likeliest tokens, of these 95 % of the probability, of these all with at least 5 % of the
largest one, then the temperature), and each sentence draws by the numbers that llama.cpp would make of its seed. What
differs is rounding: llama.cpp computes with activations of 8 bits, torch with floats of 32. So the law is the same but
for that, and single texts differ.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from paraphrase import CONTEXT, PROMPT, assembled, first_line, most_tokens, sentence_seed, sentences

TOP_K, TOP_P, MIN_P = 40, 0.95, 0.05  # llama.cpp's own settings, which paraphrase.py leaves as they are
ENDS = ("<|im_end|>", "<|endoftext|>")


@dataclass(frozen=True)
class Question:
    """A sentence to paraphrase.

    Attributes:
        place: Its place among all sentences.
        prompt: Its tokens, with the prompt around it.
        most: Tokens that the answer may have.
        seed: Of its draws.
    """

    place: int
    prompt: list[int]
    most: int
    seed: int


def uniforms(seed: int, count: int) -> NDArray[np.float64]:
    """Return numbers from 0 to 1 as C++ makes them: `uniform_real_distribution<double>` over `mt19937`."""
    bits = np.random.RandomState(seed).randint(0, 2**32, 2 * count, dtype=np.uint32).astype(np.float64)
    numbers: NDArray[np.float64] = np.minimum((bits[::2] + bits[1::2] * 2.0**32) / 2.0**64, np.nextafter(1.0, 0.0))
    return numbers


def draw(logits: torch.Tensor, numbers: torch.Tensor, temperature: float) -> torch.Tensor:
    """Return a token for each row: llama.cpp's chain of samplers, in its order."""
    values, tokens = logits.double().topk(min(TOP_K, logits.shape[1]), dim=1)
    if temperature == 0:
        return tokens[:, 0]
    shares = values.softmax(1)
    before = shares.cumsum(1) - shares
    kept = (before < TOP_P) & (values >= values[:, :1] + np.log(MIN_P))
    shares = values.div(temperature).masked_fill(~kept, -torch.inf).softmax(1)
    reached = shares.cumsum(1) >= numbers[:, None].to(shares)
    last = kept.sum(1) - 1  # where rounding keeps the sum below the number
    chosen = torch.where(reached.any(1), reached.int().argmax(1), last)
    return tokens.gather(1, chosen[:, None])[:, 0]


class Model:
    """The model on a device.

    Args:
        path: Its GGUF file.
        device: Where to compute, such as `cuda`.
    """

    def __init__(self, path: Path, device: str) -> None:
        from transformers import AutoModelForCausalLM, AutoTokenizer  # type: ignore[import-not-found]

        where: dict[str, Any] = {"pretrained_model_name_or_path": str(path.parent), "gguf_file": path.name}
        self._tokenizer = AutoTokenizer.from_pretrained(**where)
        self._model = AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32).to(device).eval()
        self._device = device
        self._ends = torch.tensor(self._tokenizer.convert_tokens_to_ids(list(ENDS)), device=device)

    def prompt(self, sentence: str) -> list[int]:
        """Return the tokens of the question about a sentence."""
        asked = [{"role": "user", "content": PROMPT.format(sentence=sentence)}]
        text = self._tokenizer.apply_chat_template(asked, tokenize=False, add_generation_prompt=True)
        tokens: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return tokens

    @torch.inference_mode()
    def answers(self, questions: Sequence[Question], temperature: float) -> list[str]:
        """Return what the model says to each question; shorter ones are padded on the left."""
        width, steps = max(len(each.prompt) for each in questions), max(each.most for each in questions)
        rows = [[0] * (width - len(each.prompt)) + each.prompt for each in questions]
        tokens = torch.tensor(rows, device=self._device)
        lengths = torch.tensor([len(each.prompt) for each in questions], device=self._device)
        mask = (torch.arange(width, device=self._device) >= width - lengths[:, None]).long()
        numbers = torch.tensor(np.stack([uniforms(each.seed, steps) for each in questions]), device=self._device)
        limits = torch.tensor([each.most for each in questions], device=self._device)
        finished = torch.zeros(len(questions), dtype=torch.bool, device=self._device)
        cache, said = None, []
        positions = (mask.cumsum(1) - 1).clamp(min=0)
        for step in range(steps):
            out = self._model(
                input_ids=tokens,
                attention_mask=mask,
                position_ids=positions,
                past_key_values=cache,
                use_cache=True,
                logits_to_keep=1,
            )
            cache = out.past_key_values
            drawn = draw(out.logits[:, -1], numbers[:, step], temperature)
            finished |= torch.isin(drawn, self._ends) | (step >= limits)
            said.append(torch.where(finished, -1, drawn))
            if finished.all():
                break
            tokens, positions = drawn[:, None], positions[:, -1:] + 1
            mask = torch.cat([mask, torch.ones_like(mask[:, :1])], 1)
        columns = torch.stack(said, 1).tolist()
        return [self._tokenizer.decode([token for token in row if token >= 0]) for row in columns]


def asked(model: Model, flat: Sequence[str], seeds: Sequence[int]) -> list[Question]:
    """Return the questions that fit into the model's context, those with long answers first."""
    questions = []
    for place, (sentence, seed) in enumerate(zip(flat, seeds, strict=True)):
        prompt = model.prompt(sentence)
        if len(prompt) < CONTEXT:
            questions.append(Question(place, prompt, min(most_tokens(sentence), CONTEXT - len(prompt)), seed))
    return sorted(questions, key=lambda each: (each.most, len(each.prompt)), reverse=True)


def batches(questions: Sequence[Question], size: int) -> Iterator[Sequence[Question]]:
    """Cut the questions into batches."""
    return (questions[start : start + size] for start in range(0, len(questions), size))


def paraphrased(model: Model, records: Sequence[dict[str, Any]], temperature: float, size: int) -> list[str]:
    """Return a paraphrase for each record."""
    split = [sentences(record["text"]) for record in records]
    flat = [sentence for own in split for sentence in own]
    seeds = [
        sentence_seed(record["draw"], record["row"], place)
        for record, own in zip(records, split, strict=True)
        for place in range(len(own))
    ]
    said = [""] * len(flat)
    done, began = 0, time.monotonic()
    for batch in batches(asked(model, flat, seeds), size):
        for question, text in zip(batch, model.answers(batch, temperature), strict=True):
            said[question.place] = first_line(text)
        done += len(batch)
        print(f"{done:,} of {len(flat):,} sentences, {time.monotonic() - began:.0f} s", flush=True)
    return assembled(split, said)


def main() -> None:
    """Read, ask, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path, metavar="MODEL.gguf")
    parser.add_argument("listed", type=Path, metavar="LISTED", help="what list_releases.py wrote")
    parser.add_argument("written", type=Path, metavar="WRITTEN", help="what to write")
    parser.add_argument("--temperature", type=float, default=0.7)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--batch", type=int, default=1024, help="sentences at a time (%(default)s)")
    parser.add_argument("--first", type=int, help="of the listed texts so many alone, to try it out")
    chosen = parser.parse_args()
    records = [json.loads(line) for line in chosen.listed.read_text("utf-8").splitlines()][: chosen.first]
    model = Model(chosen.model, chosen.device)
    answers = paraphrased(model, records, chosen.temperature, chosen.batch)
    with chosen.written.open("w", encoding="utf-8") as lines:
        for record, answer in zip(records, answers, strict=True):
            written = record | {"temperature": chosen.temperature, "answer": " ".join(answer.split())}
            lines.write(f"{json.dumps(written, ensure_ascii=False)}\n")


if __name__ == "__main__":
    main()
