// What an algorithm across ranks asks of the library that moves its data, and how rows are divided
// among ranks.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpfold/error.hpp"

namespace warpfold::inline WARPFOLD_MACHINE::ranks_detail {

/// Which rows travel, by a rank's cuts.
struct row_traffic {
  std::vector<std::uint64_t> cuts;    // outgoing: [cuts[r], cuts[r + 1]) goes to rank r
  std::vector<std::size_t> arrivals;  // incoming: [arrivals[r], arrivals[r + 1]) comes from rank r
};

/// All ranks make the same calls in the same order. Besides these a transport has find_cuts(sorted
/// keys, targets, less), traffic_of(cuts, rows) and exchange(traffic, rows, room).
template <class T>
concept transport = requires(const T& t, std::vector<std::uint64_t> (*counts)(), void (*f)()) {
  { t.rank() } -> std::same_as<std::size_t>;
  { t.size() } -> std::same_as<std::size_t>;
  t.here();  // the host's place for this rank's own work
  /// One value of each rank, in their order.
  { t.all_gather(std::uint64_t{}) } -> std::same_as<std::vector<std::uint64_t>>;
  /// All values of all ranks.
  { t.all_gather_rows(std::span<const double>{}) } -> std::same_as<std::vector<double>>;
  /// One value to each rank, and one from each.
  { t.all_to_all(std::span<const double>{}) } -> std::same_as<std::vector<double>>;
  /// The sums of the counts that counts() gives; they are as many on each rank. Where it throws on
  /// one, the call throws on all.
  { t.all_reduce(std::size_t{}, counts) } -> std::same_as<std::vector<std::uint64_t>>;
  /// f() on all ranks: where one throws, all do.
  t.agreed(f);
};

/// Where each rank's part of `counts` rows begins, and the end.
inline std::vector<std::uint64_t> begins_of(const std::vector<std::uint64_t>& counts) {
  std::vector<std::uint64_t> begins{0};
  for (const std::uint64_t count : counts) begins.push_back(begins.back() + count);
  return begins;
}
/// The same where all have as many, the first ones one more.
inline std::vector<std::uint64_t> even_begins(std::uint64_t rows, std::uint64_t ranks) {
  std::vector<std::uint64_t> begins;
  for (std::uint64_t r = 0; r <= ranks; ++r) {
    begins.push_back(rows / ranks * r + std::min(r, rows % ranks));
  }
  return begins;
}

}  // namespace warpfold::inline WARPFOLD_MACHINE::ranks_detail
