// All that the page shows, as JSON or CSV.

function csv_cell(value) {
  const text = text_of(value);
  // A spreadsheet would take a text that begins like this for a formula.
  const safe = /^[=+\-@\t]/.test(text) && typeof value !== "number" ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll("\"", "\"\"")}"` : safe;
}

/// A row for each measurement, a column for each figure and counter.
function csv_of(model) {
  const rows = [...model.ladders.values()].flatMap((l) => [...l.problems.values()].flatMap((p) => p.rows.map((m) => ({l, m}))));
  const counters = [...new Set(rows.flatMap(({m}) => Object.keys(m.counters ?? {})))].sort();
  const plain = ["ladder", "rung", "backend", "device", "n", "type", "op", "form", "block", "launches", "right", "result"];
  const head = [...plain, "median_us", "gigabytes_per_second", "predicted_us", ...counters];
  const finite = (value) => (Number.isFinite(value) ? value : "");
  const lines = rows.map(({l, m}) => [...plain.map((key) => (key === "ladder" ? l.name : m[key])), finite(measured_us(m)),
    finite(rate_of(m, measured_us(m))), finite(predicted_us(m)), ...counters.map((name) => m.counters?.[name] ?? "")]);
  return [head, ...lines].map((line) => line.map(csv_cell).join(",")).join("\r\n") + "\r\n";
}

const json_of = (model) => JSON.stringify(Object.fromEntries(model.documents.map((d) => [d.name, d.json])), null, 1);

/// Into the clipboard; where a browser does not let a page do that, into a text to copy from.
async function copy_text(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} is in the clipboard: ${number_text(text.length)} characters.`);
  } catch {
    const area = document.getElementById("copied");
    area.hidden = false;
    area.value = text;
    area.focus();
    area.select();
    say(`${what} is selected below: copy it with Ctrl+C.`);
  }
}

function save_text(text, name, type) {
  const url = URL.createObjectURL(new Blob([text], {type}));
  const link = el("a", {href: url, download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
