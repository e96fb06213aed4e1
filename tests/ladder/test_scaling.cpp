// Counted work and depth equal the documents' formulas and the rungs' own; the fit of counts tells
// one growth from another.
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "ladder/ladder.hpp"
#include "ladder/run/scaling.hpp"
#include "tests/ladder/machines.hpp"

namespace warpfold::ladder {
namespace {

std::vector<const rung*> rungs_of(ladder_kind ladder) {
  static const auto machine = make_simt_machine();
  const auto all = entry_of(ladder).rungs(machine->backend());
  return {all.begin(), all.end()};
}

class scaling : public testing::TestWithParam<ladder_kind> {};
INSTANTIATE_TEST_SUITE_P(ladders, scaling, testing::ValuesIn(ladder_kinds), kind_name);

TEST_P(scaling, every_count_is_the_rungs_own_formula) {
  const auto rungs = rungs_of(GetParam());
  const auto expect_formula = [&](const std::vector<scaling_row>& rows, std::size_t sizes) {
    for (const auto& row : rows) {
      const auto& about = row.which->about;
      if (about.most_values == 0) EXPECT_EQ(row.points.size(), sizes) << about.name;
      for (const auto& p : row.points) {
        EXPECT_TRUE(p.right) << about.name << ", n " << p.n;
        // A sort's depth is its network's, a histogram's its formula. Others have none.
        const bool measured = GetParam() == ladder_kind::reduce || GetParam() == ladder_kind::scan;
        const bool has_depth = measured || row.which->depth_limit != nullptr;
        if (has_depth) EXPECT_GT(p.depth, 0) << about.name << ", n " << p.n;
        if (row.which->work == nullptr) continue;
        EXPECT_EQ(p.uses, p.own) << about.name << ", n " << p.n << ", block " << p.block;
      }
    }
  };
  expect_formula(scale_in_one_block(entry_of(GetParam()), rungs), 5);
  for (const unsigned block : {32U, 256U})
    expect_formula(scale(entry_of(GetParam()), rungs, 1 << 14, block), 5);
}

TEST(scaling, only_what_depends_on_keys_or_chance_or_never_compares_has_no_formula) {
  std::set<std::string_view> without;
  for (const ladder_kind ladder : ladder_kinds) {
    for (const rung* r : rungs_of(ladder)) {
      if (r->work == nullptr) without.insert(r->about.name);
    }
  }
  EXPECT_EQ(without,
            (std::set<std::string_view>{"library", "local-sort", "look-back", "match", "merge-path",
                                        "onesweep", "sorted-runs", "split"}));
}

const scaling_row& named(const std::vector<scaling_row>& rows, std::string_view name) {
  for (const auto& row : rows) {
    if (row.which->about.name == name) return row;
  }
  throw usage_error("no row of this name");
}

TEST(scaling, every_reduction_makes_n_less_one_additions) {
  const auto rows = scale_in_one_block(reduce_entry(), rungs_of(ladder_kind::reduce));
  for (const auto* name : {"neighbored", "neighbored-less", "interleaved", "unroll-2", "unroll-4",
                           "unroll-8", "modulo", "strided", "sequential", "first-add"}) {
    for (const auto& p : named(rows, name).points) {
      EXPECT_EQ(p.uses, static_cast<double>(p.n) - 1) << name;
      EXPECT_LE(std::abs(p.depth - std::log2(p.n)), 2) << name;
    }
    EXPECT_EQ(growth_of_work(named(rows, name).points)->of, "n") << name;
  }
  for (const auto& p : named(rows, "sequential").points) EXPECT_EQ(p.depth, std::log2(p.n));
  // In many blocks: exactly so where nothing is padded; less than a block more where partials are.
  for (const auto& row : scale(reduce_entry(), rungs_of(ladder_kind::reduce), 1 << 14, 256)) {
    const int number = row.which->about.number;
    for (const auto& p : row.points) {
      const double law = static_cast<double>(p.n) - 1;
      if (number <= 6) EXPECT_EQ(p.uses, law) << row.which->about.name;
      if (number >= 10 && number <= 13) EXPECT_LT(p.uses, law + p.block + 1) << p.n;
      EXPECT_GE(p.uses, law) << row.which->about.name;
    }
  }
}

TEST(scaling, scans_follow_their_laws_in_one_block) {
  const auto rows = scale_in_one_block(scan_entry(), rungs_of(ladder_kind::scan));
  for (const auto* name : {"hillis-steele", "double-buffered"}) {
    for (const auto& p : named(rows, name).points) {
      const auto n = static_cast<double>(p.n);
      EXPECT_EQ(p.uses, n * std::log2(n) - (n - 1)) << name;
      EXPECT_EQ(p.depth, std::log2(n)) << name;
    }
    const auto growth = growth_of_work(named(rows, name).points);
    EXPECT_EQ(growth->of, "n log2 n");
    EXPECT_LT(growth->miss, 0.05);
  }
  for (const auto* name : {"blelloch", "conflict-free"}) {
    for (const auto& p : named(rows, name).points) {
      EXPECT_EQ(p.uses, 2 * (static_cast<double>(p.n) - 1)) << name;
      EXPECT_EQ(p.depth, 2 * std::log2(p.n) - 1) << name;
    }
    EXPECT_EQ(growth_of_work(named(rows, name).points)->of, "n");
  }
}

TEST(scaling, sorts_follow_their_laws_in_one_block) {
  const auto rows = scale_in_one_block(sort_entry(), rungs_of(ladder_kind::sort));
  for (const auto* name : {"bitonic-global", "bitonic-shared"}) {
    for (const auto& p : named(rows, name).points) {
      const double log = std::log2(p.n), law = named(rows, name).which->textbook.of(p.n);
      EXPECT_EQ(p.uses, static_cast<double>(p.n) * log * (log + 1) / 4) << name;
      EXPECT_NEAR(p.uses / law, 1 + 1 / log, 1e-12) << name;
    }
    EXPECT_EQ(growth_of_work(named(rows, name).points)->of, "n log2² n");
  }
  for (const auto& p : named(rows, "odd-even").points) {
    EXPECT_EQ(p.uses, static_cast<double>(p.n) * (static_cast<double>(p.n) - 1) / 2);
    EXPECT_EQ(p.launches, p.n);
  }
  EXPECT_EQ(growth_of_work(named(rows, "odd-even").points)->of, "n²");
}

TEST(scaling, histograms_add_once_a_value) {
  const auto rows = scale_in_one_block(histogram_entry(), rungs_of(ladder_kind::histogram));
  for (const auto& p : named(rows, "global-atomics").points) {
    EXPECT_EQ(p.uses, p.n);
    EXPECT_EQ(p.depth, p.n);
  }
  for (const auto* name : {"shared-atomics", "per-warp", "packed", "copies"}) {
    for (const auto& p : named(rows, name).points) EXPECT_EQ(p.uses, p.n + default_bins) << name;
  }
}

TEST(scaling, cost_is_threads_times_depth) {
  const std::size_t n = 1 << 16;
  const auto rows = cost_of_sum(n, 256);
  const auto values = static_cast<double>(n);
  EXPECT_EQ(rows.at(0).cost(), values - 1);
  EXPECT_EQ(rows.at(1).threads, values);
  EXPECT_GE(rows.at(1).cost(), values * std::log2(values));  // not cost-efficient
  bool brent = false;
  for (std::size_t i = 2; i < rows.size(); ++i) {
    EXPECT_LT(rows[i].threads, rows[i - 1].threads);
    EXPECT_GE(rows[i].depth, values / rows[i].threads);
    EXPECT_LT(std::abs(rows[i].depth - rows[i].formula), 12) << rows[i].who;
    EXPECT_LT(rows[i].cost(), rows[i - 1].cost()) << rows[i].who;
    if (rows[i].who.find("Brent") == std::string::npos) continue;
    brent = true;
    EXPECT_NEAR(rows[i].threads, values / std::log2(values), 1024);
    EXPECT_LT(rows[i].cost(), 2.5 * values);  // cost-efficient: O(n)
  }
  EXPECT_TRUE(brent);
}

// --- the fit

template <class F>
std::vector<scaling_point> points(F y) {
  std::vector<scaling_point> all;
  for (std::size_t n = 1 << 10; n <= 1 << 20; n *= 2) {
    const double value = y(static_cast<double>(n));
    all.push_back({.n = n, .uses = value, .depth = value});
  }
  return all;
}

TEST(growth, is_told_from_the_counts) {
  const auto log = [](double n) { return std::log2(n); };
  const auto expect = [](const std::optional<growth>& g, const char* of, double coefficient) {
    ASSERT_TRUE(g);
    EXPECT_EQ(g->of, of);
    EXPECT_NEAR(g->coefficient, coefficient, 1e-6);
    EXPECT_LT(g->miss, 1e-9);
  };
  expect(growth_of_work(points([](double n) { return 3 * n; })), "n", 3);
  expect(growth_of_work(points([&](double n) { return n * log(n) / 2; })), "n log2 n", 0.5);
  expect(growth_of_work(points([&](double n) { return n * log(n) * log(n); })), "n log2² n", 1);
  expect(growth_of_work(points([](double n) { return n * n / 2; })), "n²", 0.5);
  expect(growth_of_depth(points([&](double n) { return 2 * log(n) + 7; })), "log2 n", 2);
  expect(growth_of_depth(points([&](double n) { return log(n) * log(n) / 2; })), "log2² n", 0.5);
  expect(growth_of_depth(points([](double n) { return n / 64 + 9; })), "n", 1.0 / 64);
  EXPECT_EQ(growth_of_depth(points([](double) { return 16; }))->text(), "16.0");
  EXPECT_EQ(growth_of_depth(points([&](double n) { return 2 * log(n) - 1; }))->text(),
            "2.00 log2 n - 1.00");
}

TEST(growth, says_how_far_it_misses) {
  const auto odd = points([](double n) { return std::pow(n, 1.5); });
  EXPECT_GT(growth_of_work(odd)->miss, 0.3);
  EXPECT_THAT(growth_of_work(odd)->text(), testing::HasSubstr("±"));
  auto off = points([](double n) { return n; });
  off.back().uses *= 1.2;
  EXPECT_GT(growth_of_work(off)->miss, 0.1);
  EXPECT_FALSE(growth_of_work(std::vector<scaling_point>(2)));
}

}  // namespace
}  // namespace warpfold::ladder
