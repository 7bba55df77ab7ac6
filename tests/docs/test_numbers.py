"""Numbers in README and docs: each is what its result file says, and no result is told without one."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import fill_numbers  # noqa: E402
from fill_numbers import PAGES  # noqa: E402
from stated import laws, pages  # noqa: E402
from stated.names import NAMES, expanded  # noqa: E402
from stated.tables import TABLES, stated  # noqa: E402
from stated.values import SourceError, Sources  # noqa: E402

MADE_UP = {
    "rows": [
        {"method": "a, b", "loss": 2.0, "attack": {"value": 0.4525, "low": 0.405, "high": 0.5}},
        {"method": "c", "loss": 13.58, "attack": {"value": 0.9, "low": 0.8, "high": 0.95}},
    ],
    "by": {"Top 10/Any": {"mean": 0.25}, "Top 5/Any": {"mean": 0.5}},
    "loss": 11.4034,
}


@pytest.fixture
def sources(tmp_path):
    (tmp_path / "made_up.json").write_text(json.dumps(MADE_UP), "utf-8")
    return Sources(tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_number_is_stale(page):
    assert pages.stale(page.read_text("utf-8"), Sources(ROOT / "results")) == [], "run: make numbers"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_result_is_told_without_a_source(page):
    assert list(pages.unsourced(page.read_text("utf-8"))) == []


def test_the_pages_that_tell_results_are_marked():
    least = {"README.md": 15, "docs/a4nt-results.md": 60, "docs/erae-results.md": 40, "docs/syntf-results.md": 30}
    for page, number in least.items():
        assert len(re.findall("<!-- (?:n|table): ", (ROOT / page).read_text("utf-8"))) >= number


def test_every_table_is_shown():
    shown = {match["what"] for page in PAGES for match in pages.TABLE.finditer(page.read_text("utf-8"))}
    assert shown == set(TABLES)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_leads_somewhere(name):
    results = Sources(ROOT / "results")
    if "#" in expanded(name):
        assert results.nodes(f"{name}[*]" if name.startswith("sweep_") else name)
    else:
        assert results.figures(name)


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("made_up.json#rows[method=a, b].attack", "0.45"),
        ("made_up.json#rows[method=a, b].attack as interval .2f", "0.45 (0.41–0.50)"),
        ("made_up.json#rows[method=a, b].attack as interval pts", "45 (41–50)"),
        ("made_up.json#rows[0].attack as .0%", "45 %"),
        ("made_up.json#rows[*].attack as span .2f", "0.45 to 0.90"),
        ("made_up.json#rows[loss≈13.6].attack as .1f", "0.9"),
        ("max(made_up.json#rows[*].attack)", "0.90"),
        ("min(made_up.json#rows[*].attack, 0.1)", "0.10"),
        ("made_up.json#by[Top 10/Any] / made_up.json#by[Top 5/Any] - made_up.json#by[Top 5/Any] / 2 as +pts", "+25"),
        ("made_up.json#by[Top 10/Any] - made_up.json#by[Top 5/Any] as +pts", "−25"),
        ("made_up.json#loss as .2f", "11.40"),
        ("made_up.json#loss as up .2f", "11.41"),
        ("20000 as ,.0f", "20,000"),
        ("figures(1, 2, 3) as span .0f", "1 to 3"),
    ],
)
def test_what_an_expression_is_written_as(sources, what, text):
    assert stated(what, sources) == text


@pytest.mark.parametrize(
    "what",
    [
        "made_up.json#rows[method=nobody].attack",
        "made_up.json#rows[loss≈5].attack",
        "made_up.json#rows[*].attack",
        "made_up.json#rows[0].attack as odd",
        "made_up.json#rows[7].attack",
        "made_up.json#rows[0].method",
        "made_up.json#nothing",
        "made_up.json#loss as interval .2f",
        "missing.json#loss",
        "nobody.attack",
        "median(1, 2)",
    ],
)
def test_an_expression_that_leads_nowhere_is_refused(sources, what):
    with pytest.raises(SourceError):
        stated(what, sources)


def test_a_stale_number_is_found_and_filled_in(sources):
    text = "It is <!-- n: made_up.json#loss -->11.52<!-- /n --> now.\n"
    assert pages.stale(text, sources) == ["line 1: made_up.json#loss is 11.40, not 11.52"]
    assert pages.stale(pages.fill(text, sources), sources) == []
    assert ">11.40<" in pages.fill(text, sources)


def test_the_program_fills_and_checks(tmp_path, monkeypatch, capsys):
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "made_up.json").write_text(json.dumps(MADE_UP), "utf-8")
    page = tmp_path / "page.md"
    page.write_text("It is <!-- n: made_up.json#loss -->0<!-- /n -->.\n", "utf-8")
    monkeypatch.setattr(fill_numbers, "ROOT", tmp_path)
    monkeypatch.setattr(fill_numbers, "PAGES", [page])
    assert fill_numbers.main(["--check"]) == 1
    assert "is 11.40, not 0" in capsys.readouterr().out
    assert fill_numbers.main([]) == 0
    assert fill_numbers.main(["--check"]) == 0
    page.write_text("It is <!-- n: made_up.json#other -->0<!-- /n -->.\n", "utf-8")
    assert fill_numbers.main([]) == 1


@pytest.mark.parametrize(
    "text",
    [
        "F1 is 0.45 now",
        "it keeps 89 % of it",
        "| a | 12.5 |",
        "45 of 100 are named",
        "+3 points ahead",
        "at perplexity 123",
        "right in 95 % of the cases",
        "at METEOR 0.71",
        "<!-- n: made_up.json#loss -->11.40<!-- /n --> and 0.5",
        "<!-- given: its table -->0.4<!-- /given --> and 0.5",
    ],
)
def test_a_number_without_a_source_is_found(text):
    assert len(list(pages.unsourced(f"# Page\n\n{text}.\n"))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "ten authors, 1,000 reviews, 2018",
        "`--rate 0.5`",
        "```\n0.5\n```",
        "at ε = 47.5 with Python 3.11, a 95 % interval of METEOR 1.5, by theorem 3.4",
        "<!-- n: made_up.json#loss -->11.40<!-- /n -->",
        "<!-- given: a setting -->0.4<!-- /given -->",
        "<!-- table: odds -->\n\n| 0.1 |\n\n<!-- /table -->",
        "[a](page-0.5.md)",
    ],
)
def test_other_numbers_are_left_alone(text):
    assert list(pages.unsourced(f"# Page\n\n{text}\n")) == []


@pytest.mark.parametrize(
    "text",
    [
        "It is <!-- n: 1 -->1 now.",
        "It is 1<!-- /n --> now.",
        "<!-- n: 1 -->1<!-- /n --> it is.",
        "- <!-- given: a setting -->1<!-- /given -->",
        "| a | <!-- n: 1 | 2 -->1<!-- /n --> |",
        "<!-- table: nothing -->\n\n<!-- /table -->",
    ],
)
def test_markers_that_would_be_shown_or_end_nowhere_are_refused(text, sources):
    with pytest.raises(SourceError):
        pages.fill(f"# Page\n\n{text}\n", sources)


def shown(html: str) -> str:
    """Return what a browser shows: no comments, and no matter how many blanks."""
    return re.sub(r"\s+", " ", pages.COMMENT.sub("", html)).replace("> <", "><").strip()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_markers_change_nothing_that_is_shown(page):
    text = re.sub(pages.CODE, lambda code: code[0].replace("<!--", ""), page.read_text("utf-8"))  # which shows them
    without = re.sub(r"^<!--.*?-->\n\n?", "", text, flags=re.MULTILINE)
    without = pages.COMMENT.sub("", without)
    github = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable("table")
    site = pytest.importorskip("markdown").Markdown(extensions=["admonition", "attr_list", "tables", "fenced_code"])
    for render in (github.render, site.convert):
        assert shown(render(text)) == shown(render(without))


def test_the_laws_agree_with_each_other():
    for loss in (6, 11.4):
        assert laws.subset_loss(laws.subset_share(loss, 5), 5) == pytest.approx(loss)
    assert laws.two_set_loss(3) <= 1.5 + laws.LAWS["ln"](19_999) + 1e-12
    assert laws.belief(0) == 0.5
