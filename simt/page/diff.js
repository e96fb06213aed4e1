// Two sources side by side.

/// The longest common subsequence as [i, j] pairs.
function common_lines(a, b) {
  const longest = Array.from({length: a.length + 1}, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; --i) {
    for (let j = b.length - 1; j >= 0; --j) {
      longest[i][j] = a[i] === b[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  const pairs = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (longest[i + 1][j] >= longest[i][j + 1]) ++i;
    else ++j;
  }
  return pairs;
}

/// Rows of {left, right}, line indices or null: what was taken away beside what came in its place.
function diff_rows(a, b) {
  const rows = [];
  let i = 0, j = 0;
  const flush = (to_i, to_j) => {
    while (i < to_i || j < to_j) {
      rows.push({left: i < to_i ? i++ : null, right: j < to_j ? j++ : null, changed: true});
    }
  };
  for (const [left, right] of [...common_lines(a, b), [a.length, b.length]]) {
    flush(left, right);
    if (left < a.length) rows.push({left: i++, right: j++, changed: false});
  }
  return rows;
}

/// Unchanged lines far from any change are left out.
function near_changes(rows, context = 4) {
  return rows.map((_, at) => rows.slice(Math.max(0, at - context), at + context + 1).some((r) => r.changed));
}

/// [{number, text, key}] of the lines about the kernel. Lines with the same key are the same: a
/// kernel's own name is none of its changes.
function lines_to_compare(text) {
  const lines = lines_of(text), beside = lines_beside_kernel(lines);
  const own = /__global__[^(]*\bvoid\s+(\w+)\s*\(/.exec(text)?.[1];
  return lines.map((line, i) => ({number: i + 1, text: line, key: own ? line.replaceAll(own, "kernel") : line}))
    .filter((_, i) => !beside.has(i + 1));
}

/// Where there is no room for two columns, what came stands below what went.
function stacked(rows) {
  const out = [];
  for (let i = 0; i < rows.length;) {
    if (!rows[i].changed) { out.push(rows[i++]); continue; }
    let end = i;
    while (end < rows.length && rows[end].changed) ++end;
    const part = rows.slice(i, end);
    out.push(...part.filter((r) => r.left !== null).map((r) => ({...r, right: null})),
      ...part.filter((r) => r.right !== null).map((r) => ({...r, left: null})));
    i = end;
  }
  return out;
}

function diff_view(before, after) {
  const a = lines_to_compare(before.text), b = lines_to_compare(after.text);
  const narrow = innerWidth < 900;
  const all = diff_rows(a.map((l) => l.key), b.map((l) => l.key));
  const rows = narrow ? stacked(all) : all, shown = near_changes(rows);
  const side = (line, kind) => [el("td", {class: "line-number"}, line?.number ?? ""),
    el("td", {class: `code ${line ? kind : ""}`}, line ? code_of(line.text) : "")];
  const cells = (left, right, changed) => (!narrow ? [side(left, changed ? "removed" : ""), side(right, changed ? "added" : "")]
    : side(right ?? left, !changed ? "" : right ? "added" : "removed"));
  const body = [];
  rows.forEach((row, at) => {
    if (!shown[at]) {
      if (at === 0 || shown[at - 1]) body.push(el("tr", {class: "gap"}, el("td", {colspan: narrow ? 2 : 4}, "…")));
      return;
    }
    body.push(el("tr", {}, cells(a[row.left], b[row.right], row.changed)));
  });
  const heads = [before, after].map((f) => file_name(f.file));
  return scroller("Difference to the rung before", el("table", {class: "diff"},
    el("thead", {}, el("tr", {}, narrow ? el("th", {scope: "col", colspan: 2}, heads.join(" → "))
      : heads.map((name) => el("th", {scope: "col", colspan: 2}, name)))), el("tbody", {}, body)));
}
