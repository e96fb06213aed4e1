// Sorts across GPUs: each rank sorts its part, exact splitters give each row its GPU, each row is
// sent once, and the received runs are merged. Stable; every rank keeps as many rows as it had.
// Rows never pass through the host; their counts do, so a sort waits for them. (Merging piece by
// piece while the next one travels wins nothing: both then take as long as one after the other.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "warpfold/bitwise_order.hpp"
#include "warpfold/bounds.hpp"
#include "warpfold/device/sort.cuh"
#include "warpfold/nccl/splitters.cuh"
#include "warpfold/tuning/sort.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace nccl_detail {

/// Rows travel to where a multiple of so many begins: NCCL copies bytes one by one unless both ends
/// are aligned to 16 of them. What lies before a cut travels along.
inline constexpr std::uint64_t aligned_rows = 16;
constexpr std::uint64_t room_of(std::uint64_t rows) {
  return (rows + aligned_rows - 1) / aligned_rows * aligned_rows;
}

/// What a sort of n rows across GPUs works in: its own rows, sorted; what comes from the others,
/// in the same memory in which the own ones are sorted before.
template <class K, class V>
struct sort_memory {
  detail::key_value_view<K, V> sorted{}, arrived{};
  void* work;
  std::size_t work_bytes, bytes;

  constexpr sort_memory(std::size_t n, std::size_t ranks, void* memory = nullptr) {
    const std::size_t room = n + ranks * 2 * aligned_rows;
    detail::memory_layout layout(memory), of_arrived;
    sorted = take(layout, n);
    (void)take(of_arrived, room);
    work_bytes = detail::at_least(detail::sort_bytes<K, V>(n), of_arrived.bytes());
    work = layout.take<std::byte>(work_bytes);
    bytes = layout.bytes();
    of_arrived = detail::memory_layout(work);
    arrived = take(of_arrived, room);
  }

 private:
  static constexpr detail::key_value_view<K, V> take(detail::memory_layout& layout, std::size_t n) {
    detail::key_value_view<K, V> rows{layout.take<K>(n), nullptr};
    if constexpr (detail::bytes_of<V> != 0) rows.values = layout.take<V>(n);
    return rows;
  }
};

/// Sorted rows, somewhere in device memory.
template <class Rows>
struct sorted_run {
  Rows rows;
  std::uint64_t count;
};

/// Which rows go where: all ranks' cuts. Rows [cut(r, d), cut(r, d + 1)) of rank r go to rank d.
class row_traffic {
 public:
  explicit row_traffic(std::size_t ranks) : each_(ranks + 1), cuts_(ranks * each_) {}

  [[nodiscard]] std::uint64_t* data() { return cuts_.data(); }
  [[nodiscard]] std::size_t size() const { return cuts_.size(); }

  [[nodiscard]] std::uint64_t cut(std::size_t from, std::size_t to) const {
    return cuts_[from * each_ + to];
  }
  [[nodiscard]] std::uint64_t rows(std::size_t from, std::size_t to) const {
    return cut(from, to + 1) - cut(from, to);
  }
  /// Where what is sent begins, and how many rows it is, with those that travel along.
  [[nodiscard]] std::uint64_t sent_from(std::size_t from, std::size_t to) const {
    return cut(from, to) / aligned_rows * aligned_rows;
  }
  [[nodiscard]] std::uint64_t sent(std::size_t from, std::size_t to) const {
    return rows(from, to) == 0 ? 0 : cut(from, to + 1) - sent_from(from, to);
  }

 private:
  std::size_t each_;
  std::vector<std::uint64_t> cuts_;
};

/// How many rows each rank has, on the host and on the device. Waits.
template <class Where>
status gather_counts(const across_gpus<Where>& place, std::size_t n,
                     rank_values<std::uint64_t>& on_device, std::vector<std::uint64_t>& counts) {
  const detail::stream_type stream = place.here().stream();
  status s = on_device.allocate(place);
  if (s.ok()) s = store(on_device.mine(), static_cast<std::uint64_t>(n), stream);
  if (s.ok()) s = on_device.gather(place);
  counts.resize(static_cast<std::size_t>(place.size()));
  if (s.ok()) s = detail::copy_async(counts.data(), on_device.all(), counts.size() * 8, stream);
  return s.ok() ? detail::wait_for(stream) : s;
}

/// Every rank's cuts to the host. Waits.
template <class Key, class Less, class Where>
status gather_cuts(const across_gpus<Where>& place, const Key* keys, std::size_t n,
                   const rank_values<std::uint64_t>& counts, std::uint64_t most, const Less& less,
                   row_traffic& traffic) {
  const detail::stream_type stream = place.here().stream();
  const auto ranks = static_cast<std::size_t>(place.size());
  rank_values<std::uint64_t> cuts;
  status s = cuts.allocate(place, traffic.size() / ranks);
  if (s.ok()) s = find_cuts(place, keys, n, counts.all(), most, cuts.mine(), less);
  if (s.ok()) s = cuts.gather(place);
  if (s.ok()) s = detail::copy_async(traffic.data(), cuts.all(), traffic.size() * 8, stream);
  return s.ok() ? detail::wait_for(stream) : s;
}

/// One column, within a group of NCCL's: what comes from a rank, to where `to` has room for it.
template <class T, class Where>
status move_column(const across_gpus<Where>& place, const row_traffic& traffic, const T* from,
                   T* to) {
  const auto me = static_cast<std::size_t>(place.rank());
  std::uint64_t at = 0;
  status s;
  for (std::size_t r = 0; s.ok() && r < static_cast<std::size_t>(place.size()); ++r) {
    if (r != me) {
      const int other = static_cast<int>(r);
      const std::uint64_t out = traffic.sent(me, r), in = traffic.sent(r, me);
      if (out > 0) {
        s = to_status_in_group(ncclSend(from + traffic.sent_from(me, r), out * sizeof(T), ncclUint8,
                                        other, place.comm(), place.stream()));
      }
      if (s.ok() && in > 0) {
        s = to_status_in_group(
            ncclRecv(to + at, in * sizeof(T), ncclUint8, other, place.comm(), place.stream()));
      }
    }
    at += room_of(traffic.sent(r, me));
  }
  return s;
}

/// Brings in what the others have for this rank. Its runs are in the order of the ranks; the own
/// one stays in its place, though there is room for it beside the others.
template <class K, class V, class Where>
status move_rows(const across_gpus<Where>& place, const row_traffic& traffic,
                 const sort_memory<K, V>& memory,
                 std::vector<sorted_run<detail::key_value_view<K, V>>>& runs) {
  status s = to_status(ncclGroupStart());
  if (!s.ok()) return s;
  s = move_column(place, traffic, memory.sorted.keys, memory.arrived.keys);
  if constexpr (detail::bytes_of<V> != 0) {
    if (s.ok()) s = move_column(place, traffic, memory.sorted.values, memory.arrived.values);
  }
  const status ended = to_status(ncclGroupEnd(), place.comm());
  const auto me = static_cast<std::size_t>(place.rank());
  std::uint64_t at = 0;
  for (std::size_t r = 0; r < static_cast<std::size_t>(place.size()); ++r) {
    const std::uint64_t begin = traffic.cut(r, me);
    const auto rows =
        r == me ? memory.sorted.from(begin) : memory.arrived.from(at + begin % aligned_rows);
    runs.push_back({rows, traffic.rows(r, me)});
    at += room_of(traffic.sent(r, me));
  }
  return s.ok() ? ended : s;
}

template <class K, class V>
status copy_all(detail::key_value_view<K, V> from, detail::key_value_view<K, V> to, std::size_t n,
                detail::stream_type stream) {
  if (n == 0 || from.keys == to.keys) return {};
  status s = detail::copy_async(to.keys, from.keys, n * sizeof(K), stream);
  if constexpr (detail::bytes_of<V> != 0) {
    if (s.ok()) s = detail::copy_async(to.values, from.values, n * sizeof(V), stream);
  }
  return s;
}

/// One row after the other of all runs.
template <class K, class V>
status join_runs(const std::vector<sorted_run<detail::key_value_view<K, V>>>& runs,
                 detail::key_value_view<K, V> to, detail::stream_type stream) {
  status s;
  for (const auto& run : runs) {
    if (s.ok()) s = copy_all(run.rows, to, run.count, stream);
    to = to.from(run.count);
  }
  return s;
}

/// Merges runs pair by pair into `rows`; `spare` has room for as many, and where the runs are is
/// overwritten.
template <class K, class V, class Order>
status merge_runs(std::vector<sorted_run<detail::key_value_view<K, V>>> runs, std::size_t n,
                  detail::key_value_view<K, V> rows, detail::key_value_view<K, V> spare,
                  const Order& order, detail::stream_type stream) {
  using view = detail::key_value_view<K, V>;
  constexpr auto plan = [] {
    auto p = tuning::large_merges<sizeof(K) + detail::bytes_of<V>>;
    p.programmatic_launch = false;
    return p;
  }();
  std::erase_if(runs, [](const auto& run) { return run.count == 0; });
  detail::device_buffer<std::size_t> partitions;
  status s = partitions.allocate(n / decltype(plan)::tile::rows + 2, stream);
  for (auto to = rows, other = spare; s.ok() && runs.size() > 1; std::swap(to, other)) {
    std::vector<sorted_run<view>> next;
    std::uint64_t at = 0;
    for (std::size_t i = 0; s.ok() && i < runs.size(); i += 2) {
      const auto a = runs[i];
      const sorted_run<view> b = i + 1 < runs.size() ? runs[i + 1] : sorted_run<view>{};
      const sorted_run<view> merged{to.from(at), a.count + b.count};
      if (b.count == 0) {
        s = copy_all(a.rows, merged.rows, a.count, stream);
      } else {
        s = detail::merge_pass(a.rows, merged.rows, merged.count,
                               detail::two_runs<view>{a.count, b.rows}, partitions.data(), order,
                               plan, stream);
      }
      at += merged.count;
      next.push_back(merged);
    }
    runs = std::move(next);
  }
  return s.ok() && !runs.empty() ? copy_all(runs[0].rows, rows, runs[0].count, stream) : s;
}

template <class K, class V, class Where, class Less>
status sort(const across_gpus<Where>& place, detail::key_value_view<K, V> rows, std::size_t n,
            const Less& less) {
  const detail::work_place here = detail::for_sorts(place.here());
  if (place.size() == 1) return detail::sort(here, rows, n, less);
  const auto ranks = static_cast<std::size_t>(place.size());
  const std::size_t bytes = sort_memory<K, V>(n, ranks).bytes;
  const detail::scratch given(
      here,
      {bytes, "the temp_storage is smaller than across_sort_temp_storage_bytes<K, V>(n, ranks)"},
      bytes, false);
  if (!given.state().ok()) return given.state();
  const sort_memory<K, V> memory(n, ranks, given.data());
  const detail::work_place inner{here.stream, memory.work, memory.work_bytes};
  rank_values<std::uint64_t> counts_on_device;
  std::vector<std::uint64_t> counts;
  status s = gather_counts(place, n, counts_on_device, counts);
  if (s.ok()) s = detail::sort(inner, detail::sort_buffers{rows, memory.sorted}, n, less);
  if (!s.ok()) return s;
  const std::uint64_t most = *std::max_element(counts.begin(), counts.end());
  row_traffic traffic(ranks);
  s = gather_cuts(place, memory.sorted.keys, n, counts_on_device, most, less, traffic);
  std::vector<sorted_run<detail::key_value_view<K, V>>> runs;
  if (s.ok()) s = move_rows(place, traffic, memory, runs);
  if (!s.ok()) return s;
  using bits = decltype(detail::bitwise_order<Less, K>());
  if constexpr (!detail::moves_key<K> || !detail::moves_value<V>) {  // too large to be merged
    s = join_runs(runs, rows, here.stream);
    return s.ok() ? detail::sort(inner, rows, n, less) : s;
  } else if constexpr (std::is_void_v<bits>) {
    const detail::comparator_order<K, Less> order{less};
    return merge_runs(runs, n, rows, memory.arrived, order, here.stream);
  } else {
    const detail::radix_order<K, bits> order{};
    return merge_runs(runs, n, rows, memory.arrived, order, here.stream);
  }
}

}  // namespace nccl_detail

/// Bytes of temp_storage for a sort across so many GPUs of n keys of K on this one, alone: two
/// copies of them, and a little. The sort allocates little beside it: a word for each tile that is
/// merged, and some for each other rank.
template <class K>
constexpr std::size_t across_sort_temp_storage_bytes(std::size_t n, int ranks) {
  return nccl_detail::sort_memory<K, detail::keys_only>(n, static_cast<std::size_t>(ranks)).bytes;
}
/// The same with an item of V each.
template <class K, class V>
constexpr std::size_t across_sort_temp_storage_bytes(std::size_t n, int ranks) {
  return nccl_detail::sort_memory<K, detail::item_word<V>>(n, static_cast<std::size_t>(ranks))
      .bytes;
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
