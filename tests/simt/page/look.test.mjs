// How the page looks to a browser's checks: accessible, in light and dark, on a phone, on paper.
import assert from "node:assert/strict";
import {readFileSync, statSync} from "node:fs";
import {createRequire} from "node:module";
import {test} from "node:test";
import {path_of, with_page} from "./browser.mjs";

const axe = readFileSync(createRequire(process.cwd() + "/").resolve("axe-core/axe.min.js"), "utf8");

async function violations(tab) {
  await tab.evaluate(axe);
  const found = await tab.evaluate(() => window.axe.run(document, {resultTypes: ["violations"]}));
  return found.violations.map((v) => `${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(" | ")}`);
}

test("what is not there is not spelled out", async () => {
  for (const name of ["all.html", "own.html", "found.html", "sizes.html", "stored.html"]) {
    await with_page(name, async (tab) => {
      const said = await tab.evaluate(() => {
        const all = document.getElementById("main").cloneNode(true);
        all.querySelectorAll("td.code, pre").forEach((n) => n.remove());
        return all.textContent.match(/.{0,40}(undefined|NaN|null|\[object).{0,40}/);
      });
      assert.equal(said?.[0], undefined, name);
    });
  }
});

for (const name of ["all.html", "own.html", "hostile.html"]) {
  for (const dark of [false, true]) {
    test(`${name} has no violation that axe finds, ${dark ? "dark" : "light"}`, () => with_page(name, async (tab) => {
      assert.deepEqual(await violations(tab), []);
    }, {dark}));
  }
}

test("light and dark differ, by the viewer's wish and by the button", async () => {
  const background = (tab) => tab.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  let light, dark;
  await with_page("all.html", async (tab) => {
    light = await background(tab);
    await tab.click("#theme");
    dark = await background(tab);
    assert.notEqual(light, dark);
    await tab.click("#theme");
    assert.equal(await background(tab), light);
  });
  await with_page("all.html", async (tab) => assert.equal(await background(tab), dark), {dark: true});
});

test("the head is one row, and what stays below it on the screen is not behind it", () => with_page("all.html", async (tab) => {
  await tab.evaluate(() => document.getElementById("panels").scrollIntoView({behavior: "instant"}));
  const [head, controls] = await tab.evaluate(() => ["header", "#player .controls"].map((s) => {
    const box = document.querySelector(s).getBoundingClientRect();
    return {top: box.top, bottom: box.bottom};
  }));
  assert.equal(head.top, 0);
  assert.ok(head.bottom < 60, `${head.bottom} pixels`);
  assert.ok(controls.top >= head.bottom - 2, `controls from ${controls.top}, the head to ${head.bottom}`);
}, {width: 1100}));

test("on a phone a line's code stands beside what it cost", () => with_page("own.html", async (tab) => {
  const left = await tab.$eval("#kernels td.code", (n) => n.getBoundingClientRect().left);
  assert.ok(left < 190, `${left} pixels`);
}, {width: 390, height: 844}));

test("nothing is wider than a phone but what scrolls by itself", () => with_page("all.html", async (tab) => {
  assert.deepEqual(await violations(tab), []);
  const [page, window_] = await tab.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(page <= window_, `${page} pixels on a window of ${window_}`);
}, {width: 390, height: 844}));

test("it prints in light colours, with its tables whole", () => with_page("all.html", async (tab) => {
  await tab.emulateMediaType("print");
  const [color, controls] = await tab.evaluate(() => [getComputedStyle(document.documentElement).backgroundColor,
    getComputedStyle(document.querySelector(".toolbar")).display]);
  assert.equal(color, "rgb(255, 255, 255)");
  assert.equal(controls, "none");
  assert.ok((await tab.pdf({format: "A4"})).length > 20000);
  const sheet = 1047;  // A4 on its side, less margins
  await tab.setViewport({width: sheet, height: 718});
  const right = await tab.$eval("#ladder table", (n) => n.getBoundingClientRect().right);
  assert.ok(right <= sheet, `the table ends at ${right} of ${sheet}`);
}, {dark: true}));

test("a page of four ladders is below 3 MB", () => {
  assert.ok(statSync(path_of("all.html")).size < 3e6);
});
