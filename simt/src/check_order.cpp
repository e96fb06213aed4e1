// What orders accesses: barriers, warp operations, fences, and what is released and taken.
#include <algorithm>
#include <bit>

#include "check.hpp"

namespace simt::detail {

namespace {

constexpr std::size_t releases_per_block = 8, blocks_remembered = std::size_t{1} << 17;

}  // namespace

void launch_check::publish(std::uint32_t block, release_mark mark) {
  const std::scoped_lock lock(mutex);
  if (released.size() >= blocks_remembered) {
    released.clear();
    forgot = true;
  }
  auto& marks = released[block];
  if (marks.size() == releases_per_block) {  // the two oldest become one, as of the first
    release_mark& m = marks[1];
    m.order = marks[0].order;
    m.in_block =
        std::max({m.own, m.in_warp, m.in_block, marks[0].own, marks[0].in_warp, marks[0].in_block});
    marks.erase(marks.begin());
  }
  mark.order = ++releases;
  marks.push_back(mark);
}

bool launch_check::covers(const access_mark& m, std::uint64_t acquired) {
  const std::scoped_lock lock(mutex);
  const auto of_block = released.find(m.block);
  if (of_block == released.end()) return forgot;
  return std::any_of(of_block->second.begin(), of_block->second.end(), [&](const auto& r) {
    return r.order <= acquired &&
           (m.stamp <= r.in_block || (m.thread() == r.thread && m.stamp <= r.own) ||
            (m.thread() / warp_size == r.thread / warp_size && m.stamp <= r.in_warp));
  });
}

open_pages& launch_check::pages_of(const worker& w) {
  const std::scoped_lock lock(mutex);
  return pages.try_emplace(&w, id).first->second;
}

void begin_check(group& g, const grid& of, std::uint64_t index) {
  const bool fresh = !g.check || g.check->generation != of.check->generation;
  if (fresh) {
    g.check = std::make_shared<group_check>();
    g.check->generation = of.check->generation;
    g.check->blocks.resize(g.blocks.size());
  }
  group_check& c = *g.check;
  c.clock = 1;
  c.met = 0;
  open_pages& pages = of.check->pages_of(*g.home);
  for (block& b : g.blocks) {
    block_check& k = c.blocks[b.rank];
    if (fresh) {
      k.cells = std::make_unique<lazy_array<shared_cell>>(shared_stride / 4);
      k.warps.resize(b.warps.size());
    }
    k.launch = of.check.get();
    k.home = &c;
    k.pages = &pages;
    k.id = static_cast<std::uint32_t>(index * g.blocks.size() + b.rank);
    k.met = 0;
    k.pending = false;
    k.acquired = 0;
    k.lanes.assign(b.warps.size() * warp_size, {});
    k.looked.clear();
    k.looks = 0;
    k.guesses.fill(nullptr);
    unsigned left = g.threads_per_block;
    for (warp_check& w : k.warps) {
      w.whole = left >= warp_size ? ~0U : (1U << left) - 1;
      left -= std::min(left, warp_size);
      w.met = 0;
      w.pending = false;
      w.acquired = 0;
      w.known.reset();
    }
    b.check = &k;
  }
}

void check_block_barrier(const block& b) {
  block_check& c = *b.check;
  c.met = c.home->clock++;
  if (!c.pending) return;
  c.acquired = c.launch->releases.load();
  c.pending = false;
}

void check_cluster_barrier(const group& g) {
  group_check& c = *g.check;
  c.met = c.clock++;
  for (block_check& b : c.blocks) {
    b.met = c.met;
    b.acquired = b.launch->releases.load();
  }
}

void check_meeting(const warp& w, std::uint32_t mask) {
  block_check& b = *w.home->check;
  warp_check& c = b.warps[w.index];
  const std::uint32_t now = b.home->clock++;
  if (c.pending) {  // for all of the warp, though only some of it may have met
    c.acquired = b.launch->releases.load();
    c.pending = false;
  }
  if (mask == c.whole) {
    c.met = now;
    return;
  }
  if (!c.known) {
    c.known = std::make_unique<std::array<std::array<std::uint32_t, warp_size>, warp_size>>();
    for (auto& lane : *c.known) lane.fill(0);
  }
  std::array<std::uint32_t, warp_size> all{};
  const auto for_each_lane = [mask](auto f) {
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) f(std::countr_zero(rest));
  };
  for_each_lane([&](int l) {
    const auto& knows = (*c.known)[static_cast<std::size_t>(l)];
    for (unsigned k = 0; k < warp_size; ++k) all[k] = std::max(all[k], knows[k]);
  });
  for_each_lane([&](int l) { all[static_cast<std::size_t>(l)] = now; });
  for_each_lane([&](int l) { (*c.known)[static_cast<std::size_t>(l)] = all; });
}

void check_fence() {
  block_check& b = *hot.check;
  const std::uint32_t thread = hot.at->index * warp_size + hot.current->index;
  lane_check& me = b.lanes[thread];
  const warp_check& w = b.warps[thread / warp_size];
  me.own = b.home->clock++;
  me.in_warp = w.met;
  if (w.known) {
    const auto& knows = (*w.known)[thread % warp_size];
    me.in_warp = std::max(me.in_warp, *std::max_element(knows.begin(), knows.end()));
  }
  me.in_block = b.met;
  me.told = false;
  me.flags = true;
}

}  // namespace simt::detail
