// Random calls of the device library, each with data of its own and the result that it must have:
// values, sizes, offsets, types, operators, orders, in place and not. A file each makes those of
// reduce, scan, select and by key, sort, sort_by_key, the first k and order statistics, merges and
// searches, histograms and segments: their kernels are compiled side by side.
#pragma once

#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/library/device/device_sort_test.hpp"
#include "tests/library/device/stream_jobs.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {

/// A call that can be made any number of times, one after the other: each time from the same data.
struct fuzz_call {
  std::string name;
  std::function<status(const device_execution&, memory_of)> put;
  std::function<void()> expect_right;  // once it was made, and waited for
};

class fuzz_source {
 public:
  fuzz_source(std::uint64_t seed, unsigned most_bits) : random_(seed), most_bits_(most_bits) {}

  unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }
  /// Each power of two as probably, now and then a power of two itself.
  std::size_t size() {
    const std::size_t top = std::size_t{1} << below(most_bits_ + 1);
    return below(8) == 0 ? top + below(3) - 1 : random_() % (2 * top);
  }
  /// Up to `most`, at times more.
  std::size_t number(std::size_t most) {
    return below(8) == 0 ? most + below(3) : random_() % (most + 1);
  }
  std::size_t offset() { return below(2) == 0 ? 0 : below(17); }
  unsigned seed() { return static_cast<unsigned>(random_()); }

 private:
  std::mt19937_64 random_;
  unsigned most_bits_;
};

template <class Memory, class Call>
auto in_memory(std::size_t bytes, Call call) {
  return [memory = std::make_shared<Memory>(bytes), call = std::move(call)](
             const device_execution& where, memory_of whose) {
    return whose == memory_of::job ? call(where.with(*memory)) : call(where);
  };
}

template <class T>
std::string of_values(const char* call, std::size_t n) {
  return std::string(call) + " of " + std::to_string(n) + " values of " +
         std::to_string(sizeof(T)) + " bytes";
}

/// Compares all bits, so that NaN never passes for anything else; names the first value that
/// differs.
template <class T>
auto expect_bits(std::shared_ptr<device_buffer<T>> buffer, std::vector<T> expected) {
  return [buffer = std::move(buffer), expected = std::move(expected)] {
    const auto got = buffer->read();
    std::size_t i = 0;
    while (i < got.size() && std::memcmp(&got[i], &expected[i], sizeof(T)) == 0) ++i;
    EXPECT_EQ(i, expected.size()) << "value " << i << " is " << testing::PrintToString(got[i])
                                  << ", not " << testing::PrintToString(expected[i]);
  };
}

using make_fuzz_call = fuzz_call (*)(fuzz_source&);
std::span<const make_fuzz_call> fuzz_reduce_calls();
std::span<const make_fuzz_call> fuzz_scan_calls();
std::span<const make_fuzz_call> fuzz_select_calls();
std::span<const make_fuzz_call> fuzz_sort_calls();
std::span<const make_fuzz_call> fuzz_sort_by_key_calls();
std::span<const make_fuzz_call> fuzz_first_calls();
std::span<const make_fuzz_call> fuzz_sorted_calls();
std::span<const make_fuzz_call> fuzz_part_calls();

/// Keys of any size: their first byte decides first, the others break some ties.
template <std::size_t Bytes>
struct fuzz_key {
  unsigned char byte[Bytes];
};
struct by_bytes {
  template <std::size_t Bytes>
  __host__ __device__ bool operator()(const fuzz_key<Bytes>& a, const fuzz_key<Bytes>& b) const {
    return a.byte[0] != b.byte[0] ? a.byte[0] < b.byte[0] : a.byte[Bytes - 1] < b.byte[Bytes - 1];
  }
};

template <class K>
std::vector<K> fuzz_keys(std::size_t n, fuzz_source& from) {
  auto bytes = random_values<unsigned char>(n * sizeof(K), from.seed());
  if (from.below(3) == 0) {  // few different ones
    for (auto& b : bytes) b &= 1;
  }
  std::vector<K> keys(n);
  if (n > 0) std::memcpy(static_cast<void*>(keys.data()), bytes.data(), bytes.size());
  return keys;
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
