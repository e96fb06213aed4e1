// Predictions of time beside what the device took: stored times of the ladders' rungs, and what the
// CPU machine counted of the same rungs, sizes and blocks.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "simt/prediction.hpp"

namespace warpfold::validation {

struct row {
  std::string ladder, rung;  // "reduce", "12 sequential"
  std::size_t n = 0;
  unsigned block = 0;
  std::string type;  // "i32"
  double measured_us = 0;
  simt::prediction predicted;
  bool seen = false;  // the model was revised while these rows were looked at

  [[nodiscard]] bool has_ground() const { return predicted.no_ground.empty(); }
  /// Above 0: the prediction is too long.
  [[nodiscard]] double error_pct() const { return 100 * (predicted.us / measured_us - 1); }
};

/// All stored rows of the H100, predicted with this device's constants. Throws where a stored
/// result is wrong.
std::vector<row> stored_rows(const std::filesystem::path& results,
                             const simt::device_model& device);

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
};
order order_of(std::span<const row> rows, const std::function<bool(const row&)>& chosen);

/// Kendall's tau of one group; a pair that ties in either counts as neither.
double kendall_tau(std::span<const double> predicted, std::span<const double> measured);

}  // namespace warpfold::validation
