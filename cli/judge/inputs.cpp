#include "cli/judge/inputs.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <type_traits>

namespace warpfold::cli::judge {

namespace {

using ladder::ladder_kind;

/// Values whose sum is exact in any order and shows a lost or a doubled one: none is 0.
template <class T>
std::vector<T> summands(std::size_t n, std::mt19937_64& random) {
  constexpr double exact = std::is_same_v<T, float>    ? 0x1p24
                           : std::is_same_v<T, double> ? 0x1p53
                           : sizeof(T) == 8            ? 0x1p62
                                                       : 0x1p31;
  const auto most =
      static_cast<std::int64_t>(std::clamp(exact / (static_cast<double>(n) + 1) - 1, 7.0, 0x1p40));
  std::uniform_int_distribution<std::int64_t> size(1, most);
  std::vector<T> values(n);
  for (T& v : values) {
    const std::int64_t magnitude = size(random);
    v = static_cast<T>((random() & 1) != 0 ? magnitude : -magnitude);
  }
  return values;
}

/// Keys of all sizes, some of them equal.
template <class T>
std::vector<T> keys(std::size_t n, std::mt19937_64& random) {
  std::vector<T> values(n);
  for (T& v : values) {
    const std::uint64_t bits = random();
    if constexpr (std::is_floating_point_v<T>) {
      v = static_cast<T>(static_cast<std::int64_t>(bits)) / static_cast<T>(1U << (bits % 24));
    } else {
      v = static_cast<T>(bits % 8 == 0 ? bits % 64 : bits >> 16);
    }
  }
  if (n > 2) {
    values[n / 2] = std::numeric_limits<T>::max();
    values[n - 1] = std::numeric_limits<T>::lowest();
  }
  return values;
}

/// A value of no bin; the low 16 or 32 bits of every second one are those of a bin.
template <class T>
T of_no_bin(unsigned bins, std::uint64_t bits) {
  if (bits % 2 == 0) return static_cast<T>(bins + bits / 2 % 4 * (bits / 8 % 256));
  const unsigned low_bits = sizeof(T) == 8 && bits / 2 % 2 == 0 ? 32 : 16;
  return static_cast<T>((std::uint64_t{1} << low_bits) + bits / 4 % bins);
}

/// Values of bins; the last value of random ones is of the last bin.
template <class T>
std::vector<T> values_of_bins(const input_shape& s, std::mt19937_64& random) {
  const std::uint64_t one = random() % s.bins, last = s.bins - 1;
  std::vector<T> values(s.n);
  for (T& v : values) {
    const std::uint64_t bits = random();
    switch (s.kind) {
      case input_kind::one_value: v = static_cast<T>(one); break;
      case input_kind::few_values: v = static_cast<T>(bits % 8 * last / 7); break;
      case input_kind::beyond:
        v = bits % 4 == 0 ? of_no_bin<T>(s.bins, bits / 4) : static_cast<T>(bits / 4 % s.bins);
        break;
      default: v = static_cast<T>(bits % s.bins);
    }
  }
  if (s.kind == input_kind::random && s.n > 0) values.back() = static_cast<T>(last);
  if (s.kind == input_kind::beyond && s.n > 2) values[s.n / 2] = static_cast<T>(-1);
  return values;
}

/// Keys, of which those that are not kept are 0; of floats, every second one of these is -0.
template <class T>
std::vector<T> values_to_keep(const input_shape& s, std::mt19937_64& random) {
  const unsigned percent = s.kind == input_kind::none_kept  ? 0
                           : s.kind == input_kind::all_kept ? 100
                           : s.kind == input_kind::few_kept ? 1
                                                            : 50;
  std::vector<T> values = keys<T>(s.n, random);
  for (T& v : values) {
    const std::uint64_t bits = random();
    if (bits % 100 >= percent) {
      v = bits / 100 % 2 == 0 ? T{0} : -T{0};
    } else if (v == T{0}) {
      v = T{1};
    }
  }
  return values;
}

}  // namespace

std::span<const input_kind> further_inputs(ladder_kind kind) {
  using enum input_kind;
  static constexpr input_kind histogram[] = {one_value, few_values, beyond},
                              select[] = {none_kept, all_kept, few_kept};
  if (kind == ladder_kind::histogram) return histogram;
  if (kind == ladder_kind::select) return select;
  return {};
}

std::vector<std::byte> input_of(ladder_kind kind, const input_shape& s, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  return with_type(s.type, [&](auto zero) {
    using T = decltype(zero);
    const std::vector<T> values = kind == ladder_kind::sort        ? keys<T>(s.n, random)
                                  : kind == ladder_kind::histogram ? values_of_bins<T>(s, random)
                                  : kind == ladder_kind::select    ? values_to_keep<T>(s, random)
                                                                   : summands<T>(s.n, random);
    const auto* const bytes = reinterpret_cast<const std::byte*>(values.data());
    return std::vector<std::byte>(bytes, bytes + s.n * sizeof(T));
  });
}

}  // namespace warpfold::cli::judge
