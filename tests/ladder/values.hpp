// Values for ladder tests, and their C++ types by name.
#pragma once

#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "measure/facts.hpp"
#include "measure/measurement.hpp"
#include "warpfold/value_type.hpp"

namespace warpfold::ladder {

template <class T>
std::vector<T> random_values(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(n);
  for (auto& v : values) {
    if constexpr (std::is_floating_point_v<T>) {
      v = static_cast<T>(std::uniform_real_distribution<double>(-1000, 1000)(random));
    } else {
      v = static_cast<T>(random());
    }
  }
  return values;
}

template <class T>
constexpr value_type type_of = [] {
  for (const auto& t : value_types) {
    const bool found =
        visit_type(t.type, []<class U>(std::type_identity<U>) { return std::is_same_v<T, U>; });
    if (found) return t.type;
  }
  throw error("no value_type for this type");
}();

inline void expect_right(const std::vector<measure::measurement>& rows) {
  for (const auto& m : rows) {
    if (!m.skipped.empty()) continue;
    EXPECT_TRUE(measure::is_right(m))
        << m.number << " " << m.name << ": n " << m.n << ", block " << m.block << ", " << m.type
        << " " << m.form << " " << m.op << " " << m.finish << ": " << m.verdict.result << ", not "
        << m.verdict.expected << " (error " << m.verdict.error << ", bound " << m.verdict.bound
        << ")";
  }
}

}  // namespace warpfold::ladder
