// The page: its sections in their order, keys, files that are dropped on it.

const page = {documents: [], model: null};

function title_of(model) {
  const ladders = [...model.ladders.values()].map((l) => l.name);
  const kernels = sum(model.reports.map((r) => list_of(r.json.kernels).length));
  return [ladders.length && `the ladder${ladders.length > 1 ? "s" : ""} ${ladders.join(", ")}`, kernels && `${kernels} kernels of one's own`]
    .filter(Boolean).join(" · ") || "nothing yet: drop a file on this page";
}

function render() {
  stop_playing();
  page.model = model_of(page.documents);
  const {model} = page;
  const sections = [ladder_section, rung_section, player_section, kernels_section, findings_section, roofline_section, growth_section, streams_section, about_section]
    .map((make) => make(model)).filter(Boolean);
  document.getElementById("main").replaceChildren(...sections);
  document.getElementById("subtitle").textContent = title_of(model);
  document.getElementById("sections").replaceChildren(...sections.map((s) => el("li", {}, el("a", {href: `#${s.id}`}, s.dataset.title))));
  redraw_rung();
  const keys = steps_in(model);
  if (keys.length) set_panels(first_panels(keys));
}

/// What can't be drawn leaves what was there.
function show(documents) {
  const before = page.documents;
  page.documents = documents;
  state.rung = state.problem = state.metric = null;
  player.position = 0;
  try {
    render();
    return true;
  } catch (problem) {
    page.documents = before;
    render();
    say(`${documents.map((d) => shortened(d.name, 60)).join(", ")}: can't be shown, something in it is not as docs/json.md has it (${shortened(problem.message, 120)})`, true);
    return false;
  }
}

async function open_files(files) {
  const found = [];
  for (const file of files) {
    try {
      found.push(document_of(file.name, await file.text()));
    } catch (problem) {
      say(problem.message, true);
      return;
    }
  }
  if (found.length && show(found)) say(`Shown: ${found.map((d) => shortened(d.name, 60)).join(", ")}.`);
}

/// A text field, a list or a slider has its own keys, and a button its space.
function has_own_keys(target, key) {
  if (target.closest("select, textarea, input:not([type=range])")) return true;
  if (target.closest("[role=tablist], .scroll") && key !== " ") return true;
  return key === " " && Boolean(target.closest("button, summary, a, label"));
}

function turn_theme() {
  const dark = document.documentElement.dataset.theme === "dark" ||
    (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  document.getElementById("theme").textContent = dark ? "Dark" : "Light";
}

function go_to_address() {
  const [, where, ladder, rung] = /^#(rung)\/([^/]*)\/(.*)$/.exec(location.hash) ?? [];
  if (!where) return;
  const [l, r] = [ladder, rung].map(decodeURIComponent);
  if (page.model.ladders.has(l)) open_rung(l, r);
}

document.getElementById("open").addEventListener("change", (e) => open_files([...e.target.files]));
document.getElementById("theme").addEventListener("click", turn_theme);
document.addEventListener("dragover", (e) => e.preventDefault());
document.addEventListener("drop", (e) => {
  e.preventDefault();
  open_files([...e.dataTransfer.files]);
});
document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || has_own_keys(e.target, e.key)) return;
  if (player_key(e.key)) e.preventDefault();
});

if (matchMedia("(prefers-color-scheme: dark)").matches) document.getElementById("theme").textContent = "Light";
try {
  show(embedded_documents());
} catch (problem) {
  say(problem.message, true);
}
go_to_address();
