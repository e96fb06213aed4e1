// What comes one after another on the way through a block, and what leaves a multiprocessor.
#include <vector>

#include <gtest/gtest.h>

#include "simt/src/count/rounds.hpp"
#include "simt/src/count/traffic.hpp"

namespace {

using simt::instruction_counts;
using namespace simt::detail;

constexpr std::uint64_t load_of_global = pack_site(1, access_kind::load, space::global, 2);
constexpr std::uint64_t atomic_of_global = pack_site(1, access_kind::atomic, space::global, 2);

/// A lane that enters block 1 again and again, with one access each time.
simt::critical_path path_of(std::uint64_t site, const std::vector<std::uint64_t>& addresses,
                            const instruction_counts& cost) {
  std::vector<std::uint32_t> blocks;
  std::vector<memory_event> accesses;
  for (const std::uint64_t address : addresses) {
    blocks.push_back(1);
    accesses.push_back({address, site, static_cast<std::uint32_t>(blocks.size())});
  }
  traffic caches;
  caches.begin(0);
  recent_sectors recent;
  const std::vector<instruction_counts> costs{{}, cost};
  return path_through({.carry = 0, .blocks = blocks, .accesses = accesses}, costs, caches, recent);
}

std::vector<std::uint64_t> apart(std::size_t count) {
  std::vector<std::uint64_t> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(0x100000 + 128 * i);
  return all;
}

TEST(rounds, four_iterations_load_together_and_the_fifth_does_not) {
  EXPECT_EQ(path_of(load_of_global, apart(4), {.loads = 1}).global, 1U);
  EXPECT_EQ(path_of(load_of_global, apart(5), {.loads = 1}).global, 2U);
  EXPECT_EQ(path_of(load_of_global, apart(256), {.loads = 1}).global, 64U);
  EXPECT_EQ(path_of(load_of_global, apart(8), {.loads = 1, .waits = 1}).global, 8U);
}

TEST(rounds, what_the_way_has_come_by_is_near) {
  const auto path = path_of(load_of_global, {0x100000, 0x100004, 0x100008, 0x10000c, 0x100010},
                            {.loads = 1, .waits = 1});
  EXPECT_EQ(path.global, 1U);
  EXPECT_EQ(path.shared, 4U);
}

TEST(rounds, an_atomic_whose_result_is_used_is_a_trip) {
  EXPECT_EQ(path_of(atomic_of_global, apart(3), {.loads = 1}).trips, 3U);
  EXPECT_EQ(path_of(atomic_of_global, apart(3), {}).trips, 0U);
}

TEST(traffic, counts_halves_of_lines_by_request) {
  traffic t;
  t.begin(0);
  t.request_begins();
  t.load(0, 3);  // a whole line
  EXPECT_EQ(t.read_halves(), 2U);
  t.request_begins();
  for (const std::uint64_t sector : {400U, 404U, 408U, 409U}) t.load(sector, sector);
  EXPECT_EQ(t.read_halves(), 5U);
  t.request_begins();
  t.load(400, 401);  // one of them is near
  EXPECT_EQ(t.read_halves(), 6U);
  t.request_begins();
  t.load(400, 401);
  EXPECT_EQ(t.read_halves(), 6U);
  t.request_begins();
  t.store(0, 0);
  t.leaves_parts();
  t.request_begins();
  t.store(0, 3);
  EXPECT_EQ(t.write_halves(), 3U);
  EXPECT_EQ(t.partial_halves(), 1U);
}

}  // namespace
