// Random calls of the device library from several host threads for a while, each thread with
// streams of its own: put into a stream, or captured in any mode and replayed, in memory that was
// given or not, whatever the other threads do. The first call of a kernel is as often as not inside
// a capture.
//
//   fuzz [--seconds S] [--seed N] [--threads T] [--most-bits B] [--captures P]
//
// T threads with the seeds N, N + 1, …; up to 2^(B+1) values; P percent of the jobs are captured.
// Prints what was done, and exits with 1 if a call was refused or a result wrong: the message names
// the thread's seed, with which
// `--threads 1` does the same again.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "tests/library/fuzz/calls.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

#if defined(SIMT_KERNELS)
constexpr bool on_cpu = true;
#else
constexpr bool on_cpu = false;
#endif

struct fuzz_options {
  double seconds = on_cpu ? 4 : 20;
  unsigned long long seed = 1;
  unsigned threads = on_cpu ? 2 : 8, most_bits = on_cpu ? 12 : 20, captures = 50;
};
fuzz_options options;  // NOLINT: main's arguments

/// What this thread may do while streams are captured, as long as it lives.
class with_mode {
 public:
  explicit with_mode(cudaStreamCaptureMode mode) : mode_(mode) { exchange(); }
  ~with_mode() { exchange(); }
  with_mode(const with_mode&) = delete;
  with_mode& operator=(const with_mode&) = delete;

 private:
  void exchange() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }
  cudaStreamCaptureMode mode_;
};

/// One of all calls: see the files beside this one.
fuzz_call random_call(fuzz_source& from) {
  static constexpr decltype(&fuzz_scan_calls) families[] = {
      fuzz_reduce_calls,      fuzz_scan_calls,  fuzz_select_calls, fuzz_sort_calls,
      fuzz_sort_by_key_calls, fuzz_first_calls, fuzz_sorted_calls, fuzz_part_calls};
  const auto calls = families[from.below(std::size(families))]();
  return calls[from.below(static_cast<unsigned>(calls.size()))](from);
}

struct fuzz_counts {
  std::atomic<unsigned long long> calls{0}, captures{0}, replays{0};
};

class fuzz_thread {
 public:
  fuzz_thread(std::uint64_t seed, fuzz_counts& counts)
      : seed_(seed), from_(seed, options.most_bits), counts_(counts) {}

  /// One call, in one way or another.
  void step(unsigned number) {
    SCOPED_TRACE(testing::Message() << "thread seed " << seed_ << ", step " << number);
    const fuzz_call call = random_call(from_);
    SCOPED_TRACE(call.name);
    const bool captures = from_.below(100) < options.captures;
    // The CPU machine can't allocate in a capture.
    const auto whose =
        (captures && on_cpu) || from_.below(2) == 0 ? memory_of::job : memory_of::call;
    if (captures) {
      replay(call, whose);
    } else {
      for (unsigned times = 1 + from_.below(3); times > 0; --times) put(call, whose);
    }
    ASSERT_EQ(cudaStreamSynchronize(stream_.stream), cudaSuccess);
    call.expect_right();
  }

 private:
  void put(const fuzz_call& call, memory_of whose) {
    ++counts_.calls;
    const with_mode as_usual(cudaStreamCaptureModeGlobal);
    const status s = call.put(device.on(stream_.stream), whose);
    EXPECT_TRUE(s.ok()) << s.code() << ": " << s.reason();
  }
  void replay(const fuzz_call& call, memory_of whose) {
    static constexpr cudaStreamCaptureMode modes[] = {cudaStreamCaptureModeGlobal,
                                                      cudaStreamCaptureModeThreadLocal,
                                                      cudaStreamCaptureModeRelaxed};
    const auto mode = modes[from_.below(3)];
    SCOPED_TRACE(testing::Message() << "capture mode " << static_cast<int>(mode));
    ++counts_.captures;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t runnable = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(stream_.stream, mode), cudaSuccess);
    for (unsigned times = 1 + from_.below(2); times > 0; --times) put(call, whose);
    ASSERT_EQ(cudaStreamEndCapture(stream_.stream, &graph), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&runnable, graph, 0), cudaSuccess);
    for (unsigned times = 1 + from_.below(3); times > 0; --times) {
      ++counts_.replays;
      EXPECT_EQ(cudaGraphLaunch(runnable, stream_.stream), cudaSuccess);
    }
    EXPECT_EQ(cudaStreamSynchronize(stream_.stream), cudaSuccess);
    EXPECT_EQ(cudaGraphExecDestroy(runnable), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  }

  std::uint64_t seed_;
  fuzz_source from_;
  fuzz_counts& counts_;
  own_stream stream_;
};

// Without the CPU machine's checks, which the tests of library.device have: results are compared.
TEST(device_fuzz, calls_of_all_kinds_from_several_threads) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) GTEST_SKIP() << "no CUDA device";
  fuzz_counts counts;
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(options.seconds);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < options.threads; ++t) {
    threads.emplace_back([&, t] {
      // The thread's own work (memory, copies, waits) minds no other thread's capture; the calls
      // that are tried are under CUDA's usual rule.
      const with_mode own_work(cudaStreamCaptureModeRelaxed);
      fuzz_thread thread(options.seed + t, counts);
      for (unsigned step = 0; std::chrono::steady_clock::now() < end && !HasFailure(); ++step) {
        thread.step(step);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  std::printf("fuzz: seed %llu, %u threads: %llu calls, %llu captures, %llu replays%s\n",
              options.seed, options.threads, counts.calls.load(), counts.captures.load(),
              counts.replays.load(), HasFailure() ? "; FAILED" : ", none refused, none wrong");
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  auto& options = warpfold::test::options;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    if (i + 1 == argc) {
      std::fprintf(stderr, "fuzz: %s takes a value\n", argv[i]);
      return 2;
    }
    if (name == "--seconds") {
      options.seconds = std::atof(argv[i + 1]);
    } else if (name == "--seed") {
      options.seed = std::strtoull(argv[i + 1], nullptr, 10);
    } else if (name == "--threads") {
      options.threads = static_cast<unsigned>(std::atoi(argv[i + 1]));
    } else if (name == "--most-bits") {
      options.most_bits = static_cast<unsigned>(std::atoi(argv[i + 1]));
    } else if (name == "--captures") {
      options.captures = static_cast<unsigned>(std::atoi(argv[i + 1]));
    } else {
      std::fprintf(stderr,
                   "fuzz: there is no option %s: --seconds, --seed, --threads, --most-bits, "
                   "--captures\n",
                   argv[i]);
      return 2;
    }
  }
  return RUN_ALL_TESTS();
}
