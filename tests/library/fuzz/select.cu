// Random selections and calls on runs of equal keys.
#include <algorithm>

#include "tests/library/fuzz/calls.hpp"
#include "warpfold/keys.hpp"
#include "warpfold/select.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

template <class T>
struct less_than {
  T limit;
  __host__ __device__ bool operator()(const T& value) const { return value < limit; }
};

std::function<void()> expect_number(const std::shared_ptr<device_buffer<std::size_t>>& count,
                                    std::size_t number, const std::function<void()>& and_then) {
  return [=] {
    EXPECT_EQ(count->read()[0], number);
    and_then();
  };
}

/// Neighbours that are equal as often as not, or for long.
template <class K>
std::vector<K> keys_in_runs(fuzz_source& from, std::size_t n) {
  const auto bits = terms<std::uint32_t>(n, from.seed());
  const unsigned one_in = 1U << from.below(14);
  std::vector<K> keys(n);
  K key{};
  for (std::size_t i = 0; i < n; ++i) {
    if (bits[i] % one_in == 0) key = static_cast<K>(key + 1);
    keys[i] = key;
  }
  return keys;
}

template <class T>
fuzz_call fuzz_copy_if(fuzz_source& from) {
  const std::size_t n = from.size();
  const auto values = terms<T>(n, from.seed());
  const less_than<T> keep{n == 0 ? T{} : values[from.seed() % n]};
  std::vector<T> expected;
  std::ranges::copy_if(values, std::back_inserter(expected), keep);
  const auto in = std::make_shared<device_buffer<T>>(values, from.offset());
  const auto out = std::make_shared<device_buffer<T>>(expected.size(), from.offset());
  const auto count = std::make_shared<device_buffer<std::size_t>>(1);
  return {of_values<T>("copy_if", n),
          in_memory<workspace>(select_workspace_bytes<T>(n),
                               [=](const auto& where) {
                                 return copy_if(where, in->values(), out->room(), count->data(),
                                                keep);
                               }),
          expect_number(count, expected.size(), expect_bits(out, expected))};
}

template <class K>
fuzz_call fuzz_unique(fuzz_source& from) {
  const std::size_t n = from.size();
  const auto keys = keys_in_runs<K>(from, n);
  std::vector<K> expected;
  std::ranges::unique_copy(keys, std::back_inserter(expected));
  const auto in = std::make_shared<device_buffer<K>>(keys, from.offset());
  const auto out = std::make_shared<device_buffer<K>>(expected.size(), from.offset());
  const auto count = std::make_shared<device_buffer<std::size_t>>(1);
  return {of_values<K>("unique", n),
          in_memory<workspace>(select_workspace_bytes<K>(n),
                               [=](const auto& where) {
                                 return unique(where, in->values(), out->room(), count->data());
                               }),
          expect_number(count, expected.size(), expect_bits(out, expected))};
}

template <class K, class V, class Op>
fuzz_call fuzz_reduce_by_key(fuzz_source& from) {
  const std::size_t n = from.size();
  const auto keys = keys_in_runs<K>(from, n);
  const auto values = terms<V>(n, from.seed());
  std::vector<V> folds, prefixes;
  for (std::size_t i = 0; i < n; ++i) {
    const bool begins = i == 0 || keys[i] != keys[i - 1];
    prefixes.push_back(begins ? values[i] : Op{}(prefixes.back(), values[i]));
    if (begins) folds.push_back(prefixes.back());
    folds.back() = prefixes.back();
  }
  const auto in = std::make_shared<device_buffer<K>>(keys, from.offset());
  const auto in_values = std::make_shared<device_buffer<V>>(values, from.offset());
  const auto out_keys = std::make_shared<device_buffer<K>>(folds.size());
  const bool scans = from.below(2) == 0;
  const auto out = std::make_shared<device_buffer<V>>(scans ? n : folds.size(), from.offset());
  const auto count = std::make_shared<device_buffer<std::size_t>>(std::vector{folds.size()});
  return {of_values<V>(scans ? "inclusive_scan_by_key" : "reduce_by_key", n),
          in_memory<workspace>(reduce_by_key_workspace_bytes<K, V>(n),
                               [=](const auto& where) {
                                 if (scans) {
                                   return inclusive_scan_by_key(
                                       where, in->values(), in_values->values(), out->room(), Op{});
                                 }
                                 return reduce_by_key(where, in->values(), in_values->values(),
                                                      out_keys->room(), out->room(), count->data(),
                                                      Op{});
                               }),
          expect_number(count, folds.size(), expect_bits(out, scans ? prefixes : folds))};
}

}  // namespace

std::span<const make_fuzz_call> fuzz_select_calls() {
  static constexpr make_fuzz_call calls[] = {
      fuzz_copy_if<std::uint8_t>,
      fuzz_copy_if<std::int32_t>,
      fuzz_copy_if<double>,
      fuzz_unique<std::uint16_t>,
      fuzz_unique<std::uint64_t>,
      fuzz_reduce_by_key<std::uint32_t, std::int32_t, plus>,
      fuzz_reduce_by_key<std::uint8_t, std::int64_t, maximum>,
      fuzz_reduce_by_key<std::uint64_t, affine, then>,
  };
  return calls;
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
