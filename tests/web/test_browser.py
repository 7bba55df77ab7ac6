"""The three screens in a real browser: end to end, by keyboard, for screen readers, and against hostile texts."""

from __future__ import annotations

import time

import pytest

from tests.web.conftest import LETTER

SLOW = 120_000  # milliseconds; a loaded machine takes its time
XSS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    '"><iframe src=javascript:alert(1)>',
    "'-alert(1)-'",
    "{{7*7}}${alert(1)}",
    "</textarea><script>alert(1)</script>",
    "javascript:alert(1)",
    "&#60;script&#62;alert(1)&#60;/script&#62;",
    "\u202e<b onmouseover=alert(1)>x</b>",
)


def until(tab, expression: str) -> None:
    """Wait until something holds; the browser's own waiting would evaluate text, which the page forbids."""
    ends = time.monotonic() + SLOW / 1000
    while not tab.evaluate(expression):
        assert time.monotonic() < ends, expression
        tab.wait_for_timeout(50)


def write(tab, text: str) -> None:
    tab.fill("#text", text)
    tab.wait_for_selector("#marks li", timeout=SLOW)


def drawn(tab, address: str, text: str = LETTER) -> None:
    """Bring a text to a drawn rewrite."""
    write(tab, text)
    tab.goto(f"{address}/rewrite")
    tab.wait_for_selector(".option", timeout=SLOW)
    tab.click("#draw")
    tab.wait_for_selector("#badge.proved", timeout=SLOW)


def test_read_rewrite_report(visit):
    tab, _ = visit
    assert "token" not in tab.url
    assert "#" not in tab.url
    tab.click("#example")
    tab.wait_for_selector("#marks li", timeout=SLOW)
    assert tab.inner_text("#sentence").startswith("Among 50 bloggers")
    assert "estimate is weak" in tab.inner_text("#weak")
    before = tab.evaluate("document.getElementById('text').value")
    # two clicks: a mark, and another word for it
    tab.click("#marked .mark.spelling")
    tab.wait_for_selector("#inspector .choices button", timeout=SLOW)
    word = tab.inner_text("#inspector .choices button >> nth=0")
    tab.click("#inspector .choices button >> nth=0")
    after = tab.evaluate("document.getElementById('text').value")
    assert after == before.replace("neighbour", word, 1)
    # Write hides all marks, and the choice outlives a reload
    tab.click("#to-write")
    assert not tab.is_visible("#marked")
    tab.click("#to-edit")
    tab.reload()
    tab.wait_for_selector("#marked .mark", timeout=SLOW)
    tab.click("a:has-text('Choose a protection')")
    tab.wait_for_selector(".option", timeout=SLOW)
    until(tab, "document.getElementById('cost').textContent.includes('for the whole text')")
    tab.click("#draw")
    tab.wait_for_selector("#badge.proved", timeout=SLOW)
    tab.click("#result .change >> nth=2")
    tab.click("#inspector button:has-text('Put the original back')")
    tab.wait_for_selector("#badge.edited", timeout=SLOW)
    tab.click("#restore")
    tab.wait_for_selector("#badge.proved", timeout=SLOW)
    tab.click("#draw")
    tab.wait_for_selector("#badge.rerolled", timeout=SLOW)
    tab.click("#reject")
    tab.wait_for_selector("#badge.edited", timeout=SLOW)
    assert tab.evaluate("fetch('/api/v1/draft').then(answer => answer.json()).then(draft => draft.text)") == after
    tab.click("a:has-text('What can I claim')")
    tab.wait_for_selector("h2:has-text('For a data release')")
    assert "edited by hand" in tab.inner_text("#paragraph")
    with tab.expect_download() as saving:
        tab.click("a:has-text('Public report')")
    assert saving.value.suggested_filename == "report.html"
    tab.click("text=Forget everything")
    tab.click("text=Really forget?")
    tab.wait_for_url("**/read")
    until(tab, "document.getElementById('text').value === ''")


def test_by_keyboard_alone(visit):
    tab, address = visit
    keys = tab.keyboard
    tab.focus("body")
    for _ in range(30):
        keys.press("Tab")
        if tab.evaluate("document.activeElement.id") == "text":
            break
    keys.insert_text(LETTER)
    tab.wait_for_selector("#marks li", timeout=SLOW)
    for _ in range(30):
        keys.press("Tab")
        if tab.evaluate("document.activeElement.closest('#marks') !== null"):
            break
    names = tab.eval_on_selector_all("#marks .mark", "all => all.map(one => one.textContent)")
    wanted = names.index("British spelling")
    for _ in range(wanted):
        keys.press("ArrowDown")
    # three keys at most: open, choose
    keys.press("Enter")
    tab.wait_for_selector("#inspector .choices button", timeout=SLOW)
    until(tab, "document.activeElement.closest('.choices') !== null")
    keys.press("Enter")
    until(tab, "!document.getElementById('text').value.includes('neighbour')")
    tab.goto(f"{address}/rewrite")
    tab.wait_for_selector(".option", timeout=SLOW)
    tab.focus("#slider")
    keys.press("ArrowLeft")
    assert "attackers right" in tab.get_attribute("#slider", "aria-valuetext")
    keys.press("Tab")
    assert tab.evaluate("document.activeElement.id") == "draw"
    keys.press("Enter")
    tab.wait_for_selector("#badge.proved", timeout=SLOW)
    for _ in range(20):
        keys.press("Tab")
        if tab.evaluate("document.activeElement.classList.contains('change')"):
            break
    keys.press("ArrowRight")
    keys.press("Enter")
    tab.wait_for_selector("#inspector:not([hidden])")
    keys.press("Escape")
    assert tab.evaluate("document.activeElement.classList.contains('change')")
    keys.press("Enter")
    keys.press("ArrowRight")
    keys.press("Enter")
    tab.wait_for_selector("#badge.edited", timeout=SLOW)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_barriers(visit, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    tab, address = visit
    tab.emulate_media(color_scheme=scheme)
    rules = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}}

    def check(where: str) -> None:
        found = axe.Axe().run(tab, options=rules).response["violations"]
        told = [(one["id"], [node["target"] for node in one["nodes"]][:3]) for one in found]
        assert told == [], where

    check("read, empty")
    tab.click("#example")
    tab.wait_for_selector("#marked .mark", timeout=SLOW)
    tab.click("summary")
    check("read")
    tab.click("#marked .mark.spelling")
    tab.wait_for_selector("#inspector .choices button", timeout=SLOW)
    check("read, a mark open")
    tab.goto(f"{address}/report")
    check("report, empty")
    tab.goto(f"{address}/rewrite")
    tab.wait_for_selector(".option", timeout=SLOW)
    check("rewrite")
    tab.click("#draw")
    tab.wait_for_selector("#badge.proved", timeout=SLOW)
    tab.click("[data-view=inline]")
    check("rewrite, drawn")
    for screen in ("report", "limits", "open"):
        tab.goto(f"{address}/{screen}")
        tab.wait_for_timeout(200)
        check(screen)


def test_hostile_texts_stay_texts(visit):
    tab, address = visit
    hostile = "\n".join(XSS) + "\n" + LETTER
    write(tab, hostile)
    tab.click("#to-edit")
    assert tab.evaluate("document.getElementById('marked').textContent") == hostile
    names = [f"{payload.replace('/', '')[:60]}.txt" for payload in XSS]
    files = [{"name": name, "mimeType": "text/plain", "buffer": (LETTER * 3).encode()} for name in names]
    tab.click("summary")
    tab.set_input_files("#mine", {"name": "mine.txt", "mimeType": "text/plain", "buffer": (LETTER * 2).encode()})
    tab.set_input_files("#others", files)
    tab.click("#train")
    until(tab, "document.getElementById('chosen').textContent.startsWith('Compared with')")
    until(tab, "document.querySelectorAll('#attackers li').length === 4")
    tab.goto(f"{address}/rewrite")
    tab.wait_for_selector(".option", timeout=SLOW)
    tab.click("#draw")
    tab.wait_for_selector("#badge.proved", timeout=SLOW)
    tab.click("[data-view=beside]")
    tab.click("#result .change >> nth=1")
    tab.fill("#own-word", XSS[1])
    tab.click("#inspector button:has-text('Put it there')")
    tab.wait_for_selector("#badge.edited", timeout=SLOW)
    tab.goto(f"{address}/report")
    assert tab.locator("main script, main img, main iframe").count() == 0


@pytest.mark.parametrize("width", [320, 1280])
def test_nothing_is_cut_off(visit, width):
    tab, address = visit
    tab.set_viewport_size({"width": width, "height": 800})
    tab.click("#example")
    tab.wait_for_selector("#marked .mark", timeout=SLOW)
    tab.click("#marked .mark.spelling")
    wide = "document.documentElement.scrollWidth"
    assert tab.evaluate(wide) <= width
    tab.goto(f"{address}/rewrite")
    tab.wait_for_selector(".option", timeout=SLOW)
    tab.click("#draw")
    tab.wait_for_selector("#badge.proved", timeout=SLOW)
    for view in ("result", "inline", "beside"):
        tab.click(f"[data-view={view}]")
        assert tab.evaluate(wide) <= width
    for screen in ("report", "limits", "open"):
        tab.goto(f"{address}/{screen}")
        assert tab.evaluate(wide) <= width


def test_the_token_works_once_in_a_browser(chromium):
    from tests.web.conftest import running

    with running() as (address, access, _):
        first, second = (chromium.new_context().new_page() for _ in range(2))
        first.goto(f"{address}/open#{access.token}")
        first.wait_for_url("**/read")
        second.goto(f"{address}/open#{access.token}")
        second.wait_for_selector("#by-hand")
        assert "opened before" in second.inner_text("#state")
        assert access.token not in second.url
        for tab in (first, second):
            tab.context.close()
