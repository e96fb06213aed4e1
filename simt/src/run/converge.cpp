// Meetings whose lanes nobody names: those that come to the same call, and all blocks of a grid.
#include <bit>
#include <chrono>
#include <ctime>

#include "simt/src/memory/arena.hpp"
#include "simt/src/run/failures.hpp"
#include "simt/src/run/schedule.hpp"
#include "simt/src/run/tls.hpp"

namespace simt::detail {

namespace {

template <class F>
void for_each_lane(warp& w, std::uint32_t lanes, F f) {
  for (; lanes != 0; lanes &= lanes - 1) {
    f(w.lanes[static_cast<std::size_t>(std::countr_zero(lanes))]);
  }
}

/// The call that lets its lanes go on: the first lane's, but those in lockstep let all go first
/// that may yet come to them.
const void* next_call(warp& w) {
  const std::uint32_t others = w.converging & ~w.in_step;
  const lane* next = nullptr;
  for_each_lane(w, others != 0 ? others : w.in_step, [&](const lane& l) {
    if (next == nullptr || (others == 0 && w.steps[l.index].rank < w.steps[next->index].rank))
      next = &l;
  });
  return next->call;
}

void wait_at(lane& self, const void* call) {
  self.call = call;
  self.warp->converging |= 1U << self.index;
  self.warp->elsewhere |= 1U << self.index;
  switch_away();
}

/// In its thread's own memory.
bool is_local(const volatile void* p) {
  const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return reinterpret_cast<std::uintptr_t>(p) - frame < stack_bytes;
}

}  // namespace

void converge(warp& w) {
  const void* const call = next_call(w);
  std::uint32_t met = 0;
  for_each_lane(w, w.converging, [&](const lane& l) {
    if (l.call == call) met |= 1U << l.index;
  });
  for_each_lane(w, met, [&](lane& l) { l.met = met; });
  const bool steps = (w.in_step & met) != 0;
  w.converging &= ~met;
  w.in_step &= ~met;
  w.delays = 0;
  make_ready(w, met | (steps ? w.spinning : 0));  // who waits for a word looks again
}

std::uint32_t converged_lanes(place at) {
  lane& self = running("__activemask");
  self.at = at;
  wait_at(self, __builtin_return_address(0));
  return self.met;
}

void in_lockstep(const volatile void* p, unsigned rank) {
  if (tls.current == nullptr || is_local(p)) return;  // host code in a kernel file
  lane& self = *tls.current;
  warp& w = *self.warp;
  if (worker_of(self).order != run_order::ascending) return;
  if ((w.ready | w.spinning | w.converging) == 0) return;  // nobody else can come
  // Where lanes meet again and again nobody else lets others run.
  constexpr unsigned most_in_slice = 4096;
  if (++w.stepped % most_in_slice == 0) end_slice(SIMT_SAVED_REGISTERS());
  w.steps[self.index] = {rank};
  w.in_step |= 1U << self.index;
  wait_at(self, __builtin_return_address(0));
}

void look_again(const volatile void* p) {
  lane& self = *tls.current;
  const auto at = reinterpret_cast<std::uintptr_t>(p);
  if (p != nullptr && !is_global(at) && at - tls.shared_base >= shared_stride) return;
  auto& known = self.warp->steps[self.index];
  const unsigned char value = p != nullptr ? *static_cast<const volatile unsigned char*>(p) : 0;
  if (known.looked_at != at || known.saw != value) known = {known.rank, at, value};
  constexpr unsigned most_looks = 4;
  if (++known.again > most_looks) yield(SIMT_SAVED_REGISTERS());
}

std::uint32_t lanes_of_warp() { return running("lanes of the warp").warp->whole; }

bool is_cooperative() { return grid_of(running("grid group")).config.cooperative; }

void wait_for_grid(lane& self) {
  const block& b = block_of(self);
  grid& g = grid_of(b);
  const std::uint64_t blocks = g.clusters * b.cluster->blocks.size();
  const std::uint64_t mine = g.arrived.fetch_add(1);
  const std::uint64_t wanted = (mine / blocks + 1) * blocks;
  for (;;) {
    const std::uint64_t ended = g.ended.load(), arrived = g.arrived.load();
    if (arrived >= wanted) break;
    if (ended + arrived >= wanted) {
      fail(self, std::to_string(ended) + " of " + std::to_string(blocks) +
                     " blocks have ended; every block of the grid must reach its barriers");
    }
    yield(SIMT_SAVED_REGISTERS());
  }
  g.progress.fetch_add(1, std::memory_order_relaxed);
}

void grid_barrier(place at) {
  lane& self = running("grid sync");
  block& b = block_of(self);
  if (!grid_of(b).config.cooperative) {
    self.at = at;
    fail(self, "needs a cooperative launch: cudaLaunchCooperativeKernel");
  }
  block_barrier(at);
  if (self.index == 0 && self.warp->index == 0) {
    if (tls.observer != nullptr) tls.observer->grid_arrival(b);
    self.at = at;
    wait_for_grid(self);
    if (tls.observer != nullptr) tls.observer->grid_departure(b);
  }
  block_barrier(at);
}

long device_clock() {
  return tls.current != nullptr ? static_cast<long>(clock_ticks()) : std::clock();
}

long long clock_ticks() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

}  // namespace simt::detail
