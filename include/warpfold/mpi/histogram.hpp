// Histograms of all ranks' values, on every rank.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "warpfold/host/histogram.hpp"
#include "warpfold/mpi/staging.hpp"
#include "warpfold/ranks/histogram.hpp"

#if WARPFOLD_HAS_DEVICE
#include "warpfold/device/histogram.cuh"
#endif

namespace warpfold::inline WARPFOLD_MACHINE {
namespace mpi_detail {

/// Whether the bounds of a rank's call lie in the host's memory.
template <class Where, class Bins>
constexpr bool in_host_memory() {
#if WARPFOLD_HAS_DEVICE
  if constexpr (device_place<Where>) return detail::owns_host_memory<Bins>;
#endif
  return true;
}
/// Of ranks that are checked: all make this call, with the same bins.
template <class... Types, class Where, class Bins>
void require_same_bins(const across_ranks<Where>& place, const char* name, const Bins& bins) {
  const std::size_t count = detail::bin_count(bins);
  if constexpr (values<Bins>) {
    require_same_call<Types...>(place, name, count);
    if (!place.is_checked()) return;
    std::uint64_t hash = 0;
    transport(place).agreed([&] {
      if constexpr (in_host_memory<Where, Bins>()) {
        hash = hash_of(view(bins));
      } else {
        const auto bounds = staged(place.here(), bins);
        hash = hash_of(view(bounds));
      }
    });
    require_same_call(place, name, hash);
  } else if constexpr (requires { bins.high; }) {
    require_same_call<Types...>(place, name, count, bins.low, bins.high);
  } else {
    require_same_call<Types...>(place, name, count, bins.low);
  }
}

/// This rank's own histogram, in the host's memory: call(out) writes `bins` numbers of Count.
template <class Count, host_place Where, class Call>
std::vector<Count> bins_here(const Where&, std::size_t bins, const Call& call) {
  std::vector<Count> own(bins);
  call(std::span(own));
  return own;
}
/// This rank's sum of the weights in each bin, not rounded.
template <class W, host_place Where, class Range, class Weights, class Bins>
auto unrounded_here(const Where& where, const char* call, const Range& range,
                    const Weights& weights, const Bins& bins) {
  const auto in = view(range);
  const auto binner = host_detail::binner_of_bins<value_of<Range>>(call, bins);
  return host_detail::unrounded_bins<W>(
      where, in.size(), detail::bin_count(bins), [&](std::size_t i) { return binner(in[i]); },
      std::ranges::data(weights));
}

#if WARPFOLD_HAS_DEVICE
template <class Count, device_place Where, class Call>
std::vector<Count> bins_here(const Where& where, std::size_t bins, const Call& call) {
  const detail::device_buffer<Count> memory(bins, "a histogram", where.stream());
  call(std::span(memory.data(), bins)).throw_if_failed("a histogram of ", bins, " bins");
  return copied(where, memory.data(), bins);
}
template <class W, device_place Where, class Range, class Weights, class Bins>
auto unrounded_here(const Where& where, const char* call, const Range& range,
                    const Weights& weights, const Bins& bins) {
  const auto on_host = [&](const auto& column) {
    return copied(where, std::ranges::data(column), std::ranges::size(column));
  };
  const auto in = on_host(range);
  const auto beside = on_host(weights);
  if constexpr (values<Bins> && !in_host_memory<Where, Bins>()) {
    return unrounded_here<W>(host, call, in, beside, on_host(bins));
  } else {
    return unrounded_here<W>(host, call, in, beside, bins);
  }
}
#endif

/// Throws on all ranks, which pass the same bins. Returns how many there are.
template <class Bins>
std::size_t number_of(const char* call, const Bins& bins) {
  host_detail::require(call, detail::refuse_bin_count(detail::bin_count(bins)));
  return detail::bin_count(bins);
}

}  // namespace mpi_detail

/// Leaves in counts[k] the number of all ranks' values in bin k, on every rank. All ranks pass the
/// same bins.
template <class Where, values Range, class Bins, host_detail::countable Counts>
  requires bins_of<Bins, value_of<Range>>
void histogram(const across_ranks<Where>& place, const Range& range, const Bins& bins,
               Counts&& counts) {
  using namespace mpi_detail;
  constexpr char call[] = "histogram(across(…), values, bins, counts)";
  require_same_bins<value_of<Range>>(place, "histogram", bins);
  const std::size_t count = number_of(call, bins);
  staged_room<Where, Counts> room;
  ranks_detail::add_counts(
      transport(place), count,
      [&] {
        room = room_for(place.here(), counts);
        host_detail::require(call, detail::refuse_room(count, room.size()));
        return bins_here<std::uint64_t>(place.here(), count, [&](auto own) {
          return histogram(place.here(), range, bins, own);
        });
      },
      room);
  put(place.here(), room, counts, count);
}

/// Leaves in sums[k] the sum of the weights of all ranks' values in bin k, on every rank: integers
/// of 4 or 8 bytes, which wrap, or f32 or f64, exact and rounded once: the same bits for any number
/// of ranks and any split.
template <class Where, values Range, values Weights, class Bins, values Sums>
  requires bins_of<Bins, value_of<Range>> && host_detail::weight<value_of<Weights>> &&
           std::same_as<value_of<Weights>, value_of<Sums>>
void weighted_histogram(const across_ranks<Where>& place, const Range& range,
                        const Weights& weights, const Bins& bins, Sums&& sums) {
  using namespace mpi_detail;
  using W = value_of<Weights>;
  constexpr char call[] = "weighted_histogram(across(…), values, weights, bins, sums)";
  require_same_bins<value_of<Range>, W>(place, "weighted_histogram", bins);
  const std::size_t count = number_of(call, bins);
  staged_room<Where, Sums> room;
  const auto prepare = [&] {
    room = room_for(place.here(), sums);
    host_detail::require(call, detail::refuse_room(count, room.size()));
    host_detail::require(call,
                         detail::refuse_unequal("each value has a weight", std::ranges::size(range),
                                                std::ranges::size(weights)));
  };
  if constexpr (std::integral<W>) {
    ranks_detail::add_counts(
        transport(place), count,
        [&] {
          prepare();
          const auto own = bins_here<W>(place.here(), count, [&](auto out) {
            return weighted_histogram(place.here(), range, weights, bins, out);
          });
          std::vector<std::uint64_t> wide(own.size());
          std::transform(own.begin(), own.end(), wide.begin(),
                         [](W sum) { return static_cast<std::uint64_t>(sum); });
          return wide;
        },
        room);
  } else {
    ranks_detail::add_exactly(
        transport(place), count,
        [&] {
          prepare();
          return unrounded_here<W>(place.here(), call, range, weights, bins);
        },
        room);
  }
  put(place.here(), room, sums, count);
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
