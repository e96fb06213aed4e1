// The one record: what ran, whether it was right, how long it took, what it counted.
// The table, the JSON and the generated docs are views of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "measure/backend.hpp"

namespace warpfold::measure {

/// A counter under its ncu metric name where it has one (then the value equals ncu's), else
/// under a name of our own: `simt__…` for what the CPU machine counts, `ladder__…` for what the
/// ladder finds out on any machine.
struct counter {
  std::string name;
  double value = 0;
};

/// Names of the counters that the table shows; any others travel in the JSON only.
namespace counters {
inline constexpr std::string_view load_requests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
inline constexpr std::string_view load_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
inline constexpr std::string_view store_requests =
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum";
inline constexpr std::string_view store_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
inline constexpr std::string_view load_efficiency =
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct";
inline constexpr std::string_view store_efficiency =
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct";
inline constexpr std::string_view shared_load_conflicts =
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum";
inline constexpr std::string_view shared_store_conflicts =
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum";
inline constexpr std::string_view shared_load_requests = "simt__shared_load_requests";
inline constexpr std::string_view shared_store_requests = "simt__shared_store_requests";
inline constexpr std::string_view shared_load_wavefronts =
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
inline constexpr std::string_view shared_store_wavefronts =
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum";
inline constexpr std::string_view global_atomics = "simt__global_atomic_requests";
inline constexpr std::string_view global_atomic_sectors = "simt__global_atomic_sectors";
inline constexpr std::string_view shared_atomics = "simt__shared_atomic_requests";
inline constexpr std::string_view shared_atomic_conflicts = "simt__shared_atomic_conflicts";
inline constexpr std::string_view bulk_bytes = "simt__bulk_copy_bytes";
inline constexpr std::string_view barriers = "simt__barriers";
inline constexpr std::string_view branch_uniformity = "simt__branch_uniformity.pct";
inline constexpr std::string_view active_lanes = "simt__active_lanes_per_step.ratio";
inline constexpr std::string_view steps_per_warp = "simt__steps_per_warp.ratio";
inline constexpr std::string_view applications = "simt__operator_applications";
/// The most operator applications in a row on the way to one result.
inline constexpr std::string_view depth = "ladder__depth";
/// Warps that a multiprocessor holds at once of those that it could, of the first kernel launched.
inline constexpr std::string_view occupancy = "ladder__occupancy.pct";
}  // namespace counters

/// Whether the result is right, and by how much. Exact types must match to the bit (bound 0);
/// floating-point results are held to an error bound. A NaN never passes unless one is due.
struct verdict {
  bool right = false;
  std::string result;    // as text, in full precision
  std::string expected;  // the reference, likewise
  double error = 0;      // |result - expected|
  double bound = 0;      // the largest error that counts as right
};

/// What is kept of durations whose samples are not: stored results have many.
struct timing_summary {
  std::size_t count = 0;  // of the samples
  double q1_us = 0, median_us = 0, q3_us = 0;
  std::string samples_sha256;  // of the samples as JSON, to know them again
};

/// Durations of one repeated run, in microseconds, in the order they were taken.
struct timing {
  std::vector<double> samples_us;
  std::optional<timing_summary> summary = {};  // where there are no samples

  /// The q-quantile by linear interpolation between order statistics; q in [0, 1]. NaN when empty;
  /// of a summary other than the quartiles.
  [[nodiscard]] double quantile(double q) const;
  [[nodiscard]] double median() const { return quantile(0.5); }
  [[nodiscard]] std::size_t count() const { return summary ? summary->count : samples_us.size(); }
};

/// A figure that a source document prints for this step, to stand beside the measured one.
struct published_figure {
  std::string machine;  // e.g. "G80, 2^22 int32"
  double gigabytes_per_second = 0;
};

/// How long it would take on a device, from what the CPU machine counted.
struct prediction {
  std::string device;    // "h100"
  double median_us = 0;  // as a host launches it into an idle stream
  double queued_us = 0;  // where the launches wait in the stream already, or in a graph
  double error_pct = 0;  // the mean that the validation found for this limiter; NaN: none was made
  std::string limiter;   // launching, or of the kernel that takes longest
  bool registers_known = false;                          // of all its kernels
  std::vector<std::pair<std::string, double>> parts_us;  // what each would take alone, by limiter
  std::string no_ground;  // why there is no time; empty where there is
};

struct measurement {
  // What ran.
  std::string ladder;          // "reduce"
  int number = 0;              // 12
  std::string name;            // "sequential"
  bool reference = false;      // not a rung, but what rungs are compared with: it has no number
  bool begins_series = false;  // no step from the row before: the first of another document's
  std::string idea;            // one line
  std::string source;          // "document 002, Reduce 3"
  backend_kind backend = backend_kind::host;
  std::string device;  // "NVIDIA H100 80GB HBM3", "CPU machine, 2 threads"
  std::size_t n = 0;
  std::string type;
  std::string op;
  std::string form;       // "exclusive", "descending"; empty where there is only one
  std::string call;       // how the library was called: "single", "graph"; empty for rungs
  unsigned block = 0;     // threads per block; 0 where there are none
  unsigned launches = 0;  // kernels launched for the whole result
  std::string finish;     // "relaunch" or "host"; how partials become one value
  std::string skipped;    // why it did not run ("needs 9.0"); empty when it ran

  // What came of it.
  measure::verdict verdict;
  std::optional<measure::timing> timing;
  std::optional<measure::prediction> predicted;
  std::string profiles;  // what the prediction is made of, as JSON; of the CPU machine alone
  std::uint64_t useful_bytes = 0;  // what any solution must move: the input once
  double read_ceiling_gbs = 0;     // read bandwidth measured in the same run; 0 if it was not
  double copy_ceiling_gbs = 0;     // bytes read and written by a copy, likewise
  std::vector<counter> counters;   // of all launches from n values to one
  std::vector<published_figure> published;

  [[nodiscard]] const double* find(std::string_view counter_name) const;
  /// Useful bytes over the median time, in GB/s (10^9); 0 when nothing was timed.
  [[nodiscard]] double gigabytes_per_second() const;
};

}  // namespace warpfold::measure
