"""What a page hides, as a real Chromium draws it, beside what the reader makes of it."""

import base64

import pytest
from hidden_pages import HIDDEN, SEEN

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

BARELY = {"tiny", "nearly white", "a name near white", "black on black", "currentcolor", "indented out", "meter"}
"""Hidden from people, though not to the last bit of a pixel; and a meter, which is drawn without its text."""


@pytest.fixture(scope="module")
def drawn(browser):
    """Return what draws a page and says whether a word spelt backwards changes anything that is seen."""
    browser.set_window_size(1200, 800)

    def shot(body, head):
        page = f"<!doctype html><html><head>{head}</head><body style='margin:30px'>{body}</body></html>"
        browser.get("data:text/html;charset=utf-8;base64," + base64.b64encode(page.encode()).decode())
        return browser.get_screenshot_as_png()

    return lambda body, head, word: shot(body, head) != shot(body.replace(word, word[::-1]), head)


def test_what_is_left_out_is_not_drawn(drawn):
    """Each way of hiding that the reader knows hides in the browser too, so no text that people see is lost by it."""
    assert [] == [way for way in sorted(HIDDEN.keys() - BARELY) if drawn(*HIDDEN[way], "SECRET")]


def test_what_only_looks_hidden_is_drawn(drawn):
    """What is kept without a word is seen in the browser, once what opens by a click is open."""
    ways = {way: (body.replace("<details>", "<details open>"), head) for way, (body, head) in SEEN.items()}
    assert [] == [way for way in sorted(ways) if not drawn(*ways[way], "SHOWN")]
