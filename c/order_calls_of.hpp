// The first keys and order statistics of one type.
#pragma once

#include "c/order_calls.hpp"
#include "c/table_of.hpp"
#include "warpfold/host/quantiles.hpp"
#include "warpfold/host/top_k.hpp"

namespace warpfold::erased {

template <class T>
struct host_order_calls {
  static std::span<const T> in(const void* values, std::size_t n) {
    return {static_cast<const T*>(values), n};
  }

  /// f(order, arrangement).
  template <class F>
  static void with_order(const first_of_rows& first, const F& f) {
    const auto arranged = [&](auto order) {
      if (first.sorted) {
        f(order, in_key_order{});
      } else {
        f(order, in_input_order{});
      }
    };
    if (first.largest) {
      arranged(descending{});
    } else {
      arranged(ascending{});
    }
  }

  static void top_k(const first_of_rows& first, void* out) {
    with_order(first, [&](auto order, auto how) {
      top_k_rows(host, in(first.values, first.rows * first.columns), first.rows, first.columns,
                 first.k, std::span(static_cast<T*>(out), first.rows * first.k), order, how);
    });
  }

  static void argtop_k(const first_of_rows& first, std::uint64_t* indices) {
    with_order(first, [&](auto order, auto how) {
      argtop_k_rows(host, in(first.values, first.rows * first.columns), first.rows, first.columns,
                    first.k, std::span(indices, first.rows * first.k), order, how);
    });
  }

  static void nth_element(const void* values, std::size_t n, std::size_t nth, void* out) {
    *static_cast<T*>(out) = warpfold::nth_element(host, in(values, n), nth);
  }

  static void quantiles(const void* values, std::size_t n, std::span<const double> q,
                        interpolation how, double* out) {
    quantiles_into(host, in(values, n), q, out, how);
  }

  static constexpr order_calls table{top_k, argtop_k, nth_element, quantiles};
};

}  // namespace warpfold::erased
