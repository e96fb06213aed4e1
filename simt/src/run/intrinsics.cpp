#include "simt/intrinsics.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "simt/src/run/device.hpp"
#include "simt/src/run/failures.hpp"
#include "simt/src/run/hooks.hpp"
#include "simt/src/run/machine.hpp"
#include "simt/src/run/names.hpp"
#include "simt/src/run/schedule.hpp"
#include "simt/src/run/tls.hpp"

namespace simt::detail {

namespace {

enum kind_of_meeting : int { barrier_kind, ballot_kind, exchange_kind };
constexpr unsigned own_lane = warp_size;  // in place of a source lane

/// Lets the lanes of a complete operation go on.
void complete(warp& w, collective& c, const lane& last) {
  if (tls.observer != nullptr) tls.observer->warp_operation(w, c, c.kind == exchange_kind);
  c.unread = c.arrived;
  make_ready(w, c.arrived & ~(1U << last.index));
}

/// The lane with this index, if it has lived.
const lane* ended_lane(const warp& w, unsigned index) {
  return w.index * warp_size + index < w.block->threads ? &w.lanes[index] : nullptr;
}

[[gnu::noinline]] void fail_mask(const lane& self, std::uint32_t mask) {
  fail_hazard(self, finding_kind::wrong_mask,
              "calls with mask " + hex(mask) + ", which does not name it");
}

/// What comes from a lane that has ended or never was is undefined: a device gives 0.
[[gnu::noinline]] std::uint64_t value_of_nobody(const lane& self, unsigned source) {
  if (tls.observer != nullptr) {
    const lane* const gone = ended_lane(*self.warp, source);
    tls.observer->notices({finding_kind::wrong_mask, self,
                           "reads from lane " + std::to_string(source) +
                               (gone != nullptr ? ", which has ended" : ", which does not exist") +
                               ": the result is undefined",
                           gone, "has ended"});
  }
  return absent_value;
}

/// The operation with this mask and kind that the lane has not come to yet; else a new one.
collective& find_operation(warp& w, std::uint32_t mask, int kind, std::uint32_t me) {
  collective* unused = nullptr;
  for (collective& c : w.collectives) {
    if (c.unread == 0 && c.arrived != 0 && c.mask == mask && c.kind == kind &&
        (c.arrived & me) == 0) {
      return c;
    }
    if (c.arrived == 0) unused = &c;
  }
  if (unused == nullptr) unused = &w.collectives.emplace_back();
  unused->mask = mask;
  unused->kind = kind;
  return *unused;
}

/// Joins the operation with this mask and kind, waits for it to be complete, and returns it. It is
/// when all lanes of the mask have come that have not ended.
collective& meet(const place& at, std::uint32_t mask, int kind, std::uint64_t value,
                 unsigned source = own_lane) {
  if (tls.current == nullptr) [[unlikely]]
    fail_outside(name_of(at.what));
  lane& self = *tls.current;
  warp& w = *self.warp;
  const std::uint32_t me = 1U << self.index;
  self.at = at;
  if ((mask & me) == 0) fail_mask(self, mask);
  collective& joined = find_operation(w, mask, kind, me);
  joined.values[self.index] = value;
  joined.sources[self.index] = static_cast<std::uint8_t>(source == own_lane ? self.index : source);
  joined.arrived |= me;
  if (joined.arrived == (mask & w.live)) {
    // Where lanes meet again and again nobody else asks whether the launch is over.
    constexpr unsigned meetings_between = 4096;
    constinit thread_local unsigned meetings = 0;
    if (++meetings % meetings_between == 0) worker_of(self).keep_running(0, false, nullptr);
    complete(w, joined, self);
  } else {
    w.elsewhere |= me;
    switch_away();
  }
  return joined;
}

/// The calling lane has taken what it wanted.
void leave(collective& c, unsigned lane_in_warp) {
  c.unread &= ~(1U << lane_in_warp);
  if (c.unread == 0) c.arrived = 0;
}

}  // namespace

std::uint64_t absent_value = 0;

unsigned thread_index(int axis) {
  const uint3& t = running("threadIdx").thread_idx;
  return axis == 0 ? t.x : axis == 1 ? t.y : t.z;
}
unsigned block_index(int axis) {
  const uint3& b = block_of(running("blockIdx")).block_idx;
  return axis == 0 ? b.x : axis == 1 ? b.y : b.z;
}
unsigned block_size(int axis) {
  const dim3& d = grid_of(running("blockDim")).config.block;
  return axis == 0 ? d.x : axis == 1 ? d.y : d.z;
}
unsigned grid_size(int axis) {
  const dim3& d = grid_of(running("gridDim")).config.grid;
  return axis == 0 ? d.x : axis == 1 ? d.y : d.z;
}
bool in_kernel() { return tls.current != nullptr; }
unsigned lane_index() { return running("laneid").index; }

std::uint32_t warp_gather(place at, std::uint32_t mask, std::uint64_t value, std::uint64_t* out) {
  collective& c = meet(at, mask, exchange_kind, value);
  const std::uint32_t came = c.arrived;
  std::copy(c.values.begin(), c.values.end(), out);
  leave(c, tls.current->index);
  return came;
}

std::uint64_t warp_shuffle(place at, std::uint32_t mask, std::uint64_t value, unsigned source) {
  collective& c = meet(at, mask, exchange_kind, value, source);
  lane& self = *tls.current;
  if ((mask >> source & 1) == 0) {
    fail_hazard(self, finding_kind::wrong_mask,
                "reads from lane " + std::to_string(source) + ", which mask " + hex(mask) +
                    " does not name: the result is undefined");
  }
  const bool came = (c.arrived >> source & 1) != 0;
  const std::uint64_t result = came ? c.values[source] : value_of_nobody(self, source);
  leave(c, self.index);
  return result;
}

std::uint32_t warp_ballot(place at, std::uint32_t mask, bool predicate) {
  collective& c = meet(at, mask, ballot_kind, predicate ? 1 : 0);
  std::uint32_t votes = 0;
  for (std::uint32_t rest = c.arrived; rest != 0; rest &= rest - 1) {
    const auto l = static_cast<unsigned>(std::countr_zero(rest));
    votes |= static_cast<std::uint32_t>(c.values[l]) << l;
  }
  leave(c, tls.current->index);
  return votes;
}

void complete_without(const lane& gone) {
  warp& w = *gone.warp;
  for (collective& c : w.collectives) {
    const bool waits = c.arrived != 0 && c.unread == 0;
    if (waits && c.arrived == (c.mask & w.live)) complete(w, c, gone);
  }
}

void warp_barrier(place at, std::uint32_t mask) {
  leave(meet(at, mask, barrier_kind, 0), tls.current->index);
}

void* shared_object(const void* tag, std::size_t bytes, std::size_t alignment, const char* name) {
  lane& self = running("shared_storage");
  block& b = block_of(self);
  for (const auto& known : b.storage) {
    if (known.tag == tag) return b.shared + known.begin;
  }
  const std::size_t offset = (b.storage_end + alignment - 1) / alignment * alignment;
  if (const auto why = too_much_shared(offset + bytes); !why.empty()) fail(self, "asks for " + why);
  b.storage.push_back({tag, offset, offset + bytes, name});
  b.storage_end = offset + bytes;
  std::memset(b.shared + offset, 0xA5, bytes);  // nobody wrote it: let it show
  return b.shared + offset;
}

void* dynamic_shared() { return block_of(running("dynamic shared memory")).shared; }
std::size_t dynamic_shared_bytes() {
  return grid_of(running("dynamic shared memory")).config.shared_bytes;
}

unsigned cluster_size() {
  return static_cast<unsigned>(block_of(running("cluster")).cluster->blocks.size());
}
unsigned cluster_extent(int axis) {
  const dim3& d = grid_of(running("cluster")).config.cluster;
  return axis == 0 ? d.x : axis == 1 ? d.y : d.z;
}
unsigned block_in_cluster(int axis) { return block_index(axis) % cluster_extent(axis); }
unsigned cluster_rank() {
  need_9_0("clusters");
  return block_of(running("cluster")).rank;
}

void* in_block(void* shared, unsigned rank) {
  need_9_0("clusters");
  lane& self = running("cluster");
  const block& b = block_of(self);
  if (rank >= b.cluster->blocks.size()) {
    fail(self, "accesses shared memory of block " + std::to_string(rank) + " in a cluster of " +
                   std::to_string(b.cluster->blocks.size()));
  }
  return b.cluster->blocks[rank].shared + (static_cast<std::byte*>(shared) - b.shared);
}

void yield_lane() {
  running("__nanosleep");
  yield(SIMT_SAVED_REGISTERS());
}

void note_block_scope() {
  if (tls.current != nullptr && tls.observer != nullptr) tls.observer->block_scope();
}
void fence() {
  if (tls.observer != nullptr) tls.observer->fence();
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void release() {
  if (tls.current != nullptr && tls.observer != nullptr) tls.observer->release();
}
void acquire() {
  if (tls.current != nullptr && tls.observer != nullptr) tls.observer->acquire();
}

void note_word(const volatile void* word, bool release) {
  if (!release) look(word);
  if (tls.observer != nullptr) {
    tls.observer->atomic_word(reinterpret_cast<std::uintptr_t>(word), release);
  }
}

void note_volatile(const volatile void* p) {
  if (tls.observer != nullptr) {
    tls.observer->volatile_access(reinterpret_cast<std::uintptr_t>(p), false);
  }
}

void note_polled(const volatile void* p) {
  if (tls.observer != nullptr) {
    tls.observer->volatile_access(reinterpret_cast<std::uintptr_t>(p), true);
  }
  look(nullptr);
}

void note_atomic(const volatile void* p, unsigned bytes) {
  look(p);
  if (tls.restless) yield_at_times(SIMT_SAVED_REGISTERS());  // somebody else may come first
  note_access(p, access_kind::atomic, bytes, __builtin_return_address(0));
}

void note_exchange(const volatile void* p, unsigned bytes) {
  look(p);
  if (tls.restless) yield_at_times(SIMT_SAVED_REGISTERS());
  if (tls.observer != nullptr) tls.observer->atomic_compares(reinterpret_cast<std::uintptr_t>(p));
  note_access(p, access_kind::atomic, bytes, __builtin_return_address(0));
}

namespace {

void refuse_odd_copy(const lane& self, const void* to, const void* from, std::size_t bytes) {
  const auto odd =
      reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from) | bytes;
  if (odd % 16 != 0) fail(self, "a bulk copy's addresses and size must be multiples of 16 bytes");
}

}  // namespace

void need_9_0(const char* what) {
  if (the_device().is_9_0()) return;
  fail(running(what),
       std::string("uses ") + what + ", which need compute capability 9.0; " + says_device());
}

void bulk_copy(void* shared, const void* global, std::size_t bytes) {
  need_9_0("bulk copies");
  lane& self = running("bulk copy");
  refuse_odd_copy(self, shared, global, bytes);
  if (tls.observer != nullptr) {
    tls.observer->bulk_load(shared, global, bytes,
                            reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
  }
  std::memcpy(shared, global, bytes);
  worker_of(self).total.bulk_bytes += bytes;
}

void bulk_store(void* global, const void* shared, std::size_t bytes) {
  need_9_0("bulk copies");
  lane& self = running("bulk store");
  refuse_odd_copy(self, global, shared, bytes);
  if (tls.observer != nullptr) {
    tls.observer->bulk_store(global, shared, bytes,
                             reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
  }
  std::memcpy(global, shared, bytes);
  worker_of(self).total.bulk_bytes += bytes;
}

}  // namespace simt::detail
