"""The one ruler of all papers: a setting on some texts is measured once, kept, and read by whoever asks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from allonym.errors import InputError
from allonym.papers.ruler import settings
from allonym.papers.ruler.grounds import GROUNDS, asked_for
from allonym.papers.ruler.measure import Work, measure
from allonym.papers.ruler.rows import Measured
from allonym.papers.ruler.tables import figure, ordered, table
from tests.papers.conftest import syntf

FRONTIER = Path(__file__).resolve().parents[2] / "results" / "frontier.json"


def test_two_papers_share_a_row(made_up_ground, tmp_path):
    said: list[str] = []
    first = measure(Path("."), [syntf(40.0)], Work(tmp_path, made_up_ground("made"), 1), said.append)
    second = measure(Path("."), [syntf(4.0), syntf(40.0)], Work(tmp_path, made_up_ground("made"), 1), said.append)
    assert [line.split(":")[0] for line in said] == ["made, SynTF, ε = 40", "made, SynTF, ε = 4"]
    assert [row.name for row in second.rows] == ["original", "SynTF, ε = 4", "SynTF, ε = 40"]
    assert second.find("SynTF, ε = 40").to_json() == json.loads(json.dumps(first.methods[0].to_json()))
    assert second.original.strongest.accuracy.value == 1.0 > second.methods[0].strongest.accuracy.value
    assert second.find("SynTF, ε = 7") is None
    assert not Work(tmp_path, made_up_ground("made"), 2).rows()  # another number of draws is another measurement
    others = Work(tmp_path, made_up_ground("others"), 1)
    with pytest.raises(InputError, match="originals of others"):
        others.of([syntf(40.0)])


def test_a_row_of_other_parameters_is_measured_again(made_up_ground, tmp_path):
    said: list[str] = []
    measure(Path("."), [syntf(40.0)], Work(tmp_path, made_up_ground("made"), 1), said.append)
    work = Work(tmp_path, made_up_ground("made"), 1)
    changed = syntf(40.0, words=5)
    assert work.missing([syntf(40.0)]) == []
    assert work.missing([changed]) == [changed]
    assert work.of([changed]).methods == ()
    measured = measure(Path("."), [changed], work, said.append)
    assert measured.methods[0].parameters["words"] == 5
    assert len(said) == 2


def test_a_file_that_is_no_row_is_refused(made_up_ground, tmp_path):
    folder = tmp_path / "made" / "1 draws"
    folder.mkdir(parents=True)
    (folder / "row.json").write_text('{"name": "SynTF"}', encoding="utf-8")
    with pytest.raises(InputError, match="holds no measured row"):
        Work(tmp_path, made_up_ground("made"), 1)


def test_texts_are_asked_for_by_name():
    assert [ground.name for ground in asked_for("imdb62-10, blogs-50", GROUNDS)] == ["imdb62-10", "blogs-50"]
    assert asked_for(None, GROUNDS) == list(GROUNDS.values())
    assert asked_for("", GROUNDS) == []
    with pytest.raises(InputError, match="no texts called nowhere"):
        asked_for("nowhere", GROUNDS)


def test_stored_rows_are_read_and_written_unchanged():
    stored = json.loads(FRONTIER.read_text("utf-8"))["grounds"]
    for ground in stored.values():
        measured = Measured.from_json(ground)
        written = {row["name"]: row for row in measured.to_json()["rows"]}
        assert written == {row["name"]: row for row in ground["rows"]}
        assert measured.about.to_json() == ground["about"]
        assert ordered(measured.rows)[0] is measured.original
        assert table(measured.rows).count("\n") >= len(measured.rows) + 1
        assert (figure(measured) is None) == (len(measured.methods) < 2)  # one method is no comparison
        assert figure(Measured(measured.original)) is None


def test_settings_of_the_same_name_are_the_same():
    named = {setting.name: setting for setting in settings.OURS}
    for setting in (settings.plain_clauses(3), settings.public_groups(11.4), settings.two_set(3.0), settings.syntf(10)):
        assert named[setting.name] == setting


def test_a_rival_is_timed_by_what_does_its_work(tmp_path):
    listed = [
        {"title": "upper", "setting": "", "command": "cat"},
        {"title": "looked up", "setting": "", "command": "cat answers", "works": "tr a-z A-Z"},
    ]
    (tmp_path / "rivals.json").write_text(json.dumps(listed), "utf-8")
    plain, ahead = settings.read_rivals(tmp_path / "rivals.json")
    made = plain.made()
    assert plain.timed(made) is made
    [written] = ahead.timed(ahead.made()).command(["loud"])
    assert written == "LOUD"
