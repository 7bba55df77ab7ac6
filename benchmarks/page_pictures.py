"""Take pictures of the page: those of the documentation, or every screen, narrow and wide, light and dark.

    python benchmarks/page_pictures.py                 # docs/images/read.png, rewrite.png and tables.png
    python benchmarks/page_pictures.py --all FOLDER    # all screens at 375 and 1,280 pixels, and the reports as PDF

Needs Playwright and Debian's chromium (or the browser that the variable CHROMIUM names).
"""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from _common import HERE
from page_load import running

IMAGES = HERE.parent / "docs" / "images"
SLOW_MS = 120_000


@contextmanager
def opened(browser: Any, width: int, height: int, scheme: str) -> Iterator[tuple[Any, str]]:  # noqa: ANN401
    """Open a page of its own; yields the tab and the address."""
    with running() as page:
        address = f"http://127.0.0.1:{page.port}"
        name, _, value = page.cookie.partition("=")
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        context.add_cookies([{"name": name, "value": value, "url": address}])
        tab = context.new_page()
        tab.goto(f"{address}/read")
        yield tab, address
        context.close()


def read(tab: Any) -> None:  # noqa: ANN401
    """Bring the example on the Read screen, with a mark open."""
    tab.click("#example")
    tab.wait_for_selector("#marked .mark", timeout=SLOW_MS)


def draw(tab: Any, address: str, protection: str) -> None:  # noqa: ANN401
    """Bring it to a drawn rewrite."""
    tab.goto(f"{address}/rewrite")
    tab.wait_for_selector(".option", timeout=SLOW_MS)
    tab.check(f"#protection-{protection}")
    tab.click("#draw")
    tab.wait_for_selector("#badge.proved", timeout=SLOW_MS)
    tab.wait_for_selector("#risk div", timeout=SLOW_MS)
    tab.click("[data-view=inline]")


def documentation(browser: Any) -> None:  # noqa: ANN401
    """Take the pictures of the documentation."""
    with opened(browser, 1280, 900, "light") as (tab, address):
        read(tab)
        tab.screenshot(path=IMAGES / "read.png")
        draw(tab, address, "meaning")
        tab.evaluate("window.scrollTo(0, 0)")
        tab.set_viewport_size({"width": 1280, "height": 1330})
        tab.wait_for_timeout(300)
        tab.screenshot(path=IMAGES / "rewrite.png")
        tab.set_viewport_size({"width": 1280, "height": 900})
        take_table(tab, address)
        tab.screenshot(path=IMAGES / "tables.png")


def take_table(tab: Any, address: str) -> None:  # noqa: ANN401
    """Bring the example on the Tables screen, its cost and time known."""
    tab.goto(f"{address}/table")
    tab.click("#example")
    tab.wait_for_selector("#preview td", timeout=SLOW_MS)
    tab.locator("#forecast", has_text="on this machine").wait_for(timeout=SLOW_MS)


def everything(browser: Any, folder: Path, width: int, scheme: str) -> None:  # noqa: ANN401
    """Take all screens at one width and in one scheme."""

    def take(name: str) -> None:
        tab.wait_for_timeout(500)
        tab.screenshot(path=folder / f"{width}-{scheme}-{name}.png", full_page=True)

    with opened(browser, width, 800, scheme) as (tab, address):
        take("read-empty")
        read(tab)
        take("read")
        for protection in ("core", "meaning"):
            draw(tab, address, protection) if protection == "core" else tab.check("#protection-meaning")
            take(f"rewrite-{protection}")
        if tab.locator("#protection-style").count():
            tab.check("#protection-style")
            take("rewrite-style")
        tab.goto(f"{address}/report")
        take("report")
        for kind in ("public", "internal"):
            content = tab.request.get(f"{address}/save/{kind}").body()
            (folder / f"{kind}.html").write_bytes(content)
            report = tab.context.new_page()
            report.goto((folder / f"{kind}.html").absolute().as_uri())
            report.screenshot(path=folder / f"{width}-{scheme}-{kind}.png", full_page=True)
            report.pdf(path=folder / f"{kind}.pdf", prefer_css_page_size=True)
            report.close()
        take_table(tab, address)
        tab.click("#start")
        tab.wait_for_selector("#finished:not([hidden])", timeout=SLOW_MS)
        take("table")
        tab.goto(f"{address}/limits")
        take("limits")


def main() -> None:
    """Take the pictures."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", type=Path, help="folder for pictures of every screen")
    given = parser.parse_args()
    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--headless", "--no-sandbox"])
        if given.all is None:
            documentation(browser)
        else:
            given.all.mkdir(parents=True, exist_ok=True)
            for width in (375, 1280):
                for scheme in ("light", "dark"):
                    everything(browser, given.all, width, scheme)
        browser.close()


if __name__ == "__main__":
    main()
