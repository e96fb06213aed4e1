// A report on kernels: what they counted, line by line too, and what is wrong with them.
//
//   const simt::report report = simt::inspect([&] { transpose(in, out); });
//   EXPECT_THAT(report.findings(), IsEmpty());
//   EXPECT_EQ(report.shared_bank_conflicts(), 0);
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "simt/counters.hpp"
#include "simt/findings.hpp"
#include "simt/launch.hpp"
#include "simt/prediction.hpp"

namespace simt {

/// What nvcc's optimiser may add to counters, or take from them: requests of global memory where it
/// unrolls a loop whose trip count differs in a warp, wavefronts of shared memory where it makes
/// one access of those that a thread makes to neighbouring words.
struct nvcc_changes {
  std::int64_t load_requests = 0, store_requests = 0;
  std::int64_t load_wavefronts = 0, store_wavefronts = 0;

  nvcc_changes& operator+=(const nvcc_changes& other);
  bool operator==(const nvcc_changes&) const = default;
};

/// What one line of the source cost in one kernel.
struct line_counts {
  std::string file;                              // as the compiler was given it
  int line = 0;                                  // 0: not known
  counters counted;                              // of memory
  std::uint64_t access_lanes = 0;                // over all requests
  std::uint64_t warp_steps = 0, lane_steps = 0;  // of basic blocks that begin there
  std::uint64_t instructions = 0;                // warp-wide, of those; a division counts as twenty
  nvcc_changes nvcc;

  /// Lanes of 32 that made an access together; where there is none, that passed there together.
  [[nodiscard]] double active_lanes() const;
};

/// All launches of one kernel.
struct kernel_report {
  std::string name;
  dim3 grid, block;              // of the first launch
  bool shapes_differ = false;    // not all were like the first
  std::size_t shared_bytes = 0;  // dynamic
  counters total;
  std::vector<line_counts> lines;        // by file and line
  nvcc_changes nvcc;                     // of all lines
  std::vector<launch_profile> launches;  // by shape; what a prediction is made of

  /// "transpose_kernel<0> · grid 8 x 16, block 32 x 8"
  [[nodiscard]] std::string heading() const;
  /// How long its launches would take, one after another, and what each line takes of it.
  [[nodiscard]] simt::prediction prediction(const device_model& device) const;
};

/// Something about a line that costs time.
struct remark {
  std::string file;
  int line = 0;
  std::string what;    // "32-way bank conflict"
  std::string wasted;  // "31,744 of 32,768 wavefronts wasted"
  double cost = 0;     // roughly, in cycles of a multiprocessor: for comparing

  /// "transpose.cu:31 · 32-way bank conflict · 31,744 of 32,768 wavefronts wasted"
  [[nodiscard]] std::string text() const;
};

/// What stands out in a kernel, the costliest first.
std::vector<remark> remarks(const kernel_report& kernel);

/// Reads a source file; "" where there is none.
using source_reader = std::function<std::string(const std::string& file)>;
std::string read_source(const std::string& file);

/// The kernel's source, beside each line what it cost. Lines of files that can't be read are only
/// numbered.
std::string source_view(const kernel_report& kernel, const source_reader& read = read_source);

class report {
 public:
  /// Of what was observed so far.
  explicit report(const observe& observed);
  /// Of kernels and findings that were observed before.
  report(std::vector<kernel_report> kernels, std::vector<finding> findings);

  [[nodiscard]] const std::vector<kernel_report>& kernels() const { return kernels_; }
  /// The first whose name contains this. Throws std::out_of_range, with the names that there are.
  [[nodiscard]] const kernel_report& kernel(std::string_view name) const;
  [[nodiscard]] const counters& total() const { return total_; }
  [[nodiscard]] const std::vector<finding>& findings() const { return findings_; }
  /// What ended a kernel, and what was behind the errors of CUDA's runtime.
  [[nodiscard]] const std::vector<std::string>& errors() const { return errors_; }

  /// Of loads and stores, over all kernels; kernel("…").total has a kernel's own.
  [[nodiscard]] std::uint64_t shared_bank_conflicts() const {
    return total_.shared_bank_conflicts();
  }
  [[nodiscard]] double global_load_efficiency() const { return total_.global_load.efficiency(); }
  [[nodiscard]] double global_store_efficiency() const { return total_.global_store.efficiency(); }

  /// How long all launches would take on a device ("h100", a device file's path) one after another,
  /// and what each line takes of it. Throws device_file_error where there is no such device.
  [[nodiscard]] simt::prediction prediction(std::string_view device) const;
  [[nodiscard]] simt::prediction prediction(const device_model& device) const;

  /// What a person reads first: what is wrong, and of each kernel the lines that cost most.
  [[nodiscard]] std::string summary() const;
  /// The same, and each kernel's counters, with the time predicted for an H100.
  [[nodiscard]] std::string text() const;
  /// The kernels' sources, each line with what it cost.
  [[nodiscard]] std::string source_view() const;
  /// All of it for a program; docs/json.md has the keys. Times are predicted for an H100, or for
  /// the device.
  [[nodiscard]] std::string json(const source_reader& read = read_source) const;
  [[nodiscard]] std::string json(const source_reader& read, const device_model& device) const;
  /// All of it to look at: a page for a browser, in one file that needs no other.
  [[nodiscard]] std::string html(const source_reader& read = read_source) const;
  /// Throws std::system_error if the file can't be written.
  void save_html(const std::string& file) const;

 private:
  std::vector<kernel_report> kernels_;
  std::vector<launch_profile> profiles_;
  counters total_;
  std::vector<finding> findings_;
  std::vector<std::string> errors_;
};

inline const run_options everything{.count = true, .check = true, .lines = true};

/// Reports on the kernels that `launches` launches, also on one that ends in an error. No error of
/// CUDA's runtime that comes up meanwhile stays afterwards.
///
/// What `launches` throws, as code does whose kernel has failed, goes on from here unless something
/// was found: then the report is returned, with the exception's text among its errors.
report inspect(const std::function<void()>& launches, const run_options& options = everything);

/// So that a test that fails shows them.
std::ostream& operator<<(std::ostream& out, const finding& f);

}  // namespace simt
