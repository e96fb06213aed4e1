// cuda::atomic, cuda::barrier, cuda::pipeline and what goes with them.
#include <new>
#include <utility>
#include <vector>

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/report.hpp"

namespace {

namespace cg = cooperative_groups;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

template <class T>
class managed {
 public:
  explicit managed(std::size_t n) : n_(n) {
    cudaMallocManaged(&p_, n * sizeof(T));
    cudaMemset(p_, 0, n * sizeof(T));
  }
  ~managed() { cudaFree(p_); }
  managed(const managed&) = delete;
  managed& operator=(const managed&) = delete;
  [[nodiscard]] T* get() const { return p_; }
  [[nodiscard]] std::vector<T> values() const { return {p_, p_ + n_}; }

 private:
  T* p_ = nullptr;
  std::size_t n_;
};

/// The launches that `f` makes, checked.
template <class F>
std::vector<simt::finding> findings_of(F f) {
  return simt::inspect([&] {
           f();
           cudaDeviceSynchronize();
         })
      .findings();
}

__global__ void counts(int* out, float* sum) {
  cuda::atomic_ref<int, cuda::thread_scope_device> n(out[0]);
  n.fetch_add(2, cuda::memory_order_relaxed);
  cuda::atomic_ref<int>(out[1]).fetch_max(static_cast<int>(threadIdx.x));
  cuda::atomic_ref<float>(*sum).fetch_add(0.5F);
  int expected = 0;
  if (cuda::atomic_ref<int>(out[2]).compare_exchange_strong(expected, 7)) ++n;
}

TEST(synchronisation, atomics) {
  const managed<int> out(3);
  const managed<float> sum(1);
  EXPECT_THAT(findings_of([&] { counts<<<2, 64>>>(out.get(), sum.get()); }), IsEmpty());
  EXPECT_THAT(out.values(), ElementsAre(2 * 128 + 1, 63, 7));
  EXPECT_THAT(sum.values(), ElementsAre(64.F));
}

struct message {
  int value;
  cuda::atomic<int, cuda::thread_scope_device> ready;
};
__device__ message sent;
template <bool Release>
__global__ void send(int* out) {
  if (blockIdx.x == 0) {
    sent.value = 42;
    sent.ready.store(1, Release ? cuda::memory_order_release : cuda::memory_order_relaxed);
  } else {
    while (sent.ready.load(cuda::memory_order_acquire) == 0) {
    }
    *out = sent.value;
  }
}
__global__ void forget() { sent.ready.store(0); }

TEST(synchronisation, a_release_orders_what_was_written) {
  const managed<int> out(1);
  EXPECT_THAT(findings_of([&] { send<true><<<2, 1>>>(out.get()); }), IsEmpty());
  EXPECT_THAT(out.values(), ElementsAre(42));
  forget<<<1, 1>>>();
  EXPECT_FALSE(findings_of([&] { send<false><<<2, 1>>>(out.get()); }).empty());
}

template <bool Waits>
__global__ void reverse(const int* in, int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int tile[64];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  tile[threadIdx.x] = in[threadIdx.x];
  auto token = bar.arrive();
  if constexpr (Waits) bar.wait(std::move(token));
  out[threadIdx.x] = tile[63 - threadIdx.x];
  if constexpr (!Waits) return;
  bar.arrive_and_wait();
  if (threadIdx.x >= 32) return bar.arrive_and_drop();
  bar.arrive_and_wait();
  bar.arrive_and_wait();
}

std::vector<int> ascending(int n) {
  std::vector<int> all(n);
  for (int i = 0; i < n; ++i) all[i] = i;
  return all;
}
std::vector<int> descending(int n) {
  const auto all = ascending(n);
  return {all.rbegin(), all.rend()};
}
void fill(const managed<int>& m, int n) {
  const auto all = ascending(n);
  cudaMemcpy(m.get(), all.data(), n * sizeof(int), cudaMemcpyDefault);
}

TEST(synchronisation, a_barrier_orders_those_that_wait) {
  const managed<int> in(64), out(64);
  fill(in, 64);
  EXPECT_THAT(findings_of([&] { reverse<true><<<1, 64>>>(in.get(), out.get()); }), IsEmpty());
  EXPECT_EQ(out.values(), descending(64));
  const auto races = findings_of([&] { reverse<false><<<1, 64>>>(in.get(), out.get()); });
  EXPECT_THAT(races, Contains(Field(&simt::finding::kind, simt::finding_kind::race_between_warps)));
}

struct count_completions {
  int* n;
  void operator()() const { ++*n; }
};
using counted_barrier = cuda::barrier<cuda::thread_scope_block, count_completions>;
__global__ void completes(int* n) {
  __shared__ alignas(8) char place[sizeof(counted_barrier)];
  auto* const bar = reinterpret_cast<counted_barrier*>(place);
  if (threadIdx.x == 0) init(bar, blockDim.x, count_completions{n});
  __syncthreads();
  for (int i = 0; i < 3; ++i) bar->arrive_and_wait();
}

TEST(synchronisation, a_barrier_completes_once) {
  const managed<int> n(1);
  completes<<<1, 64>>>(n.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_THAT(n.values(), ElementsAre(3));
}

template <bool Waits>
__global__ void copies(const int* in, int* out) {
  __shared__ int tile[64];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in, sizeof tile);
  if constexpr (Waits) cg::wait(block);
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

TEST(synchronisation, a_copy_has_to_be_waited_for) {
  const managed<int> in(64), out(64);
  fill(in, 64);
  EXPECT_THAT(findings_of([&] { copies<true><<<1, 64>>>(in.get(), out.get()); }), IsEmpty());
  EXPECT_EQ(out.values(), descending(64));
  EXPECT_FALSE(findings_of([&] { copies<false><<<1, 64>>>(in.get(), out.get()); }).empty());
}

/// Two stages; of all threads, or the first warp loads.
template <bool Roles>
__global__ void staged(const int* in, int* out, int rounds) {
  __shared__ int tile[2][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cg::this_thread_block();
  auto pipe = Roles ? cuda::make_pipeline(block, &state, 32) : cuda::make_pipeline(block, &state);
  const bool produces = !Roles || threadIdx.x < 32, consumes = !Roles || threadIdx.x >= 32;
  const auto load = [&](int round) {
    pipe.producer_acquire();
    for (unsigned i = threadIdx.x; i < 64; i += Roles ? 32 : 64) {
      cuda::memcpy_async(&tile[round % 2][i], &in[round * 64 + i],
                         cuda::aligned_size_t<4>(sizeof(int)), pipe);
    }
    pipe.producer_commit();
  };
  const auto use = [&](int round) {
    pipe.consumer_wait();
    for (unsigned i = threadIdx.x % 32; i < 64; i += 32) {
      if (Roles || threadIdx.x / 32 == i / 32) out[round * 64 + i] = tile[round % 2][63 - i];
    }
    pipe.consumer_release();
  };
  for (int round = 0; round < rounds; ++round) {
    if (produces) load(round);
    if (consumes) use(round);
  }
}

TEST(synchronisation, pipelines) {
  constexpr int rounds = 5;
  const managed<int> in(rounds * 64), out(rounds * 64);
  fill(in, rounds * 64);
  std::vector<int> expected;
  for (int round = 0; round < rounds; ++round) {
    for (const int i : descending(64)) expected.push_back(round * 64 + i);
  }
  for (const bool roles : {false, true}) {
    cudaMemset(out.get(), 0, rounds * 64 * sizeof(int));
    const auto all = findings_of([&] {
      if (roles) {
        staged<true><<<1, 64>>>(in.get(), out.get(), rounds);
      } else {
        staged<false><<<1, 64>>>(in.get(), out.get(), rounds);
      }
    });
    EXPECT_THAT(all, IsEmpty()) << all[0].text();
    EXPECT_EQ(out.values(), expected);
  }
}

__device__ cuda::counting_semaphore<cuda::thread_scope_device, 4> permits{1};
__global__ void one_by_one(int* n) {
  permits.acquire();
  *n += 1;
  permits.release();
}
__global__ void after_all(int* n) {
  __shared__ char place[sizeof(cuda::latch<cuda::thread_scope_block>)] __align__(8);
  auto* const done = reinterpret_cast<cuda::latch<cuda::thread_scope_block>*>(place);
  if (threadIdx.x == 0) new (done) cuda::latch<cuda::thread_scope_block>(blockDim.x);
  __syncthreads();
  cuda::std::array<int, 2> own{1, 2};
  cuda::atomic_ref<int>(*n).fetch_add(own[1]);
  done->arrive_and_wait();
  if (threadIdx.x == 0) n[1] = *n;
}

TEST(synchronisation, semaphores_and_latches) {
  const managed<int> n(2), m(2);
  EXPECT_THAT(findings_of([&] { one_by_one<<<4, 32>>>(n.get()); }), IsEmpty());
  EXPECT_EQ(n.values()[0], 128);
  EXPECT_THAT(findings_of([&] { after_all<<<1, 64>>>(m.get()); }), IsEmpty());
  EXPECT_EQ(m.values()[1], 128);
}

}  // namespace
