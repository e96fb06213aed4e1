// Device memory for the length of one call: what the caller gave, or stream-ordered memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/device/detail/device_buffer.cuh"
#include "warpfold/device/detail/tile_status.cuh"
#include "warpfold/environment.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Where a call's work goes, and the memory that the caller gave for it, if any.
struct work_place {
  stream_type stream;
  void* data;
  std::size_t bytes;
};

template <class Memory>
work_place in_memory(stream_type stream, const Memory& memory) {
  return {stream, memory.data, memory.bytes};
}

/// For calls that need cleared memory.
template <class Level, class Memory>
work_place for_cleared(const device_execution_with<Level, Memory>& where) {
  static_assert(!std::is_same_v<Memory, temp_storage_view>,
                "a sort's temp_storage is not cleared: give reductions and scans a workspace");
  if constexpr (std::is_same_v<Memory, both_memories>)
    return in_memory(where.stream(), where.memory().cleared);
  else
    return in_memory(where.stream(), where.memory());
}
/// For calls that leave data in their memory.
template <class Level, class Memory>
work_place for_sorts(const device_execution_with<Level, Memory>& where) {
  static_assert(!std::is_same_v<Memory, workspace_view>,
                "a sort leaves data in its memory, a workspace stays cleared: give sorts "
                "temp_storage");
  if constexpr (std::is_same_v<Memory, both_memories>)
    return in_memory(where.stream(), where.memory().scratch);
  else
    return in_memory(where.stream(), where.memory());
}

/// The bytes that a call needs, and what is said of fewer: which function returns them.
struct memory_size {
  std::size_t bytes;
  const char* too_small;

  constexpr memory_size(  // NOLINT(google-explicit-constructor): most are a number
      std::size_t needed, const char* fewer = "the memory that the call was given is too small")
      : bytes(needed), too_small(fewer) {}
};

/// Whether a call that needs so many bytes can work in what it was given.
inline status refuse_memory(const work_place& where, const memory_size& needed) {
  constexpr std::size_t alignment = 256;
  if (where.data == nullptr) return {};
  if (where.bytes < needed.bytes) return {1, needed.too_small, needed.bytes, where.bytes};
  const auto address = reinterpret_cast<std::uintptr_t>(where.data);
  if (address % alignment != 0) {
    return {1, "the memory that the call was given is not aligned", alignment,
            static_cast<std::size_t>(address & (~address + 1))};
  }
  return {};
}

/// The memory of a call: given, or allocated for it alone.
class scratch {
 public:
  /// `needed` bytes of what is given, or else `now` bytes, zeroed if so wished: none if `now` is 0.
  scratch(const work_place& where, const memory_size& needed, std::size_t now, bool zeroed = true)
      : data_(where.data), bytes_(where.bytes), state_(refuse_memory(where, needed)) {
    if (where.data != nullptr || now == 0) return;
    state_ = own_.allocate(now, where.stream);
    if (!state_.ok()) return;
    data_ = own_.data();
    bytes_ = now;
    if (zeroed) state_ = own_.zero();
  }

  [[nodiscard]] const status& state() const { return state_; }
  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] tile_status status_words() const { return tile_status::in(data_, bytes_); }

 private:
  device_buffer<std::byte> own_;
  void* data_;
  std::size_t bytes_;
  status state_;
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
