// Which shape of the kernel, with which counters, takes a histogram.
#pragma once

#include <cstddef>

#include "warpfold/device/histogram/kernel.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Puts the histogram into the stream. Counters in shared memory cost each block a look at every
/// bin, so a block has as many values as there are bins, or half as many, or there are none.
template <class In, class Samples, class Weights, class Count, class Size = host_size>
status launch_histogram(stream_type stream, const histogram_problem<In, Samples, Weights, Count>& p,
                        Size size = {}) {
  using namespace tuning;
  const device_properties device = current_device();
  const std::size_t bytes = std::size_t{p.bins} * sizeof(unsigned);
  const std::size_t for_two = device.shared_bytes / 2 - 1024;
  const auto most_blocks = [&]<class Shape>(Shape) {
    return histogram_blocks<Shape, In>(p.n,
                                       device.multiprocessors * Shape::blocks_per_multiprocessor);
  };
  const auto blocks_of = [&]<class Shape>(Shape shape) {
    const std::size_t most = most_blocks(shape);
    return static_cast<unsigned>(
        at_least<std::size_t>(at_most(most, histogram_bins_per_value * p.n / p.bins), 1));
  };
  if constexpr (sizeof(typename Weights::type) <= 4) {
    const shared_counters shared{p.bins};
    if (p.n <= histogram_one_block && p.bins <= histogram_bins_alone) {
      return p.n <= histogram_short
                 ? launch_histogram_as<histogram_few>(stream, p, shared, 1, size)
                 : launch_histogram_as<histogram_many>(stream, p, shared, 1, size);
    }
    if constexpr (sizeof(In) == 1 && is_plain_samples<Samples> &&
                  std::is_same_v<Weights, unit_weights>) {
      const histogram_problem<In, byte_samples, Weights, Count> bytes_of{p.values, p.n,   {}, {},
                                                                         p.counts, p.bins};
      return launch_histogram_as<histogram_bytes>(stream, bytes_of,
                                                  byte_counters<In, Samples>{p.samples, p.bins},
                                                  most_blocks(histogram_bytes{}), size);
    }
    const bool worthwhile = p.bins <= histogram_bins_per_value * p.n;
    if (worthwhile && bytes <= for_two) {
      return launch_histogram_as<histogram_few>(stream, p, shared, blocks_of(histogram_few{}),
                                                size);
    }
    if (worthwhile && bytes <= device.shared_bytes) {
      return launch_histogram_as<histogram_many>(stream, p, shared, blocks_of(histogram_many{}),
                                                 size);
    }
    if constexpr (std::is_same_v<Weights, unit_weights>) {
      const halved_counters halved{p.bins};
      if (worthwhile && halved.words() * sizeof(unsigned) <= device.shared_bytes) {
        return launch_histogram_as<histogram_halved>(stream, p, halved,
                                                     blocks_of(histogram_halved{}), size);
      }
    }
  }
  return launch_histogram_as<histogram_most>(stream, p, global_counters{p.bins},
                                             most_blocks(histogram_most{}), size);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
