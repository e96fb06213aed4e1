// Kernels that no device promises to survive end in an error that says who, where and why, and the
// machine goes on.
#include <new>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "simt/cuda.hpp"
#include "tests/simt/machine.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::tests::errors {

using testing::AllOf;
using testing::HasSubstr;

constexpr unsigned whole = 0xffffffffU;

__global__ void add_one(int* data) { atomicAdd(data, 1); }

/// The message of this kernel's error, in every kind of run; afterwards the machine still works.
template <class... Parameters, class... Args>
std::string message_of(const simt::launch_config& config, void (*kernel)(Parameters...),
                       Args... args) {
  std::string message;
  for (const bool count : {true, false}) {
    for (const std::uint64_t seed : {3, 0}) {
      message = kernel_error_of([&] { simt::launch(config, kernel, args...); },
                                {.count = count, .seed = seed, .patience_seconds = 0.2});
      EXPECT_NE(message, "") << "count " << count << " seed " << seed;
      const device_array<int> total(1);
      simt::launch({.grid = 20, .block = 100}, add_one, total.data());
      EXPECT_EQ(total[0], 2000);
    }
  }
  return message;
}

std::string here(int line) { return "(test_errors.cpp:" + std::to_string(line) + ")"; }

constexpr int branch_line = __LINE__ + 3;
template <class T>
__global__ void barrier_in_branch(T*) {
  if (threadIdx.x % 2 == 0) __syncthreads();
  __syncwarp();
}

TEST(errors, barrier_in_a_divergent_branch) {
  int* const nothing = nullptr;
  EXPECT_THAT(message_of({.grid = 1, .block = 64}, barrier_in_branch<int>, nothing),
              AllOf(HasSubstr("barrier_in_branch<int>"), HasSubstr("32 of 64 threads"),
                    HasSubstr("__syncthreads " + here(branch_line)),
                    HasSubstr("__syncwarp " + here(branch_line + 1))));
}

__global__ void mask_without_me(unsigned* out) { out[threadIdx.x] = __ballot_sync(0xfffffff0U, 1); }

TEST(errors, mask_without_the_caller) {
  const device_array<unsigned> out(32);
  EXPECT_THAT(message_of({.grid = 1, .block = 32}, mask_without_me, out.data()),
              AllOf(HasSubstr("__ballot_sync"), HasSubstr("0xfffffff0"),
                    HasSubstr("does not name it"), HasSubstr("thread (")));
}

__global__ void source_outside(int* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(0x0000ffffU, 1, 20);
}

TEST(errors, shuffle_from_a_lane_outside_the_mask) {
  const device_array<int> out(32);
  EXPECT_THAT(message_of({.grid = 1, .block = 32}, source_outside, out.data()),
              AllOf(HasSubstr("__shfl_sync"), HasSubstr("lane 20"), HasSubstr("0x0000ffff")));
}

constexpr int crossed_line = __LINE__ + 4;
__global__ void crossed(int* out) {
  const unsigned i = threadIdx.x;
  if (i < 16) {
    out[i] = __any_sync(whole, 1);
  } else {
    out[i] = __shfl_xor_sync(whole, 1, 1);
  }
}

TEST(errors, two_collectives_that_wait_for_each_other) {
  const device_array<int> out(32);
  EXPECT_THAT(message_of({.grid = 1, .block = 32}, crossed, out.data()),
              AllOf(HasSubstr("no thread can continue"), HasSubstr("16 of 32 threads"),
                    HasSubstr("__any_sync " + here(crossed_line)),
                    HasSubstr("__shfl_xor_sync " + here(crossed_line + 2))));
}

template <bool Sleep>
__global__ void spin(const int* flag) {
  while (*static_cast<const volatile int*>(flag) == 0) {
    if constexpr (Sleep) __nanosleep(100);
  }
  __syncthreads();
}

TEST(errors, endless_spin) {
  const device_array<int> flag(1);
  EXPECT_THAT(message_of({.grid = 1, .block = 33}, spin<false>, flag.data()),
              AllOf(HasSubstr("spin<false>"), HasSubstr("33 of 33 threads"), HasSubstr("spin")));
  EXPECT_THAT(message_of({.grid = 10, .block = 33}, spin<true>, flag.data()),
              AllOf(HasSubstr("spin<true>"), HasSubstr("no thread writes")));
}

[[gnu::noinline]] int use_stack(int n) {
  int local[10 * 1024];  // 40 KiB
  for (int i = 0; i < 10 * 1024; ++i) local[i] = i ^ n;
  asm volatile("" : : "r"(local) : "memory");
  return local[n];
}

__global__ void deep_then_barrier(int* out) {
  __syncthreads();
  out[threadIdx.x] = use_stack(3);
  __syncthreads();
}

__global__ void deep_while_waiting(int* out) {
  int local[10 * 1024];
  for (int i = 0; i < 10 * 1024; ++i) local[i] = i + out[0];
  asm volatile("" : : "r"(local) : "memory");
  __syncthreads();
  out[threadIdx.x] = local[threadIdx.x];
}

__global__ void deep_without_barrier(int* out) { out[threadIdx.x] = use_stack(5); }

TEST(errors, stack_overflow) {
  const device_array<int> out(64);
  for (const unsigned block : {1U, 64U}) {
    for (const unsigned grid : {1U, 9U}) {
      for (auto* kernel : {deep_then_barrier, deep_while_waiting, deep_without_barrier}) {
        EXPECT_THAT(message_of({.grid = grid, .block = block}, kernel, out.data()),
                    AllOf(HasSubstr("deep_"), HasSubstr("stack"), HasSubstr("thread (")));
      }
    }
  }
}

struct too_large {
  char bytes[228 * 1024];
};
__global__ void large_storage() { detail::shared_storage<too_large>().bytes[0] = 1; }

TEST(errors, too_much_shared_memory) {
  EXPECT_THAT(message_of({.grid = 1, .block = 2}, large_storage),
              AllOf(HasSubstr("large_storage"), HasSubstr("shared memory")));
}

__global__ void throws(int n) {
  if (threadIdx.x == 7 && n > 0) throw std::out_of_range("seven");
}
__global__ void launches() { simt::launch({.grid = 1, .block = 1}, throws, 0); }

TEST(errors, exceptions_and_launches_inside_a_kernel) {
  EXPECT_THAT(message_of({.grid = 3, .block = 32}, throws, 1),
              AllOf(HasSubstr("threw: seven"), HasSubstr("thread (7,0,0)")));
  EXPECT_THAT(message_of({.grid = 1, .block = 1}, launches), HasSubstr("launches a kernel"));
}

__global__ void crooked(const int* in, int4* out) {
  out[threadIdx.x] = *reinterpret_cast<const int4*>(in + threadIdx.x);
}

TEST(errors, misaligned_16_byte_accesses) {
  const device_array<int> in(64);
  const device_array<int4> out(32);
  EXPECT_THAT(message_of({.grid = 1, .block = 32}, crooked, in.data(), out.data()),
              AllOf(HasSubstr("crooked"), HasSubstr("thread ("), HasSubstr("no multiple of 16")));
}

TEST(errors, no_memory_for_the_stacks) {
  const device_array<int> total(1);
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  const rlimit tight{.rlim_cur = 1 << 20, .rlim_max = before.rlim_max};
  setrlimit(RLIMIT_AS, &tight);
  EXPECT_THROW(simt::launch({.grid = 9, .block = 777}, add_one, total.data()), std::bad_alloc);
  setrlimit(RLIMIT_AS, &before);
  simt::launch({.grid = 9, .block = 777}, add_one, total.data());
  EXPECT_EQ(total[0], 9 * 777);
}

__global__ void computes(double* out) {
  for (volatile long i = 0; i >= 0; i = i + 1) *out = 1;
}

TEST(errors, a_launch_that_takes_longer_than_its_limit) {
  const device_array<double> out(1);
  for (const bool check : {false, true}) {
    const auto message =
        kernel_error_of([&] { simt::launch({.grid = 3, .block = 33}, computes, out.data()); },
                        {.check = check, .patience_seconds = 0.1, .limit_seconds = 0.5});
    EXPECT_THAT(message,
                AllOf(HasSubstr("computes"), HasSubstr("0.5 seconds"), HasSubstr("SIMT_LIMIT")));
  }
}

TEST(errors, words_outside_a_kernel) {
  EXPECT_THROW(__syncthreads(), simt::kernel_error);
  EXPECT_THROW(__nanosleep(1), simt::kernel_error);
}

}  // namespace warpfold::tests::errors
