// Sums of floating-point weights, exact: each bin has the digits of a fixed-point number
// (exact/fixed_point.hpp), whole numbers that any order of additions leaves with the same bits.
// Atomics a weight: two of f32, three of f64, as long as no carry moves. Bytes a bin: 104 and 560,
// in shared memory where they fit, in global memory always. A second kernel rounds each sum once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/device/histogram/dispatch.cuh"
#include "warpfold/exact/kind.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// What a bin has: digits, and how many weights were +infinity or NaN, and -infinity or NaN.
template <class W>
struct sum_entries {
  using sum_type = typename format<W>::sum_type;
  static constexpr unsigned digits = sum_type::count, per_bin = digits + 2;

  /// Calls add(entry, what) for what the weight adds to the bin's entries.
  template <class Add>
  static __device__ __forceinline__ void split(W weight, Add add) {
    const float_fields<W> p(weight);
    if (p.field == format<W>::top_field) {
      if (!(weight < 0)) add(digits, std::int64_t{1});
      if (!(weight > 0)) add(digits + 1, std::int64_t{1});
      return;
    }
    if (p.units == 0) return;
    const auto bit = static_cast<unsigned>(p.exponent() - sum_type::base);
    const unsigned at = bit / 32, shift = bit % 32;
    const std::uint64_t low = static_cast<std::uint64_t>(p.units) << shift;
    add(at, static_cast<std::int64_t>(low & low_digit));
    if constexpr (sizeof(W) == 4) {
      add(at + 1, static_cast<std::int64_t>(low) >> 32);
    } else {
      add(at + 1, static_cast<std::int64_t>(low >> 32));
      const std::int64_t high = shift == 0 ? p.units >> 63 : p.units >> (64 - shift);
      if (high != 0) add(at + 2, high);
    }
  }
};

/// Entries in shared memory: the lower halves, and behind them the upper ones. An addition to a
/// lower half that wraps carries one into the upper half.
template <class W>
struct shared_sums {
  unsigned bins;

  static constexpr bool is_shared = true;
  [[nodiscard]] __host__ __device__ unsigned entries() const {
    return bins * sum_entries<W>::per_bin;
  }
  [[nodiscard]] __host__ __device__ std::size_t words() const { return std::size_t{2} * entries(); }
  __device__ __forceinline__ void add(std::uint64_t*, unsigned bin, W weight) const {
    sum_entries<W>::split(weight, [&](unsigned entry, std::int64_t what) {
      unsigned* const lower = dynamic_shared<unsigned>() + bin * sum_entries<W>::per_bin + entry;
      const auto bits = static_cast<unsigned>(what);
      const unsigned was = atomicAdd(lower, bits);
      const unsigned upper = static_cast<unsigned>(what >> 32) + (was + bits < was ? 1 : 0);
      if (upper != 0) atomicAdd(lower + entries(), upper);
    });
  }
  [[nodiscard]] __device__ __forceinline__ std::uint64_t count_of(unsigned entry) const {
    const unsigned* const lower = dynamic_shared<unsigned>() + entry;
    return std::uint64_t{lower[entries()]} << 32 | lower[0];
  }
};

/// Entries in global memory alone.
template <class W>
struct global_sums {
  unsigned bins;

  static constexpr bool is_shared = false;
  [[nodiscard]] __host__ __device__ unsigned entries() const {
    return bins * sum_entries<W>::per_bin;
  }
  [[nodiscard]] __host__ __device__ std::size_t words() const { return 0; }
  __device__ __forceinline__ void add(std::uint64_t* sums, unsigned bin, W weight) const {
    sum_entries<W>::split(weight, [&](unsigned entry, std::int64_t what) {
      add_to(sums + std::size_t{bin} * sum_entries<W>::per_bin + entry, what);
    });
  }
};

/// Rounds each bin's sum; a sum of no weights, or of zeros, is +0.
template <class W>
__global__ void round_sums_kernel(const std::uint64_t* entries, W* out, unsigned bins) {
  using of = sum_entries<W>;
  wait_for_primary();
  trigger_dependents();
  const unsigned bin = blockIdx.x * blockDim.x + threadIdx.x;
  if (bin >= bins) return;
  const std::uint64_t* const mine = entries + std::size_t{bin} * of::per_bin;
  exact_state<W> state;
  state.seen = term_flag::number;
  for (unsigned d = 0; d < of::digits; ++d) {
    state.sum.digit[d] = static_cast<std::int64_t>(mine[d]);
  }
  state.sum.carry();
  if (mine[of::digits] != 0) state.seen |= term_flag::plus_infinity;
  if (mine[of::digits + 1] != 0) state.seen |= term_flag::minus_infinity;
  out[bin] = state.template quotient<W>(1);
}

/// Weights of one launch: so many that no digit overflows.
inline constexpr std::size_t most_exact_weights = std::size_t{1} << 30;

/// Leaves the exact sums of the weights in each bin in `out`; `entries` is memory for all bins'.
template <class In, class Samples, class W>
status launch_exact_sums(stream_type stream,
                         const histogram_problem<In, Samples, given_weights<W>, W>& p,
                         std::uint64_t* entries) {
  using shape = tuning::histogram_sums;
  if (p.n > most_exact_weights) {
    return {1, "a call takes 2^30 weights of f32 or f64 at most", most_exact_weights, p.n,
            "values"};
  }
  const device_properties device = current_device();
  const histogram_problem<In, Samples, given_weights<W>, std::uint64_t> sums{
      p.values, p.n, p.samples, p.weights, entries, p.bins};
  const shared_sums<W> shared{p.bins};
  const unsigned blocks =
      histogram_blocks<shape, In>(p.n, device.multiprocessors * shape::blocks_per_multiprocessor);
  const bool fits =
      shared.words() * sizeof(unsigned) <= device.shared_bytes && shared.entries() <= p.n / blocks;
  const status added =
      fits ? launch_histogram_as<shape>(stream, sums, shared, blocks)
           : launch_histogram_as<shape>(stream, sums, global_sums<W>{p.bins}, blocks);
  if (!added.ok()) return added;
  constexpr unsigned threads = 128;
  return try_launch({.grid = (p.bins + threads - 1) / threads,
                     .block = threads,
                     .stream = stream,
                     .programmatic_launch = true},
                    round_sums_kernel<W>, entries, p.counts, p.bins);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
