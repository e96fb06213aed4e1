// Grids: who runs, how often, and what it is told about its place.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "simt/cuda.hpp"
#include "tests/simt/machine.hpp"

namespace warpfold::tests {
namespace {

struct whereabouts {
  unsigned thread[3], block[3], threads[3], blocks[3];
  int runs;
};

__global__ void where_am_i(whereabouts* out) {
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  whereabouts& w = out[std::size_t{block} * threads + thread];
  const uint3 t = threadIdx, b = blockIdx;
  const dim3 d = blockDim, g = gridDim;
  for (int axis = 0; axis < 3; ++axis) {
    w.thread[axis] = axis == 0 ? t.x : axis == 1 ? t.y : t.z;
    w.block[axis] = axis == 0 ? b.x : axis == 1 ? b.y : b.z;
    w.threads[axis] = axis == 0 ? d.x : axis == 1 ? d.y : d.z;
    w.blocks[axis] = axis == 0 ? g.x : axis == 1 ? g.y : g.z;
  }
  ++w.runs;
}

void expect_everyone_at_its_place(dim3 grid, dim3 block, simt::run_options options = {}) {
  SCOPED_TRACE(testing::Message() << "grid " << grid.x << "," << grid.y << "," << grid.z
                                  << " block " << block.x << "," << block.y << "," << block.z);
  const std::size_t threads = std::size_t{block.x} * block.y * block.z;
  const std::size_t blocks = std::size_t{grid.x} * grid.y * grid.z;
  const device_array<whereabouts> out(threads * blocks, whereabouts{});
  const simt::observe scope(options);
  simt::launch({.grid = grid, .block = block}, where_am_i, out.data());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const whereabouts& w = out[i];
    const std::size_t t = i % threads, b = i / threads;
    const bool right =
        w.runs == 1 && w.thread[0] == t % block.x && w.thread[1] == t / block.x % block.y &&
        w.thread[2] == t / block.x / block.y && w.block[0] == b % grid.x &&
        w.block[1] == b / grid.x % grid.y && w.block[2] == b / grid.x / grid.y &&
        w.threads[0] == block.x && w.threads[1] == block.y && w.threads[2] == block.z &&
        w.blocks[0] == grid.x && w.blocks[1] == grid.y && w.blocks[2] == grid.z;
    if (!right) ++wrong;
  }
  EXPECT_EQ(wrong, 0U);
}

TEST(grid, tells_every_thread_its_place_in_one_two_and_three_dimensions) {
  for (const std::uint64_t seed : {0, 7}) {
    for (const unsigned workers : {1U, 0U}) {
      const simt::run_options options{.workers = workers, .seed = seed};
      expect_everyone_at_its_place(1, 1, options);
      expect_everyone_at_its_place(5, 96, options);
      expect_everyone_at_its_place({3, 4}, {8, 6}, options);
      expect_everyone_at_its_place({2, 3, 4}, {4, 3, 5}, options);
      expect_everyone_at_its_place({1, 1, 7}, {1, 1, 64}, options);
    }
  }
}

TEST(grid, takes_any_block_size) {
  for (const unsigned block : {2U, 31U, 33U, 63U, 100U, 500U, 1023U, 1024U}) {
    expect_everyone_at_its_place(3, block);
  }
  expect_everyone_at_its_place(2, {32, 32});
  expect_everyone_at_its_place(2, {16, 8, 8});
}

TEST(grid, takes_many_blocks) {
  expect_everyone_at_its_place(100'000, 1);
  expect_everyone_at_its_place({300, 100, 2}, 3);
  expect_everyone_at_its_place({1, 65535, 1}, 2);
}

__global__ void returns_early(int* runs, int* completed) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&runs[i], 1);
  if (i % 3 == 0) return;
  atomicAdd(&completed[i], 1);
}

TEST(grid, runs_a_thread_that_returns_early_exactly_once) {
  for (const std::uint64_t seed : {0, 1, 2}) {
    const device_array<int> runs(1000), completed(1000);
    const simt::observe scope({.seed = seed});
    simt::launch({.grid = 10, .block = 100}, returns_early, runs.data(), completed.data());
    for (unsigned i = 0; i < runs.size(); ++i) {
      EXPECT_EQ(runs[i], 1);
      EXPECT_EQ(completed[i], i % 3 == 0 ? 0 : 1);
    }
  }
}

__global__ void first_of_my_warp(unsigned* out) {
  const unsigned flat = threadIdx.y * blockDim.x + threadIdx.x;
  out[flat] = __shfl_sync(0xffffffffU, flat, 0);
}

TEST(grid, fills_warps_along_x_first) {
  const device_array<unsigned> out(96);
  simt::launch({.grid = 1, .block = {12, 8}}, first_of_my_warp, out.data());
  for (unsigned i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], i / 32 * 32);
}

__global__ void nothing() {}

std::string launch_error_of(const simt::launch_config& config) {
  try {
    simt::launch(config, nothing);
  } catch (const simt::launch_error& e) {
    return e.what();
  }
  return "";
}

/// Long enough for each thread to give way many times, at places of its own.
__global__ void collatz(unsigned* out, unsigned rounds) {
  unsigned x = threadIdx.x + 1, steps = 0;
  for (unsigned i = 0; i < rounds + threadIdx.x; ++i) {
    x = x % 2 == 0 ? x / 2 : 3 * x + 1;
    if (x == 1) {
      x = i % 1000 + 2;
      ++steps;
    }
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = steps;
}

TEST(grid, threads_that_take_long_give_way_to_each_other) {
  constexpr unsigned threads = 96, blocks = 6, rounds = 20000;
  const auto run = [&](simt::run_options options) {
    const device_array<unsigned> out(std::size_t{threads} * blocks);
    const simt::observe scope(options);
    simt::launch({.grid = blocks, .block = threads}, collatz, out.data(), rounds);
    return std::vector<unsigned>(out.begin(), out.end());
  };
  std::vector<unsigned> expected;
  for (unsigned t = 0; t < threads * blocks; ++t) {
    unsigned x = t % threads + 1, steps = 0;
    for (unsigned i = 0; i < rounds + t % threads; ++i) {
      x = x % 2 == 0 ? x / 2 : 3 * x + 1;
      if (x == 1) {
        x = i % 1000 + 2;
        ++steps;
      }
    }
    expected.push_back(steps);
  }
  for (int round = 0; round < 5; ++round) EXPECT_EQ(run({}), expected);
  EXPECT_EQ(run({.seed = 5}), expected);
  EXPECT_EQ(run({.workers = 1}), expected);
}

TEST(grid, refuses_what_no_device_takes) {
  EXPECT_NE(launch_error_of({.grid = 0, .block = 32}), "");
  EXPECT_NE(launch_error_of({.grid = 1, .block = 0}), "");
  EXPECT_NE(launch_error_of({.grid = {1, 0}, .block = 32}), "");
  EXPECT_NE(launch_error_of({.grid = 1, .block = 1025}), "");
  EXPECT_NE(launch_error_of({.grid = 1, .block = {32, 33}}), "");
  EXPECT_NE(launch_error_of({.grid = 1, .block = {1, 1, 65}}), "");
  EXPECT_NE(launch_error_of({.grid = {1, 65536}, .block = 1}), "");
  EXPECT_NE(launch_error_of({.grid = {1, 1, 65536}, .block = 1}), "");
  EXPECT_NE(launch_error_of({.grid = 1, .block = 1, .shared_bytes = 227 * 1024 + 1}), "");
  EXPECT_NE(launch_error_of({.grid = 3, .block = 1, .cluster = 2}), "");
  EXPECT_NE(launch_error_of({.grid = 32, .block = 1, .cluster = 32}), "");
  EXPECT_NE(launch_error_of({.grid = 2, .block = 1, .cluster = 0}), "");
  EXPECT_EQ(launch_error_of({.grid = 1, .block = 1024, .shared_bytes = 227 * 1024}), "");
}

}  // namespace
}  // namespace warpfold::tests
