"""Debian's Chromium, for the tests of the page and for its pictures."""
import contextlib
import os

from playwright.sync_api import sync_playwright

ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--disable-quic", "--no-first-run"]


@contextlib.contextmanager
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ["BROWSER"], args=ARGUMENTS)
        yield browser
        browser.close()
