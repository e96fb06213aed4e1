// Offsets of segments that have one length, or are given by their lengths, for kernels that read
// offsets: a launch before them adds up the lengths (ends.cuh).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/device/detail/requirements.hpp"
#include "warpfold/device/segments/ends.cuh"
#include "warpfold/device/segments/sort_dispatch.cuh"
#include "warpfold/device/sized.cuh"
#include "warpfold/segment_forms.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

struct equal_lengths {
  std::size_t length;

  __device__ __forceinline__ bool load(std::size_t, std::uint64_t& of_one) const {
    of_one = length;
    return true;
  }
};
/// A wrong one makes an offset that falls or leaves the range. Segments behind `count` are empty.
template <class Length>
struct unchecked_lengths {
  static_assert(std::is_integral_v<Length>, "lengths are integers");
  const Length* lengths;
  value_count count;

  __device__ __forceinline__ bool load(std::size_t i, std::uint64_t& length) const {
    length = i < count.load() ? static_cast<std::uint64_t>(lengths[i]) : 0;
    return true;
  }
};

/// The memory before that of a sort: status words, then the offsets.
struct offset_storage {
  std::size_t offsets, bytes;

  constexpr explicit offset_storage(std::size_t segments)
      : offsets(rounded(segment_ends_bytes(segments))),
        bytes(offsets + rounded((segments + 1) * sizeof(std::uint64_t))) {}

 private:
  static constexpr std::size_t rounded(std::size_t size) { return (size + 255) / 256 * 256; }
};

/// A sort of segments of n rows: sort(place, segments) in `memory` bytes of its own.
template <device_place Where, class Sort>
struct segmented_sort_call {
  const Where& where;
  std::size_t n;
  std::size_t* refused;
  memory_size memory;
  Sort sort;

  template <sized_values Offsets>
  status on(const Offsets& offsets) const {
    using given = given_values<Offsets>;
    static_assert(std::is_integral_v<typename given::value_type>, "offsets are integers");
    return sort(for_sorts(where), given_segments<typename given::value_type>{
                                      given::most(offsets).data(), given::count(offsets), refused});
  }
  status on(const segments_of_length& segments) const {
    const std::size_t total = values_in_rows(segments.count, segments.length);
    if (total > n) return {1, "the segments have more rows than there are", total, n, "rows"};
    return add_up(equal_lengths{segments.length}, segments.count);
  }
  template <class Lengths>
  status on(const segments_of_lengths<Lengths>& segments) const {
    using given = given_values<decltype(segments.lengths)>;
    require_device_memory<Lengths>();
    const value_count count = given::count(segments.lengths);
    return add_up(
        unchecked_lengths<typename given::value_type>{given::most(segments.lengths).data(), count},
        count.n);
  }

 private:
  template <class Lengths>
  status add_up(const Lengths& lengths, std::size_t segments) const {
    const offset_storage storage(segments);
    const std::size_t bytes = storage.bytes + memory.bytes;
    const scratch all(for_sorts(where), {bytes, memory.too_small}, bytes, false);
    if (!all.state().ok()) return all.state();
    auto* const begin = static_cast<std::byte*>(all.data());
    auto* const offsets = reinterpret_cast<std::uint64_t*>(begin + storage.offsets);
    const work_place words{where.stream(), begin, storage.offsets};
    status s = zero_async(begin, storage.offsets + sizeof *offsets, words.stream);
    if (s.ok()) {
      s = store_segment_ends(
          words, ends_problem<Lengths>{lengths, {segments, nullptr}, offsets + 1, nullptr});
    }
    if (!s.ok()) return s;
    return sort(work_place{words.stream, begin + storage.bytes, memory.bytes},
                given_segments<std::uint64_t>{offsets, {segments + 1, nullptr}, refused});
  }
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
