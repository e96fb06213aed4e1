// The truth about a sum, for the benchmarks of exact sums: added by the host's threads, without the
// code under test but for the accumulator.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "bench/harness/candidate.hpp"
#include "warpfold/exact/accumulator.hpp"

namespace warpfold::bench {

/// add(part, begin, end) of [0, n) by the host's threads; merged.
template <class Sum, class Add>
Sum host_sum(std::size_t n, Add add) {
  const std::size_t count = std::max(1U, std::thread::hardware_concurrency());
  std::vector<Sum> part(count);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < count; ++t) {
    threads.emplace_back(
        [&, t] { add(part[t], n / count * t, t + 1 == count ? n : n / count * (t + 1)); });
  }
  for (auto& thread : threads) thread.join();
  for (std::size_t t = 1; t < count; ++t) part[0].merge(part[t]);
  return part[0];
}

/// The sum of the values, and how far from it other ways to sum may be.
template <class T>
struct exact_truth {
  T sum;
  double bound = 0;  // infinite where partial sums may overflow

  explicit exact_truth(std::span<const T> values) {
    struct part {
      exact_accumulator<T> sum;
      double magnitude = 0;
      void merge(const part& other) {
        sum.merge(other.sum);
        magnitude += other.magnitude;
      }
    };
    const part all =
        host_sum<part>(values.size(), [&](part& p, std::size_t begin, std::size_t end) {
          for (const T v : values.subspan(begin, end - begin)) {
            p.sum.add(v);
            p.magnitude += std::fabs(static_cast<double>(v));
          }
        });
    sum = all.sum.round();
    bound = all.magnitude *
            (all.magnitude <= std::numeric_limits<T>::max()
                 ? static_cast<double>(values.size()) * std::numeric_limits<T>::epsilon()
                 : std::numeric_limits<double>::infinity());
  }

  /// Exact results must have the same bits, others be as near as rounding lets them be.
  [[nodiscard]] mistakes check(T result, bool exact) const {
    const double error = std::fabs(static_cast<double>(result) - static_cast<double>(sum));
    const bool right = exact ? detail::bits_of(result) == detail::bits_of(sum)
                             : std::isinf(bound) || error <= bound;
    char text[80];
    std::snprintf(text, sizeof text, "%a, and the sum is %a", static_cast<double>(result),
                  static_cast<double>(sum));
    return one_result(right, text);
  }
};

/// The library's exact sums, beside its plain ones and those of others.
template <class T>
measure::measurement sum_record(const char* who, const char* range, std::size_t n) {
  measure::measurement row;
  row.ladder = "exact-sum", row.name = who, row.op = range, row.n = n;
  row.reference = row.name != "warpfold";
  row.type = detail::format<T>::name, row.useful_bytes = n * sizeof(T);
  return row;
}

}  // namespace warpfold::bench
