// A browser for the tests: what a page writes on its console, or asks the network for, fails them.
import assert from "node:assert/strict";
import {after, before} from "node:test";
import {fileURLToPath, pathToFileURL} from "node:url";
import puppeteer from "puppeteer-core";

const ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
  "--disable-sync", "--disable-quic", "--no-first-run"];

let browser;
before(async () => {
  browser = await puppeteer.launch({executablePath: process.env.BROWSER, headless: true, args: ARGUMENTS});
});
after(() => browser?.close());

export const path_of = (name) => fileURLToPath(new URL(`pages/${name}`, pathToFileURL(process.cwd() + "/")));

/// Opens a page, hands it to `use`, and holds it to silence.
export async function with_page(name, use, {dark = false, width = 1400, height = 900} = {}) {
  const tab = await browser.newPage();
  const said = [], asked = [];
  tab.on("console", (m) => said.push(m.text()));
  tab.on("pageerror", (e) => said.push(String(e)));
  tab.on("request", (r) => { if (!/^(file|data|blob):/.test(r.url())) asked.push(r.url()); });
  await tab.setViewport({width, height});
  await tab.emulateMediaFeatures([{name: "prefers-color-scheme", value: dark ? "dark" : "light"}]);
  await tab.goto(pathToFileURL(path_of(name)).href, {waitUntil: "load"});
  try {
    await use(tab);
    assert.deepEqual(said, [], "the page is silent");
    assert.deepEqual(asked, [], "no request leaves the page");
  } finally {
    await tab.close();
  }
}

/// The documents in the page, as the tests read them by themselves.
export const documents_in = (tab) => tab.evaluate(() => [...document.querySelectorAll("script.document")].map((s) => JSON.parse(s.textContent)));

export const texts = (tab, selector) => tab.$$eval(selector, (nodes) => nodes.map((n) => n.textContent));

/// "1,234.5" as a number.
export const value_in = (text) => Number(text.replaceAll(",", "").replace(/[^\d.eE+-]/g, ""));
