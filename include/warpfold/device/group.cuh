// Calls of a CUDA device on keys in any order: group_by reduces the values of each group of equal
// keys, scatter_reduce the values of each index into an output.
//
//   group_by(device.on(stream).with(memory), keys, out_keys, groups, sum_of(values, sums), …)
//                                                             returns at once; a status
//   n = group_by(device.on(stream), keys, out_keys, sum_of(values, sums), …)
//                                                             waits for the number; throws
//   scatter_reduce(device.on(stream).with(memory), out, indices, values, op)
//
// Groups are written in the order of their keys; the first form leaves their number in `*groups`,
// device memory. The calls never synchronise; with temp_storage (…_temp_storage_bytes) they
// allocate nothing, and they can be captured in a graph either way. All ranges are device memory.
// Values of equal keys are combined in their order, with a grouping that depends only on the sizes
// and the device: the same bits from run to run.
//
// Keys are sorted, unless they are integers of a small range that is known: those of one byte, and
// those that come with each_integer{low, count}. Then one pass adds each row to tables of all keys
// in shared memory; where these have no room there, the keys' numbers in the range are sorted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "warpfold/aggregates.hpp"
#include "warpfold/device/detail/requirements.hpp"
#include "warpfold/device/group/sorted.cuh"
#include "warpfold/device/group/tables.cuh"
#include "warpfold/device/select.cuh"
#include "warpfold/histogram/bins.hpp"
#include "warpfold/same_bits.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

namespace detail {

/// A range of so many integers is small.
inline constexpr std::size_t most_slots = std::size_t{1} << 16;
/// Bytes of what a group's values come to, at most: two stages of a tile are in shared memory.
inline constexpr std::size_t most_state_bytes = 96;

template <class K>
inline constexpr bool is_byte_key = std::is_integral_v<K> && sizeof(K) == 1;
template <class K>
constexpr each_integer all_of() {
  return {std::numeric_limits<K>::min(), std::size_t{1} << 8 * sizeof(K)};
}

template <class Where, class... Aggregates>
constexpr bool can_group() {
  constexpr bool on_device = !(Aggregates::in_container || ...);
  constexpr bool small = sizeof(typename aggregates_of<Aggregates...>::state) <= most_state_bytes;
  static_assert(on_device,
                "an aggregate reads or writes the host's memory (a std::vector, for one): pass "
                "spans of device memory");
  static_assert(small, "too many aggregates for one call of group_by: split them among two calls");
  (require_same_bits<Where, typename Aggregates::order, typename Aggregates::ordered>(), ...);
  return on_device && small && (can_run<typename Aggregates::order>() && ...);
}

template <class... Aggregates>
status refuse_short_columns(std::size_t n, const Aggregates&... aggregates) {
  status s;
  const auto look = [&](const auto& a) {
    if (a.reads && s.ok()) s = refuse_fewer("an aggregate has fewer values than keys", n, a.size);
  };
  (look(aggregates), ...);
  return s;
}

/// Bytes of a call on keys of a small range.
template <class... Aggregates>
constexpr std::size_t ranged_bytes(std::size_t n, std::size_t slots) {
  using state = typename aggregates_of<Aggregates...>::state;
  constexpr std::size_t entry = sizeof(table_entry<state>);
  memory_layout layout;
  layout.take<table_entry<state>>(slots);
  const std::size_t by_sort = slots_bytes<std::uint32_t, state, Aggregates...>(n),
                    by_tables = table_plan::bytes(n, slots, entry);
  layout.take<char>(by_sort > by_tables ? by_sort : by_tables);
  return layout.bytes();
}

template <class Where, class K, class... Aggregates>
status group_in_range(const Where& where, std::span<const K> keys, const each_integer& range,
                      K* out_keys, std::size_t room, std::size_t* groups,
                      const Aggregates&... aggregates) {
  using list_type = aggregates_of<Aggregates...>;
  using entry = table_entry<typename list_type::state>;
  if (range.count == 0 || range.count > most_slots) {
    return {1, "group_by takes a range of 1 to 65,536 integers; keys of a larger one go without",
            most_slots, range.count, "integers"};
  }
  const stream_type stream = where.stream();
  const std::size_t bytes = ranged_bytes<Aggregates...>(keys.size(), range.count);
  const scratch memory(
      for_sorts(where),
      {bytes, "the temp_storage is smaller than group_by_temp_storage_bytes<K>(n, aggregates…)"},
      bytes, false);
  if (!memory.state().ok()) return memory.state();
  memory_layout layout(memory.data());
  auto* const entries = layout.take<entry>(range.count);
  void* const rest = layout.take<char>(0);
  status s = zero_async(entries, range.count * sizeof(entry), stream);
  if (!s.ok()) return s;
  const auto list = list_of<(Aggregates::counts || ...)>(aggregates...);
  integer_binner<K> slot_of{};
  s = slot_of.set(range);
  if (!s.ok()) return s;
  const entry_sink<typename list_type::state> sink{entries};
  const auto plan = table_plan::of(keys.size(), slot_of.count, sizeof(entry));
  if (plan.warps != 0) {
    const table_problem<K, list_type> problem{
        keys.data(), keys.size(), plan.rows, slot_of, list, static_cast<entry*>(rest), nullptr};
    s = reduce_in_tables(stream, plan, problem, sink);
  } else {
    s = reduce_slots<std::uint32_t>(stream, rest, keys, slot_of, list, sink, nullptr,
                                    aggregates...);
  }
  if (!s.ok()) return s;
  constexpr unsigned threads = 1024;
  return try_launch(
      {.grid = (slot_of.count + threads - 1) / threads, .block = threads, .stream = stream},
      compact_groups_kernel<K, list_type>, entries, slot_of.count, slot_of.low, out_keys, list,
      room, groups);
}

template <class OutKeys, class... Aggregates>
std::size_t room_of(const OutKeys& out_keys, const Aggregates&... aggregates) {
  return std::min({std::size_t{std::ranges::size(out_keys)}, aggregates.room...});
}

}  // namespace detail

/// Bytes of temp_storage for a group_by of n keys of K with these aggregates.
template <class K, group_aggregate... Aggregates>
constexpr std::size_t group_by_temp_storage_bytes(std::size_t n, const Aggregates&...) {
  using state = typename detail::aggregates_of<Aggregates...>::state;
  if constexpr (detail::is_byte_key<K>) {
    return detail::ranged_bytes<Aggregates...>(n, 256);
  } else {
    return detail::sorted_bytes<K, state, Aggregates...>(n);
  }
}
/// The same where the keys are of a small range.
template <class K, group_aggregate... Aggregates>
constexpr std::size_t group_by_temp_storage_bytes(std::size_t n, const each_integer& range,
                                                  const Aggregates&...) {
  return detail::ranged_bytes<Aggregates...>(n, range.count);
}

/// Leaves each group's key in `out_keys` and its results in the outputs of the aggregates, in the
/// order of the keys. Of floating-point keys -0 and +0 are one group, and so are all NaN. If an
/// output is too short, it is filled, and `*groups` is the number that it should hold.
template <device_place Where, values Keys, values OutKeys, group_aggregate... Aggregates>
  requires(sizeof...(Aggregates) > 0)
status group_by(const Where& where, const Keys& keys, OutKeys&& out_keys, std::size_t* groups,
                const Aggregates&... aggregates) {
  using K = value_of<Keys>;
  static_assert(arithmetic_key<K>, "keys of group_by are numbers");
  static_assert(std::is_same_v<value_of<OutKeys>, K>, "out_keys has another type than the keys");
  if constexpr (detail::can_group<Where, Aggregates...>() && detail::can_write<OutKeys>()) {
    const auto in = detail::device_view(keys);
    const status s = detail::refuse_short_columns(in.size(), aggregates...);
    if (!s.ok()) return s;
    K* const to = std::ranges::data(out_keys);
    const std::size_t room = detail::room_of(out_keys, aggregates...);
    if constexpr (detail::is_byte_key<K>) {
      return detail::group_in_range(where, in, detail::all_of<K>(), to, room, groups,
                                    aggregates...);
    } else {
      using list_type = detail::aggregates_of<Aggregates...>;
      const std::size_t bytes = group_by_temp_storage_bytes<K>(in.size(), aggregates...);
      const detail::scratch memory(
          detail::for_sorts(where),
          {bytes,
           "the temp_storage is smaller than group_by_temp_storage_bytes<K>(n, aggregates…)"},
          bytes, false);
      if (!memory.state().ok()) return memory.state();
      const auto with = [&]<class Rows>(const Rows& rows) {
        detail::sorted_groups<K, list_type, Rows> problem{};
        problem.values = rows;
        problem.out_keys = to;
        problem.room = room;
        problem.runs = groups;
        return problem;
      };
      return detail::reduce_groups(where.stream(), memory.data(), in,
                                   detail::list_of<(Aggregates::counts || ...)>(aggregates...),
                                   ascending{}, with, aggregates...);
    }
  } else {
    return {};
  }
}
/// The same where the keys are integers of a small range, 65,536 at most: they are not sorted. Keys
/// outside are in no group.
template <device_place Where, values Keys, values OutKeys, group_aggregate... Aggregates>
  requires(sizeof...(Aggregates) > 0) && std::is_integral_v<value_of<Keys>>
status group_by(const Where& where, const Keys& keys, const each_integer& range, OutKeys&& out_keys,
                std::size_t* groups, const Aggregates&... aggregates) {
  using K = value_of<Keys>;
  static_assert(std::is_same_v<value_of<OutKeys>, K>, "out_keys has another type than the keys");
  if constexpr (detail::can_group<Where, Aggregates...>() && detail::can_write<OutKeys>()) {
    const auto in = detail::device_view(keys);
    const status s = detail::refuse_short_columns(in.size(), aggregates...);
    if (!s.ok()) return s;
    return detail::group_in_range(where, in, range, std::ranges::data(out_keys),
                                  detail::room_of(out_keys, aggregates...), groups, aggregates...);
  } else {
    return {};
  }
}
/// The same; returns the number of groups. Throws usage_error if an output is too short.
template <device_place Where, values Keys, values OutKeys, group_aggregate... Aggregates>
  requires(sizeof...(Aggregates) > 0)
std::size_t group_by(const Where& where, const Keys& keys, OutKeys&& out_keys,
                     const Aggregates&... aggregates) {
  return detail::counted(
      where, "group_by", std::ranges::size(keys), detail::room_of(out_keys, aggregates...),
      [&](std::size_t* groups) { return group_by(where, keys, out_keys, groups, aggregates...); });
}
/// The same for a small range; returns the number of groups.
template <device_place Where, values Keys, values OutKeys, group_aggregate... Aggregates>
  requires(sizeof...(Aggregates) > 0) && std::is_integral_v<value_of<Keys>>
std::size_t group_by(const Where& where, const Keys& keys, const each_integer& range,
                     OutKeys&& out_keys, const Aggregates&... aggregates) {
  return detail::counted(where, "group_by", std::ranges::size(keys),
                         detail::room_of(out_keys, aggregates...), [&](std::size_t* groups) {
                           return group_by(where, keys, range, out_keys, groups, aggregates...);
                         });
}

namespace detail {

/// Joins what a slot's values come to, to the output.
template <class Out, class Op>
struct output_sink {
  Out* out;
  Op op;
  template <class State>
  __device__ __forceinline__ void operator()(std::size_t slot, const State& state) const {
    using Acc = accumulator_for<Out>;
    out[slot] = static_cast<Out>(op(static_cast<Acc>(out[slot]), state.mine.value()));
  }
};

template <class V, class Out, class Op>
using scattered = reduction_aggregate<aggregate_columns<V, Out, false>, Op>;

/// Slots that a call may sort: as wide as indices need at most.
template <class Index>
using widest_slot = std::conditional_t<sizeof(Index) == 8, std::uint64_t, std::uint32_t>;

}  // namespace detail

/// Bytes of temp_storage for a scatter_reduce of n values of V, by indices of Index, to an output
/// of so many values of Out.
template <class Index, class V, class Out>
constexpr std::size_t scatter_reduce_temp_storage_bytes(std::size_t n, std::size_t outputs) {
  using aggregate = detail::scattered<V, Out, plus>;
  using state = typename detail::aggregates_of<aggregate>::state;
  std::size_t bytes = detail::slots_bytes<detail::widest_slot<Index>, state, aggregate>(n);
  if (outputs <= detail::most_slots) {
    const std::size_t tables =
        detail::table_plan::bytes(n, outputs, sizeof(detail::table_entry<state>));
    if (tables > bytes) bytes = tables;
  }
  return bytes;
}

/// out[k] = op(out[k], …) of the values whose index is k, in their order and in the type of the
/// output (f16 and bf16 in f32). The operator need only be associative. Indices out of range are
/// ignored; `*refused`, if given, is their number. Values whose size is not 1, 2, 4 or 8 bytes are
/// fewer than 2^32.
template <device_place Where, values Out, values Indices, values Values, class Op = plus>
  requires std::is_integral_v<value_of<Indices>>
status scatter_reduce(const Where& where, Out&& out, const Indices& indices, const Values& values,
                      Op op = {}, std::size_t* refused = nullptr) {
  using V = value_of<Values>;
  using index = value_of<Indices>;
  using aggregate = detail::scattered<V, value_of<Out>, Op>;
  using list_type = detail::aggregates_of<aggregate>;
  using entry = detail::table_entry<typename list_type::state>;
  if constexpr (detail::can_group<Where, aggregate>() && detail::can_write<Out>()) {
    const auto at = detail::device_view(indices);
    const auto in = detail::device_view(values);
    const std::size_t n = at.size(), outputs = std::ranges::size(out);
    status s = detail::refuse_fewer("fewer values than indices", n, in.size());
    const std::size_t bytes =
        scatter_reduce_temp_storage_bytes<index, V, value_of<Out>>(n, outputs);
    const detail::scratch memory(detail::for_sorts(where),
                                 {bytes,
                                  "the temp_storage is smaller than "
                                  "scatter_reduce_temp_storage_bytes<Index, V, Out>(n, outputs)"},
                                 n == 0 ? 0 : bytes, false);
    if (s.ok()) s = memory.state();
    const auto stream = where.stream();
    if (s.ok() && refused != nullptr) s = detail::zero_async(refused, sizeof *refused, stream);
    if (!s.ok() || n == 0) return s;
    const aggregate one{{{in.data(), in.size(), std::ranges::data(out), outputs}}, op};
    const list_type list = detail::list_of<false>(one);
    const detail::output_sink<value_of<Out>, Op> sink{std::ranges::data(out), op};
    constexpr std::size_t narrow = std::numeric_limits<std::uint32_t>::max();
    if (outputs > 0 && outputs <= detail::most_slots) {
      const auto count = static_cast<unsigned>(outputs);
      const auto plan = detail::table_plan::of(n, count, sizeof(entry));
      if (plan.warps != 0) {
        const detail::table_problem<index, list_type> problem{
            at.data(), n, plan.rows, {0, count}, list, static_cast<entry*>(memory.data()), refused};
        return detail::reduce_in_tables(stream, plan, problem, sink);
      }
    }
    if constexpr (sizeof(index) == 8) {
      if (outputs > narrow) {
        return detail::reduce_slots<std::uint64_t>(
            stream, memory.data(), at, detail::own_slot{outputs}, list, sink, refused, one);
      }
    }
    const detail::own_slot slot_of{std::min(outputs, narrow + 1)};
    return detail::reduce_slots<std::uint32_t>(stream, memory.data(), at, slot_of, list, sink,
                                               refused, one);
  } else {
    return {};
  }
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
