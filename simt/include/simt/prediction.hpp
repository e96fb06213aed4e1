// How long kernels would take on a device, from what the CPU machine counted; docs/time.md has the
// model, what it leaves out, and how far off it was where it could be held against a device.
//
//   const simt::report report = simt::inspect([&] { transpose(in, out); });
//   const simt::prediction p = report.prediction("h100");
//   std::cout << p.text();  // "~12.4 µs on h100, limited by DRAM (blind mean error 24 %, 9 of 10
//                           // within 52 %)"
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "simt/launch_profile.hpp"

namespace simt {

/// What a launch can wait for most.
enum class limiter : std::uint8_t {
  launch,
  dram,
  l2,
  l1,
  shared,
  issue,
  latency,
  barriers,
  atomics,
  tail
};
inline constexpr std::array<std::string_view, 10> limiter_names{
    "launch", "DRAM",    "L2",       "L1 wavefronts", "shared wavefronts",
    "issue",  "latency", "barriers", "atomics",       "tail"};
constexpr std::string_view name_of(limiter l) { return limiter_names[static_cast<std::size_t>(l)]; }

/// Limiters that blind errors are found for together.
enum class kernel_kind : std::uint8_t { memory, issue, shared, latency };
inline constexpr std::array<std::string_view, 4> kind_names{"memory", "issue", "shared memory",
                                                            "latency or launch"};
constexpr kernel_kind kind_of(limiter l) {
  switch (l) {
    case limiter::dram:
    case limiter::l2:
    case limiter::l1:
    case limiter::atomics: return kernel_kind::memory;
    case limiter::issue: return kernel_kind::issue;
    case limiter::shared: return kernel_kind::shared;
    default: return kernel_kind::latency;
  }
}

/// How far predictions were off, in percent and without the sign, of kernels that the model had
/// never seen. NaN: none were measured there.
struct blind_error {
  double mean = std::numeric_limits<double>::quiet_NaN();
  double nine_of_ten = std::numeric_limits<double>::quiet_NaN();  // the 90th percentile
};

/// What a line of a kernel's source takes of a predicted time.
struct line_time {
  std::string file;
  int line = 0;
  double us = 0;
  limiter by{};  // what most of it is spent on
};

struct prediction {
  std::string device;
  double us = 0;  // of all launches, one after another, as a host launches them into an idle stream
  double queued_us = 0;  // of the same where all of them wait in the stream already, or in a graph
  double error_pct = 0;  // the mean of the ladders' rungs with this limiter; NaN: none was found
  blind_error blind;     // of kernels of this kind that the model had never seen
  limiter by{};          // launch, where launching takes most of the time; else kernel_by
  limiter kernel_by{};   // of the kernel that takes longest: the unit that is busiest, if it does
                         // 60 % of what it can; else what the time goes to instead
  /// Of all its kernels, on this device; else blocks run at once as far as threads and shared
  /// memory allow.
  bool registers_known = true;
  /// What each would take if there were nothing else, in microseconds, by the number of its
  /// limiter.
  std::array<double, limiter_names.size()> parts_us{};
  std::string no_ground;  // why there is no time; "" where there is
  /// Of a report with lines, the costliest first: what they share of the time. The rest is
  /// nobody's: launches, blocks that begin, barriers, the last blocks.
  std::vector<line_time> lines;

  /// "~12.4 µs on h100, limited by DRAM (blind mean error 24 %, 9 of 10 within 52 %)"
  [[nodiscard]] std::string text() const;
  /// A line of text for each line: "  62 %    7.69 µs  transpose.cu:31  L2".
  [[nodiscard]] std::string lines_text() const;
};

/// The limits of a device: published ones, and constants that `warpfold calibrate` measured there
/// or that follow from the published ones. Clocks are those of a multiprocessor; rates are
/// warp-wide instructions a clock.
struct device_model {
  std::string name;         // "h100"
  std::string product;      // "NVIDIA H100 80GB HBM3 (SXM5)"
  std::string source;       // of the published limits
  std::string measured_by;  // command, driver and date; "" where nothing was measured
  double capability = 0;    // times 10: 90 for 9.0
  double processors = 0, threads_per_processor = 0, blocks_per_processor = 0,
         shared_kib_per_processor = 0, l2_mib = 0, bus_bits = 0, memory_gbs = 0;
  double registers_per_processor = 0, memory_share = 0;
  double clock_ghz = 0, launch_us = 0, next_launch_us = 0, queued_us = 0, gap_us = 0, block_ns = 0,
         block_1024_ns = 0, block_cycles = 0, block_1024_cycles = 0;
  double read_gbs = 0, write_gbs = 0, copy_gbs = 0, l2_gbs = 0, l2_write_gbs = 0,
         l2_partial_gbs = 0, l2_held_mib = 0, ramp_us = 0;
  double remote_cycles = 0, remote_per_clock = 0, cluster_barrier_cycles = 0,
         cluster_barrier_1024_cycles = 0, cluster_4_blocks = 0, cluster_8_blocks = 0,
         cluster_16_blocks = 0;
  double l1_cycles = 0, l2_cycles = 0, dram_cycles = 0, written_cycles = 0, fence_cycles = 0,
         atomic_cycles = 0, shared_cycles = 0, add_cycles = 0, barrier_cycles = 0,
         barrier_1024_cycles = 0;
  double integer_per_clock = 0, multiply_per_clock = 0, divide_per_clock = 0, f32_per_clock = 0,
         f64_per_clock = 0, special_per_clock = 0, shuffle_per_clock = 0;
  double shared_wavefronts_per_clock = 0, l1_lines_per_clock = 0, atomic_same_ns = 0,
         atomic_sector_ns = 0, shared_atomic_per_clock = 0;
  std::array<double, limiter_names.size()> error_pct{};  // NaN where there was no validation
  std::array<blind_error, kind_names.size()> blind{};

  /// A cluster has a place where enough of its blocks fit side by side: some multiprocessors are
  /// left over.
  [[nodiscard]] double processors_for_clusters(unsigned blocks) const;
};

/// The devices that are built in, by name.
std::vector<std::string> device_model_names();
/// Of those; or of the file, where the name has a slash or ends in .json. Throws device_file_error
/// where there is no such device, and where a constant is missing or absurd.
device_model find_device_model(std::string_view name);
device_model parse_device_model(std::string_view name, std::string_view json);

/// A number that a device file must hold, and what no device is beyond.
struct device_constant {
  std::string_view name, what;
  double least = 0, most = 0;
};
/// Of its "published" part, or of its "measured" part.
std::vector<device_constant> device_constants(bool of_measured);

class device_file_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// All launches, one after another.
prediction predict(std::span<const launch_profile> launches, const device_model& device);

/// The same launches in a program that has just copied to the device what they read first: it lies
/// in L2, as far as all of it fits. As counted, it is in no cache.
std::vector<launch_profile> after_copies(std::span<const launch_profile> launches);

/// What predictions are made of, as JSON and back.
std::string profiles_json(std::span<const launch_profile> launches);
std::vector<launch_profile> parse_profiles(std::string_view json);

}  // namespace simt
