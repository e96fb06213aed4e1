// Histograms on the host's threads: the number of values in each bin (histogram/bins.hpp), the same
// as on a device.
//
//   histogram(host, values, even_bins{0.0F, 1.0F, 100}, counts)
//
// Counts are integers of 4 or 8 bytes, which wrap; `counts` has room for all bins; the rest of it
// stays unchanged. Each thread counts its values in memory of its own. usage_error: invalid bins,
// an output that is too short, columns of different lengths; nothing is written then.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "warpfold/error.hpp"
#include "warpfold/exact/accumulator.hpp"
#include "warpfold/histogram/bins.hpp"
#include "warpfold/host/detail/count_bins.hpp"
#include "warpfold/host/reduce.hpp"
#include "warpfold/host/scan.hpp"
#include "warpfold/operators.hpp"
#include "warpfold/ranges.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

/// What counts are.
template <class Counts>
concept countable = values<Counts> && std::integral<value_of<Counts>> &&
                    (sizeof(value_of<Counts>) == 4 || sizeof(value_of<Counts>) == 8);
/// What weights are, and their sums.
template <class W>
concept weight = detail::summable<W> || (std::integral<W> && (sizeof(W) == 4 || sizeof(W) == 8));

inline void require(const char* call, const status& s) {
  if (s.ok()) return;
  if (*s.unit() == 0) throw usage_error(call, ": ", s.reason());
  throw usage_error(call, ": ", s.reason(), ": ", s.needed(), " ", s.unit(), " needed, ", s.given(),
                    " given");
}

/// The binner of bins that are as they should be.
template <class T, class Bins>
detail::binner_of<T, Bins> binner_of_bins(const char* call, const Bins& bins) {
  detail::binner_of<T, Bins> binner{};
  if constexpr (values<Bins>) {
    require(call, detail::refuse_bounds(view(bins)));
    require(call, detail::refuse_bin_count(detail::bin_count(bins)));
    binner = {std::ranges::data(bins), static_cast<unsigned>(detail::bin_count(bins))};
  } else {
    require(call, detail::refuse_bin_count(bins.count));
    require(call, binner.set(bins));
  }
  return binner;
}

}  // namespace host_detail

/// Leaves in counts[k] the number of values in bin k.
template <host_place Where, values Range, class Bins, host_detail::countable Counts>
  requires bins_of<Bins, value_of<Range>>
void histogram(Where where, const Range& range, const Bins& bins, Counts&& counts) {
  constexpr char call[] = "histogram(host, values, bins, counts)";
  const auto in = view(range);
  const auto binner = host_detail::binner_of_bins<value_of<Range>>(call, bins);
  const std::size_t count = detail::bin_count(bins);
  host_detail::require(call, detail::refuse_room(count, std::ranges::size(counts)));
  host_detail::count_bins(
      where, in.size(), count, [&](std::size_t i) { return binner(in[i]); },
      std::ranges::data(counts));
}

/// The same, accumulated: counts[k] is the number of values in the bins 0 … k.
template <host_place Where, values Range, class Bins, host_detail::countable Counts>
  requires bins_of<Bins, value_of<Range>>
void cumulative_histogram(Where where, const Range& range, const Bins& bins, Counts&& counts) {
  histogram(where, range, bins, counts);
  const std::span<value_of<Counts>> sums(std::ranges::data(counts), detail::bin_count(bins));
  inclusive_scan(where, sums, sums);
}

/// Leaves in counts[i * y_bins + j] the number of points with x in bin i and y in bin j; x and y
/// have the same length. All bins together are 2^24 at most.
template <host_place Where, values X, values Y, class XBins, class YBins,
          host_detail::countable Counts>
  requires bins_of<XBins, value_of<X>> && bins_of<YBins, value_of<Y>>
void histogram_2d(Where where, const X& x, const Y& y, const XBins& x_bins, const YBins& y_bins,
                  Counts&& counts) {
  constexpr char call[] = "histogram_2d(host, x, y, x_bins, y_bins, counts)";
  const auto xs = view(x);
  const auto ys = view(y);
  host_detail::require(call,
                       detail::refuse_unequal("a point has an x and a y", xs.size(), ys.size()));
  const auto row_of = host_detail::binner_of_bins<value_of<X>>(call, x_bins);
  const auto column_of = host_detail::binner_of_bins<value_of<Y>>(call, y_bins);
  const auto columns = static_cast<unsigned>(detail::bin_count(y_bins));
  const std::size_t bins = detail::bin_count(x_bins) * columns;
  host_detail::require(call, detail::refuse_bin_count(bins));
  host_detail::require(call, detail::refuse_room(bins, std::ranges::size(counts)));
  host_detail::count_bins(
      where, xs.size(), bins,
      [&](std::size_t i) {
        const unsigned row = row_of(xs[i]), column = column_of(ys[i]);
        if (row == detail::no_bin || column == detail::no_bin) return detail::no_bin;
        return row * columns + column;
      },
      std::ranges::data(counts));
}

/// Values have `stride` interleaved channels: leaves the counts of the first channel in `counts`,
/// then those of the second, and so on, one channel for each of the bins given. All bins together
/// are 2^24 at most.
template <host_place Where, values Range, class Bins, std::size_t Channels,
          host_detail::countable Counts>
  requires bins_of<Bins, value_of<Range>> && (!values<Bins>)
void histogram_channels(Where where, const Range& range, std::size_t stride,
                        const std::array<Bins, Channels>& bins, Counts&& counts) {
  constexpr char call[] = "histogram_channels(host, values, stride, bins, counts)";
  const auto in = view(range);
  host_detail::require(call, detail::refuse_channels(in.size(), stride, Channels));
  std::array<detail::binner_of<value_of<Range>, Bins>, Channels> binner{};
  std::array<std::size_t, Channels> first{};
  std::size_t all = 0;
  for (std::size_t c = 0; c < Channels; ++c) {
    binner[c] = host_detail::binner_of_bins<value_of<Range>>(call, bins[c]);
    first[c] = all;
    all += bins[c].count;
  }
  host_detail::require(call, detail::refuse_bin_count(all));
  host_detail::require(call, detail::refuse_room(all, std::ranges::size(counts)));
  for (std::size_t c = 0; c < Channels; ++c) {
    host_detail::count_bins(
        where, in.size() / stride, bins[c].count,
        [&](std::size_t i) { return binner[c](in[i * stride + c]); },
        std::ranges::data(counts) + first[c]);
  }
}

/// Leaves in sums[k] the sum of the weights of the values in bin k: integers of 4 or 8 bytes, which
/// wrap, or f32 or f64, exact and rounded once, the same bits as on a device.
template <host_place Where, values Range, values Weights, class Bins, values Sums>
  requires bins_of<Bins, value_of<Range>> && host_detail::weight<value_of<Weights>> &&
           std::same_as<value_of<Weights>, value_of<Sums>>
void weighted_histogram(Where where, const Range& range, const Weights& weights, const Bins& bins,
                        Sums&& sums) {
  constexpr char call[] = "weighted_histogram(host, values, weights, bins, sums)";
  using W = value_of<Weights>;
  const auto in = view(range);
  const auto beside = view(weights);
  host_detail::require(call,
                       detail::refuse_unequal("each value has a weight", in.size(), beside.size()));
  const auto binner = host_detail::binner_of_bins<value_of<Range>>(call, bins);
  const std::size_t count = detail::bin_count(bins);
  host_detail::require(call, detail::refuse_room(count, std::ranges::size(sums)));
  host_detail::sum_bins<W>(
      where, in.size(), count, [&](std::size_t i) { return binner(in[i]); }, beside.data(),
      std::ranges::data(sums));
}

/// Returns how often each integer from 0 on occurs: one count more than the largest value, at least
/// `minimum` counts. Throws usage_error if a value is negative.
template <host_place Where, values Range>
  requires std::integral<value_of<Range>>
std::vector<std::uint64_t> bincount(Where where, const Range& range, std::size_t minimum = 0) {
  std::size_t length = minimum;
  if (std::ranges::size(range) > 0) {
    const auto ends = minmax(where, range);
    length = detail::bincount_length(ends.min, ends.max, minimum);
  }
  std::vector<std::uint64_t> counts(length);
  const auto in = view(range);
  host_detail::count_bins(
      where, in.size(), length, [&](std::size_t i) { return static_cast<unsigned>(in[i]); },
      counts.data());
  return counts;
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
