"""One configuration of SynTF on 20 newsgroups: anonymize, classify, attack, several times."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from allonym.anonymizers.release import texts_of_counts
from allonym.anonymizers.syntf import SynTF
from allonym.anonymizers.syntf.counts import synthesise
from allonym.attackers.base import Attacker
from allonym.attackers.linear import CharacterNGramSVM, WordBayes, WordNGramSVM
from allonym.attackers.panel import train
from allonym.attackers.writeprints.attackers import WritePrintsBayes, WritePrintsSVM
from allonym.language.words import digest
from allonym.metrics import scoring
from allonym.metrics.figures import Figure
from allonym.metrics.utility import analysts, topic_scores, weighted
from allonym.papers.corpora import Corpus
from allonym.papers.corpora.newsgroups20 import SCENARIOS, load
from allonym.papers.syntf import skipgram
from allonym.papers.syntf.learned_rating import LearnedRating, evidence_attackers, logistic
from allonym.papers.syntf.rows import KEPT, SKIPGRAM, Mean, Means, MeasuredSetting, Reached, SyntfSetting
from allonym.randomness import insecure
from allonym.vectors import embeddings
from allonym.vectors.embeddings import WordTable

WRITEPRINTS = ("writeprints-svm", "writeprints-bayes")
TAGGED = tuple(f"{name} with parts of speech" for name in WRITEPRINTS)

Scored = TypeVar("Scored")
Scores = dict[str, float]  # of one run, by name


@dataclass(frozen=True)
class SyntfBench:
    """The corpus as the experiment uses it."""

    corpus: Corpus
    embeddings: WordTable
    reference: NDArray[np.bool_]  # which messages the vocabulary (and a learned rating) come from
    train: NDArray[np.bool_]  # which messages the analyst learns from

    @cached_property
    def test(self) -> NDArray[np.bool_]:
        """Which messages everything is scored on."""
        return ~np.array(self.corpus.train)

    @cached_property
    def labels(self) -> NDArray[np.object_]:
        """The groups."""
        return np.array(self.corpus.labels, dtype=object)

    @cached_property
    def suspects(self) -> dict[str, tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Training and test messages of each scenario's suspects."""
        authors, train = np.array(self.corpus.authors, dtype=object), np.array(self.corpus.train)
        return {
            scenario.name: (np.flatnonzero(chosen & train), np.flatnonzero(chosen & ~train))
            for scenario in SCENARIOS
            for chosen in [np.isin(authors, scenario.authors(self.corpus))]
        }

    def authors_of(self, rows: NDArray[np.intp]) -> list[str]:
        """Return the authors of messages."""
        return [self.corpus.authors[row] for row in rows]

    @cached_property
    def references(self) -> list[str]:
        """The messages that the vocabulary (and a learned rating) come from."""
        return [self.corpus.texts[row] for row in np.flatnonzero(self.reference)]

    @cached_property
    def skipgram(self) -> WordTable:
        """Vectors made of these messages in the manner of word2vec."""
        return skipgram.vectors_of(self.references)

    def fitted(self, setting: SyntfSetting) -> SynTF:
        """Return the anonymizer of a setting, which has learned its vocabulary."""
        table = self.skipgram if setting.vectors == SKIPGRAM else self.embeddings
        labels = self.labels[np.flatnonzero(self.reference)].tolist()
        return setting.made(table).fit(self.references, labels)


@cache
def benches(data: Path) -> tuple[SyntfBench, SyntfBench]:
    """Return the corpus as the paper used it, and with a reference part set aside.

    The paper takes its vocabulary from all training messages, those of the suspects among them. That makes it a
    function of protected documents (the guarantee is then conditional on it), and we follow it there to compare. A
    learned rating must not: its reference is half of the training authors who are no suspects, and neither analyst nor
    attacker sees a message of theirs.
    """
    corpus = load(data)
    train = np.array(corpus.train)
    suspects = {author for scenario in SCENARIOS for author in scenario.authors(corpus)}
    drawn = [author not in suspects and digest(author)[0] < 128 for author in corpus.authors]
    reference = train & np.array(drawn)
    glove = data / "glove_wink" / "vectors_100k_f16.npy"
    papers = SyntfBench(corpus, embeddings.load(glove), reference=train, train=train)
    return papers, SyntfBench(corpus, embeddings.load(None), reference=reference, train=train & ~reference)


@cache
def quoted_bench(data: Path) -> SyntfBench:
    """Return the corpus as the paper used it, with the lines that messages quote."""
    corpus = load(data, quotes=True)
    train = np.array(corpus.train)
    return SyntfBench(corpus, benches(data)[0].embeddings, reference=train, train=train)


def panel(*, tagged: bool) -> dict[str, Attacker]:
    """Return the attackers: the paper's two, with parts of speech if `tagged`, and three that read n-grams."""
    attackers: list[Attacker] = [WordNGramSVM(), WordBayes(), CharacterNGramSVM(), WritePrintsSVM(), WritePrintsBayes()]
    by_name = {attacker.name: attacker for attacker in attackers}
    if tagged:
        kinds = (WritePrintsSVM, WritePrintsBayes)
        by_name |= {
            name: kind(parts_of_speech=True, cache=remembered()) for name, kind in zip(TAGGED, kinds, strict=True)
        }
    return by_name


@cache
def remembered() -> Path:
    """Return where parts of speech are remembered while the process lives: both attackers read the same texts."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def measure(bench: SyntfBench, setting: SyntfSetting, runs: int, *, tagged: bool = False) -> MeasuredSetting:
    """Return utility and adaptive attacks of a setting, means over runs with intervals."""
    anonymizer = bench.fitted(setting)
    learned = setting.rating == "utility"
    attackers = panel(tagged=tagged)
    if learned:
        attackers |= {attacker.name: attacker for attacker in evidence_attackers(LearnedRating.of(anonymizer))}
    utility, attack = [], []
    for counts in released(bench, anonymizer, runs):
        utility.append(_analyst(bench, counts) | (_reader(bench, anonymizer.label_evidence(counts)) if learned else {}))
        attack.append(attacked_counts(bench, anonymizer.vocabulary_, counts, attackers))
    mechanism = anonymizer.mechanism_
    drawn = replace(setting, epsilon=mechanism.epsilon)
    return MeasuredSetting(drawn, len(anonymizer.vocabulary_), mechanism.loss(), runs, _over_runs(utility, attack))


def released(bench: SyntfBench, anonymizer: SynTF, runs: int) -> Iterator[sparse.csr_array]:
    """Yield what is drawn of all messages, a run after the other."""
    compositions = anonymizer.compositions(bench.corpus.texts)
    digests = [digest(text) for text in bench.corpus.texts]
    for run in range(runs):
        yield synthesise(compositions, anonymizer.words, anonymizer.mechanism_, insecure(run).documents(digests))


def term_counts(bench: SyntfBench, anonymizer: SynTF) -> sparse.csr_array:
    """Return the counts of all messages, before anything is drawn."""
    counts = anonymizer.compositions(bench.corpus.texts)
    counts.indices, counts.indptr = counts.indices.astype(np.int32), counts.indptr.astype(np.int32)
    return counts


def vectorised(bench: SyntfBench) -> Reached:
    """Return what the term counts give (the paper's dashed lines)."""
    anonymizer = bench.fitted(SyntfSetting())
    counts = term_counts(bench, anonymizer)
    attack = attacked_counts(bench, anonymizer.vocabulary_, counts, panel(tagged=True))
    return _over_runs([_analyst(bench, counts)], [attack])


def as_texts(bench: SyntfBench, texts: Sequence[str], attackers: dict[str, Attacker]) -> Reached:
    """Return utility and attacks on texts (the originals, or scrubbed ones), with intervals over test messages."""
    learned, tested = np.flatnonzero(bench.train).tolist(), np.flatnonzero(bench.test).tolist()
    scores = topic_scores(
        [texts[row] for row in learned],
        bench.labels[learned].tolist(),
        [texts[row] for row in tested],
        bench.labels[tested].tolist(),
    )
    utility = {name: _means(figures) for name, figures in vars(scores).items()}
    return Reached(utility, attacked_texts(bench, texts, attackers))


def attacked_texts(
    bench: SyntfBench, texts: Sequence[str], attackers: dict[str, Attacker]
) -> dict[str, dict[str, Means]]:
    """Return what attackers reach on texts, with intervals over test messages."""

    def with_intervals(truth: Sequence[object], guessed: Sequence[object]) -> Means:
        return _means(scoring.classification(truth, guessed))

    return _attacked(bench, texts, attackers, with_intervals)


def _analyst(bench: SyntfBench, counts: sparse.csr_array) -> dict[str, Scores]:
    """Return how well the groups are found in term counts (section 4.2: tf-idf, naive Bayes and a linear SVM)."""
    known, unknown = weighted(counts[bench.train], counts[bench.test])
    guessed = analysts(known, bench.labels[bench.train].astype(str).tolist(), unknown)
    return {name: _kept(bench.labels[bench.test].tolist(), labels) for name, labels in guessed.items()}


def _reader(bench: SyntfBench, evidence: NDArray[np.float64]) -> dict[str, Scores]:
    """Return how well an analyst finds the groups who reads the vectors through the learned rating."""
    learned = logistic().fit(evidence[bench.train], bench.labels[bench.train].astype(str))
    guessed = learned.predict(evidence[bench.test]).tolist()
    return {"evidence_logistic": _kept(bench.labels[bench.test].tolist(), guessed)}


def attacked_counts(
    bench: SyntfBench, vocabulary: Sequence[str], counts: sparse.csr_array, attackers: dict[str, Attacker]
) -> dict[str, dict[str, Scores]]:
    """Return what adaptive attackers reach on the counts, written out as words."""
    needed = np.unique(np.concatenate([rows for pair in bench.suspects.values() for rows in pair]))
    written = dict(zip(needed.tolist(), texts_of_counts(counts[needed], vocabulary), strict=True))
    return _attacked(bench, written, attackers, _kept)


def _attacked(
    bench: SyntfBench,
    texts: Any,  # noqa: ANN401 - by row
    attackers: dict[str, Attacker],
    score: Callable[[Sequence[object], Sequence[object]], Scored],
) -> dict[str, dict[str, Scored]]:
    """Let attackers learn from each scenario's known messages and score what they say of the others."""
    reached = {}
    for name, (known, unknown) in bench.suspects.items():
        learned = train(list(attackers.values()), [texts[row] for row in known.tolist()], bench.authors_of(known))
        asked, truth = [texts[row] for row in unknown.tolist()], bench.authors_of(unknown)
        reached[name] = {
            key: score(truth, attacker.predict(asked).tolist())
            for key, attacker in zip(attackers, learned, strict=True)
        }
    return reached


def _over_runs(utility: Sequence[dict[str, Scores]], attack: Sequence[dict[str, dict[str, Scores]]]) -> Reached:
    return Reached(_means_of(utility), means_of_attacks(attack))


def means_of_attacks(attack: Sequence[dict[str, dict[str, Scores]]]) -> dict[str, dict[str, Means]]:
    """Return the means over runs of what attackers reach, by scenario and attacker."""
    return {name: _means_of([run[name] for run in attack]) for name in attack[0]}


def _means_of(runs: Sequence[dict[str, Scores]]) -> dict[str, Means]:
    return {who: {name: Mean.over([run[who][name] for run in runs]) for name in KEPT} for who in runs[0]}


def _kept(truth: Sequence[object], guessed: Sequence[object]) -> Scores:
    figures = scoring.values(truth, guessed)
    return {name: figures[name] for name in KEPT}


def _means(figures: dict[str, Figure]) -> Means:
    return {name: Mean(*figures[name].numbers) for name in KEPT}
