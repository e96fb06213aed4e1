// Adds up the lengths of segments, in one pass: ends[i] is where segment i ends in the sequence of
// all segments' values. A wrong segment counts as empty. Reads a length, or a begin and an end, and
// writes 8 bytes for each segment; three barriers a tile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/bounds.hpp"
#include "warpfold/device/detail/striped_tile.cuh"
#include "warpfold/tuning/segments.hpp"
#include "warpfold/warp/redux.cuh"
#include "warpfold/warp/scan.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Of segments that lie within n values.
template <class Length>
struct listed_lengths {
  static_assert(std::is_integral_v<Length>, "lengths are integers");
  const Length* lengths;
  std::size_t n;

  /// False where it is longer than the range.
  __device__ __forceinline__ bool load(std::size_t i, std::uint64_t& length) const {
    length = static_cast<std::uint64_t>(lengths[i]);
    return length <= n;
  }
};
template <class Begin, class End>
struct lengths_between {
  static_assert(std::is_integral_v<Begin> && std::is_integral_v<End>,
                "begins and ends are integers");
  const Begin* begins;
  const End* ends;
  std::size_t n;

  /// False where a segment ends before it begins or leaves the range.
  __device__ __forceinline__ bool load(std::size_t i, std::uint64_t& length) const {
    const auto begin = static_cast<std::uint64_t>(begins[i]);
    const auto end = static_cast<std::uint64_t>(ends[i]);
    length = end - begin;
    return begin <= end && end <= n;
  }
};

/// Sums stop at a number that no range has values for.
struct bounded_plus {
  template <class T>
  __device__ T operator()(T a, T b) const {
    constexpr T most = T{1} << 62;
    return a + b < most ? a + b : most;
  }
  template <class T>
  __device__ static T identity() {
    return 0;
  }
};

template <class Lengths>
struct ends_problem {
  Lengths lengths;
  value_count count;
  std::uint64_t* ends;
  std::size_t* refused;  // wrong segments are added to it, if that is to be counted
};

struct ends_storage {
  using shape = tuning::segment_ends_shape;
  std::uint64_t warp_total[shape::threads / warp_size];
  tile_queue::storage queue;
  block_look_back<std::uint64_t, shape::threads>::storage look_back;
};

/// Of one tile; the number of this thread's segments that are wrong.
template <class Lengths>
__device__ __forceinline__ unsigned store_ends(const ends_problem<Lengths>& problem, std::size_t n,
                                               const tile_queue& queue, const dynamic_id& id,
                                               ends_storage& shared) {
  using shape = ends_storage::shape;
  using look_back_type = block_look_back<std::uint64_t, shape::threads>;
  constexpr unsigned warps = shape::threads / warp_size;
  constexpr bounded_plus op;
  const striped_tile<shape> tile(n, id.number);
  const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  unsigned wrong = 0;
  std::uint64_t length[shape::items] = {};
  tile.for_each([&](unsigned k) {
    if (problem.lengths.load(tile.base + tile.place(k), length[k])) return;
    length[k] = 0;
    ++wrong;
  });
  std::uint64_t sum = 0;
#pragma unroll
  for (unsigned k = 0; k < shape::items; ++k) {
    length[k] = op(sum, warp_inclusive_scan(length[k], op));
    sum = shuffle(length[k], warp_size - 1);
  }
  if (lane == 0) shared.warp_total[warp] = sum;
  __syncthreads();
  const std::uint64_t totals =
      scan_lanes<warps>(lane < warps ? shared.warp_total[lane] : std::uint64_t{0}, op);
  const std::uint64_t total = shuffle(totals, warps - 1);
  std::uint64_t before = shuffle(totals, warp == 0 ? 0 : warp - 1);
  if (warp == 0) before = 0;
  if (!queue.is_single_tile()) {
    const look_back_type look_back{queue.state, shared.look_back, id.epoch, false};
    if (threadIdx.x == 0) look_back.publish_total(id.number, total);
    look_back.wait(id.number, look_back.peek(id.number), op);
    __syncthreads();
    before = op(look_back.prefix(id.number, total, op), before);
  }
  tile.for_each(
      [&](unsigned k) { problem.ends[tile.base + tile.place(k)] = op(before, length[k]); });
  return wrong;
}

template <class Lengths>
__global__ void __launch_bounds__(ends_storage::shape::threads)
    segment_ends_kernel(ends_problem<Lengths> problem, tile_status state) {
  auto& shared = shared_storage<ends_storage>();
  wait_for_primary();
  trigger_dependents();
  const std::size_t n = problem.count.load();
  const tile_queue queue{
      state, shared.queue,
      n == 0 ? 1U : static_cast<unsigned>((n - 1) / ends_storage::shape::values + 1)};
  unsigned wrong = 0;
  dynamic_id id{~0U, 0};
  while (true) {
    if (threadIdx.x == 0) shared.queue.next = queue.acquire(id.number);
    __syncthreads();
    id = shared.queue.next;
    if (id.number >= queue.tiles) break;
    wrong += store_ends(problem, n, queue, id, shared);
    __syncthreads();
  }
  wrong = warp_reduce(wrong, plus{}, by_redux{});
  if (threadIdx.x % warp_size == 0 && wrong != 0 && problem.refused != nullptr) {
    atomicAdd(reinterpret_cast<unsigned long long*>(problem.refused),
              static_cast<unsigned long long>(wrong));
  }
  queue.leave(id.epoch);
}

/// Status words for the lengths of so many segments.
constexpr std::size_t segment_ends_bytes(std::size_t segments) {
  using shape = ends_storage::shape;
  return tile_status::bytes<std::uint64_t>(
      block_look_back<std::uint64_t, shape::threads>::slots(segments / shape::values + 1));
}

template <class Lengths>
status store_segment_ends(const work_place& where, const ends_problem<Lengths>& problem) {
  using shape = ends_storage::shape;
  const std::size_t n = problem.count.n;
  const std::size_t tiles = n == 0 ? 1 : (n - 1) / shape::values + 1;
  const std::size_t most =
      std::size_t{current_device().multiprocessors} * shape::blocks_per_multiprocessor;
  return try_launch({.grid = static_cast<unsigned>(at_most(tiles, most)),
                     .block = shape::threads,
                     .stream = where.stream,
                     .programmatic_launch = true},
                    segment_ends_kernel<Lengths>, problem,
                    tiles == 1 ? tile_status{} : tile_status::in(where.data, where.bytes));
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
