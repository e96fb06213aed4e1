"""How the page looks to a browser's checks: accessible, in light and dark, on a phone, on paper."""
import pytest
from axe_playwright_python.sync_playwright import Axe

from conftest import path_of


def violations(tab):
    found = Axe().run(tab, options={"resultTypes": ["violations"]}).response["violations"]
    return [f"{v['id']}: {v['help']}: {' | '.join(n['html'][:160] for n in v['nodes'][:3])}"
            for v in found]


def background(tab):
    return tab.evaluate("getComputedStyle(document.documentElement).backgroundColor")


@pytest.mark.parametrize(
    "name", ["all.html", "own.html", "found.html", "judged.html", "sizes.html", "stored.html"])
def test_what_is_not_there_is_not_spelled_out(open_page, name):
    said = open_page(name).evaluate("""() => {
      const all = document.getElementById("main").cloneNode(true);
      all.querySelectorAll("td.code, pre").forEach((n) => n.remove());
      return all.textContent.match(/.{0,40}(undefined|NaN|null|\\[object).{0,40}/)?.[0] ?? null;
    }""")
    assert said is None


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["all.html", "own.html", "judged.html", "hostile.html"])
def test_axe_finds_no_violation(open_page, name, dark):
    assert violations(open_page(name, dark=dark)) == []


def test_light_and_dark_differ_by_the_viewers_wish_and_by_the_button(open_page):
    tab = open_page("all.html")
    light = background(tab)
    tab.click("#theme")
    dark = background(tab)
    assert light != dark
    tab.click("#theme")
    assert background(tab) == light
    assert background(open_page("all.html", dark=True)) == dark


def test_the_head_is_one_row_and_what_stays_below_it_on_the_screen_is_not_behind_it(open_page):
    tab = open_page("all.html", width=1100)
    tab.evaluate("document.getElementById('panels').scrollIntoView({behavior: 'instant'})")
    head, controls = tab.evaluate("""["header", "#player .controls"].map((s) => {
      const box = document.querySelector(s).getBoundingClientRect();
      return {top: box.top, bottom: box.bottom};
    })""")
    assert head["top"] == 0
    assert head["bottom"] < 60
    assert controls["top"] >= head["bottom"] - 2


def test_on_a_phone_a_lines_code_stands_beside_what_it_cost(open_page):
    tab = open_page("own.html", width=390, height=844)
    left = tab.eval_on_selector("#kernels td.code", "(n) => n.getBoundingClientRect().left")
    assert left < 190


def test_on_a_phone_the_bars_are_whole_and_differ(open_page):
    tab = open_page("all.html", width=400, height=844)
    tab.select_option("#ladder label:has-text('Bars') select", "speedup")
    bars = tab.eval_on_selector_all("#ladder .bar", """(all) =>
      all.map((n) => n.getBoundingClientRect()).map((b) => [b.right, b.width])""")
    assert len(bars) >= 20
    assert max(right for right, _ in bars) < 400
    assert max(width for _, width in bars) > 100
    assert len({round(width) for _, width in bars}) > 5


@pytest.mark.parametrize("width", [400, 1300])
def test_no_code_of_a_difference_is_cut(open_page, width):
    tab = open_page("all.html", width=width)
    tab.evaluate("""() => {
      open_rung("reduce", "11 strided");
      [...document.querySelectorAll("#rung [role=tab]")]
        .find((b) => b.textContent.startsWith("Diff")).click();
    }""")
    assert tab.eval_on_selector("#rung .scroll:has(.diff)", "(n) => n.scrollWidth <= n.clientWidth")


def test_nothing_is_wider_than_a_phone_but_what_scrolls_by_itself(open_page):
    tab = open_page("all.html", width=390, height=844)
    assert violations(tab) == []
    page, window = tab.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert page <= window


def test_it_prints_in_light_colours_with_its_tables_whole(open_page):
    tab = open_page("all.html", dark=True)
    tab.emulate_media(media="print")
    assert background(tab) == "rgb(255, 255, 255)"
    assert tab.evaluate("getComputedStyle(document.querySelector('.toolbar')).display") == "none"
    assert len(tab.pdf(format="A4")) > 20000
    sheet = 1047  # A4 on its side, less margins
    tab.set_viewport_size({"width": sheet, "height": 718})
    right = tab.eval_on_selector("#ladder table", "(n) => n.getBoundingClientRect().right")
    assert right <= sheet


def test_a_page_of_six_ladders_is_below_4_mb():
    assert path_of("all.html").stat().st_size < 4e6
