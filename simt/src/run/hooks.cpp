// The callbacks that clang's -fsanitize-coverage puts before every basic block, load and store of a
// kernel file. They are the hot path of the machine: no kernel running, or nothing to count, must
// cost a comparison.
#include "simt/src/run/hooks.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "simt/src/memory/arena.hpp"
#include "simt/src/run/failures.hpp"
#include "simt/src/run/model.hpp"
#include "simt/src/run/schedule.hpp"
#include "simt/src/run/tls.hpp"

namespace simt::detail {

constinit thread_local thread_state tls [[gnu::tls_model("initial-exec")]];
constinit thread_local std::uint64_t applications [[gnu::tls_model("initial-exec")]] = 0;

namespace {

/// Called in tail position, to keep the hot path without a frame.
[[gnu::noinline]] void guards_full(std::uint32_t guard) {
  if (tls.current == nullptr) return;  // host code in a kernel file
  constexpr unsigned rounds_in_a_slice = 32;
  if (tls.logging || ++tls.slices % rounds_in_a_slice == 0) end_slice(SIMT_SAVED_REGISTERS());
  // Also after a yield: the lane that ran meanwhile may have filled them again.
  if (!tls.logging) tls.guard_cursor = tls.guard_limit - unread_blocks;
  *tls.guard_cursor++ = guard;
}

/// In tail position too, and so is what it calls.
[[gnu::noinline]] void tell_access(std::uintptr_t address, access_kind kind, unsigned size_log2,
                                   void* pc) {
  space where = space::global;
  if (!in_arena(address)) {
    if (address - tls.shared_base < shared_stride) {
      where = space::shared;
    } else if (address - tls.cluster_base < tls.cluster_bytes) {
      where = space::remote;
    } else if (!is_global(address)) {
      // Registers spilled and locals lie above this frame, on the thread's own stack.
      const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
      if (address - frame < stack_bytes) return;
      return tls.observer->other_access(address, kind, size_log2,
                                        reinterpret_cast<std::uintptr_t>(pc));
    }
  }
  tls.observer->access(address, kind, where, size_log2, reinterpret_cast<std::uintptr_t>(pc));
}

inline void note(std::uintptr_t address, access_kind kind, unsigned size_log2, void* pc) {
  if (tls.observer != nullptr) tell_access(address, kind, size_log2, pc);
}

/// The processor would end the program at it, a device ends the kernel.
[[gnu::noinline]] void fail_alignment(std::uintptr_t address, access_kind kind, void* pc) {
  if (tls.current == nullptr) return;  // host code in a kernel file
  const bool remote = address - tls.cluster_base < tls.cluster_bytes;
  if (!is_global(address) && !remote && address - tls.shared_base >= shared_stride) return;
  if (tls.observer != nullptr) {
    tls.observer->misaligned_access(address, kind,
                                    is_global(address) ? space::global : space::shared,
                                    reinterpret_cast<std::uintptr_t>(pc));
  }
  fail(*tls.current, "accesses 16 bytes at an address that is no multiple of 16", fault::alignment);
}

/// Of 16 bytes.
inline void note_wide(std::uintptr_t address, access_kind kind, void* pc) {
  if (address % 16 != 0) [[unlikely]]
    fail_alignment(address, kind, pc);
  note(address, kind, 4, pc);
}

void note_part(std::uintptr_t address, access_kind kind, unsigned bytes, void* pc) {
  if (bytes == 16) return note_wide(address, kind, pc);
  note(address, kind, static_cast<unsigned>(std::countr_zero(bytes)), pc);
}

/// Calls `f(offset, bytes)` for the accesses, as wide as `width` lets them be, that so many bytes
/// are.
template <class F>
void for_each_part(std::size_t bytes, unsigned width, F f) {
  for (std::size_t at = 0; at < bytes; at += width) {
    while (width > bytes - at) width /= 2;
    f(at, width);
  }
}

/// An access of `bytes`, as parts of `width`.
inline void note_parts(void* p, access_kind kind, unsigned bytes, unsigned width, void* pc) {
  for_each_part(bytes, width, [&](std::size_t at, unsigned part) {
    note(reinterpret_cast<std::uintptr_t>(p) + at, kind,
         static_cast<unsigned>(std::countr_zero(part)), pc);
  });
}

/// Does what touches memory; a fault in it is the kernel's at `pc`.
template <class F>
void act_for(void* pc, F f) {
  acting_at = reinterpret_cast<std::uintptr_t>(pc) - 1;
  f();
  acting_at = 0;
}

}  // namespace

constinit thread_local std::uintptr_t acting_at [[gnu::tls_model("initial-exec")]] = 0;

void disable_hooks() {
  tls.current = nullptr;
  tls.warp = nullptr;
  tls.observer = nullptr;
  tls.logging = tls.restless = false;
  tls.guard_cursor = tls.guard_limit = nullptr;
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

void __sanitizer_cov_trace_pc_guard(std::uint32_t* guard) {
  auto& h = simt::detail::tls;
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

// What source_step/instrument.hpp puts in place of the compiler's own.

void simt_load2_parts(void* p, unsigned width) {
  simt::detail::note_parts(p, access_kind::load, 2, width, __builtin_return_address(0));
}
void simt_load4_parts(void* p, unsigned width) {
  simt::detail::note_parts(p, access_kind::load, 4, width, __builtin_return_address(0));
}
void simt_load8_parts(void* p, unsigned width) {
  simt::detail::note_parts(p, access_kind::load, 8, width, __builtin_return_address(0));
}
void simt_load16_parts(void* p, unsigned width) {
  simt::detail::note_parts(p, access_kind::load, 16, width, __builtin_return_address(0));
}
void simt_store2_parts(void* p, unsigned width) {
  simt::detail::note_parts(p, access_kind::store, 2, width, __builtin_return_address(0));
}
void simt_store4_parts(void* p, unsigned width) {
  simt::detail::note_parts(p, access_kind::store, 4, width, __builtin_return_address(0));
}
void simt_store8_parts(void* p, unsigned width) {
  simt::detail::note_parts(p, access_kind::store, 8, width, __builtin_return_address(0));
}
void simt_store16_parts(void* p, unsigned width) {
  simt::detail::note_parts(p, access_kind::store, 16, width, __builtin_return_address(0));
}

// What simt/pass/passing.hpp puts in.

void simt_comes_to(const void* barrier) {
  if (simt::detail::tls.observer != nullptr) simt::detail::tls.observer->comes_to(barrier);
}
void simt_passes(const void* barrier) {
  if (simt::detail::tls.observer != nullptr) simt::detail::tls.observer->passes(barrier);
}

void simt_load_parts(void* p, unsigned bytes, unsigned width) {
  simt::detail::note_parts(p, access_kind::load, bytes, width, __builtin_return_address(0));
}
void simt_store_parts(void* p, unsigned bytes, unsigned width) {
  simt::detail::note_parts(p, access_kind::store, bytes, width, __builtin_return_address(0));
}

void simt_copy(void* to, const void* from, std::size_t bytes, unsigned width) {
  if (simt::detail::tls.current == nullptr) {  // host code in a kernel file
    std::memmove(to, from, bytes);
    return;
  }
  void* const pc = __builtin_return_address(0);
  auto* const target = static_cast<std::byte*>(to);
  const auto* const source = static_cast<const std::byte*>(from);
  // The parts lie in the order in which none is overwritten before it is read.
  const bool backward = target > source && target < source + bytes;
  if (backward) width = 1;
  simt::detail::for_each_part(bytes, width, [&](std::size_t offset, unsigned part) {
    const std::size_t at = backward ? bytes - 1 - offset : offset;
    simt::detail::note_part(std::bit_cast<std::uintptr_t>(source + at), access_kind::load, part,
                            pc);
    simt::detail::note_part(std::bit_cast<std::uintptr_t>(target + at), access_kind::store, part,
                            pc);
    simt::detail::act_for(pc, [&] { std::memcpy(target + at, source + at, part); });
  });
}

void simt_fill(void* to, unsigned char value, std::size_t bytes, unsigned width) {
  if (simt::detail::tls.current == nullptr) {
    std::memset(to, value, bytes);
    return;
  }
  void* const pc = __builtin_return_address(0);
  auto* const target = static_cast<std::byte*>(to);
  simt::detail::for_each_part(bytes, width, [&](std::size_t at, unsigned part) {
    simt::detail::note_part(std::bit_cast<std::uintptr_t>(target + at), access_kind::store, part,
                            pc);
    simt::detail::act_for(pc, [&] { std::memset(target + at, value, part); });
  });
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-*)
