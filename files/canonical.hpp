// The reductions of files that have the same bits on every machine, on the host: exact sums and
// means of all values, and the canonical order for all others that depend on an order
// (docs/canonical.md). A
// chunk is a node of the tree, and the last one ends it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "files/host_engine.hpp"
#include "warpfold/host/detail/exact_accumulate.hpp"
#include "warpfold/host/detail/tree.hpp"
#include "warpfold/host/detail/tree_part.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace reductions {

template <class T, class Op, class Acc>
struct in_tree {
  using value = T;
  using partial = host_detail::tree_part<Acc>;
  using op = Op;
  using axis_result = Acc;
  static constexpr bool of_nothing = true;

  static partial one(T v, std::uint64_t index) {
    partial p(index);
    append(p, v);
    return p;
  }
  static void append(partial& to, T v) { to.push(static_cast<Acc>(v), 0, Op{}); }
  static partial join(const partial& a, const partial& b) {
    return host_detail::join_parts<Op>{}(a, b);
  }
  static partial identity() { return partial(); }
  static axis_result finish(const partial& p, std::uint64_t /*count*/) {
    return p.root(Op{}).value_or(Op::template identity<Acc>());
  }
  static reduced result(std::string_view name, const partial& p, std::uint64_t count) {
    return {{std::string(name), as_number(finish(p, count))}};
  }
};
template <class T, class Op, class Acc>
host_detail::tree_part<Acc> partial_of(in_tree<T, Op, Acc>, std::span<const T> values,
                                       std::uint64_t first) {
  return host_detail::part_of_tree<Acc>(this_thread, first, values, Op{},
                                        host_detail::convert_to<Acc>{});
}

template <class T>
struct mean_in_tree : in_tree<T, plus, double> {
  static constexpr bool of_nothing = false;

  static double finish(const host_detail::tree_part<double>& p, std::uint64_t count) {
    return in_tree<T, plus, double>::finish(p, count) / static_cast<double>(count);
  }
};

template <class T>
struct statistics_in_tree {
  using value = T;
  using join_moments = detail::join_tree_moments;
  struct partial {
    host_detail::tree_part<detail::tree_moments> moments{};
    position<T> min, max;
  };
  static constexpr bool of_nothing = false;

  static partial join(const partial& a, const partial& b) {
    return {host_detail::join_parts<join_moments>{}(a.moments, b.moments),
            better<minimum>{}(a.min, b.min), better<maximum>{}(a.max, b.max)};
  }
  static partial identity() { return {}; }
  static reduced result(std::string_view name, const partial& p, std::uint64_t count) {
    const auto m = *p.moments.root(join_moments{});
    return statistics_of<T>::result(
        name, {count, m.sum, m.sum / m.count, m.squares / m.count, p.min, p.max}, count);
  }
};
template <class T>
typename statistics_in_tree<T>::partial partial_of(statistics_in_tree<T>, std::span<const T> values,
                                                   std::uint64_t first) {
  return {host_detail::part_of_tree<detail::tree_moments>(
              this_thread, first, values, detail::join_tree_moments{}, detail::to_tree_moments{}),
          partial_of(place_of<T, minimum>{}, values, first),
          partial_of(place_of<T, maximum>{}, values, first)};
}

/// In f64.
template <class T, bool Mean>
struct sum_in_f64 {
  using value = T;
  using partial = exact_accumulator<double>;
  static constexpr bool of_nothing = !Mean;

  static partial join(partial a, const partial& b) {
    a.merge(b);
    return a;
  }
  static partial identity() { return {}; }
  static reduced result(std::string_view name, partial p, std::uint64_t count) {
    p.add(0.0);  // -0's alone come to +0, as from an init
    return {{std::string(name), Mean ? p.round() / static_cast<double>(count) : p.round()}};
  }
};
template <class T, bool Mean>
exact_accumulator<double> partial_of(sum_in_f64<T, Mean>, std::span<const T> values,
                                     std::uint64_t /*first*/) {
  return host_detail::accumulate_exactly<double>(this_thread, values,
                                                 host_detail::convert_to<double>{});
}

/// f(Reduction{}) for the operation on T, as with_reduction.
template <class T, class F>
auto with_canonical_reduction(reduction op, const F& f) {
  if (op == reduction::mean) return f(sum_in_f64<T, true>{});
  if (op == reduction::statistics) return f(statistics_in_tree<T>{});
  if constexpr (std::is_floating_point_v<T>) {
    if (op == reduction::sum) return f(sum_in_f64<T, false>{});
    if (op == reduction::product) return f(in_tree<T, multiplies, double>{});
  }
  return with_reduction<T>(op, f);
}

/// The same along an axis, where sums are in the canonical order.
template <class T, class F>
auto with_canonical_axis(reduction op, const F& f) {
  if (op == reduction::mean) return f(mean_in_tree<T>{});
  if constexpr (std::is_floating_point_v<T>) {
    if (op == reduction::sum) return f(in_tree<T, plus, double>{});
  }
  return with_canonical_reduction<T>(op, f);
}

}  // namespace reductions
}  // namespace warpfold::inline WARPFOLD_MACHINE
