// Compiled so that the default stream is each thread's own: calls that name no stream run in it,
// beside others in the same program for which it is not.
#include <thread>

#include "tests/library/device/stream_jobs.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

class device_streams_per_thread : public device_test {
 protected:
  static std::vector<make_job> jobs() {
    const std::size_t n = on_cpu ? 7001 : 1000003;
    return {job_of<fold_job<std::int32_t, plus>>(700), job_of<fold_job<float, plus>>(n),
            job_of<scan_problem<std::int32_t, plus>>(n), job_of<sort_job<ascending>>(n),
            job_of<sort_job<backwards>>(n)};
  }
};

TEST_F(device_streams_per_thread, calls_that_name_no_stream_are_captured_with_the_threads_own) {
  for (const auto& make : jobs()) {
    const auto job = make(1);
    const captured graph(cudaStreamPerThread,
                         [&] { EXPECT_TRUE(job->again(device, memory_of::job).ok()); });
    EXPECT_GT(graph.nodes, 0U);
    job->expect_right_after(0);
    for (int k = 0; k < 3; ++k) {
      ASSERT_EQ(graph.launch_in(cudaStreamPerThread), cudaSuccess);
    }
    ASSERT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
    job->expect_right_after(3);
  }
}

TEST_F(device_streams_per_thread, a_named_stream_is_the_one_that_is_named) {
  const own_stream s;
  EXPECT_EQ(device.stream(), cudaStreamPerThread);
  EXPECT_EQ(device.on(s.stream).stream(), s.stream);
  EXPECT_EQ(device.on(cudaStreamLegacy).stream(), cudaStreamLegacy);
}

TEST_F(device_streams_per_thread, threads_work_at_once) {
  for (const auto& make : jobs()) {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < (on_cpu ? 2 : 4); ++i) {
      threads.emplace_back([&make, i] {
        const machine_checks checks;
        const auto job = make(100 * i);
        for (unsigned k = 0; k < 3; ++k) {
          EXPECT_TRUE(job->again(device, k % 2 == 0 ? memory_of::job : memory_of::call).ok());
        }
        job->expect_right_after(3);
      });
    }
    for (auto& t : threads) t.join();
  }
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
