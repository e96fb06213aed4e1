// Which lane runs next. Lanes switch to each other directly; the worker's own context is entered
// only when no lane of the running cluster can go on.
#include "simt/src/run/schedule.hpp"

#include <bit>
#include <cstdint>
#include <exception>
#include <string_view>

#include "simt/src/run/cluster.hpp"
#include "simt/src/run/failures.hpp"
#include "simt/src/run/names.hpp"
#include "simt/src/run/tls.hpp"

extern "C" const char* const simt_debug_layout;

namespace simt::detail {

/// A program has what a debugger reads, too.
[[gnu::used]] static const auto* const for_debugger = &simt_debug_layout;

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

block* pick_block(cluster& c, block& current, worker& w) {
  const bool varied = w.order >= run_order::random;
  if (current.ready_warps != 0 && (c.blocks.size() == 1 || !varied)) return &current;
  const std::size_t first = varied ? w.random() % c.blocks.size() : current.rank;
  for (std::size_t i = 0; i < c.blocks.size(); ++i) {
    block& b = c.blocks[(first + i) % c.blocks.size()];
    if (b.ready_warps != 0) return &b;
  }
  return nullptr;
}

/// The next lane to run once `last` can't go on in its warp, or nullptr.
[[gnu::noinline]] lane* pick(worker& w, lane& last) {
  warp* at = last.warp;
  // Those that part at a branch and then converge may meet the others again: nothing is counted.
  const std::uint32_t others = at->in_step != 0 ? at->computing : at->spinning;
  if (at->ready == 0 && at->converging != 0 && others == 0) converge(*at);
  if (w.observer != nullptr && at->ready == 0) w.observer->warp_stalls(*at);
  if (w.launched->stop.load(std::memory_order_relaxed)) return nullptr;
  if (at->ready == 0 || w.order >= run_order::random) {
    block* const b = pick_block(*w.running, *at->block, w);
    if (b == nullptr) return nullptr;
    at = &b->warps[pick_bit(b->ready_warps, at->index, w.last_warp, w)];
  }
  return &pick_lane(*at, w);
}

/// Points the hooks at `next`, or at nothing.
void aim_hooks(worker& w, lane* next) {
  if (next == nullptr) return disable_hooks();
  const block& b = block_of(*next);
  tls.current = next;
  tls.warp = next->warp;
  tls.observer = w.observer;
  tls.restless = w.order >= run_order::random;
  tls.shared_base = reinterpret_cast<std::uintptr_t>(b.shared);
  tls.cluster_base = reinterpret_cast<std::uintptr_t>(b.cluster->memory);
  tls.cluster_bytes = b.cluster->blocks.size() * shared_stride;
  tls.guard_cursor = w.unread.data();
  tls.guard_limit = w.unread.data() + w.unread.size();
  if (tls.observer != nullptr) tls.observer->lane_resumes(*next);
}

fiber& fiber_of(lane& l) { return l.warp->fibers[l.index]; }

void leave_for_worker(lane& self) {
  disable_hooks();
  switch_fiber(fiber_of(self), worker_of(self).own_fiber);
}

/// The life of a fiber: one thread after the other of whatever grid runs.
void live() {
  lane& self = *tls.current;
  for (;;) {
    worker& w = worker_of(self);
    std::exception_ptr thrown;
    try {
      if (w.whole_blocks) {
        w.run_blocks(self);
      } else {
        w.body(grid_of(self).arguments, w.code);
      }
    } catch (const thread_exit&) {
    } catch (...) {
      thrown = std::current_exception();
    }
    if (thrown) fail_thrown(self, thrown);
    if (w.whole_blocks) {
      leave_for_worker(self);
      continue;
    }
    end_lane(self);
    switch_away();
  }
}

}  // namespace

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
  warp& at = *next.warp;
  at.ready &= ~(1U << next.index);
  if (at.ready == 0) at.block->ready_warps &= ~(1U << at.index);
}

[[gnu::noinline]] void switch_far(lane& self) {
  worker& w = worker_of(self);
  if (w.tests_stacks && overflowed(self)) fail_stack(self);
  if (tls.observer != nullptr) tls.observer->lane_leaves(self);
  disable_hooks();
  lane* const next = pick(w, self);
  if (next != nullptr) take(*next);
  aim_hooks(w, next);
  if (next == &self) return;
  switch_fiber(fiber_of(self), next != nullptr ? fiber_of(*next) : w.own_fiber);
}

// Inlined into every intrinsic that waits: each frame below a kernel is memory touched at every
// switch.
[[gnu::always_inline]] inline void switch_from(lane& self, warp& at) {
  const auto own = static_cast<std::size_t>(&self - at.lanes.data());
  if (static_cast<std::byte*>(__builtin_frame_address(0)) < at.stacks + own * stack_bytes) {
    fail_stack(self);
  }
  if (at.ready != 0 && at.sequential) {
    // The common case, kept short: the next lane of the same warp, with nothing to count.
    const auto index = static_cast<unsigned>(std::countr_zero(at.ready));
    at.ready &= at.ready - 1;
    if (at.ready == 0) at.block->ready_warps &= ~(1U << at.index);
    lane& next = at.lanes[index];
    if (&next == &self) return;  // the last at a barrier, and the first in its warp
    tls.current = &next;
    if (index + 1 < warp_size) prefetch(at.fibers[index + 1]);
    switch_fiber(at.fibers[own], at.fibers[index]);
    return;
  }
  switch_far(self);
}

/// A thread that waits at the barrier of its block.
lane* waiting_at_barrier(block& b) {
  for (warp& w : b.warps) {
    std::uint32_t rest = w.live & ~(w.ready | w.spinning | w.elsewhere);
    if (&w == tls.warp) rest &= ~(1U << tls.current->index);
    if (rest != 0) return &w.lanes[static_cast<unsigned>(std::countr_zero(rest))];
  }
  return nullptr;
}

/// A device counts who has come, whichever barrier it is; CUDA leaves it undefined.
[[gnu::noinline]] void note_two_barriers(lane& self, const place& at) {
  if (tls.observer == nullptr) return;
  const place before = self.at;
  self.at = at;
  block& b = block_of(self);
  lane* const other = waiting_at_barrier(b);
  if (other != nullptr) other->at = b.barrier;
  tls.observer->notices({finding_kind::two_barriers, self,
                         "while other threads of the block wait at another barrier, " +
                             describe(b.barrier) +
                             "; a barrier must be the same one for the whole block",
                         other, std::string("waits at ") + name_of(b.barrier.what)});
  self.at = before;
}

/// The last thread has come.
[[gnu::noinline]] void release(block& b) {
  b.arrived = 0;
  b.votes_counted = b.votes;
  b.votes = 0;
  worker& w = worker_of(b);
  ++w.total.barriers;
  w.launched->progress.fetch_add(1, std::memory_order_relaxed);
  if (tls.observer != nullptr) tls.observer->block_barrier(b);
  // Where threads meet again and again nobody else asks whether the launch is over.
  constexpr std::uint64_t barriers_between = 256;
  if (w.total.barriers % barriers_between == 0) w.keep_running(0, false, nullptr);
  for (warp& other : b.warps) make_ready(other, other.live);
}

/// `call`: two barriers of one line are two.
[[gnu::always_inline]] inline void arrive(lane& self, block& b, const place& at, const void* call) {
  if (b.arrived == 0) {
    b.barrier = at;
    b.barrier_call = call;
  } else if (b.barrier_call != call || b.barrier.line != at.line) {
    note_two_barriers(self, at);
  }
  if (++b.arrived == b.live) release(b);
}

/// The last thread of the cluster has come.
void release(cluster& c) {
  c.cluster_arrived = 0;
  if (tls.observer != nullptr) tls.observer->cluster_barrier(c);
  c.worker->launched->progress.fetch_add(1, std::memory_order_relaxed);
  for (block& b : c.blocks) {
    for (warp& w : b.warps) make_ready(w, w.live);
  }
}

}  // namespace

void release_without(const lane& gone) {
  block& b = block_of(gone);
  cluster& c = *b.cluster;
  if (b.arrived != 0 && b.arrived == b.live) release(b);
  if (c.cluster_arrived != 0 && c.cluster_arrived == c.live) release(c);
}

void abandon(lane& self) {
  leave_for_worker(self);
  __builtin_unreachable();
}

void switch_away() { switch_from(*tls.current, *tls.warp); }

void block_barrier(place at) {
  lane& self = running("__syncthreads");
  warp& w = *tls.warp;
  arrive(self, *w.block, at, __builtin_return_address(0));
  switch_from(self, w);
}

int block_vote(place at, bool predicate) {
  lane& self = running("__syncthreads");
  block& b = block_of(self);
  b.votes += predicate ? 1 : 0;
  arrive(self, b, at, __builtin_return_address(0));
  switch_from(self, *self.warp);
  return static_cast<int>(b.votes_counted);
}

void cluster_barrier(place at) {
  need_9_0("clusters");
  lane& self = running("cluster sync");
  cluster& c = *block_of(self).cluster;
  self.at = at;
  self.warp->elsewhere |= 1U << self.index;
  if (++c.cluster_arrived == c.live) release(c);
  switch_from(self, *self.warp);
}

void worker::resume(cluster& c) {
  running = &c;
  lane* first = nullptr;
  for (block& b : c.blocks) {
    if (b.ready_warps == 0) continue;
    const auto top = static_cast<unsigned>(b.warps.size()) - 1;
    const unsigned from = order == run_order::descending ? top : 0;
    first = &pick_lane(b.warps[pick_bit(b.ready_warps, from, last_warp, *this)], *this);
    break;
  }
  if (first == nullptr) return;
  take(*first);
  aim_hooks(*this, first);
  switch_fiber(own_fiber, fiber_of(*first));
}

void make_ready(warp& w, std::uint32_t lanes) {
  if (lanes == 0) return;
  w.ready |= lanes;
  w.spinning &= ~lanes;
  w.computing &= ~lanes;
  w.elsewhere &= ~lanes;
  w.block->ready_warps |= 1U << w.index;
}

void yield_at_times(const void* frame) {
  worker& w = worker_of(*tls.current);
  // Not the worker's generator: a kernel file's copy of it may be linked in, and we are in a
  // kernel.
  w.yield_seed = w.yield_seed * 6364136223846793005U + 1442695040888963407U;
  if (w.yield_seed >> 62 == 0) yield(frame);
}

void end_slice(const void* frame) {
  tls.warp->computing |= 1U << tls.current->index;
  yield(frame);
}

void yield(const void* frame) {
  lane& self = *tls.current;
  worker& w = worker_of(self);
  w.keep_running(0, false, nullptr);
  if (w.livelock.observes()) w.livelock.note_yield(frame);
  self.warp->spinning |= 1U << self.index;
  block_of(self).cluster->preempted = true;
  switch_away();
}

}  // namespace simt::detail
