"""The player: forward and back to the same picture, by keys alone, as fast as frames go."""
from conftest import documents_in, text, texts, wait_until


def picture(tab):
    return tab.eval_on_selector("#panels", "(n) => n.innerHTML")


def test_stepping_forward_and_back_comes_to_the_same_pictures(open_page):
    tab = open_page("all.html")
    last = int(text(tab, "#position").split(" of ")[1])
    assert last > 3
    seen = [picture(tab)]
    for _ in range(last):
        tab.keyboard.press("ArrowRight")
        seen.append(picture(tab))
    assert len(set(seen)) == last + 1, "each step is a picture of its own"
    for step in reversed(range(last)):
        tab.keyboard.press("ArrowLeft")
        assert picture(tab) == seen[step], f"step {step}"
    tab.keyboard.press("End")
    assert picture(tab) == seen[last]
    tab.keyboard.press("Home")
    assert picture(tab) == seen[0]


def test_space_plays_and_pauses(open_page):
    tab = open_page("all.html")
    tab.evaluate("() => { player.speed = 50; }")
    tab.keyboard.press("Space")
    wait_until(tab, "player.position === last_position() && !player.playing")
    tab.evaluate("() => { player.speed = 0.1; }")
    tab.keyboard.press("Space")
    assert text(tab, "#play") == "Pause"
    tab.keyboard.press("Space")
    assert text(tab, "#play") == "Play"


def test_the_last_step_of_every_rung_shows_its_result(open_page):
    tab = open_page("all.html")
    steps = [d for d in documents_in(tab) if d.get("steps") and d.get("arrays")]
    assert len(steps) > 30
    keys = tab.evaluate("steps_in(page.model)")
    assert len(keys) == len(steps)
    for key in keys:
        result = tab.evaluate("""(k) => {
          set_panels([k]);
          go_to(last_position());
          return String(walk_named(page.model, k).walk.json.result);
        }""", key)
        assert f"✓ {result}"[:40] in "".join(texts(tab, ".player-body")), key


def test_banks_stack_up_as_the_machine_counted(open_page):
    tab = open_page("all.html")
    wrong = tab.evaluate("""steps_in(page.model).flatMap((key) => {
      const {walk} = walk_named(page.model, key);
      return walk.steps.flatMap((s, i) => requests_of(s, "shared")
        .filter((r) => r.what !== "atomic" && conflicts_of(walk, r) !== (r.conflicts ?? 0))
        .map((r) => `${key} step ${i}: ${conflicts_of(walk, r)}, not ${r.conflicts ?? 0}`));
    })""")
    assert wrong == []
    most = tab.evaluate("""() => {
      const {walk} = walk_named(page.model, "reduce/strided, 64 values");
      return Math.max(...walk.steps.map((s) => s.bank_conflicts ?? 0));
    }""")
    assert most > 0


def test_the_first_picture_of_the_strided_rung_ends_with_conflicts(open_page):
    tab = open_page("all.html")
    tab.keyboard.press("End")
    said = [t for t in texts(tab, ".player-body") if "bank conflicts so far" in t]
    assert any(" 0 bank conflicts" not in t for t in said), said


def test_a_bitonic_sort_is_a_network_whose_keys_end_sorted(open_page):
    tab = open_page("all.html")
    keys = tab.evaluate("""() => {
      set_panels(["sort/bitonic-shared"]);
      go_to(last_position());
      const changed = [...document.querySelectorAll("#panels .value.changed")];
      return changed.map((n) => Number(n.textContent));
    }""")
    assert len(keys) >= 8
    assert keys == sorted(keys)


def test_the_keyboard_alone_reaches_everything(open_page):
    tab = open_page("all.html")
    wanted = tab.evaluate("""() => {
      const names = "a[href], button:not(:disabled), select, input, summary, [tabindex='0']";
      const all = [...document.querySelectorAll(names)].filter((n) => n.tabIndex >= 0 &&
        n.getClientRects().length && !n.closest("details:not([open]) > :not(summary)"));
      all.forEach((n, i) => { n.dataset.stop = i; });
      return all.length;
    }""")
    reached = set()
    for _ in range(wanted + 5):
        tab.keyboard.press("Tab")
        reached.add(tab.evaluate("document.activeElement.dataset.stop ?? null"))
    assert len(reached - {None}) == wanted
    tab.focus("#ladder tbody .link")
    tab.keyboard.press("Enter")
    assert text(tab, "#rung h3").startswith("reduce/00")


def test_a_key_draws_the_player_once(open_page):
    """One layout a key, no node made twice, and none outside the player."""
    tab = open_page("all.html")
    client = tab.context.new_cdp_session(tab)
    client.send("Performance.enable")

    def layouts():
        metrics = client.send("Performance.getMetrics")["metrics"]
        return [m["value"] for m in metrics if m["name"] in ("LayoutCount", "RecalcStyleCount")]

    tab.keyboard.press("Home")
    before = layouts()
    keys = tab.evaluate("""() => {
      const player = document.getElementById("player");
      const size = (node) => 1 + [...node.childNodes].reduce((sum, child) => sum + size(child), 0);
      const drawn = new MutationObserver(() => {});
      drawn.observe(document, {subtree: true, childList: true});
      const keys = [];
      for (let i = 0; i < last_position(); ++i) {
        player_key("ArrowRight");
        document.getElementById("panels").getBoundingClientRect();
        const records = drawn.takeRecords();
        keys.push({
          made: records.flatMap((r) => [...r.addedNodes]).reduce((sum, node) => sum + size(node), 0),
          player: size(player),
          outside: records.filter((r) => !player.contains(r.target)).length,
        });
      }
      return keys;
    }""")
    assert [after - b for after, b in zip(layouts(), before)] == [len(keys)] * 2
    assert len(keys) > 1
    for key in keys:
        assert 0 < key["made"] < key["player"]
        assert key["outside"] == 0


def test_a_step_keeps_the_place_that_one_has_scrolled_to(open_page):
    place = open_page("all.html", width=400).evaluate("""() => {
      const picture = () => document.querySelector("#panels .scroll");
      picture().scrollLeft = 40;
      player_key("ArrowRight");
      return picture().scrollLeft;
    }""")
    assert place == 40
