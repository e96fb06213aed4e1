// What each rung tells the reader to watch is what the counters do.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "ladder/ladder.hpp"
#include "ladder/run/evidence.hpp"
#include "ladder/run/histogram_driver.hpp"
#include "ladder/run/reduce_driver.hpp"
#include "ladder/run/scan_driver.hpp"
#include "ladder/run/select_driver.hpp"
#include "ladder/run/sort_driver.hpp"
#include "measure/columns.hpp"
#include "values.hpp"

namespace warpfold::ladder {
namespace {

using measure::measurement;

template <class T>
host_values view(const std::vector<T>& values) {
  return {type_of<T>, values.data(), values.size()};
}

/// One worker: blocks that wait for each other count the same each time.
std::unique_ptr<machine> counting() { return make_simt_machine({.workers = 1}); }

void expect_evidence(std::span<const rung* const> rungs, const std::vector<measurement>& rows) {
  int held = 0;
  for (const rung* r : rungs) {
    const description& about = r->about;
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const measurement& m) { return m.name == about.name; });
    const measurement* const before = baseline_of(about, rows);
    for (const change& c : about.evidence) {
      if (c.of == figure::none) continue;
      ASSERT_NE(before, nullptr) << about.name;
      const double from = measure::value_of(*before, c.of), to = measure::value_of(*row, c.of);
      EXPECT_TRUE(holds(c, from, to))
          << about.name << ": " << measure::name_of(c.of) << " went from " << from << " (of "
          << before->name << ") to " << to << ", " << to / from << " times; it says " << c.least
          << " to " << c.most;
      ++held;
    }
  }
  EXPECT_GT(held, 0);
}

TEST(evidence, of_reductions) {
  const auto where = counting();
  const auto values = random_values<std::int32_t>(1 << 20, 1);
  expect_evidence(reduce_rungs(where->backend()),
                  run_reduce_ladder({.values = view(values), .block = 256}, *where,
                                    reduce_rungs(where->backend())));
}

TEST(evidence, of_scans) {
  const auto where = counting();
  const auto values = random_values<std::int32_t>(1 << 17, 2);
  expect_evidence(scan_rungs(where->backend()),
                  run_scan_ladder({.values = view(values), .block = 256}, *where,
                                  scan_rungs(where->backend())));
}

/// Of all these rungs but the first, which the second is compared with.
void expect_evidence_of_sorts(std::size_t n, std::span<const rung* const> rungs) {
  const auto where = counting();
  const auto keys = random_values<std::uint32_t>(n, 3);
  expect_evidence(rungs.subspan(1),
                  run_sort_ladder({.keys = view(keys), .block = 128}, *where, rungs));
}

TEST(evidence, of_sorts) {
  const auto rungs = sort_rungs(backend_kind::simt);
  expect_evidence_of_sorts(1 << 10, rungs.first(2));  // 01 takes no more
  expect_evidence_of_sorts(1 << 14, rungs.subspan(1));
}

TEST(evidence, of_histograms) {
  const auto where = counting();
  auto values = random_values<std::uint32_t>(1 << 14, 6);
  for (auto& v : values) v %= default_bins;
  expect_evidence(histogram_rungs(where->backend()),
                  run_histogram_ladder({.values = view(values), .block = 128}, *where,
                                       histogram_rungs(where->backend())));
}

TEST(evidence, of_selections) {
  const auto where = counting();
  auto values = random_values<std::int32_t>(1 << 14, 7);
  for (auto& v : values) v %= 2;
  expect_evidence(select_rungs(where->backend()),
                  run_select_ladder({.values = view(values), .block = 128}, *where,
                                    select_rungs(where->backend())));
}

/// A figure that no column shows would be a hint that nobody can follow.
TEST(evidence, every_figure_has_a_column) {
  for (const ladder_kind kind : ladder_kinds) {
    const auto where = counting();
    const auto rungs = entry_of(kind).rungs(where->backend());
    const auto values = random_values<std::uint32_t>(1000, 4);
    const auto rows = entry_of(kind).run_once(values, 64, *where, rungs);
    auto columns = measure::columns_of(rows, measure::view::terminal);
    for (auto& c : measure::further_columns(rows)) columns.push_back(std::move(c));
    for (const rung* r : rungs) {
      for (const change& c : r->about.evidence) {
        if (c.of == figure::none) continue;
        EXPECT_TRUE(std::any_of(
            columns.begin(), columns.end(),
            [&](const measure::column& shown) { return shown.header == measure::header_of(c.of); }))
            << r->about.name << ": " << measure::name_of(c.of);
      }
    }
  }
}

/// 32 blocks, 2,048 threads and 228 KiB are what a multiprocessor has.
TEST(evidence, of_occupancy) {
  const auto where = counting();
  const auto values = random_values<std::uint32_t>(1000, 5);
  const auto occupancy = [&](int number, unsigned block) {
    for (const rung* r : reduce_rungs(where->backend())) {
      if (r->about.number != number) continue;
      const auto rows = entry_of(ladder_kind::reduce).run_once(values, block, *where, {&r, 1});
      for (const measurement& m : rows) {
        if (m.number == number) return measure::value_of(m, figure::occupancy);
      }
    }
    return -1.0;
  };
  EXPECT_DOUBLE_EQ(occupancy(12, 32), 50);
  EXPECT_DOUBLE_EQ(occupancy(12, 256), 100);
  EXPECT_DOUBLE_EQ(occupancy(12, 1024), 100);
  EXPECT_DOUBLE_EQ(occupancy(22, 256), 75);  // 32 KiB of tiles a block, and 1 KiB of the system
}

TEST(evidence, is_told_in_words_and_figures) {
  static constexpr description about{.number = 2,
                                     .name = "b",
                                     .idea = "",
                                     .evidence = {{{figure::launches, 0.2, 0.6}}},
                                     .also = "time"};
  EXPECT_EQ(evidence_text(about), "launches ↓; time");
  measurement a, b;
  a.backend = b.backend = backend_kind::simt;
  a.number = 1;
  a.launches = 1234;
  b.number = 2;
  b.name = "b";
  b.launches = 617;
  EXPECT_EQ(evidence_text(about, std::vector{a, b}), "launches 1,234 → 617; time");
  EXPECT_TRUE(holds(about.evidence[0], 1234, 617));
  EXPECT_FALSE(holds(about.evidence[0], 1234, 900));
  EXPECT_FALSE(holds(about.evidence[0], 0, 0));
}

}  // namespace
}  // namespace warpfold::ladder
