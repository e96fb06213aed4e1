// What is a race where words are volatile, or go past the first cache: between blocks they are
// relaxed atomics; lanes of a warp that trust in lockstep, and shared memory without a barrier, are
// found as before.
#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/report.hpp"

namespace {

using testing::IsEmpty;
using word = unsigned long long;

constexpr word is_there = 1ULL << 32;

struct by_volatile {
  __device__ static void publish(word* p, word v) { *static_cast<volatile word*>(p) = v; }
  __device__ static word look(word* p) { return *static_cast<volatile word*>(p); }
};
struct past_the_cache {
  __device__ static void publish(word* p, word v) {
    asm volatile("st.cg.v2.u32 [%0], {%1, %2};" ::"l"(p), "r"(unsigned(v)), "r"(unsigned(v >> 32)));
  }
  __device__ static word look(word* p) {
    unsigned low, high;
    asm volatile("ld.cg.v2.u32 {%0, %1}, [%2];" : "=r"(low), "=r"(high) : "l"(p));
    return low | word{high} << 32;
  }
};
struct by_relaxed {
  __device__ static void publish(word* p, word v) {
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(p), "l"(v));
  }
  __device__ static word look(word* p) {
    word v;
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(v) : "l"(p));
    return v;
  }
};
struct by_volatile_asm {
  __device__ static void publish(word* p, word v) {
    asm volatile("st.volatile.u64 [%0], %1;" ::"l"(p), "l"(v));
  }
  __device__ static word look(word* p) {
    word v;
    asm volatile("ld.volatile.global.u64 %0, [%1];" : "=l"(v) : "l"(p));
    return v;
  }
};
struct plainly {
  __device__ static void publish(word* p, word v) { *p = v; }
  __device__ static word look(word* p) { return *p | is_there; }  // does not wait
};

/// The value and that it is there are one word, so there is no fence.
template <class How>
__global__ void look_back(word* words, int* sums) {
  if (threadIdx.x != 0) return;
  word before = is_there;
  if (blockIdx.x != 0) {
    do {
      before = How::look(&words[blockIdx.x - 1]);
    } while (before < is_there);
  }
  How::publish(&words[blockIdx.x], (before | is_there) + 1);
  sums[blockIdx.x] = static_cast<int>(before) + 1;
}

constexpr int blocks = 20;
word* words = nullptr;
int* sums = nullptr;

class volatiles : public testing::Test {
 protected:
  void SetUp() override {
    cudaMalloc(&words, blocks * sizeof(word));
    cudaMallocManaged(&sums, 64 * sizeof(int));
  }
  void TearDown() override {
    cudaFree(words);
    cudaFree(sums);
  }
};

template <class How>
std::vector<simt::finding> found_twice() {
  return simt::inspect([] {
           for (int again = 0; again < 2; ++again) {
             cudaMemset(words, 0, blocks * sizeof(word));
             look_back<How><<<blocks, 32>>>(words, sums);
           }
         })
      .findings();
}

TEST_F(volatiles, blocks_that_look_back_do_not_race) {
  EXPECT_THAT(found_twice<by_volatile>(), IsEmpty());
  EXPECT_EQ(sums[blocks - 1], blocks);
  EXPECT_THAT(found_twice<by_volatile_asm>(), IsEmpty());
  EXPECT_THAT(found_twice<past_the_cache>(), IsEmpty());
  EXPECT_THAT(found_twice<by_relaxed>(), IsEmpty());
  EXPECT_EQ(sums[blocks - 1], blocks);
}

TEST_F(volatiles, plain_words_race) {
  const auto found = found_twice<plainly>();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, simt::finding_kind::race_between_blocks);
}

/// What is published by the flag has no fence before it.
__global__ void data_behind_a_flag(volatile int* flag, int* data) {
  if (blockIdx.x == 1) {
    data[0] = 42;
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    data[1] = data[0];
  }
}
__global__ void in_lockstep(volatile int* values) {
  for (unsigned stride = 16; stride > 0; stride /= 2) {
    const int sum = values[threadIdx.x] + values[threadIdx.x + stride];
    if (threadIdx.x < stride) values[threadIdx.x] = sum;
  }
}
__global__ void without_barrier(int* out) {
  __shared__ volatile int values[64];
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
  out[threadIdx.x] = values[63 - threadIdx.x];
}

TEST_F(volatiles, what_they_do_not_order_is_found) {
  const auto kinds = [](void (*launch)()) {
    std::vector<simt::finding_kind> all;
    const auto report = simt::inspect(launch);
    for (const auto& f : report.findings()) all.push_back(f.kind);
    return all;
  };
  EXPECT_THAT(kinds([] {
                cudaMemset(words, 0, sizeof(word));
                data_behind_a_flag<<<2, 1>>>(reinterpret_cast<int*>(words), sums);
              }),
              testing::ElementsAre(simt::finding_kind::race_between_blocks));
  EXPECT_THAT(kinds([] {
                cudaMemset(sums, 0, 64 * sizeof(int));
                in_lockstep<<<1, 32>>>(sums);
              }),
              testing::Contains(simt::finding_kind::race_in_warp));
  EXPECT_THAT(kinds([] { without_barrier<<<1, 64>>>(sums); }),
              testing::Contains(simt::finding_kind::race_between_warps));
}

}  // namespace
