// CUB's algorithms, of the same toolkit. Each gives the bytes that it needs where `temporary` is
// null.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda/functional>

#include "bench/harness/device_memory.cuh"
#include "warpfold/operators.hpp"

namespace warpfold::bench {

/// Calls `f` with the number of values in 32 bits where these hold it: CUB is faster then.
template <class F>
auto with_count(std::size_t n, F f) {
  constexpr std::uint32_t most = ~std::uint32_t{0};
  return n <= most ? f(static_cast<std::uint32_t>(n)) : f(n);
}

template <class T, class Op>
using cuda_operator =
    std::conditional_t<std::is_same_v<Op, plus>, cuda::std::plus<T>, cuda::maximum<T>>;

template <class Op, class T, class Acc>
cudaError_t cub_reduce(void* temporary, std::size_t& bytes, const T* in, Acc* out, std::size_t n,
                       cudaStream_t stream) {
  return with_count(n, [&](auto count) {
    if constexpr (!std::is_same_v<T, Acc> && !std::is_integral_v<T>) {
      return cub::DeviceReduce::Reduce(temporary, bytes, in, out, count, cuda_operator<Acc, Op>{},
                                       Op::template identity<Acc>(), stream);
    } else if constexpr (std::is_same_v<Op, plus>) {
      return cub::DeviceReduce::Sum(temporary, bytes, in, out, count, stream);
    } else {
      return cub::DeviceReduce::Max(temporary, bytes, in, out, count, stream);
    }
  });
}

/// An inclusive one where T is Acc.
template <class Op, class Acc, class T>
cudaError_t cub_scan(void* temporary, std::size_t& bytes, const T* in, T* out, std::size_t n,
                     bool exclusive, cudaStream_t stream) {
  using op = cuda_operator<Acc, Op>;
  return with_count(n, [&](auto count) {
    using cub::DeviceScan;
    constexpr Acc none = Op::template identity<Acc>();
    if constexpr (std::is_same_v<T, Acc>) {
      if (!exclusive) {
        return DeviceScan::InclusiveScan(temporary, bytes, in, out, op{}, count, stream);
      }
    }
    return DeviceScan::ExclusiveScan(temporary, bytes, in, out, op{}, none, count, stream);
  });
}

/// Temporary memory for one of CUB's calls: `call(temporary, bytes)`.
class cub_memory {
 public:
  template <class Call>
  explicit cub_memory(Call call) : memory_(bytes_of(call)) {}

  template <class Call>
  void operator()(Call call) const {
    std::size_t bytes = memory_.bytes();
    cuda_check(call(memory_.data(), bytes), "a call of CUB's");
  }

 private:
  template <class Call>
  static std::size_t bytes_of(Call call) {
    std::size_t bytes = 0;
    cuda_check(call(nullptr, bytes), "ask CUB for its memory");
    return bytes;
  }
  device_buffer<char> memory_;
};

}  // namespace warpfold::bench
