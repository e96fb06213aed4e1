#include "ladder/reference/select.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace warpfold::ladder {

namespace {

/// Values as their bits, in the order of these where there is no other.
template <class Bits>
std::vector<Bits> bits_of(const void* values, std::size_t n, bool any_order) {
  std::vector<Bits> all(n);
  if (n > 0) std::memcpy(all.data(), values, n * sizeof(Bits));
  if (any_order) std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

select_reference::select_reference(const host_values& values)
    : type_(values.type),
      kept_(values.n * size_of(values.type)),
      count_(select_serial(values, kept_.data())) {}

measure::verdict select_reference::judge(const void* kept, std::uint64_t count,
                                         bool any_order) const {
  const auto text = [](std::uint64_t n) { return fmt::format("{} kept", n); };
  if (count != count_) return {.right = false, .result = text(count), .expected = text(count_)};
  measure::verdict v{.right = true, .result = text(count), .expected = text(count)};
  const auto compare = [&]<class Bits>(Bits) {
    const auto due = bits_of<Bits>(kept_.data(), count_, any_order);
    const auto is = bits_of<Bits>(kept, count_, any_order);
    const auto [expected, wrong] = std::mismatch(due.begin(), due.end(), is.begin());
    if (expected == due.end()) return;
    const auto at = [&, i = expected - due.begin()](const Bits& bits) {
      return fmt::format("[{}] {}", i, to_text(load_scalar(type_, &bits)));
    };
    v = {.right = false, .result = at(*wrong), .expected = at(*expected)};
  };
  if (size_of(type_) == 4) {
    compare(std::uint32_t{});
  } else {
    compare(std::uint64_t{});
  }
  return v;
}

std::size_t select_serial(const host_values& values, void* kept) {
  return visit_type(values.type, [&]<class T>(std::type_identity<T>) {
    const auto* const in = static_cast<const T*>(values.data);
    auto* const out = static_cast<T*>(kept);
    const auto end = std::copy_if(in, in + values.n, out, [](T v) { return v != T{0}; });
    return static_cast<std::size_t>(end - out);
  });
}

}  // namespace warpfold::ladder
