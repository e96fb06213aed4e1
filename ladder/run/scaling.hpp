// The growth of the work and the depth of rungs with n: counted on the CPU machine at powers of
// two, and compared with the formulas of the documents and of each rung.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ladder/ladder.hpp"
#include "ladder/run/driver.hpp"
#include "ladder/rung.hpp"

namespace warpfold::ladder {

struct scaling_point {
  std::size_t n = 0;
  unsigned block = 0;   // threads
  double uses = 0;      // of the operator, counted
  double own = 0;       // by the rung's own formula; 0: it has none
  double depth = 0;     // uses that follow one another, at most
  double barriers = 0;  // of all blocks, counted
  unsigned launches = 0;
  bool right = false;  // the result
};

struct scaling_row {
  const rung* which = nullptr;
  std::vector<scaling_point> points;  // ascending
};

/// Sums of i32 by all rungs of the ladder (or sorts of u32), n from 2^10 up to `most`, in blocks of
/// so many threads. A rung that takes fewer values has fewer points, or none.
std::vector<scaling_row> scale(const ladder_entry& ladder, std::span<const rung* const> rungs,
                               std::size_t most, unsigned block,
                               const report_progress& report = {});

/// The same in one block that takes all values, n from 2^6 to 2^10: what the documents'
/// formulas are about.
std::vector<scaling_row> scale_in_one_block(const ladder_entry& ladder,
                                            std::span<const rung* const> rungs,
                                            const report_progress& report = {});

/// A fit of y to coefficient * f(n) + constant. For work f is one of n, n log2 n, n log2² n, n²;
/// for depth one of log2 n, log2² n, n. The f with the smallest error at all points is chosen.
struct growth {
  std::string of;  // "n log2 n"
  double coefficient = 0;
  double constant = 0;  // of a depth
  double miss = 0;      // the largest |fit - y| / y
  [[nodiscard]] std::string text() const;
};
std::optional<growth> growth_of_work(std::span<const scaling_point> points);
std::optional<growth> growth_of_depth(std::span<const scaling_point> points);

/// What a sum of n values costs with so many threads: threads times depth.
struct cost_row {
  std::string who;  // "one thread a value"
  double threads = 0;
  double depth = 0;    // measured
  double formula = 0;  // n/threads + log2(threads), or as the document has it
  [[nodiscard]] double cost() const { return threads * depth; }
};

/// Document 004's table: a loop, a tree with a thread for each value, and cascades on fewer and
/// fewer threads, n / log2 n of them (Brent) among these.
std::vector<cost_row> cost_of_sum(std::size_t n, unsigned block);

}  // namespace warpfold::ladder
