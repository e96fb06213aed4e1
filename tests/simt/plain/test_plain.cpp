// Kernels of every kind, run where somebody looks on and where nobody does: the same results to the
// bit, and the engine that they are meant for.
#include <cstdint>
#include <cstring>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/cuda.hpp"
#include "simt/groups.hpp"
#include "simt/memory.hpp"
#include "tests/simt/plain/both_engines.hpp"
#include "warpfold/platform.hpp"

namespace {

using simt::engine_kind;
using simt::test::expect_same;
using simt::test::values;
using testing::HasSubstr;

constexpr unsigned n = 5000;

__global__ void scale_add(const float* x, float* y, float a, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] += a * x[i];
}

__global__ void coordinates(std::uint32_t* out) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
  const unsigned wide = gridDim.x * blockDim.x;
  const unsigned high = gridDim.y * blockDim.y;
  out[(z * high + y) * wide + x] =
      threadIdx.z << 24 | threadIdx.y << 16 | threadIdx.x << 8 | simt::detail::lane_index();
}

__global__ void histogram(const std::uint32_t* in, std::uint32_t* bins, unsigned count) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    atomicAdd(&bins[in[i] % 64], 1U);
    atomicMax(&bins[64], in[i]);
  }
}

/// An atomic that is called where an object waits for its destructor.
struct departure {
  std::uint32_t* out;
  ~departure() { atomicAdd(out + 1, 1U); }
};
__global__ void count_departures(std::uint32_t* out) {
  const departure last{out};
  atomicAdd(out, threadIdx.x);
}

/// Every thread changes what it was given.
struct counts {
  std::uint32_t of[8];
};
__global__ void own_parameters(counts c, std::uint32_t* out) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned i = 0; i <= t % 8; ++i) c.of[(t + i) % 8] += t;
  std::uint32_t sum = 0;
  for (const std::uint32_t v : c.of) sum = sum * 31 + v;
  if (t < n) out[t] = sum;
}

__global__ void search(const std::uint32_t* sorted, std::uint32_t* out, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned low = 0, high = count;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    if (sorted[middle] < i * 3) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  out[i] = low;
}

struct words {
  std::uint32_t of[256];
};

__global__ void tree(const std::uint32_t* in, std::uint32_t* out, unsigned count) {
  auto& s = warpfold::detail::shared_storage<words>();
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s.of[t] = i < count ? in[i] : 0;
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d != 0; d /= 2) {
    if (t < d) s.of[t] += s.of[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s.of[0];
}

struct tiles {
  float a[8][8], b[8][8];
};

__global__ void product(const float* a, const float* b, float* c, unsigned wide) {
  auto& s = warpfold::detail::shared_storage<tiles>();
  const unsigned x = threadIdx.x, y = threadIdx.y;
  const unsigned row = blockIdx.y * 8 + y, column = blockIdx.x * 8 + x;
  float sum = 0;
  for (unsigned k = 0; k < wide; k += 8) {
    s.a[y][x] = a[row * wide + k + x];
    s.b[y][x] = b[(k + y) * wide + column];
    __syncthreads();
    for (unsigned i = 0; i < 8; ++i) sum += s.a[y][i] * s.b[i][x];
    __syncthreads();
  }
  c[row * wide + column] = sum;
}

/// The last block has threads that leave, a loop of as many rounds as memory says, and votes.
__global__ void leaves_early(const std::uint32_t* in, std::uint32_t* out, unsigned count) {
  auto& s = warpfold::detail::shared_storage<words>();
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (i >= count) return;
  s.of[t] = in[i];
  const bool odd = in[i] % 2 != 0;
  __syncthreads();
  std::uint32_t v = 0;
  for (std::uint32_t round = 0; round < in[0] % 8 + 3; ++round) {
    v = v * 3 + s.of[(t + round) % 32];
    __syncthreads();
    s.of[t] ^= v;
    __syncthreads();
  }
  v += static_cast<std::uint32_t>(__syncthreads_count(odd && v % 3 == 0 ? 1 : 0));
  out[i] = odd ? v : v + 1;
}

/// Each thread has memory of its own on both sides of a barrier, and parts at branches.
__global__ void own_arrays(const std::uint32_t* in, std::uint32_t* out) {
  auto& s = warpfold::detail::shared_storage<words>();
  const unsigned t = threadIdx.x;
  std::uint32_t own[5];
  for (unsigned i = 0; i < 5; ++i) own[i] = in[(t + i * 7) % 256];
  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    s.of[t] = own[step % 5];
    __syncthreads();
    if (t >= step) {
      own[(step + 1) % 5] += s.of[t - step];
    } else if (s.of[t] % 2 == 0) {
      own[s.of[t] % 5] = step;
    }
    __syncthreads();
  }
  for (unsigned i = 0; i < 5; ++i) out[t * 5 + i] = own[i];
}

/// Barriers in a branch that all take, and in one that nobody takes.
__global__ void branches(std::uint32_t* out, unsigned way) {
  auto& s = warpfold::detail::shared_storage<words>();
  const unsigned t = threadIdx.x;
  s.of[t] = t;
  if (way == 1) {
    __syncthreads();
    s.of[t] += t < 255 ? s.of[t + 1] : 0;  // its neighbour may have been there before
    s.of[t] = t * 3;
    __syncthreads();
  } else if (way == 2) {
    for (unsigned i = 0; i < way + blockIdx.x; ++i) {
      __syncthreads();
      const std::uint32_t next = s.of[(t + 1) % blockDim.x];
      __syncthreads();
      s.of[t] = next;
    }
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + t] = s.of[blockDim.x - 1 - t];
}

__global__ void parts(std::uint32_t* out) {
  if (out[threadIdx.x] % 2 == 0) {
    __syncthreads();
  } else {
    out[128 + threadIdx.x] = 2;
    __syncthreads();
  }
  out[threadIdx.x] += out[255 - threadIdx.x];
}
/// Some threads go round a loop, or on to the next step, past a barrier.
__global__ void passes_by(std::uint32_t* out) {
  auto& s = warpfold::detail::shared_storage<words>();
  const unsigned t = threadIdx.x;
  s.of[t] = out[t];
  __syncthreads();
  for (unsigned k = 0; k < 3; ++k) {
    if (t >= 96) continue;
    s.of[t] += k;
    __syncthreads();
  }
  out[t] = s.of[t];
}
__global__ void conditional_tree(std::uint32_t* out) {
  auto& s = warpfold::detail::shared_storage<words>();
  const unsigned t = threadIdx.x;
  s.of[t] = out[t];
  __syncthreads();
  for (unsigned stride = 64; stride > 0; stride /= 2) {
    if (t < stride) {
      s.of[t] += s.of[t + stride];
      __syncthreads();
    }
  }
  if (t == 0) out[0] = s.of[0];
}

/// Volatile words and atomics in loops that end whatever is in them.
__global__ void volatile_scan(const std::uint32_t* in, std::uint32_t* out, unsigned size) {
  auto& s = warpfold::detail::shared_storage<words>();
  volatile std::uint32_t* const own = s.of;
  const unsigned t = threadIdx.x;
  own[t] = in[blockIdx.x * blockDim.x + t];
  for (unsigned offset = 1; offset < size; offset <<= 1) {
    __syncthreads();
    const std::uint32_t v = t >= offset ? own[t] + own[t - offset] : own[t];
    __syncthreads();
    own[t] = v;
  }
  out[blockIdx.x * blockDim.x + t] = own[t];
}
__global__ void tickets(std::uint32_t* out) {
  for (unsigned i = 0; i < 5; ++i) atomicAdd(&out[1 + atomicAdd(&out[0], 1U) % 7], i);
}

/// All blocks of a grid meet.
__global__ void of_grid(std::uint32_t* out) {
  if (cooperative_groups::this_grid().is_valid()) out[0] = 1;
  out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
}

/// Each thread adds what a thread of another block has left. What it keeps itself, and what its
/// block's shared memory holds, lasts while the block waits.
__global__ void meetings_of_grid(std::uint32_t* out, unsigned rounds) {
  const auto grid = cooperative_groups::this_grid();
  auto& s = warpfold::detail::shared_storage<words>();
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t, all = gridDim.x * blockDim.x;
  std::uint32_t mine = out[i];
  for (unsigned r = 0; r < rounds; ++r) {
    s.of[t] = mine;
    __syncthreads();
    out[all + i] = s.of[(t + 1) % blockDim.x] * 3 + r;
    grid.sync();
    mine += out[all + (i + blockDim.x + 7 * r) % all] ^ s.of[(t + 3) % blockDim.x];
    grid.sync();
  }
  out[i] = mine;
}

__global__ void leaves_grid(std::uint32_t* out) {
  if (blockIdx.x == 3) return;
  cooperative_groups::this_grid().sync();
  out[threadIdx.x] = 1;
}

__global__ void strays_in_grid(std::uint32_t* out) {
  cooperative_groups::this_grid().sync();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i == 300 ? std::size_t{1} << 36 : i] = i;
}

/// A block goes on when the one before it has left its number.
__global__ void relay(std::uint32_t* out, const volatile std::uint32_t* flags) {
  if (threadIdx.x != 0) return;
  while (blockIdx.x != 0 && flags[blockIdx.x - 1] == 0) {
  }
  __threadfence();
  out[blockIdx.x] = blockIdx.x + 1;
}

__global__ void lock(std::uint32_t* words) {
  while (atomicCAS(&words[0], 0U, 1U) != 0) {
  }
  __threadfence();
  words[1] += 1;
  __threadfence();
  atomicExch(&words[0], 0U);
}

/// 256 GiB away is still within the machine's memory, where nothing is allocated; 4 TiB away is
/// not, and something else of the process may be there.
__global__ void strays(std::uint32_t* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i == 300 ? std::size_t{1} << 36 : i] = i;
}

__global__ void gives_up(std::uint32_t* out) {
  out[threadIdx.x] = 1;
  if (threadIdx.x == 77) simt::detail::fail_here("here.cu", 3, "no further");
}

template <class... Parameters, class... Args>
void expect_failure(const std::string& what, const simt::launch_config& config,
                    void (*kernel)(Parameters...), Args... args) {
  for (const bool watched : {false, true}) {
    try {
      simt::observe scope({.watched = watched});
      simt::launch(config, kernel, args...);
      ADD_FAILURE() << "it came through";
    } catch (const simt::kernel_error& e) {
      EXPECT_THAT(e.what(), HasSubstr(what)) << watched;
    }
  }
}
template <class... Parameters, class... Args>
void expect_failure(const std::string& what, void (*kernel)(Parameters...), Args... args) {
  expect_failure(what, {.grid = 8, .block = 128}, kernel, args...);
}
TEST(plain, runs_independent_threads_as_loops) {
  const values x(n);
  for (std::size_t i = 0; i < n; ++i) {
    const float v = 1.0F + static_cast<float>(x.get()[i] % 1000) / 7;
    std::memcpy(x.get() + i, &v, 4);
  }
  expect_same(engine_kind::blocks, n + 100, [&](std::uint32_t* out) {
    for (std::size_t i = 0; i < n; ++i) std::memcpy(out + i, x.get() + i, 4);
    simt::launch({.grid = 20, .block = 256}, scale_add, reinterpret_cast<const float*>(x.get()),
                 reinterpret_cast<float*>(out), 1.1F, n);
  });
}
TEST(plain, knows_where_each_thread_is) {
  expect_same(engine_kind::blocks, 3 * 5 * 2 * 7 * 5 * 4, [](std::uint32_t* out) {
    simt::launch({.grid = {3, 5, 2}, .block = {7, 5, 4}}, coordinates, out);
  });
}
TEST(plain, adds_with_atomics) {
  const values in(n, 7);
  expect_same(engine_kind::blocks, 65, [&](std::uint32_t* bins) {
    simt::launch({.grid = 3, .block = 96}, histogram, in.get(), bins, n);
  });
}
TEST(plain, adds_with_atomics_beside_destructors) {
  expect_same(engine_kind::blocks, 2, [](std::uint32_t* out) {
    simt::launch({.grid = 3, .block = 64}, count_departures, out);
  });
}
TEST(plain, gives_every_thread_its_own_parameters) {
  expect_same(engine_kind::blocks, n, [](std::uint32_t* out) {
    simt::launch({.grid = 40, .block = 128}, own_parameters, counts{{1, 2, 3, 4, 5, 6, 7, 8}}, out);
  });
}
TEST(plain, searches_by_halves) {
  const values sorted(n);
  for (unsigned i = 0; i < n; ++i) sorted.get()[i] = i * 2;
  expect_same(engine_kind::blocks, n, [&](std::uint32_t* out) {
    simt::launch({.grid = 20, .block = 256}, search, sorted.get(), out, n);
  });
}
TEST(plain, splits_trees_at_barriers) {
  const values in(n);
  expect_same(engine_kind::blocks, 20, [&](std::uint32_t* out) {
    simt::launch({.grid = 20, .block = 256}, tree, in.get(), out, n);
  });
}
TEST(plain, splits_tiled_products) {
  const values in(2 * 64 * 64);
  auto* const numbers = reinterpret_cast<float*>(in.get());
  for (std::size_t i = 0; i < 2 * 64 * 64; ++i) numbers[i] = static_cast<float>(i * i % 311) / 9;
  expect_same(engine_kind::blocks, 64 * 64, [&](std::uint32_t* out) {
    simt::launch({.grid = {8, 8}, .block = {8, 8}}, product, numbers, numbers + 64 * 64,
                 reinterpret_cast<float*>(out), 64U);
  });
}
TEST(plain, lets_threads_leave_before_barriers) {
  const values in(n);
  expect_same(engine_kind::blocks, n, [&](std::uint32_t* out) {
    simt::launch({.grid = 20, .block = 256}, leaves_early, in.get(), out, n);
  });
}
TEST(plain, keeps_own_arrays_across_barriers) {
  const values in(256);
  expect_same(engine_kind::blocks, 256 * 5, [&](std::uint32_t* out) {
    simt::launch({.grid = 1, .block = 256}, own_arrays, in.get(), out);
  });
}
TEST(plain, takes_branches_together) {
  for (const unsigned way : {0U, 1U, 2U}) {
    expect_same(engine_kind::blocks, 4 * 192, [&](std::uint32_t* out) {
      simt::launch({.grid = 4, .block = 192}, branches, out, way);
    });
  }
}
TEST(plain, counts_barriers) {
  const values in(n);
  for (const bool watched : {false, true}) {
    const simt::observe scope({.watched = watched});
    simt::launch({.grid = 20, .block = 256}, tree, in.get(), in.get(), 0U);
    EXPECT_EQ(scope.total.barriers, 20U * 9) << watched;
    EXPECT_EQ(scope.total.warps, 20U * 8) << watched;
  }
}
TEST(plain, counts_who_has_come_whichever_barrier_it_is) {
  for (auto* const kernel : {parts, passes_by, conditional_tree}) {
    expect_same(engine_kind::fibers, 2 * 128,
                [&](std::uint32_t* out) { simt::launch({.grid = 1, .block = 128}, kernel, out); });
  }
}
TEST(plain, keeps_fibers_for_what_a_grid_does) {
  expect_same(engine_kind::fibers, 20 * 64,
              [&](std::uint32_t* out) { simt::launch({.grid = 20, .block = 64}, of_grid, out); });
}
TEST(plain, lets_blocks_wait_for_the_grid) {
  for (const unsigned blocks : {1U, 2U, 37U}) {
    expect_same(engine_kind::blocks, std::size_t{2} * blocks * 100, [=](std::uint32_t* out) {
      simt::launch({.grid = blocks, .block = 100, .cooperative = true}, meetings_of_grid, out, 9U);
    });
  }
  const values words(20 * 64 * 2);
  for (const bool watched : {false, true}) {
    const simt::observe scope({.watched = watched});
    simt::launch({.grid = 20, .block = 64, .cooperative = true}, meetings_of_grid, words.get(), 3U);
    EXPECT_EQ(scope.total.barriers, 20U * 3 * 5) << watched;
    EXPECT_EQ(scope.total.warps, 20U * 2) << watched;
  }
}
TEST(plain, says_why_a_grid_cant_meet) {
  const values out(2 * 8 * 128);
  expect_failure("needs a cooperative launch", meetings_of_grid, out.get(), 1U);
  const simt::launch_config together{.grid = 8, .block = 128, .cooperative = true};
  expect_failure("test_plain.cpp:259): 1 of 8 blocks have ended", together, leaves_grid, out.get());
  expect_failure("block (2,0,0)", together, strays_in_grid, out.get());
}
TEST(plain, reads_volatile_words_in_loops_that_end_by_themselves) {
  const values in(20 * 256);
  expect_same(engine_kind::blocks, 20 * 256, [&](std::uint32_t* out) {
    simt::launch({.grid = 20, .block = 256}, volatile_scan, in.get(), out, 256U);
  });
  const simt::observe scope({});
  std::fill_n(in.get(), 8, 0U);
  simt::launch({.grid = 20, .block = 64}, tickets, in.get());
  EXPECT_EQ(scope.engine, engine_kind::blocks);
  EXPECT_EQ(in.get()[0], 20U * 64 * 5);
  std::uint32_t sum = 0;
  for (unsigned i = 1; i < 8; ++i) sum += in.get()[i];
  EXPECT_EQ(sum, 20U * 64 * 10);
}
TEST(plain, watches_threads_that_wait) {
  expect_same(engine_kind::watched, 100, [](std::uint32_t* out) {
    std::fill_n(out, 100, 0U);
    simt::launch({.grid = 100, .block = 33}, relay, out, out);
  });
  expect_same(engine_kind::watched, 2, [](std::uint32_t* out) {
    std::fill_n(out, 2, 0U);
    simt::launch({.grid = 5, .block = 64}, lock, out);
    EXPECT_EQ(out[1], 320U);
  });
}
TEST(plain, counts_warps) {
  const values out(1024);
  const simt::observe scope({});
  simt::launch({.grid = 7, .block = 70}, scale_add, static_cast<const float*>(nullptr),
               static_cast<float*>(nullptr), 1.0F, 0U);
  EXPECT_EQ(scope.engine, engine_kind::blocks);
  EXPECT_EQ(scope.total.warps, 21U);
}

TEST(plain, names_the_thread_that_goes_astray) {
  const values out(1024);
  expect_failure("block (2,0,0), thread (44,0,0), warp 1 lane 12", strays, out.get());
}
TEST(plain, names_the_thread_that_gives_up) {
  const values out(1024);
  expect_failure("thread (77,0,0), warp 2 lane 13, here.cu:3: no further", gives_up, out.get());
}
}  // namespace
