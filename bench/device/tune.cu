// The sweep behind include/warpfold/tuning: every shape at every size, beside CUB, in one run.
// usage: warpfold_bench_tune [reduce|scan]   one line a shape and size: JSON, times in microseconds
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include "bench/device/memory.cuh"
#include "bench/device/timing.cuh"
#include "warpfold/device/reduce.cuh"
#include "warpfold/device/scan.cuh"
#include "warpfold/ranges.hpp"

namespace warpfold::bench {
namespace {

void print(const char* what, const std::string& shape, std::size_t n, double stream, double graph,
           bool right) {
  std::printf(
      "{\"what\":\"%s\",\"shape\":\"%s\",\"n\":%zu,\"stream\":%.2f,\"graph\":%.2f,"
      "\"right\":%s}\n",
      what, shape.c_str(), n, stream, graph, right ? "true" : "false");
  std::fflush(stdout);
}

template <class Call>
void time(timer& t, const char* what, const std::string& shape, std::size_t n, Call call,
          bool right) {
  const int samples = n >= (std::size_t{1} << 26) ? 15 : 31;
  const int calls = n >= (std::size_t{1} << 26) ? 20 : calls_per_graph(n * 4);
  const double stream = median_of(t.stream_calls(call, samples));
  const int replays = n >= (std::size_t{1} << 26) ? 3 : 7;
  print(what, shape, n, stream, median_of(t.graph_calls(call, calls, replays)), right);
}

template <class T>
const std::string bytes_of_values = std::to_string(sizeof(T)) + " bytes, ";

std::vector<std::size_t> sizes(std::initializer_list<int> exponents) {
  std::vector<std::size_t> all;
  for (const int e : exponents) all.push_back(std::size_t{1} << e);
  return all;
}

template <class T, class Shape>
void try_reduce(bench_memory& m, timer& t, std::size_t n) {
  const detail::reduce_grid<Shape, T> grid(n, current_device().multiprocessors);
  if (Shape::once && !grid.enough_once) return;
  const rotation where(pool_bytes, n * sizeof(T));
  auto* const out = reinterpret_cast<T*>(m.out);
  const auto on =
      detail::for_cleared(device.on(t.stream()).with(workspace_view{m.work, m.work_bytes}));
  const auto call = [&](std::size_t i) {
    const detail::reduction<T, T, plus, detail::convert<T>> r{
        reinterpret_cast<const T*>(m.in + where.offset(i)), n, out, 0, plus{}, {}};
    detail::reduce_as<Shape>(on, r, grid).throw_if_failed("reduce");
  };
  T ours = 0, theirs = 0;
  cudaMemset(out, 0xff, sizeof(T));
  call(1);
  cudaStreamSynchronize(t.stream());
  cudaMemcpy(&ours, out, sizeof(T), cudaMemcpyDeviceToHost);
  std::size_t bytes = m.work_bytes;
  cub::DeviceReduce::Sum(m.scratch, bytes, reinterpret_cast<T*>(m.in + where.offset(1)), out, n,
                         t.stream());
  cudaStreamSynchronize(t.stream());
  cudaMemcpy(&theirs, out, sizeof(T), cudaMemcpyDeviceToHost);
  const std::string shape = bytes_of_values<T> + (Shape::once ? "once " : "") +
                            std::to_string(Shape::threads) + "x" + std::to_string(Shape::loads) +
                            " share " + std::to_string(Shape::share) + " blocks " +
                            std::to_string(Shape::blocks_per_multiprocessor);
  time(t, "reduce", shape, n, call, ours == theirs);
}

template <unsigned T, unsigned L, unsigned S, unsigned B>
using once = tuning::reduce_shape<true, T, L, S, B>;
template <unsigned T, unsigned L, unsigned S, unsigned B>
using many = tuning::reduce_shape<false, T, L, S, B>;

template <class T>
void tune_reduce_of(bench_memory& m, timer& t, std::initializer_list<int> exponents) {
  for (const std::size_t n : sizes(exponents)) {
    const rotation where(pool_bytes, n * sizeof(T));
    time(
        t, "reduce", bytes_of_values<T> + "cub", n,
        [&](std::size_t i) {
          std::size_t bytes = m.work_bytes;
          with_count(n, [&](auto count) {
            return cub::DeviceReduce::Sum(m.scratch, bytes,
                                          reinterpret_cast<T*>(m.in + where.offset(i)),
                                          reinterpret_cast<T*>(m.out), count, t.stream());
          });
        },
        true);
    const auto tries = [&]<class... Shape>(Shape...) { (try_reduce<T, Shape>(m, t, n), ...); };
    tries(once<512, 2, 1, 2>{}, once<512, 2, 2, 2>{}, once<512, 4, 1, 2>{}, once<512, 4, 2, 2>{},
          once<512, 8, 1, 1>{}, once<512, 8, 2, 1>{}, once<512, 8, 2, 2>{}, once<512, 8, 4, 2>{},
          once<1024, 4, 2, 1>{}, once<1024, 8, 2, 1>{});
    if (n < 1 << 20) continue;
    tries(many<512, 8, 4, 1>{}, many<512, 8, 8, 1>{}, many<512, 8, 8, 2>{}, many<512, 8, 8, 4>{},
          many<1024, 4, 4, 1>{}, many<1024, 4, 8, 1>{}, many<1024, 4, 8, 2>{});
  }
}

/// Of values whose sums add up in one word, and of others.
void tune_reduce(bench_memory& m, timer& t) {
  tune_reduce_of<std::int32_t>(
      m, t, {10, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 30});
  tune_reduce_of<std::int64_t>(m, t, {12, 14, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 29});
}

template <class T, class Shape>
void try_scan(bench_memory& m, timer& t, std::size_t n) {
  const rotation where(pool_bytes, n * sizeof(T));
  using acc = accumulator_for<T>;
  const auto on =
      detail::for_cleared(device.on(t.stream()).with(workspace_view{m.work, m.work_bytes}));
  const auto call = [&](std::size_t i) {
    const detail::scan_job<T, acc, plus> job{reinterpret_cast<const T*>(m.in + where.offset(i)),
                                             reinterpret_cast<T*>(m.out + where.offset(i)),
                                             n,
                                             0,
                                             0,
                                             true,
                                             plus{}};
    if constexpr (requires { Shape::stages; }) {
      detail::launch_scan<Shape, true>(on, job).throw_if_failed("scan");
    } else {
      detail::launch_wave<Shape>(on, job).throw_if_failed("scan");
    }
  };
  char* const theirs = m.out + pool_bytes / 2;
  cudaMemset(m.out, 0xff, n * sizeof(T));
  call(0);
  std::size_t bytes = m.work_bytes;
  cub::DeviceScan::ExclusiveSum(m.scratch, bytes, reinterpret_cast<T*>(m.in),
                                reinterpret_cast<T*>(theirs), n, t.stream());
  cudaStreamSynchronize(t.stream());
  const bool same = m.same(m.out, theirs, n * sizeof(T) / 4);
  std::string shape = std::to_string(Shape::threads) + "x" + std::to_string(Shape::loads) +
                      " blocks " + std::to_string(Shape::blocks_per_multiprocessor);
  if constexpr (requires { Shape::stages; }) {
    shape += " stages " + std::to_string(Shape::stages) + " delay " + std::to_string(Shape::delay) +
             " totals " + std::to_string(Shape::totals_per_lane);
  } else {
    shape += " in one wave";
  }
  time(t, "scan", bytes_of_values<T> + shape, n, call, same);
}

template <class T>
void time_peers(bench_memory& m, timer& t, std::size_t n) {
  const rotation where(pool_bytes, n * sizeof(T));
  const std::string& type = bytes_of_values<T>;
  time(
      t, "scan", type + "cub", n,
      [&](std::size_t i) {
        std::size_t bytes = m.work_bytes;
        with_count(n, [&](auto count) {
          return cub::DeviceScan::ExclusiveSum(
              m.scratch, bytes, reinterpret_cast<T*>(m.in + where.offset(i)),
              reinterpret_cast<T*>(m.out + where.offset(i)), count, t.stream());
        });
      },
      true);
  time(
      t, "scan", type + "copy", n,
      [&](std::size_t i) {
        cudaMemcpyAsync(m.out + where.offset(i), m.in + where.offset(i), n * sizeof(T),
                        cudaMemcpyDeviceToDevice, t.stream());
      },
      true);
}

template <unsigned T, unsigned L, unsigned S, unsigned D, unsigned B, unsigned P = 4>
using shape = tuning::scan_shape<T, L, S, D, B, P>;

template <unsigned T, unsigned L, unsigned B>
using wave = tuning::wave_shape<T, L, B>;

template <class T>
void tune_scan_of(bench_memory& m, timer& t, std::initializer_list<int> exponents) {
  const auto tries = [&]<class... Shape>(std::size_t n, Shape...) {
    (try_scan<T, Shape>(m, t, n), ...);
  };
  for (const std::size_t n : sizes(exponents)) {
    time_peers<T>(m, t, n);
    const std::size_t bytes = n * sizeof(T);
    const auto waves = [&]<class... Shape>(Shape...) {
      ((detail::wave_tiles<Shape, T, accumulator_for<T>>(n) <= Shape::threads
            ? try_scan<T, Shape>(m, t, n)
            : void()),
       ...);
    };
    waves(wave<256, 2, 4>{}, wave<512, 1, 4>{}, wave<512, 2, 4>{}, wave<512, 4, 2>{},
          wave<512, 8, 2>{}, wave<1024, 2, 1>{}, wave<1024, 4, 1>{});
    if (bytes >= std::size_t{1} << 20 && sizeof(T) > 1) {
      tries(n, shape<256, 3, 7, 3, 2>{}, shape<256, 3, 5, 2, 3>{}, shape<256, 3, 4, 2, 4>{},
            shape<384, 3, 5, 2, 2>{}, shape<384, 3, 5, 3, 2>{}, shape<512, 3, 4, 2, 2>{},
            shape<512, 3, 4, 2, 2, 8>{});
    }
    if (bytes >= std::size_t{1} << 20 && sizeof(T) == 1) {
      tries(n, shape<512, 1, 6, 3, 3>{}, shape<896, 1, 7, 4, 2>{}, shape<384, 3, 8, 4, 1>{});
    }
  }
}

void tune_scan(bench_memory& m, timer& t) {
  tune_scan_of<std::int32_t>(m, t, {10, 12, 14, 16, 18, 20, 21, 22, 23, 24, 26, 28});
  tune_scan_of<std::int64_t>(m, t, {16, 20, 22, 24, 27});
  tune_scan_of<std::int8_t>(m, t, {16, 20, 24, 28});
  tune_scan_of<std::uint16_t>(m, t, {16, 20, 24, 28});
}

}  // namespace
}  // namespace warpfold::bench

int main(int argc, char** argv) {
  try {
    const std::string what = argc > 1 ? argv[1] : "";
    warpfold::bench::bench_memory memory;
    warpfold::bench::timer timer;
    if (what.empty() || what == "reduce") warpfold::bench::tune_reduce(memory, timer);
    if (what.empty() || what == "scan") warpfold::bench::tune_scan(memory, timer);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "warpfold_bench_tune: %s\n", e.what());
    return 3;
  }
}
