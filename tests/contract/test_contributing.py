"""What CONTRIBUTING shows is real: its anonymizers are built in a temporary tree, and the contract runs on them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"```python\n# src/allonym/anonymizers/(\w+\.py)\n(.*?)```", re.DOTALL)
METHODS = ("keywords", "plain-case")

# A package's path may have several folders: the examples stand beside the real anonymizers, in this process alone.
BESIDE = "import sys, allonym.anonymizers as found; found.__path__.append(sys.argv.pop(1))"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("anonymizers")
    shown = FENCE.findall((ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    assert [name for name, _ in shown] == ["keywords.py", "plain_case.py"]
    for name, source in shown:
        (made / name).write_text(source, "utf-8")
    return made


def run(folder: Path, script: str, *arguments: str) -> str:
    """Run a script with the examples beside the real anonymizers."""
    line = [sys.executable, "-c", f"{BESIDE}\n{script}", str(folder), *arguments]
    ran = subprocess.run(line, capture_output=True, text=True, cwd=ROOT)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_the_contract_runs_on_them(folder):
    options = ("-v", "-p", "no:cacheprovider", "-k", " or ".join(METHODS))
    script = "import pytest; sys.exit(pytest.main(sys.argv[1:]))"
    said = run(folder, script, "tests/contract/test_anonymizers.py", *options)
    assert int(re.search(r"(\d+) passed", said).group(1)) > 30
    assert "failed" not in said


def test_they_are_on_the_page(folder):
    script = """
import json
from allonym.web import methods, rewriting
cards = {card["name"]: card for card in methods.offered()}
prices = {name: rewriting.price(name, 0, "Rain.").to_json() for name in ("keywords", "plain-case")}
drawn = {name: rewriting.draw(name, 0, "Rain, at HOME.", 4).released for name in prices}
print(json.dumps([cards, prices, drawn, methods.command("keywords", 0)]))
"""
    cards, prices, drawn, command = json.loads(run(folder, script))
    assert [cards[name]["group"] for name in METHODS] == ["readable", "style"]
    assert cards["keywords"]["gives"] == "Words from a short public list, mostly ones that the text contains"
    [slider] = cards["keywords"]["sliders"]
    assert [point["label"] for point in slider["points"]] == ["strongest", "strong", "middle", "close", "closest"]
    assert prices["keywords"]["loss_per_word"] <= 0.5
    assert prices["plain-case"]["loss_per_word"] is None
    assert len(drawn["keywords"].split()) == 10
    assert drawn["plain-case"] == "rain at home"
    assert command == "allonym anonymize YOUR.txt --method keywords --loss-per-word 0.5"


COMMAND = "from allonym.cli import run; sys.exit(run(sys.argv[1:]))"


def test_they_are_on_the_command_line(folder, tmp_path):
    letter = tmp_path / "letter.txt"
    letter.write_text("Rain, at HOME.", "utf-8")
    asked = ("--quiet", "--method", "plain-case", "-o", str(tmp_path / "out.txt"))
    run(folder, COMMAND, "anonymize", str(letter), *asked)
    assert (tmp_path / "out.txt").read_text("utf-8").strip() == "rain at home"
    promised = json.loads(run(folder, COMMAND, "guarantee", "--json", "--method", "keywords", "--words", "7"))
    assert promised["guarantee"]["words"] == 7
    for command in ("evaluate", "audit"):
        assert "keywords|" in run(folder, COMMAND, command, "--help")
