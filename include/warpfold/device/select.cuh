// The selections of a CUDA device: one pass over memory, values in their order: copy_if, remove_if,
// indices_if, copy_flagged, partition_copy, unique. Each call has two forms:
//
//   copy_if(device.on(stream).with(memory), in, out, selected, keep)   returns at once; a status
//   n = copy_if(device.on(stream), in, out, keep)                      waits for the number; throws
//
// The first form leaves the number of kept values in `*selected`, device memory. It never
// synchronises; with a workspace (select_workspace_bytes) it allocates nothing, and it can be
// captured in a graph either way. `in` is device memory, or `device_sized` of it; `out` may be
// `in`, and else must not overlap it. If an output is too short, it is filled, and `*selected` is
// the number that it should hold; the second form throws usage_error then.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include "warpfold/device/detail/predicates.cuh"
#include "warpfold/device/detail/requirements.hpp"
#include "warpfold/device/reduce.cuh"
#include "warpfold/device/select/kernel.cuh"
#include "warpfold/device/sized.cuh"
#include "warpfold/error.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// Bytes of workspace for a selection of up to n values of T, with items of Item beside them where
/// that is given.
template <class T, class Item = detail::no_column>
constexpr std::size_t select_workspace_bytes(std::size_t n) {
  return detail::striped_bytes<detail::select_shape<T, Item>, std::uint64_t>(n);
}

namespace detail {

template <sized_values In, values Out, class Test>
auto selection(const In& in, Out&& out, std::size_t* selected, Test test) {
  using T = given_value_of<In>;
  static_assert(std::is_same_v<T, value_of<Out>>, "out has another type than the values");
  using given = given_values<In>;
  return select_problem<T, no_column, Test>{given::most(in).data(),
                                            nullptr,
                                            given::count(in),
                                            std::ranges::data(out),
                                            nullptr,
                                            std::ranges::size(out),
                                            nullptr,
                                            0,
                                            selected,
                                            std::ranges::data(out) == given::most(in).data(),
                                            test};
}

inline status refuse_fewer(const char* why, std::size_t needed, std::size_t given) {
  return given < needed ? status{1, why, needed, given, "values"} : status{};
}

/// What a call with `*selected` counts. Throws usage_error where that is more than `room`.
template <device_place Where, class Call>
std::size_t counted(const Where& where, const char* name, std::size_t n, std::size_t room,
                    Call call) {
  const auto found = result_of<std::size_t>(where, name, n, call);
  if (found > room) {
    throw usage_error(name, ": an output of ", room, " values is too short for ", found);
  }
  return found;
}

}  // namespace detail

/// Copies the values for which keep(value) holds to the beginning of `out`.
template <device_place Where, sized_values In, values Out, class Keep>
status copy_if(const Where& where, const In& in, Out&& out, std::size_t* selected, Keep keep) {
  if constexpr (detail::can_run<Keep>() && detail::can_write<Out>()) {
    return detail::select(
        detail::for_cleared(where),
        detail::selection(in, out, selected, detail::kept_by_predicate<Keep>{keep}));
  } else {
    return {};
  }
}
/// The same; returns their number.
template <device_place Where, sized_values In, values Out, class Keep>
std::size_t copy_if(const Where& where, const In& in, Out&& out, Keep keep) {
  return detail::counted(
      where, "copy_if", detail::given_values<In>::count(in).n, std::ranges::size(out),
      [&](std::size_t* selected) { return copy_if(where, in, out, selected, keep); });
}

/// Copies the values for which drop(value) does not hold.
template <device_place Where, sized_values In, values Out, class Drop>
status remove_if(const Where& where, const In& in, Out&& out, std::size_t* selected, Drop drop) {
  return copy_if(where, in, out, selected, detail::opposite_of<Drop>{drop});
}
/// The same; returns their number.
template <device_place Where, sized_values In, values Out, class Drop>
std::size_t remove_if(const Where& where, const In& in, Out&& out, Drop drop) {
  return copy_if(where, in, out, detail::opposite_of<Drop>{drop});
}

/// Writes the indices of the values for which holds(value) is true, in their order: integers of 4
/// or 8 bytes that can count the values. `indices` must not overlap `in`.
template <device_place Where, sized_values In, values Indices, class Predicate>
  requires index_type<value_of<Indices>>
status indices_if(const Where& where, const In& in, Indices&& indices, std::size_t* selected,
                  Predicate holds) {
  if constexpr (detail::can_run<Predicate>() && detail::can_write<Indices>()) {
    using T = given_value_of<In>;
    using index = value_of<Indices>;
    using given = detail::given_values<In>;
    const auto count = given::count(in);
    if (count.n > most_indexed<index>) {
      return {1, "the indices are too narrow for so many values", count.n, most_indexed<index>,
              "values"};
    }
    using test = detail::indices_by_predicate<Predicate>;
    return detail::select(
        detail::for_cleared(where),
        detail::select_problem<T, index, test>{
            given::most(in).data(), nullptr, count, nullptr, std::ranges::data(indices),
            std::ranges::size(indices), nullptr, 0, selected, false, test{{holds}}});
  } else {
    return {};
  }
}
/// The same; returns their number.
template <device_place Where, sized_values In, values Indices, class Predicate>
  requires index_type<value_of<Indices>>
std::size_t indices_if(const Where& where, const In& in, Indices&& indices, Predicate holds) {
  return detail::counted(
      where, "indices_if", detail::given_values<In>::count(in).n, std::ranges::size(indices),
      [&](std::size_t* selected) { return indices_if(where, in, indices, selected, holds); });
}

/// Copies the values whose flag is not 0: `flags` has one for each value.
template <device_place Where, sized_values In, values Flags, values Out>
status copy_flagged(const Where& where, const In& in, const Flags& flags, Out&& out,
                    std::size_t* selected) {
  if constexpr (detail::can_write<Out>()) {
    const auto given = detail::device_view(flags);
    const std::size_t n = detail::given_values<In>::count(in).n;
    if (const status s = detail::refuse_fewer("fewer flags than values", n, given.size());
        !s.ok()) {
      return s;
    }
    return detail::select(
        detail::for_cleared(where),
        detail::selection(in, out, selected, detail::kept_by_flag<value_of<Flags>>{given.data()}));
  } else {
    return {};
  }
}
/// The same; returns their number.
template <device_place Where, sized_values In, values Flags, values Out>
std::size_t copy_flagged(const Where& where, const In& in, const Flags& flags, Out&& out) {
  return detail::counted(
      where, "copy_flagged", detail::given_values<In>::count(in).n, std::ranges::size(out),
      [&](std::size_t* selected) { return copy_flagged(where, in, flags, out, selected); });
}

/// Copies the values for which `holds` is true to `out`, and all others to `others`, both in their
/// order; neither output may be the input.
template <device_place Where, sized_values In, values Out, values Others, class Predicate>
status partition_copy(const Where& where, const In& in, Out&& out, Others&& others,
                      std::size_t* selected, Predicate holds) {
  if constexpr (detail::can_run<Predicate>() && detail::can_write<Out>() &&
                detail::can_write<Others>()) {
    static_assert(std::is_same_v<value_of<Out>, value_of<Others>>,
                  "the outputs have different types");
    auto problem =
        detail::selection(in, out, selected, detail::kept_by_predicate<Predicate>{holds});
    problem.others = std::ranges::data(others);
    problem.other_room = std::ranges::size(others);
    return detail::select(detail::for_cleared(where), problem);
  } else {
    return {};
  }
}
/// The same; returns the number for which it holds.
template <device_place Where, sized_values In, values Out, values Others, class Predicate>
std::size_t partition_copy(const Where& where, const In& in, Out&& out, Others&& others,
                           Predicate holds) {
  return detail::counted(where, "partition_copy", detail::given_values<In>::count(in).n,
                         std::ranges::size(out), [&](std::size_t* selected) {
                           return partition_copy(where, in, out, others, selected, holds);
                         });
}

/// Copies the values for which is_first holds to `first`, of the others those for which is_second
/// holds to `second`, and what is left to `rest`, each part in its order; no output may be the
/// input. Three passes, which leave the numbers in counts[0], counts[1] and counts[2].
template <device_place Where, sized_values In, values First, values Second, values Rest,
          class IsFirst, class IsSecond>
status partition_copy(const Where& where, const In& in, First&& first, Second&& second, Rest&& rest,
                      std::size_t* counts, IsFirst is_first, IsSecond is_second) {
  if constexpr (detail::can_run<IsFirst, IsSecond>() && detail::can_write<First>() &&
                detail::can_write<Second>() && detail::can_write<Rest>()) {
    const auto part = [&](auto&& out, std::size_t* selected, const auto& test) {
      using keep = detail::kept_by_predicate<std::remove_cvref_t<decltype(test)>>;
      return detail::select(detail::for_cleared(where),
                            detail::selection(in, out, selected, keep{test}));
    };
    status s = part(first, counts, is_first);
    if (s.ok()) s = part(second, counts + 1, detail::second_alone{is_first, is_second});
    if (s.ok())
      s = part(rest, counts + 2, detail::second_alone{is_first, detail::opposite_of{is_second}});
    return s;
  } else {
    return {};
  }
}
/// The same; the three numbers.
template <device_place Where, sized_values In, values First, values Second, values Rest,
          class IsFirst, class IsSecond>
std::array<std::size_t, 3> partition_copy(const Where& where, const In& in, First&& first,
                                          Second&& second, Rest&& rest, IsFirst is_first,
                                          IsSecond is_second) {
  const auto counts = detail::result_of<std::array<std::size_t, 3>>(
      where, "partition_copy", detail::given_values<In>::count(in).n, [&](auto* found) {
        return partition_copy(where, in, first, second, rest, found->data(), is_first, is_second);
      });
  const std::size_t rooms[] = {std::ranges::size(first), std::ranges::size(second),
                               std::ranges::size(rest)};
  for (unsigned i = 0; i < 3; ++i) {
    if (counts[i] > rooms[i]) {
      throw usage_error("partition_copy: an output of ", rooms[i], " values is too short for ",
                        counts[i]);
    }
  }
  return counts;
}

/// Copies the first of each run of equal neighbours.
template <device_place Where, sized_values In, values Out, class Equal = equal_to>
status unique(const Where& where, const In& in, Out&& out, std::size_t* selected,
              Equal equal = {}) {
  if constexpr (detail::can_run<Equal>() && detail::can_write<Out>()) {
    return detail::select(detail::for_cleared(where),
                          detail::selection(in, out, selected, detail::first_of_run<Equal>{equal}));
  } else {
    return {};
  }
}
/// The same; returns their number.
template <device_place Where, sized_values In, values Out, class Equal = equal_to>
  requires(!std::is_pointer_v<Equal>)
std::size_t unique(const Where& where, const In& in, Out&& out, Equal equal = {}) {
  return detail::counted(
      where, "unique", detail::given_values<In>::count(in).n, std::ranges::size(out),
      [&](std::size_t* selected) { return unique(where, in, out, selected, equal); });
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
