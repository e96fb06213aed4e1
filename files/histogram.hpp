// Histograms of files: how many values are in each bin, or what their weights add up to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "data/number_input.hpp"
#include "files/reduce.hpp"
#include "files/run.hpp"

namespace warpfold::files {

struct histogram_request {
  data::number_input& values;
  data::number_input* weights = nullptr;             // one for each value
  std::size_t bins = 10;                             // of one width, between two edges,
  std::optional<std::pair<number, number>> range{};  // by default the least and greatest value
  data::number_input* bounds = nullptr;              // or bins between these
};

/// The bins are those of warpfold/histogram/bins.hpp.
struct histogram_of_file {
  value_type type;  // of counts u64; of sums the weights', 64 bits wide for integers
  std::vector<std::byte> bins;
  std::size_t bin_count;
  std::uint64_t value_count;                // in a bin or in none
  std::function<number(std::size_t)> edge;  // below bin k, above bin k - 1

  [[nodiscard]] number value(std::size_t bin) const;
};

/// Counts the values of each bin, or adds their weights: floating-point ones exactly, rounded once.
/// Reads the values twice where it has to find their range. Throws usage_error for bins that are
/// none, a stream that would be read twice, weights of another number, and tables that do not fit
/// in the memory; data_error where the range of the values is not finite.
histogram_of_file histogram_all(const histogram_request& request, const run_options& o);

}  // namespace warpfold::files
