// Aggregates of the values of each key, in files that need not fit in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "data/number_input.hpp"
#include "files/run.hpp"

namespace warpfold::files {

enum class aggregate : std::uint8_t { count, sum, min, max, mean };

struct aggregate_name {
  aggregate what;
  std::string_view name;
};
inline constexpr aggregate_name aggregates[] = {{aggregate::count, "count"},
                                                {aggregate::sum, "sum"},
                                                {aggregate::min, "min"},
                                                {aggregate::max, "max"},
                                                {aggregate::mean, "mean"}};

struct group_request {
  data::number_input& keys;
  data::number_input* values;  // one for each key; null where only a count is wanted
  std::vector<aggregate> wanted;
  bool exact;  // sums and means of floating-point values
  std::filesystem::path scratch_folder;
};

/// The keys of some groups, or one aggregate of each.
struct group_column {
  value_type type;
  std::vector<std::byte> bytes;
};
/// Takes the next groups in the order of their keys: the keys, then what is wanted.
using group_taker = std::function<void(std::span<const group_column>)>;

/// The types of these columns. Throws usage_error where there are no exact sums of the values.
std::vector<value_type> group_types(const group_request& request);

/// Sorts the values by their keys, and calls `take` with what each group of keys of the same bits
/// comes to. Sums that are not exact are added in 64 bits in the order of the input. Throws what
/// sort_all and group_types throw.
void group_all(const group_request& request, const group_taker& take, const run_options& o);

}  // namespace warpfold::files
