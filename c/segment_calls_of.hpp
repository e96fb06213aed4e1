// The calls on segments of one type.
#pragma once

#include <algorithm>
#include <vector>

#include "c/segment_calls.hpp"
#include "c/table_of.hpp"
#include "c/typed.hpp"
#include "warpfold/host/segmented_sort.hpp"
#include "warpfold/host/segments.hpp"

namespace warpfold::erased {

template <class T>
struct host_segment_calls {
  static std::span<const T> in(const void* values, std::size_t n) {
    return {static_cast<const T*>(values), n};
  }

  static void reduce(const wf_place& where, wf_op op, const void* values, std::size_t n,
                     segment_offsets offsets, const void* init, void* out) {
    const std::span to(static_cast<T*>(out), offsets.empty() ? 0 : offsets.size() - 1);
    with_op<T>(op, false, [&]<class Op, class Acc>(Op o, Acc identity) {
      const T first = value_at<T>(init).value_or(static_cast<T>(identity));
      at_level<Op, Acc>(where, host, [&](auto here) {
        segmented_reduce(here, in(values, n), offsets, to, first, o);
      });
    });
  }

  template <class Call>
  static void find(segment_offsets offsets, std::uint64_t* indices, Call call) {
    std::vector<position<T>> best(offsets.empty() ? 0 : offsets.size() - 1);
    call(std::span(best));
    std::ranges::transform(best, indices, [](const position<T>& p) { return p.index; });
  }
  static void argmin(const void* values, std::size_t n, segment_offsets offsets,
                     std::uint64_t* indices) {
    find(offsets, indices,
         [&](auto best) { segmented_argmin(host, in(values, n), offsets, best); });
  }
  static void argmax(const void* values, std::size_t n, segment_offsets offsets,
                     std::uint64_t* indices) {
    find(offsets, indices,
         [&](auto best) { segmented_argmax(host, in(values, n), offsets, best); });
  }

  static void scan(const wf_place& where, wf_op op, void* values, std::size_t n,
                   segment_offsets offsets, bool exclusive, const void* init) {
    const std::span to(static_cast<T*>(values), n);
    with_op<T>(op, false, [&]<class Op, class Acc>(Op o, Acc identity) {
      at_level<Op, Acc>(where, host, [&](auto here) {
        if (exclusive) {
          const T first = value_at<T>(init).value_or(static_cast<T>(identity));
          segmented_exclusive_scan(here, to, offsets, to, first, o);
        } else {
          segmented_inclusive_scan(here, to, offsets, to, o);
        }
      });
    });
  }

  static void sort(void* keys, std::size_t n, segment_offsets offsets, wf_order order) {
    const std::span all(static_cast<T*>(keys), n);
    if (order == WF_DESCENDING) {
      segmented_sort(host, all, offsets, descending{});
    } else {
      segmented_sort(host, all, offsets, ascending{});
    }
  }

  static void argsort(const void* keys, std::size_t n, segment_offsets offsets, wf_order order,
                      std::uint64_t* indices) {
    const std::span to(indices, n);
    if (order == WF_DESCENDING) {
      segmented_argsort(host, in(keys, n), offsets, to, descending{});
    } else {
      segmented_argsort(host, in(keys, n), offsets, to, ascending{});
    }
  }

  static constexpr segment_calls table{reduce, argmin, argmax, scan, sort, argsort};
};

}  // namespace warpfold::erased
