// CUB's algorithms, of the same toolkit, as candidates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

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

/// `call(slot, temporary, bytes)`, which calls CUB, with temporary memory of its own.
template <class Call>
candidate cub_candidate(measure::measurement record, Call call) {
  std::size_t bytes = 0;
  cuda_check(call(0, nullptr, bytes), "ask CUB for its memory");
  const auto memory = std::make_shared<device_buffer<char>>(bytes);
  return {std::move(record), [memory, call](std::size_t slot) {
            std::size_t size = memory->bytes();
            cuda_check(call(slot, memory->data(), size), "a call of CUB's");
          }};
}

/// The slots are reduce_slots or alike.
template <class Op, class Slots>
candidate cub_reduce_of(const Slots& s, measure::measurement record) {
  return cub_candidate(std::move(record),
                       [&s](std::size_t slot, void* temporary, std::size_t& bytes) {
                         return cub_reduce<Op>(temporary, bytes, s.values(slot).data(), s.out(slot),
                                               s.n, s.where.stream());
                       });
}
/// The slots are scan_slots; the sums are Acc's.
template <class Op, class Acc, class Slots>
candidate cub_scan_of(const Slots& s, measure::measurement record) {
  return cub_candidate(std::move(record),
                       [&s](std::size_t slot, void* temporary, std::size_t& bytes) {
                         return cub_scan<Op, Acc>(temporary, bytes, s.in(slot), s.out(slot), s.n,
                                                  s.exclusive, s.where.stream());
                       });
}

}  // namespace warpfold::bench
