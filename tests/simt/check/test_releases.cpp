// Who tells what other blocks may read, and what an atomic hides of the stores before it.
#include <gtest/gtest.h>

#include "simt/cuda.hpp"
#include "tests/simt/machine.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::tests::releases {

enum class fenced { by_all, by_one, before_the_store };

/// Each block stores its part, its threads fence, the block meets, and one thread takes the ticket.
template <fenced By>
__global__ void last_block_sums(int* parts, unsigned* ticket, int* sum) {
  int* const is_last = detail::dynamic_shared<int>();
  const unsigned t = threadIdx.x;
  const unsigned i = blockIdx.x * blockDim.x + t;
  if (By == fenced::before_the_store) {
    __threadfence();
    parts[gridDim.x * blockDim.x + i] = 1;  // the store right behind a fence is a flag
  }
  parts[i] = 1;
  if (By == fenced::by_all || (By == fenced::by_one && t == 0)) __threadfence();
  __syncthreads();
  if (t == 0) *is_last = atomicAdd(ticket, 1U) == gridDim.x - 1 ? 1 : 0;
  __syncthreads();
  if (*is_last == 0 || t != 0) return;
  for (unsigned k = 0; k < gridDim.x * blockDim.x; ++k) *sum += parts[k];
}

template <fenced By>
std::vector<simt::finding> findings_of_last_block(std::uint64_t seed) {
  const device_array<int> parts(2 * 4 * 64), sum(1, 0);
  const device_array<unsigned> ticket(1, 0);
  const simt::observe scope({.check = true, .seed = seed});
  simt::launch({.grid = 4, .block = 64, .shared_bytes = 4}, last_block_sums<By>, parts.data(),
               ticket.data(), sum.data());
  EXPECT_EQ(sum[0], 4 * 64);
  return scope.findings;
}

TEST(releases, what_all_have_fenced_goes_with_the_ticket_behind_a_barrier) {
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const auto found = findings_of_last_block<fenced::by_all>(seed);
    EXPECT_TRUE(found.empty()) << found[0].text();
  }
}
TEST(releases, one_threads_fence_before_a_barrier_is_its_own) {
  const auto found = findings_of_last_block<fenced::by_one>(0);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, simt::finding_kind::race_between_blocks);
}
TEST(releases, fences_are_not_for_what_is_stored_after_them) {
  const auto found = findings_of_last_block<fenced::before_the_store>(0);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, simt::finding_kind::race_between_blocks);
}

/// The first thread stores a start value, and all add to it.
template <bool Waits>
__global__ void start_and_add(int* out) {
  int* const sum = detail::dynamic_shared<int>();
  if (threadIdx.x == 0) *sum = 0;
  if (Waits) __syncthreads();
  atomicAdd(sum, 1);
  __syncthreads();
  if (threadIdx.x == 0) *out = *sum;
}

TEST(releases, a_start_value_that_nobody_waits_for_races_with_the_atomics_of_others) {
  for (const unsigned block : {32U, 64U}) {
    const device_array<int> out(1);
    const simt::observe scope({.check = true});
    simt::launch({.grid = 1, .block = block, .shared_bytes = 4}, start_and_add<true>, out.data());
    EXPECT_TRUE(scope.findings.empty());
    simt::launch({.grid = 1, .block = block, .shared_bytes = 4}, start_and_add<false>, out.data());
    ASSERT_FALSE(scope.findings.empty()) << block;
    EXPECT_EQ(scope.findings[0].kind, simt::finding_kind::race_in_warp);
  }
}

}  // namespace warpfold::tests::releases
