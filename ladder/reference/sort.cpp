#include "ladder/reference/sort.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <cstring>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace warpfold::ladder {

namespace {

template <class K>
std::string text_of(value_type type, std::size_t i, const K& key) {
  return fmt::format("[{}] {}", i, to_text(load_scalar(type, &key)));
}

/// The kernels' ascending order, by the standard library's means.
template <class K>
bool before(K a, K b) {
  if constexpr (std::is_floating_point_v<K>) {
    if (std::isnan(a) != std::isnan(b)) return std::isnan(b);
    if (std::isnan(a) && std::signbit(a) != std::signbit(b)) return std::signbit(b);
    return std::strong_order(a, b) < 0;
  } else {
    return a < b;
  }
}

/// A comparator of the network: `up` puts the smaller key first.
template <class K>
void compare(K* keys, std::size_t i, std::size_t j, bool up) {
  if (up ? before(keys[j], keys[i]) : before(keys[i], keys[j])) std::swap(keys[i], keys[j]);
}

template <class K>
void bitonic_merge(K* keys, std::size_t n, bool up) {
  if (n < 2) return;
  const std::size_t stride = std::bit_floor(n - 1);  // the greatest power of two below n
  for (std::size_t i = 0; i + stride < n; ++i) compare(keys, i, i + stride, up);
  bitonic_merge(keys, stride, up);
  bitonic_merge(keys + stride, n - stride, up);
}

template <class K>
void bitonic_sort(K* keys, std::size_t n, bool up) {
  if (n < 2) return;
  bitonic_sort(keys, n / 2, !up);
  bitonic_sort(keys + n / 2, n - n / 2, up);
  bitonic_merge(keys, n, up);
}

/// Calls `f` with the keys' type; only key types come here.
template <class F>
void with_key_type(value_type type, F&& f) {
  visit_type(type, [&]<class K>(std::type_identity<K>) {
    if constexpr (sizeof(K) >= 4) f(std::type_identity<K>{});
  });
}

}  // namespace

sort_reference::sort_reference(const host_values& keys, bool descending)
    : keys_(keys), sorted_(keys.n * size_of(keys.type)) {
  sort_serial(keys, descending, sorted_.data());
}

measure::verdict sort_reference::judge(const void* keys, const std::uint32_t* values) const {
  measure::verdict v{.right = true, .result = "sorted", .expected = "sorted"};
  const auto wrong = [&](std::string result, std::string expected) {
    v = {.right = false, .result = std::move(result), .expected = std::move(expected)};
  };
  with_key_type(keys_.type, [&]<class K>(std::type_identity<K>) {
    const auto* const in = static_cast<const K*>(keys_.data);
    const auto* const out = static_cast<const K*>(keys);
    const auto* const due = reinterpret_cast<const K*>(sorted_.data());
    const auto same = [](K a, K b) { return std::memcmp(&a, &b, sizeof a) == 0; };
    std::vector<bool> seen(values != nullptr ? keys_.n : 0);
    for (std::size_t i = 0; i < keys_.n; ++i) {
      if (!same(out[i], due[i])) {
        return wrong(text_of(keys_.type, i, out[i]), text_of(keys_.type, i, due[i]));
      }
      if (values == nullptr) continue;
      const std::uint32_t from = values[i];
      if (from >= keys_.n || seen[from] || !same(in[from], due[i])) {
        return wrong(
            fmt::format("[{}] value {}", i, from),
            fmt::format("[{}] a value of key {}", i, to_text(load_scalar(keys_.type, out + i))));
      }
      seen[from] = true;
    }
  });
  return v;
}

void sort_serial(const host_values& keys, bool descend, void* sorted) {
  with_key_type(keys.type, [&]<class K>(std::type_identity<K>) {
    const auto* const in = static_cast<const K*>(keys.data);
    auto* const out = static_cast<K*>(sorted);
    std::copy(in, in + keys.n, out);
    std::sort(out, out + keys.n, [&](K a, K b) { return descend ? before(b, a) : before(a, b); });
  });
}

void sort_recursive(const host_values& keys, bool descend, void* sorted) {
  with_key_type(keys.type, [&]<class K>(std::type_identity<K>) {
    const auto* const in = static_cast<const K*>(keys.data);
    auto* const out = static_cast<K*>(sorted);
    std::copy(in, in + keys.n, out);
    bitonic_sort(out, keys.n, !descend);
  });
}

}  // namespace warpfold::ladder
