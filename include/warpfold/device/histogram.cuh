// The histograms of a CUDA device: how many values are in each bin (histogram/bins.hpp).
//
//   histogram(device.on(stream), values, even_bins{0.0F, 1.0F, 100}, counts)   returns at once;
//                                                                              a status
//
// A call never synchronises, allocates nothing unless it is said, and can be captured in a graph.
// Values, counts and bounds are device memory. Counts are integers of 4 or 8 bytes, which wrap;
// `counts` has room for all bins, what is behind them stays as it was. Reads each value once.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include "warpfold/device/detail/device_buffer.cuh"
#include "warpfold/device/detail/requirements.hpp"
#include "warpfold/device/histogram/dispatch.cuh"
#include "warpfold/device/reduce.cuh"
#include "warpfold/device/scan.cuh"
#include "warpfold/histogram/bins.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
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
  constexpr bool counts =
      std::is_integral_v<count> && (sizeof(count) == 4 || sizeof(count) == 8);
  static_assert(counts, "counts are integers of 4 or 8 bytes");
  return can_write<Counts>() && counts;
}

inline status refuse_room(std::size_t bins, std::size_t room) {
  return bins <= room ? status{}
                      : status{1, "the output has fewer counts than there are bins", bins, room,
                               "counts"};
}

}  // namespace detail

/// Leaves in counts[k] how many values are in bin k.
///
/// Bounds in a std::vector are copied to the device, in memory that the call allocates: a graph
/// reads them when it runs. Bounds in device memory rise, which no status can tell at once: if they
/// don't, each value is counted in some bin or none.
template <device_place Where, values Range, class Bins, values Counts>
  requires bins_of<Bins, value_of<Range>>
status histogram(const Where& where, const Range& range, const Bins& bins, Counts&& counts) {
  if constexpr (detail::can_count<Counts>()) {
    using T = value_of<Range>;
    const auto in = detail::device_view(range);
    const auto stream = where.stream();
    const detail::device_bins<T, Bins> given(bins, stream);
    status s = given.state();
    if (s.ok()) s = detail::refuse_room(given.count(), std::ranges::size(counts));
    if (!s.ok()) return s;
    using samples = detail::plain_samples<detail::binner_of<T, Bins>>;
    return detail::launch_histogram(
        stream, detail::histogram_problem<T, samples, detail::unit_weights, value_of<Counts>>{
                    in.data(),
                    in.size(),
                    {given.binner()},
                    {},
                    std::ranges::data(counts),
                    static_cast<unsigned>(given.count())});
  } else {
    return {};
  }
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
