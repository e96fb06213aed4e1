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

function diff_view(before, after) {
  const a = before.text.replace(/\n$/, "").split("\n"), b = after.text.replace(/\n$/, "").split("\n");
  const rows = diff_rows(a, b), shown = near_changes(rows);
  const side = (lines, index, kind) => [
    el("td", {class: "line-number"}, index === null ? "" : index + 1),
    el("td", {class: `code ${kind}`}, index === null ? "" : code_of(lines[index])),
  ];
  const body = [];
  rows.forEach((row, at) => {
    if (!shown[at]) {
      if (at === 0 || shown[at - 1]) body.push(el("tr", {class: "gap"}, el("td", {colspan: 4}, "…")));
      return;
    }
    body.push(el("tr", {}, side(a, row.left, row.changed && row.left !== null ? "removed" : ""),
      side(b, row.right, row.changed && row.right !== null ? "added" : "")));
  });
  return scroller("Difference to the rung before", el("table", {class: "diff"},
    el("thead", {}, el("tr", {}, el("th", {scope: "col", colspan: 2}, file_name(before.file)),
      el("th", {scope: "col", colspan: 2}, file_name(after.file)))), el("tbody", {}, body)));
}
