// Every section is drawn from the data: numbers on the page are the JSON's.
import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {test} from "node:test";
import {documents_in, path_of, texts, value_in, with_page} from "./browser.mjs";

const near = (a, b) => assert.ok(Math.abs(a - b) <= 6e-3 * Math.abs(b) + 5e-4, `${a} is not ${b}`);

const FIGURES = {
  "load requests": (c) => c["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"],
  "bank conflicts": (c) => c["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"] + c["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"],
  "steps/warp": (c) => c["simt__steps_per_warp.ratio"],
  barriers: (c) => c.simt__barriers,
};

const choose_tab = (tab, text) => tab.evaluate((t) => [...document.querySelectorAll("[role=tab]")].find((b) => b.textContent === t).click(), text);

test("all sections are there", () => with_page("all.html", async (tab) => {
  assert.deepEqual(await texts(tab, "#sections a"), ["The ladder at a glance", "A rung", "The player", "Findings", "Roofline", "Growing with n", "Streams", "What made it"]);
}));

test("the table of each ladder has the JSON's counters", () => with_page("all.html", async (tab) => {
  const documents = (await documents_in(tab)).filter((d) => d.measurements);
  assert.deepEqual(documents.map((d) => d.measurements[0].ladder), ["reduce", "scan", "sort", "streams"]);
  for (const d of documents.slice(0, 3)) {
    await choose_tab(tab, d.measurements[0].ladder);
    assert.equal((await tab.$$("#ladder tbody tr")).length, new Set(d.measurements.map((m) => m.rung)).size);
    for (const m of d.measurements.filter((x) => x.backend === "simt" && !x.skipped)) {
      for (const [figure, of] of Object.entries(FIGURES)) {
        const cell = await tab.evaluate((r, f) => document.querySelector(`tr[data-rung="${r}"] td[data-figure="${f}"]`)?.textContent, m.rung, figure);
        if (cell === undefined) continue;  // a ladder without that figure
        near(value_in(cell), of(m.counters));
      }
    }
  }
}));

test("measured times, ceilings and published figures of stored runs are shown", () => with_page("stored.html", async (tab) => {
  const stored = JSON.parse(readFileSync(path_of("stored.json"), "utf8"));
  await tab.select("#ladder select", [...await tab.$$eval("#ladder select option", (o) => o.map((x) => x.value))].find((v) => v.startsWith("4194304")));
  for (const m of stored.measurements.filter((x) => x.time)) {
    const cell = await tab.$eval(`tr[data-rung="${m.rung}"] .value`, (n) => n.textContent);
    near(value_in(cell), m.useful_bytes / m.time.median_us / 1e3);
  }
  const marks = await tab.$$eval("#ladder .published:not(.swatch)", (n) => n.length);
  assert.equal(marks, stored.measurements.reduce((sum, m) => sum + (m.published ?? []).length, 0));
  assert.ok((await texts(tab, "#ladder .legend li")).some((t) => t.startsWith("read ceiling")));
}));

test("rows are sorted and filtered", () => with_page("all.html", async (tab) => {
  await tab.evaluate(() => [...document.querySelectorAll("#ladder thead button")].find((b) => b.textContent.startsWith("bank")).click());
  const values = (await texts(tab, "#ladder td[data-figure='bank conflicts']")).filter((t) => t !== "–").map(value_in);
  assert.deepEqual(values, [...values].sort((a, b) => b - a));
  await tab.type("#ladder input[type=search]", "strided");
  assert.deepEqual(await texts(tab, "#ladder tbody th"), ["11 strided"]);
}));

test("a rung opens with its source, its costs line by line, and the difference to the one before", () => with_page("all.html", async (tab) => {
  const [d] = (await documents_in(tab)).filter((x) => x.measurements?.[0].ladder === "reduce");
  await tab.evaluate(() => [...document.querySelectorAll("#ladder .link")].find((b) => b.textContent === "11 strided").click());
  assert.equal(await tab.$eval("#rung h3", (n) => n.textContent), "reduce/11 strided");
  const lines = d.report.kernels.filter((k) => k.rung === "11 strided").flatMap((k) => k.lines);
  const conflicts = lines.reduce((sum, l) => sum + (l.shared_load?.conflicts ?? 0) + (l.shared_store?.conflicts ?? 0), 0);
  assert.ok(conflicts > 0);
  const cells = (await texts(tab, "#rung .source tbody tr td:nth-child(3)")).filter(Boolean).map(value_in);
  assert.equal(cells.reduce((a, b) => a + b, 0), conflicts);
  const m = d.measurements.find((x) => x.rung === "11 strided");
  const row = (await texts(tab, "#rung .changes tr.promised")).find((t) => t.startsWith("bank conflicts"));
  assert.ok(row.includes(FIGURES["bank conflicts"](m.counters).toLocaleString("en")), row);
  await choose_tab(tab, "Diff to 10 modulo");
  assert.ok((await tab.$$("#rung .removed")).length > 0 && (await tab.$$("#rung .added")).length > 0);
}));

test("growth has a mark for each size, the roofline one for each rung, a timeline its spans", () => with_page("all.html", async (tab) => {
  const documents = await documents_in(tab);
  const rungs = documents.filter((d) => d.measurements).slice(0, 3).flatMap((d) => d.measurements.filter((m) => m.backend === "simt" && !m.skipped));
  assert.ok(await tab.$$eval("#roofline .mark", (n) => n.length) >= rungs.length - 1);
  assert.equal(documents.filter((d) => d.scaling).length, 3);
  const scan = documents.find((d) => d.scaling && d.ladder === "scan").one_block.find((r) => r.rung.startsWith("01"));
  const last = scan.points.at(-1);
  const titles = await texts(tab, "#growth .mark title");
  assert.ok(titles.some((t) => t.includes(`${last.uses.toLocaleString("en")} at n`)), "the work of scan/01");
  const streams = documents.find((d) => d.timelines);
  const spans = streams.timelines.reduce((sum, t) => sum + t.spans.length, 0);
  assert.equal(await tab.$$eval("#streams .span", (n) => n.length), spans);
  await tab.evaluate(() => [...document.querySelectorAll("#streams button")].find((b) => b.textContent === "Zoom in").click());
  assert.ok(await tab.$$eval("#streams .span", (n) => n.length) < spans);
}));

test("own kernels: the transpose's bank conflicts stand at their line", () => with_page("own.html", async (tab) => {
  const [report] = await documents_in(tab);
  const [kernel] = report.kernels;
  const line = kernel.lines.find((l) => l.shared_load?.conflicts > 0);
  const row = await tab.$$eval(`#kernels tr[data-line="${line.line}"] td`, (cells) => cells.map((c) => c.textContent));
  assert.equal(value_in(row[2]), line.shared_load.conflicts);
  assert.match(row.at(-1), /tile\[/);
  assert.ok((await texts(tab, "#kernels .remarks li"))[0].includes("bank conflict"));
  assert.ok((await texts(tab, "#findings p"))[0].startsWith("No finding"));
}));

test("a line's share is what the model gives it of the predicted time", () => with_page("own.html", async (tab) => {
  const [report] = await documents_in(tab);
  const [kernel] = report.kernels;
  const all = kernel.lines.reduce((sum, l) => sum + (l.predicted_us ?? 0), 0);
  assert.ok(all > 0 && all <= kernel.predicted.median_us, `${all} of ${kernel.predicted.median_us} µs`);
  for (const line of kernel.lines.filter((l) => l.predicted_us >= all / 100)) {
    const share = await tab.$eval(`#kernels tr[data-line="${line.line}"] .share`, (n) => n.textContent);
    assert.equal(share, `${Math.round(100 * line.predicted_us / all)} %`);
  }
  const captions = await texts(tab, "#kernels caption");
  assert.ok(captions.some((t) => t.startsWith("≈ ") && t.includes("µs predicted for h100")), captions.join());
}));

test("where nothing is predicted, shares are rough", () => with_page("own.html", async (tab) => {
  const shares = await tab.evaluate(() => {
    const line = (n, warp_steps, sectors, wavefronts) => ({file: "a.cu", line: n, active_lanes: 32, warp_steps,
      global_load: {requests: 1, sectors}, shared_load: {requests: 1, wavefronts}});
    const [file] = files_of_kernels([{lines: [line(1, 30, 4, 1), line(2, 10, 12, 7)]}], [], []);
    return [1, 2].map((n) => file.lines.get(n).share);
  });
  // sectors / 4 + passes + steps / 4 are 9.5 and 12.5.
  assert.deepEqual(shares.map((s) => s.toFixed(4)), [(9.5 / 22).toFixed(4), (12.5 / 22).toFixed(4)]);
}));

test("what was measured at several sizes: the largest is shown first, and no rung's line is left out", () => with_page("sizes.html", async (tab) => {
  const {measurements} = JSON.parse(readFileSync(path_of("sizes.json"), "utf8"));
  assert.deepEqual(await texts(tab, "#ladder [role=tab]"), ["reduce", "scan", "sort"]);
  assert.equal(await tab.$eval("#ladder select", (s) => s.value), "67108864|i32|sum||");
  const sizes = new Map();
  for (const m of measurements) {
    const key = [m.ladder, m.rung, m.type, m.form].join();
    sizes.set(key, (sizes.get(key) ?? new Set()).add(m.n));
  }
  const lines = [...sizes.values()].filter((s) => s.size > 2).length;
  assert.equal(await tab.$$eval("#growth polyline.series", (n) => n.length), lines);
  const marks = () => tab.$$eval("#roofline .mark title", (n) => n.map((t) => t.textContent).join());
  const before = await marks();
  await tab.select("#ladder select", "65536|i32|sum||");
  assert.notEqual(await marks(), before, "the roofline is of the problem that was chosen");
}));

test("a click anywhere on a rung's row opens it", () => with_page("all.html", async (tab) => {
  await tab.click("#ladder tr[data-rung='07 unroll-warps-8'] .bar-cell");
  assert.equal(await tab.$eval("#rung h3", (n) => n.textContent), "reduce/07 unroll-warps-8");
}));

test("what made it: version, date, command, device", () => with_page("own.html", async (tab) => {
  const said = await tab.$eval("#about", (n) => n.textContent);
  assert.match(said, /Made by warpfold \d+\.\d+\.\d+ on \d{4}-\d\d-\d\d \d\d:\d\d UTC: .*example_report --html/);
  assert.ok(said.includes("CPU machine"));
}));

test("findings: both places, who was there, the mend, and a mark in the source", () => with_page("found.html", async (tab) => {
  const [report] = await documents_in(tab);
  const [finding] = report.findings;
  const sides = (await texts(tab, "#findings .side")).map((t) => t.replace(/\s+/g, " "));
  assert.equal(sides.length, 2 * report.findings.length);
  for (const [i, side] of [finding.here, finding.other].entries()) {
    assert.ok(sides[i].includes(`reported.cu:${side.line}`) && sides[i].includes(`thread (${side.thread.join(", ")})`), sides[i]);
  }
  assert.ok((await texts(tab, "#findings .mend"))[0].includes(finding.mend));
  const marked = await tab.$$eval("#kernels tr.found", (rows) => rows.map((r) => Number(r.dataset.line)));
  assert.ok(marked.includes(finding.here.line), `${marked}`);
}));

test("CSV and JSON are the page's data", () => with_page("all.html", async (tab) => {
  const csv = (await tab.evaluate(() => csv_of(page.model))).trim().split("\r\n");
  const documents = (await documents_in(tab)).filter((d) => d.measurements);
  assert.equal(csv.length - 1, documents.reduce((sum, d) => sum + new Set(d.measurements.map((m) => m.rung)).size, 0));
  const all = JSON.parse(await tab.evaluate(() => json_of(page.model)));
  assert.deepEqual(all.reduce, documents[0]);
}));
