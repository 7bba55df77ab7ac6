"""The SynTF experiment on a made-up corpus, and its committed tables against its committed results."""

from __future__ import annotations

import json
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import get_type_hints

import numpy as np
import pytest
from sklearn.base import clone

from allonym.errors import InputError
from allonym.papers import Asked
from allonym.papers.corpora import Corpus
from allonym.papers.corpora.newsgroups20 import SCENARIOS, load
from allonym.papers.ruler.measure import Work
from allonym.papers.ruler.measure import measure as measured_by_ruler
from allonym.papers.ruler.settings import OURS
from allonym.papers.stored import Kept
from allonym.papers.syntf import by_ruler, reproduce, runs, tables
from allonym.papers.syntf.learned_rating import LearnedRating, evidence_attackers
from allonym.papers.syntf.rows import Mean, MeasuredSetting, SyntfResults, SyntfSetting
from allonym.papers.syntf.usefulness import GoodOutputs
from allonym.randomness import insecure
from allonym.vectors import embeddings
from tests.papers.conftest import syntf

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
    return runs.SyntfBench(corpus, embeddings.load(None), reference=reference, train=np.array(train) & ~reference)


@pytest.fixture(scope="module")
def measured(bench):
    plain = SyntfSetting(loss_per_word=8.0, words=30, min_documents=1)
    return [runs.measure(bench, each, 1) for each in (plain, replace(plain, rating="utility"))]


def test_a_learned_rating_gives_the_analyst_more_and_the_attacker_less(measured):
    plain, learned = measured
    assert plain.tight_loss_per_word <= 8
    assert learned.tight_loss_per_word <= 8
    use = [tables.best(row.reached.utility)["f1_weighted"].mean for row in measured]
    attack = [tables.best(row.reached.attack["Top 10/Any"])["f1_weighted"].mean for row in measured]
    assert use[1] > 0.9
    assert use[1] - attack[1] > use[0] - attack[0]
    assert "evidence_logistic" in learned.reached.utility
    assert "evidence-forest" in learned.reached.attack["Top 5/Multi"]


def test_rows_are_read_as_they_were_written(measured, committed):
    for row in measured:
        assert MeasuredSetting.from_json(json.loads(json.dumps(row.to_json()))) == row
    assert json.dumps(SyntfResults.from_json(committed).to_json()) == json.dumps(committed)


def test_attackers_who_know_the_rating_read_what_is_released_through_it(bench):
    rows = np.flatnonzero(bench.reference)
    texts, labels = [bench.corpus.texts[row] for row in rows], bench.labels[rows].tolist()
    anonymizer = SyntfSetting(rating="utility", words=30, min_documents=1).made(bench.embeddings).fit(texts, labels)
    released = anonymizer.release(texts, rng=insecure(1))
    rating = LearnedRating.of(anonymizer)
    np.testing.assert_array_equal(rating.evidence(released.texts()), anonymizer.label_evidence(released.payload))
    for attacker in evidence_attackers(rating):
        known, unknown = (released.texts()[part::2] for part in (0, 1))
        assert np.mean(clone(attacker).fit(known, labels[::2]).predict(unknown) == labels[1::2]) > 0.9


def test_originals_are_attacked_with_success(bench):
    reached = runs.as_texts(bench, bench.corpus.texts, runs.panel(tagged=False))
    assert tables.best(reached.attack["Top 10/Any"])["f1_weighted"].mean > 0.5  # four of fourteen have no habit
    assert tables.best(reached.utility)["f1_weighted"].mean > 0.95


def test_means_over_runs_have_students_intervals():
    found = Mean.over([1.0, 2.0, 3.0])
    assert found.mean == 2.0
    assert found.high - 2.0 == pytest.approx(4.302653 / np.sqrt(3), rel=1e-6)  # t of 2 degrees of freedom, sd 1
    assert Mean.over([1.0]) == Mean(1.0, None, None)


def test_settings_cover_table_2():
    tasks = list(reproduce._tasks())
    papers = [task.setting for task in tasks if task.kind == "paper"]
    assert sorted({setting.epsilon for setting in papers}) == [35, 37.5, 40, 42.5, 45, 47.5, 50, 52.5, 55]
    assert sorted({setting.spelling_weight for setting in papers}) == [0, 0.1, 0.2, 0.3, 0.4]
    assert {setting.words for setting in papers} == {100, 150, 200}
    assert {setting.morphology for setting in papers} == {"lemma", "lower", "orth"}
    assert {setting.synonyms for setting in papers} == {True, False}
    optimum, *others = (task for task in tasks if task.kind != "learned")
    for task in others:  # one thing at a time
        changed = [name for name, value in asdict(task.setting).items() if value != asdict(optimum.setting)[name]]
        assert changed == ([] if task.kind == "quoted" else [task.table])
    assert {task.table for task in others} >= set(tables.LEFT_OPEN)
    ratings = [task.setting.rating for task in tasks if task.kind == "learned"]
    assert ratings.count("utility") == ratings.count("similarity") > 3


def test_a_learned_rating_brings_its_own_attackers_to_the_ruler(bench, made_up_ground, monkeypatch, tmp_path):
    monkeypatch.setattr(by_ruler, "benches", lambda data: (None, bench))
    [settings] = by_ruler.ruled(tmp_path).values()
    assert [setting.name for setting in settings if setting in OURS] == ["SynTF, ε = 47.5"]
    assert len({setting.name for setting in settings}) == len(settings) == 7
    learned = settings[-1]
    rows = measured_by_ruler(tmp_path, [syntf(40.0), learned], Work(tmp_path, made_up_ground("made"), 1), print)
    others, knowing = ({attack.attacker for attack in row.attacks} for row in rows.methods)
    assert knowing - others == {"evidence-logistic", "evidence-forest"}
    assert rows.methods[1].loss_per_document <= 6 * by_ruler.LEARNED_WORDS
    assert Work(tmp_path, made_up_ground("made"), 1).missing([learned]) == []


def test_the_rulers_rows_are_measured_alone_if_they_are_asked_for(committed, made_up_ground, monkeypatch, tmp_path):
    monkeypatch.setattr(reproduce, "ruled", lambda data: {made_up_ground("made"): [syntf(40.0)]})
    with pytest.raises(InputError, match="--earlier"):
        reproduce.run(Asked(tmp_path, print, only="made"))
    results = reproduce.run(Asked(tmp_path, print, only="made", earlier=RESULTS / "syntf.json"))
    assert replace(results, grounds={}) == replace(SyntfResults.from_json(committed), grounds={})
    assert "| SynTF, ε = 40 |" in tables.markdown(results)
    (tmp_path / "other.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="no results"):
        reproduce.run(Asked(tmp_path, print, only="made", earlier=tmp_path / "other.json"))


def test_what_an_earlier_run_has_is_not_measured_again(committed):
    told, shown = [], SyntfResults.from_json(committed)
    rows, asked = shown.settings, Asked(Path("nowhere"), told.append, runs=10)
    wanted = [task for task in reproduce._tasks() if any(row.table == task.table for row in rows)]
    assert reproduce._settings(asked, wanted, list(reversed(rows)), Kept(None, {})) == rows
    assert told == []
    about = {name: getattr(shown, name) for name in ("seeds", "documents", "suspects")}
    assert reproduce._earlier(RESULTS / "syntf.json", about) == shown
    with pytest.raises(InputError, match="other texts or seeds"):
        reproduce._earlier(RESULTS / "syntf.json", about | {"seeds": (0,)})


def test_a_part_that_an_earlier_run_lacks_is_measured_alone(committed, monkeypatch, tmp_path):
    shown, told = SyntfResults.from_json(committed), []
    less = {name: part for name, part in committed.items() if name not in ("weka", "theorem_3_6", "corollary_3_7")}
    (tmp_path / "earlier.json").write_text(json.dumps(less), encoding="utf-8")
    parts = {"original": "original", "without reference": "without_reference", "vectorised": "vectorised"}
    parts |= {"scrubbed": "scrubbed", "bounds": "good_outputs", "quotes": "quoted", "weka": "weka"}
    others = [each.name for each in fields(SyntfResults) if each.name not in {*parts.values(), "settings", "grounds"}]
    given = {
        name: reproduce._Part(part, type(getattr(shown, part)), lambda part=part: getattr(shown, part))
        for name, part in parts.items()
    }
    monkeypatch.setattr(reproduce, "_about", lambda data, runs: {name: getattr(shown, name) for name in others})
    monkeypatch.setattr(reproduce, "_parts", lambda data, runs: given)
    monkeypatch.setattr(reproduce, "ruled", lambda data: {})
    asked = Asked(tmp_path, told.append, only="weka", earlier=tmp_path / "earlier.json", work=tmp_path / "work")
    assert reproduce.run(asked) == replace(shown, grounds={}, good_outputs=GoodOutputs())
    assert reproduce.run(replace(asked, only="bounds, weka")) == replace(shown, grounds={})
    assert told == ["weka", "bounds", "weka"]
    assert "corollary 3.7" not in tables.markdown(SyntfResults.from_json(less))
    assert "theorem-3-6" not in reproduce.figures(SyntfResults.from_json(less))
    assert json.dumps(SyntfResults.from_json(less).to_json()) == json.dumps(less)
    with pytest.raises(InputError, match="--earlier"):
        reproduce.run(replace(asked, earlier=None))


def test_every_part_is_one_of_the_results(bench, monkeypatch, tmp_path):
    monkeypatch.setattr(reproduce, "benches", lambda data: (bench, bench))
    parts = reproduce._parts(tmp_path, 1)
    kinds = get_type_hints(SyntfResults)
    assert all(kinds[part.field] in (part.kind, part.kind | None) for part in parts.values())
    assert set(reproduce._FURTHER) <= {*parts, *(task.table for task in reproduce._tasks())}
    assert tables.best(parts["without reference"].make().utility)["f1_weighted"].mean > 0.95


def test_a_part_is_made_once_for_each_run(tmp_path):
    made = []

    def make():
        made.append(1)
        return Mean(len(made))

    kept = Kept(tmp_path / "work", {"seeds": [0]})
    assert kept.part(["one"], Mean, make) == kept.part(["one"], Mean, make) == Mean(1)
    assert kept.part(["other"], Mean, make) == Mean(2)
    assert Kept(tmp_path / "work", {"seeds": [1]}).part(["one"], Mean, make) == Mean(3)
    assert [Kept(None, {}).part(["one"], Mean, make) for _ in range(2)] == [Mean(4), Mean(5)]


def test_the_best_setting_has_the_largest_least_gain(committed):
    shown = SyntfResults.from_json(committed)
    rows = [row for row in shown.of_bench("paper") if row.table not in tables.LEFT_OPEN]
    least = [min(tables.gains_of(shown, row, runs.WRITEPRINTS)) for row in rows]
    line = next(line for line in tables.markdown(shown).splitlines() if line.startswith("| WritePrints | ours |"))
    assert tables._changed(rows[int(np.argmax(least))]) in line
    assert f"| {max(least):+.0%} |" in line
    for row, gain in zip(rows, least, strict=True):
        use, attack = tables.relative(shown, row.reached, "Top 5/Multi", by=runs.WRITEPRINTS)
        assert gain <= use - attack


def test_shares_are_of_the_texts_that_were_used(committed):
    shown = SyntfResults.from_json(committed)
    quoted = replace(shown, quoted=shown.vectorised)
    for kind in ("paper", "learned", "quoted"):
        assert tables.relative(quoted, quoted.originals(kind), "Top 10/Any", kind=kind) == (1, 1)
    use, attack = tables.relative(quoted, shown.optimum.reached, "Top 10/Any", kind="quoted")
    assert use > tables.relative(shown, shown.optimum.reached, "Top 10/Any")[0]  # of less
    assert 0 < attack < 1
    with pytest.raises(InputError, match="--only quotes"):
        replace(shown, quoted=None).originals("quoted")


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
    quoted = runs.quoted_bench(DATA)
    assert sum(map(len, quoted.corpus.texts)) > sum(map(len, papers.corpus.texts))
    assert quoted.corpus.authors == papers.corpus.authors


@pytest.fixture(scope="module")
def committed():
    return json.loads((RESULTS / "syntf.json").read_text("utf-8"))


def test_committed_tables_and_figures_are_made_from_the_committed_results(committed):
    assert (RESULTS / "syntf.md").read_text("utf-8") == tables.markdown(SyntfResults.from_json(committed))


def test_committed_results_name_no_person(committed):
    assert "@" not in json.dumps(committed)
