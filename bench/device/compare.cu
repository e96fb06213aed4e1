// What `warpfold bench` leaves out, beside CUB of the same toolkit: sums of rows, statistics, and
// sums and scans of i8, u16 and f16. One binary, one run, the same buffers, cold.
// usage: warpfold_bench_compare [--quick] > results.json
// For each size: one call between two events (`stream`), and one of many calls in a captured graph
// (`graph`). Every result is checked before it is timed.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cuda_fp16.h>

#include "bench/device/memory.cuh"
#include "bench/device/run_info.cuh"
#include "commit.hpp"  // generated at each build
#include "warpfold/reduce.hpp"
#include "warpfold/scan.hpp"

namespace warpfold::bench {
namespace {

struct absolute {
  template <class T>
  __host__ __device__ double operator()(const T& v) const {
    return std::fabs(static_cast<double>(v));
  }
};
struct as_double {
  template <class T>
  __host__ __device__ double operator()(const T& v) const {
    return static_cast<double>(v);
  }
};

/// Random bits are no good floats: small integers instead, whose sums still round.
template <class T>
__global__ void floats_kernel(T* to, std::size_t n) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const std::uint32_t x = static_cast<std::uint32_t>(i * 2654435761U >> 7);
    to[i] = static_cast<T>(static_cast<float>(x % 4001) / 4000.0F - 0.5F);
  }
}

template <class T>
__global__ void far_kernel(const T* a, const T* b, std::size_t n, double bound, unsigned* far) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const double apart = std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    if (!(apart <= bound)) *far = 1;
  }
}

class comparison {
 public:
  explicit comparison(bool quick) : quick_(quick) {}

  bench_memory memory;
  timer clock;
  std::vector<measure::measurement> rows;

  template <class T>
  T* in(std::size_t call, const rotation& where) const {
    return reinterpret_cast<T*>(memory.in + where.offset(call));
  }
  template <class T>
  void fill() {
    if constexpr (!std::is_integral_v<T>) {
      floats_kernel<<<1024, 256>>>(reinterpret_cast<T*>(memory.in), pool_bytes / sizeof(T));
    } else {
      fill_kernel<<<1024, 256>>>(reinterpret_cast<std::uint32_t*>(memory.in), pool_bytes / 4, 7);
    }
    require(cudaDeviceSynchronize(), "fill the pool");
  }

  /// Times `call(i)` both ways. `row` names it.
  template <class Call>
  void time(measure::measurement row, std::size_t in_bytes, Call call) {
    const bool large = in_bytes >= std::size_t{1} << 28;
    row.backend = "cuda";
    row.form = "stream";
    row.timing = measure::timing{clock.stream_calls(call, quick_ ? 5 : large ? 15 : 41)};
    rows.push_back(row);
    row.form = "graph";
    const int calls = large ? 20 : calls_per_graph(in_bytes);
    row.timing = measure::timing{clock.graph_calls(call, calls, quick_ ? 2 : large ? 5 : 11)};
    rows.push_back(row);
  }

 private:
  bool quick_;
};

void check(status s) { s.throw_if_failed("a timed call"); }

template <class T, class Acc>
void compare_sum(comparison& c, const char* type, std::size_t n) {
  const rotation where(pool_bytes, n * sizeof(T));
  auto* const out = reinterpret_cast<Acc*>(c.memory.out);
  auto* const reference = reinterpret_cast<double*>(c.memory.out + 256);
  const auto stream = c.clock.stream();
  const auto on =
      device.on(stream).with(workspace_view{c.memory.work, reduce_workspace_bytes<double>()});
  const auto ours = [&](std::size_t i) {
    check(reduce_into(on, std::span<const T>(c.in<T>(i, where), n), out));
  };
  const auto theirs = [&](std::size_t i) {
    std::size_t bytes = c.memory.work_bytes;
    const T* const from = c.in<T>(i, where);
    const cudaError_t state = with_count(n, [&](auto count) {
      if constexpr (std::is_same_v<T, Acc> || std::is_integral_v<T>) {
        return cub::DeviceReduce::Sum(c.memory.scratch, bytes, from, out, count, stream);
      } else {
        return cub::DeviceReduce::Reduce(c.memory.scratch, bytes, from, out, count,
                                         cuda::std::plus<Acc>{}, Acc{}, stream);
      }
    });
    require(state, "CUB's sum");
  };
  // The truth in f64 (exact for the integers here, whose sums may wrap in Acc), by CUB.
  double truth[2] = {};
  std::size_t bytes = c.memory.work_bytes;
  cub::DeviceReduce::TransformReduce(c.memory.scratch, bytes, c.in<T>(1, where), reference, n,
                                     cuda::std::plus<double>{}, as_double{}, 0.0, stream);
  cub::DeviceReduce::TransformReduce(c.memory.scratch, bytes, c.in<T>(1, where), reference + 1, n,
                                     cuda::std::plus<double>{}, absolute{}, 0.0, stream);
  require(cudaStreamSynchronize(stream), "the reference sum");
  require(cudaMemcpy(truth, reference, sizeof truth, cudaMemcpyDeviceToHost), "read it");
  const auto timed = [&](const char* name, auto call) {
    Acc result;
    require(cudaMemset(out, 0xff, sizeof(Acc)), "poison the result");
    call(1);
    require(cudaStreamSynchronize(stream), "a sum");
    require(cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost), "read it");
    measure::measurement row;
    row.ladder = "sum", row.name = name, row.type = type, row.op = "sum", row.n = n;
    row.useful_bytes = n * sizeof(T);
    if constexpr (std::is_integral_v<Acc>) {
      const auto wrapped =
          static_cast<Acc>(static_cast<std::uint64_t>(static_cast<std::int64_t>(truth[0])));
      row.verdict = {result == wrapped, std::to_string(result), std::to_string(wrapped), 0, 0};
    } else {
      const double unit = sizeof(Acc) == 4 ? 0x1p-24 : 0x1p-53;
      const double bound = (static_cast<double>(n) * unit + 1e-12) * truth[1];
      const double error = std::fabs(static_cast<double>(result) - truth[0]);
      row.verdict = {error <= bound, std::to_string(result), std::to_string(truth[0]), error,
                     bound};
    }
    c.time(row, n * sizeof(T), call);
  };
  timed("warpfold", ours);
  timed("cub", theirs);
}

template <class T, class Acc>
void compare_scan(comparison& c, const char* type, std::size_t n) {
  const rotation where(pool_bytes / 2, n * sizeof(T));
  const auto stream = c.clock.stream();
  const auto on = device.on(stream).with(workspace_view{c.memory.work, c.memory.work_bytes});
  const auto out = [&](std::size_t i) {
    return reinterpret_cast<T*>(c.memory.out + where.offset(i));
  };
  const auto ours = [&](std::size_t i) {
    check(exclusive_scan(on, std::span<const T>(c.in<T>(i, where), n), std::span<T>(out(i), n),
                         Acc{}));
  };
  const auto theirs = [&](std::size_t i) {
    std::size_t bytes = c.memory.work_bytes;
    const T* const from = c.in<T>(i, where);
    const cudaError_t state = with_count(n, [&](auto count) {
      return cub::DeviceScan::ExclusiveScan(c.memory.scratch, bytes, from, out(i),
                                            cuda::std::plus<Acc>{}, Acc{}, count, stream);
    });
    require(state, "CUB's scan");
  };
  T* const reference = reinterpret_cast<T*>(c.memory.out + pool_bytes / 2);
  std::size_t bytes = c.memory.work_bytes;
  cub::DeviceScan::ExclusiveScan(c.memory.scratch, bytes, c.in<T>(1, where), reference,
                                 cuda::std::plus<Acc>{}, Acc{}, n, stream);
  double magnitude = 0;
  auto* const total = reinterpret_cast<double*>(c.memory.scratch + (std::size_t{32} << 20));
  cub::DeviceReduce::TransformReduce(c.memory.scratch, bytes, c.in<T>(1, where), total, n,
                                     cuda::std::plus<double>{}, absolute{}, 0.0, stream);
  require(cudaStreamSynchronize(stream), "the reference scan");
  require(cudaMemcpy(&magnitude, total, sizeof magnitude, cudaMemcpyDeviceToHost), "read it");
  measure::measurement row;
  row.ladder = "scan", row.type = type, row.op = "sum", row.n = n;
  row.useful_bytes = 2 * n * sizeof(T);
  const auto timed = [&](const char* name, auto call) {
    require(cudaMemset(out(1), 0xff, n * sizeof(T)), "poison the result");
    call(1);
    require(cudaStreamSynchronize(stream), "a scan");
    // Two sums of the same values are at most twice the bound apart; f16 rounds its result as well.
    const double unit = sizeof(Acc) == 4 ? 0x1p-24 : 0x1p-53;
    double bound = std::is_integral_v<T> ? 0 : 2 * (static_cast<double>(n) * unit) * magnitude;
    if (sizeof(T) == 2 && !std::is_integral_v<T>) bound += magnitude * 0x1p-10;
    unsigned far = 0;
    auto* const flag = reinterpret_cast<unsigned*>(c.memory.scratch);
    require(cudaMemset(flag, 0, 4), "clear a flag");
    far_kernel<<<1024, 256>>>(out(1), reference, n, bound, flag);
    require(cudaMemcpy(&far, flag, 4, cudaMemcpyDeviceToHost), "read a flag");
    row.name = name;
    row.verdict = {far == 0, "", "", 0, bound};
    c.time(row, n * sizeof(T), call);
  };
  timed("warpfold", ours);
  timed("cub", theirs);
  row.name = "copy";
  row.verdict = {true, "", "", 0, 0};
  c.time(row, n * sizeof(T), [&](std::size_t i) {
    require(
        cudaMemcpyAsync(out(i), c.in<T>(i, where), n * sizeof(T), cudaMemcpyDeviceToDevice, stream),
        "a copy");
  });
}

void compare_statistics(comparison& c, std::size_t n) {
  const rotation where(pool_bytes, n * 4);
  using T = float;
  const auto stream = c.clock.stream();
  auto* const out = reinterpret_cast<detail::moments<T>*>(c.memory.out);
  const auto on = device.on(stream).with(
      workspace_view{c.memory.work, reduce_workspace_bytes<detail::moments<T>>()});
  measure::measurement row;
  row.ladder = "statistics", row.name = "warpfold", row.type = "f32", row.op = "statistics";
  row.n = n, row.useful_bytes = n * 4;
  const auto whole = statistics(device, std::span<const T>(c.in<T>(1, where), n));
  row.verdict = {whole.count == n && whole.min.value >= -0.5F && whole.max.value <= 0.5F &&
                     std::fabs(whole.mean) < 1e-3 && std::fabs(whole.variance - 1.0 / 12) < 1e-3,
                 std::to_string(whole.mean), "0", std::fabs(whole.mean), 1e-3};
  c.time(row, n * 4, [&](std::size_t i) {
    using op = detail::moments_op<T>;
    check(transform_reduce_into(on, std::span<const T>(c.in<T>(i, where), n), out,
                                op::identity<T>(), op{}, detail::to_moments<T>{}));
  });
}

/// Where each row starts, and where the last one ends.
__global__ void offsets_kernel(std::int64_t* to, std::size_t rows, std::size_t columns) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i <= rows;
       i += std::size_t{gridDim.x} * blockDim.x) {
    to[i] = static_cast<std::int64_t>(i * columns);
  }
}

void compare_rows(comparison& c, std::size_t rows, std::size_t columns) {
  using T = std::int32_t;
  const std::size_t n = rows * columns;
  const rotation where(pool_bytes, n * sizeof(T));
  const auto stream = c.clock.stream();
  auto* const out = reinterpret_cast<T*>(c.memory.out);
  auto* const reference = out + rows;
  auto* const offsets = reinterpret_cast<std::int64_t*>(c.memory.scratch + (std::size_t{32} << 20));
  offsets_kernel<<<1024, 256>>>(offsets, rows, columns);
  require(cudaDeviceSynchronize(), "the offsets of the rows");
  const auto on =
      device.on(stream).with(workspace_view{c.memory.work, reduce_workspace_bytes<T>()});
  const auto ours = [&](std::size_t i) {
    check(reduce_rows(on, std::span<const T>(c.in<T>(i, where), n), rows, columns,
                      std::span<T>(out, rows)));
  };
  const auto theirs = [&](std::size_t i, T* to) {
    std::size_t bytes = std::size_t{32} << 20;
    require(cub::DeviceSegmentedReduce::Sum(c.memory.scratch, bytes, c.in<T>(i, where), to,
                                            static_cast<int>(rows), offsets, offsets + 1, stream),
            "CUB's segmented sum");
  };
  theirs(1, reference);
  require(cudaStreamSynchronize(stream), "the reference sums");
  measure::measurement row;
  row.ladder = "rows", row.op = "sum", row.n = columns, row.useful_bytes = n * sizeof(T);
  row.type = std::to_string(rows) + " rows of i32";
  const auto timed = [&](const char* name, auto call) {
    require(cudaMemset(out, 0xff, rows * sizeof(T)), "poison the result");
    call(1);
    require(cudaStreamSynchronize(stream), "sums of rows");
    row.name = name;
    row.verdict = {c.memory.same(out, reference, rows), "", "", 0, 0};
    c.time(row, n * sizeof(T), call);
  };
  timed("warpfold", ours);
  timed("cub", [&](std::size_t i) { theirs(i, out); });
}

std::vector<std::size_t> powers(int from, int to, int step = 2) {
  std::vector<std::size_t> all;
  for (int e = from; e <= to; e += step) all.push_back(std::size_t{1} << e);
  return all;
}

int run(bool quick) {
  comparison c(quick);
  c.fill<std::int32_t>();
  for (const std::size_t n : powers(30, 32)) compare_sum<std::int8_t, std::int32_t>(c, "i8", n);
  for (const auto& [rows, columns] : {std::pair{1 << 21, 16},
                                      {1 << 20, 64},
                                      {1 << 16, 1000},
                                      {1 << 10, 1 << 16},
                                      {100, 1 << 20},
                                      {4, 1 << 26}}) {
    compare_rows(c, static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
  }
  compare_scan<std::int8_t, std::int8_t>(c, "i8", std::size_t{1} << 28);
  compare_scan<std::uint16_t, std::uint16_t>(c, "u16", std::size_t{1} << 28);
  c.fill<float>();
  compare_statistics(c, std::size_t{1} << 28);
  c.fill<__half>();
  for (const std::size_t n : powers(29, 31)) compare_sum<__half, float>(c, "f16", n);
  compare_scan<__half, float>(c, "f16", std::size_t{1} << 28);

  std::puts(
      measure::json_document(c.rows, cuda_run_info(commit, "warpfold_bench_compare")).c_str());
  for (const auto& row : c.rows) {
    if (row.verdict.right) continue;
    std::fprintf(stderr, "wrong: %s %s of %zu %s: %s, expected %s\n", row.name.c_str(),
                 row.ladder.c_str(), row.n, row.type.c_str(), row.verdict.result.c_str(),
                 row.verdict.expected.c_str());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace warpfold::bench

int main(int argc, char** argv) {
  try {
    return warpfold::bench::run(argc > 1 && std::strcmp(argv[1], "--quick") == 0);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "warpfold_bench_compare: %s\n", e.what());
    return 3;
  }
}
