// The calls on runs of one type.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "c/run_calls.hpp"
#include "c/table_of.hpp"
#include "c/typed.hpp"
#include "warpfold/host/detail/threads.hpp"
#include "warpfold/host/keys.hpp"

namespace warpfold::erased {

/// Marks stand for keys: the later of two neighbours tells whether they are of one run.
struct in_one_run {
  bool operator()(std::uint8_t /*before*/, std::uint8_t begins) const { return begins == 0; }
};

template <class T>
struct host_run_calls {
  static std::span<const T> in(const void* values, std::size_t n) {
    return {static_cast<const T*>(values), n};
  }

  static void begins(const void* values, std::size_t n, std::uint8_t* to) {
    const T* const from = static_cast<const T*>(values);
    constexpr std::size_t chunk = 1 << 16;
    host_detail::run_on(host, [&] {
      host_detail::for_each_index((n + chunk - 1) / chunk, [&](std::size_t c) {
        const std::size_t first = std::max<std::size_t>(c * chunk, 1);
        for (std::size_t i = first; i < std::min(n, (c + 1) * chunk); ++i) {
          to[i] = static_cast<std::uint8_t>(!(from[i] == from[i - 1]));
        }
      });
    });
    if (n > 0) to[0] = 1;
  }

  static void reduce(const wf_place& where, wf_op op, const std::uint8_t* begins,
                     const void* values, std::size_t n, std::size_t runs, void* out) {
    std::vector<std::uint8_t> keys(runs);
    with_op<T>(op, false, [&]<class Op, class Acc>(Op o, Acc /*identity*/) {
      at_level<Op, Acc>(where, host, [&](auto here) {
        reduce_by_key(here, std::span(begins, n), in(values, n), keys,
                      std::span(static_cast<T*>(out), runs), o, in_one_run{});
      });
    });
  }

  static void scan(const wf_place& where, wf_op op, const std::uint8_t* begins, const void* values,
                   std::size_t n, bool exclusive, const void* init, void* out) {
    const std::span to(static_cast<T*>(out), n);
    const std::span keys(begins, n);
    with_op<T>(op, false, [&]<class Op, class Acc>(Op o, Acc identity) {
      at_level<Op, Acc>(where, host, [&](auto here) {
        if (exclusive) {
          const T first = value_at<T>(init).value_or(static_cast<T>(identity));
          exclusive_scan_by_key(here, keys, in(values, n), to, first, o, in_one_run{});
        } else {
          inclusive_scan_by_key(here, keys, in(values, n), to, o, in_one_run{});
        }
      });
    });
  }

  static constexpr run_calls table{begins, reduce, scan};
};

}  // namespace warpfold::erased
