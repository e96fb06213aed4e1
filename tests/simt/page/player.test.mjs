// The player: forward and back to the same picture, by keys alone, as fast as frames go.
import assert from "node:assert/strict";
import {test} from "node:test";
import {documents_in, texts, with_page} from "./browser.mjs";

const picture = (tab) => tab.$eval("#panels", (n) => n.innerHTML);
const position = (tab) => tab.$eval("#position", (n) => n.textContent);

test("stepping forward and back comes to the same pictures", () => with_page("all.html", async (tab) => {
  const [, last] = (await position(tab)).split(" / ").map(Number);
  assert.ok(last > 3);
  const seen = [await picture(tab)];
  for (let i = 0; i < last; ++i) {
    await tab.keyboard.press("ArrowRight");
    seen.push(await picture(tab));
  }
  assert.equal(new Set(seen).size, last + 1, "each step is a picture of its own");
  for (let i = last - 1; i >= 0; --i) {
    await tab.keyboard.press("ArrowLeft");
    assert.equal(await picture(tab), seen[i], `step ${i}`);
  }
  await tab.keyboard.press("End");
  assert.equal(await picture(tab), seen[last]);
  await tab.keyboard.press("Home");
  assert.equal(await picture(tab), seen[0]);
}));

test("space plays and pauses", () => with_page("all.html", async (tab) => {
  await tab.evaluate(() => { player.speed = 50; });
  await tab.keyboard.press("Space");
  await tab.waitForFunction(() => player.position === last_position() && !player.playing);
  await tab.evaluate(() => { player.speed = 0.1; });
  await tab.keyboard.press("Space");
  assert.equal(await tab.$eval("#play", (n) => n.textContent), "Pause");
  await tab.keyboard.press("Space");
  assert.equal(await tab.$eval("#play", (n) => n.textContent), "Play");
}));

test("the last step of every rung shows its result", () => with_page("all.html", async (tab) => {
  const steps = (await documents_in(tab)).filter((d) => d.steps && d.arrays);
  assert.ok(steps.length > 30, `${steps.length} rungs have steps`);
  const keys = await tab.evaluate(() => steps_in(page.model));
  assert.equal(keys.length, steps.length);
  for (const key of keys) {
    const result = await tab.evaluate((k) => { set_panels([k]); go_to(last_position()); return walk_named(page.model, k).walk.json.result; }, key);
    assert.ok((await texts(tab, ".player-body")).join("").includes(`✓ ${result}`.slice(0, 40)), key);
  }
}));

test("banks stack up as the machine counted", () => with_page("all.html", async (tab) => {
  const wrong = await tab.evaluate(() => steps_in(page.model).flatMap((key) => {
    const {walk} = walk_named(page.model, key);
    return walk.steps.flatMap((s, i) => requests_of(s, "shared").filter((r) => r.what !== "atomic" && conflicts_of(walk, r) !== (r.conflicts ?? 0))
      .map((r) => `${key} step ${i}: ${conflicts_of(walk, r)}, not ${r.conflicts ?? 0}`));
  }));
  assert.deepEqual(wrong, []);
  const most = await tab.evaluate(() => {
    const {walk} = walk_named(page.model, "reduce/strided, 64 values");
    return Math.max(...walk.steps.map((s) => s.bank_conflicts ?? 0));
  });
  assert.ok(most > 0);
}));

test("a bitonic sort is a network whose keys end sorted", () => with_page("all.html", async (tab) => {
  const keys = await tab.evaluate(() => {
    set_panels(["sort/bitonic-shared"]);
    go_to(last_position());
    return [...document.querySelectorAll("#panels .value.changed")].map((n) => Number(n.textContent));
  });
  assert.ok(keys.length >= 8);
  assert.deepEqual(keys, [...keys].sort((a, b) => a - b));
}));

test("the keyboard alone reaches everything", () => with_page("all.html", async (tab) => {
  const wanted = await tab.evaluate(() => {
    const all = [...document.querySelectorAll("a[href], button:not(:disabled), select, input, summary, [tabindex='0']")]
      .filter((n) => n.tabIndex >= 0 && n.getClientRects().length && !n.closest("details:not([open]) > :not(summary)"));
    all.forEach((n, i) => { n.dataset.stop = i; });
    return all.length;
  });
  const reached = new Set();
  for (let i = 0; i < wanted + 5; ++i) {
    await tab.keyboard.press("Tab");
    reached.add(await tab.evaluate(() => document.activeElement.dataset.stop));
  }
  reached.delete(undefined);
  assert.equal(reached.size, wanted);
  await tab.focus("#ladder tbody .link");
  await tab.keyboard.press("Enter");
  assert.match(await tab.$eval("#rung h3", (n) => n.textContent), /^reduce\/00/);
}));

test("a key is answered in a few frames even on a slow machine, by the processor time of the page's thread", () => with_page("all.html", async (tab) => {
  const client = await tab.createCDPSession();
  await client.send("Performance.enable", {timeDomain: "threadTicks"});
  const used = async () => (await client.send("Performance.getMetrics")).metrics.find((m) => m.name === "ThreadTime").value;
  // The best of several walks: what else runs on the machine slows down some.
  let ms = Infinity;
  for (let walk = 0; walk < 5; ++walk) {
    await tab.keyboard.press("Home");
    const begin = await used();
    const steps = await tab.evaluate(() => {
      for (let i = 0; i < last_position(); ++i) {
        player_key("ArrowRight");
        document.getElementById("panels").getBoundingClientRect();
      }
      return last_position();
    });
    ms = Math.min(ms, (await used() - begin) * 1e3 / steps);
  }
  console.log(`# a key takes ${ms.toFixed(1)} ms of processor time`);
  // One frame is what a reader's machine takes; four of them leave room for one that is busy or old.
  assert.ok(ms < 4 * 1000 / 60, `${ms} ms`);
}));

test("a step keeps the place that one has scrolled to", () => with_page("all.html", async (tab) => {
  const place = await tab.evaluate(() => {
    const picture = () => document.querySelector("#panels .scroll");
    picture().scrollLeft = 40;
    player_key("ArrowRight");
    return picture().scrollLeft;
  });
  assert.equal(place, 40);
}, {width: 400}));
