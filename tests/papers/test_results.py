"""Every table and figure in results/ is what the committed JSON beside it gives: made again here, byte for byte."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest

from allonym import papers
from allonym.drawing.figure_data import from_csv
from allonym.drawing.figures import draw

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results"


def committed(name: str):
    return json.loads((RESULTS / f"{name}.json").read_text("utf-8"))


def script(path: str):
    """Load a program that is no part of the package."""
    folder = str((ROOT / path).parent)
    sys.path.insert(0, folder)
    try:
        spec = importlib.util.spec_from_file_location(f"made_results_{Path(path).stem}", ROOT / path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(folder)
    return module


def made_of_audit() -> dict[str, str]:
    record, audit = committed("audit"), script("tools/audit_table.py")
    parts = ("bounds", "whole_laws", "whole_releases", "black_boxes")
    return {"audit.md": audit._markdown(*(record[part] for part in parts))}


def made_of_page() -> dict[str, str]:
    page, record = script("benchmarks/page.py"), committed("page")
    return {"page.md": page.page_of(record, [page.Row(**row) for row in record["rows"]])}


def made() -> dict[str, dict[str, str]]:
    return {
        **{name: papers.files(name, papers.find(name).RESULTS.from_json(committed(name))) for name in papers.names()},
        "audit": made_of_audit(),
        "audit_peers": {"audit_peers.md": script("tools/audit_peers.py")._table(committed("audit_peers"))},
        "jobs": {"jobs.md": script("benchmarks/job_results.py").page(committed("jobs"))},
        "page": made_of_page(),
    }


@pytest.fixture(scope="module")
def rendered() -> dict[str, str]:
    return {name: content for files in made().values() for name, content in files.items()}


def test_every_table_and_figure_is_made_again(rendered):
    kept = {path.name for path in RESULTS.iterdir() if path.suffix in (".md", ".csv", ".svg")}
    assert kept == {name for name in rendered if not name.endswith(".json")}


def test_what_is_made_again_is_what_was_committed(rendered):
    different = [name for name, content in rendered.items() if (RESULTS / name).read_bytes() != content.encode("utf-8")]
    assert not different


def test_a_figure_can_be_drawn_from_its_table():
    for path in RESULTS.glob("*.csv"):
        assert draw(from_csv(path.read_text("utf-8"))) == path.with_suffix(".svg").read_text("utf-8"), path.name
