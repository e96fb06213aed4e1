// Random histograms, and calls on segments.
#include <algorithm>
#include <numeric>

#include "tests/library/canonical/reference.hpp"
#include "tests/library/fuzz/calls.hpp"
#include "warpfold/histogram.hpp"
#include "warpfold/segmented_sort.hpp"
#include "warpfold/segments.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

template <class T, class Count>
fuzz_call fuzz_histogram(fuzz_source& from) {
  const auto values = fuzz_keys<T>(from.size(), from);
  const T low = static_cast<T>(from.below(100));
  const std::size_t bins = 1 + from.seed() % (std::size_t{1} << (1 + from.below(16)));
  std::vector<Count> expected(bins);
  for (const T& value : values) {
    if (value < low) continue;
    const auto bin = static_cast<std::size_t>(value - low);
    if (bin < bins) ++expected[bin];
  }
  const auto in = std::make_shared<device_buffer<T>>(values, from.offset());
  const auto out = std::make_shared<device_buffer<Count>>(bins, from.offset());
  return {of_values<T>("histogram", values.size()),
          [=](const device_execution& where, memory_of) {
            return histogram(where, in->values(), each_integer{low, bins}, out->room());
          },
          expect_bits(out, expected)};
}

/// Values in segments of random lengths, and what a reduction and an inclusive scan of them give.
template <class T, class Op>
struct fuzz_segments {
  std::vector<T> values, sums, prefixes;
  std::vector<std::uint32_t> offsets{0};

  explicit fuzz_segments(fuzz_source& from) : values(terms<T>(from.size(), from.seed())) {
    const unsigned longest = 1 + from.below(1U << from.below(12));
    const std::size_t last = values.empty() ? 0 : from.seed() % (values.size() + 1);
    while (offsets.back() < last) {
      const std::size_t end = offsets.back() + from.below(longest + 1);
      offsets.push_back(static_cast<std::uint32_t>(std::min(end, last)));
    }
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      T sum = Op::template identity<T>();
      for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i) {
        sum = Op{}(sum, values[i]);
        prefixes.push_back(sum);
      }
      sums.push_back(sum);
    }
  }
  [[nodiscard]] std::size_t bytes() const {
    return segmented_workspace_bytes<T>(values.size(), offsets.size());
  }
};

template <class T, class Op>
fuzz_call fuzz_segmented_reduce(fuzz_source& from) {
  const fuzz_segments<T, Op> given(from);
  const auto in = std::make_shared<device_buffer<T>>(given.values, from.offset());
  const auto offsets = std::make_shared<device_buffer<std::uint32_t>>(given.offsets);
  const auto out = std::make_shared<device_buffer<T>>(given.sums.size(), from.offset());
  return {of_values<T>("segmented_reduce", given.values.size()),
          in_memory<workspace>(given.bytes(),
                               [=](const auto& where) {
                                 return segmented_reduce(where, in->values(), offsets->values(),
                                                         out->room(), Op::template identity<T>(),
                                                         Op{});
                               }),
          expect_bits(out, given.sums)};
}

template <class T>
fuzz_call fuzz_canonical_segments(fuzz_source& from) {
  const fuzz_segments<T, plus> given(from);
  const std::size_t n = given.values.size();
  const auto values = random_values<T>(n, from.seed());
  const auto in = std::make_shared<device_buffer<T>>(values, from.offset());
  const auto offsets = std::make_shared<device_buffer<std::uint32_t>>(given.offsets);
  const auto out = std::make_shared<device_buffer<T>>(given.sums.size(), from.offset());
  std::vector<T> expected;
  for (std::size_t s = 0; s + 1 < given.offsets.size(); ++s) {
    const std::size_t begin = given.offsets[s], length = given.offsets[s + 1] - begin;
    expected.push_back(
        length == 0 ? T{1} : T{1} + canonical::reduce(values.data() + begin, length, plus{}));
  }
  return {of_values<T>("segmented_reduce at gpu_to_gpu", n),
          in_memory<workspace>(canonical_segmented_workspace_bytes<T>(n),
                               [=](const auto& where) {
                                 return segmented_reduce(where.with(determinism::gpu_to_gpu),
                                                         in->values(), offsets->values(),
                                                         out->room(), T{1}, plus{});
                               }),
          expect_bits(out, expected)};
}

/// Of the values in segments alone, which the scan is given as its input: all are written.
template <class T, class Op>
fuzz_call fuzz_segmented_scan(fuzz_source& from) {
  const fuzz_segments<T, Op> given(from);
  const auto in = std::make_shared<device_buffer<T>>(given.values, from.offset());
  const auto offsets = std::make_shared<device_buffer<std::uint32_t>>(given.offsets);
  const auto out = std::make_shared<device_buffer<T>>(given.prefixes.size(), from.offset());
  const std::size_t n = given.prefixes.size();
  return {of_values<T>("segmented_inclusive_scan", given.values.size()),
          in_memory<workspace>(given.bytes(),
                               [=](const auto& where) {
                                 return segmented_inclusive_scan(where, in->values().first(n),
                                                                 offsets->values(), out->room(),
                                                                 Op{});
                               }),
          expect_bits(out, given.prefixes)};
}

/// The keys of random segments, sorted with their indices.
template <class K, class Less>
fuzz_call fuzz_segmented_argsort(fuzz_source& from) {
  const fuzz_segments<std::uint32_t, plus> given(from);
  const std::size_t n = given.values.size();
  const auto keys = fuzz_keys<K>(n, from);
  std::vector<std::uint32_t> places(n);
  std::iota(places.begin(), places.end(), 0U);
  for (std::size_t s = 0; s + 1 < given.offsets.size(); ++s) {
    std::stable_sort(places.begin() + given.offsets[s], places.begin() + given.offsets[s + 1],
                     [&](auto a, auto b) { return Less{}(keys[a], keys[b]); });
  }
  const auto in = std::make_shared<device_buffer<K>>(keys, from.offset());
  const auto offsets = std::make_shared<device_buffer<std::uint32_t>>(given.offsets);
  const auto out = std::make_shared<device_buffer<std::uint32_t>>(n, from.offset());
  return {of_values<K>("segmented_argsort", n),
          in_memory<temp_storage>(segmented_argsort_temp_storage_bytes<K>(n),
                                  [=](const auto& where) {
                                    return segmented_argsort(where, in->values(), offsets->values(),
                                                             out->room(), Less{});
                                  }),
          expect_bits(out, places)};
}

}  // namespace

std::span<const make_fuzz_call> fuzz_part_calls() {
  static constexpr make_fuzz_call calls[] = {
      fuzz_histogram<std::uint16_t, std::uint32_t>,
      fuzz_histogram<std::int32_t, std::uint64_t>,
      fuzz_histogram<std::uint8_t, std::uint32_t>,
      fuzz_segmented_reduce<std::int32_t, plus>,
      fuzz_segmented_reduce<affine, then>,
      fuzz_segmented_reduce<double, plus>,
      fuzz_segmented_scan<std::uint64_t, plus>,
      fuzz_segmented_scan<affine, then>,
      fuzz_canonical_segments<float>,
      fuzz_canonical_segments<double>,
      fuzz_segmented_argsort<std::uint16_t, ascending>,
      fuzz_segmented_argsort<float, descending>,
      fuzz_segmented_argsort<std::int64_t, ascending>,
  };
  return calls;
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
