// The sweep behind include/warpfold/tuning: every shape at every size, beside CUB, in one run.
// usage: warpfold_bench_tune [reduce|scan]   one line a shape and size: JSON, times in microseconds
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include "bench/device/timing.cuh"
#include "warpfold/device/reduce.cuh"
#include "warpfold/device/scan.cuh"

namespace warpfold::bench {
namespace {

constexpr std::size_t pool_bytes = std::size_t{8} << 30;

__global__ void fill_kernel(std::uint32_t* to, std::size_t n, std::uint32_t seed) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    std::uint32_t x = static_cast<std::uint32_t>(i) * 2654435761U ^ seed;
    x ^= x >> 16, x *= 0x7feb352dU, x ^= x >> 15, x *= 0x846ca68bU, x ^= x >> 16;
    to[i] = x;
  }
}

__global__ void differ_kernel(const std::uint32_t* a, const std::uint32_t* b, std::size_t n,
                              unsigned* differ) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    if (a[i] != b[i]) *differ = 1;
  }
}

struct bench_memory {
  char *in = nullptr, *out = nullptr, *work = nullptr, *scratch = nullptr;
  std::size_t work_bytes = std::size_t{64} << 20;

  [[nodiscard]] bool same(const void* a, const void* b, std::size_t n) const {
    unsigned differ = 0;
    auto* const flag = reinterpret_cast<unsigned*>(scratch);
    require(cudaMemset(flag, 0, 4), "clear a flag");
    differ_kernel<<<1024, 256>>>(static_cast<const std::uint32_t*>(a),
                                 static_cast<const std::uint32_t*>(b), n, flag);
    require(cudaMemcpy(&differ, flag, 4, cudaMemcpyDeviceToHost), "read a flag");
    return differ == 0;
  }
  bench_memory() {
    require(cudaMalloc(&in, pool_bytes), "allocate the pool");
    require(cudaMalloc(&out, pool_bytes), "allocate the results");
    require(cudaMalloc(&work, work_bytes), "allocate the workspace");
    require(cudaMalloc(&scratch, work_bytes), "allocate scratch memory");
    require(cudaMemset(work, 0, work_bytes), "clear the workspace");
    fill_kernel<<<1024, 256>>>(reinterpret_cast<std::uint32_t*>(in), pool_bytes / 4, 12345);
    require(cudaDeviceSynchronize(), "fill the pool");
  }
};

void print(const char* what, const std::string& shape, std::size_t n, const quartiles& stream,
           const quartiles& graph, bool right) {
  std::printf("{\"what\":\"%s\",\"shape\":\"%s\",\"n\":%zu,\"stream\":%.2f,\"graph\":%.2f,"
              "\"right\":%s}\n", what, shape.c_str(), n, stream.median, graph.median,
              right ? "true" : "false");
  std::fflush(stdout);
}

template <class Call>
void time(timer& t, const char* what, const std::string& shape, std::size_t n, Call call,
          bool right) {
  const int samples = n >= (std::size_t{1} << 26) ? 15 : 31;
  const int calls = n >= (std::size_t{1} << 26) ? 20 : calls_per_graph(n * 4);
  const quartiles s = t.stream_calls(call, samples);
  print(what, shape, n, s, t.graph_calls(call, calls, n >= (std::size_t{1} << 26) ? 3 : 7), right);
}

using value = std::int32_t;
struct plain {
  __device__ value operator()(value v) const { return v; }
};

std::vector<std::size_t> sizes(std::initializer_list<int> exponents) {
  std::vector<std::size_t> all;
  for (const int e : exponents) all.push_back(std::size_t{1} << e);
  return all;
}

template <unsigned Threads, unsigned Loads>
void sweep_reduce(bench_memory& m, timer& t, std::size_t n) {
  const rotation where(pool_bytes, n * 4);
  auto* const out = reinterpret_cast<value*>(m.out);
  const auto box = detail::mailbox::in(m.work, m.work_bytes);
  const std::size_t turn = std::size_t{Threads} * Loads * 4;
  for (const unsigned per : {1U, 2U, 3U, 4U, 8U}) {
    if (per * Threads > 2048) continue;
    for (const unsigned part : {1U, 2U, 4U}) {
      const std::size_t wanted = (n + turn / part - 1) / (turn / part);
      if (part > 1 && wanted > 132 * per * 2) continue;
      const auto grid = static_cast<unsigned>(std::min<std::size_t>(132 * per, wanted));
      if (grid == wanted && per > 1 && wanted <= 132 * (per - 1)) continue;
      if (grid == 1 && part > 1) continue;
      const auto call = [&](std::size_t i) {
        detail::reduction<value, value, plus, plain> r{
            reinterpret_cast<const value*>(m.in + where.offset(i)), n, out, 0, plus{}, plain{}};
        r.part(grid, Threads * Loads);
        try_launch({.grid = grid, .block = Threads, .stream = t.stream()},
                   detail::reduce_kernel<Loads, value, value, plus, plain>, r, box)
            .throw_if_failed("reduce");
      };
      value ours = 0, theirs = 0;
      cudaMemset(out, 0xff, 4);
      call(1);
      cudaStreamSynchronize(t.stream());
      cudaMemcpy(&ours, out, 4, cudaMemcpyDeviceToHost);
      std::size_t bytes = m.work_bytes;
      cub::DeviceReduce::Sum(m.scratch, bytes, reinterpret_cast<value*>(m.in + where.offset(1)),
                             out, n, t.stream());
      cudaStreamSynchronize(t.stream());
      cudaMemcpy(&theirs, out, 4, cudaMemcpyDeviceToHost);
      time(t, "reduce",
           std::to_string(Threads) + "x" + std::to_string(Loads) + " grid " + std::to_string(grid),
           n, call, ours == theirs);
    }
  }
}

template <unsigned Threads>
void try_alone(bench_memory& m, timer& t, std::size_t n) {
  const rotation where(pool_bytes, n * 4);
  auto* const out = reinterpret_cast<value*>(m.out);
  const auto call = [&](std::size_t i) {
    detail::reduction<value, value, plus, plain> r{
        reinterpret_cast<const value*>(m.in + where.offset(i)), n, out, 0, plus{}, plain{}};
    r.part(1, Threads * 4);
    try_launch({.grid = 1, .block = Threads, .stream = t.stream()},
               detail::reduce_alone_kernel<4, value, value, plus, plain>, r)
        .throw_if_failed("reduce");
  };
  value ours = 0, theirs = 0;
  cudaMemset(out, 0xff, 4);
  call(1);
  cudaStreamSynchronize(t.stream());
  cudaMemcpy(&ours, out, 4, cudaMemcpyDeviceToHost);
  std::size_t bytes = m.work_bytes;
  cub::DeviceReduce::Sum(m.scratch, bytes, reinterpret_cast<value*>(m.in + where.offset(1)), out, n,
                         t.stream());
  cudaStreamSynchronize(t.stream());
  cudaMemcpy(&theirs, out, 4, cudaMemcpyDeviceToHost);
  time(t, "reduce", "alone " + std::to_string(Threads), n, call, ours == theirs);
}

void tune_reduce(bench_memory& m, timer& t) {
  for (const std::size_t n : sizes({8, 10, 12, 13, 14, 16, 18, 20, 22, 24, 26, 28, 30})) {
    const rotation where(pool_bytes, n * 4);
    time(t, "reduce", "cub", n, [&](std::size_t i) {
      std::size_t bytes = m.work_bytes;
      cub::DeviceReduce::Sum(m.scratch, bytes, reinterpret_cast<value*>(m.in + where.offset(i)),
                             reinterpret_cast<value*>(m.out), n, t.stream());
    }, true);
    if (n <= 1 << 14) try_alone<256>(m, t, n);
    if (n <= 1 << 14) try_alone<512>(m, t, n);
    if (n >= 1 << 12 && n <= 1 << 22) sweep_reduce<256, 4>(m, t, n);
    if (n >= 1 << 12) sweep_reduce<512, 4>(m, t, n);
    if (n >= 1 << 20) sweep_reduce<256, 8>(m, t, n);
    if (n >= 1 << 20) sweep_reduce<384, 8>(m, t, n);
    if (n >= 1 << 20) sweep_reduce<512, 8>(m, t, n);
  }
}

template <class Shape>
void try_scan(bench_memory& m, timer& t, std::size_t n) {
  const rotation where(pool_bytes, n * 4);
  const device_execution on = device.on(t.stream()).with(workspace_view{m.work, m.work_bytes});
  const auto call = [&](std::size_t i) {
    const detail::scan_job<value, value, plus> job{
        reinterpret_cast<const value*>(m.in + where.offset(i)),
        reinterpret_cast<value*>(m.out + where.offset(i)), n, 0, 0, true, plus{}};
    detail::launch_scan<Shape, true>(on, job).throw_if_failed("scan");
  };
  char* const theirs = m.out + pool_bytes / 2;
  cudaMemset(m.out, 0xff, n * 4);
  call(0);
  std::size_t bytes = m.work_bytes;
  cub::DeviceScan::ExclusiveSum(m.scratch, bytes, reinterpret_cast<value*>(m.in),
                                reinterpret_cast<value*>(theirs), n, t.stream());
  cudaStreamSynchronize(t.stream());
  const bool same = m.same(m.out, theirs, n);
  const std::string shape = std::to_string(Shape::threads) + "x" + std::to_string(Shape::loads) +
                            " stages " + std::to_string(Shape::stages) + " delay " +
                            std::to_string(Shape::delay) + " blocks " +
                            std::to_string(Shape::blocks_per_multiprocessor);
  time(t, "scan", shape, n, call, same);
}

template <unsigned T, unsigned L, unsigned S, unsigned D, unsigned B>
using shape = tuning::scan_shape<T, L, S, D, B>;

void tune_scan(bench_memory& m, timer& t) {
  for (const std::size_t n : sizes({10, 12, 14, 16, 18, 20, 22, 24, 26, 28})) {
    const rotation where(pool_bytes, n * 4);
    time(t, "scan", "cub", n, [&](std::size_t i) {
      std::size_t bytes = m.work_bytes;
      cub::DeviceScan::ExclusiveSum(m.scratch, bytes,
                                    reinterpret_cast<value*>(m.in + where.offset(i)),
                                    reinterpret_cast<value*>(m.out + where.offset(i)), n,
                                    t.stream());
    }, true);
    time(t, "scan", "copy", n, [&](std::size_t i) {
      cudaMemcpyAsync(m.out + where.offset(i), m.in + where.offset(i), n * 4,
                      cudaMemcpyDeviceToDevice, t.stream());
    }, true);
    if (n <= 1 << 20) {
      try_scan<shape<256, 1, 3, 1, 2>>(m, t, n);
      try_scan<shape<512, 1, 3, 1, 2>>(m, t, n);
    }
    if (n >= 1 << 16) {
      try_scan<shape<256, 3, 3, 1, 4>>(m, t, n);
      try_scan<shape<384, 3, 3, 1, 3>>(m, t, n);
      try_scan<shape<512, 3, 3, 1, 2>>(m, t, n);
      try_scan<shape<256, 3, 7, 3, 2>>(m, t, n);
      try_scan<shape<512, 3, 4, 2, 2>>(m, t, n);
      try_scan<shape<256, 5, 5, 2, 2>>(m, t, n);
      try_scan<shape<256, 5, 4, 2, 2>>(m, t, n);
      try_scan<shape<256, 3, 5, 2, 3>>(m, t, n);
      try_scan<shape<256, 3, 4, 2, 4>>(m, t, n);
      try_scan<shape<384, 5, 7, 3, 1>>(m, t, n);
      try_scan<shape<512, 5, 5, 2, 1>>(m, t, n);
      try_scan<shape<256, 5, 8, 4, 1>>(m, t, n);
      try_scan<shape<512, 3, 8, 4, 1>>(m, t, n);
      try_scan<shape<384, 3, 5, 2, 2>>(m, t, n);
    }
  }
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
