// The player: rungs side by side, step by step, with buttons, keys and a bar to scrub.

const player = {panels: [], position: 0, playing: null, speed: 1};
const STEP_MS = 1100;

const walks = new Map();
function walk_named(model, key) {
  if (!walks.has(key)) {
    const at = key.indexOf("/");
    const json = model.ladders.get(key.slice(0, at))?.steps.get(key.slice(at + 1));
    const walk = walk_of(json);
    walks.set(key, {walk, layout: layout_of(walk), network: network_of(walk)});
  }
  return walks.get(key);
}

/// "reduce/sequential" for all rungs whose steps are here.
const steps_in = (model) => [...model.ladders.values()].flatMap((l) => [...l.steps.keys()].map((rung) => `${l.name}/${rung}`));

const last_position = () => Math.max(0, ...player.panels.map((key) => walk_named(page.model, key).walk.steps.length));

/// The first rungs of a ladder, which have most to tell beside each other.
function first_panels(keys) {
  const wanted = ["reduce/modulo", "reduce/strided", "reduce/sequential"].filter((k) => keys.includes(k));
  const scans = ["scan/hillis-steele", "scan/blelloch"].filter((k) => keys.includes(k));
  // Sixteen values lie in sixteen banks: on more the strided rung shows what it is about.
  const wide = wanted.map((k) => `${k}, 64 values`);
  if (wide.length > 1 && wide.every((k) => keys.includes(k))) return wide.slice(innerWidth < 700 ? 1 : 0, innerWidth < 700 ? 2 : 3);
  return (wanted.length > 1 ? wanted : scans.length > 1 ? scans : keys).slice(0, innerWidth < 700 ? 1 : 3);
}

function panel_body({walk, layout, network}, p) {
  const at = Math.min(p, walk.steps.length);
  const doing = doings_at(walk, at);
  const idle = walk.block - doing.workers.size - doing.movers.size;
  const conflicts = sum(walk.steps.slice(0, at).map((s) => number_of(s.bank_conflicts) || 0));
  const said = [`picture ${at} of ${walk.steps.length}`, doing.step && `${doing.workers.size} of ${walk.block} threads work, ${idle} idle`,
    `${conflicts} bank conflicts so far`].filter(Boolean).join(" · ");
  const done = at === walk.steps.length;
  return [
    el("p", {class: "step-heading"}, heading_at(walk, at), doing.step?.taken_by && el("span", {class: "dim"}, ` · by ${doing.step.taken_by}`)),
    network && legend_of([["w1", "exchanges its two keys"], ["w0", "keys were in order"], ["later", "still to come"]]),
    scroller(`Steps of ${walk.title}`, network ? network_at(walk, network, at) : picture_at(walk, layout, at),
      banks_at(walk, at), sectors_at(walk, at)),
    el("p", {class: "dim"}, said, done && el("strong", {class: walk.json.right ? "good" : "bad"},
      ` · ${walk.json.right ? "✓" : "✗"} ${shortened(walk.json.result, 60)}`)),
  ];
}

function draw_player() {
  player.position = Math.max(0, Math.min(player.position, last_position()));
  document.querySelectorAll("#player .player-panel").forEach((node, i) => {
    renew(node.querySelector(".player-body"),
      el("div", {class: "player-body"}, panel_body(walk_named(page.model, player.panels[i]), player.position)));
  });
  const bar = document.getElementById("scrub");
  if (!bar) return;
  bar.max = last_position();
  bar.value = player.position;
  bar.setAttribute("aria-valuetext", `picture ${player.position} of ${last_position()}`);
  document.getElementById("position").textContent = `picture ${player.position} of ${last_position()}`;
  document.getElementById("play").textContent = player.playing ? "Pause" : "Play";
}

function go_to(position) {
  player.position = position;
  draw_player();
}

function stop_playing() {
  clearInterval(player.playing);
  player.playing = null;
}

function start_playing() {
  stop_playing();
  if (player.position >= last_position()) player.position = 0;
  player.playing = setInterval(() => {
    if (player.position >= last_position()) stop_playing();
    else player.position += 1;
    draw_player();
  }, STEP_MS / player.speed);
}

function turn_playing() {
  if (player.playing) stop_playing();
  else start_playing();
  draw_player();
}

/// True where the key was one of the player's.
function player_key(key) {
  const moves = {ArrowRight: () => go_to(player.position + 1), ArrowLeft: () => go_to(player.position - 1),
    Home: () => go_to(0), End: () => go_to(last_position()), " ": turn_playing};
  if (!moves[key] || !player.panels.length) return false;
  if (key !== " ") stop_playing();
  moves[key]();
  return true;
}

function set_panels(keys) {
  player.panels = keys;
  const list = document.getElementById("panels");
  list.replaceChildren(...keys.map((key, i) => el("article", {class: "player-panel", "aria-label": `Steps of ${key}`},
    el("div", {class: "toolbar"}, select_of("Rung", steps_in(page.model).map((k) => [k, k]), key,
      (chosen) => set_panels(keys.map((k, j) => (i === j ? chosen : k)))),
    keys.length > 1 && button_of("✕", () => set_panels(keys.filter((_, j) => j !== i)), {"aria-label": `Take ${key} away`})),
    el("div", {class: "player-body"}))));
  draw_player();
}

function play_rung(ladder, rung) {
  player.position = 0;
  set_panels([`${ladder}/${rung}`]);
  document.getElementById("player").scrollIntoView({block: "start"});
  document.getElementById("play").focus({preventScroll: true});
}

function player_section(model) {
  walks.clear();
  const keys = steps_in(model);
  if (!keys.length) return null;
  const control = (text, label, act) => button_of(text, () => { stop_playing(); act(); }, {"aria-label": label});
  const scrub = el("input", {type: "range", id: "scrub", min: 0, value: 0, "aria-label": "Position",
    input: (e) => { stop_playing(); go_to(Number(e.target.value)); }});
  return section_of("player", "The player",
    el("p", {}, "The kernel itself, watched on a few values. Steps that use the operator are numbered; others only move values. Arrow keys step, space plays; Home and End go to the ends."),
    el("div", {class: "toolbar controls", role: "group", "aria-label": "Player"},
      control("|◂", "To the beginning", () => go_to(0)), control("◂", "Step back", () => go_to(player.position - 1)),
      button_of("Play", turn_playing, {id: "play"}), control("▸", "Step", () => go_to(player.position + 1)),
      control("▸|", "To the end", () => go_to(last_position())), scrub, el("span", {id: "position", class: "dim"}),
      select_of("Speed", [["0.5", "½×"], ["1", "1×"], ["2", "2×"], ["4", "4×"]], "1",
        (speed) => { player.speed = Number(speed); if (player.playing) start_playing(); }),
      button_of("Add a rung beside", () => set_panels([...player.panels, keys[(keys.indexOf(player.panels.at(-1)) + 1) % keys.length]]))),
    legend_of([["w0", "works (colour: its warp)"], ["t0", "only moves a value"], ["idle", "idle"], ["bad", "bank conflict"],
      ["written", "written in this step"]]),
    el("div", {id: "panels"}));
}
