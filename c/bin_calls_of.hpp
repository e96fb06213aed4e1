// Histograms of one type.
#pragma once

#include <concepts>
#include <span>

#include "c/bin_calls.hpp"
#include "c/table_of.hpp"
#include "c/typed.hpp"
#include "warpfold/host/histogram.hpp"

namespace warpfold::erased {

template <class T>
struct host_bin_calls {
  static std::span<const T> in(const void* values, std::size_t n) {
    return {static_cast<const T*>(values), n};
  }

  template <class B>
  static even_bins<B> even(const bins& given) {
    const B* const edges = static_cast<const B*>(given.edges);
    return {edges[0], edges[1], given.even};
  }
  template <class F>
  static void with_bins(const bins& given, const F& f) {
    if (given.even == 0) return f(in(given.edges, given.edge_count));
    if (std::integral<T> && given.type != WF_F64) return f(even<wide_of<T>>(given));
    f(even<double>(given));
  }

  static void histogram(const void* values, std::size_t n, const bins& given,
                        std::span<std::uint64_t> counts) {
    with_bins(given, [&](const auto& b) { warpfold::histogram(host, in(values, n), b, counts); });
  }

  static void weighted_histogram(const void* values, std::size_t n, const bins& given,
                                 const bin_weights& by) {
    with_bins(given, [&](const auto& b) {
      const auto sum = [&]<class W>(W* sums) {
        warpfold::weighted_histogram(host, in(values, n),
                                     std::span(static_cast<const W*>(by.weights), n), b,
                                     std::span(sums, detail::bin_count(b)));
      };
      switch (by.type) {
        case WF_F32: return sum(static_cast<float*>(by.sums));
        case WF_F64: return sum(static_cast<double*>(by.sums));
        default: return sum(static_cast<std::uint64_t*>(by.sums));
      }
    });
  }

  static std::vector<std::uint64_t> bincount(const void* values, std::size_t n, std::size_t minimum)
    requires std::integral<T>
  {
    return warpfold::bincount(host, in(values, n), minimum);
  }

  static constexpr bin_calls make_table() {
    bin_calls all{histogram, weighted_histogram};
    if constexpr (std::integral<T>) all.bincount = bincount;
    return all;
  }
  static constexpr bin_calls table = make_table();
};

}  // namespace warpfold::erased
