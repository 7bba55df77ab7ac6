"""The SynTF experiment on a made-up corpus, and its committed tables against its committed results."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from allonym.papers.corpora import Corpus
from allonym.papers.corpora.newsgroups20 import SCENARIOS, load
from allonym.papers.syntf import reproduce, runs, tables
from allonym.randomness import insecure
from allonym.vectors import embeddings

RESULTS = Path(__file__).resolve().parents[2] / "results"
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
GROUPS = {
    "sea": ["ship", "sail", "harbour", "ocean", "island", "captain", "wave", "storm"],
    "road": ["car", "road", "engine", "wheel", "driver", "bridge", "traffic", "truck"],
    "home": ["kitchen", "garden", "window", "table", "chair", "roof", "door", "lamp"],
}
HABITS = ["indeed", "perhaps", "really", "surely", "maybe", "anyway", "basically", "honestly", "frankly", "clearly"]


@pytest.fixture(scope="module")
def bench():
    """Ten authors of three groups, each with a favourite word; more authors whose messages are the reference."""
    source = insecure(3)
    texts, labels, train, authors = [], [], [], []
    for number in range(14):
        for message in range(56):
            group = list(GROUPS)[int(source.below(3))]
            words = [GROUPS[group][int(source.below(8))] for _ in range(12)]
            habit = HABITS[number] if number < 10 else HABITS[int(source.below(10))]
            texts.append(" ".join([*words, habit, habit]))
            labels.append(group)
            train.append(message < 38)
            authors.append(f"author{number}")
    reference = np.array([int(author[6:]) >= 10 for author in authors])
    corpus = Corpus("made up", texts, labels, train, authors)
    return runs.Bench(corpus, embeddings.load(None), reference=reference, train=np.array(train) & ~reference)


@pytest.fixture(scope="module")
def measured(bench):
    plain = runs.Setting(loss_per_word=8.0, words=30, min_documents=1)
    return [runs.measure(bench, each, 1).to_json() for each in (plain, replace(plain, rating="utility"))]


def test_a_learned_rating_gives_the_analyst_more_and_the_attacker_less(measured):
    plain, learned = measured
    assert plain["tight_loss_per_word"] <= 8
    assert learned["tight_loss_per_word"] <= 8
    use = [tables.best(row["utility"])["f1_weighted"]["mean"] for row in measured]
    attack = [tables.best(row["attack"]["Top 10/Any"])["f1_weighted"]["mean"] for row in measured]
    assert use[1] > 0.9
    assert use[1] - attack[1] > use[0] - attack[0]
    assert "evidence_logistic" in learned["utility"]
    assert "evidence-forest" in learned["attack"]["Top 5/Multi"]


def test_originals_are_attacked_with_success(bench):
    row = runs.as_texts(bench, bench.corpus.texts, runs.panel(tagged=False)).to_json()
    assert tables.best(row["attack"]["Top 10/Any"])["f1_weighted"]["mean"] > 0.5  # four of fourteen have no habit
    assert tables.best(row["utility"])["f1_weighted"]["mean"] > 0.95


def test_means_over_runs_have_students_intervals():
    found = runs.Mean.over([1.0, 2.0, 3.0])
    assert found.mean == 2.0
    assert found.high - 2.0 == pytest.approx(4.302653 / np.sqrt(3), rel=1e-6)  # t of 2 degrees of freedom, sd 1
    assert runs.Mean.over([1.0]) == runs.Mean(1.0, None, None)


def test_settings_cover_table_2():
    tasks = list(reproduce._tasks())
    papers = [task.setting for task in tasks if task.kind == "paper"]
    assert sorted({setting.epsilon for setting in papers}) == [35, 37.5, 40, 42.5, 45, 47.5, 50, 52.5, 55]
    assert sorted({setting.spelling_weight for setting in papers}) == [0, 0.1, 0.2, 0.3, 0.4]
    assert {setting.words for setting in papers} == {100, 150, 200}
    assert {setting.morphology for setting in papers} == {"lemma", "lower", "orth"}
    assert {setting.synonyms for setting in papers} == {True, False}
    ratings = [task.setting.rating for task in tasks if task.kind == "learned"]
    assert ratings.count("utility") == ratings.count("similarity") > 3


@pytest.mark.skipif(not (DATA / "newsgroups20").exists(), reason="20 newsgroups is not beside the repository")
def test_scenarios_have_as_many_suspects_as_the_paper_says():
    corpus = load(DATA)
    assert [len(scenario.authors(corpus)) for scenario in SCENARIOS] == [5, 10, 5, 10]
    papers, learned = reproduce.benches(DATA)
    assert not (learned.reference & learned.train).any()
    assert not (learned.reference & learned.test).any()
    suspects = np.concatenate([rows for pair in learned.suspects.values() for rows in pair])
    assert not learned.reference[suspects].any()
    assert papers.train.sum() == 11_314


@pytest.fixture(scope="module")
def committed():
    return json.loads((RESULTS / "syntf.json").read_text("utf-8"))


def test_committed_tables_and_figures_are_made_from_the_committed_results(committed):
    assert (RESULTS / "syntf.md").read_text("utf-8") == tables.markdown(committed)


def test_committed_results_name_no_person(committed):
    assert "@" not in json.dumps(committed)
