// Kernels unlike reductions, each on cold memory: on a device the medians of their times, launched
// by the host between two events, and waiting in the stream before; on the CPU machine what its
// predictions are made of. One JSON object a line.
//
//   nvcc -std=c++20 -O3 -arch=native -I. bench/validation/main.cu && ./a.out > times.jsonl
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "bench/validation/kernels.cuh"

#ifdef __SIMT__
#include "simt/launch.hpp"
#include "simt/prediction.hpp"
#endif

namespace {

using namespace warpfold::validation;

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  std::exit(3);
}

template <class T>
struct values {
  T* data = nullptr;
  std::size_t count;

  template <class F>
  values(std::size_t n, F value_of) : count(n) {
    std::vector<T> host(n);
    for (std::size_t i = 0; i < n; ++i) host[i] = static_cast<T>(value_of(i));
    check(cudaMalloc(&data, n * sizeof(T)));
    check(cudaMemcpy(data, host.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  }
  [[nodiscard]] double sum() const {
    std::vector<T> host(count);
    check(cudaMemcpy(host.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    double all = 0;
    for (const T& v : host) {
      if constexpr (requires { v.x; }) {
        all += v.x + v.y + v.z;
      } else {
        all += static_cast<double>(v);
      }
    }
    return all;
  }
};

std::uint32_t mixed(std::size_t i) {
  auto x = static_cast<std::uint32_t>(i) * 2654435761U;
  x ^= x >> 15;
  x *= 2246822519U;
  return x ^ x >> 13;
}
float small_float(std::size_t i) { return static_cast<float>(mixed(i) % 1000) * 0.01F; }

#ifdef __SIMT__
void run(const std::string& name, const std::function<void()>& launch,
         const std::function<double()>& sum) {
  simt::observe counting({.count = true});
  launch();
  std::printf("{\"name\": \"%s\", \"sum\": %.9g, \"profiles\": %s}\n", name.c_str(), sum(),
              simt::profiles_json(counting.profiles).c_str());
  std::fflush(stdout);
}
#else
/// Keeps the stream until the host sets *go, or for a tenth of a second.
__global__ void hold(const volatile unsigned* go) {
  const long long begin = clock64();
  while (*go == 0 && clock64() - begin < 200'000'000) {
  }
}

/// The median and the quartiles.
struct times {
  double median, low, high;
};
times time_of(const std::function<void()>& launch, bool queued) {
  static void* flush = [] {
    void* p = nullptr;
    check(cudaMalloc(&p, std::size_t{256} << 20));
    return p;
  }();
  static volatile unsigned* go = [] {
    unsigned* p = nullptr;
    check(cudaHostAlloc(&p, sizeof *p, cudaHostAllocMapped));
    return p;
  }();
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<double> us;
  for (int i = 0; i < 21; ++i) {
    check(cudaMemsetAsync(flush, i, std::size_t{256} << 20));
    check(cudaDeviceSynchronize());
    *go = 0;
    if (queued) hold<<<1, 1>>>(go);
    check(cudaEventRecord(begin));
    launch();
    check(cudaEventRecord(end));
    *go = 1;
    check(cudaEventSynchronize(end));
    check(cudaGetLastError());
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    us.push_back(1000.0 * ms);
  }
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  std::sort(us.begin(), us.end());
  return {us[10], us[5], us[15]};
}

void run(const std::string& name, const std::function<void()>& launch,
         const std::function<double()>& sum) {
  launch();  // on what was there at first, as on the CPU machine
  check(cudaDeviceSynchronize());
  const double result = sum();
  const times launched = time_of(launch, false), queued = time_of(launch, true);
  std::printf(
      "{\"name\": \"%s\", \"sum\": %.9g, \"median_us\": %.3f, \"q1_us\": %.3f, \"q3_us\": %.3f, "
      "\"queued_us\": %.3f, \"queued_q1_us\": %.3f, \"queued_q3_us\": %.3f}\n",
      name.c_str(), result, launched.median, launched.low, launched.high, queued.median, queued.low,
      queued.high);
  std::fflush(stdout);
}
#endif

void run_all() {
  constexpr unsigned n = 1U << 22, width = 1024, side = 256;
  const auto zero = [](std::size_t) { return 0; };
  const values<float> a(n, small_float), b(n, [](std::size_t i) { return small_float(i + 7); });
  const values<float> out(n, zero);
  const values<unsigned> numbers(n, mixed), random(n, [](std::size_t i) { return mixed(i) % n; });
  const values<unsigned> spread(n, [](std::size_t i) { return (i * 2654435761U) % n; });
  const values<unsigned> counts(4096, zero), whole(n, zero);
  const auto f_sum = [&] { return out.sum(); };
  const dim3 square(16, 16), tile(32, 8);
  run(
      "saxpy", [&] { saxpy<<<n / 256, 256>>>(2, a.data, out.data, n); }, f_sum);
  run(
      "copy stride 8", [&] { copy_strided<<<n / 256, 256>>>(a.data, out.data, n, 8); }, f_sum);
  run(
      "copy stride 33", [&] { copy_strided<<<n / 256, 256>>>(a.data, out.data, n, 33); }, f_sum);
  run(
      "transpose naive",
      [&] { transpose_naive<<<dim3(width / 16, width / 16), square>>>(a.data, out.data, width); },
      f_sum);
  run(
      "transpose tiled",
      [&] { transpose_tiled<<<dim3(width / 32, width / 32), tile>>>(a.data, out.data, width); },
      f_sum);
  run(
      "matrix product naive",
      [&] {
        multiply_naive<<<dim3(side / 16, side / 16), square>>>(a.data, b.data, out.data, side);
      },
      f_sum);
  run(
      "matrix product tiled",
      [&] {
        multiply_tiled<<<dim3(side / 16, side / 16), square>>>(a.data, b.data, out.data, side);
      },
      f_sum);
  run(
      "stencil of 5 points",
      [&] { stencil_5<<<dim3(2048 / 32, 2048 / 8), tile>>>(a.data, out.data, 2048, 2048); }, f_sum);
  run(
      "stencil in shared memory", [&] { stencil_shared<<<n / 256, 256>>>(a.data, out.data, n); },
      f_sum);
  constexpr unsigned rows = 1U << 16;
  std::vector<unsigned> begin(rows + 1);
  for (unsigned r = 0; r < rows; ++r) begin[r + 1] = begin[r] + 4 + mixed(r) % 25;
  const values<unsigned> row_begin(rows + 1, [&](std::size_t i) { return begin[i]; });
  const values<unsigned> column(begin[rows], [](std::size_t i) { return mixed(i) % rows; });
  const values<float> entry(begin[rows], small_float);
  run(
      "sparse matrix times vector",
      [&] {
        spmv_rows<<<rows / 256, 256>>>(row_begin.data, column.data, entry.data, a.data, out.data,
                                       rows);
      },
      f_sum);
  run(
      "gather", [&] { gather<<<n / 256, 256>>>(random.data, a.data, out.data, n); }, f_sum);
  run(
      "scatter", [&] { scatter<<<n / 256, 256>>>(spread.data, a.data, out.data, n); }, f_sum);
  run(
      "histogram in shared memory",
      [&] { histogram_shared<<<264, 256>>>(numbers.data, counts.data, n); },
      [&] { return counts.sum(); });
  run(
      "histogram in global memory",
      [&] { histogram_global<<<264, 256>>>(numbers.data, counts.data, n / 4); },
      [&] { return counts.sum(); });
  const values<float4> bodies(4096, [](std::size_t i) {
    return make_float4(small_float(i), small_float(i + 1), small_float(i + 2), 1);
  });
  const values<float4> force(4096, [](std::size_t) { return make_float4(0, 0, 0, 0); });
  run(
      "n-body", [&] { attract<<<16, 256>>>(bodies.data, force.data, 4096); },
      [&] { return force.sum(); });
  run(
      "option prices", [&] { price_options<<<n / 256, 256>>>(a.data, b.data, out.data, n); },
      f_sum);
  run(
      "mandelbrot", [&] { mandelbrot<<<dim3(512 / 32, 512 / 8), tile>>>(whole.data, 512, 256); },
      [&] { return whole.sum(); });
  const values<double> x(n / 4, [](std::size_t i) { return 1e-4 * (mixed(i) % 1000); }),
      y(n / 4, zero);
  run(
      "polynomial f64", [&] { polynomial_f64<<<n / 1024, 256>>>(x.data, y.data, n / 4); },
      [&] { return y.sum(); });
  run(
      "pointer chase", [&] { chase<<<64, 256>>>(spread.data, whole.data, 64); },
      [&] { return whole.sum(); });
  run(
      "digits", [&] { shuffle_digits<<<n / 1024, 1024>>>(numbers.data, whole.data, 10); },
      [&] { return whole.sum(); });
}

}  // namespace

int main() {
  run_all();
  return 0;
}
