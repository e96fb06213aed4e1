// Values of several ranges for the exact sums, made on the device, and the truth about them.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "bench/device/timing.cuh"
#include "warpfold/exact/accumulator.hpp"
#include "warpfold/exact/product.hpp"

namespace warpfold::bench {

enum class range { uniform, normal, wide, cancelling };

constexpr const char* name_of(range r) {
  constexpr const char* names[] = {"uniform", "normal", "wide", "cancelling"};
  return names[static_cast<int>(r)];
}

static __device__ std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
  x = (x ^ x >> 27) * 0x94d049bb133111ebU;
  return x ^ x >> 31;
}

/// Any finite value: all signs, exponents and fractions alike.
template <class T>
__device__ T any_bits(std::uint64_t random) {
  using bits_type = typename detail::format<T>::bits_type;
  constexpr unsigned fraction = detail::format<T>::precision - 1;
  auto bits = static_cast<bits_type>(random);
  constexpr bits_type top = bits_type{detail::format<T>::top_field} << fraction;
  if ((bits & top) == top) bits &= ~(bits_type{1} << fraction);
  return detail::from_bits<T>(bits);
}

template <class T>
__device__ T value_of_range(range r, std::size_t i) {
  const std::uint64_t random = mixed(i);
  const double first = (static_cast<double>(random >> 11) + 0.5) * 0x1p-53;
  switch (r) {
    case range::uniform:
      return static_cast<T>(sizeof(T) == 4 ? static_cast<double>(random >> 40) * 0x1p-24 : first);
    case range::normal: {
      const double second = static_cast<double>(mixed(random) >> 11) * 0x1p-53;
      return static_cast<T>(sqrt(-2 * log(first)) * cospi(2 * second));
    }
    case range::wide: return any_bits<T>(random);
    case range::cancelling: {  // each value and its negative, far apart; one is left alone
      const std::size_t half = i % (std::size_t{1} << 20) / 2;
      const T value = any_bits<T>(mixed(half * 2654435761U % (std::size_t{1} << 19)));
      return i % 2 == 0 ? value : -any_bits<T>(mixed(half));
    }
  }
  return 0;
}

template <class T>
__global__ void fill_range_kernel(T* to, std::size_t n, range r) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    to[i] = value_of_range<T>(r, i);
  }
}

/// add(part, begin, end) of [0, n) by the host's threads, without the device's code; merged.
template <class Sum, class Add>
Sum host_sum(std::size_t n, Add add) {
  const std::size_t count = std::max(1U, std::thread::hardware_concurrency());
  std::vector<Sum> part(count);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < count; ++t) {
    threads.emplace_back(
        [&, t] { add(part[t], n / count * t, t + 1 == count ? n : n / count * (t + 1)); });
  }
  for (auto& thread : threads) thread.join();
  for (std::size_t t = 1; t < count; ++t) part[0].merge(part[t]);
  return part[0];
}
template <class T>
std::vector<T> on_host(const T* device_values, std::size_t n) {
  std::vector<T> values(n);
  require(cudaMemcpy(values.data(), device_values, n * sizeof(T), cudaMemcpyDeviceToHost),
          "copy the values to the host");
  return values;
}

template <class T>
exact_accumulator<T> host_truth(const T* device_values, std::size_t n) {
  const auto values = on_host(device_values, n);
  return host_sum<exact_accumulator<T>>(n, [&](auto& sum, std::size_t begin, std::size_t end) {
    sum.add(std::span(values).subspan(begin, end - begin));
  });
}
/// Of values [0, n) and [n, 2 n).
template <class T>
T host_dot_truth(const T* device_values, std::size_t n) {
  const auto values = on_host(device_values, 2 * n);
  using state = detail::product_state<T>;
  return host_sum<state>(n,
                         [&](auto& sum, std::size_t begin, std::size_t end) {
                           detail::add_products(sum, values.data() + begin,
                                                values.data() + n + begin, end - begin);
                         })
      .template quotient<T>(1);
}

template <class T>
bool same_bits(T a, T b) {
  return detail::bits_of(a) == detail::bits_of(b);
}

}  // namespace warpfold::bench
