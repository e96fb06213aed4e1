// The benchmarks' harness on the host: whose turn it is, what is timed, what counts as wrong.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bench/harness/host_timer.hpp"
#include "measure/facts.hpp"

namespace warpfold::bench {
namespace {

candidate named(std::string name, std::function<void(std::size_t)> run) {
  measure::measurement record;
  record.name = std::move(name);
  return {record, std::move(run)};
}

/// Slots that want 1 to be written.
struct number_slots {
  std::vector<int> out;
  [[nodiscard]] slots as_slots() {
    return {.count = out.size(),
            .renew = [this] { std::fill(out.begin(), out.end(), -1); },
            .check =
                [this](std::size_t begin, std::size_t end) {
                  mistakes wrong;
                  for (std::size_t i = begin; i < end; ++i) {
                    wrong += one_result(out[i] == 1, "it is " + std::to_string(out[i]));
                  }
                  return wrong;
                }};
  }
};

TEST(harness, candidates_take_turns_and_the_first_call_of_each_warms_up) {
  number_slots memory{std::vector<int>(2)};
  std::string calls;
  const std::vector<candidate> all{
      named("a", [&](std::size_t slot) { calls += "a", memory.out[slot] = 1; }),
      named("b", [&](std::size_t slot) { calls += "b", memory.out[slot] = 1; }),
      named("c", [&](std::size_t slot) { calls += "c", memory.out[slot] = 1; })};
  const auto rows = time_on_host(2, memory.as_slots(), all);
  EXPECT_EQ(calls, "abcabcabc");
  ASSERT_EQ(rows.size(), 3U);
  for (const auto& row : rows) {
    EXPECT_EQ(row.timing->count(), 2U);
    EXPECT_TRUE(measure::is_right(row)) << row.verdict.result;
    EXPECT_EQ(row.call, "single");
    EXPECT_EQ(row.backend, measure::backend_kind::host);
  }
}

TEST(harness, a_result_that_was_not_written_or_is_wrong_once_is_wrong) {
  number_slots memory{std::vector<int>(3)};
  int calls = 0;
  const std::vector<candidate> all{
      named("idle", [](std::size_t) {}),
      named("once", [&](std::size_t slot) { memory.out[slot] = ++calls == 2 ? 7 : 1; })};
  const auto rows = time_on_host(4, memory.as_slots(), all);
  EXPECT_FALSE(measure::is_right(rows[0]));
  EXPECT_EQ(rows[0].verdict.result, "5 of 5 results wrong: it is -1");
  EXPECT_FALSE(measure::is_right(rows[1]));
  EXPECT_EQ(rows[1].verdict.result, "1 of 5 results wrong: it is 7");
}

TEST(harness, a_candidate_may_check_what_it_leaves_elsewhere) {
  number_slots memory{std::vector<int>(1)};
  candidate other = named("other", [](std::size_t) {});
  other.check = [](std::size_t, std::size_t) { return mistakes{}; };
  EXPECT_TRUE(measure::is_right(time_on_host(1, memory.as_slots(), std::vector{other})[0]));
}

TEST(harness, time_is_that_of_the_call) {
  const double us = time_us([] {
    for (volatile int i = 0; i < 2'000'000; i = i + 1) {
    }
  });
  EXPECT_GT(us, 200) << "two million steps";
  EXPECT_LT(time_us([] {}), us);
  EXPECT_GT(time_us(
                [] {
                  for (volatile int i = 0; i < 2'000'000; i = i + 1) {
                  }
                },
                host_clock::processor),
            200);
}

}  // namespace
}  // namespace warpfold::bench
