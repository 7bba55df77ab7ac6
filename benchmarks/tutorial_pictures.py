"""Take the pictures of the writer's tutorial: the whistleblower's letter on the page, read and rewritten.

    python benchmarks/tutorial_pictures.py             # docs/images/tutorial-*.png

`make pictures` takes these and those of page_pictures.py. Buttons are found by the names that a person reads, so that
the pictures can be taken again after the page has changed.
"""

from __future__ import annotations

import os
import re
import shutil
from typing import Any

from _common import HERE
from page_pictures import IMAGES, SLOW_MS, opened

LETTER = HERE.parent / "examples" / "letters" / "whistleblower.txt"


def take(browser: Any) -> None:  # noqa: ANN401
    """Take the pictures."""
    with opened(browser, 1280, 900, "light") as (tab, _):
        tab.get_by_role("textbox", name="Your text").fill(LETTER.read_text("utf-8"))
        tab.wait_for_selector("#marks li", timeout=SLOW_MS)
        tab.get_by_role("button", name="Edit", exact=True).click()
        tab.wait_for_selector("#marked .mark", timeout=SLOW_MS)
        tab.wait_for_timeout(500)
        tab.screenshot(path=IMAGES / "tutorial-read.png")
        tab.get_by_role("link", name="Choose a protection").click()
        tab.get_by_role("radio", name=re.compile("^Ghostwriter")).click(timeout=SLOW_MS)
        tab.get_by_role("button", name="Rewrite", exact=True).click()
        tab.wait_for_selector("#draft:not([hidden]) #result .change", timeout=SLOW_MS)
        tab.set_viewport_size({"width": 1280, "height": 1400})
        tab.wait_for_timeout(1000)
        tab.evaluate("window.scrollTo(0, 0)")
        tab.screenshot(path=IMAGES / "tutorial-rewrite.png")


def main() -> None:
    """Start a browser and take them."""
    from playwright.sync_api import sync_playwright

    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--headless", "--no-sandbox"])
        take(browser)
        browser.close()


if __name__ == "__main__":
    main()
