#include "ladder/streams/cpu_values.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace warpfold::ladder::streams_ladder {

namespace {

/// Eight sums side by side: none waits for the one before.
template <class T>
T total(const T* values, std::size_t count) {
  using wide = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;
  constexpr std::size_t lanes = 8;
  wide sums[lanes]{};
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (std::size_t k = 0; k < lanes; ++k) sums[k] += static_cast<wide>(values[i + k]);
  }
  for (; i < count; ++i) sums[0] += static_cast<wide>(values[i]);
  for (std::size_t k = 1; k < lanes; ++k) sums[0] += sums[k];
  return static_cast<T>(sums[0]);
}

}  // namespace

void add_on_host(value_type type, const void* values, std::size_t count, void* sum) {
  visit_type(type, [&]<class T>(std::type_identity<T>) {
    T pair[2];
    std::memcpy(pair, sum, sizeof(T));
    pair[1] = total(static_cast<const T*>(values), count);
    pair[0] = total(pair, 2);
    std::memcpy(sum, pair, sizeof(T));
  });
}

scalar sum_of(value_type type, std::span<const std::byte> values) {
  alignas(8) std::byte sum[8]{};
  add_on_host(type, values.data(), values.size() / size_of(type), sum);
  return load_scalar(type, sum);
}

}  // namespace warpfold::ladder::streams_ladder
