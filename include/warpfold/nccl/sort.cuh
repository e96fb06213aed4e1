// Sorts across GPUs: each rank sorts its part, exact splitters tell what goes where, each row goes
// to its GPU once, and what came is merged: in pieces, each while the next one travels. Stable;
// every rank keeps as many rows as it had. The rows never pass through the host; their numbers do,
// so a sort waits for them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "warpfold/bitwise_order.hpp"
#include "warpfold/bounds.hpp"
#include "warpfold/device/sort.cuh"
#include "warpfold/nccl/side_stream.cuh"
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
    const std::size_t room = n + ranks * tuning::across_pieces * 2 * aligned_rows;
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
  static constexpr detail::key_value_view<K, V> take(detail::memory_layout& layout,
                                                     std::size_t n) {
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

/// Which rows go where: all ranks' cuts. Rank d's part of the result comes in `pieces`, and rows
/// [cut(r, d, p), cut(r, d, p + 1)) of rank r belong to piece p of it.
class row_traffic {
 public:
  row_traffic(std::size_t ranks, std::size_t pieces)
      : pieces_(pieces), each_(ranks * pieces + 1), cuts_(ranks * each_) {}

  [[nodiscard]] std::uint64_t* data() { return cuts_.data(); }
  [[nodiscard]] std::size_t size() const { return cuts_.size(); }
  [[nodiscard]] std::size_t pieces() const { return pieces_; }

  [[nodiscard]] std::uint64_t begin(std::size_t from, std::size_t to, std::size_t piece) const {
    return cuts_[from * each_ + to * pieces_ + piece];
  }
  [[nodiscard]] std::uint64_t rows(std::size_t from, std::size_t to, std::size_t piece) const {
    return begin(from, to, piece + 1) - begin(from, to, piece);
  }
  /// Where the rows begin that travel along, for none if there is nothing to send.
  [[nodiscard]] std::uint64_t sent_from(std::size_t from, std::size_t to, std::size_t piece) const {
    return begin(from, to, piece) / aligned_rows * aligned_rows;
  }
  [[nodiscard]] std::uint64_t sent(std::size_t from, std::size_t to, std::size_t piece) const {
    return rows(from, to, piece) == 0 ? 0
                                      : begin(from, to, piece + 1) - sent_from(from, to, piece);
  }

 private:
  std::size_t pieces_, each_;
  std::vector<std::uint64_t> cuts_;
};

/// How many rows each rank has, on the host and on the device. Waits.
template <class Where>
status gather_counts(const across_gpus<Where>& place, std::size_t n,
                     rank_values<std::uint64_t>& on_device, std::vector<std::uint64_t>& counts) {
  const stream_type stream = place.here().stream();
  status s = on_device.allocate(place);
  if (s.ok()) s = store(on_device.mine(), static_cast<std::uint64_t>(n), stream);
  if (s.ok()) s = on_device.gather(place);
  counts.resize(static_cast<std::size_t>(place.size()));
  if (s.ok()) s = copy_async(counts.data(), on_device.all(), counts.size() * 8, stream);
  return s.ok() ? wait_for(stream) : s;
}

/// Every rank's cuts to the host. Waits.
template <class Key, class Less, class Where>
status gather_cuts(const across_gpus<Where>& place, const Key* keys, std::size_t n,
                   const rank_values<std::uint64_t>& counts, std::uint64_t most, const Less& less,
                   row_traffic& traffic) {
  const stream_type stream = place.here().stream();
  const auto ranks = static_cast<std::size_t>(place.size());
  rank_values<std::uint64_t> cuts;
  status s = cuts.allocate(place, traffic.size() / ranks);
  if (s.ok()) {
    s = find_cuts(place, keys, n, counts.all(), most, static_cast<unsigned>(traffic.pieces()),
                  cuts.mine(), less);
  }
  if (s.ok()) s = cuts.gather(place);
  if (s.ok()) s = copy_async(traffic.data(), cuts.all(), traffic.size() * 8, stream);
  return s.ok() ? wait_for(stream) : s;
}

/// One column of a piece, within a group of NCCL's, to row `at` on.
template <class T, class Where>
status move_column(const across_gpus<Where>& place, const row_traffic& traffic, std::size_t piece,
                   const T* from, T* to, std::uint64_t at) {
  const auto me = static_cast<std::size_t>(place.rank());
  status s;
  for (std::size_t r = 0; s.ok() && r < static_cast<std::size_t>(place.size()); ++r) {
    if (r == me) {
      at += room_of(traffic.rows(me, me, piece));
      continue;
    }
    const int other = static_cast<int>(r);
    const std::uint64_t out = traffic.sent(me, r, piece), in = traffic.sent(r, me, piece);
    if (out > 0) {
      s = to_status(ncclSend(from + traffic.sent_from(me, r, piece), out * sizeof(T), ncclUint8,
                             other, place.comm(), place.stream()));
    }
    if (s.ok() && in > 0) {
      s = to_status(
          ncclRecv(to + at, in * sizeof(T), ncclUint8, other, place.comm(), place.stream()));
    }
    at += room_of(in);
  }
  return s;
}

/// Brings in what the others have of a piece of this rank's part. Adds its runs, in the order of
/// the ranks, of which the own one stays in its place, though there is room for it beside the
/// others; `at` counts the rows that there is room for before.
template <class K, class V, class Where>
status move_piece(const across_gpus<Where>& place, const row_traffic& traffic, std::size_t piece,
                  const sort_memory<K, V>& memory, std::uint64_t& at,
                  std::vector<sorted_run<detail::key_value_view<K, V>>>& runs) {
  status s = to_status(ncclGroupStart());
  if (!s.ok()) return s;
  s = move_column(place, traffic, piece, memory.sorted.keys, memory.arrived.keys, at);
  if constexpr (detail::bytes_of<V> != 0) {
    if (s.ok()) {
      s = move_column(place, traffic, piece, memory.sorted.values, memory.arrived.values, at);
    }
  }
  const status ended = to_status(ncclGroupEnd());
  const auto me = static_cast<std::size_t>(place.rank());
  for (std::size_t r = 0; r < static_cast<std::size_t>(place.size()); ++r) {
    const std::uint64_t begin = traffic.begin(r, me, piece), rows = traffic.rows(r, me, piece);
    if (r == me) {
      runs.push_back({memory.sorted.from(begin), rows});
      at += room_of(rows);
    } else {
      runs.push_back({memory.arrived.from(at + begin % aligned_rows), rows});
      at += room_of(traffic.sent(r, me, piece));
    }
  }
  return s.ok() ? ended : s;
}

template <class K, class V>
status copy_all(detail::key_value_view<K, V> from, detail::key_value_view<K, V> to, std::size_t n,
                stream_type stream) {
  if (n == 0 || from.keys == to.keys) return {};
  status s = copy_async(to.keys, from.keys, n * sizeof(K), stream);
  if constexpr (detail::bytes_of<V> != 0) {
    if (s.ok()) s = copy_async(to.values, from.values, n * sizeof(V), stream);
  }
  return s;
}

/// One row after the other of all runs.
template <class K, class V>
status join_runs(const std::vector<sorted_run<detail::key_value_view<K, V>>>& runs,
                 detail::key_value_view<K, V> to, stream_type stream) {
  status s;
  for (const auto& run : runs) {
    if (s.ok()) s = copy_all(run.rows, to, run.count, stream);
    to = to.from(run.count);
  }
  return s;
}

/// How rows merge that came from several ranks.
template <class K, class V>
inline constexpr auto merges_across = [] {
  auto plan = tuning::large_merges<sizeof(K) + detail::bytes_of<V>>;
  plan.programmatic_launch = false;
  return plan;
}();
template <class K, class V>
constexpr std::size_t most_partitions(std::size_t n) {
  return n / std::remove_cvref_t<decltype(merges_across<K, V>)>::tile::rows + 2;
}

/// Merges runs pair by pair into `rows`; `spare` has room for as many, and where the runs are is
/// overwritten.
template <class K, class V, class Order>
status merge_runs(std::vector<sorted_run<detail::key_value_view<K, V>>> runs,
                  detail::key_value_view<K, V> rows, detail::key_value_view<K, V> spare,
                  std::size_t* partitions, const Order& order, stream_type stream) {
  using view = detail::key_value_view<K, V>;
  std::erase_if(runs, [](const auto& run) { return run.count == 0; });
  status s;
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
                               detail::two_runs<view>{a.count, b.rows}, partitions, order,
                               merges_across<K, V>, stream);
      }
      at += merged.count;
      next.push_back(merged);
    }
    runs = std::move(next);
  }
  return s.ok() && !runs.empty() ? copy_all(runs[0].rows, rows, runs[0].count, stream) : s;
}

/// Moves all pieces and merges each while the next one travels.
template <class K, class V, class Where, class Order>
status move_and_merge(const across_gpus<Where>& place, const row_traffic& traffic,
                      const sort_memory<K, V>& memory, detail::key_value_view<K, V> rows,
                      std::size_t n, const Order& order) {
  std::optional<side_stream> beside;
  if (traffic.pieces() > 1) beside.emplace(place.stream());
  status s = beside ? beside->state() : status{};
  const stream_type merging = beside ? beside->stream() : place.here().stream();
  detail::device_buffer<std::size_t> partitions;
  if (s.ok()) s = partitions.allocate(most_partitions<K, V>(n), place.here().stream());
  std::uint64_t came = 0;
  for (std::size_t piece = 0; s.ok() && piece < traffic.pieces(); ++piece) {
    std::vector<sorted_run<detail::key_value_view<K, V>>> runs;
    const auto arrived = memory.arrived.from(came);
    s = move_piece(place, traffic, piece, memory, came, runs);
    if (s.ok() && beside) s = beside->follow();
    if (s.ok()) s = merge_runs(runs, rows, arrived, partitions.data(), order, merging);
    for (const auto& run : runs) rows = rows.from(run.count);
  }
  const status joined = beside ? beside->join() : status{};
  return s.ok() ? joined : s;
}

/// Pieces of about `piece_bytes`, of which rank parts have some.
template <class K, class V>
std::size_t pieces_of(std::uint64_t most, std::size_t piece_bytes) {
  const std::uint64_t bytes = most * (sizeof(K) + detail::bytes_of<V>);
  return std::clamp<std::uint64_t>(bytes / piece_bytes, 1, tuning::across_pieces);
}

template <class K, class V, class Where, class Less>
status sort(const across_gpus<Where>& place, detail::key_value_view<K, V> rows, std::size_t n,
            const Less& less, std::size_t piece_bytes = tuning::across_piece_bytes) {
  constexpr bool merges = detail::moves_key<K> && detail::moves_value<V>;
  const detail::work_place here = detail::for_sorts(place.here());
  if (place.size() == 1) return detail::sort(here, rows, n, less);
  const auto ranks = static_cast<std::size_t>(place.size());
  const std::size_t bytes = sort_memory<K, V>(n, ranks).bytes;
  const detail::scratch given(here, bytes, bytes, false);
  if (!given.state().ok()) return given.state();
  const sort_memory<K, V> memory(n, ranks, given.data());
  const detail::work_place inner{here.stream, memory.work, memory.work_bytes};
  rank_values<std::uint64_t> counts_on_device;
  std::vector<std::uint64_t> counts;
  status s = gather_counts(place, n, counts_on_device, counts);
  if (s.ok()) s = detail::sort(inner, detail::sort_buffers{rows, memory.sorted}, n, less);
  if (!s.ok()) return s;
  const std::uint64_t most = *std::max_element(counts.begin(), counts.end());
  row_traffic traffic(ranks, merges ? pieces_of<K, V>(most, piece_bytes) : 1);
  s = gather_cuts(place, memory.sorted.keys, n, counts_on_device, most, less, traffic);
  if (!s.ok()) return s;
  using bits = decltype(detail::bitwise_order<Less, K>());
  if constexpr (!merges) {  // too large to be merged
    std::vector<sorted_run<detail::key_value_view<K, V>>> runs;
    std::uint64_t came = 0;
    s = move_piece(place, traffic, 0, memory, came, runs);
    if (s.ok()) s = join_runs(runs, rows, here.stream);
    return s.ok() ? detail::sort(inner, rows, n, less) : s;
  } else if constexpr (std::is_void_v<bits>) {
    return move_and_merge(place, traffic, memory, rows, n,
                          detail::comparator_order<K, Less>{less});
  } else {
    return move_and_merge(place, traffic, memory, rows, n, detail::radix_order<K, bits>{});
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
  return nccl_detail::sort_memory<K, detail::item_word<V>>(n, static_cast<std::size_t>(ranks)).bytes;
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
