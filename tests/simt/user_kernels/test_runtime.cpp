// CUDA's runtime for host code: what the calls do, and what they say when they are misused.
#include <string>
#include <vector>

#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/launch.hpp"
#include "tests/simt/user_kernels/launchers.hpp"

namespace {

using testing::HasSubstr;

class own_runtime : public testing::Test {
 protected:
  void TearDown() override { cudaDeviceReset(); }

  /// Expects the error, as the call's and as the last one, and what is said of it.
  void expect_error(cudaError_t got, cudaError_t expected, const std::string& says) {
    EXPECT_EQ(got, expected) << cudaGetErrorName(got);
    EXPECT_EQ(cudaPeekAtLastError(), expected);
    EXPECT_EQ(cudaGetLastError(), expected);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "asked for once, it is gone";
    ASSERT_FALSE(watching_.errors.empty());
    EXPECT_THAT(watching_.errors.back(), HasSubstr(says));
  }
  void* allocated(std::size_t bytes) {
    void* p = nullptr;
    EXPECT_EQ(cudaMalloc(&p, bytes), cudaSuccess);
    return p;
  }

  simt::observe watching_{{}};
};

TEST_F(own_runtime, memory_goes_there_and_back) {
  const std::vector<int> values{1, 2, 3, 4};
  std::vector<int> back(4);
  int *a = nullptr, *b = nullptr, *pinned = nullptr;
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&a, 16), cudaSuccess);
  ASSERT_EQ(cudaMallocAsync(&b, 16, stream), cudaSuccess);
  ASSERT_EQ(cudaHostAlloc(&pinned, 16, cudaHostAllocMapped), cudaSuccess);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a) % 256, 0U);
  EXPECT_EQ(cudaMemcpy(a, values.data(), 16, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(b, a, 16, cudaMemcpyDeviceToDevice, stream), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(b, 0xff, 4, stream), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(pinned, b, 16, cudaMemcpyDeviceToHost, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(pinned[0], -1);
  EXPECT_EQ(pinned[3], 4);
  EXPECT_EQ(cudaMemcpy(back.data(), pinned, 16, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(back[3], 4);
  EXPECT_EQ(cudaFree(a), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(b, stream), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(own_runtime, rows_with_a_pitch) {
  const std::vector<char> values{'a', 'b', 'c', 'd', 'e', 'f'};
  std::vector<char> back(6);
  char* rows = nullptr;
  std::size_t pitch = 0;
  ASSERT_EQ(cudaMallocPitch(&rows, &pitch, 3, 2), cudaSuccess);
  EXPECT_GE(pitch, 3U);
  EXPECT_EQ(cudaMemcpy2D(rows, pitch, values.data(), 3, 3, 2, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemset2D(rows, pitch, 'x', 1, 2), cudaSuccess);
  EXPECT_EQ(cudaMemcpy2D(back.data(), 3, rows, pitch, 3, 2, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(std::string(back.begin(), back.end()), "xbcxef");
  expect_error(cudaMemcpy2D(rows, 2, values.data(), 3, 3, 2, cudaMemcpyHostToDevice),
               cudaErrorInvalidPitchValue, "wider than their pitch");
}

TEST_F(own_runtime, copies_that_are_wrong) {
  int host[8] = {};
  void* const device = allocated(16);
  void* const other = allocated(16);
  expect_error(cudaMemcpy(device, host, 32, cudaMemcpyHostToDevice), cudaErrorInvalidValue,
               "32 bytes at offset 0 of an allocation of 16 bytes");
  expect_error(cudaMemcpy(host, static_cast<char*>(device) + 12, 8, cudaMemcpyDeviceToHost),
               cudaErrorInvalidValue, "the source: 8 bytes at offset 12 of an allocation of 16");
  expect_error(cudaMemcpy(host, host + 4, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue,
               "the destination is host memory");
  expect_error(cudaMemcpy(device, other, 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue,
               "the source is device memory");
  expect_error(cudaMemcpy(nullptr, host, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue,
               "null pointer");
  expect_error(cudaMemcpy(device, host, 4, static_cast<cudaMemcpyKind>(9)),
               cudaErrorInvalidMemcpyDirection, "kind");
  expect_error(cudaMemset(host, 0, 4), cudaErrorInvalidValue, "host memory");
  EXPECT_EQ(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaFree(other), cudaSuccess);
  expect_error(cudaMemcpy(host, other, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue, "freed");
}

TEST_F(own_runtime, lists_of_copies) {
  int *a = nullptr, *b = nullptr;
  ASSERT_EQ(cudaMallocManaged(&a, 64), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&b, 64), cudaSuccess);
  for (int i = 0; i < 16; ++i) a[i] = i, b[i] = 0;
  void* const to[] = {b, b + 8};
  const void* const from[] = {a + 4, a};
  const std::size_t bytes[] = {8, 12};
  cudaMemcpyAttributes how{};
  how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  std::size_t first = 0;
  ASSERT_EQ(cudaMemcpyBatchAsync(to, from, bytes, 2, &how, &first, 1, nullptr), cudaSuccess);
  EXPECT_THAT((std::vector<int>{b, b + 12}),
              testing::ElementsAre(4, 5, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0));
  void* pointers[] = {a, b};
  std::size_t sizes[] = {64, 32};
  cudaMemLocation where{cudaMemLocationTypeDevice, 0};
  EXPECT_EQ(cudaMemPrefetchBatchAsync(pointers, sizes, 2, &where, &first, 1, 0, nullptr),
            cudaSuccess);
  first = 1;
  EXPECT_EQ(cudaMemcpyBatchAsync(to, from, bytes, 2, &how, &first, 1, nullptr),
            cudaErrorInvalidValue);
  cudaMemPool_t pool = nullptr, same = nullptr;
  EXPECT_EQ(cudaMemGetDefaultMemPool(&pool, &where, cudaMemAllocationTypePinned), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetDefaultMemPool(&same, 0), cudaSuccess);
  EXPECT_EQ(pool, same);
  cudaGetLastError();
  cudaFree(a);
  cudaFree(b);
}

TEST_F(own_runtime, freeing_what_is_not_there) {
  void* const device = allocated(16);
  void* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 16), cudaSuccess);
  expect_error(cudaFreeHost(device), cudaErrorInvalidValue, "cudaFree");
  expect_error(cudaFree(pinned), cudaErrorInvalidValue, "cudaFreeHost");
  expect_error(cudaFree(static_cast<char*>(device) + 1), cudaErrorInvalidValue, "no allocation");
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  expect_error(cudaFree(device), cudaErrorInvalidValue, "freed before");
  void* p = nullptr;
  expect_error(cudaMalloc(&p, std::size_t{1} << 60), cudaErrorMemoryAllocation, "bytes asked for");
  EXPECT_EQ(p, nullptr);
}

TEST_F(own_runtime, events_keep_time) {
  cudaEvent_t start = nullptr, stop = nullptr;
  ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&stop), cudaSuccess);
  float ms = -1;
  expect_error(cudaEventElapsedTime(&ms, start, stop), cudaErrorInvalidResourceHandle, "recorded");
  EXPECT_EQ(cudaEventRecord(start), cudaSuccess);
  launchers::fill(nullptr, 0, 1);
  EXPECT_EQ(cudaEventRecord(stop, cudaStreamPerThread), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(stop), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(stop), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(nullptr, stop), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&ms, start, stop), cudaSuccess);
  EXPECT_GE(ms, 0);
  EXPECT_EQ(cudaEventDestroy(start), cudaSuccess);
  expect_error(cudaEventRecord(start), cudaErrorInvalidResourceHandle, "destroyed");
  int called = 0;
  EXPECT_EQ(cudaLaunchHostFunc(
                nullptr, [](void* p) { ++*static_cast<int*>(p); }, &called),
            cudaSuccess);
  EXPECT_EQ(called, 1);
  expect_error(cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(99)),
               cudaErrorInvalidResourceHandle, "not a stream");
}

TEST_F(own_runtime, the_device) {
  int count = 0, device = -1, value = 0;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 0);
  cudaDeviceProp p{};
  ASSERT_EQ(cudaGetDeviceProperties(&p, 0), cudaSuccess);
  EXPECT_THAT(p.name, HasSubstr("CPU machine"));
  EXPECT_EQ(p.warpSize, 32);
  EXPECT_EQ(p.maxThreadsPerBlock, 1024);
  EXPECT_EQ(p.maxGridSize[1], 65535);
  EXPECT_GT(p.totalGlobalMem, std::size_t{1} << 28);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
  EXPECT_EQ(value, p.multiProcessorCount);
  std::size_t available = 0, total = 0;
  EXPECT_EQ(cudaMemGetInfo(&available, &total), cudaSuccess);
  EXPECT_LE(available, total);
  expect_error(cudaSetDevice(1), cudaErrorInvalidDevice, "device 1");
  expect_error(cudaGetDeviceProperties(&p, -1), cudaErrorInvalidDevice, "device -1");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument");
  EXPECT_STREQ(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
}

TEST_F(own_runtime, pointers_know_their_memory) {
  cudaPointerAttributes a{};
  int host = 0;
  EXPECT_EQ(cudaPointerGetAttributes(&a, &host), cudaSuccess);
  EXPECT_EQ(a.type, cudaMemoryTypeUnregistered);
  EXPECT_EQ(cudaPointerGetAttributes(&a, static_cast<char*>(allocated(8)) + 4), cudaSuccess);
  EXPECT_EQ(a.type, cudaMemoryTypeDevice);
  void* managed = nullptr;
  ASSERT_EQ(cudaMallocManaged(&managed, 8), cudaSuccess);
  EXPECT_EQ(cudaPointerGetAttributes(&a, managed), cudaSuccess);
  EXPECT_EQ(a.type, cudaMemoryTypeManaged);
  EXPECT_EQ(a.hostPointer, managed);
}

TEST_F(own_runtime, shapes_that_no_device_takes) {
  launchers::fill(nullptr, 0, 1025);
  expect_error(cudaPeekAtLastError(), cudaErrorInvalidValue, "1025 threads");
  launchers::fill(nullptr, 0, 0);
  expect_error(cudaPeekAtLastError(), cudaErrorInvalidValue, "without threads");
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << "such errors don't stick";
}

TEST_F(own_runtime, much_shared_memory_must_be_asked_for) {
  launchers::touch_shared(100000);
  expect_error(cudaPeekAtLastError(), cudaErrorInvalidValue, "cudaFuncSetAttribute");
  EXPECT_EQ(launchers::allow_shared(100000), cudaSuccess);
  launchers::touch_shared(100000);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  expect_error(launchers::allow_shared(1 << 20), cudaErrorInvalidValue, "the limit is");
}

TEST_F(own_runtime, much_shared_memory_in_a_capture_must_be_asked_for_before) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t runnable = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(launchers::allow_shared(60000), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  expect_error(launchers::touch_shared_in(stream, 60001), cudaErrorInvalidValue,
               "60000 are allowed");
  EXPECT_EQ(launchers::touch_shared_in(stream, 60000), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&runnable, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(runnable, stream), cudaSuccess);
  EXPECT_EQ(cudaGraphExecDestroy(runnable), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(own_runtime, occupancy_by_threads_and_shared_memory) {
  EXPECT_EQ(launchers::resident_blocks(256, 0), 8);
  EXPECT_EQ(launchers::resident_blocks(1024, 0), 2);
  EXPECT_EQ(launchers::resident_blocks(32, 0), 32);
  EXPECT_EQ(launchers::allow_shared(100 * 1024), cudaSuccess);
  EXPECT_EQ(launchers::resident_blocks(256, 100 * 1024), 2);
  EXPECT_EQ(launchers::resident_blocks(256, 100 * 1024 + 1), 0) << "more than it may have";
}

TEST_F(own_runtime, what_it_has_not_is_refused_by_name) {
  void* function = this;
  expect_error(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault),
               cudaErrorNotSupported, "cuTensorMapEncodeTiled belongs to the driver API");
  EXPECT_EQ(function, nullptr);
  expect_error(cudaMemPoolExportPointer(nullptr, nullptr), cudaErrorNotSupported,
               "belong to one process");
}

TEST_F(own_runtime, wrong_symbols) {
  expect_error(launchers::copy_to_host_variable(), cudaErrorInvalidSymbol, "__device__");
  expect_error(launchers::copy_too_much_to_symbol(), cudaErrorInvalidValue,
               "8 bytes at offset 12 of a variable of 16 bytes");
}

}  // namespace
