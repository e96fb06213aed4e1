// What sorts refuse of the ranges that they are given: columns of different lengths, and outputs
// that lie in what is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "warpfold/order.hpp"
#include "warpfold/ranges.hpp"
#include "warpfold/status.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// A range of the call's.
struct column {
  const void* data;
  std::size_t count, bytes;
  const char* unit;
  const char* overlaps;  // what is said if others lie in it; null if it is only read

  template <values Range>
  column(const Range& range, const char* counted_in, const char* refusal = nullptr)
      : data(std::ranges::data(range)),
        count(std::ranges::size(range)),
        bytes(count * sizeof(value_of<Range>)),
        unit(counted_in),
        overlaps(refusal) {}

  [[nodiscard]] bool meets(const column& other) const {
    const auto a = reinterpret_cast<std::uintptr_t>(data);
    const auto b = reinterpret_cast<std::uintptr_t>(other.data);
    return bytes > 0 && other.bytes > 0 && a < b + other.bytes && b < a + bytes;
  }
};

/// All have as many values as the first, and what is written lies apart from all others.
inline status refuse_columns(std::span<const column> columns) {
  for (const column& c : columns) {
    if (c.count != columns[0].count) {
      return {1, "a sort's keys, items and outputs are as many as each other", columns[0].count,
              c.count, c.unit};
    }
  }
  for (const column& c : columns) {
    for (const column& other : columns) {
      if (c.overlaps != nullptr && &other != &c && c.meets(other)) return {1, c.overlaps};
    }
  }
  return {};
}
template <class... Columns>
status refuse_columns(const column& first, const Columns&... others) {
  const column columns[] = {first, others...};
  return refuse_columns(std::span<const column>(columns));
}

/// A range of bits that is not one of K's.
template <class K, class Less>
status refuse_bits(const Less& less) {
  if constexpr (is_by_bits<Less>) {
    if (less.begin > less.end) {
      return {1, "a sort by bits takes a range that ends where it begins, or above", less.begin,
              less.end, "bits"};
    }
    if (less.end > 8 * sizeof(K)) {
      return {1, "a sort by bits takes bits that its keys have", less.end, 8 * sizeof(K), "bits"};
    }
  }
  return {};
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
