// Small controls that the sections share.

function select_of(label, options, chosen, on_change) {
  const select = el("select", {change: () => on_change(select.value)},
    options.map(([value, text]) => el("option", {value, selected: value === chosen}, text)));
  return el("label", {class: "field"}, label, select);
}

function button_of(text, on_click, attributes = {}) {
  return el("button", {type: "button", click: on_click, ...attributes}, text);
}

let next_id = 0;

/// Tabs of which one panel is built at a time. Arrow keys go from tab to tab.
function tabs_of(label, entries, chosen, on_choose = () => {}) {
  const id = `tabs${next_id++}`;
  const panel = el("div", {role: "tabpanel", id: `${id}-panel`, class: "panel", tabindex: 0});
  const buttons = entries.map(([text], i) => button_of(text, () => show(i), {
    role: "tab", id: `${id}-${i}`, "aria-controls": `${id}-panel`, keydown: (e) => move(e, i)}));
  const move = (e, i) => {
    const by = {ArrowRight: 1, ArrowLeft: -1}[e.key];
    if (!by) return;
    e.preventDefault();
    e.stopPropagation();
    const next = (i + by + entries.length) % entries.length;
    show(next);
    buttons[next].focus();
  };
  const show = (i) => {
    buttons.forEach((b, j) => {
      b.setAttribute("aria-selected", String(i === j));
      b.tabIndex = i === j ? 0 : -1;
    });
    panel.setAttribute("aria-labelledby", `${id}-${i}`);
    panel.replaceChildren(...[entries[i][1]()].flat());
    on_choose(i);
  };
  show(Math.max(0, Math.min(chosen, entries.length - 1)));
  return el("div", {class: "tabs"}, el("div", {role: "tablist", "aria-label": label}, buttons), panel);
}

/// Wide things scroll by themselves, with the keyboard, too.
function scroller(label, ...children) {
  return el("div", {class: "scroll", role: "group", tabindex: 0, "aria-label": label}, ...children);
}

function facts_of(pairs) {
  const shown = pairs.filter(([, value]) => value);
  return shown.length ? el("dl", {class: "facts"},
    shown.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])) : null;
}

function section_of(id, title, ...children) {
  return el("section", {id, "aria-labelledby": `${id}-title`, "data-title": title},
    el("h2", {id: `${id}-title`}, title), ...children);
}

/// What a reader must know to read a picture.
function legend_of(entries) {
  return el("ul", {class: "legend"}, entries.map(([style, text]) =>
    el("li", {}, el("span", {class: `swatch ${style}`, "aria-hidden": "true"}), text)));
}

function say(text, bad = false) {
  const message = document.getElementById("message");
  message.textContent = text;
  message.className = bad ? "bad" : "";
}
