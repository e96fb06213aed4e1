// Reductions and scans in the canonical order on a device equal the reference to the bit. A program
// by itself: nvcc -std=c++20 -O2 -arch=native -I include -I .
// tests/library/device/canonical_check.cu
//   canonical_check [the largest n]
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include <cuda_runtime.h>

#include "tests/library/canonical/cases.hpp"
#include "tests/library/canonical/reference.hpp"
#include "warpfold/reduce.hpp"
#include "warpfold/scan.hpp"

namespace {

using namespace warpfold::tests;

unsigned wrong = 0, checked = 0;

void expect(bool same, const char* what, std::size_t n, std::size_t offset) {
  ++checked;
  if (same) return;
  ++wrong;
  std::printf("WRONG: %s of %zu values from %zu on\n", what, n, offset);
}

template <class T>
struct buffer {
  T* data = nullptr;
  explicit buffer(std::size_t n) {
    if (cudaMalloc(reinterpret_cast<void**>(&data), (n + 1) * sizeof(T)) != cudaSuccess) {
      std::puts("no device memory");
      std::exit(3);
    }
  }
  ~buffer() { cudaFree(data); }
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;
};

template <class T, class Acc, class Op>
void check_reduce(const char* what, const std::vector<T>& values, const T* on_device, std::size_t n,
                  std::size_t offset, Acc init, Op op) {
  const auto at = warpfold::device.with(warpfold::determinism::gpu_to_gpu);
  const Acc got = warpfold::reduce(at, std::span<const T>(on_device + offset, n), init, op);
  std::vector<Acc> converted(values.begin() + static_cast<std::ptrdiff_t>(offset),
                             values.begin() + static_cast<std::ptrdiff_t>(offset + n));
  const Acc expected = n == 0 ? init : op(init, canonical::reduce(converted.data(), n, op));
  expect(std::memcmp(&got, &expected, sizeof got) == 0, what, n, offset);
}

/// Values are accumulated in their own type.
template <class T, class Op>
void check_scans(const char* what, const std::vector<T>& values, const T* on_device, std::size_t n,
                 std::size_t offset, T init, Op op) {
  if (n == 0) return;
  const auto at = warpfold::device.with(warpfold::determinism::gpu_to_gpu);
  const std::span<const T> in(on_device + offset, n);
  const buffer<T> results(n + offset);
  const std::span<T> out(results.data + offset, n);
  std::vector<T> got(n), expected(n);
  const auto compare = [&](const char* form, std::size_t later) {
    cudaMemcpy(static_cast<void*>(got.data()), out.data(), n * sizeof(T), cudaMemcpyDeviceToHost);
    std::size_t i = 0;
    while (i + later < n && std::memcmp(&got[i + later], &expected[i], sizeof(T)) == 0) ++i;
    expect(i + later == n, what, n, offset);
    if (i + later != n) std::printf("  %s scan, at %zu\n", form, i + later);
  };
  canonical::inclusive_scan(values.data() + offset, n, expected.data(), std::optional<T>(init), op);
  inclusive_scan(at, in, out, op, init).throw_if_failed("a scan");
  compare("inclusive", 0);
  exclusive_scan(at, in, out, init, op).throw_if_failed("a scan");
  compare("exclusive", 1);
  expect(std::memcmp(got.data(), &init, sizeof init) == 0, what, n, offset);
  canonical::inclusive_scan(values.data() + offset, n, expected.data(), std::optional<T>(), op);
  inclusive_scan(at, in, out, op).throw_if_failed("a scan");
  compare("bare", 0);
}

template <class T, class Acc, class Op>
void check(const char* what, std::size_t largest, Acc init, Op op) {
  std::vector<T> values(largest + 3);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = value_at<T>(i);
  const buffer<T> on_device(values.size());
  cudaMemcpy(static_cast<void*>(on_device.data), values.data(), values.size() * sizeof(T),
             cudaMemcpyHostToDevice);
  for (const std::size_t n : sizes_up_to(largest)) {
    for (const std::size_t offset : {0, 1, 3}) {
      check_reduce(what, values, on_device.data, n, offset, init, op);
      if constexpr (std::is_same_v<T, Acc>) {
        check_scans(what, values, on_device.data, n, offset, init, op);
      }
    }
  }
  std::printf("%s: %u checked, %u wrong\n", what, checked, wrong);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t largest = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1 << 20;
  check<float>("sum of f32", largest, 0.0F, warpfold::pairwise_plus{});
  check<double>("sum of f64", largest, 1.0, warpfold::pairwise_plus{});
  check<float>("sum of f32 in f64", largest, 0.0, warpfold::pairwise_plus{});
  check<std::uint8_t>("sum of u8 in f32", largest, 0.0F, warpfold::pairwise_plus{});
  check<float>("product of f32", largest, 1.0F, warpfold::multiplies{});
  check<affine_f32>("affine maps of f32", largest / 4, affine_f32{1, 0}, compose_f32{});
  check<complex_f32>("complex product", largest / 4, complex_f32{1, 0}, complex_product{});
  check<matrix_f32>("2x2 matrices", largest / 8, matrix_f32{1, 0, 0, 1}, matrix_product{});
  check<triple>("triples", largest / 8, triple{0, 0, 0}, add_triples{});
  std::printf("%s: %u of %u wrong\n", wrong == 0 ? "ok" : "FAILED", wrong, checked);
  return wrong == 0 ? 0 : 1;
}
