// Reduces the values of each group after a stable sort of the keys: what is sorted along with them
// are the values, where all aggregates read one column, or else the rows' numbers, by which the
// reduction of the runs (keys/kernel.cuh) reads the columns.
//
//   sort     keys | values or numbers
//   reduce   runs of equal keys, by all aggregates at once
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "warpfold/aggregates.hpp"
#include "warpfold/device/group/tables.cuh"
#include "warpfold/device/keys/kernel.cuh"
#include "warpfold/device/sort.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// As an operator on the states of runs.
template <class List>
struct join_states {
  List list;
  template <class State>
  __host__ __device__ State operator()(const State& a, const State& b) const {
    return list.join(a, b);
  }
};

/// The states of sorted rows. `Along` is what was sorted along with the keys: the type of the
/// values, or row_number, or keys_only.
using row_number = std::uint32_t;
template <class List, class Along, bool Numbered>
struct sorted_rows {
  using value_type = typename List::state;
  List list;
  const Along* along;

  template <class Shape>
  __device__ __forceinline__ void load(value_type (&state)[Shape::items],
                                       const striped_tile<Shape>& tile) const {
    if constexpr (std::is_same_v<Along, keys_only>) {
#pragma unroll
      for (unsigned k = 0; k < Shape::items; ++k) state[k] = list.of(read_columns{}, 0);
    } else {
      Along at[Shape::items];
      tile.load(at, along);
      tile.for_each([&](unsigned k) {
        if constexpr (Numbered) {
          state[k] = list.of(read_columns{}, at[k]);
        } else {
          state[k] = list.of(read_value<Along>{at[k]}, 0);
        }
      });
    }
  }
};

/// Runs that become groups in the order of their keys.
template <class K, class List, class Rows>
struct sorted_groups : run_problem<run_output::pairs, K, Rows, typename List::state,
                                   typename List::state, join_states<List>, same_group> {
  __device__ __forceinline__ void put(std::size_t i, const K&,
                                      const typename List::state& state) const {
    this->op.list.write(i, state);
  }
};
/// Runs of slots, each of which goes where its slot says; those behind the last slot go nowhere.
template <class Slot, class List, class Rows, class Sink>
struct sorted_slots : run_problem<run_output::pairs, Slot, Rows, typename List::state,
                                  typename List::state, join_states<List>, same_group> {
  static constexpr bool puts_by_key = true;
  std::uint64_t slots;
  Sink sink;
  __device__ __forceinline__ void put_key(std::size_t, const Slot&) const {}
  __device__ __forceinline__ void put(std::size_t, const Slot& slot,
                                      const typename List::state& state) const {
    if (slot < slots) sink(slot, state);
  }
};

/// What a call sorts along with the keys: rows of the one column, or row numbers.
template <class... Aggregates>
struct sorted_along {
  static constexpr bool reads = (Aggregates::reads || ...);
  using column = common_column<Aggregates...>;
  static constexpr bool moves_column = [] {
    if constexpr (std::is_void_v<column>) {
      return false;
    } else {
      return moves_value<column>;
    }
  }();
};

/// The memory of a sort of groups.
template <class K, class Item, class State>
struct sorted_storage {
  K* keys;
  Item *items, *numbers;
  void *sort, *status;
  std::size_t sort_bytes, status_bytes, bytes;

  constexpr sorted_storage(std::size_t n, void* memory, bool numbered) {
    memory_layout layout(memory);
    keys = layout.take<K>(n);
    items = layout.take<Item>(n);
    numbers = layout.take<Item>(numbered ? n : 0);
    if constexpr (std::is_same_v<Item, keys_only>) {
      sort_bytes = sort_temp_storage_bytes<K>(n);
    } else {
      sort_bytes = sort_temp_storage_bytes<K, Item>(n);
    }
    sort = layout.take<char>(sort_bytes);
    status_bytes = striped_bytes<run_shape<K, State>, run_partial<State>>(n);
    status = layout.take<char>(status_bytes);
    bytes = layout.bytes();
  }
};

/// Sorts and reduces. `with(rows)` makes the problem of sorted rows, but for its keys and number.
template <bool Numbered, class K, class Item, class List, class Less, class With>
status reduce_sorted(stream_type stream, void* memory, std::span<const K> keys, const Item* column,
                     const List& list, const Less& less, const With& with) {
  using state = typename List::state;
  const std::size_t n = keys.size();
  const sorted_storage<K, Item, state> at(n, memory, Numbered);
  const auto on = device.on(stream).with(temp_storage_view{at.sort, at.sort_bytes});
  status s;
  const std::span<K> sorted(at.keys, n);
  if constexpr (std::is_same_v<Item, keys_only>) {
    s = stable_sort(on, keys, sorted, less);
  } else {
    std::span<const Item> items(column, n);
    if constexpr (Numbered) {
      if (n > 0) s = number_rows(at.numbers, n, stream);
      items = {at.numbers, n};
    }
    if (s.ok()) s = stable_sort_by_key(on, keys, items, sorted, std::span<Item>(at.items, n), less);
  }
  if (s.ok()) s = zero_async(at.status, at.status_bytes, stream);
  if (!s.ok()) return s;
  auto problem = with(sorted_rows<List, Item, Numbered>{list, at.items});
  problem.keys = at.keys;
  problem.count = {n, nullptr};
  problem.op = {list};
  return reduce_runs(work_place{stream, at.status, at.status_bytes}, problem);
}

/// Bytes for whichever of the ways below.
template <class K, class State, class... Aggregates>
constexpr std::size_t sorted_bytes(std::size_t n) {
  using along = sorted_along<Aggregates...>;
  if constexpr (!along::reads) {
    return sorted_storage<K, keys_only, State>(n, nullptr, false).bytes;
  } else {
    std::size_t bytes = sorted_storage<K, row_number, State>(n, nullptr, true).bytes;
    if constexpr (along::moves_column) {
      using item = typename along::column;
      const std::size_t by_values = sorted_storage<K, item, State>(n, nullptr, false).bytes;
      if (by_values > bytes) bytes = by_values;
    }
    return bytes;
  }
}

/// Sorts the keys along with what the aggregates ask for, and reduces.
template <class K, class List, class Less, class With, class... Aggregates>
status reduce_groups(stream_type stream, void* memory, std::span<const K> keys, const List& list,
                     const Less& less, const With& with, const Aggregates&... aggregates) {
  using along = sorted_along<Aggregates...>;
  if constexpr (!along::reads) {
    return reduce_sorted<false, K, keys_only>(stream, memory, keys, nullptr, list, less, with);
  } else {
    if constexpr (along::moves_column) {
      using item = typename along::column;
      if (const void* column = shared_column(aggregates...); column != nullptr) {
        return reduce_sorted<false>(stream, memory, keys, static_cast<const item*>(column), list,
                                    less, with);
      }
    }
    constexpr std::size_t most = std::numeric_limits<row_number>::max();
    if (keys.size() > most) {
      return {1, "a call on several columns, or on positions, takes fewer than 2^32 rows", most,
              keys.size(), "rows"};
    }
    return reduce_sorted<true>(stream, memory, keys, static_cast<const row_number*>(nullptr), list,
                               less, with);
  }
}

/// An index is its own slot; indices from `count` on, and negative ones, are out of range.
struct own_slot {
  std::uint64_t count;
  template <class K>
  __device__ __forceinline__ std::uint64_t operator()(K key) const {
    return static_cast<std::uint64_t>(key);
  }
};
/// Writes the slot of each key; one more than the last slot where a key is out of range.
template <class K, class Slot, class SlotOf>
__global__ void __launch_bounds__(256)
    slots_kernel(const K* keys, std::size_t n, SlotOf slot_of, Slot* slots, std::size_t* refused) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  bool outside = false;
  if (i < n) {
    const auto slot = slot_of(keys[i]);
    outside = slot >= slot_of.count;
    slots[i] = static_cast<Slot>(outside ? slot_of.count : slot);
  }
  const auto outsiders = static_cast<unsigned>(__popc(__ballot_sync(all_lanes, outside)));
  if (outsiders != 0 && threadIdx.x % warp_size == 0 && refused != nullptr) {
    atomicAdd(reinterpret_cast<unsigned long long*>(refused),
              static_cast<unsigned long long>(outsiders));
  }
}

/// Bytes of a reduction by sorted slots.
template <class Slot, class State, class... Aggregates>
constexpr std::size_t slots_bytes(std::size_t n) {
  memory_layout layout;
  layout.take<Slot>(n);
  layout.take<char>(sorted_bytes<Slot, State, Aggregates...>(n));
  return layout.bytes();
}
/// Calls sink(slot, state) for each slot that has values, after a sort of the slots.
template <class Slot, class K, class SlotOf, class List, class Sink, class... Aggregates>
status reduce_slots(stream_type stream, void* memory, std::span<const K> keys,
                    const SlotOf& slot_of, const List& list, const Sink& sink, std::size_t* refused,
                    const Aggregates&... aggregates) {
  if (keys.empty()) return {};
  memory_layout layout(memory);
  auto* const slots = layout.take<Slot>(keys.size());
  const status s = try_launch(
      {.grid = static_cast<unsigned>((keys.size() + 255) / 256), .block = 256, .stream = stream},
      slots_kernel<K, Slot, SlotOf>, keys.data(), keys.size(), slot_of, slots, refused);
  if (!s.ok()) return s;
  const auto width = static_cast<unsigned>(std::bit_width(std::uint64_t{slot_of.count}));
  const unsigned bits = std::min<unsigned>(width, 8 * sizeof(Slot));
  const auto with = [&]<class Rows>(const Rows& rows) {
    sorted_slots<Slot, List, Rows, Sink> problem{};
    problem.values = rows;
    problem.room = ~std::size_t{0};
    problem.runs = nullptr;
    problem.slots = slot_of.count;
    problem.sink = sink;
    return problem;
  };
  return reduce_groups(stream, layout.take<char>(0), std::span<const Slot>(slots, keys.size()),
                       list, by_bits<>(0, bits), with, aggregates...);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
