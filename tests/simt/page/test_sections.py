"""Every section is drawn from the data: numbers on the page are the JSON's."""
import json
import math
import re

import pytest

from conftest import count, documents_in, path_of, text, texts, value_in

BANK_CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_"
FIGURES = {
    "load requests": lambda c: c["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"],
    "bank conflicts": lambda c: c[f"{BANK_CONFLICTS}ld.sum"] + c[f"{BANK_CONFLICTS}st.sum"],
    "steps/warp": lambda c: c["simt__steps_per_warp.ratio"],
    "barriers": lambda c: c["simt__barriers"],
}


def near(figure):
    return pytest.approx(figure, rel=6e-3, abs=5e-4)


def press(tab, selector, name):
    """Clicks on the first element of that text, wherever it stands."""
    tab.eval_on_selector_all(selector, "(all, t) => all.find((n) => n.textContent === t).click()",
                             name)


def ladders_in(tab):
    return [d for d in documents_in(tab) if d.get("measurements")]


def test_all_sections_are_there(open_page):
    assert texts(open_page("all.html"), "#sections a") == [
        "The ladder at a glance", "A rung", "The player", "Findings", "Roofline", "Growing with n",
        "Streams", "What made it"]


def test_the_table_of_each_ladder_has_the_jsons_counters(open_page):
    tab = open_page("all.html")
    ladders = ladders_in(tab)
    names = [d["measurements"][0]["ladder"] for d in ladders]
    assert names == ["reduce", "scan", "sort", "histogram", "select", "streams"]
    for name, d in zip(names[:-1], ladders):
        press(tab, "[role=tab]", name)
        assert count(tab, "#ladder tbody tr") == len({m["rung"] for m in d["measurements"]})
        for m in d["measurements"]:
            if m["backend"] != "simt" or m.get("skipped"):
                continue
            cells = tab.eval_on_selector_all(
                f'tr[data-rung="{m["rung"]}"] td[data-figure]',
                "(all) => Object.fromEntries(all.map((n) => [n.dataset.figure, n.textContent]))")
            for figure in FIGURES.keys() & cells.keys():  # not each ladder has each
                assert value_in(cells[figure]) == near(FIGURES[figure](m["counters"]))


def test_measured_times_ceilings_and_published_figures_of_stored_runs_are_shown(open_page):
    tab = open_page("stored.html")
    measurements = json.loads(path_of("stored.json").read_text())["measurements"]
    problems = tab.eval_on_selector_all("#ladder select option", "(all) => all.map((o) => o.value)")
    tab.select_option("#ladder select", next(p for p in problems if p.startswith("4194304")))
    for m in measurements:
        if m.get("time"):
            cell = text(tab, f'tr[data-rung="{m["rung"]}"] .value')
            assert value_in(cell) == near(m["useful_bytes"] / m["time"]["median_us"] / 1e3)
    marks = count(tab, "#ladder .published:not(.swatch)")
    assert marks == sum(len(m.get("published") or []) for m in measurements)
    assert any(t.startswith("read ceiling") for t in texts(tab, "#ladder .legend li"))


def test_rows_are_sorted_and_filtered(open_page):
    tab = open_page("all.html")
    tab.eval_on_selector_all("#ladder thead button",
                             "(all) => all.find((b) => b.textContent.startsWith('bank')).click()")
    cells = texts(tab, "#ladder td[data-figure='bank conflicts']")
    values = [value_in(cell) for cell in cells if cell != "–"]
    assert values == sorted(values, reverse=True)
    tab.locator("#ladder input[type=search]").press_sequentially("strided")
    assert texts(tab, "#ladder tbody th") == ["11 strided"]


def test_a_rung_opens_with_its_source_its_costs_line_by_line_and_the_difference(open_page):
    tab = open_page("all.html")
    d = next(d for d in ladders_in(tab) if d["measurements"][0]["ladder"] == "reduce")
    press(tab, "#ladder .link", "11 strided")
    assert text(tab, "#rung h3") == "reduce/11 strided"
    lines = [line for k in d["report"]["kernels"] if k.get("rung") == "11 strided"
             for line in k["lines"]]
    conflicts = sum(line.get(kind, {}).get("conflicts", 0) for line in lines
                    for kind in ("shared_load", "shared_store"))
    assert conflicts > 0
    cells = texts(tab, "#rung .source tbody tr td:nth-child(3)")
    assert sum(value_in(cell) for cell in cells if cell) == conflicts
    m = next(m for m in d["measurements"] if m["rung"] == "11 strided")
    rows = texts(tab, "#rung .changes tr.promised")
    row = next(t for t in rows if t.startswith("bank conflicts"))
    assert f"{FIGURES['bank conflicts'](m['counters']):,}" in row
    press(tab, "[role=tab]", "Diff to 10 modulo")
    assert code_in(tab, "removed") == [
        "if (tid % (2 * stride) == 0) values[tid] = op(values[tid], values[tid + stride]);"]
    assert code_in(tab, "added") == [
        "const unsigned index = 2 * stride * tid;",
        "if (index < blockDim.x) values[index] = op(values[index], values[index + stride]);"]


def code_in(tab, kind):
    """Of a difference, the changed lines that are no comments."""
    lines = [line.strip() for line in texts(tab, f"#rung .{kind}")]
    return [line for line in lines if not line.startswith("//")]


def test_a_rungs_source_is_its_kernel_and_the_rest_at_the_press_of_a_button(open_page):
    tab = open_page("all.html")
    press(tab, "#ladder .link", "11 strided")
    source = "\n".join(texts(tab, "#rung .source td.code"))
    assert "__global__" in source
    assert "description about" not in source
    assert "#include" not in source
    press(tab, "#rung button", "Show all of the file")
    assert "description about" in "\n".join(texts(tab, "#rung .source td.code"))


def test_what_is_predicted_says_for_what_and_nothing_else_is_shown_beside_it(open_page):
    tab = open_page("all.html")
    assert "times predicted for h100, not measured" in text(tab, "#ladder .toolbar + p")
    assert "predicted for h100, not measured" in texts(tab, "#ladder .legend li")
    assert text(tab, 'tr[data-rung="00 serial"] .value') == "–"
    assert re.fullmatch(r"~[\d,.]+", text(tab, 'tr[data-rung="11 strided"] .value'))


def test_columns_are_tinted_in_their_worse_half_where_one_end_is_bad(open_page):
    tinted = open_page("all.html").eval_on_selector_all("#ladder td[data-figure][style]", """(all) => {
      const figures = {};
      for (const n of all) (figures[n.dataset.figure] ??= []).push(n.closest("tr").dataset.rung);
      return figures;
    }""")
    assert tinted["bank conflicts"] == ["11 strided"]
    assert "launches" not in tinted
    assert "operator uses" not in tinted
    assert "01 neighbored" in tinted["load requests"]
    assert "22 bulk-copy" not in tinted["load requests"]


def test_a_column_has_one_style_of_digits(open_page):
    cells = [c for c in texts(open_page("all.html"), "#ladder td[data-figure='sectors/request']") if c != "–"]
    assert len(cells) > 20
    assert all(re.fullmatch(r"\d+\.\d\d", c) for c in cells), cells


def test_the_rooflines_marks_fill_it_and_their_numbers_do_not_meet(open_page):
    marks, names, width = open_page("all.html").evaluate("""() => {
      const picture = document.querySelector("#roofline svg");
      const boxes = (s) => [...picture.querySelectorAll(s)].map((n) => {
        const {x, y, width, height} = n.getBoundingClientRect();
        return {x, y, width, height};
      });
      return [boxes(".mark"), boxes(".tiny.label"), picture.getBoundingClientRect().width];
    }""")
    assert max(m["x"] for m in marks) - min(m["x"] for m in marks) > width / 2
    assert len(names) == len(marks)
    for i, a in enumerate(names):
        for b in names[i + 1:]:
            assert (a["x"] + a["width"] <= b["x"] + 1 or b["x"] + b["width"] <= a["x"] + 1 or
                    abs(a["y"] - b["y"]) > 8), (a, b)


def test_growth_has_a_mark_for_each_size_the_roofline_one_for_each_rung_a_timeline_its_spans(
        open_page):
    tab = open_page("all.html")
    rungs = [m for d in ladders_in(tab)[:-1] for m in d["measurements"]
             if m["backend"] == "simt" and not m.get("skipped")]
    assert count(tab, "#roofline .mark") >= len(rungs) - 1
    scaling = [d for d in documents_in(tab) if d.get("scaling")]
    assert len(scaling) == 5
    scan = next(d for d in scaling if d["ladder"] == "scan")
    last = next(r for r in scan["one_block"] if r["rung"].startswith("01"))["points"][-1]
    titles = texts(tab, "#growth .mark title")
    assert any(f"{last['uses']:,} at n" in t for t in titles), "the work of scan/01"
    streams = next(d for d in documents_in(tab) if d.get("timelines"))
    spans = sum(len(t["spans"]) for t in streams["timelines"])
    assert count(tab, "#streams .span") == spans
    press(tab, "#streams button", "Zoom in")
    assert count(tab, "#streams .span") < spans


def test_own_kernels_the_transposes_bank_conflicts_stand_at_their_line(open_page):
    tab = open_page("own.html")
    [report] = documents_in(tab)
    kernel = report["kernels"][0]
    line = next(n for n in kernel["lines"] if n.get("shared_load", {}).get("conflicts", 0) > 0)
    row = texts(tab, f'#kernels tr[data-line="{line["line"]}"] td')
    assert value_in(row[2]) == line["shared_load"]["conflicts"]
    assert "tile[" in row[-1]
    assert "bank conflict" in texts(tab, "#kernels .remarks li")[0]
    assert texts(tab, "#findings p")[0].startswith("No finding")


def test_a_lines_share_is_what_the_model_gives_it_of_the_predicted_time(open_page):
    tab = open_page("own.html")
    [report] = documents_in(tab)
    kernel = report["kernels"][0]
    predicted = {n["line"]: n.get("predicted_us", 0) for n in kernel["lines"]}
    total = sum(predicted.values())
    assert 0 < total <= kernel["predicted"]["median_us"]
    for line, us in predicted.items():
        if us >= total / 100:
            share = text(tab, f'#kernels tr[data-line="{line}"] .share')
            assert share == f"{math.floor(100 * us / total + 0.5)} %"
    captions = texts(tab, "#kernels caption")
    assert any(re.match(r"~[\d.]+ µs predicted for h100, limited by [\w ]+, blind mean error \d+ %, "
                        r"9 of 10 within \d+ %", t)
               for t in captions), captions
    parts = texts(tab, "#kernels table.changes tbody th")
    assert parts[-1] == "+ launch", "launches are added, the others overlap"


def test_where_nothing_is_predicted_shares_are_rough(open_page):
    shares = open_page("own.html").evaluate("""() => {
      const line = (n, warp_steps, sectors, wavefronts) => ({file: "a.cu", line: n,
        active_lanes: 32, warp_steps, global_load: {requests: 1, sectors},
        shared_load: {requests: 1, wavefronts}});
      const lines = [line(1, 30, 4, 1), line(2, 10, 12, 7)];
      const [file] = files_of_kernels([{lines}], [], []);
      return [1, 2].map((n) => file.lines.get(n).share);
    }""")
    # sectors / 4 + passes + steps / 4 are 9.5 and 12.5.
    assert shares == pytest.approx([9.5 / 22, 12.5 / 22])


def test_of_several_sizes_the_largest_is_shown_first_and_no_rungs_line_is_left_out(open_page):
    tab = open_page("sizes.html")
    assert texts(tab, "#ladder [role=tab]") == ["reduce", "scan", "sort"]
    assert tab.input_value("#ladder select") == "67108864|i32|sum||"
    sizes = {}
    for m in json.loads(path_of("sizes.json").read_text())["measurements"]:
        key = m["ladder"], m["rung"], m["type"], m.get("form")
        sizes.setdefault(key, set()).add(m["n"])
    lines = sum(len(of_one) > 2 for of_one in sizes.values())
    assert count(tab, "#growth polyline.series") == lines
    before = texts(tab, "#roofline .mark title")
    tab.select_option("#ladder select", "65536|i32|sum||")
    after = texts(tab, "#roofline .mark title")
    assert after != before, "the roofline is of the problem that was chosen"


def test_a_click_anywhere_on_a_rungs_row_opens_it(open_page):
    tab = open_page("all.html")
    tab.click("#ladder tr[data-rung='07 unroll-warps-8'] .bar-cell")
    assert text(tab, "#rung h3") == "reduce/07 unroll-warps-8"


def test_what_made_it_version_date_command_device(open_page):
    said = text(open_page("own.html"), "#about")
    assert re.search(r"Made by warpfold \d+\.\d+\.\d+ on \d{4}-\d\d-\d\d \d\d:\d\d UTC: "
                     r".*example_report --html", said)
    assert "CPU machine" in said


def test_findings_both_places_who_was_there_the_mend_and_a_mark_in_the_source(open_page):
    tab = open_page("found.html")
    [report] = documents_in(tab)
    finding = report["findings"][0]
    sides = [" ".join(t.split()) for t in texts(tab, "#findings .side")]
    assert len(sides) == 2 * len(report["findings"])
    for shown, side in zip(sides, (finding["here"], finding["other"])):
        assert f"reported.cu:{side['line']}" in shown
        assert f"thread ({', '.join(map(str, side['thread']))})" in shown
    assert finding["mend"] in texts(tab, "#findings .mend")[0]
    marked = tab.eval_on_selector_all("#kernels tr.found",
                                      "(all) => all.map((r) => r.dataset.line)")
    assert str(finding["here"]["line"]) in marked


def test_csv_and_json_are_the_pages_data(open_page):
    tab = open_page("all.html")
    rows = tab.evaluate("csv_of(page.model)").strip().split("\r\n")
    ladders = ladders_in(tab)
    assert len(rows) - 1 == sum(len({m["rung"] for m in d["measurements"]}) for d in ladders)
    assert json.loads(tab.evaluate("json_of(page.model)"))["reduce"] == ladders[0]


def test_a_hand_in_is_a_row_held_against_its_rung(open_page):
    tab = open_page("judged.html")
    d = ladders_in(tab)[0]
    rows = {m["rung"]: m for m in d["measurements"]}
    assert count(tab, "#ladder tbody tr") == len(rows) and {"my.cu", "race.cu"} < rows.keys()
    for figure in ("load requests", "barriers"):
        cell = text(tab, f'tr[data-rung="my.cu"] td[data-figure="{figure}"]')
        assert value_in(cell) == near(FIGURES[figure](rows["my.cu"]["counters"]))
    about = next(r for r in d["rungs"] if r["rung"] == "my.cu")
    like = next(m for m in rows if m.startswith(f"{about['compared_with']:02} "))
    assert text(tab, "#rung h3") == "reduce/my.cu"
    assert text(tab, "#rung .changes caption") == f"Against {like}"
    assert "__global__" in "\n".join(texts(tab, "#rung .source td.code"))
    assert any(t == f"Diff to {like}" for t in texts(tab, "#rung [role=tab]"))
    assert count(tab, "#player .player-panel") > 0
    assert "race between warps" in text(tab, "#findings h3")
    press(tab, "#ladder .link", "race.cu")
    assert "race between warps" in texts(tab, "#rung .finding-mark")
