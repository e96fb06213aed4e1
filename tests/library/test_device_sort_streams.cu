// Device sorts in streams and graphs: on CUDA two at once and calls that are captured and replayed;
// the CPU machine has neither.
#include "tests/library/device_sort_test.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

class device_sort_streams : public device_test {
#if defined(SIMT_KERNELS)
  void SetUp() override { GTEST_SKIP() << "the CPU machine runs a launch at once, in no stream"; }
#endif
};

#if defined(SIMT_KERNELS)

TEST_F(device_sort_streams, two_sort_at_once) {}
TEST_F(device_sort_streams, a_captured_sort_is_replayed) {}

#else

struct own_stream {
  own_stream() {
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) stream = nullptr;
  }
  ~own_stream() { (void)cudaStreamDestroy(stream); }
  own_stream(const own_stream&) = delete;
  own_stream& operator=(const own_stream&) = delete;
  cudaStream_t stream = nullptr;
};

/// Of every way a sort can take: by a block, a cluster, few and many merges, CUB's radix sort.
constexpr std::size_t sizes[] = {700, 7001, 100003, 1000003};

/// Keys and items with a workspace, which are sorted in any stream and checked.
template <class Less>
struct sorted_rows {
  using word = std::uint32_t;
  std::vector<word> keys;
  device_buffer<word> sorted, along;
  workspace memory;
  Less less{};

  sorted_rows(std::size_t n, unsigned seed)
      : keys(random_values<word>(n, seed)),
        sorted(keys),
        along(numbered<word>(n)),
        memory(sort_workspace_bytes<word, word>(n)) {}

  status sort_in(cudaStream_t stream) {
    return stable_sort_by_key(device.on(stream).with(memory), sorted.room(), along.room(), less);
  }
  void restore_in(cudaStream_t stream, const sorted_rows& from) const {
    const std::size_t bytes = keys.size() * sizeof(word);
    ASSERT_TRUE(copy_async(sorted.data(), from.sorted.data(), bytes, stream).ok());
    ASSERT_TRUE(copy_async(along.data(), from.along.data(), bytes, stream).ok());
  }
  void expect_right() const {
    const auto places = places_of(keys, less);
    EXPECT_TRUE(same_bits(sorted.read(), at_places(keys, places))) << keys.size();
    EXPECT_TRUE(same_bits(along.read(), at_places(numbered<word>(keys.size()), places)))
        << keys.size();
  }
};

template <class Less>
void expect_two_at_once(std::size_t n) {
  const own_stream streams[2];
  sorted_rows<Less> rows[2]{{n, 1}, {n, 2}};
  const sorted_rows<Less> fresh[2]{{n, 1}, {n, 2}};
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int round = 0; round < 50; ++round) {
    for (const int i : {0, 1}) {
      rows[i].restore_in(streams[i].stream, fresh[i]);
      ASSERT_TRUE(rows[i].sort_in(streams[i].stream).ok());
    }
  }
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (const auto& r : rows) r.expect_right();
}

TEST_F(device_sort_streams, two_sort_at_once) {
  for (const std::size_t n : sizes) {
    expect_two_at_once<ascending>(n);
    expect_two_at_once<backwards>(n);
  }
}

template <class Less>
void expect_replays(std::size_t n) {
  const own_stream s;
  sorted_rows<Less> rows(n, 1);
  const sorted_rows<Less> fresh(n, 1);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(s.stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  rows.restore_in(s.stream, fresh);
  const status captured = rows.sort_in(s.stream);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(s.stream, &graph), cudaSuccess);
  ASSERT_TRUE(captured.ok());
  cudaGraphExec_t runnable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&runnable, graph, 0), cudaSuccess);
  for (int replay = 0; replay < 1000; ++replay) {
    ASSERT_EQ(cudaGraphLaunch(runnable, s.stream), cudaSuccess);
    if (replay == 0 || replay == 999) {
      ASSERT_EQ(cudaStreamSynchronize(s.stream), cudaSuccess);
      rows.expect_right();
    }
  }
  (void)cudaGraphExecDestroy(runnable);
  (void)cudaGraphDestroy(graph);
}

TEST_F(device_sort_streams, a_captured_sort_is_replayed) {
  for (const std::size_t n : sizes) {
    expect_replays<ascending>(n);
    expect_replays<backwards>(n);
  }
}

#endif

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
