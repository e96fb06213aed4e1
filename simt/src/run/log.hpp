// What a lane leaves behind: the basic blocks it entered, and where an observer reads them, the
// accesses it made.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "simt/src/observer.hpp"

namespace simt::detail {

/// One access of one lane. `site` packs the code position and what kind of access it was.
struct memory_event {
  std::uint64_t address;
  std::uint64_t site;
  std::uint32_t after;  // so many of the basic blocks in its log
};

constexpr std::uint64_t pack_site(std::uintptr_t pc, access_kind kind, space where,
                                  unsigned size_log2) {
  return pc << 8 | static_cast<unsigned>(kind) << 5 | static_cast<unsigned>(where) << 3 | size_log2;
}
constexpr std::uintptr_t position_of(std::uint64_t site) { return site >> 8; }
constexpr access_kind kind_of(std::uint64_t site) { return access_kind(site >> 5 & 3); }
constexpr space space_of(std::uint64_t site) { return space(site >> 3 & 3); }
constexpr unsigned size_of(std::uint64_t site) { return 1U << (site & 7); }

/// A growing array that a raw cursor writes into.
template <class T>
struct log_buffer {
  std::unique_ptr<T[]> begin;
  T* cursor = nullptr;
  T* limit = nullptr;

  /// Keeps the contents.
  void reserve(std::size_t capacity) {
    const std::size_t used = size();
    std::unique_ptr<T[]> wider(new T[capacity]);
    std::copy_n(begin.get(), used, wider.get());
    begin = std::move(wider);
    cursor = begin.get() + used;
    limit = begin.get() + capacity;
  }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(cursor - begin.get()); }
  [[nodiscard]] std::size_t capacity() const {
    return static_cast<std::size_t>(limit - begin.get());
  }
};

/// The log of one lane. While the lane runs, the cursor of the guards lives in `tls`.
struct lane_log {
  log_buffer<std::uint32_t> guards;  // basic blocks entered
  log_buffer<memory_event> memory;
};
using warp_log = std::array<lane_log, 32>;

struct lane;
/// Where the last basic block that `l` entered in this observed launch begins; of a thread that has
/// ended the one before, since the end is the same for all. 0 if not known.
std::uintptr_t last_position(const lane& l);

}  // namespace simt::detail
