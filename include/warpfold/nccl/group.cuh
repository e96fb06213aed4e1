// Groups of equal keys on all GPUs, in the order of their keys over the ranks: the rows are sorted
// across the GPUs, each with what it contributes to the aggregates, and the runs of equal keys are
// reduced. Waits for the host as a sort does.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "warpfold/aggregates.hpp"
#include "warpfold/device/group.cuh"
#include "warpfold/nccl/keys.cuh"
#include "warpfold/nccl/sort.cuh"
#include "warpfold/ranks/read.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace nccl_detail {

/// The rows of a part, as a sort moves them.
template <class K, class List>
__global__ void __launch_bounds__(256)
    make_rows_kernel(const K* keys, std::size_t n, std::uint64_t before, List list, K* out_keys,
                     typename List::state* states) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const detail::read_columns read{};
  out_keys[i] = keys[i];
  states[i] = list.of(ranks_detail::read_of_rank<detail::read_columns>{read, before}, before + i);
}

template <class List>
__global__ void __launch_bounds__(256)
    write_groups_kernel(const typename List::state* states, const std::size_t* groups,
                        std::size_t room, List list) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < *groups && i < room) list.write(i, states[i]);
}

template <class K, class Where, class List>
status group_by(const across_gpus<Where>& place, std::span<const K> keys, std::span<K> out_keys,
                std::size_t* groups, const List& list) {
  using state = typename List::state;
  const detail::stream_type stream = place.here().stream();
  const std::size_t n = keys.size();
  rank_values<std::uint64_t> counts_on_device;
  std::vector<std::uint64_t> counts;
  detail::device_buffer<K> rows;
  detail::device_buffer<state> states, reduced;
  status s = gather_counts(place, n, counts_on_device, counts);
  if (s.ok()) s = rows.allocate(n, stream);
  if (s.ok()) s = states.allocate(n, stream);
  if (s.ok()) s = reduced.allocate(n, stream);
  if (!s.ok()) return s;
  std::uint64_t before = 0;
  for (int r = 0; r < place.rank(); ++r) before += counts[static_cast<std::size_t>(r)];
  const detail::launch_config each_row{
      .grid = static_cast<unsigned>(n / 256 + 1), .block = 256, .stream = stream};
  const std::span<K> sorted(rows.data(), n);
  const std::span<state> along(states.data(), n), of_groups(reduced.data(), n);
  s = detail::try_launch(each_row, make_rows_kernel<K, List>, keys.data(), n, before, list,
                         sorted.data(), along.data());
  if (s.ok()) s = stable_sort_by_key(place, sorted, along);
  if (s.ok()) {
    s = reduce_by_key(place, sorted, along, out_keys, of_groups, groups,
                      detail::join_states<List>{list}, detail::same_group{});
  }
  return s.ok() ? detail::try_launch(each_row, write_groups_kernel<List>, of_groups.data(), groups,
                                     out_keys.size(), list)
                : s;
}

}  // namespace nccl_detail

/// Leaves the key of each of this rank's groups in `out_keys`, its results in the outputs of the
/// aggregates, and the number of these groups in `*groups`; they stand in the order of their keys
/// over all ranks, and a rank has as many at most as it has keys. Indices are those among all
/// ranks' values. If an output is too short, it is filled.
template <device_place Where, values Keys, values OutKeys, group_aggregate... Aggregates>
  requires(sizeof...(Aggregates) > 0) && arithmetic_key<value_of<Keys>> &&
          std::same_as<value_of<Keys>, value_of<OutKeys>>
status group_by(const across_gpus<Where>& place, const Keys& keys, OutKeys&& out_keys,
                std::size_t* groups, const Aggregates&... aggregates) {
  using K = value_of<Keys>;
  if constexpr (detail::can_group<Where, Aggregates...>()) {
    const auto in = detail::device_view(keys);
    const status s = detail::refuse_short_columns(in.size(), aggregates...);
    if (!s.ok()) return s;
    return nccl_detail::group_by<K>(
        place, in,
        std::span<K>(std::ranges::data(out_keys), detail::room_of(out_keys, aggregates...)), groups,
        detail::list_of<(Aggregates::counts || ...)>(aggregates...));
  } else {
    return {};
  }
}
/// The same; returns the number of this rank's groups. Throws usage_error if an output is too short
/// for them.
template <device_place Where, values Keys, values OutKeys, group_aggregate... Aggregates>
  requires(sizeof...(Aggregates) > 0) && arithmetic_key<value_of<Keys>> &&
          std::same_as<value_of<Keys>, value_of<OutKeys>>
std::size_t group_by(const across_gpus<Where>& place, const Keys& keys, OutKeys&& out_keys,
                     const Aggregates&... aggregates) {
  return detail::counted(
      place.here(), "group_by", std::ranges::size(keys), detail::room_of(out_keys, aggregates...),
      [&](std::size_t* groups) { return group_by(place, keys, out_keys, groups, aggregates...); });
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
