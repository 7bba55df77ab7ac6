"""The pages as the documentation site gets them: links that lead somewhere, and a place for every page."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import PATIENCE

yaml = pytest.importorskip("yaml", reason="the site is built with the extra docs")

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def loaded(name):
    """Return a script of tools/ as a module."""
    specification = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def tool():
    return loaded("build_docs")


@pytest.fixture(scope="module")
def site(tool, tmp_path_factory):
    tool.BUILD = tmp_path_factory.mktemp("build")
    tool.main()
    return tool.BUILD


def test_no_link_between_the_pages_is_dead(site):
    pages = sorted((site / "docs").rglob("*.md"))
    checked = 0
    for page in pages:
        for link in LINK.findall(FENCE.sub("", page.read_text("utf-8"))):
            target, _, anchor = link.partition("#")
            if "://" in link or not target:
                continue
            checked += 1
            path = (page.parent / target).resolve()
            assert path.is_file(), f"{page.name}: {link}"
            assert path.is_relative_to(site.resolve())
            if path.parent.name == "api":
                assert f"::: {anchor}\n" in path.read_text("utf-8")
    assert checked > 30


def test_every_page_has_a_place(tool, site):
    config = yaml.safe_load((site / "mkdocs.yml").read_text("utf-8"))
    placed = list(tool.named(config["nav"]))
    assert len(placed) == len(set(placed))
    assert set(placed) == {page.relative_to(site / "docs").as_posix() for page in (site / "docs").rglob("*.md")}


def test_the_reference_names_every_public_module(site):
    described = "".join(page.read_text("utf-8") for page in (site / "docs" / "api").glob("*.md"))
    for module in (
        "allonym.disk",
        "allonym.language.words",
        "allonym.mechanisms.subset",
        "allonym.anonymizers.erae.recipe",
        "allonym.formats.files",
    ):
        assert f"::: {module}\n" in described
    assert "._" not in described


def test_links_are_made_to_fit(tool):
    page = ROOT / "docs" / "page.md"
    known = {ROOT / "docs" / "limits.md": "limits.md", ROOT / "CONTRIBUTING.md": "project/contributing.md"}
    text = "[a](limits.md#x) [b](../CONTRIBUTING.md) [c](../LICENSE) [`d`](../src/allonym/disk.py)\n```\n[e](f.md)\n```"
    fitted = tool.fitted(text, page, "page.md", known)
    assert fitted == (
        "[a](limits.md#x) [b](project/contributing.md) c [`d`](api/allonym.md#allonym.disk)\n```\n[e](f.md)\n```"
    )


def test_pages_that_nobody_placed_come_last_and_missing_ones_are_noticed(tool):
    nav = [{"Start": "index.md"}, {"Both": [{"One": "one.md"}, "two.md"]}]
    tool.complete(nav, {"index.md", "one.md", "two.md", "new.md"})
    assert nav[-1] == {"More": ["new.md"]}
    with pytest.raises(SystemExit, match=re.escape("one.md")):
        tool.complete(nav, {"index.md", "two.md", "new.md"})


def test_examples_in_docstrings_are_shown_as_code():
    pytest.importorskip("griffe", reason="the site is built with the extra docs")
    fenced = loaded("griffe_doctests").fenced
    assert fenced("Add.\n\n>>> 1 + 1\n2\n\nMore.") == "Add.\n\n```pycon\n>>> 1 + 1\n2\n```\n\nMore."
    assert fenced("Add.\n\nExample:\n    >>> 1\n    1") == "Add.\n\nExample:\n    ```pycon\n    >>> 1\n    1\n    ```"
    known = "Add.\n\nExamples:\n    >>> 1\n    1"
    assert fenced(known) == known


@pytest.fixture(scope="module")
def built(site):
    """Build the site; return its folder."""
    if importlib.util.find_spec("zensical") is None:
        pytest.skip("zensical is not installed (the extra docs)")
    line = [sys.executable, "-m", "zensical", "build", "--strict", "-f", str(site / "mkdocs.yml")]
    done = subprocess.run(line, cwd=site, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return site / "site"


def test_the_site_is_built_without_a_warning_and_fetches_nothing(built):
    for page in built.rglob("*.html"):
        fetched = re.findall(
            r'<(?:script|img|link|iframe)\b[^>]*(?:src|href)="?(https?://[^"\s>]+)', page.read_text("utf-8")
        )
        assert not fetched, page.name
    assert (built / "api" / "allonym.mechanisms.html").is_file()


def test_every_picture_of_a_page_is_there(built):
    shown = 0
    for page in built.rglob("*.html"):
        for source in re.findall(r'<img\b[^>]*src="([^":]+)"', page.read_text("utf-8")):
            assert (page.parent / source).is_file(), f"{page.name}: {source}"
            shown += 1
    assert shown > 20


@pytest.fixture(scope="module")
def browser():
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("there is no chromium on this machine")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=program, args=["--headless", "--no-sandbox"], timeout=1000 * PATIENCE
        )
        yield started
        started.close()


@pytest.mark.parametrize("page", ["index.html", "results/syntf.html"])
def test_the_search_works_on_pages_from_the_disk(page, built, browser):
    tab = browser.new_page()
    tab.set_default_timeout(1000 * PATIENCE)
    requests: list[str] = []
    tab.on("request", lambda request: requests.append(request.url))
    tab.goto((built / page).as_uri())
    tab.get_by_role("button", name="Search").first.click()
    box = tab.locator("input[aria-label=Search]")
    box.press_sequentially("Ghostwriter", delay=20)
    found = tab.locator("dialog a[href*='/ghostwriter.html']")
    found.first.wait_for()
    assert box.input_value() == "Ghostwriter"
    found.first.click()
    tab.wait_for_url("**/ghostwriter.html*")
    tab.close()
    assert all(url.startswith(("file:", "data:", "blob:", "about:")) for url in requests)


def test_docs_are_built_without_what_only_the_program_needs(tmp_path):
    """`make docs` makes an environment of its own, of what the extra docs names and nothing else."""
    if shutil.which("make") is None:
        pytest.skip("there is no make")
    line = ["make", "--dry-run", "docs", f"VENV={tmp_path / 'venv'}"]
    planned = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    installed = [line for line in planned.splitlines() if " install " in line]
    assert len(installed) == 1
    assert "-r " in installed[0]
    assert "-e" not in installed[0].split()
    source = (ROOT / "tools" / "build_docs.py").read_text("utf-8")
    imported = {name.split(".")[0] for name in re.findall(r"^(?:from|import) (\S+)", source, re.MULTILINE)}
    assert imported - sys.stdlib_module_names == {"yaml"}
