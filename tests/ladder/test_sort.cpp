// Every rung of the sort ladder is right, key by key: any n, any block, every key type, both
// orders, with and without values, keys of every kind, any start address, in any order of blocks.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include <gmock/gmock.h>

#include "ladder/reference/sort.hpp"
#include "ladder/run/evidence.hpp"
#include "ladder/run/sort_driver.hpp"
#include "ladder/sort/network.hpp"
#include "simt/launch.hpp"
#include "tests/ladder/guarded.hpp"
#include "tests/ladder/machines.hpp"
#include "tests/ladder/values.hpp"

namespace warpfold::ladder {
namespace {

constexpr unsigned blocks[] = {32, 64, 128, 256, 512, 1024};
namespace counters = measure::counters;

template <class K>
std::vector<measure::measurement> run_ladder(machine& where, const std::vector<K>& keys,
                                             unsigned block, bool pairs, bool descending) {
  return run_sort_ladder({.keys = {type_of<K>, keys.data(), keys.size()},
                          .pairs = pairs,
                          .descending = descending,
                          .block = block,
                          .samples = 1},
                         where, sort_rungs(where.backend()));
}

class sort_ladder_test : public on_machine {};
WARPFOLD_ON_EVERY_MACHINE(sort_ladder_test);

TEST_P(sort_ladder_test, any_size) {
  for (const std::size_t n : {0, 1, 2, 3, 31, 32, 33, 127, 128, 129, 1023, 1024, 1025}) {
    expect_right(run_ladder(where(), random_values<std::uint32_t>(n, n), 32, false, false));
    expect_right(run_ladder(where(), random_values<std::uint32_t>(n, n), 64, true, true));
  }
}

TEST_P(sort_ladder_test, any_block) {
  for (const unsigned block : blocks) {
    const std::size_t tile = std::size_t{block} * 4;  // of one block in the last rungs
    for (const std::size_t n : {tile - 1, tile, tile + 1, 3 * tile + 5}) {
      expect_right(
          run_ladder(where(), random_values<std::uint32_t>(n, n), block, n % 2 == 0, false));
    }
  }
}

TEST_P(sort_ladder_test, every_type_order_and_form) {
  for (const bool pairs : {false, true}) {
    for (const bool descending : {false, true}) {
      const std::size_t n = 3001;
      expect_right(run_ladder(where(), random_values<std::uint32_t>(n, 1), 64, pairs, descending));
      expect_right(run_ladder(where(), random_values<std::int32_t>(n, 2), 64, pairs, descending));
      expect_right(run_ladder(where(), random_values<float>(n, 3), 64, pairs, descending));
      expect_right(run_ladder(where(), random_values<std::uint64_t>(n, 4), 64, pairs, descending));
      expect_right(run_ladder(where(), random_values<double>(n, 5), 64, pairs, descending));
    }
  }
}

TEST_P(sort_ladder_test, every_kind_of_keys) {
  std::vector<std::int32_t> keys = random_values<std::int32_t>(2777, 8);
  std::sort(keys.begin(), keys.end());
  expect_right(run_ladder(where(), keys, 64, true, false));
  std::reverse(keys.begin(), keys.end());
  expect_right(run_ladder(where(), keys, 64, true, false));
  for (auto& key : keys) key %= 3;
  expect_right(run_ladder(where(), keys, 64, true, false));
  std::fill(keys.begin(), keys.end(), -7);
  expect_right(run_ladder(where(), keys, 64, true, true));
  // The greatest key there is, which stands for nothing else.
  std::vector<std::uint32_t> greatest(1500, ~0U);
  for (std::size_t i = 0; i < greatest.size(); i += 7) greatest[i] = 0;
  expect_right(run_ladder(where(), greatest, 32, true, false));
  expect_right(run_ladder(where(), greatest, 32, true, true));
}

TEST_P(sort_ladder_test, nan_and_zeros_have_their_places) {
  using limits = std::numeric_limits<double>;
  std::vector<double> keys = random_values<double>(1500, 5);
  for (std::size_t i = 0; i < keys.size(); i += 5) keys[i] = limits::quiet_NaN();
  for (std::size_t i = 1; i < keys.size(); i += 11) keys[i] = -limits::quiet_NaN();
  for (std::size_t i = 2; i < keys.size(); i += 7) keys[i] = i % 2 == 0 ? 0.0 : -0.0;
  for (std::size_t i = 3; i < keys.size(); i += 13) keys[i] = limits::infinity();
  expect_right(run_ladder(where(), keys, 64, true, false));
  expect_right(run_ladder(where(), keys, 64, true, true));
  const std::vector<float> narrow(keys.begin(), keys.end());
  expect_right(run_ladder(where(), narrow, 64, true, false));
}

struct form {
  bool pairs = false;
  bool descending = false;
  bool stable = false;  // values of equal keys must ascend, as they do in the input
};

/// A rung launched by hand, in memory that ends in canaries.
template <class K>
void expect_sorted(machine& where, const rung& r, const std::vector<K>& keys, form as,
                   std::size_t skip, unsigned block, const std::string& what) {
  const bool pairs = as.pairs;
  const std::size_t n = keys.size();
  const shape s{
      .n = n, .block = block, .processors = 4, .value_bytes = sizeof(K) + (pairs ? 4U : 0)};
  std::vector<std::uint32_t> indices(n);
  std::iota(indices.begin(), indices.end(), 0U);
  const guarded<K> keys_in(where, keys, skip), keys_out(where, std::vector<K>(n), skip);
  const guarded<std::uint32_t> values_in(where, indices, skip);
  const guarded<std::uint32_t> values_out(where, std::vector<std::uint32_t>(n), skip);
  const guarded<unsigned char> scratch(where, std::vector<unsigned char>(r.scratch_bytes(s)));
  const auto& sorted = r.about.in_place ? keys_in : keys_out;
  const auto& sorted_values = r.about.in_place ? values_in : values_out;
  r.launch({.type = type_of<K>,
            .op = operation::sum,
            .shape = s,
            .in = keys_in.data(),
            .out = sorted.data(),
            .scratch = scratch.data(),
            .stream = where.stream(),
            .values_in = pairs ? values_in.data() : nullptr,
            .values_out = pairs ? sorted_values.data() : nullptr,
            .descending = as.descending});
  where.synchronize();
  if (!r.about.in_place) {
    keys_in.expect_unchanged(what);
    values_in.expect_unchanged(what);
  }
  scratch.read(what);
  const auto result = sorted.read(what);
  const auto values = sorted_values.read(what);
  const sort_reference truth({type_of<K>, keys.data(), n}, as.descending);
  const auto verdict = truth.judge(result.data(), pairs ? values.data() : nullptr);
  EXPECT_TRUE(verdict.right) << what << ": " << verdict.result << ", not " << verdict.expected;
  for (std::size_t i = 1; as.stable && i < n; ++i) {
    if (result[i] == result[i - 1]) ASSERT_LT(values[i - 1], values[i]) << what << ", at " << i;
  }
}

TEST_P(sort_ladder_test, radix_rungs_keep_the_order_of_equal_keys) {
  int seen = 0;
  for (const auto* r : sort_rungs(where().backend())) {
    if (r->about.number < 8 || r->about.name == "library") continue;
    ++seen;
    auto keys = random_values<std::int32_t>(5003, 1);
    for (auto& key : keys) key %= 40;
    for (const bool descending : {false, true}) {
      expect_sorted(where(), *r, keys, {.pairs = true, .descending = descending, .stable = true}, 0,
                    32, std::string(r->about.name));
    }
  }
  EXPECT_EQ(seen, 3);
}

TEST_P(sort_ladder_test, any_start_address_and_no_byte_beside) {
  for (const auto* r : sort_rungs(where().backend())) {
    if (!runs(*r)) continue;
    for (const std::size_t n : {1, 2, 63, 1000, 3011}) {
      for (const std::size_t skip : {0, 1, 2, 3}) {
        const std::string what = std::string(r->about.name) + ", n " + std::to_string(n) +
                                 ", start " + std::to_string(skip);
        expect_sorted(where(), *r, random_values<std::uint32_t>(n, n), {.pairs = true}, skip, 64,
                      what);
        expect_sorted(where(), *r, random_values<std::uint64_t>(n, n), {.pairs = skip % 2 == 0},
                      skip, 32, what);
      }
    }
  }
}

TEST_P(sort_ladder_test, larger_than_one_wave) {
  for (const auto* r : sort_rungs(where().backend())) {
    if (!runs(*r) || r->about.most_values != 0) continue;
    // On the CPU machine each trip through global memory is a fiber for each pair or four items.
    const bool on_cpu = where().backend() == backend_kind::simt;
    const bool slow = r->about.number < 6 || r->about.name == "split";
    const std::size_t n = !on_cpu ? 1000000 : slow ? 50021 : 300007;
    expect_sorted(where(), *r, random_values<std::uint32_t>(n, 1),
                  {.pairs = r->about.number % 2 == 0}, 0, 1024, std::string(r->about.name));
  }
}

TEST(sort_ladder_order, blocks_and_lanes_in_any_order) {
  const auto machine = make_simt_machine();
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    simt::observe shuffled({.seed = seed});
    for (const auto* r : sort_rungs(machine->backend())) {
      expect_sorted(*machine, *r, random_values<std::uint32_t>(2011, seed), {.pairs = true}, 0, 32,
                    std::string(r->about.name) + ", seed " + std::to_string(seed));
    }
  }
}

// --- work and depth

double counted(const std::vector<measure::measurement>& rows, std::string_view name,
               std::string_view counter) {
  for (const auto& m : rows) {
    if (m.name == name && m.find(counter) != nullptr) return *m.find(counter);
  }
  return -1;
}

TEST(sort_ladder_work, is_that_of_the_networks) {
  const auto machine = make_simt_machine();
  const auto size = [](const auto& layers) {
    return std::accumulate(layers.begin(), layers.end(), 0.0, [](double sum, const auto& layer) {
      return sum + static_cast<double>(layer.size());
    });
  };
  for (const std::size_t n : {2, 3, 64, 100, 1000, 1024}) {
    const auto rows = run_ladder(*machine, random_values<std::uint32_t>(n, n), 32, false, false);
    const auto bubble = network(n, network_kind::odd_even_transposition);
    EXPECT_EQ(counted(rows, "odd-even", counters::applications), size(bubble)) << n;
    EXPECT_GE(counted(rows, "odd-even", counters::depth), bubble.size()) << n;
    const auto bitonic = network(n, network_kind::bitonic);
    for (const auto* name : {"bitonic-global", "bitonic-shared"}) {
      EXPECT_EQ(counted(rows, name, counters::applications), size(bitonic)) << name << ", n " << n;
      EXPECT_EQ(counted(rows, name, counters::depth), bitonic.size()) << name << ", n " << n;
    }
    // Both lanes of a shuffle evaluate the comparator.
    EXPECT_LE(counted(rows, "bitonic-warp", counters::applications), 2 * size(bitonic)) << n;
  }
}

/// The comparing rungs from one to the next, and then those that never compare.
TEST(sort_ladder_work, each_rung_launches_less) {
  const auto machine = make_simt_machine();
  const auto rows =
      run_ladder(*machine, random_values<std::uint32_t>(1 << 14, 1), 64, false, false);
  unsigned before = ~0U;
  for (const auto& m : rows) {
    if (m.backend != backend_kind::simt || !m.skipped.empty()) continue;
    if (m.name == "split") before = ~0U;
    EXPECT_LT(m.launches, before) << m.name;
    before = m.launches;
    if (m.number > 7) EXPECT_EQ(m.find(counters::applications), nullptr) << m.name;
  }
}

TEST(sort_ladder_registry, numbers_ascend_and_names_are_unique) {
  const auto machine = make_simt_machine();
  std::set<std::string_view> names;
  std::vector<int> numbers;
  for (const auto* r : sort_rungs(machine->backend())) {
    numbers.push_back(r->about.number);
    EXPECT_TRUE(names.insert(r->about.name).second) << r->about.name;
    EXPECT_FALSE(r->about.idea.empty());
    EXPECT_FALSE(r->about.improves.empty());
    EXPECT_FALSE(evidence_text(r->about).empty());
    EXPECT_FALSE(r->about.source.empty());
  }
  EXPECT_THAT(numbers, testing::ElementsAre(1, 3, 4, 5, 6, 7, 8, 9, 10, 11));
}

TEST(sort_ladder_problem, what_makes_no_sense_is_refused) {
  const auto machine = make_simt_machine();
  const std::vector<std::uint32_t> keys(10, 1);
  for (const unsigned block : {0U, 1U, 16U, 33U, 100U, 2048U}) {
    EXPECT_THROW(run_ladder(*machine, keys, block, false, false), usage_error) << block;
  }
}

TEST(sort_ladder_problem, more_than_a_rung_takes_is_a_row_with_the_reason) {
  const auto machine = make_simt_machine();
  for (const auto& m :
       run_ladder(*machine, random_values<std::uint32_t>(2000, 1), 256, false, false)) {
    EXPECT_EQ(m.skipped.empty(), m.name != "odd-even") << m.name;
  }
}

}  // namespace
}  // namespace warpfold::ladder
