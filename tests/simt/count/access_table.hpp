// The measured access patterns of tests/golden, and the counters of simt that must equal them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simt/counters.hpp"

namespace warpfold::tests {

inline constexpr std::int64_t inactive = -1;

struct access_pattern {
  std::string id, space, op;
  unsigned size = 0;
  /// The byte offset of each lane, or `inactive`; one array a warp.
  std::vector<std::array<std::int64_t, 32>> warps;
  std::map<std::string, double, std::less<>> measured;  // by column; what was not is not there

  [[nodiscard]] std::int64_t end() const;  // behind the last byte touched
};

std::vector<access_pattern> access_patterns();

/// Every column that holds a counter which the machine gives under its ncu name.
struct column {
  std::string_view name, counter;
};
extern const std::vector<column> exact_columns;

/// Checks `counted` against all that was measured for `p`, exact columns only.
void expect_as_measured(const access_pattern& p, const simt::counters& counted);

}  // namespace warpfold::tests
