// unique_by_key, run_length_encode, reduce_by_key and the scans by key on the host do what plain
// loops do: any size, type and length of runs, and the same bits with any number of threads.
#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>

#include "tests/library/host/runs_of_keys.hpp"
#include "warpfold/error.hpp"
#include "warpfold/host/keys.hpp"

namespace warpfold::tests {
namespace {

/// By loops.
template <class K, class V>
struct truth {
  std::vector<K> keys;
  std::vector<V> firsts, sums, inclusive, exclusive;
  std::vector<std::size_t> lengths;

  template <class Op, class Equal>
  truth(const std::vector<K>& in, const std::vector<V>& values, const V& init, const Op& op,
        const Equal& equal) {
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (i == 0 || !equal(in[i - 1], in[i])) {
        keys.push_back(in[i]);
        firsts.push_back(values[i]);
        sums.push_back(values[i]);
        lengths.push_back(1);
        exclusive.push_back(init);
      } else {
        sums.back() = op(sums.back(), values[i]);
        lengths.back() += 1;
        exclusive.push_back(op(exclusive.back(), values[i - 1]));
      }
      inclusive.push_back(sums.back());
    }
  }
};

template <class K, class V, class Op, class Equal = equal_to>
void check_by_key(const std::vector<K>& keys, const std::vector<V>& values, const V& init,
                  const Op& op, const Equal& equal = {}) {
  const truth<K, V> expected(keys, values, init, op, equal);
  const std::size_t runs = expected.keys.size(), n = keys.size();
  for (const unsigned threads : {1, 2, 7}) {
    const auto where = here.threads(threads);
    fenced<K> first(runs), key(runs), value(runs);
    fenced<V> beside(runs), sum(runs), inclusive(n), exclusive(n);
    fenced<std::size_t> length(runs);
    ASSERT_EQ(unique_by_key(where, keys, values, first.room(), beside.room(), equal), runs);
    first.expect(expected.keys);
    beside.expect(expected.firsts);
    ASSERT_EQ(run_length_encode(where, keys, value.room(), length.room(), equal), runs);
    value.expect(expected.keys);
    length.expect(expected.lengths);
    ASSERT_EQ(reduce_by_key(where, keys, values, key.room(), sum.room(), op, equal), runs);
    key.expect(expected.keys);
    sum.expect(expected.sums);
    inclusive_scan_by_key(where, keys, values, inclusive.room(), op, equal);
    inclusive.expect(expected.inclusive);
    exclusive_scan_by_key(where, keys, values, exclusive.room(), init, op, equal);
    exclusive.expect(expected.exclusive);
    auto same = values;
    inclusive_scan_by_key(where, keys, same, same, op, equal);
    ASSERT_EQ(same, expected.inclusive);
    same = values;
    exclusive_scan_by_key(where, keys, same, same, init, op, equal);
    ASSERT_EQ(same, expected.exclusive);
  }
}

/// Rows of both types in a chunk of `tiny`.
template <class K, class V>
inline constexpr std::size_t rows_of = tiny::scan_chunk_bytes / (sizeof(K) + sizeof(V));

template <class K>
class host_by_key : public testing::Test {};
using keys = testing::Types<std::int8_t, std::uint16_t, std::int32_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(host_by_key, keys);

TYPED_TEST(host_by_key, equals_loops) {
  using K = TypeParam;
  for (const std::size_t n : sizes_around(rows_of<K, K>)) {
    for (const std::size_t length : run_lengths) {
      SCOPED_TRACE(testing::Message() << n << " in runs of " << length);
      const auto values = random_values<K>(n);
      check_by_key(keys_in_runs<K>(n, length), values, K{7}, plus{});
      check_by_key(keys_in_runs<K>(n, length), values, K{7}, maximum{});
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(host_by_key, keeps_the_order_where_it_counts) {
  constexpr std::size_t rows = rows_of<tagged, affine>;
  for (const std::size_t n : sizes_around(rows)) {
    for (const std::size_t length : run_lengths) {
      SCOPED_TRACE(testing::Message() << n << " in runs of " << length);
      check_by_key(keys_in_runs<tagged>(n, length), random_maps(n), affine{3, 4}, compose{},
                   same_group{});
      std::vector<std::string> words(n);
      for (std::size_t i = 0; i < n; ++i) words[i] = std::to_string(i);
      if (n < 100)
        check_by_key(keys_in_runs<int>(n, length), words, std::string(">"), std::plus<>{});
    }
  }
}

TEST(host_by_key, strings_are_keys) {
  std::vector<std::string> names(500);
  for (std::size_t i = 0; i < names.size(); ++i)
    names[i] = std::string(30, 'a') + std::to_string(i / 7);
  check_by_key(names, random_values<int>(names.size()), 7, plus{});
}

TEST(host_by_key, each_nan_is_a_run) {
  const std::vector<double> in{nan_of<double>, nan_of<double>, 2, 2};
  const std::vector<int> values{1, 2, 3, 4};
  std::vector<double> keys(4);
  std::vector<int> sums(4);
  ASSERT_EQ(reduce_by_key(here, in, values, keys, sums), 3u);
  EXPECT_EQ(sums, (std::vector<int>{1, 2, 7, 0}));
  const auto nan_too = [](double a, double b) { return a == b || (a != a && b != b); };
  ASSERT_EQ(reduce_by_key(here, in, values, keys, sums, plus{}, nan_too), 2u);
  EXPECT_EQ(sums[0], 3);
}

TEST(host_by_key, accumulates_in_the_type_of_the_output) {
  const std::vector<std::uint8_t> keys(1000, 1), bytes(1000, 200);
  std::vector<std::uint8_t> key(1), narrow(1), lengths(1);
  std::vector<std::uint64_t> wide(1000);
  reduce_by_key(here, keys, bytes, key, wide);
  EXPECT_EQ(wide[0], 200'000u);
  reduce_by_key(here, keys, bytes, key, narrow);
  EXPECT_EQ(narrow[0], 200'000 % 256);
  exclusive_scan_by_key(here, keys, bytes, wide, std::uint64_t{1});
  EXPECT_EQ(wide.back(), 199'801u);
  inclusive_scan_by_key(here, keys, bytes, wide);  // in the values' type
  EXPECT_EQ(wide.back(), 200'000u % 256);
}

TEST(host_by_key, the_same_bits_for_any_number_of_threads) {
  constexpr std::size_t n = 500'003;
  std::mt19937 bits(7);
  std::uniform_real_distribution<float> any(-1, 1);
  std::vector<float> values(n), first, first_scan;
  for (float& value : values) value = any(bits);
  for (const std::size_t length : {0, 1000, 1 << 30}) {
    const auto keys = keys_in_runs<std::uint32_t>(n, length);
    first.clear();
    for (const unsigned threads : {1, 2, 7, 2, 7}) {
      std::vector<std::uint32_t> key(n);
      std::vector<float> sum(n), scan(n);
      reduce_by_key(host.threads(threads), keys, values, key, sum);
      inclusive_scan_by_key(host.threads(threads), keys, values, scan);
      if (first.empty()) first = sum, first_scan = scan;
      ASSERT_TRUE(same_bits(sum, first) && same_bits(scan, first_scan)) << length;
    }
  }
}

TEST(host_by_key, what_changes_no_bits_keeps_the_level) {
  const std::vector<int> keys{1, 1, 2};
  std::vector<float> values{1, 3, 2};
  std::vector<int> key(3);
  const auto where = here.with(determinism::gpu_to_gpu).threads(2);
  EXPECT_EQ(reduce_by_key(where, keys, values, key, values, maximum{}), 2u);
  EXPECT_EQ(values, (std::vector<float>{3, 2, 2}));
}

TEST(host_by_key, too_short_an_output_is_said) {
  const auto keys = keys_in_runs<int>(700, 2);  // 350 runs
  const std::vector<int> values(700, 1), twos(350, 2), ones(350, 1);
  std::vector<int> expected_keys(350);
  for (int i = 0; i < 350; ++i) expected_keys[static_cast<std::size_t>(i)] = i % 100;
  const auto up_to = [](std::vector<int> all, std::size_t size) { return all.resize(size), all; };
  const auto says = [](const char* call, const char* output, const char* sizes) {
    return testing::ThrowsMessage<usage_error>(
        testing::AllOf(testing::HasSubstr(std::string("warpfold::") + call + "("),
                       testing::HasSubstr(std::string(output) + " has room for " + sizes)));
  };
  for (const auto& [key_room, value_room, output, sizes] :
       {std::tuple(349, 350, "out_keys", "349 values and the result has 350"),
        std::tuple(350, 20, "out_values", "20 values and the result has 350")}) {
    fenced<int> key(key_room, -1), value(value_room, -1), k2(key_room, -1), v2(value_room, -1);
    EXPECT_THAT([&] { reduce_by_key(here, keys, values, key.room(), value.room()); },
                says("reduce_by_key", output, sizes));
    key.expect(up_to(expected_keys, key_room));
    value.expect(up_to(twos, value_room));
    EXPECT_THAT([&] { unique_by_key(here, keys, values, k2.room(), v2.room()); },
                says("unique_by_key", output, sizes));
    k2.expect(up_to(expected_keys, key_room));
    v2.expect(up_to(ones, value_room));
  }
  fenced<int> key(350, -1), length(1, -1), scan(699, -1);
  EXPECT_THAT([&] { run_length_encode(here, keys, key.room(), length.room()); },
              says("run_length_encode", "out_lengths", "1 values and the result has 350"));
  length.expect({2});
  EXPECT_THAT([&] { inclusive_scan_by_key(here, keys, values, scan.room()); },
              says("inclusive_scan_by_key", "out", "699 values and the result has 700"));
  EXPECT_THAT([&] { exclusive_scan_by_key(here, keys, values, scan.room(), 0); },
              says("exclusive_scan_by_key", "out", "699"));
  scan.expect({});
}

TEST(host_by_key, as_many_keys_as_values) {
  const std::vector<int> keys(5), values(4);
  std::vector<int> a(5), b(5);
  const auto says = testing::ThrowsMessage<usage_error>(testing::HasSubstr("4 values and 5 keys"));
  EXPECT_THAT([&] { reduce_by_key(here, keys, values, a, b); }, says);
  EXPECT_THAT([&] { unique_by_key(here, keys, values, a, b); }, says);
  EXPECT_THAT([&] { inclusive_scan_by_key(here, keys, values, a); }, says);
  EXPECT_THAT([&] { exclusive_scan_by_key(here, keys, values, a, 0); }, says);
}

TEST(host_by_key, what_operator_and_relation_throw_comes_out) {
  const auto keys = keys_in_runs<int>(5000, 40), values = random_values<int>(5000);
  std::vector<int> key(5000), out(5000);
  for (const unsigned threads : {1, 2, 7}) {
    const auto where = here.threads(threads);
    for (const int enough : {1, 100, 4000}) {
      std::atomic<int> calls = 0;
      const auto throws = [&] {
        if (++calls >= enough) throw std::runtime_error("enough");
      };
      const auto op = [&](int a, int b) { return throws(), a ^ b; };
      const auto equal = [&](int a, int b) { return throws(), a == b; };
      EXPECT_THROW(reduce_by_key(where, keys, values, key, out, op), std::runtime_error);
      EXPECT_THROW(inclusive_scan_by_key(where, keys, values, out, op), std::runtime_error);
      calls = 0;
      EXPECT_THROW(run_length_encode(where, keys, key, out, equal), std::runtime_error);
    }
  }
}

}  // namespace
}  // namespace warpfold::tests
