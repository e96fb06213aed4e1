// Values and expected rows for the tests of groups, on the host and on a device.
#pragma once

#include <cstddef>
#include <map>
#include <random>
#include <vector>

namespace warpfold::test {

/// Small whole numbers: their sums are exact in any order.
template <class T>
std::vector<T> whole_values(std::size_t n) {
  std::mt19937 bits(static_cast<unsigned>(n));
  std::vector<T> values(n);
  for (T& v : values) v = static_cast<T>(static_cast<int>(bits() % 201) - 100);
  return values;
}

/// The rows of each key, in order.
template <class K>
std::map<K, std::vector<std::size_t>> rows_by_key(const std::vector<K>& keys) {
  std::map<K, std::vector<std::size_t>> rows;
  for (std::size_t i = 0; i < keys.size(); ++i) rows[keys[i]].push_back(i);
  return rows;
}

}  // namespace warpfold::test
