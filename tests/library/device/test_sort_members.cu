// Sorts of structs by some of their members: by merges where they are few, by their bits where they
// are many; each against std::stable_sort.
#include <array>

#include <cuda_fp16.h>

#include "tests/library/device/device_sort_test.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

struct hit {  // no byte is left over
  float score;
  std::uint32_t id;
};
struct small_hit {
  std::int8_t row;
  std::uint8_t column;
};
struct sample {  // with members that never count; padding would not survive an assignment
  __half weight;
  std::uint16_t mark;
  std::uint32_t place;
  std::int64_t time;
};
struct uneven {
  std::uint32_t a, b, c;
};
struct overlapping {
  union {
    std::uint32_t word;
    float number;
  };
  std::uint32_t other;
};

using best_first = by_members<descending, &hit::score, &hit::id>;
using by_id = by_members<ascending, &hit::id>;
using by_place = by_members<ascending, &small_hit::column, &small_hit::row>;
using by_time = by_members<ascending, &sample::time, &sample::weight>;
using latest_first = by_members<descending, &sample::time>;
using by_last = by_members<ascending, &uneven::c, &uneven::a>;
using twice = by_members<ascending, &hit::id, &hit::id>;
using over_each_other = by_members<ascending, &overlapping::word, &overlapping::number>;

/// All bytes by chance, few values of each byte, so that many members are equal.
template <class K>
std::vector<K> any_structs(std::size_t n) {
  const auto bytes = random_values<std::uint8_t>(n * sizeof(K), 11);
  std::vector<K> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::array<std::uint8_t, sizeof(K)> few;
    for (std::size_t b = 0; b < sizeof(K); ++b) few[b] = bytes[i * sizeof(K) + b] & 0x83U;
    std::memcpy(static_cast<void*>(&keys[i]), few.data(), sizeof(K));
  }
  return keys;
}

class device_sort_members : public device_test {
 protected:
  /// To clusters and merges; on a GPU to the radix sort's small tiles and large ones, too.
  static std::vector<std::size_t> sizes() {
    std::vector<std::size_t> all{0, 1, 2, 33, 1025, 2501};
    if (!on_cpu) all.insert(all.end(), {130003, 600011, 2500003, 9000001});
    return all;
  }
};

template <class K, class Less>
void expect_all_ways(std::size_t n, const Less& less) {
  SCOPED_TRACE(testing::Message() << n << " structs of " << sizeof(K) << " bytes");
  const auto keys = any_structs<K>(n);
  expect_sorts(keys, less);
  expect_sorts(keys, less, 1);  // not where words of its size may lie, if it holds smaller ones
  expect_sorts_by_key<std::uint32_t>(keys, less);
  const auto places = places_of(keys, less);
  const device_buffer<K> in(keys), out(n);
  const device_buffer<std::uint32_t> indices(n);
  ASSERT_TRUE(sort(device, in.values(), out.room(), less).ok());
  EXPECT_TRUE(same_bits(out.read(), at_places(keys, places)));
  ASSERT_TRUE(argsort(device, in.values(), indices.room(), less).ok());
  EXPECT_EQ(indices.read(), std::vector<std::uint32_t>(places.begin(), places.end()));
  EXPECT_TRUE(same_bits(in.read(), keys));
}

TEST_F(device_sort_members, of_every_size) {
  for (const std::size_t n : sizes()) {
    expect_all_ways<hit>(n, best_first{});
    expect_all_ways<sample>(n, by_time{});
    expect_sorts(any_structs<uneven>(n), by_last{});
  }
}

TEST_F(device_sort_members, many_of_two_bytes_go_to_the_radix_sort) {
  expect_sorts(any_structs<small_hit>(100001), by_members<descending, &small_hit::row>{});
}

template <class K, class Less>
bool goes_to_the_radix_sort() {
  using rows = detail::sort_buffers<K, detail::keys_only>;
  return detail::keeps_keys<detail::radix_order<K, Less>>(rows{});
}
TEST_F(device_sort_members, named_twice_or_over_each_other_go_by_merges) {
  EXPECT_TRUE((goes_to_the_radix_sort<hit, best_first>()));
  EXPECT_FALSE((goes_to_the_radix_sort<hit, twice>()));
  EXPECT_FALSE((goes_to_the_radix_sort<overlapping, over_each_other>()));
}

template <class K, class Less>
__global__ void encode_kernel(const K* keys, std::size_t n, unsigned* wrong) {
  using order = detail::radix_order<K, Less>;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i + 1 >= n) return;
  typename order::key a, b;
  memcpy(&a, &keys[i], sizeof a);
  memcpy(&b, &keys[i + 1], sizeof b);
  const auto code_a = order{}.encode(a), code_b = order{}.encode(b);
  constexpr unsigned from = 8 * (sizeof(K) - Less::bytes);
  const bool keeps = order{}.decode(code_a) == a;
  const bool grows = Less{}(keys[i], keys[i + 1]) == (code_a >> from < code_b >> from);
  if (!keeps || !grows) atomicAdd(wrong, 1U);
}
template <class K, class Less>
void expect_encodes() {
  const auto keys = any_structs<K>(3000);
  const device_buffer<K> in(keys);
  const device_buffer<unsigned> wrong(std::vector<unsigned>{0});
  ASSERT_TRUE(detail::try_launch({.grid = 12, .block = 256}, encode_kernel<K, Less>,
                                 static_cast<const K*>(in.data()), keys.size(), wrong.data())
                  .ok());
  EXPECT_EQ(wrong.read(), std::vector{0U});
}
TEST_F(device_sort_members, words_grow_with_the_order_and_lose_no_byte) {
  expect_encodes<hit, best_first>();
  expect_encodes<hit, by_id>();
  expect_encodes<small_hit, by_place>();
  expect_encodes<sample, by_time>();
  expect_encodes<sample, latest_first>();
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
