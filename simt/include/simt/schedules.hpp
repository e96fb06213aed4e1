// Does a result depend on the order in which blocks, warps and lanes run, or on what an earlier run
// has left behind? Runs it in several orders, and says which one to run again to see it differ.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "simt/launch.hpp"

namespace simt {

namespace detail {

/// Values in device memory, and how to compare and to write them.
struct result_view {
  std::byte* begin;
  std::size_t count, size;
  std::function<bool(const void*, const void*)> same;
  std::string (*show)(const void*);
};

template <class T>
std::string show_value(const void* p) {
  if constexpr (std::is_arithmetic_v<T>) {
    return std::to_string(*static_cast<const T*>(p));
  } else {
    return "something else";
  }
}

std::vector<finding> try_schedules(unsigned n, const std::function<void()>& launches,
                                   const result_view& result, run_options options);

}  // namespace detail

/// Runs `launches` in the orders of seeds 0 to n - 1 (run_options::seed), the first one twice, each
/// time on one worker, and compares what they leave in `result` with what the first left. Returns
/// all findings. A difference is one too: not_repeatable if it shows in the second run, else
/// order_dependent. It ends the trial, and so does a kernel that can't go on.
///
/// `launches` sets up what it needs, all but `result`, which is filled with 0xA5 before each run.
/// Values are compared bit by bit. Sums of floating-point numbers may differ in the last bits where
/// atomics or tickets decide who comes first: then give a `tolerance`, relative to the larger
/// value.
template <class T>
std::vector<finding> try_schedules(unsigned n, const std::function<void()>& launches,
                                   std::span<T> result, double tolerance = 0,
                                   const run_options& options = {.check = true}) {
  static_assert(std::is_trivially_copyable_v<T>, "results are compared as bytes");
  const auto same = [=](const void* a, const void* b) {
    if (std::memcmp(a, b, sizeof(T)) == 0) return true;
    if constexpr (std::is_floating_point_v<T>) {
      const T x = *static_cast<const T*>(a), y = *static_cast<const T*>(b);
      return std::abs(x - y) <= tolerance * std::max(std::abs(x), std::abs(y));
    }
    return false;
  };
  return detail::try_schedules(n, launches,
                               {.begin = reinterpret_cast<std::byte*>(result.data()),
                                .count = result.size(),
                                .size = sizeof(T),
                                .same = same,
                                .show = detail::show_value<T>},
                               options);
}

}  // namespace simt
