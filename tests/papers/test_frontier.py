"""The frontier: rows are measured by the one ruler, kept as they are done, and shown."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from allonym.errors import InputError
from allonym.papers import Asked, files, find
from allonym.papers.frontier import reproduce
from allonym.papers.ruler import grounds, settings
from allonym.papers.ruler import measure as ruler
from tests.papers.conftest import syntf

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.fixture
def small(monkeypatch, made_up_ground):
    """Two settings on made-up texts."""
    monkeypatch.setattr(reproduce, "GROUNDS", {name: made_up_ground(name) for name in ("made", "further")})
    monkeypatch.setattr(reproduce, "OURS", (syntf(40.0), syntf(4.0)))


@pytest.fixture
def listed(tmp_path):
    command = f"{sys.executable} -c 'import sys; [print(line.strip().upper()) for line in sys.stdin]'"
    path = tmp_path / "rivals.json"
    path.write_text(json.dumps([{"title": "capitals", "setting": "", "command": command}]), encoding="utf-8")
    return path


def test_methods_and_rivals_stand_in_one_table(small, listed, tmp_path):
    said = []
    results = reproduce.run(Asked(Path("."), said.append, runs=2, rivals=listed, only="made"))
    made = {row["name"]: row for row in results.to_json()["grounds"]["made"]["rows"]}
    assert list(made) == ["original", "SynTF, ε = 40", "capitals", "SynTF, ε = 4"]
    assert made["capitals"]["strongest"]["value"] == made["original"]["strongest"]["value"] == 1.0
    assert made["capitals"]["loss_per_document"] is None
    assert made["SynTF, ε = 40"]["loss_per_document"] > made["SynTF, ε = 4"]["loss_per_document"] > 0
    assert [row["draws"] for row in made.values() if "draws" in row] == [2, 1, 2]
    assert all(row["words_per_second"] > 0 for row in made.values() if "draws" in row)
    assert len(said) == 3
    text = files("frontier", results)["frontier.md"]
    for name in made:
        assert f"| {name} |" in text
    assert "3 authors" in text


def test_an_interrupted_run_goes_on(small, tmp_path):
    work = tmp_path / "work"

    def stop(said: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reproduce.run(Asked(Path("."), stop, runs=1, work=work, only="made"))
    said: list[str] = []
    results = reproduce.run(Asked(Path("."), said.append, runs=1, work=work, only="made"))
    assert len(said) == 1  # the first row was kept
    assert reproduce.run(Asked(Path("."), said.append, runs=1, work=work, only="made")) == results
    assert reproduce.run(Asked(Path("."), said.append, runs=1, work=work, only="")) == results
    both = reproduce.run(Asked(Path("."), said.append, runs=1, work=work, only="further"))
    assert list(both.grounds) == ["made", "further"]  # what is done already is part of the results


def test_rows_of_an_earlier_run_are_not_measured_again(small, tmp_path):
    first = reproduce.run(Asked(Path("."), print, runs=1, only="made"))
    stored = tmp_path / "frontier.json"
    stored.write_text(json.dumps(first.to_json()), encoding="utf-8")
    said: list[str] = []
    again = reproduce.run(Asked(Path("."), said.append, runs=1, only="further", earlier=stored))
    assert list(again.grounds) == ["made", "further"]
    assert again.grounds["made"].to_json() == json.loads(json.dumps(first.grounds["made"].to_json()))
    assert {line.split(",")[0] for line in said} == {"further"}
    with pytest.raises(InputError, match="1 draws of each setting, not 2"):
        reproduce.run(Asked(Path("."), print, runs=2, only="", earlier=stored))
    stored.write_text("[]", encoding="utf-8")
    with pytest.raises(InputError, match="no results of this paper"):
        reproduce.run(Asked(Path("."), print, only="", earlier=stored))


def test_rows_of_other_papers_are_left_out(small, made_up_ground, tmp_path):
    ruler.measure(Path("."), [syntf(7.0)], ruler.Work(tmp_path, made_up_ground("made"), 1), print)
    results = reproduce.run(Asked(Path("."), print, runs=1, work=tmp_path, only="made"))
    assert [row.setting for row in results.grounds["made"].rows] == ["", "ε = 40", "ε = 4"]


def test_what_is_not_there_is_refused(small, tmp_path):
    with pytest.raises(InputError, match="no texts called nowhere"):
        reproduce.run(Asked(Path("."), print, only="nowhere"))
    (tmp_path / "r.json").write_text('[{"title": 1}]', encoding="utf-8")
    with pytest.raises(InputError, match="lists no rivals"):
        reproduce.run(Asked(Path("."), print, rivals=tmp_path / "r.json"))


def test_our_settings_can_be_made():
    for setting in reproduce._installed(print):
        assert setting.made().guarantee(1, None).definition
    assert len({setting.name for setting in settings.OURS}) == len(settings.OURS)


def test_texts_are_cut_at_sentences():
    assert grounds.opening("One two. Three four! " + "word " * 200) == "One two. Three four!"
    assert grounds.review("A b . C d . e f") == "A b. C d."
    assert grounds.tokenised("A b . C d . e f") == "a b . c d ."


@pytest.mark.skipif(not DATA.exists(), reason="the corpora are not here")
def test_the_ten_reviewers_are_read_whole():
    sample = grounds.GROUNDS["imdb62-10"].read(DATA)
    assert (len(sample.places("train")), len(sample.places("test")), len(set(sample.authors))) == (8000, 300, 10)


def test_it_is_found_by_name():
    assert find("frontier") is reproduce
