// Aggregates of group_by; a call takes any number of them:
//
//   group_by(where, keys, out_keys, …, sum_of(prices, sums), mean_of(prices, means),
//            argmax_of(prices, dearest), count_of(counts))
//
// Each aggregate except count_of reads a column with one value for each key and writes one value
// for each group to its output. The values of a group are combined in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "warpfold/operators.hpp"
#include "warpfold/ranges.hpp"
#include "warpfold/results.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// The column of an aggregate that reads none.
struct no_values_read {};

template <class Range>
concept is_container = requires { typename std::remove_cvref_t<Range>::allocator_type; };

/// What an aggregate reads and writes.
template <class V, class Out, bool InContainer>
struct aggregate_columns {
  using value_type = V;
  using out_type = Out;
  static constexpr bool in_container = InContainer;  // a vector, for one: the host's memory
  static constexpr bool reads = !std::is_same_v<V, no_values_read>;

  const V* values;
  std::size_t size;
  Out* out;
  std::size_t room;
};
template <class Values, class Out>
using columns_of =
    aggregate_columns<value_of<Values>, value_of<Out>, is_container<Values> || is_container<Out>>;
template <class Values, class Out>
columns_of<Values, Out> column_pair(const Values& values, Out& out) {
  return {std::ranges::data(values), std::ranges::size(values), std::ranges::data(out),
          std::ranges::size(out)};
}

/// What all aggregates have. Of a group `state` is what its values come to so far; `order` and
/// `ordered` are the operator and the type whose order of application shows in the result.
template <class Columns, class State, class Order, class Ordered, bool Counts = false,
          bool Numbers = false>
struct aggregate_of : Columns {
  using state = State;
  using order = Order;
  using ordered = Ordered;
  static constexpr bool counts = Counts;    // needs how many values a group has
  static constexpr bool numbers = Numbers;  // needs where values stand
};

template <class Columns, class Op, class Acc = accumulator_for<typename Columns::out_type>>
struct reduction_aggregate : aggregate_of<Columns, Acc, Op, Acc> {
  Op op;

  __host__ __device__ static Acc of(const typename Columns::value_type& value, std::uint64_t) {
    return static_cast<Acc>(value);
  }
  __host__ __device__ Acc join(const Acc& a, std::uint64_t, const Acc& b, std::uint64_t) const {
    return op(a, b);
  }
  __host__ __device__ static auto result(const Acc& sum, std::uint64_t) {
    return static_cast<typename Columns::out_type>(sum);
  }
};

template <class Out, bool InContainer>
struct count_aggregate : aggregate_of<aggregate_columns<no_values_read, Out, InContainer>,
                                      no_values_read, minimum, int, true> {};

template <class Columns>
struct mean_aggregate : aggregate_of<Columns, double, plus, double, true> {
  __host__ __device__ static double of(const typename Columns::value_type& value, std::uint64_t) {
    return static_cast<double>(value);
  }
  __host__ __device__ static double join(double a, std::uint64_t, double b, std::uint64_t) {
    return a + b;
  }
  __host__ __device__ static auto result(double sum, std::uint64_t count) {
    return static_cast<typename Columns::out_type>(sum / static_cast<double>(count));
  }
};

/// Squares are those of the distances from the mean.
struct sum_and_squares {
  double sum, squares;
};
template <class Columns>
struct variance_aggregate : aggregate_of<Columns, sum_and_squares, plus, double, true> {
  __host__ __device__ static sum_and_squares of(const typename Columns::value_type& value,
                                                std::uint64_t) {
    return {static_cast<double>(value), 0};
  }
  __host__ __device__ static sum_and_squares join(const sum_and_squares& a, std::uint64_t n_a,
                                                  const sum_and_squares& b, std::uint64_t n_b) {
    const auto both = join_tree_moments{}({static_cast<double>(n_a), a.sum, a.squares},
                                          {static_cast<double>(n_b), b.sum, b.squares});
    return {both.sum, both.squares};
  }
  __host__ __device__ static auto result(const sum_and_squares& s, std::uint64_t count) {
    return static_cast<typename Columns::out_type>(s.squares / static_cast<double>(count));
  }
};

template <class Columns, class Extreme>
struct position_aggregate : aggregate_of<Columns, position_words<typename Columns::value_type>,
                                         Extreme, int, false, true> {
  using V = typename Columns::value_type;
  using words = position_words<V>;
  __host__ __device__ static words of(const V& value, std::uint64_t index) {
    return words::of({value, index});
  }
  __host__ __device__ static words join(const words& a, std::uint64_t, const words& b,
                                        std::uint64_t) {
    return words::of(better<Extreme>{}(a.get(), b.get()));
  }
  __host__ __device__ static auto result(const words& best, std::uint64_t) {
    return static_cast<typename Columns::out_type>(best.index.value());
  }
};

struct first_value {
  template <class T>
  __host__ __device__ T operator()(const T& a, const T&) const {
    return a;
  }
};
struct last_value {
  template <class T>
  __host__ __device__ T operator()(const T&, const T& b) const {
    return b;
  }
};

/// How many values a group has, where an aggregate needs it.
template <bool Counts>
struct group_size {
  as_words_of<std::uint64_t> count;
  __host__ __device__ static group_size of(std::uint64_t n) {
    return {as_words_of<std::uint64_t>(n)};
  }
  __host__ __device__ std::uint64_t get() const { return count.value(); }
};
template <>
struct group_size<false> {
  __host__ __device__ static group_size of(std::uint64_t) { return {}; }
  __host__ __device__ static std::uint64_t get() { return 0; }
};

/// All aggregates of a call: what a group's values come to, for each.
template <bool Counts, class... Aggregates>
struct aggregate_list {
  using state = group_size<Counts>;

  template <class Read>
  __host__ __device__ static state of(const Read&, std::uint64_t) {
    return state::of(1);
  }
  __host__ __device__ static state join(const state& a, const state& b) {
    return state::of(a.get() + b.get());
  }
  __host__ __device__ static void write(std::size_t, const state&) {}
};
template <bool Counts, class First, class... Rest>
struct aggregate_list<Counts, First, Rest...> : aggregate_list<Counts, Rest...> {
  using rest = aggregate_list<Counts, Rest...>;
  using own = as_words_of<typename First::state>;
  struct state : rest::state {
    own mine;
  };
  First first;

  /// Of one row: read(aggregate, index) is the value.
  template <class Read>
  __host__ __device__ state of(const Read& read, std::uint64_t index) const {
    return {rest::of(read, index), own(first.of(read(first, index), index))};
  }
  /// Of the values of both, those of a before those of b.
  __host__ __device__ state join(const state& a, const state& b) const {
    return {rest::join(a, b), own(first.join(a.mine.value(), a.get(), b.mine.value(), b.get()))};
  }
  /// The results of group i.
  __host__ __device__ void write(std::size_t i, const state& s) const {
    rest::write(i, s);
    first.out[i] = first.result(s.mine.value(), s.get());
  }
};

template <bool Counts, class Out, bool InContainer, class... Rest>
struct aggregate_list<Counts, count_aggregate<Out, InContainer>, Rest...>
    : aggregate_list<Counts, Rest...> {
  using rest = aggregate_list<Counts, Rest...>;
  count_aggregate<Out, InContainer> first;

  __host__ __device__ void write(std::size_t i, const typename rest::state& s) const {
    rest::write(i, s);
    first.out[i] = static_cast<Out>(s.get());
  }
};

template <class... Aggregates>
using aggregates_of = aggregate_list<(Aggregates::counts || ...), Aggregates...>;
template <bool Counts>
aggregate_list<Counts> list_of() {
  return {};
}
template <bool Counts, class First, class... Rest>
aggregate_list<Counts, First, Rest...> list_of(const First& first, const Rest&... rest) {
  return {list_of<Counts>(rest...), first};
}

/// Reads the value of a row from an aggregate's column.
struct read_columns {
  template <class Aggregate>
  __host__ __device__ typename Aggregate::value_type operator()(const Aggregate& a,
                                                                std::uint64_t index) const {
    if constexpr (Aggregate::reads) {
      return a.values[index];
    } else {
      return {};
    }
  }
};

/// The one value that is there, for each aggregate.
template <class V>
struct read_value {
  const V& value;
  template <class Aggregate>
  __host__ __device__ typename Aggregate::value_type operator()(const Aggregate&,
                                                                std::uint64_t) const {
    if constexpr (Aggregate::reads) {
      return value;
    } else {
      return {};
    }
  }
};

/// The type of the values where all aggregates that read any read one type, and none needs to know
/// where they stand; else void.
template <class... Aggregates>
struct common_column_of {
  using type = void;
};
template <class First, class... Rest>
struct common_column_of<First, Rest...> {
  using rest = typename common_column_of<Rest...>::type;
  using own = typename First::value_type;
  static constexpr bool rest_reads = (Rest::reads || ...);
  using both = std::conditional_t<!rest_reads || std::is_same_v<rest, own>, own, void>;
  using type =
      std::conditional_t<!First::reads, rest, std::conditional_t<First::numbers, void, both>>;
};
template <class... Aggregates>
using common_column = typename common_column_of<Aggregates...>::type;
/// The column that all read; null if there are several.
template <class... Aggregates>
const void* shared_column(const Aggregates&... aggregates) {
  const void* column = nullptr;
  bool same = true;
  const auto look = [&](const auto& a) {
    if (!a.reads) return;
    same = same && (column == nullptr || column == a.values);
    column = a.values;
  };
  (look(aggregates), ...);
  return same ? column : nullptr;
}

/// Keys of one group: NaN equals NaN, and -0 equals +0.
struct same_group {
  template <class K>
  __host__ __device__ bool operator()(const K& a, const K& b) const {
    return a == b || (is_nan(a) && is_nan(b));
  }
};

template <class T>
inline constexpr bool is_aggregate = false;
template <class Columns, class Op, class Acc>
inline constexpr bool is_aggregate<reduction_aggregate<Columns, Op, Acc>> = true;
template <class Out, bool InContainer>
inline constexpr bool is_aggregate<count_aggregate<Out, InContainer>> = true;
template <class Columns>
inline constexpr bool is_aggregate<mean_aggregate<Columns>> = true;
template <class Columns>
inline constexpr bool is_aggregate<variance_aggregate<Columns>> = true;
template <class Columns, class Extreme>
inline constexpr bool is_aggregate<position_aggregate<Columns, Extreme>> = true;

}  // namespace detail

/// What the functions below return.
template <class T>
concept group_aggregate = detail::is_aggregate<T>;

/// op(…) of each group's values, in their order, in the type of the output (f16 and bf16 in f32).
/// The operator need only be associative.
template <values Values, values Out, class Op>
auto reduction_of(const Values& values, Out&& out, Op op) {
  using columns = detail::columns_of<Values, Out>;
  return detail::reduction_aggregate<columns, Op>{{detail::column_pair(values, out)}, op};
}
/// The sum of each group. Integers wrap.
template <values Values, values Out>
auto sum_of(const Values& values, Out&& out) {
  return reduction_of(values, out, plus{});
}
/// The smallest value of each group; NaN if any is.
template <values Values, values Out>
auto min_of(const Values& values, Out&& out) {
  return reduction_of(values, out, minimum{});
}
/// The largest value of each group; NaN if any is.
template <values Values, values Out>
auto max_of(const Values& values, Out&& out) {
  return reduction_of(values, out, maximum{});
}
/// The first value of each group.
template <values Values, values Out>
auto first_of(const Values& values, Out&& out) {
  return reduction_of(values, out, detail::first_value{});
}
/// The last value of each group.
template <values Values, values Out>
auto last_of(const Values& values, Out&& out) {
  return reduction_of(values, out, detail::last_value{});
}
/// The number of values of each group.
template <values Out>
auto count_of(Out&& out) {
  using detail::count_aggregate;
  return count_aggregate<value_of<Out>, detail::is_container<Out>>{
      {{nullptr, 0, std::ranges::data(out), std::ranges::size(out)}}};
}
/// The mean of each group, summed in f64.
template <values Values, values Out>
auto mean_of(const Values& values, Out&& out) {
  return detail::mean_aggregate<detail::columns_of<Values, Out>>{
      {detail::column_pair(values, out)}};
}
/// The population variance of each group, in f64: the sample variance times (count - 1) / count.
template <values Values, values Out>
auto variance_of(const Values& values, Out&& out) {
  using columns = detail::columns_of<Values, Out>;
  return detail::variance_aggregate<columns>{{detail::column_pair(values, out)}};
}
/// The index of each group's smallest value among all values: the first of equal ones, or the first
/// NaN if there is one.
template <values Values, values Out>
auto argmin_of(const Values& values, Out&& out) {
  using columns = detail::columns_of<Values, Out>;
  return detail::position_aggregate<columns, minimum>{{detail::column_pair(values, out)}};
}
/// The index of each group's largest value among all values: the first of equal ones, or the first
/// NaN if there is one.
template <values Values, values Out>
auto argmax_of(const Values& values, Out&& out) {
  using columns = detail::columns_of<Values, Out>;
  return detail::position_aggregate<columns, maximum>{{detail::column_pair(values, out)}};
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
