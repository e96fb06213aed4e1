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
  /// A key's bits in the range, from its lowest on.
  template <class Bits>
  [[nodiscard]] __host__ __device__ constexpr Bits of(Bits key) const {
    const unsigned above = 8 * sizeof(Bits) - end;
    return static_cast<Bits>(static_cast<Bits>(key << above) >> (above + begin));
  }
};

/// The buffers that passes read and write.
enum class radix_buffer : unsigned { in, out, spare };

/// What a launch does, which need not run: a pass by a digit, or the finish of rows that are sorted
/// by that digit and all above it.
struct radix_step {
  radix_buffer from, to;
  unsigned digit;
  unsigned number;  // among the passes that run
  bool runs;
  bool is_first;       // rows have no numbers yet
  bool apart;          // keys and values of `from` are in columns of their own
  bool is_last;        // items go to their own places
  bool keeps_numbers;  // in `to`, although items go to their places
  bool only_if_unfinished;
};

struct radix_control {
  static constexpr unsigned most_passes = 16;
  using count = unsigned long long;

  count first[2][most_passes][radix_digits];  // of the next row of each digit; in turns by portions
  count alike[2][most_passes + 1];            // pairs of a sample (count_alike)
  radix_step step[2 * most_passes];
  radix_step finish;
  std::uint64_t last[2];  // rows of an odd number (packed_rows)
  unsigned tickets;       // tiles that blocks of this launch have taken
  unsigned blocks_done;   // of those that count
  unsigned unfinished;    // rows are out of order that the finish does not see
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
  bool by_number;          // so that one pass must run, also where all keys are equal
  unsigned before_finish;  // launches of passes before that of the finish; 0 without one
  float most_alike;        // rows that a row's run has by chance, at most
  unsigned samples;        // blocks that take one each
};

/// What is known of the keys, by digits from the lowest.
struct radix_digits_seen {
  bool constant[radix_control::most_passes];
  float alike[radix_control::most_passes];  // how probably two keys have the same digit
};

/// Takes steps from buffer to buffer. The last writes `out`; where that is `in` and passes are
/// odd in number, it writes `spare`, so that none reads what it writes.
struct radix_route {
  unsigned steps;  // to come
  bool to_spare;
  radix_buffer from = radix_buffer::in;

  __device__ __forceinline__ radix_step next() {
    const bool as_last = --steps % 2 == 0;
    const radix_buffer to = as_last != to_spare ? radix_buffer::out : radix_buffer::spare;
    radix_step step{};
    step.from = from;
    step.to = to;
    step.runs = true;
    step.is_last = steps == 0;
    from = to;
    return step;
  }
};

/// Plans passes by all digits that are not the same in all keys, in the launches from `launch` on,
/// with the `number`th pass as the first; by one thread. Behind a finish, rows that are sorted in
/// place begin where they are then.
__device__ __forceinline__ void plan_all_passes(radix_control& control, unsigned passes,
                                                radix_demands demands,
                                                const radix_digits_seen& seen, unsigned launch,
                                                unsigned number) {
  const bool in_place = demands.in_place, again = number > 0;
  unsigned runs = 0;
  for (unsigned p = 0; p < passes; ++p) runs += seen.constant[p] ? 0 : 1;
  unsigned more = in_place ? (runs + passes) % 2 : runs == 0 ? 1 : 0;  // of those with one digit
  if (runs + more == 0 && demands.by_number) more = 2;
  radix_route route{runs + more, ends_in_spare(in_place, passes)};
  const bool has_numbers = again && in_place && demands.by_number;
  if (has_numbers) route.from = radix_buffer::out;
  bool is_first = true;
  for (unsigned p = 0; p < passes; ++p) {
    if (seen.constant[p]) {
      if (more == 0) continue;
      --more;
    }
    radix_step& step = control.step[launch++];
    step = route.next();
    step.digit = p;
    step.number = number++;
    step.is_first = is_first && !has_numbers;
    step.apart = is_first && !(again && route.to_spare);
    step.only_if_unfinished = again;
    is_first = false;
  }
}

/// What samples of the keys tell of all: how often two keys of one sample are alike.
struct radix_sample_seen {
  float keys, equal;                             // in all samples; of them, like the one before
  float pairs[radix_control::most_passes + 1];   // of others that differ in lower digits alone
  float threes[radix_control::most_passes + 1];  // with such a one between them

  __device__ __forceinline__ radix_sample_seen(const radix_control& control, unsigned passes,
                                               unsigned all)
      : keys(static_cast<float>(all)) {
    const auto load = [&](unsigned k, unsigned digit) {
      const auto* const word = reinterpret_cast<const std::uint64_t*>(&control.alike[k][digit]);
      return static_cast<float>(load_relaxed(word));
    };
    pairs[0] = threes[0] = 0;
    for (unsigned p = 0; p < passes; ++p) {
      pairs[p + 1] = pairs[p] + load(0, p);
      threes[p + 1] = threes[p] + load(1, p);
    }
    equal = load(0, passes);
  }
};

/// More than this are not there by chance where so many are expected.
__device__ __forceinline__ float by_luck(float expected) {
  return expected + 4 * sqrtf(expected) + 1;
}

/// Whether runs of rows that are alike from digit `lowest` on are short, of n rows. Where keys have
/// such digits by chance, a part `by_chance` of all pairs of rows is alike. What the digits do not
/// show, a sample does; and of keys that are there many times, hardly any two may be alike.
__device__ __forceinline__ bool are_runs_short(const radix_sample_seen& sample, unsigned lowest,
                                               float by_chance, std::size_t n,
                                               const radix_demands& demands) {
  const float rows = static_cast<float>(n);
  const float all_pairs = sample.keys * sample.keys / static_cast<float>(2 * demands.samples);
  const float all_threes = all_pairs * sample.keys / static_cast<float>(3 * demands.samples);
  if (4 * sample.equal > sample.keys) return sample.pairs[lowest] == 0;  // it has most keys
  const float same_row = all_pairs / rows;  // pairs of a row and itself
  if (sample.equal > by_luck(same_row)) {
    const float keys = rows * same_row / sample.equal;
    return sample.pairs[lowest] == 0 && keys * keys * by_chance < 1.F / 16;
  }
  const float alike = demands.most_alike / rows;
  return by_chance <= alike && sample.pairs[lowest] <= by_luck(all_pairs * alike) &&
         sample.threes[lowest] <= by_luck(all_threes * alike * alike);
}

/// Plans passes by the upper digits alone, and a finish, where that is no more than all passes and
/// runs of rows that are alike in these digits are short. Whether it has. What the finish does not
/// see is done again by all passes.
__device__ __forceinline__ bool plan_finish(radix_control& control, unsigned passes,
                                            radix_demands demands, const radix_digits_seen& seen,
                                            std::size_t n, unsigned sampled) {
  unsigned all = 0;
  for (unsigned p = 0; p < passes; ++p) all += seen.constant[p] ? 0 : 1;
  const radix_sample_seen sample(control, passes, sampled);
  unsigned taken = 0, lowest = passes;
  float by_chance = 1;
  for (unsigned sorted = 1; taken == 0 && sorted < all && sorted <= demands.before_finish;
       ++sorted) {
    do {
      --lowest;
    } while (seen.constant[lowest]);
    by_chance *= seen.alike[lowest];
    const bool ends_right = !demands.in_place || (sorted + 1 + passes) % 2 == 0;
    if (ends_right && are_runs_short(sample, lowest, by_chance, n, demands)) {
      taken = sorted;
    }
  }
  if (taken == 0) return false;
  radix_route route{taken + 1, ends_in_spare(demands.in_place, passes)};
  unsigned number = 0;
  for (unsigned p = lowest; p < passes; ++p) {
    if (seen.constant[p]) continue;
    radix_step& step = control.step[number];
    step = route.next();
    step.digit = p;
    step.is_first = step.apart = number == 0;
    step.number = number++;
  }
  control.finish = route.next();
  control.finish.digit = lowest;
  control.finish.keeps_numbers = demands.in_place && demands.by_number;
  plan_all_passes(control, passes, demands, seen, demands.before_finish, number);
  return true;
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
