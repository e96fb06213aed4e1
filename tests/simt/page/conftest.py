"""What the page's tests share: pages that are held to silence, and what is read from them."""
import json
import re
import time
from pathlib import Path

import pytest

from browser import chromium


@pytest.fixture(scope="session")
def browser():
    with chromium() as one:
        yield one


@pytest.fixture
def open_page(browser):
    """Opens a page. What it writes on its console, or asks the network for, fails the test."""
    tabs, said, asked = [], [], []

    def ask(request):
        if not re.match("(file|data|blob):", request.url):
            asked.append(request.url)

    def open_one(name, dark=False, width=1400, height=900):
        tab = browser.new_page(viewport={"width": width, "height": height},
                               color_scheme="dark" if dark else "light")
        tabs.append(tab)
        tab.on("console", lambda message: said.append(message.text))
        tab.on("pageerror", lambda error: said.append(str(error)))
        tab.on("request", ask)
        tab.goto(path_of(name).as_uri())
        return tab

    yield open_one
    for tab in tabs:
        tab.evaluate("0")  # what was said before its answer has arrived by then
        tab.close()
    assert said == [], "the page is silent"
    assert asked == [], "no request leaves the page"


def path_of(name):
    return Path("pages", name).resolve()


def wait_until(tab, condition):
    """Playwright's own wait evaluates text from within the page, which its policy forbids."""
    end = time.monotonic() + 30
    while not tab.evaluate(condition):
        assert time.monotonic() < end, condition
        tab.wait_for_timeout(10)


def documents_in(tab):
    """The documents in the page, as the tests read them by themselves."""
    return json.loads(tab.evaluate("""() => {
      const scripts = [...document.querySelectorAll("script.document")];
      return JSON.stringify(scripts.map((s) => JSON.parse(s.textContent)));
    }"""))


def texts(tab, selector):
    return tab.locator(selector).all_text_contents()


def count(tab, selector):
    return tab.locator(selector).count()


def text(tab, selector):
    """The text of the first element."""
    return tab.eval_on_selector(selector, "(n) => n.textContent")


def value_in(cell):
    """"1,234.5" as a number."""
    return float(re.sub(r"[^\d.eE+-]", "", cell))
