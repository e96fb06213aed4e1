#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "simt/prediction.hpp"

namespace {

/// A kernel that adds two arrays: 2^20 values of 4 bytes.
simt::launch_profile addition() {
  simt::launch_profile p;
  p.kernel = "add";
  p.grid = {4096, 1, 1};
  p.block = {256, 1, 1};
  p.launches = 1;
  p.integers = 4 * 32768;
  p.floats = 32768;
  p.path.global = 4096;
  p.global_lines = 3 * 32768;
  p.counted.global_load = {.requests = 65536, .sectors = 262144};
  p.counted.global_store = {.requests = 32768, .sectors = 131072};
  p.counted.warps = 32768;
  p.reads.by_distance.back() = 262144;
  p.writes.by_distance.back() = 131072;
  return p;
}

TEST(prediction, has_every_device_of_the_list) {
  const std::vector profiles{addition()};
  for (const auto& name : simt::device_model_names()) {
    const simt::device_model d = simt::find_device_model(name);
    const auto p = simt::predict(profiles, d);
    EXPECT_EQ(p.no_ground, "") << name;
    const double bytes = 12.0 * 1048576;
    EXPECT_GT(p.us, bytes / (d.memory_gbs + 1e6 * d.l2_mib) * 1e-3) << name;
    EXPECT_LT(p.us, 20 + 3 * bytes / d.memory_gbs * 1e-3) << name;
  }
}

TEST(prediction, says_what_a_device_cannot) {
  const simt::device_model g80 = simt::find_device_model("g80");
  auto p = addition();
  p.shuffles = 1;
  EXPECT_EQ(simt::predict(std::vector{p}, g80).text(),
            "no prediction for g80: add uses shuffles, which the device lacks");
  p.shuffles = 0;
  p.doubles = 1;
  EXPECT_EQ(simt::predict(std::vector{p}, g80).text(),
            "no prediction for g80: add uses f64, which the device lacks");
}

TEST(prediction, waits_between_kernels_of_a_stream) {
  auto twice = addition();
  twice.launches = 2;
  simt::device_model d = simt::find_device_model("a100");
  d.next_launch_us = 0.1;
  const double at_1 = simt::predict(std::vector{twice}, d).us;
  d.gap_us += 2;
  EXPECT_NEAR(simt::predict(std::vector{twice}, d).us, at_1 + 2, 1e-9);
}

/// As a profiler does: the busiest unit, if it does 60 % of what it can.
TEST(prediction, names_the_unit_that_is_busiest) {
  const simt::device_model h100 = simt::find_device_model("h100");
  const auto limit_of = [&](const simt::launch_profile& p) {
    return simt::name_of(simt::predict(std::vector{p}, h100).kernel_by);
  };
  auto p = addition();
  p.grid = {16384, 1, 1};
  p.reads.by_distance.back() = 8 * 262144;
  EXPECT_EQ(limit_of(p), "DRAM");
  p.integers = 4000 * 32768;
  EXPECT_EQ(limit_of(p), "issue");
  p = addition();
  p.path.global = 100 * 4096;  // a hundred loads one after another: no unit is busy
  EXPECT_EQ(limit_of(p), "latency");
  EXPECT_EQ(simt::predict(std::vector{addition()}, h100).by, simt::limiter::launch);
}

/// A warp waits for the furthest of its lines: some misses in many lines are as long as a miss.
TEST(prediction, loads_of_many_lines_wait_for_the_last_one) {
  const simt::device_model h100 = simt::find_device_model("h100");
  auto p = addition();
  p.path.global = 100 * 4096;
  p.reads.by_distance.back() = 262144 / 8;
  p.reads.by_distance[20] = 262144 / 8 * 7;  // an earlier generation of blocks brought them
  const auto latency_us = [&] {
    const auto at = static_cast<std::size_t>(simt::limiter::latency);
    return simt::predict(std::vector{p}, h100).parts_us[at];
  };
  const double of_one_line = latency_us();
  p.global_lines = 32 * 3 * 32768;
  EXPECT_GT(latency_us(), 2 * of_one_line);
  const double of_32 = latency_us();
  p.reads.by_distance.back() = 262144;
  p.reads.by_distance[20] = 0;
  EXPECT_NEAR(latency_us(), of_32, 0.02 * of_32);
}

/// The cache is full of what was written before: each sector that is written drives one out.
TEST(prediction, writes_cost_their_bytes) {
  const simt::device_model h100 = simt::find_device_model("h100");
  auto p = addition();
  const auto dram_us = [&] {
    const auto at = static_cast<std::size_t>(simt::limiter::dram);
    return simt::predict(std::vector{p}, h100).parts_us[at];
  };
  p.reads.by_distance.back() = 0;
  EXPECT_NEAR(dram_us(), 131072 * 32 / h100.write_gbs * 1e-3, 1e-9);
}

/// Of many launches of one kernel the first may miss, and the others find what it brought.
TEST(prediction, memory_is_waited_for_where_a_launch_misses) {
  simt::device_model d = simt::find_device_model("h100");
  auto p = addition();
  p.grid = {132, 1, 1};       // more would take longer to begin
  const auto more_us = [&] {  // where memory begins a microsecond later
    d.ramp_us = 1;
    const double at_1 = simt::predict(std::vector{p}, d).queued_us;
    d.ramp_us = 2;
    return simt::predict(std::vector{p}, d).queued_us - at_1;
  };
  EXPECT_NEAR(more_us(), 1, 1e-9);
  p.launches = 100;
  EXPECT_NEAR(more_us(), 100, 1e-9) << "all miss";
  p.reads.by_distance.front() = 99 * p.reads.by_distance.back();
  EXPECT_NEAR(more_us(), 1, 1e-9) << "one of them does";
}

/// A program has copied what its kernels read: 8 MiB lie in L2, 8 GiB don't.
TEST(prediction, after_copies_what_fits_is_in_the_cache) {
  const simt::device_model h100 = simt::find_device_model("h100");
  auto p = addition();
  const auto missed = [&] {
    const auto copied = simt::after_copies({&p, 1});
    EXPECT_EQ(copied.front().reads.total(), p.reads.total());
    return copied.front().reads.misses(h100.l2_held_mib * 1048576);
  };
  EXPECT_EQ(missed(), 0);
  EXPECT_LT(simt::predict(simt::after_copies({&p, 1}), h100).us,
            simt::predict({&p, 1}, h100).us - h100.ramp_us);
  p.reads.by_distance.back() <<= 10;
  EXPECT_EQ(missed(), 262144.0 * 1024);
}

/// Whatever runs meanwhile: a kernel takes until the last of its blocks has begun and is done.
TEST(prediction, blocks_begin_at_their_own_rate) {
  simt::device_model d = simt::find_device_model("h100");
  auto p = addition();
  p.grid = {1U << 20, 1, 1};
  const double before = simt::predict(std::vector{p}, d).queued_us;
  d.block_ns += 1;
  d.block_1024_ns += 1;
  EXPECT_NEAR(simt::predict(std::vector{p}, d).queued_us - before, 1048.576, 1e-6);
}

TEST(prediction, what_is_stored_last_is_on_its_way_when_the_blocks_have_ended) {
  const simt::device_model d = simt::find_device_model("h100");
  simt::launch_profile p;
  p.kernel = "nothing";
  p.grid = {1, 1, 1};
  p.block = {32, 1, 1};
  p.launches = 1;
  p.integers = 10;
  const double without = simt::predict(std::vector{p}, d).us;
  p.writes.by_distance.front() = 1;
  EXPECT_NEAR(simt::predict(std::vector{p}, d).us - without, d.l2_cycles / d.clock_ghz * 1e-3,
              0.01);
}

double part_of(const simt::launch_profile& p, simt::limiter l) {
  const auto at = static_cast<std::size_t>(l);
  return simt::predict(std::vector{p}, simt::find_device_model("h100")).parts_us[at];
}

/// A slice of the cache takes 64 bytes a clock: a request for one sector takes as long as for two.
TEST(prediction, a_sector_of_a_request_takes_as_long_as_two) {
  auto p = addition();
  p.read_halves = 262144 / 2;
  const double of_whole_lines = part_of(p, simt::limiter::l2);
  EXPECT_EQ(of_whole_lines, part_of(addition(), simt::limiter::l2));
  p.read_halves = 262144;
  EXPECT_GT(part_of(p, simt::limiter::l2), 1.5 * of_whole_lines);
}

TEST(prediction, parts_of_sectors_are_written_slower) {
  auto p = addition();
  p.reads = {};
  p.write_halves = p.partial_halves = 131072 / 2;
  const simt::device_model d = simt::find_device_model("h100");
  EXPECT_NEAR(part_of(p, simt::limiter::l2), 131072 * 32 / d.l2_partial_gbs * 1e-3, 1e-9);
}

/// All blocks of a generation read the same values, at the same time: each waits as the first does.
TEST(prediction, blocks_that_read_the_same_wait_for_the_same_miss) {
  auto p = addition();
  p.grid = {264, 1, 1};
  p.path.global = 264 * 10;
  const double all_missed = part_of(p, simt::limiter::latency);
  p.reads.by_distance.back() = 1000;
  p.reads.by_distance[12] = 261144;  // beyond the 993 sectors of a block
  EXPECT_NEAR(part_of(p, simt::limiter::latency), all_missed, 1e-9);
  p.reads.by_distance[12] = 0;
  p.reads.by_distance[5] = 261144;  // a block's own
  EXPECT_LT(part_of(p, simt::limiter::latency), 0.5 * all_missed);
}

/// Some reuse is beyond the cache and within a generation: each sector waits once.
TEST(prediction, no_more_sectors_wait_than_are_read) {
  auto p = addition();
  p.path.global = 4096 * 10;
  p.reads.by_distance[24] = 1 << 24;  // 512 MiB between
  p.reads.by_distance.back() = 1 << 24;
  p.global_lines = 32 * 98304;
  EXPECT_GT(part_of(p, simt::limiter::latency), 0);
  EXPECT_LT(part_of(p, simt::limiter::latency), 1000);
}

/// As where the last block reduces what the others left.
TEST(prediction, what_the_last_block_does_comes_after_the_others) {
  const simt::device_model d = simt::find_device_model("h100");
  auto p = addition();
  p.last = p.path;
  p.last.global /= 4096;
  const double as_the_others = simt::predict(std::vector{p}, d).us;
  EXPECT_EQ(as_the_others, simt::predict(std::vector{addition()}, d).us);
  p.last.global += 2;
  p.last.trips = 1;
  p.last.fences = 3;
  const double more =
      (2 * d.written_cycles + d.atomic_cycles + 3 * d.fence_cycles) / d.clock_ghz * 1e-3;
  EXPECT_NEAR(simt::predict(std::vector{p}, d).us, as_the_others + more, 1e-9);
}

TEST(prediction, lines_and_shared_memory_have_one_unit) {
  simt::device_model d = simt::find_device_model("h100");
  simt::launch_profile p = addition();
  p.reads = p.writes = {};
  p.global_lines = 32 * 32768;
  p.skipped = 32 * 32768;
  const double together = simt::predict(std::vector{p}, d).queued_us;
  d.capability = 60;
  const double apart = simt::predict(std::vector{p}, d).queued_us;
  EXPECT_GT(together - apart, 0.5 * part_of(p, simt::limiter::l1));
}

/// They wait until all blocks see what was stored, which takes longer the more warps there are.
TEST(prediction, barriers_of_clusters_are_long) {
  const simt::device_model d = simt::find_device_model("h100");
  auto p = addition();
  p.grid = {132, 1, 1};
  const double before = part_of(p, simt::limiter::latency);
  p.path.cluster_barriers = 132;
  const double of_256 = (part_of(p, simt::limiter::latency) - before) * d.clock_ghz * 1e3;
  EXPECT_GT(of_256, d.cluster_barrier_cycles);
  EXPECT_LT(of_256, d.cluster_barrier_1024_cycles);
}

/// 32 clusters of eight blocks that fill a multiprocessor each: 132 hold 15 clusters at once.
TEST(prediction, clusters_leave_multiprocessors_over) {
  const simt::device_model d = simt::find_device_model("h100");
  auto p = addition();
  p.grid = {256, 1, 1};
  p.block = {1024, 1, 1};
  p.shared_bytes = 120 * 1024;
  p.path.global = 256;
  const auto generations = [&](unsigned cluster) {
    p.cluster = cluster;
    const double way = part_of(p, simt::limiter::latency);
    p.cluster = 1;
    p.grid = {132, 1, 1};
    p.path.global = 132;
    const double of_one = part_of(p, simt::limiter::latency);
    p.grid = {256, 1, 1};
    p.path.global = 256;
    return way / of_one;
  };
  EXPECT_NEAR(generations(1), 2, 0.01);
  EXPECT_NEAR(generations(2), 2, 0.01);
  EXPECT_NEAR(generations(8), 3, 0.01);
  EXPECT_NEAR(generations(16), 3, 0.01);
  simt::device_model none = d;  // as where calibrate found no cluster of so many
  none.cluster_16_blocks = 0;
  p.cluster = 16;
  EXPECT_LT(simt::predict(std::vector{p}, none).us, simt::predict(std::vector{p}, d).us);
}

/// They wait for blocks elsewhere, and come to the same step at once.
TEST(prediction, blocks_of_clusters_pass_what_they_have_together) {
  const simt::device_model d = simt::find_device_model("h100");
  auto p = addition();
  p.grid = {480, 1, 1};  // four in each of the multiprocessors that clusters of eight find
  p.cluster = 8;
  p.path.global = p.counted.barriers = 480;
  p.reads = p.writes = {};
  p.counted.shared_load = {.requests = 1 << 22, .wavefronts = 1 << 22};
  const auto us = [&] { return simt::predict(std::vector{p}, d).queued_us; };
  const double alone = us();
  p.path.cluster_barriers = 480;
  const double passing = part_of(p, simt::limiter::shared);
  const double barrier = d.cluster_barrier_cycles / d.clock_ghz * 1e-3;
  EXPECT_GT(us() - alone, barrier);
  EXPECT_NEAR(us(), d.queued_us + passing + barrier + d.dram_cycles / d.clock_ghz * 1e-3,
              0.25 * us());
}

/// A multiprocessor that has the longest blocks is done last.
TEST(prediction, blocks_of_different_lengths_leave_processors_idle) {
  auto p = addition();
  p.grid = {1056, 1, 1};
  p.path.global = 1056;
  const double mean = 600;  // a load's length
  const double even = part_of(p, simt::limiter::issue);
  p.path_squares = 1056 * mean * mean;
  EXPECT_GT(part_of(p, simt::limiter::issue), 1.5 * even);
  EXPECT_LT(part_of(p, simt::limiter::issue), 2.5 * even);
  p.grid = {132000, 1, 1};  // who is done takes the next
  const double many = part_of(p, simt::limiter::issue);
  p.path_squares = 0;
  EXPECT_EQ(part_of(p, simt::limiter::issue), many);
}

/// Instructions of an `if` that no lane of a warp enters take their turn, too.
TEST(prediction, skipped_accesses_take_wavefronts) {
  auto p = addition();
  const double before = part_of(p, simt::limiter::shared);
  p.skipped = 32768;
  const simt::device_model d = simt::find_device_model("h100");
  EXPECT_NEAR(part_of(p, simt::limiter::shared) - before,
              32768.0 * 32 / 4096 / d.shared_wavefronts_per_clock / d.clock_ghz * 1e-3, 1e-9);
}

}  // namespace
