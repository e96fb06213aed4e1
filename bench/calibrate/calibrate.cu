#include <algorithm>
#include <cmath>

#include "bench/calibrate/calibrate.hpp"
#include "bench/calibrate/device_bench.cuh"
#include "measure/driver.hpp"
#include "warpfold/error.hpp"

namespace warpfold::bench {

namespace {

class bench_of_device : public device_bench {
 public:
  std::vector<measured_constant> all() {
    measure_clock();
    measure_launches();
    measure_queued();
    measure_blocks();
    measure_memory();
    measure_latencies();
    measure_units();
    measure_shared();
    measure_barriers();
    measure_clusters();
    measure_atomics();
    return std::move(found_);
  }

 private:
  void measure_clock() {
    std::vector<double> found;
    for (int i = 0; i < 9; ++i) {
      tell_clock<<<processors() * 2, 1024, 0, stream_>>>(40000, 3, small_.as<double>());
      double one = 0;
      check(
          cudaMemcpyAsync(&one, small_.as<double>(), sizeof one, cudaMemcpyDeviceToHost, stream_));
      check(cudaStreamSynchronize(stream_));
      found.push_back(one);
    }
    const summary s = summary_of(found);
    gigahertz_ = s.median;
    add("clock_ghz", s.median, s.spread);
  }

  void measure_launches() {
    const auto launches = [&](unsigned count, unsigned blocks, unsigned threads) {
      return time(
          [=, this] {
            for (unsigned i = 0; i < count; ++i) do_nothing<<<blocks, threads, 0, stream_>>>();
          },
          51);
    };
    const summary one = launches(1, processors(), 256), many = launches(5, processors(), 256);
    add("launch_us", one.median, one.spread);
    add("next_launch_us", (many.median - one.median) / 4, many.spread);
    // One block that takes as long as twenty do one after another: what comes between those.
    const auto taking = [&](unsigned count, long long cycles) {
      return time([=, this] {
        for (unsigned i = 0; i < count; ++i) pass_time<<<1, 32, 0, stream_>>>(cycles);
      });
    };
    constexpr long long cycles = 30000;
    const summary once = taking(1, 20 * cycles), in_turn = taking(20, cycles);
    add("gap_us", std::max(0.0, in_turn.median - once.median) / 19, in_turn.spread);
    // A block's start and end, by its warps.
    const auto block_ns = [&](unsigned threads) {
      const unsigned blocks = processors() * 4000;
      const summary s = launches(1, blocks, threads);
      return summary{(s.median - one.median) * 1000 / blocks, s.spread};
    };
    const summary of_32 = block_ns(32), of_256 = block_ns(256), of_1024 = block_ns(1024);
    add("block_ns", of_32.median, of_32.spread);
    add("block_256_ns", of_256.median, of_256.spread);
    add("block_1024_ns", of_1024.median, of_1024.spread);
  }

  /// Launches that wait in their stream, as those of a graph do.
  void measure_queued() {
    const auto empty = [this](unsigned count) {
      return time_queued([=, this] {
        for (unsigned i = 0; i < count; ++i) do_nothing<<<processors(), 256, 0, stream_>>>();
      });
    };
    const summary one = empty(1), many = empty(21);
    queued_us_ = one.median;
    add("queued_us", one.median, one.spread);
    add("queued_gap_us", (many.median - one.median) / 20, many.spread);
  }

  /// From a block's begin to that of the next in its place, if it does nothing.
  void measure_blocks() {
    constexpr unsigned in_turn = 1000;
    const int bytes = fill_processor();
    const auto cycles = [&](unsigned threads) {
      const summary s = time_queued(
          [=, this] { do_nothing_alone<<<processors() * in_turn, threads, bytes, stream_>>>(); });
      return summary{cycles_in(s.median - queued_us_) / in_turn, s.spread};
    };
    const summary of_32 = cycles(32), of_1024 = cycles(1024);
    add("block_cycles", of_32.median, of_32.spread);
    add("block_1024_cycles", of_1024.median, of_1024.spread);
  }

  summary time_reading(std::size_t bytes, unsigned times, unsigned blocks) {
    // Each time another part, so that nothing is in a cache but what this launch brings there.
    std::size_t part = 0;
    const std::size_t parts = big_bytes / bytes;
    return time([&, times, blocks] {
      const auto* const from = big_.as<uint4>() + part++ % parts * (bytes / sizeof(uint4));
      read_all<<<blocks, 512, 0, stream_>>>(from, bytes / sizeof(uint4), times, sink());
    });
  }
  void measure_memory() {
    const unsigned blocks = processors() * 4;
    const double empty = found_[1].value;
    const summary large = time_reading(big_bytes, 1, blocks);
    const double gbs = static_cast<double>(big_bytes) / (large.median - empty) * 1e-3;
    add("read_gbs", gbs, large.spread);
    for (const std::size_t size : {1, 4, 16, 64}) {
      std::size_t part = 0;
      const summary s = time_queued([&] {
        const auto* const from = big_.as<uint4>() + part++ % (1024 / size) * (size * mib / 16);
        read_all<<<blocks, 512, 0, stream_>>>(from, size * mib / 16, 1, sink());
      });
      const double us = s.median - queued_us_;
      add("read_" + std::to_string(size) + "_us", us, s.spread);
      // What a cold read takes beyond its bytes: the first loads' way and the last ones'.
      const double bytes_us = static_cast<double>(size * mib) / gbs * 1e-3;
      if (size == 16) add("ramp_us", std::max(0.0, us - bytes_us), s.spread);
    }
    const std::size_t near =
        std::min<std::size_t>(static_cast<std::size_t>(properties_.l2CacheSize) / 4, 16 * mib);
    const summary twice = time_reading(near, 2, blocks), often = time_reading(near, 22, blocks);
    add("l2_gbs", 20.0 * static_cast<double>(near) / (often.median - twice.median) * 1e-3,
        often.spread);
    // Sixteen MiB that stay in the cache: its rate of writing, by whole sectors and by words.
    const auto write_gbs = [&](const auto& kernel, std::size_t items) {
      const auto us = [&](unsigned times) { return time([&] { kernel(items, times); }); };
      const summary few = us(2), more = us(22);
      return summary{20.0 * static_cast<double>(near) / (more.median - few.median) * 1e-3,
                     more.spread};
    };
    const summary whole = write_gbs(
        [&](std::size_t n, unsigned times) {
          write_again<<<blocks, 512, 0, stream_>>>(other_.as<uint4>(), n, times);
        },
        near / 16);
    const summary words = write_gbs(
        [&](std::size_t n, unsigned times) {
          write_words<<<blocks, 512, 0, stream_>>>(other_.as<unsigned>(), n, times);
        },
        near / 32);
    add("l2_write_gbs", whole.median, whole.spread);
    add("l2_partial_gbs", words.median, words.spread);
    const summary w =
        time([&] { write_all<<<blocks, 512, 0, stream_>>>(big_.as<uint4>(), big_bytes / 16); });
    add("write_gbs", static_cast<double>(big_bytes) / (w.median - empty) * 1e-3, w.spread);
    const summary c = time([&] {
      copy_all<<<blocks, 512, 0, stream_>>>(other_.as<uint4>(), big_.as<uint4>(), big_bytes / 16);
    });
    add("copy_gbs", 2.0 * static_cast<double>(big_bytes) / (c.median - empty) * 1e-3, c.spread);
    // A working set that the cache holds half of: from which size on it misses.
    const double l2 = properties_.l2CacheSize;
    double held = 0;
    for (const double part : {0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0}) {
      const auto bytes = static_cast<std::size_t>(part * l2) / mib * mib;
      if (bytes == 0) continue;
      const summary few = time_reading(bytes, 2, blocks), more = time_reading(bytes, 12, blocks);
      const double rate = 10.0 * static_cast<double>(bytes) / (more.median - few.median) * 1e-3;
      if (rate > 1.3 * gbs) held = static_cast<double>(bytes);
    }
    add("l2_held_mib", held / static_cast<double>(mib), 0);
    check(cudaMemset(big_.as<char>(), 0x5A, big_bytes));
  }

  void measure_latencies() {
    const summary near = latency<false>(16 * 1024, 128, 4096);
    add("l1_cycles", near.median, near.spread);
    const summary far = latency<true>(2 * mib, 128, 8192);
    add("l2_cycles", far.median, far.spread);
    constexpr unsigned lines = 4096;
    const summary written = told_by([this](float* cycles) {
      auto* const next = big_.as<std::uint32_t>();
      write_chain<<<2048, 1, 0, stream_>>>(next, lines);
      follow<true><<<1, 1, 0, stream_>>>(next, 0, lines, cycles, sink());
    });
    add("written_cycles", written.median, written.spread);
    auto* const zeros = other_.as<unsigned>();
    check(cudaMemsetAsync(zeros, 0, mib, stream_));
    const summary fence = told_by(
        [=, this](float* cycles) { store_and_fence<<<1, 32, 0, stream_>>>(4096, zeros, cycles); });
    add("fence_cycles", fence.median, fence.spread);
    const summary atomic = told_by([=, this](float* cycles) {
      follow_atomics<<<1, 1, 0, stream_>>>(4096, zeros, cycles, sink());
    });
    add("atomic_cycles", atomic.median, atomic.spread);
    const summary dram = latency<true>(512 * mib, 8192, 16384);
    add("dram_cycles", dram.median, dram.spread);
    follow_shared<<<1, 32, 0, stream_>>>(4096, small_.as<float>(), sink());
    add("shared_cycles", read_float(), 0);
    chain_additions<<<1, 32, 0, stream_>>>(512, 3, small_.as<float>(), sink());
    add("add_cycles", read_float(), 0);
    check(cudaMemset(big_.as<char>(), 0x5A, 512 * mib));
  }

  /// Warp-wide instructions a clock and multiprocessor, of a kernel that executes so many a warp.
  template <class Step>
  void measure_unit(unsigned times, double instructions = 1) {
    add_rate(Step::name, 16.0 * instructions * times, [=, this] {
      repeat<Step><<<processors() * 2, 1024, 0, stream_>>>(times, 77, sink());
    });
  }
  void measure_units() {
    measure_unit<add_integers>(2000, 2);
    measure_unit<shift_integers>(2000);
    measure_unit<multiply_integers>(2000);
    measure_unit<divide_integers>(100);
    measure_unit<add_floats>(2000);
    measure_unit<take_roots>(500);
    measure_unit<shuffle_lanes>(1000);
    add_rate("f64_per_clock", 16.0 * 500,
             [this] { repeat_doubles<<<processors() * 2, 1024, 0, stream_>>>(500, 1.5, sink()); });
  }

  void measure_shared() {
    const auto loads = [&](unsigned stride) {
      return
          [=, this] { load_shared<<<processors() * 2, 1024, 0, stream_>>>(500, stride, sink()); };
    };
    add_rate("shared_per_clock", 8.0 * 500, loads(1));
    add_rate("shared_wavefronts_per_clock", 8.0 * 500 * 32, loads(32));
  }

  void measure_barriers() {
    const auto cycles = [&](unsigned blocks, unsigned threads) {
      return told_by([=, this](float* to) { meet<<<blocks, threads, 0, stream_>>>(1000, to); });
    };
    const summary small = cycles(1, 128), large = cycles(1, 1024),
                  full = cycles(processors() * 2, 1024);
    add("barrier_cycles", small.median, small.spread);
    add("barrier_1024_cycles", large.median, large.spread);
    add("barrier_full_cycles", full.median, full.spread);
  }

  /// What is there from 9.0 on; before, 0.
  void measure_clusters() {
    if (properties_.major < 9) {
      for (const char* const name : {"cluster_us", "remote_cycles", "remote_per_clock",
                                     "cluster_barrier_cycles", "cluster_barrier_1024_cycles",
                                     "cluster_4_blocks", "cluster_8_blocks", "cluster_16_blocks"}) {
        add(name, 0, 0);
      }
      return;
    }
    const unsigned in_eights = processors() / 8 * 8;
    const summary begun = time_queued([=, this] {
      detail::launch({.grid = in_eights, .block = 256, .cluster = 8, .stream = stream_},
                     do_nothing);
    });
    add("cluster_us", std::max(0.0, begun.median - queued_us_), begun.spread);
    const summary remote = told_by([this](float* to) {
      detail::launch({.grid = 2, .block = 32, .cluster = 2, .stream = stream_}, follow_remote,
                     4096U, to, sink());
    });
    add("remote_cycles", remote.median, remote.spread);
    const double share = static_cast<double>(in_eights) / processors();
    add_rate("remote_per_clock", 8.0 * 500 * share, [=, this] {
      detail::launch({.grid = 2 * in_eights, .block = 1024, .cluster = 8, .stream = stream_},
                     load_remote, 500U, sink());
    });
    const auto barrier = [this](unsigned threads) {
      return told_by([=, this](float* to) {
        detail::launch({.grid = 4, .block = threads, .cluster = 4, .stream = stream_},
                       meet_in_clusters, 1000U, to);
      });
    };
    const summary small = barrier(128), large = barrier(1024);
    add("cluster_barrier_cycles", small.median, small.spread);
    add("cluster_barrier_1024_cycles", large.median, large.spread);
    for (const unsigned blocks : {4U, 8U, 16U}) measure_places(blocks);
  }

  /// Blocks in clusters of so many that run at once, if each fills a multiprocessor.
  void measure_places(unsigned blocks_of_cluster) {
    cudaLaunchAttribute of_cluster{};
    of_cluster.id = cudaLaunchAttributeClusterDimension;
    of_cluster.val.clusterDim = {blocks_of_cluster, 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(blocks_of_cluster);
    config.blockDim = dim3(32);
    config.dynamicSmemBytes = static_cast<std::size_t>(fill_processor());
    config.attrs = &of_cluster;
    config.numAttrs = 1;
    check(
        cudaFuncSetAttribute(do_nothing_alone, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    int clusters = 0;
    const cudaError_t status = cudaOccupancyMaxActiveClusters(&clusters, do_nothing_alone, &config);
    if (status == cudaErrorInvalidClusterSize) {
      cudaGetLastError();  // the device has none of so many
    } else {
      check(status);
    }
    add("cluster_" + std::to_string(blocks_of_cluster) + "_blocks",
        static_cast<double>(blocks_of_cluster) * clusters, 0);
  }

  void measure_atomics() {
    constexpr unsigned times = 64;
    const unsigned blocks = processors() * 2;
    const double requests = 32.0 * blocks * times;
    const auto us = [&](unsigned stride, unsigned mask) {
      return time(
          [=, this] {
            add_atomically<<<blocks, 1024, 0, stream_>>>(other_.as<unsigned>(), times, stride,
                                                         mask);
          },
          9);
    };
    const double empty = found_[1].value;
    const summary same = us(0, 0), spread = us(1, 4 * mib - 1), far = us(8, 4 * mib - 1);
    add("atomic_same_ns", (same.median - empty) * 1000 / (32 * requests), same.spread);
    add("atomic_sector_ns", (spread.median - empty) * 1000 / (4 * requests), spread.spread);
    add("atomic_scattered_ns", (far.median - empty) * 1000 / (32 * requests), far.spread);
    const auto shared = [&](unsigned stride) {
      return [=, this] {
        add_atomically_shared<<<processors() * 2, 1024, 0, stream_>>>(200, stride, sink());
      };
    };
    add_rate("shared_atomic_per_clock", 200.0, shared(1));
    add_rate("shared_atomic_same_per_clock", 200.0 * 32, shared(0));
  }
};

}  // namespace

device_constants measure_device(double most_spread) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
    cudaGetLastError();
    throw device_error("calibrate: no usable CUDA device; run `warpfold doctor`");
  }
  bench_of_device bench;
  device_constants found;
  found.measured = bench.all();
  found.name = bench.name();
  found.driver = measure::nvidia_driver();
  found.toolkit = "CUDA " + std::to_string(CUDART_VERSION / 1000) + "." +
                  std::to_string(CUDART_VERSION % 1000 / 10);
  refuse_unsteady(found.measured, most_spread);
  return found;
}

}  // namespace warpfold::bench
