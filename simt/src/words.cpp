#include "simt/words.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <string>

#include <cxxabi.h>
#include <dlfcn.h>

#include "state.hpp"

namespace simt::detail {

std::string triple(const uint3& v) {
  return "(" + std::to_string(v.x) + "," + std::to_string(v.y) + "," + std::to_string(v.z) + ")";
}

std::string kernel_name(const void* kernel) {
  Dl_info info{};
  if (dladdr(kernel, &info) == 0 || info.dli_sname == nullptr) {
    return "(name not exported)";
  }
  int status = 0;
  char* const name = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status);
  std::string text = name != nullptr ? name : info.dli_sname;
  std::free(name);
  // "void f<int>(int*, unsigned)": the template arguments tell instances apart, the rest is noise.
  if (text.starts_with("void ")) text.erase(0, 5);
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>') --depth;
    if (text[i] == '(' && depth == 0) {
      text.resize(i);
      break;
    }
  }
  return text;
}

namespace {

constexpr std::array<const char*, 16> words{"",
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
                                            "__reduce_sync"};

std::string hex(std::uint32_t mask) {
  static constexpr const char* digits = "0123456789abcdef";
  std::string s = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) s += digits[mask >> shift & 15];
  return s;
}

std::string where_is(const grid& g, const block& b) {
  return "kernel " + kernel_name(g.kernel) + ", block " + triple(b.block_idx);
}

/// Lets the lanes of a complete operation go on.
void complete(warp& w, collective& c, const lane& last) {
  if (hot.check != nullptr) check_meeting(w, c.mask);
  c.unread = c.mask;
  make_ready(w, c.mask & ~(1U << last.index));
}

/// Joins the operation with this mask and kind, waits for it to be complete, and returns it.
collective& meet(const place& at, std::uint32_t mask, int kind, std::uint64_t value) {
  lane& self = running(words[static_cast<std::size_t>(at.what)]);
  warp& w = *self.home;
  const std::uint32_t me = 1U << self.index;
  self.at = at;
  if ((mask & me) == 0) fail(self, "calls with mask " + hex(mask) + ", which does not name it");
  const std::uint32_t whole = w.live | mask;
  if (whole != w.live) {
    fail(self, "calls with mask " + hex(mask) + ", which names lanes " + hex(mask & ~w.live) +
                   " that have ended or never were; name the lanes that get here");
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

enum kind_of_meeting : int { barrier_kind, ballot_kind, exchange_kind };

}  // namespace

void fail_outside(const char* what) {
  throw kernel_error(std::string(what) + ": outside a kernel; launch one with simt::launch");
}

std::string describe(const place& where) {
  std::string file = where.file;
  if (const auto slash = file.rfind('/'); slash != std::string::npos) file.erase(0, slash + 1);
  return words[static_cast<std::size_t>(where.what)] + std::string() + " (" + file + ":" +
         std::to_string(where.line) + ")";
}

std::string describe(const lane& self) {
  std::string text = where_is(grid_of(self), home_of(self)) + ", thread " +
                     triple(self.thread_idx) + ", warp " + std::to_string(self.home->index) +
                     " lane " + std::to_string(self.index);
  if (self.at.line != 0) text += ", " + describe(self.at);
  return text;
}

void fail(const lane& self, const std::string& what) {
  grid& g = *home_of(self).home->home->job;
  lane& current = *hot.current;
  hush_hooks();
  {
    const std::scoped_lock lock(g.mutex);
    if (g.failure.empty()) g.failure = describe(self) + ": " + what;
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

std::string deadlock_report(const group& g) {
  struct crowd {
    const lane* first;
    place at;
    bool spins;
    unsigned count;
  };
  for (const block& b : g.blocks) {
    if (b.live == 0 && g.blocks.size() > 1) continue;
    std::vector<crowd> waiting;
    for (const warp& w : b.warps) {
      for (const lane& l : w.lanes) {
        if ((w.live >> l.index & 1) == 0) continue;
        const bool spins = (w.spinning >> l.index & 1) != 0;
        const place& at = (w.elsewhere >> l.index & 1) != 0 ? l.at : b.barrier;
        const auto same = [&](const crowd& c) {
          return c.spins == spins &&
                 (spins || (c.at.line == at.line && std::string_view(c.at.file) == at.file));
        };
        const auto known = std::find_if(waiting.begin(), waiting.end(), same);
        if (known != waiting.end()) {
          ++known->count;
        } else {
          waiting.push_back({&l, at, spins, 1});
        }
      }
    }
    std::string text = where_is(*g.home->job, b) + ": no thread can go on.";
    for (const crowd& c : waiting) {
      text += " " + std::to_string(c.count) + " of " + std::to_string(g.threads_per_block) +
              " threads (first: thread " + triple(c.first->thread_idx) + ", warp " +
              std::to_string(c.first->home->index) + " lane " + std::to_string(c.first->index) +
              ") ";
      text += c.spins ? "spin for something that nobody does" : "wait at " + describe(c.at);
      text += ".";
    }
    if (b.first_exit != nullptr) {
      text += " " + std::to_string(g.threads_per_block - b.live) + " ended (first: thread " +
              triple(b.first_exit->thread_idx) +
              "); every thread of a block, also one with nothing to do, must reach its barriers.";
    }
    return text;
  }
  return "kernel " + kernel_name(g.home->job->kernel) + ": no thread can go on.";
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
  collective& c = meet(at, mask, exchange_kind, value);
  const lane& self = *hot.current;
  if ((mask >> source & 1) == 0) {
    fail(self, "reads from lane " + std::to_string(source) + ", which mask " + hex(mask) +
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

std::uint32_t active_lanes() { return running("__activemask").home->live; }

void* shared_object(const void* tag, std::size_t bytes, std::size_t alignment) {
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
  b.storage.push_back({tag, offset, offset + bytes});
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
