// One launch of a profile on a device: how long each part of it takes. docs/time.md explains each
// line.
#pragma once

#include <array>
#include <cstdint>

#include "simt/prediction.hpp"

namespace simt::detail {

inline constexpr double sector_bytes = 32, kib = 1024, mib = kib * kib;

inline double number(std::uint64_t n) { return static_cast<double>(n); }

/// The model's own constants, the same for every device; a device's are in its file.
struct model_constants {
  /// Times of units that work at the same time add as a norm of this power: a smooth roofline.
  /// Chosen on the ladders of an H100.
  double overlap_power = 4;
  /// From this share of its peak on a unit is the limit: Nsight Compute's threshold.
  double busy_share = 0.6;
  /// Of each warp that starts, as Nsight Compute counts in kernels without accesses.
  double start_wavefronts = 2;
  /// Sectors of a half line that L2 moves at a time, from capability 8.0 on: in 64 bytes a clock.
  double half_line_sectors = 2;
  /// CUDA's occupancy calculator: registers are allocated in units of a warp, a quarter of them for
  /// every fourth warp; shared memory in units of bytes, with a part that CUDA reserves.
  double register_unit = 256, register_banks = 4, shared_unit = 128, shared_reserved = kib;
  /// Instructions that a scheduler of any device issues a clock, at least.
  double least_issue_rate = 1.0 / 4;
  /// Constants of a device that are named `…_1024_…` were measured with blocks of 32 warps;
  /// barriers of small blocks with 4 warps, starts of small blocks with 1.
  double warps_of_1024 = 32, barrier_warps = 4, start_warps = 1;
};
inline constexpr model_constants model;

/// The time of two units that work at the same time: the longer one, and a little of the other.
double overlapped(double x, double y);

/// Whether one unit serves lines of L1 and wavefronts of shared memory.
inline bool has_unified_l1(const device_model& d) { return d.capability >= 70; }

/// One launch of a profile: everything a launch, with the device's shape.
class launch_model {
 public:
  launch_model(const launch_profile& p, const device_model& d);

  [[nodiscard]] bool fits() const;

  /// Microseconds, by limiter; without the launch itself.
  [[nodiscard]] std::array<double, limiter_names.size()> parts() const;

  /// Microseconds that a multiprocessor's blocks take one after another, with what comes between a
  /// block and the next in its place.
  [[nodiscard]] double waves_us() const;

  /// Until the last block has begun and gone its way: blocks begin at a rate that nothing else
  /// slows.
  [[nodiscard]] double dispatched_us() const;

  /// The unit that is busiest while the kernel runs for so long, as shares of what it can do at
  /// most; or, where none is busy enough, what the time goes to instead.
  [[nodiscard]] limiter limit(const std::array<double, limiter_names.size()>& parts,
                              double us) const;

  /// What the block that ends last does beyond the others comes after them: it reads what they left
  /// in the device's cache.
  [[nodiscard]] double last_block_us() const;

  /// Until the first loads have come from memory, and the last ones: of as many of its launches as
  /// could have missed so much.
  [[nodiscard]] double ramp_us() const;

  /// What its last blocks have stored is on the way to the device's cache when they have ended.
  [[nodiscard]] double store_drain_us() const;

 private:
  [[nodiscard]] double each(std::uint64_t n) const;
  [[nodiscard]] double us_of(double cycles) const;
  /// Of blocks that take so many cycles each.
  [[nodiscard]] double waves_of_us(double cycles) const;
  /// As its threads, its shared memory and, where they are known, its registers decide.
  [[nodiscard]] double occupancy() const;

  /// How much more the multiprocessor with the most has to do than the mean, where a place has one
  /// block or two: as much as the largest of so many sums of blocks' lengths is expected to be
  /// above the mean. Where more blocks wait for a place, the one that is done first takes the next.
  [[nodiscard]] double load_imbalance() const;

  /// Its slices take as many bytes a clock as two sectors have, on newer devices: less wanted of a
  /// half of a line takes as long. What is read and what is written has ways of its own.
  [[nodiscard]] double l2_us(double filled = 0) const;
  [[nodiscard]] double l2_read_us() const;
  [[nodiscard]] double l2_write_us() const;
  /// Of a launch, of so many of all of them.
  [[nodiscard]] double sectors_us(double sectors, double gbs) const;
  /// With what memory brings, which is written there too, as fast as stores are or memory is: rates
  /// of memory were measured with that.
  [[nodiscard]] double filled_l2_us() const;
  [[nodiscard]] double least_sectors() const;
  [[nodiscard]] double dram_us() const;

  [[nodiscard]] double l1_cycles() const;
  [[nodiscard]] double shared_cycles() const;
  /// The busiest of the units, or the schedulers: those issue as fast as floats are added.
  [[nodiscard]] double issue_cycles() const;

  /// Of a block: its longest way with its barriers, and what its warps must issue
  /// and pass through shared memory. If they meet after each step, both come one after the other;
  /// with many steps between two barriers, what one warp waits for hides what the others issue.
  /// Blocks of clusters that are in one multiprocessor wait for others elsewhere, and come to the
  /// same step together: each passes what it has with all others there.
  [[nodiscard]] double block_cycles() const;
  [[nodiscard]] double l1_and_shared_cycles() const;
  [[nodiscard]] double path_with_barriers_cycles() const;
  /// Of the longest way through a block, without its barriers.
  [[nodiscard]] double critical_path_cycles() const;
  [[nodiscard]] double barrier_cycles() const;
  [[nodiscard]] double barrier_latency() const;
  /// What was stored in other blocks' shared memory must have come there.
  [[nodiscard]] double cluster_barrier_latency() const;
  /// Warps come to a barrier one after another.
  [[nodiscard]] double barrier_cycles_per_warp() const;
  [[nodiscard]] double shared_load_cycles() const;
  /// Of a load beyond the multiprocessor's own cache, by where its lines are found: a warp waits
  /// for the last of them, and they leave one after another.
  [[nodiscard]] double load_cycles() const;
  /// Of the sectors that are read: those that the cache misses, and those that blocks want beside a
  /// block that misses them. Blocks that run at once come to what they share at about the same
  /// time.
  [[nodiscard]] double sectors_waiting_for_dram() const;
  [[nodiscard]] double lines_per_request() const;

  [[nodiscard]] double atomics_us() const;
  /// Blocks begin one after another.
  [[nodiscard]] double block_dispatch_us() const;

  const launch_profile& p_;
  const device_model& d_;
  double launches_, warps_, blocks_ = 0, occupancy_ = 0, blocks_per_processor_ = 0, resident_ = 0,
                            waves_ = 0, busiest_share_ = 0;
};

}  // namespace simt::detail
