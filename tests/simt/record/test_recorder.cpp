// What a watched launch keeps of itself: accesses with their values, exchanges, who applied what.
#include <numeric>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/cuda.hpp"
#include "tests/simt/machine.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::tests::watching {

using testing::ElementsAre;
using testing::HasSubstr;

struct watched {
  std::vector<simt::watched_step> steps;
  simt::counters total;
};

template <class F>
watched watch(F f) {
  simt::observe scope({.count = true, .watch = true});
  f();
  return {std::move(scope.steps), scope.total};
}

template <class T>
T value_of(const simt::watched_cell& c) {
  T value;
  std::memcpy(&value, c.value.data(), sizeof value);
  return value;
}

/// "read 3,4 = 30 40 (0,1)": what it was, the elements, the values, the lanes.
std::string brief(const simt::watched_access& a, std::uintptr_t base) {
  static constexpr const char* verbs[] = {"read", "write", "atomic"};
  std::string places, values, lanes;
  for (unsigned l = 0; l < 32; ++l) {
    if ((a.lanes >> l & 1) == 0) continue;
    const auto& c = a.cell[l];
    places += (places.empty() ? "" : ",") + std::to_string((c.address - base) / 4);
    values += " " + std::to_string(value_of<int>(c));
    lanes += (lanes.empty() ? "" : ",") + std::to_string(l);
  }
  return std::string(verbs[static_cast<int>(a.what)]) + " " + places + " =" + values + " (" +
         lanes + ")";
}

std::vector<std::string> brief(const simt::watched_step& s, const void* device) {
  std::vector<std::string> all;
  for (const auto& a : s.accesses) {
    const bool global = a.space == simt::memory_space::global;
    all.push_back((global ? "global " : "shared ") +
                  brief(a, global ? reinterpret_cast<std::uintptr_t>(device) : 0));
  }
  return all;
}

__global__ void tree(int* data) {
  int* const s = detail::dynamic_shared<int>();
  const unsigned t = threadIdx.x;
  s[t] = data[t];
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (t < stride) {
      detail::count_op_call();
      s[t] += s[t + stride];
    }
    __syncthreads();
  }
  if (t == 0) data[0] = s[0];
}

TEST(watch, a_step_ends_at_each_barrier) {
  device_array<int> data(4);
  std::iota(data.begin(), data.end(), 1);
  const auto seen =
      watch([&] { simt::launch({.block = 4, .shared_bytes = 16}, tree, data.data()); });
  ASSERT_EQ(seen.steps.size(), 4U);
  EXPECT_THAT(brief(seen.steps[0], data.data()),
              ElementsAre("global read 0,1,2,3 = 1 2 3 4 (0,1,2,3)",
                          "shared write 0,1,2,3 = 1 2 3 4 (0,1,2,3)"));
  EXPECT_THAT(brief(seen.steps[1], data.data()),
              ElementsAre("shared read 2,3 = 3 4 (0,1)", "shared read 0,1 = 1 2 (0,1)",
                          "shared write 0,1 = 4 6 (0,1)"));
  EXPECT_THAT(seen.steps[1].applications, ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(
      brief(seen.steps[2], data.data()),
      ElementsAre("shared read 1 = 6 (0)", "shared read 0 = 4 (0)", "shared write 0 = 10 (0)"));
  EXPECT_THAT(brief(seen.steps[3], data.data()),
              ElementsAre("shared read 0 = 10 (0)", "global write 0 = 10 (0)"));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(seen.steps[i].ended_by, simt::step_end::block_barrier);
    EXPECT_EQ(seen.steps[i].word, "__syncthreads");
    EXPECT_EQ(seen.steps[i].threads, 4U);
    EXPECT_THAT(seen.steps[i].kernel, HasSubstr("tree"));
  }
  EXPECT_EQ(seen.steps[3].ended_by, simt::step_end::block_end);
}

__global__ void fold_warp(int* data) {
  int v = data[threadIdx.x];
  for (unsigned offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(~0U, v, offset);
  if (__ballot_sync(~0U, v > 0) != 0) data[threadIdx.x] = v;
}

TEST(watch, what_lanes_hand_over_and_take) {
  device_array<int> data(32);
  std::iota(data.begin(), data.end(), 1);
  const auto seen = watch([&] { simt::launch({.block = 32}, fold_warp, data.data()); });
  ASSERT_EQ(seen.steps.size(), 7U);  // five shuffles, the vote, the end
  for (unsigned i = 0; i < 6; ++i) {
    EXPECT_EQ(seen.steps[i].ended_by, simt::step_end::warp_operation);
    EXPECT_EQ(seen.steps[i].lanes, ~0U);
    EXPECT_EQ(seen.steps[i].exchanges, i < 5) << i;
  }
  EXPECT_EQ(seen.steps[1].word, "__shfl_down_sync");
  EXPECT_EQ(seen.steps[5].word, "__ballot_sync");
  EXPECT_EQ(seen.steps[0].handed[3], 4U);
  EXPECT_EQ(seen.steps[0].source[3], 19U);
  EXPECT_EQ(seen.steps[0].source[17], 17U);  // past the end: its own
  EXPECT_EQ(seen.steps[1].handed[3], 4U + 20);
  EXPECT_EQ(seen.steps[1].source[3], 11U);
  EXPECT_EQ(value_of<int>(seen.steps[6].accesses.at(0).cell[0]), 32 * 33 / 2);
}

__global__ void across(int* data, unsigned stride) {
  int* const s = detail::dynamic_shared<int>();
  const unsigned i = threadIdx.x * stride % 1024;
  s[i] = data[threadIdx.x];
  __syncthreads();
  if (threadIdx.x % 3 == 0) s[i] += 1;
  __syncthreads();
  atomicAdd(data + threadIdx.x / 8, s[i]);
}

TEST(watch, lines_lanes_up_as_the_counters_do) {
  device_array<int> data(96, 1);
  for (const unsigned stride : {1U, 2U, 8U, 33U, 64U}) {
    const auto seen = watch([&] {
      simt::launch({.grid = 2, .block = 96, .shared_bytes = 4096}, across, data.data(), stride);
    });
    simt::counters::memory loads, stores;
    std::uint64_t atomics = 0, global_loads = 0;
    for (const auto& s : seen.steps) {
      for (const auto& a : s.accesses) {
        if (a.what == simt::access_type::atomic) ++atomics;
        if (a.space == simt::memory_space::global) {
          global_loads += a.what == simt::access_type::read ? 1 : 0;
          continue;
        }
        auto& m = a.what == simt::access_type::read ? loads : stores;
        ++m.requests;
        m.conflicts += a.conflicts;
      }
    }
    EXPECT_EQ(loads.requests, seen.total.shared_load.requests);
    EXPECT_EQ(loads.conflicts, seen.total.shared_load.conflicts) << stride;
    EXPECT_EQ(stores.requests, seen.total.shared_store.requests);
    EXPECT_EQ(stores.conflicts, seen.total.shared_store.conflicts) << stride;
    EXPECT_EQ(atomics, seen.total.global_atomic.requests);
    EXPECT_EQ(global_loads, seen.total.global_load.requests);
  }
}

struct slots {
  int of[4];
};

__global__ void to_the_next_block(int* data) {
  auto& mine = detail::shared_storage<slots>();
  detail::cluster_sync();
  *detail::in_block(&mine.of[threadIdx.x], 1 - detail::cluster_rank()) =
      data[blockIdx.x * 4 + threadIdx.x];
  detail::cluster_sync();
  data[blockIdx.x * 4 + threadIdx.x] = mine.of[threadIdx.x];
}

TEST(watch, whose_shared_memory_it_is) {
  device_array<int> data(16);
  std::iota(data.begin(), data.end(), 0);
  const auto seen = watch(
      [&] { simt::launch({.grid = 4, .block = 4, .cluster = 2}, to_the_next_block, data.data()); });
  unsigned remote = 0;
  for (const auto& s : seen.steps) {
    for (const auto& a : s.accesses) {
      if (a.space != simt::memory_space::remote_shared) continue;
      ++remote;
      EXPECT_EQ(a.cell[2].block, s.block ^ 1U);
      EXPECT_EQ(a.cell[2].object, 1U);
      EXPECT_EQ(a.cell[2].address, 8U);
      EXPECT_EQ(value_of<unsigned>(a.cell[2]), s.block * 4 + 2);
    }
  }
  EXPECT_EQ(remote, 4U);
  EXPECT_EQ(data[1], 5);
}

TEST(watch, launches_are_told_apart_and_nothing_is_kept_unasked) {
  device_array<int> data(4, 1);
  const simt::launch_config config{.block = 4, .shared_bytes = 16};
  const auto seen = watch([&] {
    simt::launch(config, tree, data.data());
    simt::launch(config, tree, data.data());
  });
  EXPECT_EQ(seen.steps.front().launch, 0U);
  EXPECT_EQ(seen.steps.back().launch, 1U);
  simt::observe unasked({.count = true});
  simt::launch(config, tree, data.data());
  EXPECT_TRUE(unasked.steps.empty());
}

__global__ void busy(volatile int* data) {
  for (unsigned i = 0; i < 1U << 20; ++i) data[0] = 1;
}

TEST(watch, more_than_can_be_kept_is_an_error) {
  device_array<int> data(1);
  EXPECT_THAT(
      kernel_error_of([&] { simt::launch({.block = 1}, busy, data.data()); }, {.watch = true}),
      HasSubstr("record a launch of fewer values"));
}

}  // namespace warpfold::tests::watching
