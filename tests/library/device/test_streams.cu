// Calls of every kind in streams: several at once, captured and replayed, in each thread's default
// stream. The CPU machine does a stream's work at once, and replays what it has captured.
#include <thread>

#include "tests/library/device/stream_jobs.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

class device_streams : public device_test {
 protected:
  /// Of every way a call can take on the device: one warp, one turn of loads and loops, partials
  /// that add up and partials told, waves and rings, sorts by a block, a cluster, merges, digits.
  static std::vector<make_job> all_jobs() {
    std::vector<make_job> jobs{
        job_of<rows_job>(100, 70),
        job_of<rows_job>(3, 20011),
        job_of<scan_problem<std::uint64_t, plus>>(on_cpu ? 70001 : 2300003),
        job_of<fold_job<std::int32_t, plus>>(on_cpu ? 150001 : 5000011),
        job_of<fold_job<float, plus>>(on_cpu ? 150001 : 5000011),
    };
    const auto sizes = on_cpu ? std::vector<std::size_t>{700, 30011}
                              : std::vector<std::size_t>{700, 7001, 100003, 1000003};
    for (const std::size_t n : sizes) {
      jobs.insert(jobs.end(), {
                                  job_of<fold_job<std::int32_t, plus>>(n),
                                  job_of<fold_job<float, plus>>(n),
                                  job_of<fold_job<affine, then>>(n),
                                  job_of<fold_job<double, plus, true>>(n),
                                  job_of<scan_problem<std::int32_t, plus>>(n),
                                  job_of<scan_problem<std::uint8_t, plus>>(n),
                                  job_of<scan_problem<affine, then>>(n),
                                  job_of<sort_job<ascending>>(n),
                                  job_of<sort_job<backwards>>(n),
                              });
    }
    return jobs;
  }

  /// How often a call is made on a device; on the CPU machine, where each takes milliseconds and
  /// nothing depends on timing, thrice.
  static constexpr unsigned or_thrice(unsigned times) { return on_cpu ? 3 : times; }
  static constexpr unsigned at_once = on_cpu ? 2 : 4;

  static void expect_several_at_once(const make_job& make, memory_of whose) {
    const own_stream streams[at_once];
    std::vector<std::unique_ptr<stream_job>> jobs;
    for (unsigned i = 0; i < at_once; ++i) jobs.push_back(make(100 * i));
    constexpr unsigned times = or_thrice(50);
    for (unsigned k = 0; k < times; ++k) {
      for (unsigned i = 0; i < at_once; ++i) {
        ASSERT_TRUE(jobs[i]->again(device.on(streams[i].stream), whose).ok());
      }
    }
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (const auto& job : jobs) job->expect_right_after(times);
  }

  /// Two graphs of two calls each, in two streams at once.
  static void expect_replays(const make_job& make, memory_of whose, unsigned times) {
    const own_stream streams[2];
    const std::unique_ptr<stream_job> jobs[2]{make(0), make(100)};
    const auto capture = [&](unsigned i) {
      return std::make_unique<captured>(streams[i].stream, [&] {
        const auto where = device.on(streams[i].stream);
        EXPECT_TRUE(jobs[i]->again(where, whose).ok() && jobs[i]->again(where, whose).ok());
      });
    };
    const std::unique_ptr<captured> graphs[2]{capture(0), capture(1)};
    for (const auto& job : jobs) job->expect_right_after(0);  // nothing has run yet
    for (unsigned k = 0; k < times; ++k) {
      for (const int i : {0, 1}) ASSERT_EQ(graphs[i]->launch_in(streams[i].stream), cudaSuccess);
    }
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (const auto& job : jobs) job->expect_right_after(2 * times);
  }
};

TEST_F(device_streams, several_at_once_with_a_workspace_each) {
  for (const auto& make : all_jobs()) expect_several_at_once(make, memory_of::job);
}
TEST_F(device_streams, several_at_once_that_allocate) {
  for (const auto& make : all_jobs()) expect_several_at_once(make, memory_of::call);
}

TEST_F(device_streams, captured_calls_are_replayed) {
  for (const auto& make : all_jobs()) expect_replays(make, memory_of::job, or_thrice(1000));
}
TEST_F(device_streams, captured_calls_that_allocate_are_replayed) {
  if (on_cpu) GTEST_SKIP() << "the CPU machine's graphs allocate nothing";
  for (const auto& make : all_jobs()) expect_replays(make, memory_of::call, 100);
}

TEST_F(device_streams, where_a_capture_can_not_allocate_it_says_what_to_do) {
  if (!on_cpu) GTEST_SKIP() << "CUDA's graphs allocate";
  const own_stream s;
  const device_buffer<float> in(std::vector<float>(40000)), out(std::vector<float>{77});
  const captured nothing(s.stream, [&] {
    const status refused = reduce_into(device.on(s.stream), in.values(), out.data());
    EXPECT_NE(std::string(refused.reason()).find("give the call a workspace"), std::string::npos);
  });
  EXPECT_EQ(nothing.nodes, 0U);
  EXPECT_EQ(out.read(), std::vector<float>{77});
}

/// Each of several threads in its own default stream, asked for by name.
TEST_F(device_streams, threads_use_their_default_streams_at_once) {
  for (const auto& make : all_jobs()) {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < at_once; ++i) {
      threads.emplace_back([&make, i] {
        const machine_checks checks;
        const auto mine = device.on(cudaStreamPerThread);
        const auto job = make(100 * i);
        constexpr unsigned times = or_thrice(50);
        for (unsigned k = 0; k < times; ++k) {
          EXPECT_TRUE(job->again(mine, k % 2 == 0 ? memory_of::job : memory_of::call).ok());
        }
        EXPECT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
        job->expect_right_after(times);
      });
    }
    for (auto& t : threads) t.join();
  }
}

TEST_F(device_streams, results_come_back_to_the_threads_that_asked) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < at_once; ++i) {
    threads.emplace_back([i] {
      const machine_checks checks;
      const auto mine = device.on(cudaStreamPerThread);
      for (std::int32_t k = 1; k <= std::int32_t{or_thrice(10)}; ++k) {
        const auto value = k * 10 + static_cast<std::int32_t>(i);
        const device_buffer<std::int32_t> in(std::vector<std::int32_t>(9001, value));
        EXPECT_EQ(reduce(mine, in.values()), 9001 * value);
        EXPECT_EQ(statistics(mine, in.values()).sum, 9001.0 * value);
        EXPECT_EQ(max(mine, in.values()), value);
      }
    });
  }
  for (auto& t : threads) t.join();
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
