// Inputs of the host's benchmarks, made once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "warpfold/value_type.hpp"

namespace warpfold::bench {

template <class T>
std::string type_name() {
  for (const auto& known : value_types) {
    if (visit_type(known.type,
                   [](auto tag) { return std::is_same_v<typename decltype(tag)::type, T>; })) {
      return std::string(known.name);
    }
  }
  return "?";
}

/// Whole numbers from -8 to 8, so that sums and prefix sums of floating-point values are exact and
/// can be compared to the bit in whatever order they were formed.
template <class T>
std::shared_ptr<const std::vector<T>> small_numbers(std::size_t n) {
  auto values = std::make_shared<std::vector<T>>(n);
  std::mt19937 bits(1);
  for (T& value : *values) value = static_cast<T>(static_cast<int>(bits() % 17) - 8);
  return values;
}

/// Keys of evenly distributed bits; floating-point ones between -1 and 1.
template <class T>
std::shared_ptr<const std::vector<T>> random_keys(std::size_t n) {
  auto keys = std::make_shared<std::vector<T>>(n);
  std::mt19937_64 bits(1);
  for (T& key : *keys) {
    if constexpr (std::is_floating_point_v<T>) {
      key = std::uniform_real_distribution<T>(-1, 1)(bits);
    } else {
      key = static_cast<T>(bits());
    }
  }
  return keys;
}

}  // namespace warpfold::bench
