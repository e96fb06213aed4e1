"""pictures.py <page> <folder>: the page's ladder, and its player with the strided rung beside the
sequential one."""
import sys
from pathlib import Path

from browser import chromium


def take(tab, section, last, path):
    """From the section's heading to the last element that is named."""
    clip = tab.evaluate("""([section, last]) => {
      const from = document.querySelector(section).getBoundingClientRect();
      const to = document.querySelector(`${section} ${last}`).getBoundingClientRect();
      return {x: 0, y: from.y + scrollY, width: innerWidth, height: to.bottom - from.y + 16};
    }""", [section, last])
    tab.screenshot(path=path, clip=clip, full_page=True)


page, folder = map(Path, sys.argv[1:])
with chromium() as browser:
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    tab.goto(page.resolve().as_uri())
    take(tab, "#ladder", ".legend", folder / "page_ladder.png")
    tab.evaluate("""() => {
      set_panels(["reduce/strided, 64 values", "reduce/sequential, 64 values"]);
      go_to(2);
    }""")
    take(tab, "#player", "#panels", folder / "page_player.png")
