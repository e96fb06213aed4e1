// A device's calls of one type: put into the place's stream. Those that leave their result in host
// memory wait for it.
#pragma once

#include <span>

#include "c/typed.hpp"
#include "warpfold/device/exact.cuh"
#include "warpfold/device/reduce.cuh"
#include "warpfold/device/scan.cuh"
#include "warpfold/device/sort.cuh"

namespace warpfold::erased {

template <class T>
struct device_calls_of {
  static auto place(const wf_place& where) {
    return device.on(static_cast<cudaStream_t>(where.stream));
  }
  static std::span<const T> in(const void* values, std::size_t n) {
    return {static_cast<const T*>(values), n};
  }

  static void reduce(const wf_place& where, wf_op op, const void* values, std::size_t n, bool wide,
                     const void* init, void* result) {
    with_op<T>(op, wide, [&]<class Op, class Acc>(Op o, Acc identity) {
      Acc first = value_at<Acc>(init).value_or(identity);
      Acc* const out = static_cast<Acc*>(result);
      if (is_float_sum<Acc, Op> && init == nullptr && n > 0) first = static_cast<Acc>(-0.0);
      at_level<Op, Acc>(where, place(where), [&](auto here) {
        return reduce_into(here, in(values, n), out, first, o);
      }).throw_if_failed("reduce of ", n, " values");
    });
  }

  static void scan(const wf_place& where, wf_op op, const void* values, std::size_t /*rows*/,
                   std::size_t n, bool exclusive, bool wide, const void* init, void* result) {
    with_op<T>(op, wide, [&]<class Op, class Acc>(Op o, Acc identity) {
      if constexpr (!std::is_same_v<Acc, T>) {
        throw usage_error("a scan on a device has the type of its values; copy these to ",
                          sizeof(Acc), " bytes each first");
      } else {
        const auto first = value_at<Acc>(init);
        const std::span out(static_cast<Acc*>(result), n);
        const status s = at_level<Op, Acc>(where, place(where), [&](auto here) {
          if (exclusive)
            return exclusive_scan(here, in(values, n), out, first.value_or(identity), o);
          return first ? inclusive_scan(here, in(values, n), out, o, *first)
                       : inclusive_scan(here, in(values, n), out, o);
        });
        s.throw_if_failed("scan of ", n, " values");
      }
    });
  }

  template <class F>
  static void with_order(wf_order order, const F& f) {
    const status s = order == WF_DESCENDING ? f(descending{}) : f(ascending{});
    s.throw_if_failed("sort on a device");
  }

  static void sort(const wf_place& where, void* keys, std::size_t /*rows*/, std::size_t n,
                   wf_order order) {
    with_order(order, [&](auto less) {
      return stable_sort(place(where), std::span(static_cast<T*>(keys), n), less);
    });
  }

  template <class Item>
  static void sort_items(const wf_place& where, void* keys, void* items, std::size_t n,
                         wf_order order) {
    with_order(order, [&](auto less) {
      return stable_sort_by_key(place(where), std::span(static_cast<T*>(keys), n),
                                std::span(static_cast<Item*>(items), n), less);
    });
  }
  static void sort_by_key(const wf_place& where, void* keys, void* items, std::size_t item_bytes,
                          std::size_t n, wf_order order) {
    if (item_bytes == 4) return sort_items<std::uint32_t>(where, keys, items, n, order);
    if (item_bytes == 8) return sort_items<std::uint64_t>(where, keys, items, n, order);
    throw usage_error("a device moves items of 4 and 8 bytes, not of ", item_bytes,
                      "; argsort the keys, then gather the items");
  }

  static void argsort(const wf_place& where, const void* keys, std::size_t /*rows*/, std::size_t n,
                      wf_order order, std::uint64_t* indices) {
    with_order(order, [&](auto less) {
      return warpfold::argsort(place(where), in(keys, n), std::span(indices, n), less);
    });
  }

  static void extreme(const wf_place& where, wf_op op, const void* values, std::size_t /*rows*/,
                      std::size_t n, void* value, std::uint64_t* index) {
    const auto best = op == WF_MINIMUM ? argmin(place(where), in(values, n))
                                       : argmax(place(where), in(values, n));
    if (value != nullptr) *static_cast<T*>(value) = best.value;
    *index = best.index;
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
                         void* /*ends*/) {
    *to = at_level<plus, double>(where, place(where), [&](auto here) {
      return as_c(warpfold::statistics(here, in(values, n)));
    });
  }

  static void sum_exactly(const wf_place& where, const void* values, std::size_t n, void* result) {
    exact_sum_into(place(where), in(values, n), static_cast<T*>(result))
        .throw_if_failed("exact sum of ", n, " values");
  }
  static void mean_exactly(const wf_place& where, const void* values, std::size_t n, void* result) {
    exact_mean_into(place(where), in(values, n), static_cast<T*>(result))
        .throw_if_failed("exact mean of ", n, " values");
  }
  static void dot_exactly(const wf_place& where, const void* a, const void* b, std::size_t n,
                          void* result) {
    exact_dot_into(place(where), in(a, n), in(b, n), static_cast<T*>(result))
        .throw_if_failed("exact dot product of ", n, " values");
  }
  static void accumulate(const wf_place& where, const void* values, std::size_t n,
                         std::uint8_t* bytes) {
    exact_accumulate(place(where), in(values, n)).to_bytes(bytes);
  }

  /// Without reduce_axis, which is the host's.
  static const calls& table() {
    static constexpr calls all = [] {
      calls c{.size = sizeof(T),
              .reduce = reduce,
              .scan = scan,
              .sort = sort,
              .sort_by_key = sort_by_key,
              .argsort = argsort,
              .extreme = extreme,
              .minmax = minmax,
              .mean = mean,
              .statistics = statistics};
      if constexpr (std::is_floating_point_v<T>) {
        c.exact_sum = sum_exactly;
        c.exact_mean = mean_exactly;
        c.exact_dot = dot_exactly;
        c.accumulate = accumulate;
      }
      return c;
    }();
    return all;
  }
};

}  // namespace warpfold::erased
