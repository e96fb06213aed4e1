// Every rung of the streams ladder is right, for any size and any number of chunks; the schedule
// keeps the rules; and on a GPU it gives the times that the GPU takes.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "ladder/streams/cpu_values.hpp"
#include "ladder/streams/executor.hpp"
#include "ladder/streams/labels.hpp"
#include "ladder/streams/run.hpp"
#include "ladder/streams/spans.hpp"
#include "tests/ladder/values.hpp"

namespace warpfold::ladder {

namespace streams_ladder::cpu_machine {
std::unique_ptr<executor> make_executor(const executor_problem& p, const clock_function& now_us);
}

namespace {

using simt::engine;

template <class T>
streams_result run_ladder(const std::vector<T>& values, streams_problem p) {
  p.values = {type_of<T>, values.data(), values.size()};
  return run_streams_ladder(p, streams_rungs(p.on_gpu));
}

template <class T>
void expect_all_right(const std::vector<T>& values, const streams_problem& p) {
  for (const auto& row : run_ladder(values, p).rows) expect_right({row.record});
}

const streams_row& named(const streams_result& r, std::string_view name) {
  return *std::find_if(r.rows.begin(), r.rows.end(),
                       [&](const auto& row) { return row.record.name == name; });
}
double time_of(const streams_row& row) { return row.record.timing->median(); }

/// Why there is no GPU to run on; empty where there is.
std::string no_gpu() {
  if (streams_rungs(true).empty()) return "this build is without CUDA";
  try {
    const std::vector<std::int32_t> few(64);
    run_ladder(few, {.samples = 1, .on_gpu = true});
  } catch (const device_error& e) {
    return e.what();
  }
  return {};
}

class streams_ladder_test : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    on_gpu_ = GetParam() == std::string("cuda");
    if (!on_gpu_) return;
    const std::string why = no_gpu();
    if (!why.empty()) GTEST_SKIP() << why;
  }
  bool on_gpu_ = false;
};
INSTANTIATE_TEST_SUITE_P(machines, streams_ladder_test, testing::Values("simt", "cuda"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(streams_ladder_test, any_size_any_number_of_chunks) {
  for (const std::size_t n : {0, 1, 2, 63, 64, 65, 511, 1000, 4097, 100003}) {
    for (const unsigned chunks : {1U, 2U, 3U, 8U, 13U}) {
      expect_all_right(random_values<std::int32_t>(n, n),
                       {.chunks = chunks, .samples = 1, .on_gpu = on_gpu_});
    }
  }
}

TEST_P(streams_ladder_test, every_type) {
  const std::size_t n = 70001;
  const streams_problem p{.chunks = 5, .passes = 2, .samples = 1, .on_gpu = on_gpu_};
  expect_all_right(random_values<std::int32_t>(n, 1), p);
  expect_all_right(random_values<std::int64_t>(n, 2), p);
  expect_all_right(random_values<float>(n, 3), p);
  expect_all_right(random_values<double>(n, 4), p);
}

TEST_P(streams_ladder_test, as_many_chunks_as_there_may_be) {
  expect_all_right(random_values<std::int32_t>(40000, 9),
                   {.chunks = most_chunks, .samples = 2, .on_gpu = on_gpu_});
}

TEST(streams_schedule, numbers_that_make_no_sense) {
  const std::vector<std::int32_t> values(10);
  EXPECT_THROW(run_ladder(values, {.chunks = 0}), usage_error);
  EXPECT_THROW(run_ladder(values, {.chunks = most_chunks + 1}), usage_error);
  EXPECT_THROW(run_ladder(values, {.passes = 0}), usage_error);
  EXPECT_THROW(run_ladder(values, {.speeds = {.copy_in_gbs = 0}}), usage_error);
  EXPECT_THROW(run_ladder(values, {.speeds = {.kernel_gbs = std::nan("")}}), usage_error);
  EXPECT_THROW(run_ladder(values, {.speeds = {.copy_engines = 3}}), usage_error);
}

/// Kernels that take as long as copies: where order shows most.
streams_result balanced(simt::engine_speeds speeds = {}) {
  static const auto values = random_values<std::int32_t>(std::size_t{1} << 20, 5);
  speeds.kernel_gbs = speeds.copy_in_gbs;
  speeds.call_us = speeds.latency_us = speeds.graph_latency_us = 0.01;
  return run_ladder(values, {.speeds = speeds});
}

TEST(streams_schedule, each_rung_does_what_it_says) {
  const auto all = balanced();
  const double link = time_of(named(all, "pinned")) / 2;
  EXPECT_NEAR(time_of(named(all, "pageable")), link * (54 / 7.5 + 1), link * 0.01);
  EXPECT_NEAR(time_of(named(all, "one-stream")), link * 2, link * 0.01);
  for (const char* name : {"depth-first", "breadth-first", "both-engines", "graph"}) {
    EXPECT_NEAR(time_of(named(all, name)), link * 9 / 8, link * 0.01) << name;
  }
  // Four chunks one by one, four overlapped.
  EXPECT_NEAR(time_of(named(all, "default-stream")), link * (1 + 5.0 / 8), link * 0.01);
  EXPECT_LT(time_of(named(all, "ring")), link * 1.02) << "the host takes its share";
  const auto overlap = [&](const char* name) {
    return streams_ladder::occupation_of(named(all, name).spans).overlap_percent();
  };
  EXPECT_NEAR(overlap("pinned"), 0, 0.1);
  EXPECT_NEAR(overlap("one-stream"), 0, 0.1);
  EXPECT_NEAR(overlap("depth-first"), 7.0 / 8 * 100, 1);
  EXPECT_NEAR(overlap("both-engines"), 7.0 / 8 * 100, 1);
}

TEST(streams_schedule, breadth_first_pays_where_one_queue_feeds_one_copy_engine) {
  const auto all = balanced({.copy_engines = 1, .one_queue = true});
  const double depth = time_of(named(all, "depth-first"));
  const double breadth = time_of(named(all, "breadth-first"));
  EXPECT_NEAR(depth, time_of(named(all, "one-stream")), depth * 0.01) << "no overlap at all";
  EXPECT_LT(breadth, depth * 0.85);
}

TEST(streams_schedule, a_graph_saves_calls) {
  const auto values = random_values<std::int32_t>(std::size_t{1} << 16, 6);
  const auto all = run_ladder(values, {.chunks = most_chunks});
  EXPECT_LT(time_of(named(all, "graph")), 0.5 * time_of(named(all, "both-engines")));
}

TEST(streams_schedule, spans_by_events_are_the_timelines_own) {
  const auto values = random_values<std::int32_t>(std::size_t{1} << 18, 7);
  const auto compare = [&](const streams_rung& r) {
    simt::engine_speeds speeds;
    speeds.call_us = speeds.latency_us = speeds.graph_latency_us = 0;
    speeds.call_us = r.about.name == "breadth-first" || r.about.name == "ring" ? 0.01 : 0;
    simt::timeline line(speeds);
    const auto executor = streams_ladder::cpu_machine::make_executor(
        {value_type::i32, values.data(), values.size(), 8, 1, streams_ladder::add_on_host},
        [&] { return line.now_us(); });
    streams_ladder::timeline_labels labels(line);
    auto by_events = executor->trace(r, labels);
    auto own = line.spans();
    const auto of_device = [](const auto& spans) {
      std::vector<simt::timeline_span> kept;
      for (const auto& s : spans) {
        if (s.where != engine::host) kept.push_back(s);
      }
      std::stable_sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) {
        return std::pair(a.where, a.label) < std::pair(b.where, b.label);
      });
      return kept;
    };
    own = of_device(own);
    by_events = of_device(by_events);
    ASSERT_EQ(own.size(), by_events.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      EXPECT_EQ(own[i].label, by_events[i].label);
      EXPECT_NEAR(own[i].end_us - own[i].begin_us, by_events[i].end_us - by_events[i].begin_us, 1);
      EXPECT_NEAR(own[i].begin_us, by_events[i].begin_us, 1) << i;
    }
  };
  for (const auto* r : streams_rungs(false)) {
    SCOPED_TRACE(std::string(r->about.name));
    compare(*r);
  }
}

/// Of a machine on which so many times fewer values take as long.
simt::engine_speeds slower(simt::engine_speeds s, double times) {
  for (double* gbs :
       {&s.copy_in_gbs, &s.copy_out_gbs, &s.kernel_gbs, &s.pageable_gbs, &s.host_gbs}) {
    *gbs /= times;
  }
  return s;
}

TEST(streams_on_a_gpu, the_schedule_tells_its_times) {
  const std::string why = no_gpu();
  if (!why.empty()) GTEST_SKIP() << why;
  // Chunks that no cache holds, or a kernel would be faster on one than on all.
  const auto values = random_values<std::int32_t>(std::size_t{1} << 28, 8);
  constexpr unsigned fewer = 256;  // the schedule's kernels run on a CPU
  const std::vector<std::int32_t> few(values.begin(), values.begin() + values.size() / fewer);
  for (const unsigned passes : {1U, 50U}) {
    const auto real = run_ladder(values, {.passes = passes, .samples = 5, .on_gpu = true});
    const auto& s = real.speeds;
    std::printf("GB/s: in %.1f, out %.1f, kernel %.0f, pageable %.1f, host %.1f; us: %.2f, %.2f\n",
                s.copy_in_gbs, s.copy_out_gbs, s.kernel_gbs, s.pageable_gbs, s.host_gbs, s.call_us,
                s.latency_us);
    const auto scheduled =
        run_ladder(few, {.passes = passes, .speeds = slower(real.speeds, fewer)});
    for (std::size_t i = 0; i < real.rows.size(); ++i) {
      const auto& m = real.rows[i].record;
      const double took = time_of(real.rows[i]), expected = time_of(scheduled.rows[i]);
      std::printf("%-16s %3u passes: %9.1f us, %9.1f by the schedule (%+.1f %%)\n", m.name.c_str(),
                  passes, took, expected, 100 * (expected / took - 1));
      EXPECT_NEAR(expected / took, 1, 0.1) << m.name << ", " << passes << " passes";
    }
  }
}

}  // namespace
}  // namespace warpfold::ladder
