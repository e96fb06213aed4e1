#include "cli/judge/cases.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <stdexcept>
#include <type_traits>

#include <fmt/format.h>

namespace warpfold::cli::judge {

namespace {

using ladder::ladder_kind;

template <class F>
auto with_type(std::string_view name, F&& f) {
  if (name == "i32") return f(std::int32_t{});
  if (name == "u32") return f(std::uint32_t{});
  if (name == "i64") return f(std::int64_t{});
  if (name == "f32") return f(float{});
  if (name == "f64") return f(double{});
  throw std::invalid_argument("there is no type " + std::string(name));
}

std::size_t size_of_type(std::string_view name) {
  return with_type(name, [](auto zero) { return sizeof zero; });
}

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

template <class T>
T joined(std::string_view op, T a, T b) {
  if (op == "min") return std::min(a, b);
  if (op == "max") return std::max(a, b);
  if constexpr (std::is_integral_v<T>) {
    using u = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<u>(a) + static_cast<u>(b));
  } else {
    return a + b;
  }
}

template <class T>
T identity(std::string_view op) {
  constexpr bool has = std::numeric_limits<T>::has_infinity;
  using limit = std::numeric_limits<T>;
  if (op == "min") return has ? limit::infinity() : limit::max();
  if (op == "max") return has ? -limit::infinity() : limit::lowest();
  return T{};
}

template <class T>
std::vector<T> expected(ladder_kind kind, std::string_view op, std::vector<T> values) {
  if (kind == ladder_kind::sort) {
    std::sort(values.begin(), values.end());
    return values;
  }
  T sum = identity<T>(op);
  for (T& v : values) {
    sum = joined(op, sum, v);
    v = sum;
  }
  return kind == ladder_kind::scan ? values : std::vector<T>{sum};
}

/// What a wrong sum suggests.
template <class T>
std::string likely(const std::vector<T>& values, T due, T got) {
  if constexpr (!std::is_integral_v<T>) {
    return {};
  } else {
    using u = std::make_unsigned_t<T>;
    const T less = static_cast<T>(static_cast<u>(due) - static_cast<u>(got));
    const T more = static_cast<T>(static_cast<u>(got) - static_cast<u>(due));
    const auto only = [&](T v) { return std::count(values.begin(), values.end(), v) == 1; };
    const auto place = [&](T v) {
      return std::find(values.begin(), values.end(), v) - values.begin();
    };
    if (values.size() < 70'000 && only(less)) return fmt::format("in[{}] is missing", place(less));
    if (values.size() < 70'000 && only(more)) {
      return fmt::format("in[{}] is counted twice", place(more));
    }
    T sum{};  // without the last k, and the first k alone
    for (std::size_t k = values.size(); k-- > 1;) {
      sum = joined("sum", sum, values[k]);
      if (sum == less) return fmt::format("the last {} values are missing", values.size() - k);
    }
    return {};
  }
}

}  // namespace

std::size_t counted_size(ladder_kind kind) {
  return std::size_t{1} << (kind == ladder_kind::sort ? 16 : 20);
}

trials::trials(ladder_kind kind, const std::vector<offer>& offers, std::uint64_t seed)
    : kind_(kind), seed_(seed) {
  const std::size_t large = kind == ladder_kind::sort ? 8192 : 65536;
  constexpr std::uint64_t orders = 8;
  const std::size_t between = 1026 + seed % (large - 1100);
  const offer& first = offers.front();
  for (const std::size_t n : {0, 1, 31, 32, 33, 1000, 1025}) add(first, n, mode::check);
  for (std::uint64_t o = 1; o <= orders; ++o) add(first, 1025, mode::check, o);
  for (std::size_t i = 1; i < offers.size(); ++i) {
    for (const std::size_t n : {0, 1, 33, 1000}) add(offers[i], n, mode::check);
  }
  add(first, between, mode::check);
  for (const std::size_t n : {large - 1, large, large + 1}) add(first, n, mode::check);
  for (std::size_t i = 1; i < offers.size(); ++i) add(offers[i], large + 1, mode::run);
  const std::size_t most = counted_size(kind);
  if (most > large) add(first, most, mode::run);
  add(first, most + 1, mode::run);
  add(first, most, mode::count);
}

void trials::add(const offer& of, std::size_t n, mode how, std::uint64_t order) {
  constexpr std::size_t alignment = 64;
  trial t{.of = of,
          .n = n,
          .results = kind_ == ladder_kind::reduce ? 1 : n,
          .mode = how,
          .order = order};
  const auto same = std::find_if(all_.begin(), all_.end(), [&](const trial& other) {
    return other.n == n && other.of.type == of.type;
  });
  t.out_at = output_bytes_;
  output_bytes_ += (t.results * size_of_type(of.type) + alignment) / alignment * alignment;
  if (same != all_.end()) {
    t.in_at = same->in_at;
  } else {
    t.in_at = inputs_.size();
    std::mt19937_64 random(seed_ + n);
    with_type(of.type, [&](auto zero) {
      using T = decltype(zero);
      const auto values = kind_ == ladder_kind::sort ? keys<T>(n, random) : summands<T>(n, random);
      const auto* const bytes = reinterpret_cast<const std::byte*>(values.data());
      inputs_.insert(inputs_.end(), bytes, bytes + n * sizeof(T));
    });
    inputs_.resize((inputs_.size() + alignment) / alignment * alignment);
  }
  all_.push_back(t);
}

std::optional<difference> trials::judge(const trial& t, const std::byte* outputs) const {
  return with_type(t.of.type, [&](auto zero) -> std::optional<difference> {
    using T = decltype(zero);
    std::vector<T> values(t.n), got(t.results);
    if (t.n != 0) std::memcpy(values.data(), inputs_.data() + t.in_at, t.n * sizeof(T));
    if (t.results != 0) std::memcpy(got.data(), outputs + t.out_at, t.results * sizeof(T));
    const std::vector<T> due = expected(kind_, t.of.op, values);
    for (std::size_t i = 0; i < t.results; ++i) {
      if (due[i] == got[i]) continue;  // a NaN is never due, and never equal
      difference d{i, fmt::format("{}", due[i]), fmt::format("{}", got[i]), {}};
      constexpr auto fill = static_cast<unsigned char>(0xa5);
      std::array<unsigned char, sizeof(T)> untouched{};
      untouched.fill(fill);
      if (std::memcmp(&got[i], untouched.data(), sizeof(T)) == 0) {
        d.likely = "nothing was written there";
      } else if (kind_ == ladder_kind::reduce && t.of.op == "sum") {
        d.likely = likely(values, due[i], got[i]);
      }
      return d;
    }
    return {};
  });
}

}  // namespace warpfold::cli::judge
