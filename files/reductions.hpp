// The reductions of files, each as what it makes of one chunk, how two such partials join, and what
// the last one means. An engine (host_engine.hpp, device_engine.cuh) makes partials.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "data/array.hpp"
#include "files/reduce.hpp"
#include "warpfold/exact/accumulator.hpp"
#include "warpfold/operators.hpp"
#include "warpfold/results.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace reductions {

using files::as_number;
using files::name_of;
using files::number;
using files::reduced;
using files::reduction;
using files::wide;

/// Sum, product, minimum, maximum, and, or, xor.
template <class T, class Op, class Acc>
struct reduce_by {
  using value = T;
  using partial = Acc;
  using op = Op;
  using axis_result = Acc;
  static constexpr bool of_nothing = !std::is_same_v<Op, minimum> && !std::is_same_v<Op, maximum>;

  static partial one(T v, std::uint64_t /*index*/) { return static_cast<Acc>(v); }
  static partial join(const partial& a, const partial& b) { return Op{}(a, b); }
  static partial identity() { return Op::template identity<Acc>(); }
  static axis_result finish(const partial& p, std::uint64_t /*count*/) { return p; }
  static reduced result(std::string_view name, const partial& p, std::uint64_t /*count*/) {
    return {{std::string(name), as_number(p)}};
  }
};

template <class T>
struct mean_of : reduce_by<T, plus, double> {
  using axis_result = double;
  static constexpr bool of_nothing = false;

  static axis_result finish(double p, std::uint64_t count) {
    return p / static_cast<double>(count);
  }
  static reduced result(std::string_view name, double p, std::uint64_t count) {
    return {{std::string(name), finish(p, count)}};
  }
};

template <class T, class Op>
struct place_of {
  using value = T;
  using partial = position<T>;
  using op = Op;
  using axis_result = std::int64_t;
  static constexpr bool of_nothing = false;

  static partial one(T v, std::uint64_t index) { return {v, index}; }
  static partial join(const partial& a, const partial& b) { return better<Op>{}(a, b); }
  static partial identity() { return {}; }
  static axis_result finish(const partial& p, std::uint64_t /*count*/) {
    return static_cast<std::int64_t>(p.index);
  }
  static reduced result(std::string_view name, const partial& p, std::uint64_t /*count*/) {
    return {{std::string(name), p.index}, {"value", as_number(p.value)}};
  }
};

template <class T>
struct statistics_of {
  using value = T;
  using partial = summary<T>;
  static constexpr bool of_nothing = false;

  static partial join(const partial& a, const partial& b) { return combine(a, b); }
  static partial identity() { return {}; }
  static reduced result(std::string_view /*name*/, const partial& p, std::uint64_t count) {
    return {{"count", count},
            {"sum", p.sum},
            {"mean", p.mean},
            {"variance", p.variance},
            {"min", as_number(p.min.value)},
            {"argmin", p.min.index},
            {"max", as_number(p.max.value)},
            {"argmax", p.max.index}};
  }
};

/// Exact sums, and means of them.
template <class T, bool Mean>
struct exactly {
  using value = T;
  using partial = exact_accumulator<T>;
  static constexpr bool of_nothing = !Mean;

  static partial join(partial a, const partial& b) {
    a.merge(b);
    return a;
  }
  static partial identity() { return {}; }
  template <class To>
  static number rounded(const partial& p, std::uint64_t count) {
    return Mean ? p.template mean<To>(count) : p.template round<To>();
  }
  static reduced result(std::string_view name, const partial& p, std::uint64_t count, bool as_f64) {
    return {{std::string(name), as_f64 ? rounded<double>(p, count) : rounded<T>(p, count)}};
  }
  static void put(const partial& p, std::vector<std::uint8_t>& bytes)
    requires(!Mean)
  {
    bytes.resize(partial::bytes);
    p.to_bytes(bytes.data());
  }
};

/// f(Reduction{}) for the operation on T; throws usage_error where T has no such operation.
template <class T, class F>
auto with_reduction(reduction op, const F& f) {
  switch (op) {
    case reduction::sum: return f(reduce_by<T, plus, wide<T>>{});
    case reduction::product: return f(reduce_by<T, multiplies, wide<T>>{});
    case reduction::mean: return f(mean_of<T>{});
    case reduction::min: return f(reduce_by<T, minimum, T>{});
    case reduction::max: return f(reduce_by<T, maximum, T>{});
    case reduction::argmin: return f(place_of<T, minimum>{});
    case reduction::argmax: return f(place_of<T, maximum>{});
    case reduction::statistics: return f(statistics_of<T>{});
    default: break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (op == reduction::exact_sum) return f(exactly<T, false>{});
    if (op == reduction::exact_mean) return f(exactly<T, true>{});
    throw usage_error("--op " + std::string(name_of(op)) + " is for integers, and the values are " +
                      std::string(warpfold::name_of(data::type_of<T>())));
  } else {
    if (op == reduction::bit_and) return f(reduce_by<T, bit_and, T>{});
    if (op == reduction::bit_or) return f(reduce_by<T, bit_or, T>{});
    if (op == reduction::bit_xor) return f(reduce_by<T, bit_xor, T>{});
    throw usage_error("--op " + std::string(name_of(op)) +
                      " is for f32 and f64; sums of integers are exact anyway, modulo 2^64");
  }
}

/// Reduces all elements with an engine: Engine::reduce<Reduction>(in, o, bytes) gives the partial
/// of all values, none if there are none, and how many bytes there were.
template <class Engine, class Reduction>
reduced reduce_as(data::number_input& in, reduction op, const files::run_options& o,
                  const files::exact_request& exact) {
  std::uint64_t bytes = 0;
  auto all = Engine::template reduce<Reduction>(in, o, bytes);
  if (!all && !Reduction::of_nothing) {
    throw data_error(in.name() + ": holds no values, and --op " + std::string(name_of(op)) +
                     " of no values is undefined");
  }
  if (!all) all = Reduction::identity();
  const std::uint64_t count = bytes / sizeof(typename Reduction::value);
  if constexpr (requires { Reduction::put(*all, *exact.accumulator); }) {
    if (exact.accumulator != nullptr) Reduction::put(*all, *exact.accumulator);
  }
  if constexpr (requires { Reduction::result(name_of(op), *all, count, exact.as_f64); })
    return Reduction::result(name_of(op), *all, count, exact.as_f64);
  else
    return Reduction::result(name_of(op), *all, count);
}

/// The same of an operation on T.
template <class Engine, class T>
reduced reduce_with(data::number_input& in, reduction op, const files::run_options& o,
                    const files::exact_request& exact) {
  return with_reduction<T>(op, [&]<class Reduction>(Reduction) {
    return reduce_as<Engine, Reduction>(in, op, o, exact);
  });
}

}  // namespace reductions
}  // namespace warpfold::inline WARPFOLD_MACHINE
