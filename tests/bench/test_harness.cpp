// The benchmarks' harness on the host: whose turn it is, what is timed, what counts as wrong.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <string>
#include <thread>
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

/// A call that sleeps takes time of the wall clock; one that computes takes it of the processor's.
TEST(harness, each_clock_measures_its_own_time) {
  using std::chrono::milliseconds;
  const auto sleep = [] { std::this_thread::sleep_for(milliseconds(20)); };
  EXPECT_GE(time_us(sleep), 20'000);
  EXPECT_LT(time_us(sleep, host_clock::processor), 10'000);
  const auto compute = [] {
    const std::clock_t end = std::clock() + 20 * CLOCKS_PER_SEC / 1000;
    while (std::clock() < end) {
    }
  };
  EXPECT_GE(time_us(compute, host_clock::processor), 19'000);
}

}  // namespace
}  // namespace warpfold::bench
