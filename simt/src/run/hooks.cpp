// The callbacks that clang's -fsanitize-coverage puts before every basic block, load and store of a
// kernel file. They are the hot path of the machine: no kernel running, or nothing to count, must
// cost a comparison.
#include <bit>
#include <cstdint>
#include <vector>

#include "simt/src/memory/arena.hpp"
#include "simt/src/run/model.hpp"

namespace simt::detail {

constinit thread_local hot_state hot [[gnu::tls_model("initial-exec")]];
constinit thread_local std::uint64_t applications [[gnu::tls_model("initial-exec")]] = 0;

namespace {

std::uint32_t blocks_known = 0;

/// Called in tail position, to keep the hot path without a frame.
[[gnu::noinline]] void guards_full(std::uint32_t guard) {
  if (hot.current == nullptr) return;  // host code in a kernel file
  constexpr unsigned rounds_in_a_slice = 32;
  if (hot.counting || ++hot.rounds % rounds_in_a_slice == 0) give_way();
  // Also after giving way: who ran meanwhile may have filled the trail again.
  if (!hot.counting) hot.guard_cursor = hot.guard_limit - unread_blocks;
  *hot.guard_cursor++ = guard;
}

[[gnu::noinline]] void log_access(std::uintptr_t address, access_kind kind, unsigned size_log2,
                                  void* pc) {
  space where = space::global;
  if (!in_arena(address)) {
    if (address - hot.shared_base < shared_stride) {
      where = space::shared;
    } else if (address - hot.group_base < hot.group_bytes) {
      where = space::remote;
    } else if (!is_global(address)) {
      return;  // registers spilled, locals, constants
    }
  }
  if (hot.check != nullptr) {
    check_access(address, kind, where, size_log2, reinterpret_cast<std::uintptr_t>(pc));
  }
  if (hot.watch != nullptr) {
    watch_access(address, kind, where, size_log2, reinterpret_cast<std::uintptr_t>(pc));
  }
  if (!hot.counting) return;
  if (hot.memory_cursor == hot.memory_limit) give_way();
  *hot.memory_cursor++ = {address,
                          pack_site(reinterpret_cast<std::uintptr_t>(pc), kind, where, size_log2),
                          static_cast<std::uint32_t>(hot.guard_cursor - hot.guard_begin)};
}

inline void note(std::uintptr_t address, access_kind kind, unsigned size_log2, void* pc) {
  if (hot.watching) log_access(address, kind, size_log2, pc);
}

/// The processor would end the program at it, a device ends the kernel.
[[gnu::noinline]] void fail_alignment(std::uintptr_t address, access_kind kind, void* pc) {
  if (hot.current == nullptr) return;  // host code in a kernel file
  if (hot.check == nullptr) {
    fail(*hot.current, "accesses 16 bytes at an address that is no multiple of 16",
         fault::alignment);
  }
  check_misaligned(address, kind, is_global(address) ? space::global : space::shared,
                   reinterpret_cast<std::uintptr_t>(pc));
}

/// Of 16 bytes.
inline void note_wide(std::uintptr_t address, access_kind kind, void* pc) {
  if (address % 16 != 0) [[unlikely]]
    fail_alignment(address, kind, pc);
  note(address, kind, 4, pc);
}

/// The basic blocks of one program or library: their first id, and where they begin.
struct block_table {
  std::uint32_t first;
  const std::uintptr_t* begin;
  const std::uintptr_t* end;
};
std::vector<block_table>& block_tables() {
  static std::vector<block_table> tables;
  return tables;
}

}  // namespace

std::uint32_t known_blocks() { return blocks_known; }

std::uintptr_t position_of_block(std::uint32_t id) {
  for (const block_table& t : block_tables()) {
    const std::size_t at = 2 * (std::size_t{id} - t.first);  // pairs of a position and flags
    if (id >= t.first && t.begin + at < t.end) return t.begin[at] + 1;  // as a call's return
  }
  return 0;
}

std::vector<std::pair<std::uintptr_t, std::uint32_t>> known_functions() {
  std::vector<std::pair<std::uintptr_t, std::uint32_t>> all;
  for (const block_table& t : block_tables()) {
    std::uint32_t id = t.first;
    for (const std::uintptr_t* entry = t.begin; entry != t.end; entry += 2, ++id) {
      if ((entry[1] & 1) != 0) all.emplace_back(entry[0], id);  // a function's entry
    }
  }
  return all;
}

void hush_hooks() {
  hot.current = nullptr;
  hot.at = nullptr;
  hot.counting = hot.watching = hot.restless = false;
  hot.check = nullptr;
  hot.watch = nullptr;
  hot.guard_cursor = hot.guard_limit = nullptr;
}

void note_access(const volatile void* p, access_kind kind, unsigned bytes, void* pc) {
  note(reinterpret_cast<std::uintptr_t>(p), kind, static_cast<unsigned>(std::countr_zero(bytes)),
       pc);
}

}  // namespace simt::detail

using simt::detail::access_kind;

// The names and types are the compiler's.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-*)
extern "C" {

void __sanitizer_cov_trace_pc_guard_init(std::uint32_t* start, std::uint32_t* stop) {
  if (start == stop || *start != 0) return;
  for (std::uint32_t* g = start; g != stop; ++g) *g = ++simt::detail::blocks_known;
}

/// Comes after the ids of the same blocks.
void __sanitizer_cov_pcs_init(const std::uintptr_t* begin, const std::uintptr_t* end) {
  for (const auto& t : simt::detail::block_tables()) {
    if (t.begin == begin) return;
  }
  const auto blocks = static_cast<std::uint32_t>((end - begin) / 2);
  simt::detail::block_tables().push_back({simt::detail::blocks_known - blocks + 1, begin, end});
}

void __sanitizer_cov_trace_pc_guard(std::uint32_t* guard) {
  auto& h = simt::detail::hot;
  if (h.guard_cursor == h.guard_limit) [[unlikely]]
    return simt::detail::guards_full(*guard);
  *h.guard_cursor++ = *guard;
}

void __sanitizer_cov_load1(void* p) {
  simt::detail::note(std::bit_cast<std::uintptr_t>(p), access_kind::load, 0,
                     __builtin_return_address(0));
}
void __sanitizer_cov_load2(void* p) {
  simt::detail::note(std::bit_cast<std::uintptr_t>(p), access_kind::load, 1,
                     __builtin_return_address(0));
}
void __sanitizer_cov_load4(void* p) {
  simt::detail::note(std::bit_cast<std::uintptr_t>(p), access_kind::load, 2,
                     __builtin_return_address(0));
}
void __sanitizer_cov_load8(void* p) {
  simt::detail::note(std::bit_cast<std::uintptr_t>(p), access_kind::load, 3,
                     __builtin_return_address(0));
}
void __sanitizer_cov_load16(void* p) {
  simt::detail::note_wide(std::bit_cast<std::uintptr_t>(p), access_kind::load,
                          __builtin_return_address(0));
}
void __sanitizer_cov_store1(void* p) {
  simt::detail::note(std::bit_cast<std::uintptr_t>(p), access_kind::store, 0,
                     __builtin_return_address(0));
}
void __sanitizer_cov_store2(void* p) {
  simt::detail::note(std::bit_cast<std::uintptr_t>(p), access_kind::store, 1,
                     __builtin_return_address(0));
}
void __sanitizer_cov_store4(void* p) {
  simt::detail::note(std::bit_cast<std::uintptr_t>(p), access_kind::store, 2,
                     __builtin_return_address(0));
}
void __sanitizer_cov_store8(void* p) {
  simt::detail::note(std::bit_cast<std::uintptr_t>(p), access_kind::store, 3,
                     __builtin_return_address(0));
}
void __sanitizer_cov_store16(void* p) {
  simt::detail::note_wide(std::bit_cast<std::uintptr_t>(p), access_kind::store,
                          __builtin_return_address(0));
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-*)
