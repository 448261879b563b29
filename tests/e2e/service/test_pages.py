"""The pages in a real Chromium, as people use them: asking, reading, reviewing, by keyboard and on a phone."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait
from served import LEAVE, QUESTION

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[3]
CONFLICT = "How long is the seal chamber of pump P-8 flushed?"


@pytest.fixture
def page(browser, service):
    """What a person does at a browser: sign in, open, click, ask."""
    person = Person(browser, service)
    browser.get(service.url + "/sign-in")
    browser.delete_all_cookies()
    yield person
    said = [line["message"] for line in browser.get_log("browser") if line["level"] in {"SEVERE", "WARNING"}]
    assert [] == [line for line in said if "status of 4" not in line]


class Person:
    """Somebody at the browser."""

    def __init__(self, browser, service):
        self.browser, self.service = browser, service

    def signs_in(self, token):
        """Sign in with a token."""
        self.opens("/sign-in")
        self.one("#token").send_keys(token, Keys.ENTER)
        self.one("#question")

    def opens(self, path):
        """Open a page."""
        self.browser.get(self.service.url + path)

    def asks(self, question):
        """Ask a question."""
        self.opens("/ask")
        self.one("#question").send_keys(question)
        self.one("main button.first").click()
        self.one("#decision")

    def one(self, selector):
        """Return the element that a selector finds."""
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def focused(self, id):
        """Return the element of an id once it has the focus, which a page gives it a moment after it is there."""
        WebDriverWait(self.browser, 10).until(
            lambda browser: id == browser.switch_to.active_element.get_attribute("id")
        )
        return self.browser.switch_to.active_element

    def text(self, selector="main"):
        """Return the text of an element."""
        return self.one(selector).text

    def faults(self):
        """Return what axe finds wrong with the page."""
        script = Path(find_spec("axe_playwright_python").origin).with_name("axe.min.js").read_text(encoding="utf-8")
        self.browser.execute_script(script)
        found = self.browser.execute_async_script("axe.run().then(arguments[arguments.length - 1])")
        return [(fault["id"], [node["html"] for node in fault["nodes"]]) for fault in found["violations"]]


def test_an_answer_opens_its_quotation_in_its_document(page):
    """A question is answered with a citation, and its link leads to the document with the quotation highlighted."""
    page.signs_in(page.service.keys.mnt)
    page.asks(QUESTION)
    assert "answer" == page.text(".badge")
    assert "12 months" == page.text(".answer-text")
    quote = page.text("blockquote")
    page.one(".cites a").click()
    assert quote == page.text("mark")
    top = page.browser.execute_script("return document.querySelector('mark').getBoundingClientRect().top")
    assert 0 <= top < 900
    assert "current" in page.text("table")


def test_going_back_leads_to_the_answer(page):
    """From the document that an answer quotes, the browser's back button leads to the answer, and reloading shows it again."""
    page.signs_in(page.service.keys.mnt)
    page.asks(QUESTION)
    page.one(".cites a").click()
    page.one("mark")
    page.browser.back()
    assert "12 months" == page.text(".answer-text")
    page.browser.refresh()
    assert "12 months" == page.text(".answer-text")


def test_a_refusal_says_what_is_missing(page):
    """What cannot be answered is said in plain words with what is missing, and nothing of what is hidden."""
    page.signs_in(page.service.keys.mnt)
    page.asks(LEAVE)
    assert page.text(".badge") in {"abstain", "deny", "clarify"}
    assert "What is missing" in page.text()
    for word in ("QPRS", "okapi", "nine weeks", "personnel"):
        assert word not in page.browser.page_source
    page.one("a[href^='/traces/']").click()
    assert LEAVE == page.text("h1")


def test_a_contradiction_is_settled_by_a_reviewer(page):
    """Both sides are shown to asker and reviewer; the reviewer takes the item, answers from one, and the asker sees it."""
    page.signs_in(page.service.keys.mnt)
    page.asks(CONFLICT)
    assert "review" == page.text(".badge")
    assert "IN-3-QMNT" in page.text()
    assert "IN-4-QMNT" in page.text()
    trace = page.one("a[href^='/traces/']").get_attribute("href").rpartition("/")[2]
    page.browser.delete_all_cookies()
    page.signs_in(page.service.keys.second)
    page.opens("/review")
    page.one(".list a.main").click()
    assert CONFLICT == page.text("h1")
    marked = [element.text for element in page.browser.find_elements(By.CSS_SELECTOR, "article mark")]
    assert {"10 minutes", "20 minutes"} == {re.search(r"[12]0 minutes", text)[0] for text in marked}
    page.one("main button.first").click()
    page.one("#text").send_keys("20 minutes")
    source = page.one("#source")
    next(one for one in source.find_elements(By.TAG_NAME, "option") if "IN-4" in one.text).click()
    page.one("button[value=answer]").click()
    assert "answered" == page.text(".badge")
    page.browser.delete_all_cookies()
    page.signs_in(page.service.keys.mnt)
    page.opens(f"/traces/{trace}")
    assert "20 minutes" == page.text(".answer-text")
    assert "flushed for 20 minutes" in page.text("blockquote")


def test_the_keyboard_is_enough(page):
    """Signing in, asking and opening a citation work without a mouse, and the focus can be seen."""
    page.opens("/sign-in")
    page.focused("token").send_keys(page.service.keys.mnt, Keys.ENTER)
    page.focused("question").send_keys(QUESTION, Keys.TAB, Keys.TAB, Keys.ENTER)
    page.one("#decision")
    body = page.one("body")
    body.send_keys(Keys.TAB)
    assert "Skip to the content" == page.browser.switch_to.active_element.text
    for _ in range(20):
        page.browser.switch_to.active_element.send_keys(Keys.TAB)
        focused = page.browser.switch_to.active_element
        style = page.browser.execute_script("return getComputedStyle(arguments[0]).outlineStyle", focused)
        assert "none" != style, focused.get_attribute("outerHTML")
        if "start=" in (focused.get_attribute("href") or ""):
            break
    focused.send_keys(Keys.ENTER)
    assert "12 months" in page.text("mark")


PLACES = [
    "/ask",
    "/documents",
    "/documents/PR-1-QMNT?revision=2&start=0&end=20",
    "/traces",
    "/review",
    "/review?queue=corpus_gaps",
]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1100, 380], ids=["wide", "phone"])
def test_axe_finds_nothing_and_nothing_runs_over(page, dark, width):
    """No page has a fault that axe knows of, in light or dark, wide or narrow; on a phone no page scrolls sideways."""
    scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})
    metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    page.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        page.opens("/sign-in")
        assert [] == page.faults()
        page.signs_in(page.service.keys.third)
        page.asks("What is the seal kit of pump P-7?")
        pages = {"answer": page.faults()}
        page.asks(CONFLICT)
        pages["review"] = page.faults()
        trace = page.one("a[href^='/traces/']").get_attribute("href")
        page.asks("How long is the " + "Donaudampfschifffahrt" * 12 + "?")
        worded = page.browser.current_url
        for place in [
            worded.removeprefix(page.service.url),
            *PLACES,
            trace.removeprefix(page.service.url),
            "/documents/NO-SUCH",
        ]:
            page.opens(place)
            pages[place] = page.faults()
            over = page.browser.execute_script("return document.documentElement.scrollWidth - window.innerWidth")
            assert over <= 0, place
        assert {place: [] for place in pages} == pages
    finally:
        page.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_dashboard_and_an_item_are_clean_too(page):
    """The auditor's dashboard shows counts and no text of any document; it and an item have no fault that axe knows of."""
    page.signs_in(page.service.keys.auditor)
    page.opens("/dashboard")
    assert "Decisions by reason" in page.text()
    for word in ("QMNT", "QPRS", "pump", "seal", "okapi"):
        assert word not in page.browser.page_source
    assert [] == page.faults()
    with page.service.client(page.service.keys.third) as client:
        client.post("/v1/ask", json={"question": CONFLICT})
    page.browser.delete_all_cookies()
    page.signs_in(page.service.keys.second)
    page.opens("/review")
    page.one(".list a.main").click()
    assert [] == page.faults()
    page.one("main button.first").click()
    page.one("#text")
    assert [] == page.faults()
    page.one("button[value=release]").click()


def test_nothing_in_a_document_or_question_runs(page):
    """Markup in a question or a document is shown as it is; the policy of the page would stop a script anyway."""
    script = '<script>document.title="owned"</script><img src=x onerror=alert(1)>'
    body = {"name": "m.md", "document": "MARKUP", "collection": "procedures", "labels": ["maintenance"]}
    with page.service.client(page.service.keys.mnt) as client:
        client.post(
            "/v1/documents", json={**body, "title": script, "text": f"# Markup\n\nThe frobnicator says `{script}`.\n"}
        )
        page.signs_in(page.service.keys.mnt)
        page.opens("/documents/MARKUP")
        assert script == page.text("h1")
        page.asks(f"What does {script} say?")
        assert "owned" not in page.browser.title.replace(script, "")
        assert [] == page.browser.find_elements(By.CSS_SELECTOR, "main script, main img")
        assert 1 == client.delete("/v1/documents/MARKUP").json()["deleted"]
