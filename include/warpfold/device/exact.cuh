// Exact sums in one launch. Threads add their values to bins of their own (exact/bins.hpp); a block
// adds these up in whole numbers and tells its digits to the block that started last, which adds
// those and rounds. Only whole numbers are ever added in an order that could vary, so the result is
// the same for every shape, grid and device.
// Reads n values once; two barriers a block and two for each `most_adds` values of a thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "warpfold/device/reduce.cuh"
#include "warpfold/exact/accumulator.hpp"
#include "warpfold/exact/bins.hpp"
#include "warpfold/tuning/exact.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// A thread's share goes to its bins, not to a value that is returned.
template <class T, unsigned Threads>
struct into_bins {
  using bins = exact_bins<T>;

  __device__ __forceinline__ void accumulate(typename bins::rest& rest, T value,
                                             std::size_t) const {
    bins::template add<Threads>(rest, dynamic_shared<typename bins::word>() + threadIdx.x, value);
  }
};
struct no_rest {
  static constexpr bool commutative = true;
  template <class Rest>
  __device__ static Rest identity() {
    return {};
  }
};
template <class T, unsigned Threads>
using binning = reduction<T, typename exact_bins<T>::rest, no_rest, into_bins<T, Threads>>;

/// Digits that a block hands over, and after them what it has seen.
template <class T>
inline constexpr unsigned told_digits = exact_bins<T>::count / exact_bins<T>::per_digit + 1;
template <class T>
inline constexpr unsigned told_words = told_digits<T> + 1;

template <class T>
struct exact_storage {
  std::int64_t low[exact_bins<T>::count], high[exact_bins<T>::count];
  std::int64_t total[told_words<T>];
  std::uint32_t seen;
  block_role role;
};

/// `pieces` stretches of which all but the last are alike; what the result starts from, and where
/// it goes: either place may be null.
template <class T, unsigned Threads>
struct exact_job {
  binning<T, Threads> each, last;
  std::size_t pieces, stride;
  T init;
  bool has_init;
  T* out;
  exact_accumulator<T>* sum;
};

/// Adds all threads' bins to the block's and empties them.
template <unsigned Threads, class T>
__device__ void empty_bins(exact_storage<T>& shared) {
  using bins = exact_bins<T>;
  auto* const words = dynamic_shared<typename bins::word>();
  const unsigned lane = threadIdx.x % warp_size;
  std::uint32_t seen = 0;
  __syncthreads();
  for (unsigned bin = threadIdx.x / warp_size; bin < bins::count; bin += Threads / warp_size) {
    digit_pair all{0, 0};
    for (unsigned t = lane; t < Threads; t += warp_size) {
      const auto word = words[bin * Threads + t];
      words[bin * Threads + t] = bins::empty;
      seen |= bins::seen_in(word);
      const digit_pair mine = bins::digits_of(word, bin);
      all.low += mine.low;
      all.high += mine.high;
    }
    all.low = warp_reduce(all.low, plus{});
    all.high = warp_reduce(all.high, plus{});
    if (lane == 0) {
      shared.low[bin] += all.low;
      shared.high[bin] += all.high;
    }
  }
  if (seen != 0) atomicOr(&shared.seen, seen);
  __syncthreads();
}

/// Digit `d` of the block's sum; what was seen, as the last of all.
template <class T>
__device__ std::int64_t told_word(const exact_storage<T>& shared, unsigned d) {
  using bins = exact_bins<T>;
  if (d == told_digits<T>) return shared.seen;
  std::int64_t digit = 0;
  for (unsigned k = 0; k < bins::per_digit; ++k) {
    const unsigned bin = d * bins::per_digit + k;
    if (bin < bins::count) digit += shared.low[bin];
    if (d > 0 && bin - bins::per_digit < bins::count) digit += shared.high[bin - bins::per_digit];
  }
  return digit;
}

/// All blocks' words, by digit, into shared.total.
template <unsigned Threads, class T>
__device__ void gather(exact_storage<T>& shared, const mailbox& box, std::uint32_t tag) {
  constexpr unsigned words = told_words<T>, at_once = 4;
  constexpr unsigned groups = Threads < words ? 1 : Threads / words;
  auto* const part =
      reinterpret_cast<std::int64_t*>(dynamic_shared<typename exact_bins<T>::word>());
  const auto join = [](unsigned d, std::int64_t a, std::int64_t b) {
    return d == told_digits<T> ? a | b : a + b;
  };
  for (unsigned i = threadIdx.x; i < groups * words; i += Threads) {
    const unsigned d = i % words;
    std::int64_t sum = 0;
    for (unsigned first = i / words; first < gridDim.x; first += groups * at_once) {
      std::int64_t word[at_once] = {};
      box.wait(
          word, tag, [=](unsigned k) { return (first + k * groups) * words + d; },
          [=](unsigned k) { return first + k * groups < gridDim.x; });
      for (unsigned k = 0; k < at_once; ++k) sum = join(d, sum, word[k]);
    }
    part[i] = sum;
  }
  __syncthreads();
  for (unsigned d = threadIdx.x; d < words; d += Threads) {
    std::int64_t sum = 0;
    for (unsigned g = 0; g < groups; ++g) sum = join(d, sum, part[g * words + d]);
    shared.total[d] = sum;
  }
  __syncthreads();
}

template <class Shape, class T>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor)
    exact_kernel(exact_job<T, Shape::threads> job, mailbox box) {
  using bins = exact_bins<T>;
  constexpr unsigned threads = Shape::threads;
  auto& shared = shared_storage<exact_storage<T>>();
  const bool alone = gridDim.x == 1;
  ticket taken{0, 0};
  if (!alone && threadIdx.x == 0) taken = box.take();  // comes in while the values do
  auto* const column = dynamic_shared<typename bins::word>() + threadIdx.x;
  for (unsigned b = 0; b < bins::count; ++b) column[b * threads] = bins::empty;
  for (unsigned b = threadIdx.x; b < bins::count; b += threads) shared.low[b] = shared.high[b] = 0;
  if (threadIdx.x == 0) shared.seen = 0;
  std::uint32_t seen = 0;
  for (std::size_t piece = 0; piece < job.pieces; ++piece) {
    auto r = piece + 1 < job.pieces ? job.each : job.last;
    r.in += piece * job.stride;
    seen |= bins::seen_by(fold_share<Shape::loads>(r));
    empty_bins<threads>(shared);
  }
  if (seen != 0) atomicOr(&shared.seen, seen);
  if (threadIdx.x == 0) shared.role = {taken.tag, taken.number == gridDim.x - 1};
  __syncthreads();
  const auto [tag, is_last] = shared.role;
  for (unsigned d = threadIdx.x; d < told_words<T>; d += threads) {
    const std::int64_t word = told_word(shared, d);
    if (alone) {
      shared.total[d] = word;
    } else {
      box.tell(std::size_t{blockIdx.x} * told_words<T> + d, word, tag);
    }
  }
  if (alone) {
    __syncthreads();
  } else {
    if (is_last) gather<threads>(shared, box, tag);
    box.leave(tag, is_last);
    if (!is_last) return;
  }
  if (threadIdx.x == 0) {
    exact_state<T> state;
    for (unsigned d = 0; d < told_digits<T>; ++d) state.sum.digit[d] = shared.total[d];
    state.sum.carry();
    state.terms = static_cast<std::uint32_t>(shared.total[told_digits<T>]);
    if (job.last.n > 0) state.terms |= seen::minus_zero;  // unless a number was seen, all were
    if (job.has_init) state.add(job.init);
    if (job.out != nullptr) *job.out = state.template quotient<T>(1);
    if (job.sum != nullptr) *job.sum = exact_accumulator<T>(state);
  }
}

template <class T>
struct exact_request {
  const T* in;
  std::size_t n;
  T init;
  bool has_init;
  T* out;
  exact_accumulator<T>* sum;
};

template <class Shape, class T>
status launch_exact_as(const device_execution& where, const exact_request<T>& request) {
  using bins = exact_bins<T>;
  constexpr unsigned threads = Shape::threads;
  // A thread adds its share of a piece, and one turn and two values more where parts don't divide.
  constexpr unsigned extra = 2 * Shape::loads * per_load<T> + 4;
  constexpr std::size_t adds = std::min(Shape::most_adds, bins::most_adds) - extra;
  const std::size_t share = std::size_t{threads} * Shape::loads * per_load<T>;
  const unsigned fit = current_device().multiprocessors * Shape::blocks_per_multiprocessor;
  const auto blocks = static_cast<unsigned>(std::clamp<std::size_t>(
      (request.n + share - 1) / share, 1, std::min(fit, tuning::exact_blocks)));
  const std::size_t stride = std::size_t{blocks} * threads * (adds / 16 * 16);
  const std::size_t pieces = request.n == 0 ? 1 : (request.n - 1) / stride + 1;
  const auto part = [&](std::size_t n) {
    binning<T, threads> r{request.in, n, nullptr, {}, {}, {}};
    r.part(blocks, threads * Shape::loads);
    return r;
  };
  const exact_job<T, threads> job{part(stride), part(request.n - (pieces - 1) * stride),
                                  pieces,       stride,
                                  request.init, request.has_init,
                                  request.out,  request.sum};
  return try_launch({.grid = blocks,
                     .block = threads,
                     .shared_bytes = bins::count * threads * sizeof(typename bins::word),
                     .stream = where.stream()},
                    exact_kernel<Shape, T>, job,
                    mailbox::in(where.memory().data, where.memory().bytes));
}

template <class T>
status launch_exact(const device_execution& where, const exact_request<T>& request) {
  using small = tuning::exact_small<T>;
  if (request.n * sizeof(T) <= small::at_most_bytes) return launch_exact_as<small>(where, request);
  return launch_exact_as<tuning::exact_large<T>>(where, request);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
