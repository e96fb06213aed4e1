// The steps of a rung are those of its own kernel: the documents' figures, the networks'
// comparators, and right results from every rung.
#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "ladder/ladder.hpp"
#include "ladder/sort/network.hpp"
#include "ladder/steps/steps.hpp"
#include "tests/ladder/machines.hpp"
#include "tests/ladder/values.hpp"

namespace warpfold::ladder {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;

const rung& find(ladder_kind ladder, std::string_view name) {
  static const auto machine = make_simt_machine();
  for (const rung* r : entry_of(ladder).rungs(machine->backend())) {
    if (r->about.name == name) return *r;
  }
  throw usage_error("no such rung");
}

template <class T>
walkthrough walk_of(ladder_kind ladder, std::string_view name, const std::vector<T>& values,
                    steps_problem options = {}) {
  options.ladder = ladder;
  options.which = &find(ladder, name);
  options.values = {type_of<T>, values.data(), values.size()};
  return walk(options);
}

std::string texts(const walkthrough& w, std::size_t array, const step_cells& cells) {
  std::string all;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    all += (i == 0 ? "" : " ") + w.arrays[array].text(cells, i);
  }
  return all;
}

/// "2: stride 4, threads 0 1 2 3: 8 7 13": the numbered steps and what they left in `array`.
std::vector<std::string> brief(const walkthrough& w, std::string_view array) {
  std::vector<std::string> all;
  for (const step& s : w.steps) {
    std::string line = s.number > 0 ? std::to_string(s.number) + ": " : "";
    if (s.stride()) line += "stride " + std::to_string(*s.stride()) + ", ";
    line += "threads";
    for (const auto* m : s.workers()) line += " " + std::to_string(m->thread);
    for (const auto& after : s.after) {
      if (w.arrays[after.array].name == array) line += ": " + texts(w, after.array, after.cells);
    }
    all.push_back(line);
  }
  return all;
}

std::string result_of(const walkthrough& w) {
  for (auto s = w.steps.rbegin(); s != w.steps.rend(); ++s) {
    for (const auto& after : s->after) {
      if (after.array == w.result) return texts(w, after.array, after.cells);
    }
  }
  return texts(w, w.result, w.arrays[w.result].cells);
}

TEST(steps, the_reduction_lecture) {
  const std::vector<std::int32_t> values{10, 1, 8, -1, 0, -2, 3, 5, -2, -3, 2, 7, 0, 11, 0, 2};
  const auto w = walk_of(ladder_kind::reduce, "sequential", values);
  EXPECT_EQ(w.block, 16U);
  EXPECT_THAT(
      brief(w, "shared"),
      ElementsAre("threads 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15: "
                  "10 1 8 -1 0 -2 3 5 -2 -3 2 7 0 11 0 2",
                  "1: stride 8, threads 0 1 2 3 4 5 6 7: 8 -2 10 6 0 9 3 7 -2 -3 2 7 0 11 0 2",
                  "2: stride 4, threads 0 1 2 3: 8 7 13 13 0 9 3 7 -2 -3 2 7 0 11 0 2",
                  "3: stride 2, threads 0 1: 21 20 13 13 0 9 3 7 -2 -3 2 7 0 11 0 2",
                  "4: stride 1, threads 0: 41 20 13 13 0 9 3 7 -2 -3 2 7 0 11 0 2", "threads 0"));
  EXPECT_EQ(result_of(w), "41");
  for (std::size_t i = 0; i + 1 < w.steps.size(); ++i) {
    EXPECT_EQ(w.steps[i].ended_by, "__syncthreads");
  }
}

TEST(steps, up_sweep_and_down_sweep) {
  const std::vector<std::int32_t> values{3, 1, 7, 0, 4, 1, 6, 3};
  const auto exclusive = walk_of(ladder_kind::scan, "blelloch", values, {.exclusive = true});
  EXPECT_EQ(exclusive.block, 4U);
  EXPECT_THAT(brief(exclusive, "shared"),
              ElementsAre("threads 0 1 2 3: 3 1 7 0 4 1 6 3",
                          "1: stride 1, threads 0 1 2 3: 3 4 7 7 4 5 6 9",
                          "2: stride 2, threads 0 1: 3 4 7 11 4 5 6 14",
                          "3: stride 4, threads 0: 3 4 7 11 4 5 6 25",
                          "threads 0: 3 4 7 11 4 5 6 0", "4: stride 4, threads 0: 3 4 7 0 4 5 6 11",
                          "5: stride 2, threads 0 1: 3 0 7 4 4 11 6 16",
                          "6: stride 1, threads 0 1 2 3: 0 3 4 11 11 15 16 22", "threads 0 1 2 3"));
  EXPECT_EQ(result_of(exclusive), "0 3 4 11 11 15 16 22");
  EXPECT_EQ(result_of(walk_of(ladder_kind::scan, "blelloch", values)), "3 4 11 11 15 16 22 25");
}

TEST(steps, reading_and_writing_on_both_sides_of_a_barrier_are_one) {
  const std::vector<std::int32_t> values{3, 1, 7, 0};
  EXPECT_THAT(brief(walk_of(ladder_kind::scan, "hillis-steele", values), "shared"),
              ElementsAre("threads 0 1 2 3: 3 1 7 0", "1: stride 1, threads 1 2 3: 3 4 8 7",
                          "2: stride 2, threads 2 3: 3 4 11 11", "threads 0 1 2 3"));
  EXPECT_THAT(brief(walk_of(ladder_kind::scan, "double-buffered", values), "shared"),
              ElementsAre("threads 0 1 2 3: 3 1 7 0", "1: stride 1, threads 1 2 3: 3 1 7 0 3 4 8 7",
                          "2: stride 2, threads 2 3: 3 4 11 11 3 4 8 7", "threads 0 1 2 3"));
}

TEST(steps, registers_are_seen_where_lanes_hand_them_over) {
  std::vector<std::int32_t> values(32);
  std::iota(values.begin(), values.end(), 1);
  const auto w = walk_of(ladder_kind::reduce, "shuffle", values);
  std::vector<std::string> strides;
  for (const step& s : w.steps) {
    if (s.taken_by == "__shfl_down_sync" && s.stride()) {
      strides.push_back(std::to_string(*s.stride()));
    }
  }
  EXPECT_THAT(strides, ElementsAreArray({"16", "8", "4", "2", "1", "16", "8", "4", "2", "1"}));
  const auto lines = brief(w, "registers");
  // Past the end of the warp a lane is handed its own value.
  EXPECT_THAT(lines.at(1), testing::EndsWith(": 18 20 22 24 26 28 30 32 34 36 38 40 42 44 46 48 "
                                             "34 36 38 40 42 44 46 48 50 52 54 56 58 60 62 64"));
  EXPECT_THAT(lines.at(2), HasSubstr(": 52 56 60 64 68 72 76 80 "));
}

TEST(steps, every_lane_that_takes_part_writes_its_register) {
  // With these values several sums are what stood there before: 0 + 0, 3 + 0.
  const auto w =
      walk_of(ladder_kind::reduce, "shuffle",
              std::vector<std::int32_t>{10, 1, 8, -1, 0, -2, 3, 5, -2, -3, 2, 7, 0, 11, 0, 2});
  std::size_t shuffles = 0, fetches = 0;
  for (const step& s : w.steps) {
    const auto writes_register = [&](const step_move& m) {
      return std::any_of(m.writes.begin(), m.writes.end(), [&](const step_cell& c) {
        return w.arrays[c.array].name.starts_with("registers") && c.index == m.thread;
      });
    };
    if (s.taken_by == "__shfl_down_sync" && s.number > 0) {
      // The sum after the last shuffle is handed to nobody: it goes to memory.
      const bool last = std::none_of(s.moves.begin(), s.moves.end(), writes_register);
      EXPECT_TRUE(last || std::all_of(s.moves.begin(), s.moves.end(), writes_register)) << s.number;
      EXPECT_EQ(s.moves.size(), 32U) << s.number;
      shuffles += last ? 0 : 1;
    } else if (std::any_of(s.moves.begin(), s.moves.end(), writes_register)) {
      EXPECT_EQ(s.moves.size(), 32U) << "lanes without a value get the identity";
      EXPECT_TRUE(std::all_of(s.moves.begin(), s.moves.end(), writes_register));
      ++fetches;
    }
  }
  EXPECT_EQ(shuffles, 8U);
  EXPECT_EQ(fetches, 2U) << "from the input, and from shared memory";
}

// --- networks

using pair_set = std::set<std::pair<std::size_t, std::size_t>>;

std::vector<pair_set> comparators_of(const walkthrough& w) {
  std::vector<pair_set> layers;
  for (const step& s : w.steps) {
    if (s.number == 0) continue;
    layers.emplace_back();
    for (const auto* m : s.workers()) {
      const auto joined = m->joined();
      if (joined) layers.back().insert({joined->first.index, joined->second.index});
    }
  }
  return layers;
}

TEST(steps, comparators_are_those_of_the_network) {
  for (const std::size_t n : {2, 3, 8, 13, 16, 32}) {
    const auto keys = random_values<std::int32_t>(n, n);
    const auto expect_layers = [&](std::string_view name, network_kind kind) {
      std::vector<pair_set> layers;
      for (const auto& layer : network(n, kind)) {
        layers.emplace_back();
        for (const auto& c : layer) layers.back().insert({c.low, c.high});
      }
      EXPECT_EQ(comparators_of(walk_of(ladder_kind::sort, name, keys)), layers)
          << name << ", " << n;
    };
    expect_layers("odd-even", network_kind::odd_even_transposition);
    for (const auto* name : {"bitonic-global", "bitonic-shared", "bitonic-warp"}) {
      expect_layers(name, network_kind::bitonic);
    }
  }
}

TEST(steps, comparators_swap_what_is_out_of_order) {
  const std::vector<std::int32_t> keys{10, 30, 11, 20, 4, 330, 21, 110};
  for (const bool descending : {false, true}) {
    const auto w = walk_of(ladder_kind::sort, "bitonic-shared", keys, {.descending = descending});
    step_cells now = w.steps.front().after.at(0).cells;
    const std::size_t shared = w.steps.front().after.at(0).array;
    for (const step& s : w.steps) {
      if (s.number == 0) continue;
      for (const auto* m : s.workers()) {
        const auto [low, high] = *m->joined();
        const auto value = [&](const step_cell& c) {
          return static_cast<std::int32_t>(*now[c.index]);
        };
        const bool wrong = descending ? value(low) < value(high) : value(high) < value(low);
        EXPECT_EQ(m->writes.size(), wrong ? 2U : 0U) << s.number;
      }
      ASSERT_EQ(s.after.size(), 1U);
      EXPECT_EQ(s.after[0].array, shared);
      now = s.after[0].cells;
      EXPECT_EQ(s.direction,
                descending ? step_direction::greater_first : step_direction::smaller_first);
    }
    EXPECT_EQ(result_of(w), descending ? "330 110 30 21 20 11 10 4" : "4 10 11 20 21 30 110 330");
  }
}

TEST(steps, values_travel_with_their_keys) {
  const std::vector<double> keys{2.5, -1, 7, 0};
  const auto w = walk_of(ladder_kind::sort, "bitonic-warp", keys, {.pairs = true});
  EXPECT_EQ(result_of(w), "-1 0 2.5 7");
  const auto& last = w.steps.back().after;
  EXPECT_EQ(texts(w, last.at(1).array, last.at(1).cells), "1 3 0 2");
}

// --- every rung

class every_rung : public testing::TestWithParam<ladder_kind> {};
INSTANTIATE_TEST_SUITE_P(steps, every_rung, testing::ValuesIn(ladder_kinds), kind_name);

TEST_P(every_rung, comes_to_the_right_result_at_any_size) {
  const auto machine = make_simt_machine();
  const ladder_kind ladder = GetParam();
  if (ladder == ladder_kind::histogram) GTEST_SKIP() << "counts integers, in a test of its own";
  for (const rung* r : entry_of(ladder).rungs(machine->backend())) {
    for (const std::size_t n : {1, 2, 3, 8, 16, 31, 32, 33, 64, 100}) {
      const auto what = std::string(r->about.name) + ", " + std::to_string(n);
      for (const bool other : {false, true}) {  // the other form of a scan or a sort
        const steps_problem form{.exclusive = other, .pairs = other, .descending = other};
        const bool plain = ladder == ladder_kind::reduce || ladder == ladder_kind::select;
        const auto narrow = walk_of(ladder, r->about.name, random_values<std::int32_t>(n, n),
                                    plain ? steps_problem{} : form);
        EXPECT_TRUE(narrow.verdict.right) << what;
        EXPECT_GE(narrow.block, r->about.least_block);
        const auto wide = walk_of(ladder, r->about.name, random_values<double>(n, n),
                                  plain ? steps_problem{.op = operation::max} : form);
        EXPECT_TRUE(wide.verdict.right) << what;
        const bool applied = std::any_of(wide.steps.begin(), wide.steps.end(),
                                         [](const step& s) { return s.number > 0; });
        // Sorts by digits never compare. The library knows its orders and predicates by their
        // types.
        const bool silent = (ladder == ladder_kind::sort && r->about.number >= 8) ||
                            (ladder == ladder_kind::select && r->about.name == "library");
        EXPECT_TRUE(applied || n == 1 || silent) << what;
      }
    }
  }
}

template <class T>
void expect_counted(const rung& r, std::size_t n, unsigned bins) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<T>(i * 7 % (bins + 2)) - T{1};
  if (n > 1) values[1] = 0;
  const auto w = walk_of(ladder_kind::histogram, r.about.name, values, {.bins = bins});
  const auto what = std::string(r.about.name) + ", " + std::to_string(n);
  EXPECT_TRUE(w.verdict.right) << what;
  EXPECT_EQ(w.arrays.at(w.result).type, value_type::u32);
  const bool applied =
      std::any_of(w.steps.begin(), w.steps.end(), [](const step& s) { return s.number > 0; });
  EXPECT_EQ(applied, r.about.name != "library" && n > 1) << what;
}

TEST(steps, histograms_come_to_the_right_counts_at_any_size) {
  for (const rung* r : histogram_rungs(backend_kind::simt)) {
    for (const std::size_t n : {2, 3, 8, 16, 31, 32, 33, 64, 100}) {
      expect_counted<std::int32_t>(*r, n, 16);
      expect_counted<std::int64_t>(*r, n, 5);
    }
  }
}

TEST(steps, a_matching_lane_adds_for_all) {
  const auto w =
      walk_of(ladder_kind::histogram, "match", std::vector<std::int32_t>{3, 1, 3, 3}, {.bins = 4});
  const auto counts = std::find_if(w.steps.begin(), w.steps.end(),
                                   [](const step& s) { return s.taken_by == "__match_any_sync"; });
  ASSERT_NE(counts, w.steps.end());
  std::vector<unsigned> threads;
  for (const auto* m : counts->workers()) threads.push_back(m->thread);
  EXPECT_THAT(threads, ElementsAre(0, 1));
  EXPECT_EQ(result_of(w), "0 1 0 3");
}

TEST(steps, a_histogram_of_too_many_bins_is_refused) {
  const auto walk_in = [](unsigned bins) {
    return walk_of(ladder_kind::histogram, "shared-atomics", std::vector<std::int32_t>{3},
                   {.bins = bins});
  };
  EXPECT_TRUE(walk_in(16384).verdict.right);
  EXPECT_THROW(walk_in(16385), usage_error);
}

TEST_P(every_rung, works_with_its_least_block_and_all_above) {
  const auto machine = make_simt_machine();
  for (const rung* r : entry_of(GetParam()).rungs(machine->backend())) {
    for (unsigned block = r->about.least_block; block <= 256; block *= 2) {
      const auto w =
          walk_of(GetParam(), r->about.name, std::vector<std::int32_t>{5, 3}, {.block = block});
      EXPECT_TRUE(w.verdict.right) << r->about.name << ", " << block;
      EXPECT_EQ(w.block, block);
    }
  }
}

TEST(steps, bank_conflicts_are_marked) {
  const auto values = random_values<std::int32_t>(64, 1);
  const auto conflicts = [](const walkthrough& w) {
    std::uint64_t sum = 0;
    for (const step& s : w.steps) {
      sum += s.conflicts;
      EXPECT_EQ(s.conflicts > 0, !s.in_conflict.empty());
    }
    return sum;
  };
  EXPECT_EQ(conflicts(walk_of(ladder_kind::reduce, "sequential", values)), 0U);
  EXPECT_EQ(conflicts(walk_of(ladder_kind::reduce, "strided", values)),
            5U * 3U);  // two reads and a write
  EXPECT_GT(conflicts(walk_of(ladder_kind::scan, "blelloch", values)), 0U);
  EXPECT_EQ(conflicts(walk_of(ladder_kind::scan, "conflict-free", values)), 0U);
}

TEST(steps, a_cluster_works_together) {
  const auto w = walk_of(ladder_kind::sort, "bitonic-cluster", random_values<std::int32_t>(300, 1));
  EXPECT_TRUE(w.many_blocks);
  EXPECT_EQ(w.blocks, 8U);
  EXPECT_TRUE(w.verdict.right);
  const bool between = std::any_of(w.steps.begin(), w.steps.end(), [](const step& s) {
    return s.ended_by == "cluster sync" && !s.moves.empty();
  });
  EXPECT_TRUE(between);
}

TEST(steps, a_grid_that_fills_the_machine_is_one_block_of_any_number_of_values) {
  const auto w = walk_of(ladder_kind::reduce, "cascade", random_values<std::int32_t>(256, 1));
  EXPECT_EQ(w.block, 32U);
  EXPECT_EQ(w.blocks, 1U);
  EXPECT_TRUE(w.verdict.right);
  ASSERT_FALSE(w.steps.front().moves.empty());
  for (const auto& m : w.steps.front().moves) EXPECT_EQ(m.reads.size(), 8U) << m.thread;
  EXPECT_TRUE(takes_any_number(find(ladder_kind::reduce, "shuffle")));
  EXPECT_FALSE(takes_any_number(find(ladder_kind::reduce, "sequential")));
}

TEST(steps, what_makes_no_sense_is_refused) {
  const auto message = [](std::string_view name, std::size_t n, unsigned block) {
    try {
      walk_of(ladder_kind::reduce, name, random_values<std::int32_t>(n, 1), {.block = block});
    } catch (const usage_error& e) {
      return std::string(e.what());
    }
    return std::string("nothing thrown");
  };
  EXPECT_THAT(message("sequential", 0, 0), HasSubstr("no values"));
  EXPECT_THAT(message("sequential", 1025, 0), HasSubstr("at most 1024"));
  EXPECT_THAT(message("first-add", 2049, 0), HasSubstr("at most 2048"));
  EXPECT_THAT(message("sequential", 9, 8), HasSubstr("at most 8"));
  for (const unsigned block : {1U, 3U, 12U, 2048U}) {
    EXPECT_THAT(message("sequential", 2, block), HasSubstr("2, 4, 8")) << block;
  }
  EXPECT_THAT(message("shuffle", 2, 16), HasSubstr("32, 64, 128"));
}

}  // namespace
}  // namespace warpfold::ladder
