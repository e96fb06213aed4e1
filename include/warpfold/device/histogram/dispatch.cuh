// Which shape of the kernel, with which counters, takes a histogram.
#pragma once

#include <cstddef>

#include "warpfold/device/histogram/kernel.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Puts the histogram into the stream. Counters in shared memory cost each block a look at every
/// bin, so a block has as many values as there are bins, or half as many, or there are none.
template <class In, class Samples, class Weights, class Count>
status launch_histogram(stream_type stream,
                        const histogram_problem<In, Samples, Weights, Count>& p) {
  using namespace tuning;
  const device_properties device = current_device();
  const std::size_t bytes = std::size_t{p.bins} * sizeof(unsigned);
  const std::size_t for_two = device.shared_bytes / 2 - 1024;
  const auto blocks_of = [&]<class Shape>(Shape) {
    const std::size_t most = histogram_blocks<Shape, In>(p.n, device.multiprocessors);
    return static_cast<unsigned>(
        at_least<std::size_t>(at_most(most, histogram_bins_per_value * p.n / p.bins), 1));
  };
  if constexpr (sizeof(typename Weights::type) <= 4) {
    const shared_counters shared{p.bins};
    if (p.n <= histogram_one_block && p.bins <= histogram_bins_alone) {
      return p.n <= histogram_short ? launch_histogram_as<histogram_few>(stream, p, shared, 1)
                                    : launch_histogram_as<histogram_many>(stream, p, shared, 1);
    }
    if constexpr (sizeof(In) == 1 && is_plain_samples<Samples> &&
                  std::is_same_v<Weights, unit_weights>) {
      const histogram_problem<In, byte_samples, Weights, Count> bytes_of{p.values, p.n,   {}, {},
                                                                         p.counts, p.bins};
      return launch_histogram_as<histogram_bytes>(
          stream, bytes_of, byte_counters<In, Samples>{p.samples, p.bins},
          histogram_blocks<histogram_bytes, In>(p.n, device.multiprocessors));
    }
    const bool worthwhile = p.bins <= histogram_bins_per_value * p.n;
    if (worthwhile && bytes <= for_two) {
      return launch_histogram_as<histogram_few>(stream, p, shared, blocks_of(histogram_few{}));
    }
    if (worthwhile && bytes <= device.shared_bytes) {
      return launch_histogram_as<histogram_many>(stream, p, shared, blocks_of(histogram_many{}));
    }
    if constexpr (std::is_same_v<Weights, unit_weights>) {
      const halved_counters halved{p.bins};
      if (worthwhile && halved.words() * sizeof(unsigned) <= device.shared_bytes) {
        return launch_histogram_as<histogram_halved>(stream, p, halved,
                                                     blocks_of(histogram_halved{}));
      }
    }
  }
  return launch_histogram_as<histogram_most>(
      stream, p, global_counters{p.bins},
      histogram_blocks<histogram_most, In>(p.n, device.multiprocessors));
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
