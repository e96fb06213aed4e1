// Every rung of the select ladder is right, value by value: any n, any block, any share that is
// kept, every type, any start address, in any order of blocks.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "ladder/reference/select.hpp"
#include "ladder/run/select_driver.hpp"
#include "simt/launch.hpp"
#include "tests/ladder/guarded.hpp"
#include "tests/ladder/machines.hpp"
#include "tests/ladder/values.hpp"

namespace warpfold::ladder {
namespace {

namespace counters = measure::counters;

/// Of each hundred values, about `percent` are not 0.
template <class T>
std::vector<T> values_kept(unsigned percent, std::size_t n, std::uint64_t seed) {
  auto values = random_values<T>(n, seed);
  std::mt19937_64 random(seed + 1);
  for (auto& v : values) {
    const bool keeps = random() % 100 < percent;
    v = !keeps ? T{0} : v != T{0} ? v : T{1};
  }
  return values;
}

template <class T>
std::vector<measure::measurement> run_ladder(machine& where, const std::vector<T>& values,
                                             unsigned block) {
  return run_select_ladder(
      {.values = {type_of<T>, values.data(), values.size()}, .block = block, .samples = 1}, where,
      select_rungs(where.backend()));
}

class select_ladder_test : public on_machine {};
WARPFOLD_ON_EVERY_MACHINE(select_ladder_test);

TEST_P(select_ladder_test, any_size) {
  for (const std::size_t n : {0, 1, 2, 31, 32, 33, 127, 128, 129, 1023, 1024, 1025}) {
    for (const unsigned percent : {0U, 1U, 50U, 100U}) {
      expect_right(run_ladder(where(), values_kept<std::int32_t>(percent, n, n), 32));
    }
  }
}

TEST_P(select_ladder_test, any_block) {
  for (const unsigned block : {32U, 64U, 128U, 256U, 512U, 1024U}) {
    const std::size_t tile = std::size_t{block} * 4;
    for (const std::size_t n : {tile - 1, tile, tile + 1, 3 * tile + 5}) {
      expect_right(run_ladder(where(), values_kept<std::int32_t>(50, n, n), block));
    }
  }
}

TEST_P(select_ladder_test, every_type) {
  expect_right(run_ladder(where(), values_kept<std::int32_t>(30, 3001, 1), 64));
  expect_right(run_ladder(where(), values_kept<std::int64_t>(30, 3001, 2), 64));
  expect_right(run_ladder(where(), values_kept<float>(30, 3001, 3), 64));
  expect_right(run_ladder(where(), values_kept<double>(30, 3001, 4), 64));
}

TEST_P(select_ladder_test, nan_is_kept_and_minus_zero_is_not) {
  std::vector<double> values = values_kept<double>(50, 1500, 5);
  for (std::size_t i = 0; i < values.size(); i += 5) values[i] = -0.0;
  for (std::size_t i = 1; i < values.size(); i += 7) {
    values[i] = std::numeric_limits<double>::quiet_NaN();
  }
  for (std::size_t i = 2; i < values.size(); i += 11) {
    values[i] = std::numeric_limits<double>::denorm_min();
  }
  expect_right(run_ladder(where(), values, 64));
  expect_right(run_ladder(where(), std::vector<float>(values.begin(), values.end()), 64));
}

/// A rung launched by hand, in memory that ends in canaries.
template <class T>
void expect_selected(machine& where, const rung& r, const std::vector<T>& values, shape s,
                     std::size_t skip) {
  s.n = values.size();
  s.value_bytes = sizeof(T);
  const std::string what =
      std::string(r.about.name) + ", n " + std::to_string(s.n) + ", start " + std::to_string(skip);
  const guarded<T> in(where, values, skip);
  std::vector<T> expected(s.n);
  const select_reference truth({type_of<T>, values.data(), s.n});
  const std::size_t count = select_serial({type_of<T>, values.data(), s.n}, expected.data());
  // No byte behind what is kept.
  const guarded<T> out(where, std::vector<T>(count), skip);
  const guarded<std::uint64_t> kept(where, std::vector<std::uint64_t>(1, ~std::uint64_t{0}));
  const guarded<unsigned char> scratch(where, std::vector<unsigned char>(r.scratch_bytes(s)));
  r.launch({.type = type_of<T>,
            .op = operation::sum,
            .shape = s,
            .in = in.data(),
            .out = out.data(),
            .scratch = scratch.data(),
            .stream = where.stream(),
            .kept = kept.data()});
  where.synchronize();
  in.expect_unchanged(what);
  scratch.read(what);
  const auto verdict = truth.judge(out.read(what).data(), kept.read(what)[0], r.any_order);
  EXPECT_TRUE(verdict.right) << what << ": " << verdict.result << ", not " << verdict.expected;
}

TEST_P(select_ladder_test, any_start_address_and_no_byte_beside) {
  for (const auto* r : select_rungs(where().backend())) {
    if (!runs(*r) || r->about.reference) continue;
    for (const std::size_t n : {1, 63, 1000, 3011}) {
      for (const std::size_t skip : {0, 1, 2, 3}) {
        const shape s{.n = n, .block = 64, .processors = 4, .value_bytes = 4};
        expect_selected(where(), *r, values_kept<std::int32_t>(60, n, n), s, skip);
        expect_selected(where(), *r, values_kept<std::int64_t>(60, n, n), s, skip);
      }
    }
  }
}

TEST_P(select_ladder_test, larger_than_one_wave) {
  const std::size_t n = where().backend() == backend_kind::simt ? 300007 : 100000007;
  for (const auto* r : select_rungs(where().backend())) {
    if (!runs(*r) || r->about.reference) continue;
    expect_selected(where(), *r, values_kept<std::int32_t>(50, n, 1),
                    {.n = n, .block = 256, .processors = 4, .value_bytes = 4}, 0);
  }
}

TEST(select_ladder_order, blocks_and_lanes_in_any_order) {
  const auto machine = make_simt_machine();
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    simt::observe shuffled({.seed = seed});
    for (const auto* r : select_rungs(machine->backend())) {
      expect_selected(*machine, *r, values_kept<std::int32_t>(50, 2011, seed),
                      {.n = 2011, .block = 32, .processors = 2, .value_bytes = 4}, 0);
    }
  }
}

TEST(select_ladder_order, only_tickets_lose_it) {
  std::vector<std::string> without;
  for (const auto* r : select_rungs(backend_kind::simt)) {
    if (r->any_order) without.emplace_back(r->about.name);
  }
  EXPECT_THAT(without, testing::ElementsAre("ticket", "warp-ticket"));
}

// --- counters

double counted(const std::vector<measure::measurement>& rows, std::string_view name,
               std::string_view counter) {
  for (const auto& m : rows) {
    if (m.name == name && m.find(counter) != nullptr) return *m.find(counter);
  }
  return -1;
}

/// 4096 values, all kept: 128 warps of one value a lane, 8 tiles of four values a thread.
TEST(select_ladder_counters, of_values_that_are_all_kept_are_the_arithmetic_of_the_rungs) {
  const auto machine = make_simt_machine({.workers = 1});
  const auto rows = run_ladder(*machine, std::vector<std::int32_t>(4096, 3), 128);
  const auto expect = [&](std::string_view name, double uses, double atomics, double sectors,
                          double loads, double stores) {
    EXPECT_EQ(counted(rows, name, counters::applications), uses) << name;
    EXPECT_EQ(counted(rows, name, counters::global_atomics), atomics) << name;
    EXPECT_EQ(counted(rows, name, counters::global_atomic_sectors), sectors) << name;
    EXPECT_EQ(counted(rows, name, counters::load_requests), loads) << name;
    EXPECT_EQ(counted(rows, name, counters::store_requests), stores) << name;
  };
  constexpr double requests = 4096 / 32;
  expect("ticket", 4096, requests, 4096, requests, requests + 1);
  expect("warp-ticket", 4096, requests, requests, requests, requests + 1);
  // Besides: a count a tile, read and written by the scan, and read by all warps; the sum of all.
  expect("three-launches", 2 * 4096, 0, 0, 2 * requests + 1 + 32, requests + 8 + 1 + 1);
}

TEST(select_reference, says_what_is_wrong) {
  const std::vector<float> values{0, 2, -0.0F, 3};
  const select_reference truth({value_type::f32, values.data(), values.size()});
  const std::vector<float> ordered{2, 3}, swapped{3, 2}, wrong{2, 4};
  EXPECT_TRUE(truth.judge(ordered.data(), 2, false).right);
  EXPECT_TRUE(truth.judge(swapped.data(), 2, true).right);
  EXPECT_FALSE(truth.judge(swapped.data(), 2, false).right);
  EXPECT_FALSE(truth.judge(wrong.data(), 2, true).right);
  const auto short_by_one = truth.judge(ordered.data(), 1, false);
  EXPECT_FALSE(short_by_one.right);
  EXPECT_EQ(short_by_one.result, "1 kept");
  EXPECT_EQ(short_by_one.expected, "2 kept");
}

}  // namespace
}  // namespace warpfold::ladder
