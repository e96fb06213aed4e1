// From a case's names of types and operators to the C++ types behind them.
#pragma once

#include <functional>

#include "bench/harness/benchmark.hpp"
#include "bench/harness/random.hpp"
#include "warpfold/error.hpp"
#include "warpfold/operators.hpp"
#include "warpfold/order.hpp"

namespace warpfold::bench {

/// An order that no library knows, so that none can sort keys by their bits.
struct own_less {
  template <class K>
  __host__ __device__ bool operator()(const K& a, const K& b) const {
    return a < b;
  }
};

/// What programs write with std's algorithms.
struct std_maximum {
  template <class T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};

/// Calls `f.template operator()<T, Op, StdOp>()`.
template <class F>
auto with_numbers(const bench_case& c, F&& f) {
  const auto with_operator = [&]<class T>() {
    return c.op == operation::max ? f.template operator()<T, maximum, std_maximum>()
                                  : f.template operator()<T, plus, std::plus<>>();
  };
  switch (c.type) {
    case value_type::i32: return with_operator.template operator()<std::int32_t>();
    case value_type::i64: return with_operator.template operator()<std::int64_t>();
    case value_type::u8: return with_operator.template operator()<std::uint8_t>();
    case value_type::f32: return with_operator.template operator()<float>();
    case value_type::f64: return with_operator.template operator()<double>();
    default: throw usage_error("reductions and scans are measured for i32, i64, u8, f32 and f64");
  }
}

/// Calls `f.template operator()<Key, Order>()`.
template <class F>
auto with_keys(const bench_case& c, F&& f) {
  const auto with_order = [&]<class K>() {
    return c.order == key_order::own ? f.template operator()<K, own_less>()
                                     : f.template operator()<K, ascending>();
  };
  switch (c.type) {
    case value_type::u32: return with_order.template operator()<std::uint32_t>();
    case value_type::u64: return with_order.template operator()<std::uint64_t>();
    case value_type::f32: return with_order.template operator()<float>();
    default: throw usage_error("sorts are measured for u32, u64 and f32");
  }
}

/// The i-th value of a case's input.
template <class T>
__host__ __device__ T number(bool summed, std::uint64_t seed, std::uint64_t i) {
  return summed ? small_number<T>(seed, i) : any_number<T>(seed, i);
}
template <class T>
T number(const bench_case& c, std::uint64_t i) {
  return number<T>(c.what != algorithm::sort && c.op == operation::sum, c.seed, i);
}

}  // namespace warpfold::bench
