"""What is measured of A4NT, task by task; each leaves its result in a folder, so that a run can be resumed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym import __version__, disk, metrics
from allonym.attackers import store
from allonym.metrics import scoring
from allonym.metrics.figures import Figure
from allonym.papers.a4nt import models
from allonym.papers.a4nt.attacks import LSTM, PANEL, Judge, frequencies, learned, random_guess
from allonym.papers.a4nt.documents import CLASSES, DocumentPart, SplitCorpus, load_blogs, load_speeches, spread
from allonym.papers.a4nt.models import EvaluatedModel, Prefer
from allonym.papers.a4nt.sizes import Sizes
from allonym.papers.a4nt.stored import (
    Bin,
    Difficulty,
    Learned,
    LearnedRow,
    Levels,
    MeanBin,
    MeasuredModel,
    MeasuredRow,
    OperatingPoint,
    OperatingPoints,
    OperatingRow,
    Originals,
    Quality,
    TranslationAttack,
)
from allonym.papers.stored import Json, Result

LIKELIEST, DRAWN = "likeliest", "drawn"
BALANCED = "balanced"
PREFERENCES: tuple[Prefer, ...] = ("meaning", "balanced", "privacy")
SAMPLES = 5
BINS = 10
_TRAINING_DOCUMENTS_JUDGED = 400

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class A4ntBench:
    """Where everything is: the corpora, how much of them is used, and the folder of what is finished."""

    data: Path
    sizes: Sizes
    work: Path

    def corpus(self, setting: str) -> SplitCorpus:
        """Return the corpus of a setting; split into sentences once, since finding names takes minutes."""
        return _corpus(self, setting == "speech")

    def small(self, setting: str) -> DocumentPart:
        """Return the training documents that are translated for adaptive attackers."""
        lengths = self.sizes.of(setting)
        return self.corpus(setting).train.first(lengths.adaptive_documents, lengths.adaptive)

    def judge(self, setting: str, name: str) -> Judge:
        """Return an attacker that `learn` trained on originals."""
        return _judge(self, setting, name)

    def kept(self, what: Sequence[str], make: Callable[[], Result | SplitCorpus]) -> Json:
        """Return a result as it is stored, from the folder if it is finished already."""
        path = self.work / f"{what[0]}-{self._digest(*what)}.json"
        if not path.exists():
            disk.write(path, json.dumps(make().to_json()).encode())
        stored: Json = json.loads(path.read_text("utf-8"))
        return stored

    def attacker_folder(self, setting: str, name: str) -> Path:
        """Return where an attacker is kept."""
        return self.work / f"attacker-{self._digest(setting, name)}"

    def _digest(self, *what: str) -> str:
        """Return what tells a result from those of other sizes, or of another version."""
        described = json.dumps([__version__, asdict(self.sizes), *what])
        return hashlib.sha256(described.encode()).hexdigest()[:20]


def learn(bench: A4ntBench, setting: str, name: str) -> LearnedRow:
    """Train an attacker on originals, once on all and once on as few as adaptive ones have; say what both reach."""
    corpus = bench.corpus(setting)

    def make() -> Learned:
        judge = learned(name, corpus.train, corpus.train.sentences, setting, bench.sizes.full)
        store.save(judge.attacker, bench.attacker_folder(setting, name))
        some = corpus.train.first(_TRAINING_DOCUMENTS_JUDGED, bench.sizes.of(setting).train)
        parts = (("train", some), ("val", corpus.val), ("test", corpus.test))
        reached = {which: judge.attack(part, part.sentences, setting) for which, part in parts}
        return Learned(setting, name, **reached)

    def make_few() -> Levels:
        small = bench.small(setting)
        judge = learned(name, small, small.sentences, setting, bench.sizes.few)
        return judge.attack(corpus.test, corpus.test.sentences, setting)

    reached = bench.kept(["learn", setting, name], make)
    return LearnedRow.from_json(reached | {"test_few": bench.kept(["few", setting, name], make_few)})


def measure(bench: A4ntBench, model: EvaluatedModel, setting: str, way: str) -> MeasuredRow:
    """Translate test and training documents, let all attackers loose on them, and see what is left of the text."""
    what = ["measure", model.weights, setting, way]
    if way in PREFERENCES:
        what.append(f"balance {model.balance}")
    measured = MeasuredModel.from_json(bench.kept(what, lambda: _measured(bench, model, setting, way)))
    return MeasuredRow(setting, model.listed().names, measured)


def operating_points(bench: A4ntBench, model: EvaluatedModel, *, chooses: bool) -> OperatingRow:
    """Figure 6: of five samples of each sentence the one most or least like it; where asked, what `prefer` chooses."""

    def make() -> OperatingPoints:
        setting = model.trained_for
        part = bench.corpus(setting).test.first(*bench.sizes.operating)
        judge = bench.judge(setting, LSTM)
        sampled = models.every_sentence(model, part, setting, draws=SAMPLES)
        olds = [sentence for sentence in part.sentences for _ in range(SAMPLES)]
        alike = _meteor(olds, [text for texts in sampled for text in texts]).reshape(-1, SAMPLES)
        picks = {"least alike": alike.argmin(1), "random": np.zeros(len(alike), int), "most alike": alike.argmax(1)}
        points = []
        for name, places in picks.items():
            texts = [texts[pick] for texts, pick in zip(sampled, places, strict=True)]
            points.append(_point(judge, part, texts, setting, name, alike[np.arange(len(alike)), places]))
        for prefer in PREFERENCES if chooses else ():
            texts = rewritten(model, part, setting, prefer)
            points.append(_point(judge, part, texts, setting, prefer, _meteor(part.sentences, texts)))
        return OperatingPoints(len(part), len(part.sentences), points)

    what = ["operating", model.weights, f"balance {model.balance}" if chooses else "five samples"]
    points = OperatingPoints.from_json(bench.kept(what, make))
    return OperatingRow(model.trained_for, model.listed().names, points)


def rewritten(model: EvaluatedModel, part: DocumentPart, setting: str, way: str) -> list[str]:
    """Return what becomes of each sentence."""
    if way in (LIKELIEST, DRAWN):
        return [texts[0] for texts in models.every_sentence(model, part, setting, draws=int(way == DRAWN))]
    prefer = next(name for name in PREFERENCES if name == way)
    return models.chosen(model, part, setting, prefer)


def meteor_name() -> str:
    """Say which METEOR this machine has; none may stand in for the other."""
    ready = metrics.available()
    return next((name for name in ("meteor_1_5", "meteor_nltk") if ready[name] == metrics.READY), "none")


def _measured(bench: A4ntBench, model: EvaluatedModel, setting: str, way: str) -> MeasuredModel:
    corpus, small = bench.corpus(setting), bench.small(setting)
    new = rewritten(model, corpus.test, setting, way)
    new_small = rewritten(model, small, setting, way)
    attacks = []
    for name in PANEL:
        static = bench.judge(setting, name).attack(corpus.test, new, setting)
        adapted = learned(name, small, new_small, setting, bench.sizes.few)
        adaptive = adapted.attack(corpus.test, new, setting)
        attacks.append(TranslationAttack(name, static, adaptive))
    some = spread(len(new), bench.sizes.meteor)
    alike = _meteor([corpus.test.sentences[number] for number in some], [new[number] for number in some])
    difficulty = _difficulty(bench, corpus.test, setting, new, alike) if setting == "blog-age" else None
    return MeasuredModel(way, attacks, _quality(bench.sizes, corpus.test, new, alike), difficulty)


def _quality(sizes: Sizes, part: DocumentPart, new: Sequence[str], alike: Floats) -> Quality:
    """Return what is left of meaning and fluency, on sentences spread evenly over all; METEOR is given."""

    def pairs(most: int) -> tuple[list[str], list[str]]:
        rows = spread(len(new), most)
        return [part.sentences[row] for row in rows], [new[row] for row in rows]

    ready = {name for name, lack in metrics.available().items() if lack == metrics.READY}
    olds, news = pairs(sizes.meteor)
    read = pairs(sizes.perplexity)[1]
    return Quality(
        meteor=_interval(alike),
        unchanged=_interval(metrics.unchanged(olds, news)),
        same_sentence=_interval([old.lower() == now.lower() for old, now in zip(olds, news, strict=True)]),
        cosine=_interval(metrics.cosine(*pairs(sizes.cosine))) if "cosine" in ready else None,
        grammar=_interval(metrics.grammar_findings(news)) if "grammar_findings" in ready else None,
        perplexity=_interval(metrics.perplexity(read), np.median) if "perplexity" in ready else None,
    )


def originals(bench: A4ntBench, setting: str) -> Originals:
    """Return the sizes of a setting, what guessing reaches, and how fluent the originals are."""

    def make() -> Originals:
        corpus, small = bench.corpus(setting), bench.small(setting)
        parts = {"train": corpus.train, "adaptive": small, "val": corpus.val, "test": corpus.test}
        truth, sentences = corpus.test.classes[setting], corpus.test.sentence_classes(setting)
        return Originals(
            setting,
            documents={name: len(part) for name, part in parts.items()},
            sentences={name: len(part.pieces) for name, part in parts.items()},
            classes={name: truth.count(name) for name in CLASSES[setting]},
            corpus={"documents": corpus.documents, "texts": corpus.posts},
            random_guess={"document": random_guess(truth), "sentence": random_guess(sentences)},
            quality=_quality(bench.sizes, corpus.test, corpus.test.sentences, np.ones(1)),
        )

    return Originals.from_json(bench.kept(["originals", setting], make))


def _difficulty(bench: A4ntBench, part: DocumentPart, setting: str, new: Sequence[str], alike: Floats) -> Difficulty:
    """Figures 8 to 10: the classifier's score of the true class before and after, and METEOR, for each sentence."""
    judge = bench.judge(setting, LSTM)
    before = judge.source_scores(part, part.sentences, setting)
    after = judge.source_scores(part, new, setting)
    rows = spread(len(new), bench.sizes.meteor)
    gain = before - after
    edges, wide = np.linspace(0, 1, BINS + 1), np.linspace(-1, 1, 2 * BINS + 1)
    return Difficulty(
        input=_binned(before, edges),
        output_by_input=_mean_bins(before, edges, after),
        meteor_by_input=_mean_bins(before[rows], edges, alike),
        gain=_binned(gain, wide),
        meteor_by_gain=_mean_bins(gain[rows], wide, alike),
        share_with_gain=float((gain > 0).mean()),
        share_with_loss=float((gain < 0).mean()),
    )


def _binned(scores: Floats, edges: Floats) -> list[Bin]:
    """Return for each bin its middle, and how many scores lie in it."""
    counts = np.bincount(_bin_of(scores, edges), minlength=len(edges) - 1).tolist()
    return [Bin(middle, count) for middle, count in zip(_middles(edges), counts, strict=True)]


def _mean_bins(scores: Floats, edges: Floats, values: Floats) -> list[MeanBin]:
    """Return for each bin its middle, how many scores lie in it, and the mean of their values."""
    numbers, bins = _bin_of(scores, edges), []
    for number, middle in enumerate(_middles(edges)):
        here = values[numbers == number]
        known = here[~np.isnan(here)]  # no METEOR is known where none is installed
        bins.append(MeanBin(middle, len(here), float(known.mean()) if len(known) else None))
    return bins


def _bin_of(scores: Floats, edges: Floats) -> NDArray[np.intp]:
    numbers: NDArray[np.intp] = np.clip(np.searchsorted(edges, scores, side="right") - 1, 0, len(edges) - 2)
    return numbers


def _middles(edges: Floats) -> list[float]:
    return [float((low + high) / 2) for low, high in pairwise(edges)]


def _point(
    judge: Judge, part: DocumentPart, texts: Sequence[str], setting: str, name: str, alike: Floats
) -> OperatingPoint:
    attack = judge.attack(part, texts, setting)
    return OperatingPoint(name, _interval(alike), attack.document.f1, attack.sentence.f1 if attack.sentence else None)


def _meteor(olds: Sequence[str], news: Sequence[str]) -> Floats:
    name = meteor_name()
    if name == "none":
        return np.full(len(olds), np.nan)
    return np.asarray(getattr(metrics, name)(olds, news), dtype=np.float64)


def _interval(values: Any, statistic: Callable[..., Any] = np.mean) -> Figure | None:  # noqa: ANN401 - numbers
    numbers = np.asarray(values, dtype=np.float64)
    return None if np.isnan(numbers).all() else scoring.bootstrap(numbers, statistic)


@lru_cache(2)
def _corpus(bench: A4ntBench, speeches: bool) -> SplitCorpus:
    lengths = bench.sizes.speeches if speeches else bench.sizes.blogs
    load = load_speeches if speeches else load_blogs
    what = ["corpus", "speeches" if speeches else "blogs"]
    return SplitCorpus.from_json(bench.kept(what, lambda: load(bench.data, train=lengths.train, held_out=lengths.test)))


@lru_cache(24)
def _judge(bench: A4ntBench, setting: str, name: str) -> Judge:
    attacker = store.load(bench.attacker_folder(setting, name))
    return Judge(attacker, frequencies(bench.corpus(setting).train, setting))
