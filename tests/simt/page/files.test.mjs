// Files that are dropped on the page, and hostile ones.
import assert from "node:assert/strict";
import {writeFileSync} from "node:fs";
import {test} from "node:test";
import {path_of, texts, with_page} from "./browser.mjs";

const open = async (tab, ...names) => {
  const field = await tab.$("#open");
  await field.uploadFile(...names.map(path_of));
  await tab.waitForFunction(() => document.getElementById("message").textContent !== "");
};

test("a file that is opened takes the place of what was shown", () => with_page("own.html", async (tab) => {
  await open(tab, "reduce.json");
  assert.equal((await tab.$$("#kernels")).length, 0);
  assert.deepEqual((await texts(tab, "#ladder tbody th")).slice(-3), ["10 modulo", "11 strided", "12 sequential"]);
}));

test("a file that is dropped, too", () => with_page("all.html", async (tab) => {
  await tab.evaluate((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "dropped.json"));
    document.dispatchEvent(new DragEvent("drop", {dataTransfer: data, cancelable: true}));
  }, JSON.stringify({schema: 1, summary: "", kernels: [], findings: [], errors: ["it ended by itself"]}));
  await tab.waitForFunction(() => document.getElementById("message").textContent.includes("dropped.json"));
  assert.deepEqual(await texts(tab, "#kernels .error"), ["it ended by itself"]);
}));

for (const [name, text] of Object.entries({"no.json": "}{", "other.json": "{\"a\": [1]}", "list.json": "[]", "null.json": "null"})) {
  test(`${name} is no report, and one line says so`, () => with_page("all.html", async (tab) => {
    writeFileSync(path_of(name), text);
    const rows = (await tab.$$("#ladder tbody tr")).length;
    await open(tab, name);
    const said = await tab.$eval("#message", (n) => n.textContent);
    assert.match(said, new RegExp(`^${name}: is no (JSON|report: expected .*)$`));
    assert.equal((await tab.$$("#ladder tbody tr")).length, rows, "what was shown stays");
  }));
}

test("a report that is not as it should be leaves the page as it was", () => with_page("all.html", async (tab) => {
  writeFileSync(path_of("bent.json"), JSON.stringify({schema: 1, ladder: "reduce", rung: "bent", steps: [{threads: [{block: 0, reads: 7}]}], arrays: [{}]}));
  await open(tab, "bent.json");
  assert.match(await tab.$eval("#message", (n) => n.textContent), /^bent.json: can't be shown/);
  assert.ok((await tab.$$("#ladder tbody tr")).length > 3);
}));

test("hostile texts are shown as texts", () => with_page("hostile.html", async (tab) => {
  const all = await tab.evaluate(() => document.body.innerText);
  assert.ok(all.includes("<script>attacked()</script>"));
  assert.ok(all.includes("\"><img src=x onerror=attacked()>"));
  assert.ok(all.includes("\uFFFD"), "bytes that are no UTF-8");
  assert.equal(await tab.evaluate(() => window.attacked_by ?? null), null);
  assert.equal((await tab.$$("main img, main script, main iframe, main style")).length, 0);
  const widest = await tab.evaluate(() => Math.max(...[...document.querySelectorAll("td.code")].map((n) => n.textContent.length)));
  assert.ok(widest > 1900 && widest < 2100, `a line of 10 kB is cut: ${widest}`);
  assert.ok((await texts(tab, "#findings .finding")).length === 1);
  assert.ok((await texts(tab, "#kernels .finding-mark")).length >= 1, "the finding is marked in the source");
}));
