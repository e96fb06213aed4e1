// The histograms of a CUDA device: the number of values in each bin (histogram/bins.hpp).
//
//   histogram(device.on(stream), values, even_bins{0.0F, 1.0F, 100}, counts)   returns at once;
//                                                                              a status
//
// A call never synchronises, allocates nothing unless stated, and can be captured in a graph.
// Values, counts and bounds are device memory. Counts are integers of 4 or 8 bytes, which wrap;
// `counts` has room for all bins; the rest of it stays unchanged. Reads each value once.
// `histogram` and `cumulative_histogram` take `device_sized` values.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include "warpfold/device/detail/device_buffer.cuh"
#include "warpfold/device/detail/requirements.hpp"
#include "warpfold/device/histogram/dispatch.cuh"
#include "warpfold/device/histogram/exact_sums.cuh"
#include "warpfold/device/reduce.cuh"
#include "warpfold/device/scan.cuh"
#include "warpfold/device/sized.cuh"
#include "warpfold/error.hpp"
#include "warpfold/histogram/bins.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// Bytes of temp_storage for the sums of weights of W in so many bins.
template <class W>
  requires detail::summable<W>
constexpr std::size_t weighted_histogram_temp_storage_bytes(std::size_t bins) {
  return bins * detail::sum_entries<W>::per_bin * sizeof(std::uint64_t);
}

namespace detail {

/// Bins, as kernels take them. Bounds in the host's memory go to the device, and stay there until
/// the stream is past what was launched while this lives.
template <class T, class Bins>
class device_bins {
 public:
  device_bins(const Bins& bins, stream_type stream) : count_(bin_count(bins)) {
    if constexpr (values<Bins>) {
      state_ = set_bounds(bins, stream);
    } else {
      state_ = refuse_bin_count(count_);
      if (state_.ok()) state_ = binner_.set(bins);
    }
  }
  [[nodiscard]] const status& state() const { return state_; }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] const binner_of<T, Bins>& binner() const { return binner_; }

 private:
  struct no_copy {};
  template <class B, bool IsRange>
  struct copy_of {
    using type = no_copy;
  };
  template <class B>
  struct copy_of<B, true> {
    using type = device_buffer<value_of<B>>;
  };

  status set_bounds(const Bins& bounds, stream_type stream) {
    const auto given = view(bounds);
    if (given.size() < 2) return {1, "bins have two bounds at least", 2, given.size(), "bounds"};
    if (status s = refuse_bin_count(count_); !s.ok()) return s;
    binner_ = {given.data(), static_cast<unsigned>(count_)};
    if constexpr (owns_host_memory<Bins>) {
      status s = refuse_bounds(given);
      if (s.ok()) s = copy_.allocate(given.size(), stream);
      if (s.ok()) s = copy_async(copy_.data(), given.data(), copy_.bytes(), stream);
      binner_.bounds = copy_.data();
      return s;
    }
    return {};
  }

  std::size_t count_;
  binner_of<T, Bins> binner_{};
  typename copy_of<Bins, values<Bins>>::type copy_{};
  status state_;
};

template <class Counts>
constexpr bool can_count() {
  using count = value_of<Counts>;
  constexpr bool counts = std::is_integral_v<count> && (sizeof(count) == 4 || sizeof(count) == 8);
  static_assert(counts, "counts are integers of 4 or 8 bytes");
  return can_write<Counts>() && counts;
}

template <class W, class Sums>
constexpr bool can_sum() {
  constexpr bool same = std::is_same_v<W, value_of<Sums>>,
                 sums =
                     summable<W> || (std::is_integral_v<W> && (sizeof(W) == 4 || sizeof(W) == 8));
  static_assert(same, "sums have the type of the weights");
  static_assert(sums, "weights are f32, f64, or integers of 4 or 8 bytes");
  return can_write<Sums>() && same && sums;
}

template <class Bins, class Counts>
status refuse_room(const Bins& given, const Counts& counts) {
  if (!given.state().ok()) return given.state();
  return refuse_room(given.count(), std::ranges::size(counts));
}

template <class T, class Samples, class Counts, class Size = host_size>
status count_samples(stream_type stream, std::span<const T> in, const Samples& samples,
                     Counts& counts, std::size_t bins, Size size = {}) {
  return launch_histogram(
      stream,
      histogram_problem<T, Samples, unit_weights, value_of<Counts>>{in.data(),
                                                                    in.size(),
                                                                    samples,
                                                                    {},
                                                                    std::ranges::data(counts),
                                                                    static_cast<unsigned>(bins)},
      size);
}

}  // namespace detail

/// Leaves in counts[k] the number of values in bin k.
///
/// Bounds in a std::vector are copied to the device, in memory that the call allocates: a graph
/// reads them when it runs. Bounds in device memory must increase, which is not checked: otherwise
/// each value is counted in any bin or in none.
template <device_place Where, sized_values Range, class Bins, values Counts>
  requires bins_of<Bins, given_value_of<Range>>
status histogram(const Where& where, const Range& range, const Bins& bins, Counts&& counts) {
  if constexpr (detail::can_count<Counts>()) {
    using T = given_value_of<Range>;
    const auto in = detail::given_values<Range>::most(range);
    const detail::device_bins<T, Bins> given(bins, where.stream());
    const status s = detail::refuse_room(given, counts);
    if (!s.ok()) return s;
    using samples = detail::plain_samples<detail::binner_of<T, Bins>>;
    return detail::count_samples(where.stream(), in, samples{given.binner()}, counts, given.count(),
                                 detail::given_values<Range>::size(range));
  } else {
    return {};
  }
}

/// The same, accumulated: counts[k] is the number of values in the bins 0 … k. Takes a workspace of
/// scan_workspace_bytes of the counts, or allocates one.
template <device_place Where, sized_values Range, class Bins, values Counts>
  requires bins_of<Bins, given_value_of<Range>>
status cumulative_histogram(const Where& where, const Range& range, const Bins& bins,
                            Counts&& counts) {
  const status s = histogram(where, range, bins, counts);
  if (!s.ok()) return s;
  const std::span<value_of<Counts>> sums(std::ranges::data(counts), detail::bin_count(bins));
  return inclusive_scan(where, sums, sums);
}

/// Leaves in counts[i * y_bins + j] the number of points with x in bin i and y in bin j; x and y
/// have the same length. All bins together are 2^24 at most.
template <device_place Where, values X, values Y, class XBins, class YBins, values Counts>
  requires bins_of<XBins, value_of<X>> && bins_of<YBins, value_of<Y>>
status histogram_2d(const Where& where, const X& x, const Y& y, const XBins& x_bins,
                    const YBins& y_bins, Counts&& counts) {
  if constexpr (detail::can_count<Counts>()) {
    const auto xs = detail::device_view(x);
    const auto ys = detail::device_view(y);
    if (status s = detail::refuse_unequal("a point has an x and a y", xs.size(), ys.size());
        !s.ok()) {
      return s;
    }
    const detail::device_bins<value_of<X>, XBins> rows(x_bins, where.stream());
    if (!rows.state().ok()) return rows.state();
    const detail::device_bins<value_of<Y>, YBins> columns(y_bins, where.stream());
    if (!columns.state().ok()) return columns.state();
    const std::size_t bins = rows.count() * columns.count();
    status s = detail::refuse_bin_count(bins);
    if (s.ok()) s = detail::refuse_room(bins, std::ranges::size(counts));
    if (!s.ok()) return s;
    using samples = detail::paired_samples<detail::binner_of<value_of<X>, XBins>,
                                           detail::binner_of<value_of<Y>, YBins>, value_of<Y>>;
    return detail::count_samples(
        where.stream(), xs,
        samples{rows.binner(), columns.binner(), ys.data(), static_cast<unsigned>(columns.count())},
        counts, bins);
  } else {
    return {};
  }
}

/// Values have `stride` interleaved channels: leaves the counts of the first channel in `counts`,
/// then those of the second, and so on, one channel for each of the bins given. All bins together
/// are 2^24 at most.
template <device_place Where, values Range, class Bins, std::size_t Channels, values Counts>
  requires bins_of<Bins, value_of<Range>> && (!values<Bins>)
status histogram_channels(const Where& where, const Range& range, std::size_t stride,
                          const std::array<Bins, Channels>& bins, Counts&& counts) {
  if constexpr (detail::can_count<Counts>()) {
    using T = value_of<Range>;
    const auto in = detail::device_view(range);
    status s = detail::refuse_channels(in.size(), stride, Channels);
    detail::channel_samples<detail::binner_of<T, Bins>, Channels> samples{};
    std::size_t all = 0;
    for (std::size_t c = 0; c < Channels && s.ok(); ++c) {
      const detail::device_bins<T, Bins> given(bins[c], where.stream());
      s = given.state();
      samples.binner[c] = given.binner();
      samples.first[c] = static_cast<unsigned>(all);
      all += given.count();
    }
    if (s.ok()) s = detail::refuse_bin_count(all);
    if (s.ok()) s = detail::refuse_room(all, std::ranges::size(counts));
    if (!s.ok()) return s;
    samples.stride = static_cast<unsigned>(stride);
    return detail::count_samples(where.stream(), in, samples, counts, all);
  } else {
    return {};
  }
}

/// Leaves in sums[k] the sum of the weights of the values in bin k: integers of 4 or 8 bytes, which
/// wrap, or f32 or f64, exact and rounded once, the same bits as on the host. The digits of f32 and
/// f64 are in temp_storage of weighted_histogram_temp_storage_bytes, or the call allocates them.
template <device_place Where, values Range, values Weights, class Bins, values Sums>
  requires bins_of<Bins, value_of<Range>>
status weighted_histogram(const Where& where, const Range& range, const Weights& weights,
                          const Bins& bins, Sums&& sums) {
  using W = value_of<Weights>;
  using T = value_of<Range>;
  if constexpr (detail::can_sum<W, Sums>()) {
    const auto in = detail::device_view(range);
    const auto beside = detail::device_view(weights);
    if (status s = detail::refuse_unequal("each value has a weight", in.size(), beside.size());
        !s.ok()) {
      return s;
    }
    const detail::device_bins<T, Bins> given(bins, where.stream());
    const status s = detail::refuse_room(given, sums);
    if (!s.ok()) return s;
    const detail::histogram_problem<T, detail::plain_samples<detail::binner_of<T, Bins>>,
                                    detail::given_weights<W>, W>
        problem{in.data(),
                in.size(),
                {given.binner()},
                {beside.data()},
                std::ranges::data(sums),
                static_cast<unsigned>(given.count())};
    if constexpr (std::is_integral_v<W>) {
      return detail::launch_histogram(where.stream(), problem);
    } else {
      const std::size_t bytes = weighted_histogram_temp_storage_bytes<W>(given.count());
      const detail::scratch memory(
          detail::for_sorts(where),
          {bytes,
           "the temp_storage is smaller than weighted_histogram_temp_storage_bytes<W>(bins)"},
          bytes, false);
      if (!memory.state().ok()) return memory.state();
      return detail::launch_exact_sums(where.stream(), problem,
                                       static_cast<std::uint64_t*>(memory.data()));
    }
  } else {
    return {};
  }
}

/// Leaves in counts[k] how often the integer k occurs; returns the number of counts: one more than
/// the largest value, at least `minimum`. The counts after these are 0. Waits for the result;
/// throws usage_error where a value is negative or `counts` too short.
template <device_place Where, values Range, values Counts>
  requires std::is_integral_v<value_of<Range>>
std::size_t bincount(const Where& where, const Range& range, Counts&& counts,
                     std::size_t minimum = 0) {
  const std::size_t n = std::ranges::size(range), room = std::ranges::size(counts);
  std::size_t length = minimum;
  if (n > 0) {
    const auto ends = minmax(where, range);
    length = detail::bincount_length(ends.min, ends.max, minimum);
  }
  if (length > room) {
    throw usage_error("bincount: an output of ", room, " counts is too short for ", length);
  }
  if (room > 0) {
    histogram(where, range, each_integer{0, room}, counts)
        .throw_if_failed("bincount of ", n, " values");
  }
  return length;
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
