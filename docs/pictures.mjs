// pictures.mjs <page> <folder>: the page's ladder, and its player with the strided rung beside the
// sequential one.
import {resolve} from "node:path";
import {pathToFileURL} from "node:url";
import puppeteer from "puppeteer-core";

const [, , page, folder] = process.argv;
const browser = await puppeteer.launch({executablePath: process.env.BROWSER, headless: true, args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
  "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic", "--no-first-run"]});
const tab = await browser.newPage();
await tab.setViewport({width: 1280, height: 900});
await tab.goto(pathToFileURL(resolve(page)).href, {waitUntil: "load"});

/// From the section's heading to the last element that is named.
async function take(section, last, name) {
  const clip = await tab.evaluate((s, l) => {
    const from = document.querySelector(s).getBoundingClientRect();
    const to = document.querySelector(`${s} ${l}`).getBoundingClientRect();
    return {x: 0, y: from.y + scrollY, width: innerWidth, height: to.bottom - from.y + 16};
  }, section, last);
  await tab.screenshot({path: `${folder}/${name}.png`, clip, captureBeyondViewport: true, optimizeForSpeed: false});
}

await take("#ladder", ".legend", "page_ladder");
await tab.evaluate(() => {
  set_panels(["reduce/strided, 64 values", "reduce/sequential, 64 values"]);
  go_to(2);
});
await take("#player", "#panels", "page_player");
await browser.close();
