// Random calls for the first k keys and order statistics.
#include <algorithm>

#include "tests/library/fuzz/calls.hpp"
#include "warpfold/quantiles.hpp"
#include "warpfold/top_k.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

/// Keys, and the indices of the first k of each row of `columns`.
template <class K, class Order>
struct fuzz_rows {
  std::size_t rows, columns, k;
  std::vector<K> keys, first;
  std::vector<std::uint32_t> indices;

  explicit fuzz_rows(fuzz_source& from)
      : rows(from.below(3) == 0 ? 1 + from.below(5) : 1), columns(from.size()) {
    k = columns == 0 ? 0 : from.seed() % (columns + 1);
    if (from.below(2) == 0) k = std::min<std::size_t>(k, from.below(200));
    keys = fuzz_keys<K>(rows * columns, from);
    for (std::size_t row = 0; row < rows; ++row) {
      const std::vector<K> own(keys.begin() + static_cast<std::ptrdiff_t>(row * columns),
                               keys.begin() + static_cast<std::ptrdiff_t>((row + 1) * columns));
      const auto places = places_of(own, Order{});
      for (std::size_t i = 0; i < k; ++i) {
        indices.push_back(static_cast<std::uint32_t>(places[i]));
        first.push_back(own[places[i]]);
      }
    }
  }
  [[nodiscard]] std::size_t bytes() const { return top_k_temp_storage_bytes<K>(columns, k, rows); }
};

template <class K, class Order>
fuzz_call fuzz_top_k(fuzz_source& from) {
  const fuzz_rows<K, Order> given(from);
  const auto in = std::make_shared<device_buffer<K>>(given.keys, from.offset());
  const auto out = std::make_shared<device_buffer<K>>(given.first.size(), from.offset());
  return {of_values<K>("top_k", given.keys.size()),
          in_memory<temp_storage>(
              given.bytes(),
              [=, rows = given.rows, columns = given.columns, k = given.k](const auto& where) {
                return top_k_rows(where, in->values(), rows, columns, k, out->room(), Order{});
              }),
          expect_bits(out, given.first)};
}

template <class K, class Order>
fuzz_call fuzz_argtop_k(fuzz_source& from) {
  const fuzz_rows<K, Order> given(from);
  const auto in = std::make_shared<device_buffer<K>>(given.keys, from.offset());
  const auto out = std::make_shared<device_buffer<std::uint32_t>>(given.indices.size());
  return {of_values<K>("argtop_k", given.keys.size()),
          in_memory<temp_storage>(
              given.bytes(),
              [=, rows = given.rows, columns = given.columns, k = given.k](const auto& where) {
                return argtop_k_rows(where, in->values(), rows, columns, k, out->room(), Order{});
              }),
          expect_bits(out, given.indices)};
}

template <class K>
fuzz_call fuzz_nth_element(fuzz_source& from) {
  auto keys = fuzz_keys<K>(from.size() + 1, from);
  const std::size_t nth = from.seed() % keys.size();
  const auto in = std::make_shared<device_buffer<K>>(keys, from.offset());
  const auto out = std::make_shared<device_buffer<K>>(1);
  std::sort(keys.begin(), keys.end(), ascending{});
  return {of_values<K>("nth_element", keys.size()),
          in_memory<temp_storage>(quantiles_temp_storage_bytes<K>(),
                                  [=](const auto& where) {
                                    return nth_element_into(where, in->values(), nth, out->data());
                                  }),
          expect_bits(out, std::vector{keys[nth]})};
}

/// The lower interpolation: values as they are, so that each bit is known.
template <class K>
fuzz_call fuzz_quantiles(fuzz_source& from) {
  auto keys = terms<K>(from.size() + 1, from.seed());
  const auto in = std::make_shared<device_buffer<K>>(keys, from.offset());
  std::sort(keys.begin(), keys.end());
  std::vector<double> q(from.below(12)), expected;
  for (double& share : q) {
    share = static_cast<double>(from.below(1025)) / 1024;
    const double at = share * static_cast<double>(keys.size() - 1);
    expected.push_back(static_cast<double>(keys[static_cast<std::size_t>(at)]));
  }
  const auto out = std::make_shared<device_buffer<double>>(q.size());
  return {of_values<K>("quantiles", keys.size()),
          in_memory<temp_storage>(quantiles_temp_storage_bytes<K>(),
                                  [=](const auto& where) {
                                    return quantiles_into(where, in->values(), q, out->data(),
                                                          interpolation::lower);
                                  }),
          expect_bits(out, expected)};
}

}  // namespace

std::span<const make_fuzz_call> fuzz_first_calls() {
  static constexpr make_fuzz_call calls[] = {
      fuzz_top_k<std::uint32_t, descending>,
      fuzz_top_k<std::int64_t, ascending>,
      fuzz_argtop_k<std::uint32_t, descending>,
      fuzz_argtop_k<std::uint16_t, ascending>,
      fuzz_nth_element<std::int32_t>,
      fuzz_nth_element<std::uint64_t>,
      fuzz_quantiles<std::int32_t>,
      fuzz_quantiles<double>,
  };
  return calls;
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
