// Loops that have no end, in kernels that nobody looks on at: they end at the launch's limit, or
// where they do the same for ever.
#include <cstdint>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/cuda.hpp"
#include "simt/memory.hpp"

namespace {

using simt::engine_kind;
using testing::HasSubstr;

/// Thread 5 of block 1 follows a circle.
__global__ void follows(const unsigned* next, unsigned* out) {
  unsigned at = blockIdx.x == 1 && threadIdx.x == 5 ? 1 : 0;
  while (at != 0) at = next[at];
  out[threadIdx.x] = at;
}

__global__ void writes(unsigned* out, unsigned end) {
  if (threadIdx.x != 3) return;
  for (unsigned i = 0; out[0] != end; ++i) out[1] = i;
}

/// The outer loop's end is known, and far away.
__global__ void counts(unsigned* out, std::uint64_t end) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < end; ++i) {
    for (unsigned k = 0; k < out[1]; ++k) sum += out[k % 4] ^ i;
  }
  out[2] = static_cast<unsigned>(sum);
}

__global__ void meets(unsigned* out) {
  do {
    __syncthreads();
    if (threadIdx.x == 0) out[1] += 1;
    __syncthreads();
  } while (out[0] == 0);
}

__global__ void shuffles(unsigned* out) {
  unsigned v = threadIdx.x;
  do {
    v = __shfl_xor_sync(~0U, v, 1) + 2;
  } while (out[0] == 0);
  out[threadIdx.x] = v;
}

/// Ends after as many rounds as it was told.
__global__ void collatz(const unsigned* in, unsigned* out) {
  std::uint64_t v = in[threadIdx.x];
  unsigned rounds = 0;
  for (; v != 1; ++rounds) v = v % 2 == 0 ? v / 2 : 3 * v + 1;
  out[threadIdx.x] = rounds;
}

class endless : public testing::Test {
 protected:
  endless() : words_(static_cast<unsigned*>(simt::allocate(256 * sizeof(unsigned)))) {
    for (unsigned i = 0; i < 256; ++i) words_[i] = 0;
  }
  ~endless() override { simt::free(words_); }

  /// What the error says.
  template <class... Parameters, class... Args>
  std::string failure(const simt::run_options& options, engine_kind engine,
                      void (*kernel)(Parameters...), Args... args) {
    const simt::observe scope(options);
    try {
      simt::launch({.grid = 2, .block = 64}, kernel, args...);
    } catch (const simt::kernel_error& e) {
      EXPECT_EQ(scope.engine, engine);
      return e.what();
    }
    return "it came through";
  }

  unsigned* words_;
};

constexpr simt::run_options short_limit{.limit_seconds = 0.1};

TEST_F(endless, loop_that_only_reads_is_seen_to_be_in_vain) {
  words_[1] = 2;
  words_[2] = 1;
  const std::string what = failure({.patience_seconds = 0.1}, engine_kind::blocks, follows,
                                   static_cast<const unsigned*>(words_), words_ + 100);
  EXPECT_THAT(what, HasSubstr("block (1,0,0), thread (5,0,0)"));
  EXPECT_THAT(what, HasSubstr("repeats a loop forever"));
}
TEST_F(endless, limit_ends_loops) {
  words_[1] = 2;
  words_[2] = 1;
  const std::string what = failure(short_limit, engine_kind::blocks, follows,
                                   static_cast<const unsigned*>(words_), words_ + 100);
  EXPECT_THAT(what, HasSubstr("thread (5,0,0), warp 0 lane 5: has run for 0.1 seconds, the limit"));
  EXPECT_THAT(failure(short_limit, engine_kind::blocks, writes, words_, 7U),
              HasSubstr("thread (3,0,0), warp 0 lane 3: has run for 0.1 seconds"));
}
TEST_F(endless, limit_ends_loops_around_loops) {
  words_[1] = 100;
  EXPECT_THAT(failure(short_limit, engine_kind::blocks, counts, words_, std::uint64_t{1} << 60),
              HasSubstr("the limit"));
}
TEST_F(endless, limit_ends_loops_around_barriers) {
  EXPECT_THAT(failure(short_limit, engine_kind::blocks, meets, words_), HasSubstr("the limit"));
}
TEST_F(endless, limit_ends_loops_around_shuffles) {
  EXPECT_THAT(failure(short_limit, engine_kind::blocks, shuffles, words_), HasSubstr("the limit"));
}
TEST_F(endless, slow_loops_are_not) {
  for (unsigned i = 0; i < 64; ++i) words_[i] = i + 1;
  const simt::observe scope({.patience_seconds = 1e-6});
  simt::launch({.grid = 2, .block = 64}, collatz, static_cast<const unsigned*>(words_),
               words_ + 100);
  EXPECT_EQ(scope.engine, engine_kind::blocks);
  EXPECT_EQ(words_[100 + 26], 111U);  // 27
}

}  // namespace
