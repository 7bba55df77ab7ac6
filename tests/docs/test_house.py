"""The page about the layout of the source: drawn from the imports, so it must be drawn again when they change."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def house(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import draw_house

    yield draw_house
    sys.modules.pop("draw_house")


def test_the_page_is_up_to_date(house):
    assert house.main(["--check"]) == 0, "run python tools/draw_house.py"


def test_the_picture_shows_every_room_and_an_import_that_is_there(house):
    modules = house.graph()
    picture = house.picture(modules)
    assert all(f">{room}</text>" in picture for room in house.rooms(modules))
    assert "formats" in house.rooms(modules)["jobs"]


def test_a_stale_page_and_a_way_that_leads_nowhere_are_seen(house, monkeypatch, tmp_path):
    old = tmp_path / "house.md"
    old.write_text(house.PAGE.read_text("utf-8").replace("| `errors` |", "| `mistakes` |"), "utf-8")
    monkeypatch.setattr(house, "PAGE", old)
    assert house.main(["--check"]) == 1
    monkeypatch.setattr(house, "WAYS", {"A way": [("errors", "begins"), ("web.api", "ends")]})
    with pytest.raises(SystemExit, match=r"web\.api is not reached"):
        house.drawn()


def test_lines_that_follow_from_others_are_left_out(house):
    used = {"a": {"b", "c"}, "b": {"c"}, "c": set()}
    assert house.without_shortcuts(used) == {"a": {"b"}, "b": {"c"}, "c": set()}
