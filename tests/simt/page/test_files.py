"""Files that are dropped on the page, and hostile ones."""
import json
import re

import pytest

from conftest import count, path_of, text, texts, wait_until


def open_file(tab, name):
    tab.set_input_files("#open", path_of(name))
    wait_until(tab, "document.getElementById('message').textContent !== ''")


def test_a_file_that_is_opened_takes_the_place_of_what_was_shown(open_page):
    tab = open_page("own.html")
    open_file(tab, "reduce.json")
    assert count(tab, "#kernels") == 0
    assert texts(tab, "#ladder tbody th")[-3:] == ["10 modulo", "11 strided", "12 sequential"]


def test_a_file_that_is_dropped_too(open_page):
    tab = open_page("all.html")
    report = {"schema": 1, "summary": "", "kernels": [], "findings": [],
              "errors": ["it ended by itself"]}
    tab.evaluate("""(text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], "dropped.json"));
      document.dispatchEvent(new DragEvent("drop", {dataTransfer: data, cancelable: true}));
    }""", json.dumps(report))
    wait_until(tab, "document.getElementById('message').textContent.includes('dropped.json')")
    assert texts(tab, "#kernels .error") == ["it ended by itself"]


@pytest.mark.parametrize("name, content", [
    ("no.json", "}{"), ("other.json", '{"a": [1]}'), ("list.json", "[]"), ("null.json", "null")])
def test_what_is_no_report_is_refused_in_one_line(open_page, name, content):
    tab = open_page("all.html")
    path_of(name).write_text(content)
    rows = count(tab, "#ladder tbody tr")
    open_file(tab, name)
    said = text(tab, "#message")
    assert re.fullmatch(f"{name}: is no (JSON|report: expected .*)", said)
    assert count(tab, "#ladder tbody tr") == rows, "what was shown stays"


def test_a_report_that_is_not_as_it_should_be_leaves_the_page_as_it_was(open_page):
    tab = open_page("all.html")
    bent = {"schema": 1, "ladder": "reduce", "rung": "bent",
            "steps": [{"threads": [{"block": 0, "reads": 7}]}], "arrays": [{}]}
    path_of("bent.json").write_text(json.dumps(bent))
    open_file(tab, "bent.json")
    assert text(tab, "#message").startswith("bent.json: can't be shown")
    assert count(tab, "#ladder tbody tr") > 3


def test_hostile_texts_are_shown_as_texts(open_page):
    tab = open_page("hostile.html")
    shown = tab.evaluate("document.body.innerText")
    assert "<script>attacked()</script>" in shown
    assert "\"><img src=x onerror=attacked()>" in shown
    assert "\ufffd" in shown, "bytes that are no UTF-8"
    assert tab.evaluate("window.attacked_by ?? null") is None
    assert count(tab, "main img, main script, main iframe, main style") == 0
    widest = max(len(cell) for cell in texts(tab, "td.code"))
    assert 1900 < widest < 2100, "a line of 10 kB is cut"
    assert count(tab, "#findings .finding") == 1
    assert count(tab, "#kernels .finding-mark") >= 1, "the finding is marked in the source"
