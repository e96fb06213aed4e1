"use strict";
// Elements, numbers and texts. What comes from a file becomes text and nothing else.

const SIZES = JSON.parse(document.getElementById("sizes").textContent);

/// Attributes that are functions are listeners; false and null leave an attribute out.
function set_attributes(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (typeof value === "function") node.addEventListener(name, value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
}

function append_to(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  set_attributes(node, attributes);
  return append_to(node, children);
}

function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  set_attributes(node, attributes);
  return append_to(node, children);
}

/// Makes of `old` what `fresh` is by as many changes as they differ in: the browser lays out what
/// changed, and what was scrolled stays so.
function renew(old, fresh) {
  if (old.nodeName !== fresh.nodeName || old.childNodes.length !== fresh.childNodes.length) {
    old.replaceWith(fresh);
    return;
  }
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  for (const {name} of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const {name, value} of fresh.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  const next = [...fresh.childNodes];
  [...old.childNodes].forEach((node, i) => renew(node, next[i]));
}

/// A picture of its own size that shrinks with the page.
function svg_picture(width, height, label, children, least = 0) {
  return svg("svg", {
    viewBox: `0 0 ${round(width)} ${round(height)}`, role: "img", "aria-label": label,
    style: `max-width:${round(width)}px;min-width:${Math.min(least, round(width))}px`,
  }, svg("title", {}, label), ...children);
}

const round = (value) => Math.round(value * 10) / 10;

/// NaN where there is no number: JSON has "nan", "inf" and null.
function number_of(value) {
  if (typeof value === "number") return value;
  if (value === "inf") return Infinity;
  if (value === "-inf") return -Infinity;
  return NaN;
}

const with_separators = (text) => text.replace(/^-?\d+/, (whole) =>
  whole.replace(/\B(?=(\d{3})+$)/g, ","));

/// Whole numbers whole, others to four digits or so; – for none.
function number_text(value) {
  if (Number.isNaN(value) || value === undefined || value === null) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (Number.isInteger(value)) return with_separators(String(value));
  const size = Math.abs(value);
  const decimals = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
  return with_separators(value.toFixed(decimals));
}

/// "~1,160": three digits are all that a prediction has.
function predicted_text(value) {
  if (Number.isNaN(value)) return "–";
  return `~${with_separators(value >= 100 ? String(Number(value.toPrecision(3))) : value.toPrecision(3))}`;
}

/// How the numbers of a column are written: all whole, or all with two decimals.
function column_text(values) {
  if (values.every((v) => !Number.isFinite(v) || Number.isInteger(v) || v >= 1000)) return number_text;
  return (v) => (Number.isFinite(v) && v < 1000 ? with_separators(v.toFixed(2)) : number_text(v));
}

/// 16,384 → "2^14" where it is a power of two.
function size_text(n) {
  const exponent = Math.log2(n);
  return n >= 64 && Number.isInteger(exponent) ? `2^${exponent}` : number_text(n);
}

/// 1,234,567 → "1.23 M".
function short_number(value) {
  const size = Math.abs(value);
  for (const [unit, power] of [["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3]]) {
    if (size >= power) return `${Number((value / power).toPrecision(3))} ${unit}`;
  }
  return String(Number(value.toPrecision(3)));
}

const file_name = (path) => String(path).split("/").pop();

/// A long text is cut in the middle; all of it is in the title.
function shortened(text, most = 120) {
  const all = String(text);
  if (all.length <= most) return all;
  const half = Math.floor(most / 2);
  return all.slice(0, half) + " … " + all.slice(-half);
}

const is_list = Array.isArray;
const list_of = (value) => (is_list(value) ? value : []);
const text_of = (value) => (value === null || value === undefined ? "" : String(value));
const sum = (values) => values.reduce((a, b) => a + b, 0);

function grouped(items, key_of) {
  const groups = new Map();
  for (const item of items) {
    const key = key_of(item);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(item);
  }
  return groups;
}
