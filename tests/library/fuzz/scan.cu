// Random scans.
#include <optional>

#include "tests/library/canonical/reference.hpp"
#include "tests/library/fuzz/calls.hpp"
#include "warpfold/scan.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

template <class T, class Op>
fuzz_call fuzz_scan(fuzz_source& from) {
  const std::size_t n = from.size(), offset = from.offset();
  const auto values = terms<T>(n, from.seed());
  const T init = terms<T>(1, from.seed()).front();
  const bool exclusive = from.below(2) == 0;
  const auto in = std::make_shared<device_buffer<T>>(values, offset);
  const auto out = std::make_shared<device_buffer<T>>(terms<T>(n, from.seed()),
                                                      from.below(3) == 0 ? from.offset() : offset);
  std::vector<T> expected(n);
  if (exclusive) {
    std::exclusive_scan(values.begin(), values.end(), expected.begin(), init, Op{});
  } else {
    std::inclusive_scan(values.begin(), values.end(), expected.begin(), Op{}, init);
  }
  return {of_values<T>(exclusive ? "exclusive_scan" : "inclusive_scan", n),
          in_memory<workspace>(
              scan_workspace_bytes<T>(n),
              [=](const auto& where) {
                return exclusive ? exclusive_scan(where, in->values(), out->room(), init, Op{})
                                 : inclusive_scan(where, in->values(), out->room(), Op{}, init);
              }),
          expect_bits(out, expected)};
}

/// Of a number on the device: any up to the bound, at times more. What is behind it stays.
template <class T, class Op>
fuzz_call fuzz_sized_scan(fuzz_source& from) {
  const std::size_t most = from.size(), n = from.number(most), offset = from.offset();
  const auto values = terms<T>(most, from.seed());
  const T init = terms<T>(1, from.seed()).front();
  auto expected = terms<T>(most, from.seed());
  const auto in = std::make_shared<device_buffer<T>>(values, offset);
  const auto size = std::make_shared<device_buffer<std::size_t>>(std::vector{n});
  const auto out =
      std::make_shared<device_buffer<T>>(expected, from.below(3) == 0 ? from.offset() : offset);
  const auto end = values.begin() + static_cast<std::ptrdiff_t>(std::min(n, most));
  std::inclusive_scan(values.begin(), end, expected.begin(), Op{}, init);
  return {of_values<T>(("inclusive_scan at most " + std::to_string(most) + ",").c_str(), n),
          in_memory<workspace>(scan_workspace_bytes<T>(most),
                               [=](const auto& where) {
                                 return inclusive_scan(where,
                                                       device_sized(in->values(), size->data()),
                                                       out->room(), Op{}, init);
                               }),
          expect_bits(out, expected)};
}

template <class T>
fuzz_call fuzz_canonical_scan(fuzz_source& from) {
  const std::size_t n = from.size(), offset = from.offset();
  const auto values = random_values<T>(n, from.seed());
  const auto in = std::make_shared<device_buffer<T>>(values, offset);
  const auto out = std::make_shared<device_buffer<T>>(terms<T>(n, from.seed()),
                                                      from.below(3) == 0 ? from.offset() : offset);
  std::vector<T> expected(n);
  canonical::inclusive_scan(values.data(), n, expected.data(), std::optional<T>(T{1}), plus{});
  return {of_values<T>("inclusive_scan at gpu_to_gpu", n),
          in_memory<workspace>(canonical_workspace_bytes<T>(n),
                               [=](const auto& where) {
                                 return inclusive_scan(where.with(determinism::gpu_to_gpu),
                                                       in->values(), out->room(), plus{}, T{1});
                               }),
          expect_bits(out, expected)};
}

}  // namespace

std::span<const make_fuzz_call> fuzz_scan_calls() {
  static constexpr make_fuzz_call calls[] = {
      fuzz_scan<std::uint8_t, plus>,
      fuzz_scan<std::uint16_t, plus>,
      fuzz_scan<std::int32_t, plus>,
      fuzz_scan<std::int32_t, maximum>,
      fuzz_scan<double, plus>,
      fuzz_scan<affine, then>,
      fuzz_sized_scan<std::uint8_t, plus>,
      fuzz_sized_scan<float, plus>,
      fuzz_sized_scan<affine, then>,
      fuzz_canonical_scan<float>,
      fuzz_canonical_scan<double>,
  };
  return calls;
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
