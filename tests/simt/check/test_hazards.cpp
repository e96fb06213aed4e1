// What ends a checked launch is a finding, with who waits for what; unchecked it is an error
// (test_errors.cpp).
#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/cuda.hpp"
#include "tests/simt/machine.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::tests::hazards {

using simt::finding_kind;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr unsigned whole = 0xffffffffU;

/// What the kernel's launch, the last of `f`, ends with, in every kind of run.
template <class F>
simt::finding end_of(F f) {
  simt::finding last;
  for (const bool count : {true, false}) {
    for (const std::uint64_t seed : {0, 1, 2, 3}) {
      simt::observe scope({.count = count, .check = true, .seed = seed, .patience_seconds = 0.2});
      EXPECT_NO_THROW(f());
      int ends = 0;
      for (const simt::finding& found : scope.findings) {
        if (!found.ends_launch) continue;
        last = found;
        ++ends;
      }
      EXPECT_EQ(ends, 1) << "count " << count << " seed " << seed;
      EXPECT_EQ(last.seed, seed);
      EXPECT_THAT(last.text(), AllOf(HasSubstr("the launch ends here"), HasSubstr("fix: ")));
    }
  }
  return last;
}

template <class... Parameters, class... Args>
simt::finding end_of_launch(const simt::launch_config& config, void (*kernel)(Parameters...),
                            Args... args) {
  return end_of([&] { simt::launch(config, kernel, args...); });
}

constexpr int early_line = __LINE__ + 3;
__global__ void early_return() {
  if (threadIdx.x == 70) return;
  __syncthreads();
}

TEST(hazards, a_barrier_that_some_return_before_is_a_note_where_notes_are_asked_for) {
  simt::observe silent({.check = true});
  simt::launch({.grid = 4, .block = 96}, early_return);
  EXPECT_TRUE(silent.findings.empty());
  EXPECT_TRUE(silent.notes.empty());
  const simt::observe scope({.check = true, .notes = true});
  simt::launch({.grid = 4, .block = 96}, early_return);
  EXPECT_TRUE(scope.findings.empty()) << "no mistake since Volta";
  ASSERT_EQ(scope.notes.size(), 1U);
  const simt::finding& f = scope.notes[0];
  EXPECT_EQ(f.kind, finding_kind::barrier_not_reached);
  EXPECT_THAT(f.kernel, HasSubstr("early_return"));
  EXPECT_FALSE(f.ends_launch);
  EXPECT_EQ(f.count, 4U) << "blocks";
  EXPECT_EQ(f.here.line, early_line);
  EXPECT_EQ(f.here.threads, 95U);
  EXPECT_EQ(f.here.doing, "passes __syncthreads");
  ASSERT_EQ(f.more.size(), 1U);
  EXPECT_EQ(f.more[0].line, early_line - 1) << "where it returned";
  EXPECT_EQ(f.more[0].thread.x, 70U);
  EXPECT_EQ(f.more[0].doing, "has ended");
  EXPECT_THAT(f.text(), AllOf(HasSubstr("note: barrier"), HasSubstr("6.x and older")));
}

constexpr int cluster_line = __LINE__ + 6;
__global__ void waits_at_two_levels(int* out) {
  if (threadIdx.x < 32) {
    out[threadIdx.x] = 2;
    __syncthreads();
  } else {
    simt::detail::cluster_barrier({__FILE__, __LINE__, simt::detail::intrinsic::cluster_sync});
  }
}

TEST(hazards, a_barrier_that_some_pass_by) {
  const device_array<int> out(64);
  const auto f = end_of_launch({.grid = 1, .block = 64}, waits_at_two_levels, out.data());
  EXPECT_EQ(f.kind, finding_kind::barrier_not_reached);
  ASSERT_EQ(f.more.size(), 1U);
  EXPECT_EQ(std::max(f.here.line, f.more[0].line), cluster_line);
  EXPECT_EQ(f.here.threads, 32U);
  EXPECT_EQ(f.more[0].threads, 32U);
}

constexpr int two_line = __LINE__ + 4;
__global__ void two_barriers(int* data) {
  if (threadIdx.x < 32) {
    data[threadIdx.x] = 1;
    __syncthreads();
  } else {
    data[threadIdx.x] = 2;
    __syncthreads();
  }
  data[63 - threadIdx.x] += 4;
}

TEST(hazards, two_barriers_at_once_are_one) {
  const device_array<int> data(64);
  const simt::observe scope({.check = true});
  simt::launch({.grid = 1, .block = 64}, two_barriers, data.data());
  EXPECT_EQ(data[0], 5);
  EXPECT_EQ(data[63], 6);
  ASSERT_EQ(scope.findings.size(), 1U);
  const auto& f = scope.findings[0];
  EXPECT_EQ(f.kind, finding_kind::two_barriers);
  ASSERT_EQ(f.more.size(), 1U);
  const auto [low, high] = std::minmax(f.here.line, f.more[0].line);
  EXPECT_EQ(low, two_line);
  EXPECT_EQ(high, two_line + 3);
  EXPECT_NE(f.here.warp, f.more[0].warp);
}

__global__ void mask_without_me(unsigned* out) { out[threadIdx.x] = __ballot_sync(0xfffffff0U, 1); }

constexpr int gone_line = __LINE__ + 4;
__global__ void takes_from_the_ended(int* out) {
  if (threadIdx.x == 5) return;
  __syncwarp();
  out[threadIdx.x] = __shfl_down_sync(whole, 1, 1);
}

TEST(hazards, a_value_from_a_lane_that_has_ended_or_never_was) {
  const device_array<int> out(32);
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    std::fill(out.begin(), out.end(), 7);
    const simt::observe scope({.check = true, .seed = seed});
    simt::launch({.grid = 1, .block = 20}, takes_from_the_ended, out.data());
    ASSERT_EQ(scope.findings.size(), 1U) << "seed " << seed;
    const simt::finding& f = scope.findings[0];
    EXPECT_EQ(f.kind, finding_kind::wrong_mask);
    EXPECT_FALSE(f.ends_launch);
    EXPECT_EQ(f.here.line, gone_line);
    EXPECT_EQ(f.count, 2U) << "lanes 4 and 19";
    EXPECT_THAT(f.here.doing, AllOf(HasSubstr("__shfl_down_sync"), HasSubstr("undefined")));
    EXPECT_EQ(out[3], 1);
    EXPECT_EQ(out[4], 0) << "lane 5 has ended";
    EXPECT_EQ(out[5], 7);
    EXPECT_EQ(out[19], 0) << "lane 20 never was";
  }
}

TEST(hazards, masks_that_do_not_fit) {
  const device_array<unsigned> votes(32);
  const auto f = end_of_launch({.grid = 1, .block = 32}, mask_without_me, votes.data());
  EXPECT_EQ(f.kind, finding_kind::wrong_mask);
  EXPECT_THAT(f.here.doing, AllOf(HasSubstr("__ballot_sync"), HasSubstr("0xfffffff0")));
  EXPECT_LT(f.here.thread.x, 4U);
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

TEST(hazards, operations_that_wait_for_each_other) {
  const device_array<int> out(32);
  const auto f = end_of_launch({.grid = 1, .block = 32}, crossed, out.data());
  EXPECT_EQ(f.kind, finding_kind::deadlock);
  ASSERT_EQ(f.more.size(), 1U);
  const auto& any = f.here.line == crossed_line ? f.here : f.more[0];
  const auto& shuffle = f.here.line == crossed_line ? f.more[0] : f.here;
  EXPECT_EQ(shuffle.line, crossed_line + 2);
  EXPECT_THAT(any.doing, HasSubstr("__any_sync with mask 0xffffffff, for lanes 0xffff0000"));
  EXPECT_THAT(shuffle.doing,
              HasSubstr("__shfl_xor_sync with mask 0xffffffff, for lanes 0x0000ffff"));
}

constexpr int set_line = __LINE__ + 3;
__global__ void waits_for_a_two(volatile int* flags) {
  if (blockIdx.x == 0) {
    flags[3] = 1;
    return;
  }
  if (threadIdx.x == 0) {
    while (flags[3] != 2) {
    }
  }
  __syncthreads();
}

TEST(hazards, spinning_for_what_nobody_writes) {
  const device_array<int> flags(16);
  simt::name(flags.data(), "flags");
  const auto f = end_of([&] {
    std::fill(flags.begin(), flags.end(), 0);
    simt::launch({.grid = 2, .block = 64}, waits_for_a_two,
                 static_cast<volatile int*>(flags.data()));
  });
  EXPECT_EQ(f.kind, finding_kind::spinning);
  std::vector<simt::finding_side> all = f.more;
  all.push_back(f.here);
  bool spins = false, waits = false, wrote = false;
  for (const auto& side : all) {
    if (side.doing.starts_with("spins")) {
      spins = true;
      EXPECT_EQ(side.line, set_line + 4);
      EXPECT_EQ(side.block.x, 1U);
      EXPECT_THAT(side.doing, HasSubstr("offset 12 of flags (64 bytes)"));
    }
    if (side.doing == "waits at __syncthreads") {
      waits = true;
      EXPECT_EQ(side.threads, 63U);
    }
    if (side.doing == "wrote that last") {
      wrote = true;
      EXPECT_EQ(side.line, set_line);
      EXPECT_EQ(side.block.x, 0U);
    }
  }
  EXPECT_TRUE(spins && waits && wrote) << f.text();
  EXPECT_THAT(f.mend(), AllOf(HasSubstr("release a lock on every path"), Not(HasSubstr("ticket"))));
}

__global__ void waits_for_a_flag(volatile int* flag) {
  while (*flag == 0) {
  }
}

TEST(hazards, a_long_wait_is_said_once_on_stderr) {
  const device_array<int> flag(1);
  flag[0] = 0;
  simt::observe scope({.check = true, .patience_seconds = 6});
  testing::internal::CaptureStderr();
  simt::launch({.grid = 3, .block = 64}, waits_for_a_flag, static_cast<volatile int*>(flag.data()));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, AllOf(HasSubstr("waits_for_a_flag, block ("),
                          HasSubstr("no thread has made progress for 5 seconds"),
                          HasSubstr("the launch ends after 6 seconds\n")));
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  ASSERT_EQ(scope.findings.size(), 1U);
  EXPECT_EQ(scope.findings[0].kind, finding_kind::spinning);
  EXPECT_THAT(scope.findings[0].mend(), HasSubstr("no other thread writes the word"));
}

constexpr int shared_line = __LINE__ + 4;
__global__ void waits_in_shared() {
  volatile int& flag = detail::shared_storage<int>();
  if (threadIdx.x == 0) {
    flag = 1;
    while (flag == 1) {
    }
  }
  if (threadIdx.x == 32) atomicExch(const_cast<int*>(&flag), 1);
}

TEST(hazards, spinning_on_shared_memory) {
  const auto f = end_of_launch({.grid = 1, .block = 64}, waits_in_shared);
  EXPECT_EQ(f.kind, finding_kind::spinning);
  EXPECT_EQ(f.here.line, shared_line + 1);
  EXPECT_THAT(f.here.doing, HasSubstr("offset 0 of int (4 bytes)"));
  EXPECT_THAT(f.here.doing, Not(HasSubstr("no thread has written")));
}

__global__ void crooked(const int* in, int4* out) {
  out[threadIdx.x] = *reinterpret_cast<const int4*>(in + threadIdx.x);
}
__global__ void far_out(int* out) { out[threadIdx.x + (1U << 24)] = 1; }

TEST(hazards, accesses_that_a_device_refuses) {
  const device_array<int> in(64);
  const device_array<int4> out(32);
  auto f = end_of_launch({.grid = 1, .block = 32}, crooked, in.data(), out.data());
  EXPECT_EQ(f.kind, finding_kind::misaligned);
  EXPECT_EQ(f.bytes, 16U);
  f = end_of_launch({.grid = 1, .block = 32}, far_out, in.data());
  EXPECT_EQ(f.kind, finding_kind::out_of_bounds);
}

__global__ void races_then_hangs(int* data) {
  data[0] = static_cast<int>(threadIdx.x);
  if (threadIdx.x != 0) __syncthreads();
  __syncwarp();
}

TEST(hazards, leave_the_other_findings_and_the_machine_as_they_are) {
  const device_array<int> data(64);
  simt::observe scope({.check = true});
  simt::launch({.grid = 3, .block = 64}, races_then_hangs, data.data());
  bool race = false;
  for (const auto& f : scope.findings) race |= f.kind <= finding_kind::race_in_warp;
  EXPECT_TRUE(race);
  EXPECT_EQ(scope.total.launches, 0U) << "it did not end";
  scope.findings.clear();
  simt::launch({.grid = 1, .block = 96}, early_return);
  EXPECT_TRUE(scope.findings.empty());
}

struct tile {
  int rows[4][32];
};
__global__ void neighbours_row() {
  auto& t = detail::shared_storage<tile>();
  t.rows[1][threadIdx.x % 32] = static_cast<int>(threadIdx.x);
}

TEST(hazards, name_what_they_are_about) {
  simt::observe scope({.check = true});
  simt::launch({.grid = 1, .block = 64, .shared_bytes = 100}, neighbours_row);
  ASSERT_EQ(scope.findings.size(), 1U);
  const simt::finding& f = scope.findings[0];
  EXPECT_THAT(f.object, HasSubstr("hazards::tile"));
  EXPECT_EQ(f.offset, 128) << "into the object, not the block's memory";
  EXPECT_EQ(f.size, sizeof(tile));
  int on_the_stack = 0;
  EXPECT_THROW(simt::name(&on_the_stack, "local"), std::invalid_argument);
}

}  // namespace warpfold::tests::hazards
