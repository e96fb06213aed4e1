// Kernels with operations of a warp, as loops over its lanes: the same to the bit as where somebody
// looks on, in blocks of all shapes.
#include <array>
#include <cstdint>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/cuda.hpp"
#include "simt/memory.hpp"
#include "tests/simt/plain/both_engines.hpp"
#include "warpfold/platform.hpp"

namespace {

using simt::engine_kind;
using simt::test::expect_same;
using simt::test::values;
using testing::HasSubstr;

constexpr unsigned full = 0xFFFFFFFFU, n = 4096;

struct words {
  std::uint32_t of[1024];
};
struct triple {
  std::uint32_t a, b, c;
};

/// What the kernels are given.
struct task {
  const std::uint32_t* in;
  std::uint32_t* out;
  unsigned count;  // of threads that don't leave at once
  unsigned width;  // of segments: 1, 2, 4, … or 32
  unsigned seed;
};

__device__ unsigned linear() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
__device__ unsigned threads() { return blockDim.x * blockDim.y * blockDim.z; }
__device__ unsigned global() { return blockIdx.x * threads() + linear(); }
__device__ unsigned mix(unsigned a, unsigned b) { return (a ^ b) * 2654435761U + (b >> 3); }

__global__ void all_shuffles(task t) {
  const unsigned i = global(), lane = linear() % 32;
  const int width = static_cast<int>(t.width);
  unsigned v = t.in[i];
  for (unsigned d = 1; d < 32; d *= 2) {
    v = mix(v, __shfl_xor_sync(full, v, static_cast<int>(d)));
    v = mix(v, __shfl_down_sync(full, v, d, width));
  }
  v = mix(v, __shfl_sync(full, v, 3));
  v = mix(v, __shfl_sync(full, v, static_cast<int>(v % 64), width));
  v = mix(v, __shfl_up_sync(full, v, t.seed % 40, width));
  v = mix(v, __shfl_xor_sync(full, v, static_cast<int>(t.seed % 37), width));
  t.out[i] = v + lane;
}

/// Values of all sizes.
__global__ void sizes(task t) {
  const unsigned i = global();
  const unsigned v = t.in[i];
  const double wide = __shfl_down_sync(full, static_cast<double>(v % 1000) / 3, 5);
  const auto narrow = __shfl_up_sync(full, static_cast<signed char>(v), 2);
  const triple three = __shfl_xor_sync(full, triple{v, v * 3, i}, 9);
  const long long sum = __shfl_sync(full, static_cast<long long>(v) << 20U, 31 - t.seed % 7);
  t.out[i] = static_cast<unsigned>(wide * 7) + static_cast<unsigned>(narrow) + three.a +
             three.b * 5 + three.c + static_cast<unsigned>(sum >> 9U);
}

/// Threads leave; lanes go round a loop as often as their values say; masks name what is left.
__global__ void leaves_and_loops(task t) {
  const unsigned i = global();
  if (i >= t.count) return;
  unsigned v = t.in[i], rounds = 0;
  while (__any_sync(full, (v % 8 != t.seed % 8 ? 1 : 0)) != 0 && rounds < 20) {
    v = mix(v, __shfl_xor_sync(full, v, 1));
    ++rounds;
    if (v % 61 == 7) v += t.in[rounds];
  }
  const unsigned left = __ballot_sync(full, rounds > 9 ? 1 : 0);
  for (unsigned k = 0; k < v % 5; ++k) v += k * t.in[(i + k * 33) % n];
  if ((left >> linear() % 32 & 1) != 0) {
    v = mix(v, __shfl_sync(left, v, __ffs(static_cast<int>(left)) - 1));
    if (v % 3 == 0) return;
  }
  t.out[i] = v + rounds + left;
}

/// Warps that differ, and lanes of a warp in segments that go their own ways.
__global__ void ways(task t) {
  const unsigned i = global(), lane = linear() % 32, warp = linear() / 32;
  unsigned v = t.in[i];
  if ((t.in[warp] & 1) != 0) {
    for (unsigned k = 0; k < t.in[warp] % 6; ++k) v = mix(v, __shfl_down_sync(full, v, 1 + k));
  } else if (warp == 0) {
    for (unsigned d = 16; d != 0; d /= 2) v += __shfl_down_sync(full, v, d);
    if (lane == 0) v ^= 5;
  }
  const unsigned first = lane / t.width * t.width;
  const unsigned mask = (t.width == 32 ? full : (1U << t.width) - 1) << first;
  for (unsigned k = 0; k < (first + t.seed) % 7; ++k) {
    v = mix(v, __shfl_sync(mask, v, static_cast<int>((lane + k) % t.width + first)));
    if (__any_sync(mask, (v % 11 == 3 ? 1 : 0)) != 0) v += k;
  }
  if (lane < 9) {
    v += __shfl_xor_sync(0x1FFU, v, static_cast<int>(lane < 8 ? 1 : 0));
    __syncwarp(0x1FFU);
  }
  // Two calls, one operation.
  if (lane % 2 == 0) {
    v = mix(v, __shfl_sync(full, v, static_cast<int>(31 - lane)));
  } else {
    v = mix(__shfl_sync(full, v, static_cast<int>(lane - 1)), v + 1);
  }
  t.out[i] = v;
}

__global__ void votes(task t) {
  const unsigned i = global(), lane = linear() % 32;
  unsigned v = t.in[i];
  const unsigned odd = __ballot_sync(full, static_cast<int>(v & 1));
  v = mix(v, __match_any_sync(full, v % 4));
  int all = 0;
  v = mix(v, __match_all_sync(full, t.in[0] % 4 + (v % 97 == 0 ? 1 : 0), &all));
  v += static_cast<unsigned>(all) + __reduce_add_sync(full, v % 1000) + odd;
  v ^= __reduce_max_sync(full, v) + __reduce_xor_sync(full, v * lane);
  if ((odd >> lane & 1) != 0) {
    v +=
        __reduce_min_sync(odd, v) + static_cast<unsigned>(__all_sync(odd, static_cast<int>(v % 2)));
  }
  t.out[i] = v;
}

/// Warps meet, then blocks do, then the first warp goes on.
__global__ void block_sum(task t) {
  auto& s = warpfold::detail::shared_storage<words>();
  const unsigned me = linear(), lane = me % 32, warp = me / 32, warps = (threads() + 31) / 32;
  unsigned sum = 0;
  for (unsigned i = global(); i < t.count; i += gridDim.x * threads()) sum += t.in[i] % 1000;
  for (unsigned d = 16; d != 0; d /= 2) sum += __shfl_down_sync(full, sum, d);
  if (lane == 0) s.of[warp] = sum;
  __syncthreads();
  const unsigned some = __ballot_sync(full, me < warps ? 1 : 0);
  if (me < warps) {
    sum = s.of[me];
    for (unsigned d = 16; d != 0; d /= 2) {
      const unsigned other = lane + d < 32 && (some >> (lane + d) & 1) != 0 ? lane + d : lane;
      const unsigned more = __shfl_sync(some, sum, static_cast<int>(other));
      if (other != lane) sum += more;
    }
  }
  const int odd = __syncthreads_count(static_cast<int>(sum & 1));
  if (me == 0) t.out[blockIdx.x] = sum + static_cast<unsigned>(odd);
}

/// What each warp sums up is its own still behind the block's barrier.
__global__ void kept_sums(task t) {
  const unsigned i = global(), sum = __reduce_add_sync(full, t.in[i] % 1000);
  const int odd = __syncthreads_count(static_cast<int>(t.in[i] & 1));
  t.out[i] = sum + static_cast<unsigned>(odd);
}

/// Rounds of the block, with warps that meet in between, and shared memory between lanes.
__global__ void rounds(task t) {
  auto& s = warpfold::detail::shared_storage<words>();
  const unsigned me = linear(), i = global();
  unsigned v = t.in[i];
  for (unsigned round = 0; round < 2 + t.seed % 4; ++round) {
    v = mix(v, __shfl_xor_sync(full, v, static_cast<int>(1U << round)) + round);
    s.of[me] = v;
    __syncwarp();
    if (me + 1 < threads() && (me + 1) % 32 != 0) v += s.of[me + 1];
    __syncthreads();
    if (me >= t.count % 50 + 300) break;
    s.of[me] = __ballot_sync(full, static_cast<int>(v >> round & 1));
    __syncthreads();
    v ^= s.of[(me * 7 + 3) % (threads() < 300 ? threads() : 300)];
    __syncthreads();
  }
  t.out[i] = v;
}

/// Lanes that nobody names.
__global__ void together(task t) {
  const unsigned i = global();
  unsigned v = t.in[i];
  if (v % 3 == 0) {
    v = mix(v, __activemask());
  } else {
    v += __popc(__activemask());
    if (v % 2 == 0)
      v ^= __shfl_sync(__activemask(), v, __ffs(static_cast<int>(__activemask())) - 1);
  }
  t.out[i] = v;
}

/// Lanes read side by side, round by round.
__global__ void strides(task t) {
  const unsigned stride = gridDim.x * threads();
  unsigned a = 1, b = 0, rounds = 0;
  for (unsigned i = global(); i < t.count; i += stride) {
    a = a * 31 + t.in[i];
    if (a % 7 == 0) continue;
    for (unsigned k = 0; k < a % 3; ++k) b += t.in[(i + k * stride) % n] >> k;
    if (b % 53 == 1) break;
    ++rounds;
  }
  t.out[global()] = a + b * 3 + rounds;
}

using kernel = void (*)(task);

void compare(kernel k, dim3 block, unsigned seed, engine_kind engine = engine_kind::blocks) {
  const unsigned size = block.x * block.y * block.z, blocks = n / size < 3 ? n / size : 3;
  const values in(n, seed);
  for (unsigned i = 0; i < n; ++i) in.get()[i] >>= seed % 3 * 8;
  std::mt19937 random(seed);
  const unsigned count = blocks * size - random() % size, width = 1U << random() % 6;
  SCOPED_TRACE(testing::Message() << block.x << " x " << block.y << " x " << block.z << ", seed "
                                  << seed << ", width " << width << ", count " << count);
  expect_same(engine, n, [&](std::uint32_t* out) {
    simt::launch({.grid = blocks, .block = block}, k, task{in.get(), out, count, width, seed});
  });
}

const std::array<dim3, 12> shapes{dim3(32),      dim3(256),      dim3(1),     dim3(31),
                                  dim3(33),      dim3(100),      dim3(1024),  dim3(16, 16),
                                  dim3(7, 5, 4), dim3(64, 3, 2), dim3(32, 8), dim3(500)};

class warps : public testing::TestWithParam<kernel> {};

TEST_P(warps, are_loops_over_lanes) {
  unsigned seed = 1;
  for (const dim3& block : shapes) {
    for (unsigned i = 0; i < 4; ++i) compare(GetParam(), block, seed++);
  }
}
INSTANTIATE_TEST_SUITE_P(plain, warps,
                         testing::Values(all_shuffles, sizes, leaves_and_loops, ways, votes,
                                         block_sum, kept_sums, rounds, together, strides));

__global__ void from_outside(task t) {
  const unsigned lane = linear() % 32;
  if (lane < 4) t.out[lane] = __shfl_sync(0xFU, t.in[lane], lane == 2 ? 9 : 0);
}
__global__ void not_named(task t) { t.out[linear()] = __shfl_sync(0xFFU, t.in[linear()], 0); }
__global__ void never_comes(task t) {
  const unsigned lane = linear() % 32;
  if (lane < 7) {
    t.out[lane] = __ballot_sync(full, 1);
  } else {
    __syncwarp(0xFFFFFF00U | 0x80U);
    __syncthreads();
  }
}

void expect_failure(const char* what, kernel k) {
  const values memory(n);
  for (const bool watched : {false, true}) {
    try {
      simt::observe scope({.watched = watched});
      simt::launch({.grid = 2, .block = 64}, k, task{memory.get(), memory.get(), n, 32, 1});
      ADD_FAILURE() << "it came through";
    } catch (const simt::kernel_error& e) {
      EXPECT_THAT(e.what(), HasSubstr(what)) << watched;
    }
  }
}

TEST(plain, names_lanes_that_meet_in_a_wrong_way) {
  expect_failure("reads from lane 9, which mask 0x0000000f does not name", from_outside);
  expect_failure("calls with mask 0x000000ff, which does not name it", not_named);
  expect_failure("__ballot_sync", never_comes);
}

}  // namespace
