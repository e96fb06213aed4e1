// Every rung of the histogram ladder is right, bin by bin: any n, any block, any number of bins,
// every type, values of every kind, any start address, in any order of blocks.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "ladder/reference/histogram.hpp"
#include "ladder/run/histogram_driver.hpp"
#include "simt/launch.hpp"
#include "tests/ladder/guarded.hpp"
#include "tests/ladder/machines.hpp"
#include "tests/ladder/values.hpp"

namespace warpfold::ladder {
namespace {

namespace counters = measure::counters;

template <class T>
std::vector<T> values_in(unsigned bins, std::size_t n, std::uint64_t seed) {
  auto values = random_values<T>(n, seed);
  for (auto& v : values) v = static_cast<T>(static_cast<std::uint64_t>(v) % bins);
  return values;
}

template <class T>
std::vector<measure::measurement> run_ladder(machine& where, const std::vector<T>& values,
                                             unsigned bins, unsigned block) {
  return run_histogram_ladder({.values = {type_of<T>, values.data(), values.size()},
                               .bins = bins,
                               .block = block,
                               .samples = 1},
                              where, histogram_rungs(where.backend()));
}

class histogram_ladder_test : public on_machine {};
WARPFOLD_ON_EVERY_MACHINE(histogram_ladder_test);

TEST_P(histogram_ladder_test, any_size) {
  for (const std::size_t n : {0, 1, 2, 31, 32, 33, 127, 128, 129, 1023, 1024, 1025}) {
    for (const unsigned bins : {1U, 3U, 64U, 100U}) {
      expect_right(run_ladder(where(), values_in<std::uint32_t>(bins, n, n), bins, 32));
    }
  }
}

TEST_P(histogram_ladder_test, any_block) {
  for (const unsigned block : {32U, 64U, 128U, 256U, 512U, 1024U}) {
    for (const std::size_t tile : {std::size_t{block} * 4, std::size_t{block} * 16}) {
      for (const std::size_t n : {tile - 1, tile, tile + 1}) {
        expect_right(run_ladder(where(), values_in<std::uint32_t>(64, n, n), 64, block));
      }
    }
  }
}

TEST_P(histogram_ladder_test, every_type_and_values_in_no_bin) {
  const auto expect_all_right = [&]<class T>(T) {
    using limits = std::numeric_limits<T>;
    auto values = values_in<T>(70, 3001, 1);  // some in none of 64 bins
    for (std::size_t i = 0; i < values.size(); i += 7) values[i] = limits::min();
    for (std::size_t i = 1; i < values.size(); i += 11) values[i] = limits::max();
    for (std::size_t i = 2; i < values.size(); i += 13) values[i] = static_cast<T>(-1);
    if constexpr (sizeof(T) == 8) values[3] = T{1} << 32;  // not bin 0
    expect_right(run_ladder(where(), values, 64, 64));
    expect_right(run_ladder(where(), std::vector<T>(1000, limits::max()), 64, 64));
  };
  expect_all_right(std::uint32_t{});
  expect_all_right(std::int32_t{});
  expect_all_right(std::uint64_t{});
  expect_all_right(std::int64_t{});
}

TEST_P(histogram_ladder_test, every_kind_of_values) {
  auto values = values_in<std::uint32_t>(64, 5003, 8);
  std::sort(values.begin(), values.end());
  expect_right(run_ladder(where(), values, 64, 64));
  for (auto& v : values) v %= 3;
  expect_right(run_ladder(where(), values, 64, 64));
  std::fill(values.begin(), values.end(), 63U);
  expect_right(run_ladder(where(), values, 64, 64));
}

std::vector<std::string> skipped(const std::vector<measure::measurement>& rows) {
  std::vector<std::string> names;
  for (const auto& m : rows) {
    if (!m.skipped.empty()) names.push_back(m.name + " " + m.skipped);
  }
  return names;
}

TEST_P(histogram_ladder_test, many_bins) {
  for (const unsigned bins : {512U, 2048U, 16384U, 16385U, 1000000U}) {
    const auto rows = run_ladder(where(), values_in<std::uint32_t>(bins, 5003, bins), bins, 64);
    expect_right(rows);
    std::vector<std::string> without;
    if (bins > 8192) {
      without = {"per-warp takes at most 8192 bins", "match takes at most 8192 bins"};
    }
    if (bins > 1024) without.emplace_back("packed takes at most 1024 bins");
    if (bins > 16384) {
      without.emplace_back("shared-atomics takes at most 16384 bins");
      without.emplace_back("copies takes at most 16384 bins");
    }
    EXPECT_THAT(skipped(rows), testing::UnorderedElementsAreArray(without)) << bins;
  }
  expect_right(run_ladder(where(), std::vector<std::uint32_t>(3000, 999999), 1000000, 64));
}

/// A rung launched by hand, in memory that ends in canaries.
template <class T>
void expect_counted(machine& where, const rung& r, const std::vector<T>& values, shape s,
                    std::size_t skip) {
  s.n = values.size();
  s.value_bytes = sizeof(T);
  const std::string what =
      std::string(r.about.name) + ", n " + std::to_string(s.n) + ", start " + std::to_string(skip);
  const guarded<T> in(where, values, skip);
  const guarded<std::uint32_t> out(where, std::vector<std::uint32_t>(s.bins, 0xA5A5A5A5), skip);
  r.launch({.type = type_of<T>,
            .op = operation::sum,
            .shape = s,
            .in = in.data(),
            .out = out.data(),
            .scratch = nullptr,
            .stream = where.stream()});
  where.synchronize();
  in.expect_unchanged(what);
  const auto verdict =
      histogram_reference({type_of<T>, values.data(), s.n}, s.bins).judge(out.read(what).data());
  EXPECT_TRUE(verdict.right) << what << ": " << verdict.result << ", not " << verdict.expected;
}

/// Of a machine that holds one block at once.
constexpr shape one_block{.n = 0, .block = 32, .processors = 1, .value_bytes = 4, .most_blocks = 1};

TEST_P(histogram_ladder_test, any_start_address_and_no_byte_beside) {
  for (const auto* r : histogram_rungs(where().backend())) {
    if (!runs(*r) || r->about.reference) continue;
    for (const std::size_t n : {1, 63, 1000, 3011}) {
      for (const std::size_t skip : {0, 1, 2, 3}) {
        expect_counted(where(), *r, values_in<std::uint32_t>(64, n, n),
                       {.n = n, .block = 64, .processors = 4, .value_bytes = 4}, skip);
      }
    }
  }
}

TEST_P(histogram_ladder_test, a_byte_does_not_overflow) {
  for (const auto* r : histogram_rungs(where().backend())) {
    if (!runs(*r) || r->about.reference) continue;
    for (const std::size_t each : {254, 255, 256, 510, 511, 1000}) {  // values of each thread
      expect_counted(where(), *r, std::vector<std::uint32_t>(each * 32, 5), one_block, 0);
      expect_counted(where(), *r, std::vector<std::uint32_t>(each * 32 + 1, 6), one_block, 0);
    }
  }
}

TEST_P(histogram_ladder_test, larger_than_one_wave) {
  const std::size_t n = where().backend() == backend_kind::simt ? 300007 : 100000007;
  for (const auto* r : histogram_rungs(where().backend())) {
    if (!runs(*r) || r->about.reference) continue;
    expect_counted(where(), *r, values_in<std::uint32_t>(61, n, 1),
                   {.n = n, .block = 1024, .processors = 4, .value_bytes = 4, .bins = 61}, 0);
  }
}

TEST(histogram_ladder_order, blocks_and_lanes_in_any_order) {
  const auto machine = make_simt_machine();
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    simt::observe shuffled({.seed = seed});
    for (const auto* r : histogram_rungs(machine->backend())) {
      expect_counted(*machine, *r, values_in<std::uint32_t>(64, 2011, seed),
                     {.n = 2011, .block = 32, .processors = 2, .value_bytes = 4}, 0);
    }
  }
}

// --- counters

double counted(const std::vector<measure::measurement>& rows, std::string_view name,
               std::string_view counter) {
  for (const auto& m : rows) {
    if (m.name == name && m.find(counter) != nullptr) return *m.find(counter);
  }
  return -1;
}

/// 4096 values of 128 threads, 16 each, in two blocks of four warps.
TEST(histogram_ladder_counters, of_one_value_are_the_arithmetic_of_the_rungs) {
  const auto machine = make_simt_machine({.workers = 1});
  const auto rows = run_ladder(*machine, std::vector<std::uint32_t>(4096, 3), 64, 128);
  const auto expect = [&](std::string_view name, double uses, double depth, double sectors,
                          double shared, double conflicts) {
    EXPECT_EQ(counted(rows, name, counters::applications), uses) << name;
    EXPECT_EQ(counted(rows, name, counters::depth), depth) << name;
    EXPECT_EQ(counted(rows, name, counters::global_atomic_sectors), sectors) << name;
    EXPECT_EQ(counted(rows, name, counters::shared_atomics), shared) << name;
    EXPECT_EQ(counted(rows, name, counters::shared_atomic_conflicts), conflicts) << name;
  };
  constexpr double requests = 4096 / 32, merged = 2 * 64, sectors = 2 * 64 / 8;
  expect("global-atomics", 4096, 4096, 4096, 0, 0);
  expect("shared-atomics", 4096 + merged, 2048 + 2, sectors, requests, requests * 31);
  expect("per-warp", 4096 + merged, 512 + 4 + 2, sectors, requests, requests * 31);
  expect("match", requests + merged, 16 + 4 + 2, sectors, requests, 0);
  expect("packed", 4096 + merged, 16 + 4 + 5 + 2, merged / 4, 0, 0);
  expect("copies", 4096 + merged, 64 + 32 + 2, sectors, requests, 0);
  expect("sorted-runs", 8, 8, 8, 0, 0);
  EXPECT_EQ(counted(rows, "packed", counters::shared_store_conflicts), 0);
  EXPECT_EQ(counted(rows, "copies", counters::shared_load_conflicts), 0);
}

TEST(histogram_ladder_counters, copies_never_conflict) {
  const auto machine = make_simt_machine({.workers = 1});
  for (const unsigned bins : {1U, 64U, 512U}) {
    const auto rows = run_ladder(*machine, values_in<std::uint32_t>(bins, 4099, 5), bins, 128);
    EXPECT_EQ(counted(rows, "copies", counters::shared_atomic_conflicts), 0) << bins;
    EXPECT_EQ(counted(rows, "copies", counters::shared_load_conflicts), 0) << bins;
  }
}

TEST(histogram_reference, says_which_bin_is_wrong) {
  const std::vector<std::int64_t> values{0, 2, 2, -1, 3};
  const histogram_reference truth({value_type::i64, values.data(), values.size()}, 3);
  EXPECT_TRUE(truth.judge(std::vector<std::uint32_t>{1, 0, 2}.data()).right);
  const auto verdict = truth.judge(std::vector<std::uint32_t>{1, 0, 3}.data());
  EXPECT_FALSE(verdict.right);
  EXPECT_EQ(verdict.result, "[2] 3");
  EXPECT_EQ(verdict.expected, "[2] 2");
}

TEST(histogram_ladder, refuses_what_makes_no_sense) {
  const auto machine = make_simt_machine();
  const std::vector<std::uint32_t> values(10);
  for (const unsigned bins : {0U, (1U << 24) + 1}) {
    EXPECT_THROW(run_ladder(*machine, values, bins, 32), usage_error) << bins;
  }
  EXPECT_THROW(run_ladder(*machine, values, 16, 48), usage_error);
}

}  // namespace
}  // namespace warpfold::ladder
