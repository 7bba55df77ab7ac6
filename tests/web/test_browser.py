"""The three screens in a real browser: end to end, by keyboard, for screen readers, and against hostile texts."""

from __future__ import annotations

import json
import re
import time

import pytest

from allonym.formats import docx
from allonym.formats.files import DocumentBatch
from allonym.metrics.figures import interval, percent
from allonym.recognition import reading
from tests.conftest import PATIENCE
from tests.web.conftest import LETTER
from tests.web.payloads import KINDS, variants

SLOW = 1000 * PATIENCE  # milliseconds


def until(tab, expression: str) -> None:
    """Wait until something holds; the browser's own waiting would evaluate text, which the page forbids."""
    ends = time.monotonic() + SLOW / 1000
    while not tab.evaluate(expression):
        assert time.monotonic() < ends, expression
        tab.wait_for_timeout(50)


def write(tab, text: str) -> None:
    tab.fill("#text", text)
    tab.wait_for_selector("#marks li", timeout=SLOW)


def draw(tab, address: str, protection: str = "meaning") -> None:
    """Bring the text to a drawn rewrite."""
    tab.goto(f"{address}/rewrite")
    tab.wait_for_selector(".option", timeout=SLOW)
    tab.check(f"#protection-{protection}")
    tab.click("#draw")
    tab.wait_for_selector("#badge.proved", timeout=SLOW)


def test_read_rewrite_report(visit):
    tab, _ = visit
    assert "token" not in tab.url
    assert "#" not in tab.url
    tab.click("#example")
    tab.wait_for_selector("#marks li", timeout=SLOW)
    assert tab.inner_text("#sentence").startswith("Its habits are rarer together than in")
    assert "estimate is weak" in tab.inner_text("#weak")
    before = tab.evaluate("document.getElementById('text').value")
    # three clicks: a mark, another word for it to look at, and the same to take it
    tab.wait_for_selector("#best:not([hidden])", timeout=SLOW)
    tab.click("#marked .mark.spelling")
    tab.wait_for_selector("#inspector .choices button", timeout=SLOW)
    tab.click("#inspector .choices button >> nth=0")
    tab.click("#inspector .choices button >> nth=0")
    after = tab.evaluate("document.getElementById('text').value")
    assert after == before.replace("neighbour", "neighbor", 1)
    # Write hides all marks, and the choice outlives a reload
    tab.click("#to-write")
    assert not tab.is_visible("#marked")
    tab.click("#to-edit")
    tab.reload()
    tab.wait_for_selector("#marked .mark", timeout=SLOW)
    tab.click("a:has-text('Choose a protection')")
    tab.wait_for_selector(".option", timeout=SLOW)
    assert tab.is_checked("#protection-ghostwriter") or tab.is_checked("#protection-core")  # it needs an extra
    tab.check("#protection-core")
    until(tab, "document.getElementById('cost').textContent.includes('for the whole text')")
    assert not tab.is_visible("#cost")  # numbers stand behind the details
    assert "ε" not in tab.inner_text("main")
    tab.check("#protection-meaning")
    tab.click("#draw")
    tab.wait_for_selector("#badge.proved", timeout=SLOW)
    tab.click("#result .change >> nth=2")
    tab.click("#inspector button:has-text('Put the original back')")
    tab.wait_for_selector("#badge.edited", timeout=SLOW)
    tab.click("#restore")
    tab.wait_for_selector("#badge.proved", timeout=SLOW)
    tab.click("#draw")
    tab.wait_for_selector("#badge.rerolled", timeout=SLOW)
    until(tab, "document.getElementById('spent').textContent.includes('in 2 draws')")
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


def test_a_habit_is_changed_everywhere_at_once(visit):
    tab, _ = visit
    tab.click("#example")
    tab.wait_for_selector("#marked .mark", timeout=SLOW)
    tab.click("#marks button:has-text('“the”')")
    tab.click("#inspector button:has-text('Your own word in all')")
    tab.fill("#own-word", "that")
    tab.click("#inspector button:has-text('Put it there')")
    found = tab.evaluate("document.getElementById('text').value")
    assert found == re.sub(r"\bthe\b", "that", LETTER.strip())


def test_a_document_of_a_word_processor_is_read_or_refused(visit, tmp_path):
    tab, _ = visit
    write(tab, LETTER)
    drop = """([name, content]) => {
        const data = new DataTransfer();
        data.items.add(new File([content], name));
        const dropped = new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
        document.querySelector(".paper").dispatchEvent(dropped);
    }"""
    for name, content in (("letter.odt", "PK"), ("letter.txt", "a\0b")):
        tab.evaluate(drop, [name, content])
        until(tab, "document.querySelector('#problem .happened').textContent === 'This is not a plain text.'")
        assert tab.input_value("#text") == LETTER
        tab.click("#problem .close")
    tab.evaluate(drop, ["letter.txt", "Another text."])
    until(tab, "document.getElementById('text').value === 'Another text.'")
    docx.FORMAT.write(tmp_path / "letter.docx", [DocumentBatch(0, ["0"], ["Dear Ann,\n\nIt rained."])])
    tab.set_input_files("#open-file", tmp_path / "letter.docx")
    until(tab, "document.getElementById('text').value === 'Dear Ann,\\n\\nIt rained.'")
    assert "comments" in tab.inner_text("#taken")


MAIL = "From: Ann\nSubject: the bell\n\nIt rang all night.\n\n> Did it ring?\n"


def test_what_of_a_mail_is_not_the_writers_is_left_out_on_demand(visit):
    tab, _ = visit
    write(tab, MAIL)
    tab.wait_for_selector("#mail:not([hidden])", timeout=SLOW)
    assert "2 lines of headers, 1 line quoted" in tab.inner_text("#mail-found")
    tab.click("#leave-out")
    until(tab, "document.getElementById('text').value === 'It rang all night.'")
    tab.click("#leave-out")
    until(tab, f"document.getElementById('text').value === {json.dumps(MAIL)}")
    write(tab, LETTER)
    tab.wait_for_selector("#mail", state="hidden", timeout=SLOW)


def test_what_is_copied_is_what_would_be_saved_with_its_paragraphs(visit):
    tab, address = visit
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=address)
    write(tab, LETTER)
    draw(tab, address, "core")
    tab.click("#copy")
    until(tab, "document.getElementById('copy').textContent === 'Copied'")
    copied = tab.evaluate("navigator.clipboard.readText()")
    assert copied == tab.evaluate("fetch('/save/result').then((answer) => answer.text())")
    tab.goto(f"{address}/report")
    tab.click("[data-copy=paragraph]")
    until(tab, "document.querySelector('[data-copy=paragraph]').textContent === 'Copied'")
    assert tab.evaluate("navigator.clipboard.readText()") == tab.inner_text("#paragraph")


# The step of each screen that people come for, and its level of protection, are seen without scrolling.
FOLD = {
    "read": ["#text", "nav"],
    "rewrite": ["#draw", "#level .title", "nav"],
    "report": ["#paragraph", ".light", "nav"],
}


def test_the_steps_are_above_the_fold(visit):
    tab, address = visit
    tab.set_viewport_size({"width": 1280, "height": 800})
    write(tab, LETTER)
    draw(tab, address, "core")
    for screen, wanted in FOLD.items():
        tab.goto(f"{address}/{screen}")
        for selector in wanted:
            tab.wait_for_selector(selector, timeout=SLOW)
            top = tab.evaluate("(wanted) => document.querySelector(wanted).getBoundingClientRect().top", selector)
            assert 0 <= top <= 800 - 60, (screen, selector)


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
    # three keys: open, look, take
    keys.press("Enter")
    tab.wait_for_selector("#inspector .choices button", timeout=SLOW)
    until(tab, "document.activeElement.closest('.choices') !== null")
    keys.press("Enter")
    tab.wait_for_selector("#marked ins.looked")
    until(tab, "document.activeElement.closest('.choices') !== null")
    keys.press("Enter")
    until(tab, "!document.getElementById('text').value.includes('neighbour')")
    tab.goto(f"{address}/rewrite")
    tab.wait_for_selector(".option", timeout=SLOW)
    tab.focus("#slider")
    tab.check("#protection-core")
    tab.focus("#slider")
    assert "middle: weak protection, keeps the gist" in tab.get_attribute("#slider", "aria-valuetext")
    keys.press("ArrowLeft")
    label, said = tab.get_attribute("#slider", "aria-valuetext").split(": ")
    assert label == "strong"
    assert "protection" in said
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


@pytest.mark.parametrize("width", [320, 375, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_barriers(visit, scheme, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    tab, address = visit
    tab.emulate_media(color_scheme=scheme)
    tab.set_viewport_size({"width": width, "height": 800})
    rules = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}}

    def check(where: str) -> None:
        found = axe.Axe().run(tab, options=rules).response["violations"]
        told = [(one["id"], [node["target"] for node in one["nodes"]][:3]) for one in found]
        assert told == [], where

    check("read, empty")
    write(tab, MAIL)
    tab.wait_for_selector("#mail:not([hidden])", timeout=SLOW)
    check("read, a mail")
    tab.fill("#text", "")
    tab.wait_for_selector("#empty:not([hidden])", timeout=SLOW)
    tab.click("#example")
    tab.wait_for_selector("#marked .mark", timeout=SLOW)
    tab.click("#compare summary")
    check("read")
    tab.click("#marked .mark.spelling")
    tab.wait_for_selector("#inspector .choices button", timeout=SLOW)
    check("read, a mark open")
    tab.click("#inspector .choices button >> nth=0")
    tab.wait_for_selector("#marked ins.looked")
    check("read, a change looked at")
    tab.goto(f"{address}/report")
    check("report, empty")
    tab.goto(f"{address}/rewrite")
    tab.wait_for_selector(".option", timeout=SLOW)
    tab.click("#numbers summary")
    check("rewrite")
    if tab.locator("#protection-style").count():
        tab.check("#protection-style")
        tab.wait_for_timeout(200)
        check("rewrite, a style change")
    draw(tab, address, "core")
    tab.click("[data-view=inline]")
    check("rewrite, drawn")
    for screen in ("report", "limits", "open", "table"):
        tab.goto(f"{address}/{screen}")
        tab.wait_for_timeout(200)
        check(screen)
    tab.click("#example")
    tab.wait_for_selector("#preview td", timeout=SLOW)
    check("table, taken")


def test_hostile_texts_and_names_stay_texts(visit, tmp_path):
    tab, address = visit
    many = variants(1_000)
    assert len(many) == 1_000
    assert len(KINDS) >= 30
    hostile = "\n".join(many) + "\n" + LETTER
    write(tab, hostile)
    tab.click("#to-edit")
    assert tab.evaluate("document.getElementById('marked').textContent") == hostile
    tab.click("#to-write")
    write(tab, "\n".join(KINDS) + "\n" + LETTER)
    draw(tab, address)
    tab.click("[data-view=beside]")
    for payload in KINDS[:6]:
        tab.click("#result .change >> nth=1")
        tab.fill("#own-word", payload)
        tab.click("#inspector button:has-text('Put it there')")
        tab.wait_for_selector("#badge.edited", timeout=SLOW)
        tab.wait_for_selector("#inspector", state="hidden")
    tab.goto(f"{address}/report")
    assert tab.locator("main script, main img, main iframe, main [onload], main [onerror]").count() == 0
    tab.click("a:has-text('Internal report')")
    with tab.expect_download() as saving:
        tab.click("a:has-text('Internal report')")
    saving.value.save_as(tmp_path / "internal.html")
    report = tab.context.new_page()
    report.on("dialog", lambda dialog: pytest.fail("a dialog opened"))
    report.goto((tmp_path / "internal.html").as_uri())
    assert report.locator("script, img, iframe, object, embed, form, input").count() == 0
    assert all(payload in report.inner_text("main") for payload in KINDS[:2])


def test_hostile_names_of_writers_stay_names(visit, monkeypatch):
    tab, _ = visit
    write(tab, LETTER)
    names = [f"{number} {payload.replace('/', '')[:100]}.txt" for number, payload in enumerate(KINDS)]
    files = [{"name": name, "mimeType": "text/plain", "buffer": (LETTER[200:] * 2).encode()} for name in names]
    tab.click("#compare summary")
    tab.set_input_files("#mine", {"name": names[1], "mimeType": "text/plain", "buffer": (LETTER * 2).encode()})
    tab.set_input_files("#others", files)  # their names are counted
    until(tab, f"document.getElementById('chosen').textContent === '1 of yours, {len(KINDS)} of {len(KINDS)} others.'")
    tab.set_input_files("#others", files[:3])
    tab.click("#train")
    until(tab, "document.getElementById('chosen').textContent.startsWith('Compared with')")
    until(tab, "document.querySelectorAll('#attackers li').length >= 4")
    # every name as an attacker would say it: training on as many writers would take minutes
    rows = [
        reading.AttackerRow(payload, {"value": 0.5, "low": 0.4, "high": 0.6}, f"says {payload}") for payload in KINDS
    ]
    marks = [reading.Mark("wording", payload, 0.1, payload, [(0, 4)]) for payload in KINDS]
    said = reading.Reading(200, "known", KINDS[0], KINDS[1], 0.5, KINDS[2], rows, marks, list(KINDS))
    monkeypatch.setattr("allonym.web.desk.Desk.measure", lambda *_: said)
    tab.fill("#text", LETTER + " More.")
    until(tab, f"document.querySelectorAll('#attackers li').length === {len(KINDS)}")
    shown = tab.evaluate("[...document.querySelectorAll('#attackers .says')].map(one => one.textContent)")
    assert shown == [f"says {payload}" for payload in KINDS]
    assert tab.locator("main script, main img, main iframe, main svg").count() == 0


def test_hostile_tables_stay_tables(visit):
    tab, address = visit
    tab.goto(f"{address}/table")
    until(tab, "document.getElementById('protection').options.length > 0")
    columns = ["body", *dict.fromkeys(variants(120))]
    row = [LETTER[:60], *(f"cell {name}" for name in columns[1:])]
    table = "\n".join(",".join(f'"{cell.replace(chr(34), 2 * chr(34))}"' for cell in line) for line in (columns, row))
    for payload in KINDS:
        name = f"{payload.replace('/', '')[:100]}.csv"
        tab.set_input_files("#file", {"name": name, "mimeType": "text/csv", "buffer": table.encode()})
        sent = name.replace('"', "%22").rpartition("\\")[2]  # as browsers send names of files in a form
        until(tab, f"document.getElementById('name').textContent.endsWith({json.dumps(sent)})")
    shown = tab.evaluate("[...document.querySelectorAll('#preview th')].map(cell => cell.textContent)")
    assert shown == columns
    assert tab.evaluate("[...document.getElementById('author').options].map(one => one.value)") == ["", *columns]
    assert tab.locator("main script, main img, main iframe").count() == 0
    tab.select_option("#column", "body")
    tab.select_option("#author", columns[3])
    tab.select_option("#protection", "core")
    tab.check("#keep-1")
    tab.check("#first-row")  # a row like this may be texts, so the page asks
    until(tab, "document.getElementById('cost').textContent.includes('for each of')")
    tab.click("#start")
    tab.wait_for_selector("#finished:not([hidden])", timeout=SLOW)
    assert columns[1] in tab.text_content("#command")
    with tab.expect_download() as saving:
        tab.click("a:has-text('The table')")
    assert saving.value.suggested_filename == "table.anon.csv"


def test_a_table_in_the_browser(visit):
    tab, address = visit
    tab.goto(f"{address}/table")
    tab.click("#example")
    tab.wait_for_selector("#preview td", timeout=SLOW)
    until(tab, "document.getElementById('cost').textContent.includes('for each of')")
    assert tab.input_value("#column") == "text"
    assert tab.input_value("#author") == "writer"
    assert "Guessed: “text” holds the texts" in tab.inner_text("#guess")
    assert not tab.is_visible("#first-row")
    assert tab.input_value("#protection") == "counts"
    assert tab.is_visible("#counts-as")
    until(tab, "document.getElementById('forecast').textContent.includes('It will take about')")
    tab.select_option("#protection", "core")
    assert not tab.is_visible("#counts-as")
    assert tab.is_disabled("#keep-1")
    until(tab, "document.getElementById('cost').textContent.includes('for the author with most')")
    tab.check("#keep-0")
    tab.select_option("#position", "3")
    until(tab, "fetch('/api/v1/table').then((answer) => answer.json()).then((table) => table.chosen.position === 3)")
    tab.reload()  # before it is begun: what was chosen is still chosen
    tab.wait_for_selector("#preview td", timeout=SLOW)
    assert tab.input_value("#protection") == "core"
    assert tab.input_value("#position") == "3"
    assert tab.is_checked("#keep-0")
    tab.click("#start")
    tab.wait_for_selector("#finished:not([hidden])", timeout=SLOW)
    assert "--keep id" in tab.text_content("#command")
    tab.reload()
    tab.wait_for_selector("#finished:not([hidden])", timeout=SLOW)
    with tab.expect_download() as saving:
        tab.click("a:has-text('Its report')")
    assert saving.value.suggested_filename == "table-report.html"
    tab.click("#drop")
    tab.wait_for_selector("#nothing:not([hidden])")


@pytest.mark.parametrize("width", [320, 375, 1280])
def test_nothing_is_cut_off(visit, width):
    tab, address = visit
    tab.set_viewport_size({"width": width, "height": 800})
    tab.click("#example")
    tab.wait_for_selector("#marked .mark", timeout=SLOW)
    tab.click("#marked .mark.spelling")
    wide = "document.documentElement.scrollWidth"
    assert tab.evaluate(wide) <= width
    draw(tab, address)
    for view in ("result", "inline", "beside"):
        tab.click(f"[data-view={view}]")
        assert tab.evaluate(wide) <= width
    for screen in ("report", "limits", "open", "table"):
        tab.goto(f"{address}/{screen}")
        assert tab.evaluate(wide) <= width
    tab.click("#example")
    tab.wait_for_selector("#preview td", timeout=SLOW)
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


def test_the_page_writes_shares_as_the_commands_do(visit):
    tab, _ = visit
    shares = [0, 1e-9, 0.004, 0.005, 0.0149, 0.5, 0.985, 0.9949999999999999, 0.995, 0.997, 1 - 1e-12, 1, 1.02]
    asked = "async (shares) => { const own = await import('/static/dom.js'); return shares.map(own.percent); }"
    assert tab.evaluate(asked, shares) == [percent(share) for share in shares]
    ends = "async ([low, high]) => (await import('/static/dom.js')).interval({ low, high })"
    assert tab.evaluate(ends, [0.31, 0.998]) == interval(0.31, 0.998)


def test_names_come_first_and_one_click_puts_the_placeholder_everywhere(visit):
    tab, _ = visit
    write(tab, "Mrs Okafor paid £1,200 in Leeds. I asked Mrs Okafor why, and nobody knew.")
    assert "Mrs Okafor" in tab.inner_text("#marks li >> nth=0")
    tab.click("#to-edit")
    tab.click("#marked .mark.named >> nth=0")
    tab.wait_for_selector("#inspector .choices button", timeout=SLOW)
    assert tab.inner_text("#inspector .choices button") == "[NAME 1]"
    tab.click("#inspector .choices button")
    changed = tab.evaluate("document.getElementById('text').value")
    assert changed == "[NAME 1] paid £1,200 in Leeds. I asked [NAME 1] why, and nobody knew."
    until(tab, "document.querySelectorAll('#marks .mark.named').length === 2")
