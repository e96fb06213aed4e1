// Sorted runs in a scratch file, and where to cut them so that the pieces before the cuts are the
// first rows of all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "data/output_file.hpp"

namespace warpfold::files {

/// Where the rows of sorted runs lie: keys of run r are rows [r * run_rows, …) of the scratch file,
/// the items of all rows behind the keys of all rows.
struct sorted_runs {
  const data::scratch_file& file;
  std::uint64_t rows, run_rows;
  std::size_t item_bytes;
};

/// The first row in [low, high) of a sorted run whose key does not satisfy before(key).
template <class Key, class Before>
std::uint64_t first_row_not(const sorted_runs& runs, std::uint64_t low, std::uint64_t high,
                            const Before& before) {
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    Key key;
    runs.file.read(middle * sizeof key, std::as_writable_bytes(std::span(&key, 1)));
    if (before(key))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// A row of each run: `target` rows of all stand before them, equal keys in the order of the runs.
/// Bisects the keys' values. What is left of each run shrinks on the way, so that all takes about
/// as many reads a run as a key has bits, and the logarithm of its length.
template <class Key>
std::vector<std::uint64_t> cut_runs(const sorted_runs& runs, std::uint64_t target) {
  std::vector<std::uint64_t> low, high;
  for (std::uint64_t at = 0; at < runs.rows; at += runs.run_rows) {
    low.push_back(at);
    high.push_back(std::min(runs.rows, at + runs.run_rows));
  }
  if (target == 0) return low;
  if (target >= runs.rows) return high;
  const auto begins = low;
  const auto before = [&](const std::vector<std::uint64_t>& cuts) {
    return std::accumulate(cuts.begin(), cuts.end(), std::uint64_t{0}) -
           std::accumulate(begins.begin(), begins.end(), std::uint64_t{0});
  };
  const auto cuts_where = [&](const auto& is_before) {
    std::vector<std::uint64_t> cuts;
    for (std::size_t r = 0; r < low.size(); ++r) {
      cuts.push_back(first_row_not<Key>(runs, low[r], high[r], is_before));
    }
    return cuts;
  };
  // The least key up to which there are `target` rows.
  Key least = 0, greatest = std::numeric_limits<Key>::max();
  while (least < greatest) {
    const Key middle = least + (greatest - least) / 2;
    auto upto = cuts_where([&](Key key) { return key <= middle; });
    if (before(upto) >= target) {
      greatest = middle;
      high = std::move(upto);
    } else {
      least = middle + 1;
      low = std::move(upto);
    }
  }
  auto cuts = cuts_where([&](Key key) { return key < least; });
  const auto most = cuts_where([&](Key key) { return key <= least; });
  std::uint64_t equals = target - before(cuts);
  for (std::size_t r = 0; r < cuts.size(); ++r) {
    const std::uint64_t taken = std::min(equals, most[r] - cuts[r]);
    cuts[r] += taken;
    equals -= taken;
  }
  return cuts;
}

}  // namespace warpfold::files
