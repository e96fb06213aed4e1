// Predictions of time beside what the device took: stored times of the ladders' rungs, and what the
// CPU machine counted of the same rungs, sizes and blocks.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "measure/json.hpp"
#include "simt/prediction.hpp"

namespace warpfold::validation {

struct row {
  std::string ladder, rung;  // "reduce", "12 sequential"
  std::size_t n = 0;
  unsigned block = 0;
  std::string type;  // "i32"
  double measured_us = 0;
  double spread_us = 0;     // half of what its quartiles are apart
  bool queued = false;      // the launches waited in the stream before the clock started
  double predicted_us = 0;  // of launches made so
  simt::prediction predicted;
  double first_us = 0;     // of other_rows and blind_rows: predicted before
  double launched_us = 0;  // of other_rows: measured as launched
  std::string half;        // of blind_rows: "tuning" or "unseen"

  [[nodiscard]] bool has_ground() const { return predicted.no_ground.empty(); }
  /// Above 0: the prediction is too long.
  [[nodiscard]] double error_pct() const { return 100 * (predicted_us / measured_us - 1); }
};

/// Ladder, rung, values, threads of a block, type.
using row_key = std::tuple<std::string, std::string, std::size_t, unsigned, std::string>;

/// The stored profiles of each row, as `simt::parse_profiles` reads them.
std::map<row_key, measure::json> stored_profiles(const std::filesystem::path& results);

/// All stored rows of an "h100" or "h200", predicted with this device's constants. Throws where a
/// stored result is wrong.
std::vector<row> stored_rows(const std::filesystem::path& results, const std::string& name,
                             const simt::device_model& device);

/// Kernels that are nothing like a reduction: their rungs are their names.
std::vector<row> other_rows(const std::filesystem::path& results, const std::string& name,
                            const simt::device_model& device);

/// Kernels of public programs, a launch each: their ladders are the programs, their rungs the
/// kernels. Measured after they had been predicted; no change of the model looked at the half that
/// is "unseen". `golden` has the facts, and what the CPU machine counted of each, in one order.
std::vector<row> blind_rows(const std::filesystem::path& golden, const std::string& name,
                            const simt::device_model& device);

/// What ncu calls the limit of a rung's longest kernel, and what the prediction does.
struct limit_row {
  std::string ladder, rung;
  std::string profiled;   // "DRAM", "L2", "L1", "SM", or "latency" where all are below 60 %
  std::string predicted;  // in the same words
  double behind_pct = 0;  // how much less busy the predicted unit is than the profiled one

  /// Units that are as busy as one another, within what a profiler's runs differ by, are no
  /// different limits.
  [[nodiscard]] bool agrees() const { return profiled == predicted; }
  [[nodiscard]] bool is_close() const { return agrees() || behind_pct <= 2; }
};
std::vector<limit_row> limit_rows(const std::filesystem::path& results,
                                  const simt::device_model& device);

/// A kernel's warp-wide instructions: as a device executed them, and as the CPU machine counts
/// them.
struct instructions_row {
  std::string ladder, rung, kernel;
  double executed = 0, counted = 0;
};
/// Without kernels that divide by what is no constant: a division is many instructions.
std::vector<instructions_row> instructions_rows(const std::filesystem::path& results);

/// Times that the documents print, as rows of what the CPU machine counted of the same rungs: on a
/// "G80" or a "Tesla K40m". Nobody had those times in mind who made the model.
std::vector<row> document_rows(const std::filesystem::path& results, const std::string& machine,
                               const simt::device_model& device);

/// Of the rows that have a prediction: how far off, in percent, without the sign.
struct errors {
  std::size_t rows = 0;
  double mean = 0, percentile_90 = 0, worst = 0;
  double bias = 0;  // the mean with the sign
};
errors errors_of(std::span<const row> rows, const std::function<bool(const row&)>& chosen);

/// How far the predicted order of rungs is the measured one: 1 where each pair is, -1 where none.
struct order {
  std::size_t groups = 0;  // of a ladder, a type, a size and a block
  double mean_tau = 0, least_tau = 0;
  /// Of the pairs alone that the measurement tells apart: by more than the sum of their spreads.
  double mean_told_apart = 0, least_told_apart = 0;
};
order order_of(std::span<const row> rows, const std::function<bool(const row&)>& chosen);

/// Kendall's tau of one group; a pair that ties in either counts as neither. With spreads, pairs
/// that are no further apart than theirs are left out.
double kendall_tau(std::span<const double> predicted, std::span<const double> measured,
                   std::span<const double> spreads = {});

}  // namespace warpfold::validation
