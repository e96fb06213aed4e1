// Sorts across GPUs: each rank sorts its part, exact splitters tell what goes where, each row goes
// to its GPU once, and what came is merged. Stable; every rank keeps as many rows as it had. The
// rows never pass through the host; their numbers do, so a sort waits for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "warpfold/bitwise_order.hpp"
#include "warpfold/bounds.hpp"
#include "warpfold/device/sort.cuh"
#include "warpfold/nccl/splitters.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace nccl_detail {

/// How rows travel: `arrivals` on this rank by sender, `cuts` of what this rank has, by receiver.
struct row_traffic {
  std::vector<std::uint64_t> cuts, arrivals;
};

/// Every rank's cuts to the host. Throws nothing but std::bad_alloc.
template <class Key, class Less, class Where>
status plan(const across_gpus<Where>& place, const Key* keys, std::size_t n, const Less& less,
            row_traffic& traffic) {
  const auto ranks = static_cast<std::size_t>(place.size()),
             me = static_cast<std::size_t>(place.rank());
  const stream_type stream = place.here().stream();
  rank_values<std::uint64_t> counts, cuts;
  status s = counts.allocate(place);
  if (s.ok()) s = cuts.allocate(place, ranks + 1);
  if (s.ok()) s = store(counts.mine(), static_cast<std::uint64_t>(n), stream);
  if (s.ok()) s = counts.gather(place);
  if (s.ok()) s = find_cuts(place, keys, n, counts.all(), cuts.mine(), less);
  if (s.ok()) s = cuts.gather(place);
  std::vector<std::uint64_t> all(ranks * (ranks + 1));
  if (s.ok()) s = copy_async(all.data(), cuts.all(), all.size() * sizeof all[0], stream);
  if (s.ok()) s = wait_for(stream);
  if (!s.ok()) return s;
  const auto cut = [&](std::size_t r, std::size_t c) { return all[r * (ranks + 1) + c]; };
  traffic.arrivals.assign(1, 0);
  for (std::size_t r = 0; r < ranks; ++r) {
    traffic.arrivals.push_back(traffic.arrivals.back() + cut(r, me + 1) - cut(r, me));
  }
  traffic.cuts.assign(all.begin() + static_cast<std::ptrdiff_t>(me * (ranks + 1)),
                      all.begin() + static_cast<std::ptrdiff_t>((me + 1) * (ranks + 1)));
  return {};
}

/// One column: what stays is copied, all else goes through NCCL, within its group.
template <class T, class Where>
status move_column(const across_gpus<Where>& place, const row_traffic& traffic, const T* from,
                   T* to) {
  status s;
  for (int r = 0; s.ok() && r < place.size(); ++r) {
    const auto i = static_cast<std::size_t>(r);
    const std::size_t out = traffic.cuts[i + 1] - traffic.cuts[i],
                      in = traffic.arrivals[i + 1] - traffic.arrivals[i];
    const T* const begin = from + traffic.cuts[i];
    T* const end = to + traffic.arrivals[i];
    if (r == place.rank()) {
      if (out > 0) s = copy_async(end, begin, out * sizeof(T), place.here().stream());
      continue;
    }
    if (out > 0) {
      s = to_status(ncclSend(begin, out * sizeof(T), ncclUint8, r, place.comm(), place.stream()));
    }
    if (s.ok() && in > 0) {
      s = to_status(ncclRecv(end, in * sizeof(T), ncclUint8, r, place.comm(), place.stream()));
    }
  }
  return s;
}

template <class K, class V, class Where>
status move_rows(const across_gpus<Where>& place, const row_traffic& traffic,
                 detail::key_value_view<K, V> from, detail::key_value_view<K, V> to) {
  status s = to_status(ncclGroupStart());
  if (!s.ok()) return s;
  s = move_column(place, traffic, from.keys, to.keys);
  if constexpr (!std::is_same_v<V, detail::keys_only>) {
    if (s.ok()) s = move_column(place, traffic, from.values, to.values);
  }
  const status ended = to_status(ncclGroupEnd());
  return s.ok() ? ended : s;
}

template <class K, class V>
status copy_all(detail::key_value_view<K, V> from, detail::key_value_view<K, V> to, std::size_t n,
                stream_type stream) {
  if (n == 0) return {};
  status s = copy_async(to.keys, from.keys, n * sizeof(K), stream);
  if constexpr (!std::is_same_v<V, detail::keys_only>) {
    if (s.ok()) s = copy_async(to.values, from.values, n * sizeof(V), stream);
  }
  return s;
}

/// Merges the runs [bounds[i], bounds[i + 1]) of `from`, pair by pair; the rows end in `rows`, and
/// `from` is overwritten.
template <class K, class V, class Order>
status merge_runs(detail::key_value_view<K, V> from, detail::key_value_view<K, V> rows,
                  std::vector<std::uint64_t> bounds, const Order& order, stream_type stream) {
  constexpr auto plan = [] {
    auto p = tuning::large_merges<sizeof(K) + detail::bytes_of<V>>;
    p.programmatic_launch = false;
    return p;
  }();
  const std::size_t n = bounds.back();
  detail::device_buffer<std::size_t> partitions;
  status s = partitions.allocate(n / decltype(plan)::tile::rows + 2, stream);
  auto to = rows;
  while (s.ok() && bounds.size() > 2) {
    std::vector<std::uint64_t> next;
    for (std::size_t i = 0; s.ok() && i + 1 < bounds.size(); i += 2) {
      const std::uint64_t a = bounds[i], b = bounds[i + 1],
                          c = i + 2 < bounds.size() ? bounds[i + 2] : b;
      next.push_back(a);
      if (a == b || b == c) {
        s = copy_all(from.from(a), to.from(a), c - a, stream);
      } else {
        s = detail::merge_pass(from.from(a), to.from(a), c - a, detail::two_runs{b - a},
                               partitions.data(), order, plan, stream);
      }
    }
    next.push_back(n);
    bounds = std::move(next);
    std::swap(from, to);
  }
  return s.ok() && from.keys != rows.keys ? copy_all(from, rows, n, stream) : s;
}

/// Room for n rows at the beginning of memory, and the bytes of that.
template <class K, class V>
struct arrived_rows {
  detail::key_value_view<K, V> rows{};
  std::size_t bytes;

  constexpr explicit arrived_rows(std::size_t n, void* memory = nullptr) {
    detail::memory_layout layout(memory);
    rows.keys = layout.take<K>(n);
    if constexpr (detail::bytes_of<V> != 0) rows.values = layout.take<V>(n);
    bytes = layout.bytes();
  }
};
/// What a sort of n rows across GPUs works in: the same memory while it sorts its own part and for
/// what comes from the others.
template <class K, class V>
constexpr std::size_t sort_bytes(std::size_t n) {
  return detail::at_least(detail::sort_bytes<K, V>(n), arrived_rows<K, V>(n).bytes);
}

template <class K, class V, class Where, class Less>
status sort(const across_gpus<Where>& place, detail::key_value_view<K, V> rows, std::size_t n,
            const Less& less) {
  detail::work_place here = detail::for_sorts(place.here());
  if (place.size() == 1) return detail::sort(here, rows, n, less);
  const std::size_t bytes = sort_bytes<K, V>(n);
  const detail::scratch memory(here, bytes, bytes, false);
  if (!memory.state().ok()) return memory.state();
  here.data = memory.data();
  here.bytes = detail::at_least(here.bytes, bytes);
  status s = detail::sort(here, rows, n, less);
  row_traffic traffic;
  if (s.ok()) s = plan(place, rows.keys, n, less, traffic);
  if (!s.ok()) return s;
  const auto arrived = arrived_rows<K, V>(n, here.data).rows;
  s = move_rows(place, traffic, rows, arrived);
  if (!s.ok()) return s;
  using bits = decltype(detail::bitwise_order<Less, K>());
  if constexpr (!detail::moves_key<K> || !detail::moves_value<V>) {  // too large to be merged
    s = copy_all(arrived, rows, n, here.stream);
    return s.ok() ? detail::sort(here, rows, n, less) : s;
  } else if constexpr (std::is_void_v<bits>) {
    return merge_runs(arrived, rows, traffic.arrivals, detail::comparator_order<K, Less>{less},
                      here.stream);
  } else {
    return merge_runs(arrived, rows, traffic.arrivals, detail::radix_order<K, bits>{}, here.stream);
  }
}

}  // namespace nccl_detail

/// Bytes of temp_storage for a sort across GPUs of n keys of K on this rank, alone. It
/// allocates little beside it: a word for each tile that is merged, and a few for each other rank.
template <class K>
constexpr std::size_t across_sort_temp_storage_bytes(std::size_t n) {
  return nccl_detail::sort_bytes<K, detail::keys_only>(n);
}
/// The same with an item of V each.
template <class K, class V>
constexpr std::size_t across_sort_temp_storage_bytes(std::size_t n) {
  return nccl_detail::sort_bytes<K, detail::item_word<V>>(n);
}

/// Sorts the keys of all ranks; each keeps as many as it had. Equal keys keep their order, those of
/// lower ranks first. Waits for the numbers of the rows that travel.
template <device_place Where, sortable Keys, class Less = ascending>
status stable_sort(const across_gpus<Where>& place, Keys&& keys, Less less = {}) {
  if constexpr (detail::can_sort<Less, Keys>()) {
    using rows = detail::key_value_view<value_of<Keys>, detail::keys_only>;
    return nccl_detail::sort(place, rows{std::ranges::data(keys), nullptr}, std::ranges::size(keys),
                             less);
  } else {
    return {};
  }
}
/// The same; equal keys may change places.
template <device_place Where, sortable Keys, class Less = ascending>
status sort(const across_gpus<Where>& place, Keys&& keys, Less less = {}) {
  return stable_sort(place, keys, std::move(less));
}
/// Sorts the keys of all ranks and moves items[i] along with keys[i], likewise.
template <device_place Where, sortable Keys, sortable Items, class Less = ascending>
status stable_sort_by_key(const across_gpus<Where>& place, Keys&& keys, Items&& items,
                          Less less = {}) {
  if constexpr (detail::can_sort<Less, Keys, Items>()) {
    using word = detail::item_word<value_of<Items>>;
    if (std::ranges::size(items) != std::ranges::size(keys)) {
      return {1, "a sort by key takes as many items as keys", std::ranges::size(keys),
              std::ranges::size(items), "items"};
    }
    const detail::key_value_view<value_of<Keys>, word> rows{
        std::ranges::data(keys), reinterpret_cast<word*>(std::ranges::data(items))};
    return nccl_detail::sort(place, rows, std::ranges::size(keys), less);
  } else {
    return {};
  }
}
/// The same; items of equal keys may change places.
template <device_place Where, sortable Keys, sortable Items, class Less = ascending>
status sort_by_key(const across_gpus<Where>& place, Keys&& keys, Items&& items, Less less = {}) {
  return stable_sort_by_key(place, keys, items, std::move(less));
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
