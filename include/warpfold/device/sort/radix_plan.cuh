// The memory of a radix sort, and its plan: which passes run, from which buffer to which.
//
//   control | counts of all digits of all passes, the plan, counters
//   areas   | two; each has a row of 256 status words for every tile of a launch
//
// A launch of a pass takes the rows of one portion. It publishes in one area and clears the other
// for the launch after it, so that memory may hold anything before the first.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/device/sort/key_values.cuh"
#include "warpfold/platform.hpp"
#include "warpfold/warp/shuffle.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

inline constexpr unsigned radix_bits = 8, radix_digits = 1U << radix_bits;

/// The bits of a key that are sorted by, in digits from the lowest.
struct radix_range {
  unsigned begin, end;

  [[nodiscard]] __host__ __device__ constexpr unsigned passes() const {
    return (end - begin + radix_bits - 1) / radix_bits;
  }
  [[nodiscard]] __host__ __device__ constexpr unsigned shift(unsigned pass) const {
    return begin + pass * radix_bits;
  }
  [[nodiscard]] __host__ __device__ constexpr unsigned mask(unsigned pass) const {
    const unsigned left = end - shift(pass);
    return left < radix_bits ? (1U << left) - 1 : radix_digits - 1;
  }
};

/// The buffers that passes read and write.
enum class radix_buffer : unsigned { in, out, spare };

/// What a pass does. One whose digit is the same in all keys need not run.
struct radix_step {
  radix_buffer from, to;
  unsigned number;  // among those that run
  bool runs, is_last;
};

struct radix_control {
  static constexpr unsigned most_passes = 16;
  using count = unsigned long long;

  count first[2][most_passes][radix_digits];  // of the next row of each digit; in turns by portions
  radix_step step[most_passes];
  std::uint64_t last[2];  // rows of an odd number (packed_rows)
  unsigned tickets;       // tiles that blocks of this launch have taken
  unsigned blocks_done;   // of those that count
};

/// What a radix sort works in beside its buffers.
struct radix_memory {
  radix_control* control;
  std::uint32_t* areas;
  unsigned area_tiles;

  template <class Shape>
  static constexpr unsigned tiles(std::size_t n) {
    const std::size_t rows = n < Shape::portion ? n : Shape::portion;
    return static_cast<unsigned>((rows + Shape::rows - 1) / Shape::rows);
  }
  static constexpr std::size_t control_bytes = (sizeof(radix_control) + 255) / 256 * 256;
  template <class Shape>
  static constexpr std::size_t bytes(std::size_t n) {
    return control_bytes + std::size_t{2} * tiles<Shape>(n) * radix_digits * sizeof(std::uint32_t);
  }
  template <class Shape>
  static radix_memory in(void* memory, std::size_t n) {
    return {static_cast<radix_control*>(memory),
            reinterpret_cast<std::uint32_t*>(static_cast<char*>(memory) + control_bytes),
            tiles<Shape>(n)};
  }
  [[nodiscard]] __host__ __device__ std::uint32_t* area(unsigned launch) const {
    return areas + std::size_t{launch % 2} * area_tiles * radix_digits;
  }
};

inline constexpr unsigned radix_clear_threads = 256;

/// Clears the control and the first area.
template <unsigned Threads>
__global__ void __launch_bounds__(Threads) radix_clear_kernel(radix_memory memory) {
  trigger_dependents();
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t begin = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  auto* const control = reinterpret_cast<std::uint64_t*>(memory.control);
  for (std::size_t i = begin; i < radix_memory::control_bytes / 8; i += step) control[i] = 0;
  auto* const words = reinterpret_cast<word_pair*>(memory.areas);
  const std::size_t pairs = std::size_t{memory.area_tiles} * radix_digits / 4;
  for (std::size_t i = begin; i < pairs; i += step) words[i] = {0, 0};
}

/// Whether a sort in place leaves its rows in `spare`.
__host__ __device__ constexpr bool ends_in_spare(bool in_place, unsigned passes) {
  return in_place && passes % 2 == 1;
}

/// What a plan is made for.
struct radix_demands {
  bool in_place;
  bool by_number;  // so that one pass must run, also where all keys are equal
};

/// Plans `passes` passes, by one thread. The last writes `out`; where that is `in` and passes are
/// odd in number, it writes `spare`, so that none reads what it writes.
__device__ __forceinline__ void plan_passes(radix_control& control, unsigned passes,
                                            radix_demands demands,
                                            const bool (&constant)[radix_control::most_passes]) {
  const bool in_place = demands.in_place;
  unsigned runs = 0;
  for (unsigned p = 0; p < passes; ++p) runs += constant[p] ? 0 : 1;
  unsigned more = in_place ? (runs + passes) % 2 : runs == 0 ? 1 : 0;  // of those with one digit
  if (runs + more == 0 && demands.by_number) more = 2;
  runs += more;
  auto from = radix_buffer::in;
  unsigned number = 0;
  for (unsigned p = 0; p < passes; ++p) {
    radix_step& step = control.step[p];
    step.runs = !constant[p] || more > 0;
    if (!step.runs) continue;
    if (constant[p]) --more;
    const bool as_last = (runs - number) % 2 == 1;
    step.from = from;
    step.to = as_last != ends_in_spare(in_place, passes) ? radix_buffer::out : radix_buffer::spare;
    step.number = number++;
    step.is_last = number == runs;
    from = step.to;
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
