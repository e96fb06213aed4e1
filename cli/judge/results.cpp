#include "cli/judge/results.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/judge/inputs.hpp"

namespace warpfold::cli::judge {

namespace {

using ladder::ladder_kind;

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
  if (kind == ladder_kind::select) {
    std::erase(values, T{0});
    return values;
  }
  T sum = identity<T>(op);
  for (T& v : values) {
    sum = joined(op, sum, v);
    v = sum;
  }
  return kind == ladder_kind::scan ? values : std::vector<T>{sum};
}

template <class T>
std::vector<std::uint32_t> counted(const std::vector<T>& values, unsigned bins) {
  std::vector<std::uint32_t> counts(bins);
  if constexpr (std::is_integral_v<T>) {
    for (const T v : values) {
      if (std::in_range<std::uint32_t>(v) && std::cmp_less(v, bins)) {
        ++counts[static_cast<std::size_t>(v)];
      }
    }
  }
  return counts;
}

/// What a wrong sum suggests.
template <class T>
std::string likely_of_sum(const std::vector<T>& values, T due, T got) {
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

/// What wrong counts suggest, of which that of `bin` is the first.
std::string likely_of_counts(const std::vector<std::uint32_t>& due,
                             const std::vector<std::uint32_t>& got, std::size_t bin) {
  if (bin + 1 == due.size() && got[bin] == 0) return "the last bin is missing";
  const auto sum = [](const auto& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  };
  const std::uint64_t values = sum(due), counted = sum(got);
  if (counted == values) return "values are counted in the wrong bin";
  return counted < values ? fmt::format("{} of {} values are not counted", values - counted, values)
                          : fmt::format("{} instead of {} values are counted", counted, values);
}

template <class T>
std::vector<T> read(const std::byte* at, std::size_t n) {
  std::vector<T> values(n);
  if (n != 0) std::memcpy(values.data(), at, n * sizeof(T));
  return values;
}

/// Whether its bytes are not those of a buffer before the case.
template <class T>
bool is_written(const T& value) {
  constexpr auto fill = static_cast<unsigned char>(0xa5);
  std::array<unsigned char, sizeof(T)> untouched{};
  untouched.fill(fill);
  return std::memcmp(&value, untouched.data(), sizeof(T)) != 0;
}

/// The first value of `got` that is not `due`; likely(i) is what it suggests.
template <class T, class Likely>
std::optional<difference> compare(const std::vector<T>& due, const std::vector<T>& got,
                                  const Likely& likely, std::string_view array = "out") {
  for (std::size_t i = 0; i < due.size(); ++i) {
    if (due[i] == got[i]) continue;  // a NaN is never due, and never equal
    return difference{.place = due.size() > 1 ? fmt::format("{}[{}]: ", array, i) : std::string(),
                      .expected = fmt::format("{}", due[i]),
                      .got = fmt::format("{}", got[i]),
                      .likely = is_written(got[i]) ? likely(i) : "nothing was written there"};
  }
  return {};
}

/// Of a selection: the count, then the values, then that nothing was written behind them.
template <class T>
std::optional<difference> compare_kept(const std::vector<T>& due, const trial& t,
                                       const std::byte* out) {
  const auto kept = read<std::uint64_t>(out + t.kept_at(), 1);
  const std::vector<std::uint64_t> count{due.size()};
  if (auto d = compare(count, kept, [](std::size_t) { return ""; })) {
    d->place = "*kept: ";
    return d;
  }
  const auto got = read<T>(out, t.n);
  const auto rest = got.begin() + static_cast<std::ptrdiff_t>(due.size());
  const auto likely = [&](std::size_t) {
    auto sorted_due = due, sorted_got = std::vector<T>(got.begin(), rest);
    std::sort(sorted_due.begin(), sorted_due.end());
    std::sort(sorted_got.begin(), sorted_got.end());
    return sorted_due == sorted_got ? "all kept values are there, in another order" : "";
  };
  if (auto d = compare(due, got, likely)) return d;
  const auto written = std::find_if(rest, got.end(), is_written<T>);
  if (written == got.end()) return {};
  return difference{.place = fmt::format("out[{}]: ", written - got.begin()),
                    .expected = "nothing",
                    .got = fmt::format("{}", *written),
                    .likely = fmt::format("*kept is {}", due.size())};
}

}  // namespace

std::optional<difference> first_difference(ladder_kind kind, const trial& t, const std::byte* in,
                                           const std::byte* out) {
  return with_type(t.of.type, [&](auto zero) {
    using T = decltype(zero);
    const auto values = read<T>(in, t.n);
    if (kind == ladder_kind::histogram) {
      const auto due = counted(values, t.bins), got = read<std::uint32_t>(out, t.bins);
      return compare(
          due, got, [&](std::size_t bin) { return likely_of_counts(due, got, bin); }, "counts");
    }
    const std::vector<T> due = expected(kind, t.of.op, values);
    if (kind == ladder_kind::select) return compare_kept(due, t, out);
    const auto got = read<T>(out, t.results);
    return compare(due, got, [&](std::size_t i) {
      const bool is_sum = kind == ladder_kind::reduce && t.of.op == "sum";
      return is_sum ? likely_of_sum(values, due[i], got[i]) : std::string();
    });
  });
}

std::size_t useful_bytes_of(ladder_kind kind, const trial& t, const std::byte* in) {
  return with_type(t.of.type, [&](auto zero) {
    using T = decltype(zero);
    std::size_t written = 0;
    if (kind == ladder_kind::scan || kind == ladder_kind::sort) written = t.n;
    if (kind == ladder_kind::select) written = expected(kind, {}, read<T>(in, t.n)).size();
    return (t.n + written) * sizeof(T);
  });
}

}  // namespace warpfold::cli::judge
