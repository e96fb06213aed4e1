#include "simt/words.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "simt/src/run/model.hpp"

namespace simt::detail {

std::string triple(const uint3& v) {
  return "(" + std::to_string(v.x) + "," + std::to_string(v.y) + "," + std::to_string(v.z) + ")";
}

namespace {

constexpr std::array<const char*, 18> words{"",
                                            "__syncthreads",
                                            "__syncthreads_count",
                                            "__syncthreads_or",
                                            "__syncthreads_and",
                                            "cluster sync",
                                            "__syncwarp",
                                            "__shfl_sync",
                                            "__shfl_up_sync",
                                            "__shfl_down_sync",
                                            "__shfl_xor_sync",
                                            "__ballot_sync",
                                            "__any_sync",
                                            "__all_sync",
                                            "__match_any_sync",
                                            "__reduce_sync",
                                            "__activemask",
                                            "grid sync"};

}  // namespace

const char* name_of(word what) { return words[static_cast<std::size_t>(what)]; }

std::string hex(std::uint32_t mask) {
  static constexpr const char* digits = "0123456789abcdef";
  std::string s = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) s += digits[mask >> shift & 15];
  return s;
}

std::string where_is(const block& b) {
  return "kernel " + kernel_name(b.home->home->job->kernel) + ", block " + triple(b.block_idx);
}

namespace {

enum kind_of_meeting : int { barrier_kind, ballot_kind, exchange_kind };
constexpr unsigned own_lane = warp_size;  // in place of a source lane

/// Lets the lanes of a complete operation go on.
void complete(warp& w, collective& c, const lane& last) {
  if (hot.check != nullptr) check_meeting(w, c.mask);
  if (hot.watch != nullptr) watch_meeting(w, c, last, c.kind == exchange_kind);
  c.unread = c.mask;
  make_ready(w, c.mask & ~(1U << last.index));
}

/// One of these lanes that has lived.
const lane* ended_lane(const warp& w, std::uint32_t gone) {
  const auto index = static_cast<unsigned>(std::countr_zero(gone));
  return w.index * warp_size + index < w.home->threads ? &w.lanes[index] : nullptr;
}

/// Joins the operation with this mask and kind, waits for it to be complete, and returns it.
collective& meet(const place& at, std::uint32_t mask, int kind, std::uint64_t value,
                 unsigned source = own_lane) {
  lane& self = running(name_of(at.what));
  warp& w = *self.home;
  const std::uint32_t me = 1U << self.index;
  self.at = at;
  if ((mask & me) == 0) {
    fail_hazard(self, finding_kind::wrong_mask,
                "calls with mask " + hex(mask) + ", which does not name it");
  }
  if (const std::uint32_t gone = mask & ~w.live; gone != 0) {
    fail_hazard(self, finding_kind::wrong_mask,
                "calls with mask " + hex(mask) + ", which names lanes " + hex(gone) +
                    " that have ended or never were; name the lanes that get here",
                ended_lane(w, gone), "has ended");
  }
  collective* joined = nullptr;
  for (collective& c : w.collectives) {
    if (c.unread == 0 && c.arrived != 0 && c.mask == mask && c.kind == kind &&
        (c.arrived & me) == 0) {
      joined = &c;
      break;
    }
  }
  if (joined == nullptr) {
    for (collective& c : w.collectives) {
      if (c.arrived == 0) joined = &c;
    }
    if (joined == nullptr) joined = &w.collectives.emplace_back();
    joined->mask = mask;
    joined->kind = kind;
  }
  joined->values[self.index] = value;
  joined->sources[self.index] = static_cast<std::uint8_t>(source == own_lane ? self.index : source);
  joined->arrived |= me;
  if (joined->arrived == mask) {
    complete(w, *joined, self);
  } else {
    w.elsewhere |= me;
    switch_away();
  }
  return *joined;
}

/// The calling lane has taken what it wanted.
void leave(collective& c, unsigned lane_in_warp) {
  c.unread &= ~(1U << lane_in_warp);
  if (c.unread == 0) c.arrived = 0;
}

}  // namespace

void fail_outside(const char* what) {
  throw kernel_error(std::string(what) + ": outside a kernel; launch one with simt::launch");
}

std::string describe(const place& where) {
  std::string file = where.file;
  if (const auto slash = file.rfind('/'); slash != std::string::npos) file.erase(0, slash + 1);
  file += ":" + std::to_string(where.line);
  if (where.what == word::none) return file;
  return name_of(where.what) + std::string(" (") + file + ")";
}

std::string describe(const lane& self) {
  std::string text = where_is(home_of(self)) + ", thread " + triple(self.thread_idx) + ", warp " +
                     std::to_string(self.home->index) + " lane " + std::to_string(self.index);
  if (self.at.line != 0) text += ", " + describe(self.at);
  return text;
}

void fail(const lane& self, const std::string& what, fault kind) {
  grid& g = *home_of(self).home->home->job;
  lane& current = *hot.current;
  hush_hooks();
  {
    const std::scoped_lock lock(g.mutex);
    if (g.failure.empty()) {
      g.failure = describe(self) + ": " + what;
      g.failure_kind = kind;
    }
    g.stop = true;
  }
  abandon(current);
}

void fail_stack(const lane& self) { fail(self, stack_advice); }

void fail_thrown(const lane& self, const std::exception_ptr& thrown) {
  std::string what = "threw something";
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    what = std::string("threw: ") + e.what();
  } catch (...) {
  }
  fail(self, what);
}

void fail_here(const char* file, int line, const char* what) {
  lane& self = running(what);
  self.at = {file, line, word::none};
  fail(self, what);
}

void assertion_failed(const char* expression, const char* file, int line, const char* function) {
  if (hot.current == nullptr) {
    std::fprintf(stderr, "%s:%d: %s: Assertion `%s' failed.\n", file, line, function, expression);
    std::abort();
  }
  hot.current->at = {file, line, word::none};
  fail(*hot.current, std::string("assertion `") + expression + "` failed in " + function,
       fault::assertion);
}

unsigned thread_index(int axis) {
  const uint3& t = running("threadIdx").thread_idx;
  return axis == 0 ? t.x : axis == 1 ? t.y : t.z;
}
unsigned block_index(int axis) {
  const uint3& b = home_of(running("blockIdx")).block_idx;
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
unsigned lane_index() { return running("laneid").index; }

void warp_gather(place at, std::uint32_t mask, std::uint64_t value, std::uint64_t* out) {
  collective& c = meet(at, mask, exchange_kind, value);
  std::copy(c.values.begin(), c.values.end(), out);
  leave(c, hot.current->index);
}

std::uint64_t warp_shuffle(place at, std::uint32_t mask, std::uint64_t value, unsigned source) {
  collective& c = meet(at, mask, exchange_kind, value, source);
  lane& self = *hot.current;
  if ((mask >> source & 1) == 0) {
    fail_hazard(self, finding_kind::wrong_mask,
                "reads from lane " + std::to_string(source) + ", which mask " + hex(mask) +
                    " does not name: what it gets is undefined");
  }
  const std::uint64_t result = c.values[source];
  leave(c, self.index);
  return result;
}

std::uint32_t warp_ballot(place at, std::uint32_t mask, bool predicate) {
  collective& c = meet(at, mask, ballot_kind, predicate ? 1 : 0);
  std::uint32_t votes = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto l = static_cast<unsigned>(std::countr_zero(rest));
    votes |= static_cast<std::uint32_t>(c.values[l]) << l;
  }
  leave(c, hot.current->index);
  return votes;
}

void warp_barrier(place at, std::uint32_t mask) {
  leave(meet(at, mask, barrier_kind, 0), hot.current->index);
}

void* shared_object(const void* tag, std::size_t bytes, std::size_t alignment, const char* name) {
  lane& self = running("shared_storage");
  block& b = home_of(self);
  for (const auto& known : b.storage) {
    if (known.tag == tag) return b.shared + known.begin;
  }
  const std::size_t offset = (b.storage_end + alignment - 1) / alignment * alignment;
  if (offset + bytes > max_shared_bytes) {
    fail(self, "asks for " + std::to_string(offset + bytes) +
                   " bytes of shared memory in all; a block has at most " +
                   std::to_string(max_shared_bytes));
  }
  b.storage.push_back({tag, offset, offset + bytes, name});
  b.storage_end = offset + bytes;
  std::memset(b.shared + offset, 0xA5, bytes);  // nobody wrote it: let it show
  return b.shared + offset;
}

void* dynamic_shared() { return home_of(running("dynamic shared memory")).shared; }
std::size_t dynamic_shared_bytes() {
  return grid_of(running("dynamic shared memory")).config.shared_bytes;
}

unsigned cluster_size() {
  return static_cast<unsigned>(home_of(running("cluster")).home->blocks.size());
}
unsigned cluster_rank() { return home_of(running("cluster")).rank; }

void* in_block(void* shared, unsigned rank) {
  lane& self = running("cluster");
  const block& b = home_of(self);
  if (rank >= b.home->blocks.size()) {
    fail(self, "asks for shared memory of block " + std::to_string(rank) + " in a cluster of " +
                   std::to_string(b.home->blocks.size()));
  }
  return b.home->blocks[rank].shared + (static_cast<std::byte*>(shared) - b.shared);
}

void yield_lane() {
  running("__nanosleep");
  give_way();
}

void fence() {
  if (hot.check != nullptr) check_fence();
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void note_word(const volatile void* word, bool release) {
  if (hot.check != nullptr) check_word(reinterpret_cast<std::uintptr_t>(word), release);
}

void note_atomic(const volatile void* p, unsigned bytes) {
  if (hot.restless) give_way_at_times();  // somebody else may come first
  note_access(p, access_kind::atomic, bytes, __builtin_return_address(0));
}

namespace {

void refuse_odd_copy(const lane& self, const void* to, const void* from, std::size_t bytes) {
  const auto odd =
      reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from) | bytes;
  if (odd % 16 != 0) fail(self, "a bulk copy's addresses and size must be multiples of 16 bytes");
}

}  // namespace

void bulk_copy(void* shared, const void* global, std::size_t bytes) {
  lane& self = running("bulk copy");
  refuse_odd_copy(self, shared, global, bytes);
  if (hot.check != nullptr) {
    check_copy_in(shared, global, bytes,
                  reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
  }
  std::memcpy(shared, global, bytes);
  if (hot.watch != nullptr) {
    watch_copy(static_cast<std::byte*>(shared), global, bytes,
               reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
  }
  home_of(self).home->home->trace.total.bulk_bytes += bytes;
}

void bulk_store(void* global, const void* shared, std::size_t bytes) {
  lane& self = running("bulk store");
  refuse_odd_copy(self, global, shared, bytes);
  if (hot.check != nullptr) {
    check_copy_out(global, shared, bytes,
                   reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
  }
  std::memcpy(global, shared, bytes);
  home_of(self).home->home->trace.total.bulk_bytes += bytes;
}

}  // namespace simt::detail
