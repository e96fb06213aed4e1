// Inputs of selections and of calls by key, and memory that shows a write past its end.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

#include "tests/library/host/host_test.hpp"

namespace warpfold::tests {

/// Equal where the group is, whatever the note says.
struct tagged {
  int group = 0, note = 0;

  friend bool operator==(const tagged&, const tagged&) = default;
};
struct same_group {
  bool operator()(const tagged& a, const tagged& b) const { return a.group == b.group; }
};

template <class T>
T key_of_run(std::size_t run, std::size_t i) {
  if constexpr (std::is_same_v<T, tagged>) {
    return {static_cast<int>(run % 100), static_cast<int>(i)};
  } else {
    return static_cast<T>(run % 100);
  }
}

/// Runs of this length, 0 being random ones of 2 on average; neighbours differ.
template <class T>
std::vector<T> keys_in_runs(std::size_t n, std::size_t length) {
  std::mt19937 bits(5);
  std::vector<T> keys(n);
  std::size_t run = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0 && (length > 0 ? i % length == 0 : bits() % 2 == 0)) ++run;
    keys[i] = key_of_run<T>(run, i);
  }
  return keys;
}
/// Longer than any input here: one run.
inline constexpr std::size_t run_lengths[] = {1, 3, 40, 1000, 1 << 30, 0};

/// Around the borders of chunks of so many rows, and the smallest.
inline std::vector<std::size_t> sizes_around(std::size_t chunk) {
  return {0,
          1,
          2,
          3,
          chunk - 1,
          chunk,
          chunk + 1,
          2 * chunk - 1,
          2 * chunk,
          2 * chunk + 1,
          9 * chunk + 5};
}

/// Room for `size` values, and behind it others that must stay.
template <class T>
class fenced {
 public:
  explicit fenced(std::size_t size, T fence = T{}) : values_(size + 3, fence), fence_(fence) {}
  [[nodiscard]] std::span<T> room() { return std::span(values_).first(values_.size() - 3); }
  /// These values come first; all behind them are as they were.
  void expect(const std::vector<T>& first) const {
    ASSERT_LE(first.size() + 3, values_.size());
    for (std::size_t i = 0; i < values_.size(); ++i) {
      ASSERT_TRUE(values_[i] == (i < first.size() ? first[i] : fence_)) << i;
    }
  }

 private:
  std::vector<T> values_;
  T fence_;
};

}  // namespace warpfold::tests
