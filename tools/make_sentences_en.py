"""Make the model folder `sentences-en`: the encoder by which commonplace finds what is near in meaning.

    python tools/make_sentences_en.py teach --data ../shared/data --work DIR
    python tools/make_sentences_en.py fit --work DIR

The first command chooses public sentences and has them read by MiniLM (the extra `semantics`), 5,000 at a time, which
takes about a minute each on a core; it may be interrupted and run again. The second learns rows of numbers whose sum
has the direction of MiniLM's vector, in some minutes on one core, and ships them in whole numbers. It needs torch.

Sentences are from film reviews of 30 authors (neither the ten that are reported, nor those of whom settings are
chosen), blog posts of the training bloggers, and newsgroup messages of training authors who are not attacked.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from allonym import models
from allonym.books.book import Book
from allonym.language import sequences
from allonym.metrics import _minilm
from allonym.metrics.universal_encoder import meaning_use
from allonym.networks.sentences.encoder import DEFAULT, FORMAT, LARGEST, VERSION, SentenceEncoder
from allonym.networks.sentences.text import SentenceFeatures, tokens
from allonym.papers.corpora import blogs, imdb62, newsgroups20
from allonym.papers.ruler.grounds import review

FOLDER = Path(models.__file__).parent / DEFAULT
CARD = Path(__file__).with_name("sentences_en_card.md")
SEED = 5
CHUNK = 5_000
LEARNED, BOOK, MEASURED = slice(20, 50), slice(50, 62), slice(10, 20)  # reviewers, in the order of their numbers
REVIEWS, POSTS, MESSAGES = 45_000, 35_000, 20_000  # sentences that are learned from
MOST_POSTS = 12_000
TAUGHT = 55_000  # of those chosen, which are in no order
IN_BOOK, TEXTS, USED = 25_000, 200, 60  # the last, as it takes seconds, of texts judged by USE
MOST_WORDS = 30_000
WORDS, PAIRS, LETTERS, DIMENSIONS = 24_000, 20_000, 6_000, 192
EPOCHS, BATCH, RATE, BETWEEN, LEFT_OUT = 7, 256, 0.002, 0.1, 0.05
_RARE = 1e-3  # share of all words from which on a word counts less from the beginning
_ENDS = {".", "!", "?", "..."}

Floats = NDArray[np.float32]


def main() -> None:
    """Do the part that was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("part", choices=["teach", "fit"])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    given = parser.parse_args()
    if given.part == "fit":
        fit(given.work)
    elif given.data is None:
        parser.error("teach needs --data")
    else:
        given.work.mkdir(parents=True, exist_ok=True)
        teach(given.data, given.work)


def teach(data: Path, work: Path) -> None:
    """Choose sentences and words, and write MiniLM's vectors of them; what is there already is not made again."""
    chosen = _once(work / "sentences.json", lambda: chosen_sentences(data))
    words = _once(work / "words.json", lambda: chosen_words(data, chosen["learned"]))
    listed = {"words": words[0], "documents": [" ".join(text) for text in chosen["texts"]]}
    listed["texts"] = [sentence for text in chosen["texts"] for sentence in text]
    for part in ("book", "learned"):
        some = chosen[part][:TAUGHT]
        for start in range(0, len(some), CHUNK):
            listed[f"{part}-{start // CHUNK:02d}"] = some[start : start + CHUNK]
    for name, texts in listed.items():
        if not (work / f"{name}.npy").exists():
            np.save(work / f"{name}.npy", _minilm.encoder().encode(texts).astype(np.float16))
            print(name, len(texts), flush=True)


def _once(path: Path, make: Callable[[], Any]) -> Any:  # noqa: ANN401 - what JSON holds
    if not path.exists():
        path.write_text(json.dumps(make()), "utf-8")
    return json.loads(path.read_text("utf-8"))


def chosen_sentences(data: Path) -> dict[str, Any]:
    """Return the sentences that are learned from; and, to measure with, a book of others and texts of still others."""
    order = random.Random(SEED)
    corpus = imdb62.load(data)
    names = sorted(set(corpus.authors), key=int)

    def rows_of(reviewers: slice) -> list[int]:
        authors = set(names[reviewers])
        rows = [row for row, author in enumerate(corpus.authors) if author in authors]
        order.shuffle(rows)
        return rows

    def reviews(reviewers: slice, most: int) -> list[str]:
        found: list[str] = []
        for row in rows_of(reviewers):
            found += [s for s in review_sentences(corpus.texts[row])[:-1] if _usable(s)]  # the last may be a sign-off
            if len(found) > 3 * most:
                break
        return _sample(order, found, most)

    learned, book = reviews(LEARNED, REVIEWS), reviews(BOOK, IN_BOOK)
    texts = [sequences.cut(review(corpus.texts[row])) for row in rows_of(MEASURED)[:TEXTS]]
    learned += _sample(order, _post_sentences(data, order), POSTS)
    learned += _sample(order, _message_sentences(data, order), MESSAGES)
    order.shuffle(learned)
    return {"learned": learned, "book": book, "texts": texts}


def _usable(sentence: str) -> bool:
    return 4 <= len(sentence.split()) <= 32 and sentence.isascii()


def _sample(order: random.Random, sentences: Iterable[str], most: int) -> list[str]:
    listed = sorted(set(sentences))
    order.shuffle(listed)
    return listed[:most]


def review_sentences(text: str) -> list[str]:
    """Return the whole sentences of a review, whose words and marks stand apart, in ordinary spacing."""
    found, sentence = [], list[str]()
    for token in text.split():
        sentence.append(token)
        if token in _ENDS:
            found.append(sequences.write(sentence))
            sentence = []
    return found


def _post_sentences(data: Path, order: random.Random) -> Iterator[str]:
    corpus = blogs.load(data)
    rows = [row for row, split in enumerate(corpus.splits) if split == "train"]
    order.shuffle(rows)
    for row in rows[:MOST_POSTS]:
        yield from [sentence for sentence in sequences.cut(corpus.texts[row]) if _usable(sentence)][:12]


def _message_sentences(data: Path, order: random.Random) -> Iterator[str]:
    corpus = newsgroups20.load(data)
    attacked = set(newsgroups20.SCENARIOS[1].authors(corpus))
    rows = [row for row, train in enumerate(corpus.train) if train and corpus.authors[row] not in attacked]
    order.shuffle(rows)
    for row in rows:
        usable = [sentence for sentence in sequences.cut(corpus.texts[row]) if _usable(sentence)]
        yield from (sentence.replace("\n", " ") for sentence in usable[:10])


def chosen_words(data: Path, sentences: list[str]) -> tuple[list[str], list[int]]:
    """Return the vocabulary, the most frequent words first, and how often each occurs."""
    counts = Counter[str]()
    corpus = blogs.load(data)
    for text, split in zip(corpus.texts, corpus.splits, strict=True):
        if split == "train":
            counts.update(set(tokens(text[:3000])))
    for sentence in sentences:
        for token in tokens(sentence):
            counts[token] += 5
    frequent = counts.most_common(MOST_WORDS)
    return [word for word, _ in frequent], [count for _, count in frequent]


def fit(work: Path) -> None:
    """Learn the rows, round them, measure, and write the model folder."""
    chosen, (words, counts) = _once(work / "sentences.json", dict), _once(work / "words.json", dict)
    teacher = np.concatenate([_vectors(path) for path in sorted(work.glob("learned-*.npy"))])
    sentences = chosen["learned"][: len(teacher)]
    axes = _axes(teacher)
    features = SentenceFeatures(tuple(words[:WORDS]), PAIRS, LETTERS)
    begin = np.zeros((len(features), DIMENSIONS), np.float32)
    begin[: len(features.words)] = _beginning(_vectors(work / "words.npy")[:WORDS] @ axes, counts[:WORDS])
    rows = _learned(features, begin, sentences, unit(teacher @ axes))
    encoder = SentenceEncoder(features, *_whole(rows))
    facts = {"learned_from": len(sentences)} | measured(encoder, work, chosen)
    print(facts)
    _write(encoder, facts)


def _vectors(path: Path) -> Floats:
    vectors: Floats = np.load(path).astype(np.float32)
    return vectors


def unit(vectors: Floats) -> Floats:
    """Return vectors at length 1."""
    scaled: Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return scaled


def _axes(teacher: Floats) -> Floats:
    """Return the directions in which sentences differ most."""
    axes, _, _ = np.linalg.svd(teacher.T @ teacher)
    return axes[:, :DIMENSIONS]


def _beginning(vectors: Floats, counts: list[int]) -> Floats:
    """Return what training begins with: MiniLM's vectors of single words, frequent words made small."""
    shares = np.array(counts) / sum(counts)
    centred = unit(vectors)
    centred -= centred.mean(axis=0)
    return centred * (_RARE / (_RARE + shares))[:, None].astype(np.float32)


def _learned(features: SentenceFeatures, begin: Floats, sentences: list[str], targets: Floats) -> Floats:
    """Return rows whose sums have the direction of the targets, and are as far from each other."""
    import torch

    flat, counts = features.of_all(sentences)
    starts = np.cumsum(counts) - counts
    bag = torch.nn.EmbeddingBag.from_pretrained(torch.from_numpy(begin), freeze=False, mode="sum", sparse=True)
    optimizer = torch.optim.SparseAdam(bag.parameters(), lr=RATE)
    generator = torch.Generator().manual_seed(SEED)
    usable, wanted = np.flatnonzero(counts > 0), torch.from_numpy(targets)
    for epoch in range(EPOCHS):
        for group in optimizer.param_groups:
            group["lr"] = RATE * (1 - epoch / EPOCHS) + RATE / 20
        order, total = usable[torch.randperm(len(usable), generator=generator).numpy()], 0.0
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            numbers = np.concatenate([flat[starts[row] : starts[row] + counts[row]] for row in rows])
            numbers, offsets = _thinned(numbers, counts[rows], generator)
            made = torch.nn.functional.normalize(bag(torch.from_numpy(numbers), torch.from_numpy(offsets)), dim=1)
            target = wanted[torch.from_numpy(rows)]
            loss = (1 - (made * target).sum(1)).mean()
            loss = loss + BETWEEN * ((made @ made.T - target @ target.T) ** 2).sum() / len(rows)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()  # type: ignore[no-untyped-call]
            total += float(loss.detach()) * len(rows)
        print(f"epoch {epoch + 1}: {total / len(order):.4f}", flush=True)
    return bag.weight.detach().numpy()


def _whole(rows: Floats) -> tuple[NDArray[np.int8], NDArray[np.uint8]]:
    """Return rows of 8-bit whole numbers and a weight of each."""
    largest = np.abs(rows).max(axis=1)
    step = np.quantile(largest[largest > 0], 0.999) / (LARGEST * 255)
    weights = np.clip(np.ceil(largest / (LARGEST * step)), 1, 255)
    whole = np.rint(rows / (weights * step)[:, None]).clip(-LARGEST, LARGEST)
    return whole.astype(np.int8), weights.astype(np.uint8)


def _thinned(numbers: NDArray[np.int64], counts: NDArray[np.int64], generator: Any) -> tuple[Any, Any]:  # noqa: ANN401
    """Leave some features out at random, so that none is relied on; return the rest and where each sentence begins."""
    import torch

    kept = torch.rand(len(numbers), generator=generator).numpy() >= LEFT_OUT
    owners = np.repeat(np.arange(len(counts)), counts)
    left = np.bincount(owners[kept], minlength=len(counts))
    return numbers[kept], np.cumsum(left) - left


def measured(encoder: SentenceEncoder, work: Path, chosen: dict[str, Any]) -> dict[str, float]:
    """Return how near the nearest sentences of a book come, by MiniLM, when it chooses and when the encoder does."""
    paths = sorted(work.glob("book-*.npy"))
    if not paths:
        return {}
    texts, documents = unit(_vectors(work / "texts.npy")), unit(_vectors(work / "documents.npy"))
    book_vectors = unit(np.concatenate([_vectors(path) for path in paths]))
    book = Book.of(chosen["book"][: len(book_vectors)], encoder)
    flat = [sentence for text in chosen["texts"] for sentence in text]
    ours = book.nearest(encoder.encode(flat), 1)[:, 0]
    theirs = (texts @ book_vectors.T).argmax(axis=1)
    counts = [len(text) for text in chosen["texts"]]
    facts = {}
    for name, nearest in (("minilm", theirs), ("encoder", ours)):
        facts[f"sentences_by_{name}"] = float((texts * book_vectors[nearest]).sum(axis=1).mean())
        numbers = iter(nearest.tolist())
        said = [" ".join(book.sentences[next(numbers)] for _ in range(count)) for count in counts]
        facts[f"documents_by_{name}"] = float((documents * _minilm.encode(said)).sum(axis=1).mean())
        facts[f"use_by_{name}"] = float(
            np.mean(meaning_use([" ".join(t) for t in chosen["texts"][:USED]], said[:USED]))
        )
    began = time.process_time()
    encoder.encode(book.sentences)
    return facts | {"sentences_a_second": len(book) / max(1e-9, time.process_time() - began)}


def _write(encoder: SentenceEncoder, facts: dict[str, Any]) -> None:
    """Write the model folder."""
    FOLDER.mkdir(exist_ok=True)
    save_file({"rows": encoder._rows, "weights": encoder._weights.astype(np.uint8)}, FOLDER / models.WEIGHTS)
    (FOLDER / models.VOCABULARY).write_text("".join(f"{word}\n" for word in encoder.features.words), "utf-8")
    config = {"format": FORMAT, "version": VERSION, "name": DEFAULT, "dimensions": encoder.dimensions}
    config |= {"pairs": encoder.features.pairs, "letters": encoder.features.letters, "measured": facts}
    (FOLDER / models.CONFIG).write_text(json.dumps(config, indent=1) + "\n", "utf-8")
    size = (FOLDER / models.WEIGHTS).stat().st_size / 1e6
    card = CARD.read_text("utf-8").format(**config | facts, words=len(encoder.features.words), size=size)
    (FOLDER / models.CARD).write_text(card, "utf-8")
    models.seal(FOLDER)


if __name__ == "__main__":
    main()
