// The host's calls of one type.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <vector>

#include "c/typed.hpp"
#include "warpfold/host/exact.hpp"
#include "warpfold/host/reduce.hpp"
#include "warpfold/host/scan.hpp"
#include "warpfold/host/sort.hpp"
#include "warpfold/host/statistics.hpp"

namespace warpfold::erased {

template <class T>
struct host_calls {
  static host_execution place(const wf_place& where) { return host.threads(where.threads); }
  static std::span<const T> in(const void* values, std::size_t n) {
    return {static_cast<const T*>(values), n};
  }

  /// f(row) for each row: many short ones at the same time, of which each has all threads, too.
  template <class F>
  static void for_rows(const wf_place& where, std::size_t rows, const F& f) {
    if (rows == 1) return f(std::size_t{0});
    host_detail::run_on(place(where), [&] { host_detail::for_each_index(rows, f); });
  }

  static void reduce(const wf_place& where, wf_op op, const void* values, std::size_t n, bool wide,
                     const void* init, void* result) {
    with_op<T>(op, wide, [&]<class Op, class Acc>(Op o, Acc identity) {
      Acc first = value_at<Acc>(init).value_or(identity);
      if (is_float_sum<Acc, Op> && init == nullptr && n > 0) first = static_cast<Acc>(-0.0);
      *static_cast<Acc*>(result) = at_level<Op, Acc>(where, place(where), [&](auto here) {
        return warpfold::reduce(here, in(values, n), first, o);
      });
    });
  }

  /// Values side by side are reduced side by side, by vectors; each thread takes some columns.
  template <class Acc, class Op>
  static void reduce_columns(const T* from, const shape& s, std::size_t begin, std::size_t end,
                             Op op, Acc identity, Acc* out) {
    if (s.n == 0) return std::fill(out + begin, out + end, identity);
    for (std::size_t j = begin; j < end; ++j) out[j] = static_cast<Acc>(from[j]);
    for (std::size_t k = 1; k < s.n; ++k) {
      const T* const row = from + k * s.inner;
      for (std::size_t j = begin; j < end; ++j) out[j] = op(out[j], static_cast<Acc>(row[j]));
    }
  }

  /// The same in the canonical order: rows wait for their right neighbours.
  template <class Acc, class Op>
  static void reduce_columns_in_tree(const T* from, const shape& s, std::size_t begin,
                                     std::size_t end, Op op, Acc identity, Acc* out) {
    if (s.n == 0) return std::fill(out + begin, out + end, identity);
    const std::size_t width = end - begin;
    std::vector<Acc> nodes((std::bit_width(s.n) + 1) * width);
    Acc* top = nodes.data();  // the last of them
    const auto join_last = [&] {
      Acc* const left = top - width;
      for (std::size_t j = 0; j < width; ++j) left[j] = op(left[j], top[j]);
      top = left;
    };
    for (std::size_t k = 0; k < s.n; ++k) {
      if (k > 0) top += width;
      for (std::size_t j = 0; j < width; ++j) {
        top[j] = static_cast<Acc>(from[k * s.inner + begin + j]);
      }
      for (std::size_t digit = 1; (k & digit) != 0; digit *= 2) join_last();
    }
    while (top != nodes.data()) join_last();
    std::copy(top, top + width, out + begin);
  }

  static void reduce_axis(const wf_place& where, wf_op op, const void* values, shape s, bool wide,
                          void* results) {
    with_op<T>(op, wide, [&]<class Op, class Acc>(Op o, Acc identity) {
      const T* const from = static_cast<const T*>(values);
      Acc* const out = static_cast<Acc*>(results);
      if (s.inner == 1) {
        const Acc first = is_float_sum<Acc, Op> && s.n > 0 ? static_cast<Acc>(-0.0) : identity;
        return at_level<Op, Acc>(where, place(where), [&](auto here) {
          reduce_rows(here, in(from, s.outer * s.n), s.outer, s.n, std::span(out, s.outer), first,
                      o);
        });
      }
      constexpr std::size_t columns = 4096 / sizeof(Acc);
      const std::size_t parts = (s.inner + columns - 1) / columns;
      for_rows(where, s.outer * parts, [&](std::size_t i) {
        const std::size_t block = i / parts, begin = i % parts * columns;
        at_level<Op, Acc>(where, place(where), [&]<class Here>(Here) {
          constexpr bool in_tree = detail::is_canonical<Here, Op, Acc>;
          const auto reduce = in_tree ? reduce_columns_in_tree<Acc, Op> : reduce_columns<Acc, Op>;
          reduce(from + block * s.n * s.inner, s, begin, std::min(s.inner, begin + columns), o,
                 identity, out + block * s.inner);
        });
      });
    });
  }

  static void scan(const wf_place& where, wf_op op, const void* values, std::size_t rows,
                   std::size_t n, bool exclusive, bool wide, const void* init, void* result) {
    with_op<T>(op, wide, [&]<class Op, class Acc>(Op o, Acc identity) {
      const auto first = value_at<Acc>(init);
      for_rows(where, rows, [&](std::size_t row) {
        const auto from = in(values, rows * n).subspan(row * n, n);
        Acc* const out = static_cast<Acc*>(result) + row * n;
        at_level<Op, Acc>(where, place(where), [&](auto here) {
          if (exclusive)
            host_detail::scan<true>(here, from, out, std::optional<Acc>(first.value_or(identity)),
                                    o);
          else
            host_detail::scan<false>(here, from, out, first, o);
        });
      });
    });
  }

  template <class F>
  static void with_order(wf_order order, const F& f) {
    if (order == WF_DESCENDING)
      f(descending{});
    else
      f(ascending{});
  }

  static void sort(const wf_place& where, void* keys, std::size_t rows, std::size_t n,
                   wf_order order) {
    with_order(order, [&](auto less) {
      for_rows(where, rows, [&](std::size_t row) {
        stable_sort(place(where), std::span(static_cast<T*>(keys) + row * n, n), less);
      });
    });
  }

  template <class Item>
  static void sort_items(const wf_place& where, void* keys, void* items, std::size_t n,
                         wf_order order) {
    with_order(order, [&](auto less) {
      stable_sort_by_key(place(where), std::span(static_cast<T*>(keys), n),
                         std::span(static_cast<Item*>(items), n), less);
    });
  }
  static void sort_by_key(const wf_place& where, void* keys, void* items, std::size_t item_bytes,
                          std::size_t n, wf_order order) {
    if (item_bytes == 4) return sort_items<std::uint32_t>(where, keys, items, n, order);
    if (item_bytes == 8) return sort_items<std::uint64_t>(where, keys, items, n, order);
    // Where each item goes, then each there.
    std::vector<std::uint64_t> from(n);
    for (std::size_t i = 0; i < n; ++i) from[i] = i;
    sort_items<std::uint64_t>(where, keys, from.data(), n, order);
    auto* const to = static_cast<unsigned char*>(items);
    const std::vector<unsigned char> before(to, to + n * item_bytes);
    for (std::size_t i = 0; i < n; ++i) {
      std::memcpy(to + i * item_bytes, before.data() + from[i] * item_bytes, item_bytes);
    }
  }

  static void argsort(const wf_place& where, const void* keys, std::size_t rows, std::size_t n,
                      wf_order order, std::uint64_t* indices) {
    with_order(order, [&](auto less) {
      for_rows(where, rows, [&](std::size_t row) {
        warpfold::argsort(place(where), in(keys, rows * n).subspan(row * n, n),
                          std::span(indices + row * n, n), less);
      });
    });
  }

  static void extreme(const wf_place& where, wf_op op, const void* values, std::size_t rows,
                      std::size_t n, void* value, std::uint64_t* index) {
    for_rows(where, rows, [&](std::size_t row) {
      const auto from = in(values, rows * n).subspan(row * n, n);
      const auto best = op == WF_MINIMUM ? argmin(place(where), from) : argmax(place(where), from);
      if (value != nullptr) static_cast<T*>(value)[row] = best.value;
      index[row] = best.index;
    });
  }

  static void minmax(const wf_place& where, const void* values, std::size_t n, void* ends) {
    const auto both = warpfold::minmax(place(where), in(values, n));
    static_cast<T*>(ends)[0] = both.min;
    static_cast<T*>(ends)[1] = both.max;
  }

  static void mean(const wf_place& where, const void* values, std::size_t n, double* mean) {
    *mean = at_level<plus, double>(where, place(where),
                                   [&](auto here) { return warpfold::mean(here, in(values, n)); });
  }

  static void statistics(const wf_place& where, const void* values, std::size_t n, wf_summary* to,
                         void* ends) {
    const auto all = at_level<plus, double>(
        where, place(where), [&](auto here) { return warpfold::statistics(here, in(values, n)); });
    *to = as_c(all);
    if (ends != nullptr) {
      static_cast<T*>(ends)[0] = all.min.value;
      static_cast<T*>(ends)[1] = all.max.value;
    }
  }

  static void sum_exactly(const wf_place& where, const void* values, std::size_t n, void* result) {
    *static_cast<T*>(result) = exact_sum(place(where), in(values, n));
  }
  static void mean_exactly(const wf_place& where, const void* values, std::size_t n, void* result) {
    *static_cast<T*>(result) = exact_mean(place(where), in(values, n));
  }
  static void dot_exactly(const wf_place& where, const void* a, const void* b, std::size_t n,
                          void* result) {
    *static_cast<T*>(result) = exact_dot(place(where), in(a, n), in(b, n));
  }
  static void accumulate(const wf_place& where, const void* values, std::size_t n,
                         std::uint8_t* bytes) {
    exact_accumulate(place(where), in(values, n)).to_bytes(bytes);
  }

  static constexpr calls table() {
    calls all{.size = sizeof(T),
              .reduce = reduce,
              .reduce_axis = reduce_axis,
              .scan = scan,
              .sort = sort,
              .sort_by_key = sort_by_key,
              .argsort = argsort,
              .extreme = extreme,
              .minmax = minmax,
              .mean = mean,
              .statistics = statistics};
    if constexpr (std::is_floating_point_v<T>) {
      all.exact_sum = sum_exactly;
      all.exact_mean = mean_exactly;
      all.exact_dot = dot_exactly;
      all.accumulate = accumulate;
    }
    return all;
  }
};

}  // namespace warpfold::erased
