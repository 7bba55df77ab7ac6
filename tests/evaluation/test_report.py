"""The report: what it must say, what a public one must not, and that it appears whole or not at all."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import fields, replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from allonym import metrics
from allonym.anonymizers.identity import Identity
from allonym.anonymizers.syntf import SynTF
from allonym.anonymizers.words.exponential import WordExponential
from allonym.attackers.floors import LengthOnly, Majority
from allonym.attackers.linear import WordNGramSVM
from allonym.drawing.figure_data import from_csv
from allonym.drawing.figures import draw
from allonym.errors import InputError, ParameterError
from allonym.evaluation import claims, report
from allonym.evaluation.candidates import Method
from allonym.evaluation.evaluate import Evaluation, evaluate
from allonym.evaluation.reported import EvaluationReport
from allonym.evaluation.sample import Sample

WORDS = ["coffee", "train", "garden", "winter", "market", "clock", "river", "bread"]
CANARIES = [f"qzx{number:03}vk" for number in range(1000)]
AUTHORS = ["Wanda Qvist-Marker", "=cmd()|'x'", "<b>Bertil</b> & Søn", "日本の作家"]
LABELS = ["zlabelone", "zlabeltwo"]
REQUIRED = [
    "statement",
    "unit",
    "neighbouring relation",
    "epsilon",
    "delta",
    "composition",
    "trust model",
    "assumptions",
    "released as is",
    "for a data release",
]
VOID = {"meta", "br", "link", "img", "hr", "circle", "rect", "line", "polyline", "polygon"}


def canary_sample() -> Sample:
    """Forty documents of four authors that hold all canaries between them."""
    texts = [
        f"{' '.join(CANARIES[25 * n : 25 * n + 25])} {WORDS[n % 4]} {WORDS[4 + n // 10]} and {WORDS[n % 8]}!"
        for n in range(40)
    ]
    authors, labels = [AUTHORS[n // 10] for n in range(40)], [LABELS[n % 2] for n in range(40)]
    return Sample(texts, authors, labels, [n % 10 < 7 for n in range(40)], list(range(1, 41)), 10, ("A note.",))


@pytest.fixture(scope="module")
def found() -> Evaluation:
    candidates = [
        Method(SynTF(vocabulary=WORDS, words=12, epsilon=10.0), "ε 10"),
        Method(SynTF(vocabulary=WORDS, words=12, epsilon=60.0), "ε 60"),
        Method(WordExponential(epsilon=20.0, vocabulary=WORDS)),
        Method(Identity()),
    ]
    with pytest.MonkeyPatch.context() as patch:
        known = metrics.measures()
        without = known | {"meaning": replace(known["meaning"], missing=lambda: "It is not here.")}
        patch.setattr(metrics, "measures", lambda: without)
        return evaluate(canary_sample(), candidates, [WordNGramSVM(), LengthOnly(), Majority()])


class Page(HTMLParser):
    """Reads a page and remembers what a validator would complain about."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open, self.faults, self.ids, self.tags, self.headings = [], [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.ids += [value for name, value in attrs if name == "id"]
        if tag in ("h1", "h2", "h3"):
            self.headings.append(int(tag[1]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)


@pytest.fixture(scope="module")
def folder(found, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("reports") / "public"
    report.write(path, found)
    return path


def everything(folder: Path) -> str:
    return "\n".join(f"{path}\n{path.read_text('utf-8')}" for path in sorted(folder.rglob("*")) if path.is_file())


def test_the_folder_holds_the_report_and_its_figures(folder):
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    figures = [f"figures/{name}.{kind}" for name in ("attackers", "confusion", "trade-off") for kind in ("csv", "svg")]
    assert names == [*figures, "report.html", "report.json"]
    assert [path.name for path in folder.parent.iterdir()] == ["public"]


def test_a_public_report_holds_nothing_of_the_input(folder):
    written = everything(folder)
    assert not [word for word in (*CANARIES, *LABELS) if word in written]
    for author in AUTHORS:
        assert author not in written
        assert author.split()[0].strip("<>=") not in written
    assert "predicted" not in written


def test_each_csv_draws_its_figure_again(folder):
    for path in (folder / "figures").glob("*.csv"):
        assert draw(from_csv(path.read_text("utf-8"))) == path.with_suffix(".svg").read_text("utf-8")


def test_the_page_is_sound_html_that_loads_nothing(folder):
    text = (folder / "report.html").read_text("utf-8")
    page = Page(text)
    assert text.startswith("<!DOCTYPE html>")
    assert not page.faults
    assert not page.open
    assert len(set(page.ids)) == len(page.ids)
    assert page.headings[0] == 1
    assert all(after <= before + 1 for before, after in zip(page.headings, page.headings[1:], strict=False))
    names = {tag for tag, _ in page.tags}
    assert not names & {"script", "link", "img", "iframe", "object", "form"}
    assert set(re.findall(r"https?://[^\"'\s<]*", text)) == {"http://www.w3.org/2000/svg"}
    assert "@import" not in text
    assert not re.findall(r"url\((?!#)", text)
    assert ("html", {"lang": "en"}) in page.tags
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]


def test_figures_have_names_and_tables(folder):
    page = Page((folder / "report.html").read_text("utf-8"))
    pictures = [attributes for tag, attributes in page.tags if tag == "svg"]
    assert len(pictures) == 3
    for attributes in pictures:
        assert attributes["role"] == "img"
        assert set(attributes["aria-labelledby"].split()) <= set(page.ids)
    tags = [tag for tag, _ in page.tags]
    assert tags.count("figure") == tags.count("figcaption") == 3
    assert tags.count("table") == tags.count("caption") >= 6
    assert all("scope" in attributes for tag, attributes in page.tags if tag == "th")


def test_the_record_says_what_the_page_shows(folder, found):
    record = json.loads((folder / "report.json").read_text("utf-8"))
    assert record["report"] == "public"
    assert record["chosen"] == found.best() + 1
    assert [one["name"] for one in record["configurations"]][:2] == ["syntf, ε 10", "syntf, ε 60"]
    chosen = found.outcomes[found.best()]
    assert record["configurations"][record["chosen"] - 1]["advantage"] == chosen.advantage
    assert record["configurations"][0]["guarantee"]["epsilon"] == found.outcomes[0].promised.epsilon
    attacks = record["attacks_on_originals"] + record["configurations"][0]["attacks"]
    assert {(attack["attacker"], attack["setting"]) for attack in attacks} == {
        (name, setting)
        for name in ("words-svm", "length", "majority")
        for setting in ("original", "static", "adaptive", "informed")
    } | {("ensemble", "original"), ("ensemble", "informed")}
    for one in attacks:
        assert {"accuracy", "f1_macro", "top_5", "mean_reciprocal_rank"} <= set(one["figures"])
    text = (folder / "report.html").read_text("utf-8")
    assert record["verdict"].split(",")[0] in text
    assert all(limit.split(".")[0] in text for limit in record["limits"])


def test_the_claim_states_everything_required(found):
    for place in range(len(found.outcomes)):
        claim = EvaluationReport.on(found, chosen=place).claim.to_json()
        assert set(REQUIRED) <= set(claim)
        assert all(claim[name].strip() for name in REQUIRED)


def test_the_claim_of_a_proved_method(found):
    claim = EvaluationReport.on(found, chosen=0).claim
    promised, to_author = found.outcomes[0].promised, found.outcomes[0].promised_to_author
    assert claim.statement == str(promised)
    assert claim.unit == "each document"
    assert claim.neighbouring_relation == "any two documents"
    assert claim.delta == "0"
    assert float(claim.epsilon.split()[0].replace(",", "")) >= promised.epsilon
    printed = re.search(r"ε = ([\d,.]+)\. Releasing", claim.composition).group(1)
    assert float(printed.replace(",", "")) >= to_author.epsilon
    assert "the number and order of the documents" in claim.released_as_is


def test_the_claim_of_a_metric_method_keeps_to_a_word(found):
    claim = EvaluationReport.on(found, chosen=2).claim
    assert claim.unit == "each word of a document"
    assert "for each unit of" in claim.epsilon
    assert "as many as the documents of an author have words" in claim.composition


def test_no_guarantee_is_said_to_be_none(found):
    claim = EvaluationReport.on(found, chosen=3).claim
    assert claim.epsilon == claim.delta == "none"
    assert claim.statement.startswith("No formal privacy is promised.")


@pytest.mark.parametrize("name", REQUIRED)
def test_an_incomplete_claim_builds_no_report(name):
    whole = claims.Claim(*["said"] * len(fields(claims.Claim)))
    with pytest.raises(ParameterError, match=name):
        replace(whole, **{name.replace(" ", "_"): " "})


def test_an_empty_field_of_the_guarantee_fails_the_build(found, tmp_path):
    silent = replace(found.outcomes[0], promised=replace(found.outcomes[0].promised, adjacency=""))
    with pytest.raises(ParameterError, match="neighbouring relation"):
        report.write(tmp_path / "report", replace(found, outcomes=(silent,)), chosen=0)
    assert not list(tmp_path.iterdir())


def test_a_repeatable_run_says_that_it_promises_nothing():
    with pytest.MonkeyPatch.context() as patch:
        known = metrics.measures()
        without = known | {"meaning": replace(known["meaning"], missing=lambda: "It is not here.")}
        patch.setattr(metrics, "measures", lambda: without)
        model = SynTF(vocabulary=WORDS, words=5)
        seeded = evaluate(canary_sample(), [Method(model)], [Majority()], seed=1)
    said = EvaluationReport.on(seeded)
    assert said.claim.epsilon == "none"
    assert "promises nothing" in said.limits[-1]
    assert said.how["randomness"] == "--insecure-seed 1"


def test_an_internal_report_names_authors_and_rows(found, tmp_path):
    written = report.write(tmp_path / "internal", found, internal=True)
    assert written.to_json()["report"] == written.kind == "internal"
    with (tmp_path / "internal" / "predictions.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    sample = found.sample
    assert [int(row["row"]) for row in rows] == [sample.rows[place] for place in sample.places("test")]
    assert [row["author"] for row in rows] == [sample.authors[place] for place in sample.places("test")]
    chosen = written.outcome
    strongest = [row[f"{chosen.strongest.attacker} ({chosen.strongest.setting})"] for row in rows]
    assert strongest == list(chosen.strongest.predicted)
    page = (tmp_path / "internal" / "report.html").read_text("utf-8")
    assert "Wanda Qvist-Marker" in page
    assert "<b>Bertil" not in page
    assert "&lt;b&gt;Bertil" in page
    assert not [word for word in CANARIES if word in everything(tmp_path / "internal")]


def test_many_authors_are_drawn_together(found):
    sample = found.sample
    names = [f"writer {n % 30}" for n in range(40)]
    attack = found.outcomes[0].strongest
    many = replace(found, sample=replace(sample, authors=names))
    guesses = tuple(names[place] for place in sample.places("test"))
    attacked = replace(found.outcomes[0].attacked, attacks=(replace(attack, predicted=guesses),))
    many = replace(many, outcomes=(replace(found.outcomes[0], attacked=attacked),))
    drawn = report._confusion(many, many.outcomes[0], internal=False)
    assert len(drawn.rows) == 25
    assert drawn.rows[-1] == "all others"
    assert sum(map(sum, drawn.values)) == len(guesses)
    assert sum(drawn.values[place][place] for place in range(25)) == len(guesses)


def test_an_unknown_choice_is_refused(found):
    with pytest.raises(ParameterError, match="from 1 to 4, got 9"):
        EvaluationReport.on(found, chosen=8)


def test_an_existing_report_is_replaced_only_when_asked(found, tmp_path):
    target = tmp_path / "report"
    target.mkdir()
    report.write(target, found, internal=True)  # an empty folder is as good as none
    with pytest.raises(InputError, match="is not empty"):
        report.write(target, found)
    assert (target / "predictions.csv").exists()
    report.write(target, found, force=True)
    assert not (target / "predictions.csv").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_other_things_are_never_replaced(found, tmp_path):
    target = tmp_path / "report"
    report.write(target, found)
    (target / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(InputError, match="more than a report"):
        report.write(target, found, force=True)
    assert (target / "thesis.txt").read_text("utf-8") == "years of work"
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="no folder"):
        report.check_folder(tmp_path / "file", force=True)
    with pytest.raises(InputError, match="can be written to"):
        report.check_folder(tmp_path / "not" / "here", force=False)


def test_a_failure_leaves_the_older_report(found, tmp_path, monkeypatch):
    target = tmp_path / "report"
    report.write(target, found)
    before = everything(target)

    def fail(path: Path, text: str) -> None:
        if path.name == "report.html":
            raise OSError("disk full")
        path.write_text(text, encoding="utf-8")

    monkeypatch.setattr(report, "_save", fail)
    with pytest.raises(OSError, match="disk full"):
        report.write(target, found, force=True)
    assert everything(target) == before
    assert [path.name for path in tmp_path.iterdir()] == ["report"]
