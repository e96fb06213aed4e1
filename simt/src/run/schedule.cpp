// Which lane runs next. Lanes switch to each other directly; the worker's own context is entered
// only when no lane of the running cluster can go on.
#include <bit>
#include <cstdint>
#include <exception>
#include <string_view>

#include "simt/src/run/model.hpp"

namespace simt::detail {

namespace {

/// The index of one set bit: in ascending order the lowest at or above `from`, in descending order
/// the highest at or below it, wrapping; else a random one, of `last` only if there is no other.
unsigned pick_bit(std::uint32_t bits, unsigned from, std::uint32_t last, worker& w) {
  switch (w.order) {
    case run_order::ascending: {
      const std::uint32_t above = bits & (~0U << from);
      return static_cast<unsigned>(std::countr_zero(above != 0 ? above : bits));
    }
    case run_order::descending: {
      const std::uint32_t below = bits & (~0U >> (31 - from));
      return 31U - static_cast<unsigned>(std::countl_zero(below != 0 ? below : bits));
    }
    default: break;
  }
  if ((bits & ~last) != 0) bits &= ~last;
  auto skip = w.random() % static_cast<unsigned>(std::popcount(bits));
  for (; skip != 0; --skip) bits &= bits - 1;
  return static_cast<unsigned>(std::countr_zero(bits));
}

lane& pick_lane(warp& at, worker& w) {
  const unsigned from = w.order == run_order::descending ? warp_size - 1 : 0;
  return at.lanes[pick_bit(at.ready, from, w.last_lane, w)];
}

block* pick_block(group& g, block& current, worker& w) {
  const bool varied = w.order >= run_order::random;
  if (current.ready_warps != 0 && (g.blocks.size() == 1 || !varied)) return &current;
  const std::size_t first = varied ? w.random() % g.blocks.size() : current.rank;
  for (std::size_t i = 0; i < g.blocks.size(); ++i) {
    block& b = g.blocks[(first + i) % g.blocks.size()];
    if (b.ready_warps != 0) return &b;
  }
  return nullptr;
}

/// The next lane to run once `last` can't go on in its warp, or nullptr.
[[gnu::noinline]] lane* pick(worker& w, lane& last) {
  warp* at = last.home;
  // Those that part at a branch and then converge may meet the others again: nothing is counted.
  if (at->ready == 0 && at->converging != 0 && at->spinning == 0) converge(*at);
  if (w.counts && at->ready == 0) w.trace.drain(*at);
  if (w.job->stop.load(std::memory_order_relaxed)) return nullptr;
  if (at->ready == 0 || w.order >= run_order::random) {
    block* const b = pick_block(*w.running, *at->home, w);
    if (b == nullptr) return nullptr;
    at = &b->warps[pick_bit(b->ready_warps, at->index, w.last_warp, w)];
  }
  return &pick_lane(*at, w);
}

/// Points the hooks at `next`, or at nothing.
void aim_hooks(worker& w, lane* next) {
  if (next == nullptr) return hush_hooks();
  hot.current = next;
  hot.at = next->home;
  const block& b = *next->home->home;
  hot.counting = w.counts;
  hot.restless = w.order >= run_order::random;
  hot.check = b.check;
  hot.watch = w.job->watch.get();
  hot.watching = hot.counting || hot.check != nullptr || hot.watch != nullptr;
  hot.shared_base = reinterpret_cast<std::uintptr_t>(b.shared);
  hot.group_base = reinterpret_cast<std::uintptr_t>(b.home->memory);
  hot.group_bytes = b.home->blocks.size() * shared_stride;
  if (hot.counting) {
    if (!next->home->log) w.trace.open(*next->home);
    const lane_log& log = (*next->home->log)[next->index];
    hot.guard_begin = log.guards.begin.get();
    hot.guard_cursor = log.guards.cursor;
    hot.guard_limit = log.guards.limit;
    hot.memory_cursor = log.memory.cursor;
    hot.memory_limit = log.memory.limit;
  } else {
    hot.guard_cursor = w.unread.data();
    hot.guard_limit = w.unread.data() + w.unread.size();
  }
}

void save_cursors(lane& self) {
  if (!hot.counting) {
    const worker& w = *self.home->home->home->home;
    if (hot.check != nullptr) keep_last(self, w.unread.data(), hot.guard_cursor);
    return;
  }
  if (!self.home->log) return;
  lane_log& log = (*self.home->log)[self.index];
  log.guards.cursor = hot.guard_cursor;
  log.memory.cursor = hot.memory_cursor;
}

fiber& fiber_of(lane& l) { return l.home->fibers[l.index]; }

/// The life of a fiber: one thread after the other of whatever grid runs.
void live() {
  lane& self = *hot.current;
  for (;;) {
    const grid& g = *self.home->home->home->home->job;
    std::exception_ptr thrown;
    try {
      g.body(g.arguments);
    } catch (...) {
      thrown = std::current_exception();
    }
    if (thrown) fail_thrown(self, thrown);
    end_lane(self);
    switch_away();
  }
}

}  // namespace

std::uintptr_t last_position(const lane& l) {
  const warp& w = *l.home;
  const std::uint32_t* begin = nullptr;
  const std::uint32_t* end = nullptr;
  if (w.log) {
    begin = (*w.log)[l.index].guards.begin.get();
    end = (*w.log)[l.index].guards.cursor;
  }
  if (&l == hot.current) {
    if (!w.log) begin = home_of(l).home->home->unread.data();
    end = hot.guard_cursor;
  }
  const auto entered = end - begin;
  const std::uint32_t last = entered != 0 ? end[-1] : l.carry;
  const std::uint32_t before = entered > 1 ? end[-2] : entered == 1 ? l.carry : l.before;
  const bool ended = (w.live >> l.index & 1) == 0;
  return position_of_block(ended && before != 0 ? before : last);
}

void reset_fiber(lane& l, std::byte* stack_top, std::size_t size) {
  fiber_of(l) = make_fiber(stack_top, size, live);
}

namespace {

/// Its stack is on the way while another lane runs.
[[gnu::always_inline]] inline void prefetch(fiber soon) {
  const auto* const top = static_cast<const char*>(soon);
  for (std::size_t line = 0; line < 4; ++line) __builtin_prefetch(top + line * 64);
}

void take(lane& next) {
  warp& at = *next.home;
  at.ready &= ~(1U << next.index);
  if (at.ready == 0) at.home->ready_warps &= ~(1U << at.index);
}

[[gnu::noinline]] void switch_far(lane& self) {
  worker& w = *self.home->home->home->home;
  if (w.watches && overflowed(self)) fail_stack(self);
  if (hot.watch != nullptr) watch_leaving(self);
  save_cursors(self);
  hush_hooks();
  lane* const next = pick(w, self);
  if (next != nullptr) take(*next);
  aim_hooks(w, next);
  if (next == &self) return;
  switch_fiber(fiber_of(self), next != nullptr ? fiber_of(*next) : w.home);
}

// Inlined into every word that waits: each frame below a kernel is memory touched at every switch.
[[gnu::always_inline]] inline void switch_from(lane& self, warp& at) {
  const auto own = static_cast<std::size_t>(&self - at.lanes.data());
  if (static_cast<std::byte*>(__builtin_frame_address(0)) < at.stacks + own * stack_bytes) {
    fail_stack(self);
  }
  if (at.ready != 0 && at.sequential) {
    // The common case, kept short: the next lane of the same warp, with nothing to count.
    const auto index = static_cast<unsigned>(std::countr_zero(at.ready));
    at.ready &= at.ready - 1;
    if (at.ready == 0) at.home->ready_warps &= ~(1U << at.index);
    lane& next = at.lanes[index];
    if (&next == &self) return;  // the last at a barrier, and the first in its warp
    hot.current = &next;
    if (index + 1 < warp_size) prefetch(at.fibers[index + 1]);
    switch_fiber(at.fibers[own], at.fibers[index]);
    return;
  }
  switch_far(self);
}

bool same_place(const place& a, const place& b) {
  return a.line == b.line && (a.file == b.file || std::string_view(a.file) == b.file);
}

/// A thread that waits at the barrier of its block.
lane* waiting_at_barrier(block& b) {
  for (warp& w : b.warps) {
    std::uint32_t rest = w.live & ~(w.ready | w.spinning | w.elsewhere);
    if (&w == hot.at) rest &= ~(1U << hot.current->index);
    if (rest != 0) return &w.lanes[static_cast<unsigned>(std::countr_zero(rest))];
  }
  return nullptr;
}

[[gnu::noinline]] void fail_barrier(lane& self, const place& at) {
  self.at = at;
  block& b = home_of(self);
  lane* const other = waiting_at_barrier(b);
  if (other != nullptr) other->at = b.barrier;
  fail_hazard(self, finding_kind::two_barriers,
              "other threads of the block wait at another barrier, " + describe(b.barrier) +
                  "; a barrier must be the same one for the whole block",
              other, std::string("waits at ") + name_of(b.barrier.what));
}

/// The last thread has come.
[[gnu::noinline]] void release(lane& self, block& b) {
  b.arrived = 0;
  b.votes_counted = b.votes;
  b.votes = 0;
  worker& w = *b.home->home;
  ++w.trace.total.barriers;
  w.job->progress.fetch_add(1, std::memory_order_relaxed);
  if (hot.check != nullptr) check_block_barrier(b);
  if (hot.watch != nullptr) watch_block_barrier(b);
  count_epoch(self);
  for (warp& other : b.warps) make_ready(other, other.live);
}

[[gnu::always_inline]] inline void arrive(lane& self, block& b, const place& at) {
  if (b.arrived == 0) {
    b.barrier = at;
  } else if (b.barrier.line != at.line || b.barrier.file != at.file) {
    if (!same_place(b.barrier, at)) fail_barrier(self, at);
  }
  if (++b.arrived == b.threads) release(self, b);
}

}  // namespace

void abandon(lane& self) {
  hush_hooks();
  switch_fiber(fiber_of(self), self.home->home->home->home->home);
  __builtin_unreachable();
}

void switch_away() { switch_from(*hot.current, *hot.at); }

void block_barrier(place at) {
  lane& self = running("__syncthreads");
  warp& w = *hot.at;
  arrive(self, *w.home, at);
  switch_from(self, w);
}

int block_vote(place at, bool predicate) {
  lane& self = running("__syncthreads");
  block& b = home_of(self);
  b.votes += predicate ? 1 : 0;
  arrive(self, b, at);
  switch_from(self, *self.home);
  return static_cast<int>(b.votes_counted);
}

void cluster_barrier(place at) {
  lane& self = running("cluster sync");
  group& g = *home_of(self).home;
  self.at = at;
  self.home->elsewhere |= 1U << self.index;
  if (++g.cluster_arrived == g.threads_per_block * g.blocks.size()) {
    g.cluster_arrived = 0;
    if (hot.check != nullptr) check_cluster_barrier(g);
    if (hot.watch != nullptr) watch_cluster_barrier(g);
    count_epoch(self);
    g.home->job->progress.fetch_add(1, std::memory_order_relaxed);
    for (block& b : g.blocks) {
      for (warp& w : b.warps) make_ready(w, w.live);
    }
  }
  switch_from(self, *self.home);
}

void count_epoch(lane& self) {
  if (!hot.counting) return;
  save_cursors(self);
  hush_hooks();
  worker& w = *self.home->home->home->home;
  w.trace.drain(*self.home);
  aim_hooks(w, &self);
}

void worker::resume(group& g) {
  running = &g;
  lane* first = nullptr;
  for (block& b : g.blocks) {
    if (b.ready_warps == 0) continue;
    const auto top = static_cast<unsigned>(b.warps.size()) - 1;
    const unsigned from = order == run_order::descending ? top : 0;
    first = &pick_lane(b.warps[pick_bit(b.ready_warps, from, last_warp, *this)], *this);
    break;
  }
  if (first == nullptr) return;
  take(*first);
  aim_hooks(*this, first);
  switch_fiber(home, fiber_of(*first));
}

void make_ready(warp& w, std::uint32_t lanes) {
  if (lanes == 0) return;
  w.ready |= lanes;
  w.spinning &= ~lanes;
  w.elsewhere &= ~lanes;
  w.home->ready_warps |= 1U << w.index;
}

void give_way_at_times() {
  const lane& self = *hot.current;
  worker& w = *home_of(self).home->home;
  // Not the worker's generator: a kernel file's copy of it may be linked in, and we are in a
  // kernel.
  w.whim = w.whim * 6364136223846793005U + 1442695040888963407U;
  if (w.whim >> 62 == 0) give_way();
}

void give_way() {
  lane& self = *hot.current;
  self.home->spinning |= 1U << self.index;
  self.home->home->home->preempted = true;
  switch_away();
}

}  // namespace simt::detail
