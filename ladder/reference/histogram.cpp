#include "ladder/reference/histogram.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace warpfold::ladder {

histogram_reference::histogram_reference(const host_values& values, unsigned bins) : counts_(bins) {
  count_serial(values, counts_);
}

measure::verdict histogram_reference::judge(const std::uint32_t* counts) const {
  const auto [due, wrong] = std::mismatch(counts_.begin(), counts_.end(), counts);
  if (due == counts_.end()) return {.right = true, .result = "counted", .expected = "counted"};
  const auto bin = due - counts_.begin();
  return {.right = false,
          .result = fmt::format("[{}] {}", bin, *wrong),
          .expected = fmt::format("[{}] {}", bin, *due)};
}

void count_serial(const host_values& values, std::span<std::uint32_t> counts) {
  std::fill(counts.begin(), counts.end(), 0U);
  visit_type(values.type, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T>) {
      const std::span all(static_cast<const T*>(values.data), values.n);
      for (const T v : all) {
        if (std::in_range<std::size_t>(v) && static_cast<std::size_t>(v) < counts.size()) {
          ++counts[static_cast<std::size_t>(v)];
        }
      }
    }
  });
}

}  // namespace warpfold::ladder
