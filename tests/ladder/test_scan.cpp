// Every rung of the scan ladder is right, value by value: any n, any block, every type and
// operator, inclusive and exclusive, any start address, launched again and again, in any order of
// blocks.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include <gmock/gmock.h>

#include "ladder/reference/scan.hpp"
#include "ladder/run/evidence.hpp"
#include "ladder/run/scan_driver.hpp"
#include "simt/launch.hpp"
#include "tests/ladder/guarded.hpp"
#include "tests/ladder/machines.hpp"
#include "tests/ladder/values.hpp"

namespace warpfold::ladder {
namespace {

constexpr unsigned blocks[] = {32, 64, 128, 256, 512, 1024};
namespace counters = measure::counters;

template <class T>
std::vector<measure::measurement> run_ladder(machine& where, const std::vector<T>& values,
                                             operation op, unsigned block, bool exclusive) {
  return run_scan_ladder({.values = {type_of<T>, values.data(), values.size()},
                          .op = op,
                          .exclusive = exclusive,
                          .block = block,
                          .samples = 1},
                         where, scan_rungs(where.backend()));
}

template <class T>
void run_both(machine& where, const std::vector<T>& values, operation op, unsigned block) {
  for (const bool exclusive : {false, true}) {
    expect_right(run_ladder(where, values, op, block, exclusive));
  }
}

class scan_ladder_test : public on_machine {};
WARPFOLD_ON_EVERY_MACHINE(scan_ladder_test);

TEST_P(scan_ladder_test, any_size_any_block) {
  for (const unsigned block : blocks) {
    const std::size_t tile = std::size_t{block} * 16;  // of the last rungs; multiples of others'
    for (const std::size_t n :
         {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{31},
          std::size_t{32}, std::size_t{33}, std::size_t{1023}, std::size_t{1024}, std::size_t{1025},
          tile - 1, tile, tile + 1, 2 * tile}) {
      run_both(where(), random_values<std::int32_t>(n, n + block), operation::sum, block);
    }
  }
}

TEST_P(scan_ladder_test, every_operator_on_integers) {
  for (const auto& o : operations) {
    if (o.op == operation::mean) continue;
    for (const std::size_t n : {1, 77, 4099}) {
      run_both(where(), random_values<std::int32_t>(n, n), o.op, 128);
      run_both(where(), random_values<std::int64_t>(n, n), o.op, 64);
    }
  }
}

TEST_P(scan_ladder_test, every_operator_on_floats) {
  for (const auto& o : operations) {
    if (o.op == operation::mean || is_bitwise(o.op)) continue;
    for (const std::size_t n : {1, 77, 4099}) {
      const std::size_t few = o.op == operation::product ? n % 13 : n;
      run_both(where(), random_values<float>(few, n), o.op, 128);
      run_both(where(), random_values<double>(few, n), o.op, 64);
    }
  }
}

TEST_P(scan_ladder_test, orderly_values) {
  for (const bool falling : {false, true}) {
    std::vector<std::int32_t> values(10007);
    std::iota(values.begin(), values.end(), -5000);
    if (falling) std::reverse(values.begin(), values.end());
    run_both(where(), values, operation::max, 128);
    run_both(where(), values, operation::min, 128);
  }
  run_both(where(), std::vector<std::int64_t>(10007, -7), operation::sum, 128);
}

TEST_P(scan_ladder_test, nan_and_infinity_reach_what_follows_and_nothing_else) {
  std::vector<float> values = random_values<float>(5000, 5);
  values[4321] = std::numeric_limits<float>::infinity();
  run_both(where(), values, operation::sum, 64);
  run_both(where(), values, operation::max, 64);
  values[77] = std::numeric_limits<float>::quiet_NaN();
  run_both(where(), values, operation::sum, 64);
  run_both(where(), values, operation::min, 64);
}

/// A rung launched by hand, in memory that ends in canaries.
template <class T>
std::vector<T> launch_once(machine& where, const rung& r, const std::vector<T>& values,
                           std::size_t skip, unsigned block, int times) {
  const shape s{.n = values.size(), .block = block, .processors = 4, .value_bytes = sizeof(T)};
  const std::string what(r.about.name);
  const guarded<T> in(where, values, skip);
  guarded<T> out(where, std::vector<T>(values.size()), skip);
  const guarded<unsigned char> scratch(where, std::vector<unsigned char>(r.scratch_bytes(s)));
  for (int i = 0; i < times; ++i) {
    out.reset();
    r.launch({.type = type_of<T>,
              .op = operation::sum,
              .shape = s,
              .in = in.data(),
              .out = out.data(),
              .scratch = scratch.data(),
              .stream = where.stream(),
              .exclusive = i % 2 == 1});
    where.synchronize();
  }
  in.expect_unchanged(what);
  scratch.read(what);
  return out.read(what);
}

template <class T>
std::vector<T> inclusive(const std::vector<T>& values) {
  std::vector<T> result(values.size());
  scan_serial({type_of<T>, values.data(), values.size()}, operation::sum, false, result.data());
  return result;
}

TEST_P(scan_ladder_test, larger_than_one_wave) {
  // In blocks of 32 values: 31,250 totals, 977 totals of these, 31 of those.
  const auto million = random_values<std::int32_t>(1000000, 1);
  const auto more = random_values<std::int64_t>((1 << 22) + 1, 2);
  for (const auto* r : scan_rungs(where().backend())) {
    if (!runs(*r)) continue;
    EXPECT_EQ(launch_once(where(), *r, million, 0, 32, 1), inclusive(million)) << r->about.name;
    EXPECT_EQ(launch_once(where(), *r, more, 0, 256, 1), inclusive(more)) << r->about.name;
  }
  expect_right(run_ladder(where(), random_values<double>(100007, 2), operation::sum, 64, true));
}

TEST_P(scan_ladder_test, any_start_address_and_no_byte_beside) {
  for (const auto* r : scan_rungs(where().backend())) {
    if (!runs(*r)) continue;
    for (const std::size_t n : {1, 2, 63, 1000, 20011}) {
      const auto narrow = random_values<std::int32_t>(n, n);
      const auto wide = random_values<std::int64_t>(n, n);
      for (const std::size_t skip : {0, 1, 2, 3}) {
        EXPECT_EQ(launch_once(where(), *r, narrow, skip, 64, 1), inclusive(narrow))
            << r->about.name << ", n " << n << ", start " << skip;
        EXPECT_EQ(launch_once(where(), *r, wide, skip, 32, 1), inclusive(wide))
            << r->about.name << ", n " << n << ", start " << skip;
      }
    }
  }
}

TEST_P(scan_ladder_test, scratch_memory_serves_launch_after_launch) {
  const auto values = random_values<std::int32_t>(30011, 9);
  for (const auto* r : scan_rungs(where().backend())) {
    if (!runs(*r)) continue;
    EXPECT_EQ(launch_once(where(), *r, values, 0, 128, 3), inclusive(values)) << r->about.name;
  }
}

TEST(scan_ladder_order, blocks_and_lanes_in_any_order) {
  const auto machine = make_simt_machine();
  const auto values = random_values<std::int32_t>(20011, 4);
  const auto wide = random_values<std::int64_t>(20011, 4);
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    simt::observe shuffled({.workers = seed % 2 == 0 ? 1U : 0U, .seed = seed});
    for (const auto* r : scan_rungs(machine->backend())) {
      EXPECT_EQ(launch_once(*machine, *r, values, 0, 64, 1), inclusive(values))
          << r->about.name << ", seed " << seed;
      EXPECT_EQ(launch_once(*machine, *r, wide, 0, 32, 1), inclusive(wide))
          << r->about.name << ", seed " << seed;
    }
  }
}

// --- work and depth, from the counters

double counted(const std::vector<measure::measurement>& rows, std::string_view name,
               std::string_view counter) {
  for (const auto& m : rows) {
    if (m.name == name && m.find(counter) != nullptr) return *m.find(counter);
  }
  return -1;
}

TEST(scan_ladder_work, is_what_the_headers_say) {
  const auto machine = make_simt_machine();
  for (const unsigned block : blocks) {
    const std::size_t n = block;  // one tile
    const auto rows =
        run_ladder(*machine, random_values<std::int32_t>(n, 1), operation::sum, block, true);
    const double log = std::log2(block);
    for (const auto* name : {"hillis-steele", "double-buffered"}) {
      EXPECT_EQ(counted(rows, name, counters::applications), block * log - (block - 1)) << block;
      EXPECT_EQ(counted(rows, name, counters::depth), log) << block;
    }
    EXPECT_EQ(counted(rows, "hillis-steele", counters::barriers), 1 + 2 * log);
    EXPECT_EQ(counted(rows, "double-buffered", counters::barriers), 1 + log);
    EXPECT_EQ(counted(rows, "serial", counters::applications), block - 1);

    const auto twice =
        run_ladder(*machine, random_values<std::int32_t>(2 * n, 1), operation::sum, block, true);
    for (const auto* name : {"blelloch", "conflict-free"}) {
      EXPECT_EQ(counted(twice, name, counters::applications), 2 * (2 * block - 1)) << block;
      EXPECT_EQ(counted(twice, name, counters::barriers), 2 * (log + 1) + 2) << block;
      EXPECT_LE(counted(twice, name, counters::depth), 2 * (log + 1)) << block;
    }
  }
}

TEST(scan_ladder_work, padding_takes_the_bank_conflicts_away) {
  const auto machine = make_simt_machine();
  const auto conflicts = [](const auto& rows, std::string_view name) {
    return counted(rows, name, counters::shared_load_conflicts) +
           counted(rows, name, counters::shared_store_conflicts);
  };
  for (const unsigned block : blocks) {
    for (const bool exclusive : {false, true}) {
      const auto narrow = run_ladder(*machine, random_values<std::int32_t>(10000, 1),
                                     operation::sum, block, exclusive);
      const auto wide =
          run_ladder(*machine, random_values<double>(10000, 1), operation::sum, block, exclusive);
      EXPECT_GT(conflicts(narrow, "blelloch"), 1000);
      for (const auto* name : {"conflict-free", "scan-then-propagate", "reduce-then-scan"}) {
        EXPECT_EQ(conflicts(narrow, name), 0) << name << ", block " << block;
        EXPECT_EQ(conflicts(wide, name), 0) << name << ", block " << block;
      }
    }
  }
}

TEST(scan_ladder_work, each_way_round_moves_fewer_bytes) {
  const auto machine = make_simt_machine({.workers = 1});  // several wait for each other, and read
  const std::size_t n = 1 << 20;
  const auto rows =
      run_ladder(*machine, random_values<std::int32_t>(n, 1), operation::sum, 256, false);
  const auto moved = [&](std::string_view name) {
    return (counted(rows, name, counters::load_sectors) +
            counted(rows, name, counters::store_sectors)) *
           32 / (static_cast<double>(n) * 4);
  };
  EXPECT_NEAR(moved("scan-then-propagate"), 4, 0.1);
  EXPECT_NEAR(moved("reduce-then-scan"), 3, 0.1);
  EXPECT_NEAR(moved("look-back"), 2, 0.1);
}

TEST(scan_ladder_registry, numbers_ascend_and_names_are_unique) {
  const auto machine = make_simt_machine();
  std::set<std::string_view> names;
  int number = 0;
  for (const auto* r : scan_rungs(machine->backend())) {
    EXPECT_EQ(r->about.number, ++number);
    EXPECT_TRUE(names.insert(r->about.name).second) << r->about.name;
    EXPECT_FALSE(r->about.idea.empty());
    EXPECT_FALSE(r->about.improves.empty());
    EXPECT_FALSE(evidence_text(r->about).empty());
    EXPECT_FALSE(r->about.source.empty());
    EXPECT_FALSE(r->about.in_place);
  }
  EXPECT_EQ(number, 9);
}

TEST(scan_ladder_problem, what_makes_no_sense_is_refused) {
  const auto machine = make_simt_machine();
  const std::vector<float> values(10, 1);
  EXPECT_THROW(run_ladder(*machine, values, operation::bit_and, 64, false), usage_error);
  EXPECT_THROW(run_ladder(*machine, values, operation::mean, 64, false), usage_error);
  for (const unsigned block : {0U, 1U, 16U, 33U, 100U, 2048U}) {
    EXPECT_THROW(run_ladder(*machine, values, operation::sum, block, false), usage_error) << block;
  }
}

// --- the judge

TEST(scan_reference, every_wrong_value_is_seen) {
  const std::vector<std::int32_t> values{3, 1, 7, 0, 4, 1, 6, 3};  // document 002's example
  const scan_reference exclusive({value_type::i32, values.data(), 8}, operation::sum, true);
  const scan_reference inclusive({value_type::i32, values.data(), 8}, operation::sum, false);
  std::vector<std::int32_t> before{0, 3, 4, 11, 11, 15, 16, 22};
  std::vector<std::int32_t> through{3, 4, 11, 11, 15, 16, 22, 25};
  EXPECT_TRUE(exclusive.judge(before.data(), 3).right);
  EXPECT_TRUE(inclusive.judge(through.data(), 3).right);
  EXPECT_FALSE(inclusive.judge(before.data(), 3).right);
  for (auto& value : before) {
    ++value;
    const auto verdict = exclusive.judge(before.data(), 1e9);
    EXPECT_FALSE(verdict.right);
    EXPECT_THAT(verdict.result, testing::StartsWith("["));
    --value;
  }
}

TEST(scan_reference, float_results_are_held_to_their_own_bounds) {
  const std::vector<float> values(1000, 0.1F);
  const scan_reference truth({value_type::f32, values.data(), 1000}, operation::sum, false);
  std::vector<float> results(1000);
  scan_serial({value_type::f32, values.data(), 1000}, operation::sum, false, results.data());
  EXPECT_TRUE(truth.judge(results.data(), 999).right);
  results[3] += 0.001F;  // would pass for the last one
  EXPECT_FALSE(truth.judge(results.data(), 999).right);
  results[3] = std::nanf("");
  EXPECT_FALSE(truth.judge(results.data(), 1e30).right);
}

}  // namespace
}  // namespace warpfold::ladder
