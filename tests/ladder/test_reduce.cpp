// Every rung of the reduce ladder is right: any n, any block, every type and operator, any start
// address, launched again and again.
#include <bit>
#include <cstring>
#include <numeric>
#include <set>
#include <vector>

#include <gmock/gmock.h>

#include "ladder/run/evidence.hpp"
#include "ladder/run/reduce_driver.hpp"
#include "tests/ladder/guarded.hpp"
#include "tests/ladder/machines.hpp"
#include "tests/ladder/values.hpp"

namespace warpfold::ladder {
namespace {

constexpr unsigned blocks[] = {32, 64, 128, 256, 512, 1024};

template <class T>
void run_all(machine& where, const std::vector<T>& values, operation op, unsigned block,
             finish how = finish::relaunch) {
  expect_right(run_reduce_ladder({.values = {type_of<T>, values.data(), values.size()},
                                  .op = op,
                                  .block = block,
                                  .finish = how,
                                  .samples = 1},
                                 where, reduce_rungs(where.backend())));
}

class reduce_ladder_test : public on_machine {};
WARPFOLD_ON_EVERY_MACHINE(reduce_ladder_test);

TEST_P(reduce_ladder_test, any_size_any_block) {
  for (const unsigned block : blocks) {
    const std::size_t tile = std::size_t{block} * 8;  // of the unrolled rungs; multiples of others'
    for (const std::size_t n :
         {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{31}, std::size_t{33},
          std::size_t{block} - 1, std::size_t{block} + 1, 2 * std::size_t{block} + 1, tile - 1,
          tile, tile + 1, 2 * tile, std::size_t{10007}}) {
      run_all(where(), random_values<std::int32_t>(n, n + block), operation::sum, block);
    }
  }
}

TEST_P(reduce_ladder_test, larger_than_one_wave) {
  run_all(where(), random_values<std::int32_t>(1000003, 1), operation::sum, 64);
  run_all(where(), random_values<std::int64_t>(600011, 2), operation::max, 128);
}

TEST_P(reduce_ladder_test, every_operator_on_integers) {
  for (const auto& o : operations) {
    for (const std::size_t n : {1, 77, 4099}) {
      run_all(where(), random_values<std::int32_t>(n, n), o.op, 128);
      if (o.op == operation::mean) continue;  // a sum of random i64 wraps
      run_all(where(), random_values<std::int64_t>(n, n), o.op, 64);
    }
  }
}

TEST_P(reduce_ladder_test, every_operator_on_floats) {
  for (const auto& o : operations) {
    if (is_bitwise(o.op)) continue;
    for (const std::size_t n : {1, 77, 4099}) {
      run_all(where(), random_values<float>(o.op == operation::product ? n % 13 : n, n), o.op, 128);
      run_all(where(), random_values<double>(o.op == operation::product ? n % 100 : n, n), o.op,
              64);
    }
  }
}

TEST_P(reduce_ladder_test, finish_on_the_host) {
  run_all(where(), random_values<std::int32_t>(70001, 3), operation::sum, 64, finish::host);
  run_all(where(), random_values<float>(70001, 4), operation::mean, 32, finish::host);
}

TEST_P(reduce_ladder_test, nan_and_infinity_are_not_lost) {
  std::vector<float> values = random_values<float>(5000, 5);
  values[4321] = std::numeric_limits<float>::infinity();
  run_all(where(), values, operation::sum, 128);
  run_all(where(), values, operation::max, 128);
  values[77] = std::numeric_limits<float>::quiet_NaN();
  run_all(where(), values, operation::min, 128);
  run_all(where(), values, operation::max, 128);
  run_all(where(), values, operation::sum, 128);
  const std::vector<float> all_inf(100, -std::numeric_limits<float>::infinity());
  run_all(where(), all_inf, operation::max, 32);
}

/// As the kernels sum: integers wrap.
std::uint32_t wrapping_sum(const std::vector<std::int32_t>& values) {
  return std::accumulate(values.begin(), values.end(), 0U, [](std::uint32_t a, std::int32_t b) {
    return a + static_cast<std::uint32_t>(b);
  });
}

/// A rung launched by hand, in memory that ends in canaries.
std::vector<std::int32_t> launch_once(machine& where, const rung& r,
                                      const std::vector<std::int32_t>& values, std::size_t skip,
                                      unsigned block, int times) {
  const shape s{.n = values.size(), .block = block, .processors = 4, .value_bytes = 4};
  const std::string what(r.about.name);
  guarded<std::int32_t> in(where, values, skip);
  guarded<std::int32_t> out(where, std::vector<std::int32_t>(r.partials(s)));
  const guarded<unsigned char> scratch(where, std::vector<unsigned char>(r.scratch_bytes(s)));
  for (int i = 0; i < times; ++i) {
    in.reset();
    out.reset();
    r.launch({.type = value_type::i32,
              .op = operation::sum,
              .shape = s,
              .in = in.data(),
              .out = out.data(),
              .scratch = scratch.data(),
              .stream = where.stream()});
    where.synchronize();
  }
  if (!r.about.in_place) in.expect_unchanged(what);
  in.read(what);
  scratch.read(what);
  return out.read(what);
}

TEST_P(reduce_ladder_test, any_start_address_and_no_byte_beside) {
  for (const auto* r : reduce_rungs(where().backend())) {
    if (!runs(*r)) continue;
    for (const std::size_t n : {1, 2, 63, 1000, 20011}) {
      const auto values = random_values<std::int32_t>(n, n);
      const auto sum = wrapping_sum(values);
      for (const std::size_t skip : {0, 1, 2, 3}) {
        const auto partials = launch_once(where(), *r, values, skip, 64, 1);
        EXPECT_EQ(wrapping_sum(partials), sum)
            << r->about.name << ", n " << n << ", start " << skip;
      }
    }
  }
}

TEST_P(reduce_ladder_test, scratch_memory_serves_launch_after_launch) {
  const auto values = random_values<std::int32_t>(30011, 9);
  const auto sum = wrapping_sum(values);
  for (const auto* r : reduce_rungs(where().backend())) {
    if (!runs(*r)) continue;
    const auto partials = launch_once(where(), *r, values, 0, 128, 3);
    EXPECT_EQ(wrapping_sum(partials), sum) << r->about.name;
  }
}

TEST(reduce_ladder_registry, numbers_ascend_and_names_are_unique) {
  const auto machine = make_simt_machine();
  std::set<std::string_view> names;
  int number = 0;
  for (const auto* r : reduce_rungs(machine->backend())) {
    EXPECT_EQ(r->about.number, ++number);
    EXPECT_TRUE(names.insert(r->about.name).second) << r->about.name;
    EXPECT_FALSE(r->about.idea.empty());
    EXPECT_FALSE(r->about.improves.empty());
    EXPECT_FALSE(evidence_text(r->about).empty());
    EXPECT_FALSE(r->about.source.empty());
  }
  EXPECT_EQ(number, 22);
}

TEST(reduce_ladder_problem, what_makes_no_sense_is_refused) {
  const auto machine = make_simt_machine();
  const std::vector<float> values(10, 1);
  const auto go = [&](operation op, std::size_t n, unsigned block) {
    return run_reduce_ladder(
        {.values = {value_type::f32, values.data(), n}, .op = op, .block = block}, *machine,
        reduce_rungs(machine->backend()));
  };
  EXPECT_THROW(go(operation::bit_and, 10, 64), usage_error);
  EXPECT_THROW(go(operation::mean, 0, 64), usage_error);
  for (const unsigned block : {0U, 1U, 16U, 33U, 100U, 2048U}) {
    EXPECT_THROW(go(operation::sum, 10, block), usage_error) << block;
  }
}

}  // namespace
}  // namespace warpfold::ladder
