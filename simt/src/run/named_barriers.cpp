// Barriers of some of a block's threads: those with a number, and those in shared memory.
#include <bit>
#include <cstring>
#include <string>

#include "simt/lanes.hpp"
#include "simt/src/run/failures.hpp"
#include "simt/src/run/schedule.hpp"
#include "simt/src/run/tls.hpp"

namespace simt::detail {

namespace {

/// Some threads of the block have met, or all.
void tell_meeting(const block& b) {
  grid_of(b).progress.fetch_add(1, std::memory_order_relaxed);
  if (tls.observer != nullptr) tls.observer->some_of_block_met(b);
}

}  // namespace

namespace {
void meet(place at, unsigned id, unsigned threads, bool waits) {
  lane& self = running("bar.sync");
  warp& w = *self.warp;
  block& b = *w.block;
  self.at = at;
  if (threads == 0 || threads % warp_size != 0 || threads > (b.threads + 31) / 32 * 32) {
    fail(self, "arrives at a barrier of " + std::to_string(threads) +
                   " threads; give a multiple of 32, at most those of the block");
  }
  named_barrier_state& n = b.named_barriers[id];
  if (n.arrived == 0) {
    n.waiting.assign(b.warps.size(), 0);
    n.expected = threads;
  }
  if (n.expected != threads) {
    fail(self, "arrives at barrier " + std::to_string(id) + " of " + std::to_string(threads) +
                   " threads; others wait there for " + std::to_string(n.expected));
  }
  if (waits) n.waiting[w.index] |= 1U << self.index;
  if (++n.arrived < n.expected) {
    if (!waits) return;
    w.elsewhere |= 1U << self.index;
    return switch_away();
  }
  n.arrived = 0;
  tell_meeting(b);
  for (warp& other : b.warps) {
    std::uint32_t go_on = n.waiting[other.index];
    if (&other == &w) go_on &= ~(1U << self.index);
    make_ready(other, go_on);
  }
}
}  // namespace

void named_barrier(place at, unsigned id, unsigned threads, bool waits) {
  if (id >= barriers_with_numbers) {
    fail(running("bar.sync"), "arrives at barrier " + std::to_string(id) + "; a block has " +
                                  std::to_string(barriers_with_numbers) + ", from 0 on");
  }
  meet(at, id, threads, waits);
}
void tile_barrier(place at, unsigned tile, unsigned threads) {
  constexpr unsigned most = 1024;  // threads of a block: of each size there are half as many
  meet(at, barriers_with_numbers + most / threads + tile, threads, true);
}

namespace {

/// In the eight bytes that the kernel keeps.
struct phase_word {
  std::uint64_t expected : 20;  // arrivals of each phase
  std::uint64_t pending : 20;   // of this one
  std::uint64_t phase : 1;
  std::int64_t bytes : 23;  // still to come
};
static_assert(sizeof(phase_word) == 8);

phase_word read_word(const void* at) {
  phase_word p;
  std::memcpy(&p, at, sizeof(p));
  return p;
}

/// Ends the phase if nothing is missing.
void write_word(void* at, phase_word p) {
  if (p.pending == 0 && p.bytes == 0) {
    p.pending = p.expected;
    p.phase ^= 1;
    tell_meeting(block_of(running("mbarrier")));
  }
  std::memcpy(at, &p, sizeof(p));
}

std::uint64_t arrive(void* at, unsigned count, bool for_good) {
  lane& self = running("mbarrier.arrive");
  phase_word p = read_word(at);
  if (p.pending < count) {
    fail(self, "arrives at an mbarrier more often than its count");
  }
  const auto token = std::uint64_t{p.phase} << 63 | p.pending;
  p.pending -= count;
  if (for_good) p.expected -= count;
  write_word(at, p);
  return token;
}

bool ask_phase(const void* at, unsigned phase) {
  if (read_word(at).phase != phase) return true;
  yield(SIMT_SAVED_REGISTERS());
  return read_word(at).phase != phase;
}

}  // namespace

void mbarrier_init(void* word, unsigned arrivals) {
  running("mbarrier.init");
  phase_word p{};
  p.expected = arrivals;
  p.pending = arrivals;
  std::memcpy(word, &p, sizeof(p));
}

void mbarrier_expect(void* word, unsigned bytes) {
  phase_word p = read_word(word);
  p.bytes += bytes;
  std::memcpy(word, &p, sizeof(p));  // an arrival comes after it
}

void mbarrier_complete(void* word, unsigned bytes) {
  phase_word p = read_word(word);
  p.bytes -= bytes;
  write_word(word, p);
}

std::uint64_t mbarrier_arrive(void* word, unsigned count) { return arrive(word, count, false); }
std::uint64_t mbarrier_drop(void* word, unsigned count) { return arrive(word, count, true); }

void mbarrier_expect_arrival(void* word) {
  phase_word p = read_word(word);
  p.pending += 1;
  std::memcpy(word, &p, sizeof(p));
}

bool mbarrier_is_over(const void* word, std::uint64_t token) {
  return ask_phase(word, static_cast<unsigned>(token >> 63));
}
bool mbarrier_parity_is_over(const void* word, unsigned parity) {
  return ask_phase(word, parity & 1);
}

unsigned mbarrier_pending(std::uint64_t token) { return static_cast<unsigned>(token & 0xfffff); }

}  // namespace simt::detail
