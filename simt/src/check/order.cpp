// What orders accesses: barriers, warp operations, fences, and what is released and taken.
#include <algorithm>
#include <bit>
#include <utility>

#include "simt/src/check/checker.hpp"
#include "simt/src/run/tls.hpp"

namespace simt::detail {

namespace {

constexpr std::size_t releases_per_block = 8, blocks_remembered = std::size_t{1} << 17;

}  // namespace

bool release_mark::covers(const access_mark& m) const {
  return m.stamp <= in_block || (m.thread() == thread && m.stamp <= own) ||
         (m.thread() / warp_size == thread / warp_size && m.stamp <= in_warp) ||
         (fenced && m.stamp <= (*fenced)[m.thread()]);
}

std::uint32_t release_mark::last() const {
  const std::uint32_t of_others = fenced ? *std::max_element(fenced->begin(), fenced->end()) : 0;
  return std::max({own, in_warp, in_block, of_others});
}

void checker::publish(block_check& b, release_mark mark) {
  const hooks_disabled quiet;
  mark.fenced = std::exchange(b.fenced, nullptr);
  b.published = std::max(b.published, mark.last());
  const std::scoped_lock lock(mutex);
  if (released.size() >= blocks_remembered) {
    released.clear();
    forgot = true;
  }
  auto& marks = released[b.id];
  if (marks.size() == releases_per_block) {  // the two oldest become one, as of the first
    release_mark& m = marks[1];
    m.order = marks[0].order;
    m.narrow = m.narrow && marks[0].narrow;
    m.in_block = std::max(m.last(), marks[0].last());
    marks.erase(marks.begin());
  }
  mark.order = ++releases;
  marks.push_back(mark);
}

bool checker::covers(const access_mark& m, std::uint32_t by, std::uint64_t acquired,
                     ordered_before& memo) {
  const std::scoped_lock lock(mutex);
  const auto of_block = released.find(m.block);
  if (of_block == released.end()) return forgot;
  return std::any_of(of_block->second.begin(), of_block->second.end(), [&](const auto& r) {
    if (r.order > acquired || (r.narrow && by != m.block)) return false;
    if (m.stamp <= r.in_block) memo = {m.block, r.in_block, r.order};
    return r.covers(m);
  });
}

open_pages& checker::pages_of(const worker& w) {
  const std::scoped_lock lock(mutex);
  return pages.try_emplace(&w, id).first->second;
}

namespace {

/// What the checker keeps of a cluster from launch to launch; new when the launches' numbers have
/// begun again.
std::shared_ptr<cluster_check> attached_to(cluster& c, unsigned generation) {
  auto known = std::static_pointer_cast<cluster_check>(c.attached);
  if (known != nullptr && known->generation == generation) return known;
  auto fresh = std::make_shared<cluster_check>();
  fresh->generation = generation;
  fresh->blocks.resize(c.blocks.size());
  for (const block& b : c.blocks) {
    block_check& k = fresh->blocks[b.rank];
    k.cells = std::make_unique<lazy_array<shared_cell>>(shared_stride / 4);
    k.warps.resize(b.warps.size());
  }
  c.attached = fresh;
  return fresh;
}

void begin(block_check& k, unsigned threads) {
  k.met = 0;
  k.published = 0;
  k.fences = k.passes = false;
  k.fenced.reset();
  k.pending = false;
  k.acquired = 0;
  k.lanes.assign(k.warps.size() * warp_size, {});
  k.decided_at = k.held.address = 0;
  k.looked.clear();
  k.looks = 0;
  k.guesses.fill(nullptr);
  k.ordered.fill({});
  for (warp_check& w : k.warps) {
    w.whole = threads >= warp_size ? ~0U : (1U << threads) - 1;
    threads -= std::min(threads, warp_size);
    w.met = 0;
    w.pending = false;
    w.acquired = 0;
    w.known.reset();
  }
}

}  // namespace

void checker::cluster_begins(cluster& c, const grid&, std::uint64_t number) {
  const auto own = attached_to(c, generation);
  own->clock = 1;
  own->met = 0;
  open_pages& of_worker = pages_of(*c.worker);
  for (block& b : c.blocks) {
    block_check& k = own->blocks[b.rank];
    k.launch = this;
    k.cluster = own.get();
    k.pages = &of_worker;
    k.id = static_cast<std::uint32_t>(number * c.blocks.size() + b.rank);
    begin(k, c.threads_per_block);
    b.attached = &k;
  }
}

void checker::lane_leaves(lane& self) {
  settle(check_of(self));
  if (!tls.logging) self.keep_last(worker_of(self).unread.data(), tls.guard_cursor);
}

void checker::comes_to(const void* barrier) {
  block_check& b = check_of(*tls.current);
  b.passes = true;
  b.lanes[tls.warp->index * warp_size + tls.current->index].waits_at = barrier;
}

void checker::passes(const void* barrier) {
  block_check& b = check_of(*tls.current);
  lane_check& me = b.lanes[tls.warp->index * warp_size + tls.current->index];
  b.passes = true;
  auto known = std::find_if(me.passed.begin(), me.passed.end(),
                            [=](const passing& p) { return p.barrier == barrier; });
  if (known == me.passed.end()) {
    std::rotate(me.passed.begin(), me.passed.end() - 1, me.passed.end());
    known = me.passed.begin();
    *known = {barrier, 0};
  }
  ++known->times;
}

void checker::block_barrier(const block& b) {
  block_check& c = check_of(b);
  if (notes && b.live < b.threads) note_exits(b);
  if (std::exchange(c.passes, false)) note_passing(b);
  c.met = c.cluster->clock++;
  if (std::exchange(c.fences, false)) {
    const hooks_disabled quiet;
    fenced_accesses all;
    for (const lane_check& l : c.lanes) all.push_back(l.wide.own);
    c.fenced = std::make_shared<const fenced_accesses>(std::move(all));
  }
  if (!c.pending) return;
  c.acquired = releases.load();
  c.pending = false;
}

void checker::some_of_block_met(const block& b) {
  block_check& c = check_of(b);
  c.met = c.cluster->clock++;
}

void checker::cluster_barrier(const cluster& c) {
  cluster_check& k = *check_of(c.blocks.front()).cluster;
  k.met = k.clock++;
  for (block_check& b : k.blocks) {
    b.met = k.met;
    b.acquired = releases.load();
  }
}

/// Every block releases all that it knows, after its own barrier and by its first thread.
void checker::grid_arrival(const block& b) {
  block_check& c = check_of(b);
  publish(c, {0, 0, c.met, c.met, c.met});
}

/// It acquires all that was released.
void checker::grid_departure(const block& b) { check_of(b).acquired = releases.load(); }

void checker::warp_operation(const warp& w, const collective& meeting, bool) {
  block_check& b = check_of(*w.block);
  warp_check& c = b.warps[w.index];
  const std::uint32_t mask = meeting.mask & c.whole;  // who has ended does nothing any more
  const std::uint32_t now = b.cluster->clock++;
  if (c.pending) {  // for all of the warp, though only some of it may have met
    c.acquired = releases.load();
    c.pending = false;
  }
  if (w.lanes[static_cast<unsigned>(std::countr_zero(meeting.arrived))].at.what ==
      intrinsic::syncwarp) {
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto l = static_cast<unsigned>(std::countr_zero(rest));
      b.lanes[w.index * warp_size + l].synced = now;
    }
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

void checker::fence() {
  block_check& b = check_of(*tls.current);
  const std::uint32_t thread = tls.warp->index * warp_size + tls.current->index;
  lane_check& me = b.lanes[thread];
  const warp_check& w = b.warps[thread / warp_size];
  me.any = {b.cluster->clock++, w.met, b.met};
  if (w.known) {
    const auto& knows = (*w.known)[thread % warp_size];
    me.any.in_warp = std::max(me.any.in_warp, *std::max_element(knows.begin(), knows.end()));
  }
  me.released = false;
  me.flags = true;
  if (std::exchange(me.block_scope, false)) return;
  me.wide = me.any;
  b.fences = true;
}

void checker::release() {
  fence();
  block_check& b = check_of(*tls.current);
  const std::uint32_t thread = tls.warp->index * warp_size + tls.current->index;
  lane_check& me = b.lanes[thread];
  me.released = true;
  me.flags = false;
  publish(b, {0, thread, me.wide.own, me.wide.in_warp, me.wide.in_block});
}

void checker::acquire() {
  block_check& b = check_of(*tls.current);
  lane_check& me = b.lanes[tls.warp->index * warp_size + tls.current->index];
  me.acquired = releases.load();
  me.pending = false;
}

void checker::block_scope() {
  check_of(*tls.current).lanes[tls.warp->index * warp_size + tls.current->index].block_scope = true;
}

void checker::atomic_compares(std::uintptr_t) {
  check_of(*tls.current).lanes[tls.warp->index * warp_size + tls.current->index].compares = true;
}

void checker::atomic_word(std::uintptr_t address, bool release) {
  lane_check& me = check_of(*tls.current).lanes[tls.warp->index * warp_size + tls.current->index];
  const bool narrow = me.block_scope;
  if (release) fence();
  me.block_scope = narrow;
  me.word = address;
  me.flags = false;
}

/// Volatile accesses of device memory are relaxed atomics. Threads of a block that go on alone in
/// shared memory trust in a lockstep that is not there, or have forgotten a barrier.
void checker::volatile_access(std::uintptr_t address, bool decides) {
  if (address - tls.shared_base < shared_stride || address - tls.cluster_base < tls.cluster_bytes) {
    return;
  }
  lane_check& me = check_of(*tls.current).lanes[tls.warp->index * warp_size + tls.current->index];
  me.strong = address;
  me.polls = decides;
}

}  // namespace simt::detail
