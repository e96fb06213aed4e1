#include "cli/ladder/input.hpp"

#include <algorithm>
#include <functional>
#include <new>

#include <fmt/format.h>

#include "warpfold/error.hpp"

namespace warpfold::cli {

namespace {

constexpr std::string_view pattern_names[] = {"random", "sorted", "reversed", "constant", "few"};

/// SplitMix64: the i-th number of a seed, without the ones before.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t z = seed * 0xd1342543de82ef95 + (i + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

template <class T>
T random_value(std::uint64_t bits, ladder::operation op) {
  using ladder::operation;
  if constexpr (std::is_floating_point_v<T>) {
    const auto unit = static_cast<T>(static_cast<double>(bits >> 11) * 0x1p-53);  // [0, 1]
    if (op == operation::product) return T{1} + (unit - T{0.5}) / T{1024};
    return op == operation::sum || op == operation::mean ? unit : (unit - T{0.5}) * T{2000};
  } else {
    switch (op) {
      case operation::sum:
      case operation::mean: return static_cast<T>(bits & 0xff);
      case operation::product: return static_cast<T>(bits | 1);  // odd: never gets stuck at 0
      default: return static_cast<T>(bits);
    }
  }
}

}  // namespace

data::array random_values(value_type type, ladder::operation op, std::size_t n,
                          std::uint64_t seed) {
  data::array values{.type = type, .shape = {n}, .bytes = {}};
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(n, size_of(type), &bytes)) throw std::bad_alloc();
  try {
    values.bytes.resize(bytes);
  } catch (const std::length_error&) {
    throw std::bad_alloc();
  }
  visit_type(type, [&]<class T>(std::type_identity<T>) {
    auto* const out = reinterpret_cast<T*>(values.bytes.data());
    for (std::size_t i = 0; i < n; ++i) out[i] = random_value<T>(random_bits(seed, i), op);
  });
  return values;
}

std::string_view name_of(key_pattern pattern) {
  return pattern_names[static_cast<std::size_t>(pattern)];
}

key_pattern parse_key_pattern(std::string_view option, std::string_view text) {
  for (std::size_t i = 0; i < std::size(pattern_names); ++i) {
    if (pattern_names[i] == text) return static_cast<key_pattern>(i);
  }
  throw usage_error(
      fmt::format("{} {}: must be random, sorted, reversed, constant or few", option, text));
}

namespace {

void lay_out(data::array& keys, key_pattern pattern, std::uint64_t seed) {
  const std::size_t n = keys.size();
  visit_type(keys.type, [&]<class T>(std::type_identity<T>) {
    auto* const k = reinterpret_cast<T*>(keys.bytes.data());
    switch (pattern) {
      case key_pattern::random: break;
      case key_pattern::sorted: std::sort(k, k + n); break;
      case key_pattern::reversed: std::sort(k, k + n, std::greater<>()); break;
      case key_pattern::constant: std::fill(k, k + n, n > 0 ? k[0] : T{}); break;
      case key_pattern::few:
        for (std::size_t i = 8; i < n; ++i) k[i] = k[random_bits(seed + 1, i) % 8];
        break;
    }
  });
}

}  // namespace

data::array random_keys(value_type type, key_pattern pattern, std::size_t n, std::uint64_t seed) {
  data::array keys = random_values(type, ladder::operation::max, n, seed);
  lay_out(keys, pattern, seed);
  return keys;
}

data::array random_kept(value_type type, unsigned percent, std::size_t n, std::uint64_t seed) {
  data::array values = random_values(type, ladder::operation::sum, n, seed);
  visit_type(type, [&]<class T>(std::type_identity<T>) {
    auto* const v = reinterpret_cast<T*>(values.bytes.data());
    for (std::size_t i = 0; i < n; ++i) {
      const bool keeps = random_bits(seed + 1, i) % 100 < percent;
      v[i] = !keeps ? T{0} : v[i] != T{0} ? v[i] : T{1};
    }
  });
  return values;
}

data::array random_bins(value_type type, key_pattern pattern, std::size_t n, unsigned bins,
                        std::uint64_t seed) {
  data::array values = random_values(type, ladder::operation::max, n, seed);
  visit_type(type, [&]<class T>(std::type_identity<T>) {
    auto* const v = reinterpret_cast<T*>(values.bytes.data());
    for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<T>(random_bits(seed, i) % bins);
  });
  lay_out(values, pattern, seed);
  return values;
}

}  // namespace warpfold::cli
