// Values in runs of equal neighbours, for the tests of selections and of calls by key.
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

namespace warpfold::test {

/// n values in runs of 1 to `most`.
template <class T>
std::vector<T> runs_of(std::size_t n, unsigned most, unsigned seed = 7) {
  std::mt19937 bits(seed);
  std::vector<T> values;
  for (unsigned value = 0; values.size() < n; ++value) {
    const std::size_t length = std::min<std::size_t>(1 + bits() % most, n - values.size());
    values.insert(values.end(), length, static_cast<T>(value * 37U));
  }
  return values;
}

}  // namespace warpfold::test
