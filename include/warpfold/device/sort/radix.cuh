// A radix sort, from the lowest digit: one launch counts all digits, then each pass moves every row
// to the place of its digit. Stable; for keys in the order of their bits. Where the upper digits
// tell most keys apart, passes by these and a finish among neighbours do (radix_finish.cuh).
#pragma once

#include <algorithm>
#include <cstddef>

#include "warpfold/device/sort/radix_count.cuh"
#include "warpfold/device/sort/radix_finish.cuh"
#include "warpfold/device/sort/radix_pass.cuh"
#include "warpfold/device/sort/radix_plan.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// One pass over all rows, a launch for each portion.
template <class Shape, class Rows>
status radix_pass(const Rows& rows, std::size_t n, const radix_memory& memory, radix_range range,
                  unsigned launched, stream_type stream) {
  using shared = radix_pass_shared<Shape, Rows>;
  constexpr std::size_t most = Shape::portion;
  radix_portion portion{0, 0, 0, 0, static_cast<unsigned>((n - 1) / most + 1)};
  for (; portion.begin < n; portion.begin += most, ++portion.number) {
    portion.rows = static_cast<unsigned>(std::min(n - portion.begin, most));
    portion.tiles = radix_memory::tiles<Shape>(portion.rows);
    const status s =
        try_launch({.grid = portion.tiles,
                    .block = Shape::threads + radix_look_back_threads,
                    .shared_bytes = sizeof(shared),
                    .stream = stream,
                    .programmatic_launch = true},
                   radix_pass_kernel<Shape, Rows>, rows, portion, memory, range, launched);
    if (!s.ok()) return s;
  }
  return {};
}

/// Sorts by the bits in `range`, which are some. Where values are numbers, there is room for
/// these in `out` and `spare`, and nothing in `in`.
template <class Shape, class Finish = tuning::radix_finish<0>, class K, class V, class Order,
          class Along = as_it_is>
status radix_sort(const sort_buffers<K, V>& rows, std::size_t n, void* work, radix_range range,
                  const Order& order, stream_type stream, const Along& along = {}) {
  static_assert(!Along::to_own_place || Shape::ranking == tuning::radix_ranking::by_votes,
                "a whole warp copies items");
  const auto memory = radix_memory::in<Shape>(work, n);
  const radix_rows<Shape, Order, V, Along> moved(rows, n, *memory.control, order, along);
  const unsigned multiprocessors = current_device().multiprocessors;
  const bool in_place = rows.in_place();
  const auto blocks = [&](std::size_t rows_each, unsigned most) {
    return static_cast<unsigned>(std::min<std::size_t>((n - 1) / rows_each + 1, most));
  };
  status state = try_launch(
      {.grid = blocks(8192, multiprocessors), .block = radix_clear_threads, .stream = stream},
      radix_clear_kernel<radix_clear_threads>, memory);
  if (!state.ok()) return state;
  const unsigned passes = range.passes();
  const bool may_finish = Finish::can && n >= Finish::from && n <= Shape::portion && passes > 2;
  const unsigned samples = may_finish ? Finish::samples : 0;
  const unsigned before_finish = may_finish ? std::min(passes - 1, Finish::most_passes) : 0;
  state = try_launch(
      {.grid =
           blocks(16 * radix_count_threads, radix_count_blocks<Order> * multiprocessors) + samples,
       .block = radix_count_threads,
       .stream = stream,
       .programmatic_launch = true},
      radix_count_kernel<Finish::can, Order>, rows.in.keys, n, range, memory.control,
      radix_demands{in_place, Along::by_number, before_finish, Finish::most_alike, samples}, order);
  const auto launch_passes = [&](unsigned from, unsigned to) {
    for (; state.ok() && from < to; ++from) {
      state = radix_pass<Shape>(moved, n, memory, range, from, stream);
    }
  };
  launch_passes(0, before_finish);
  if constexpr (Finish::can) {
    if (state.ok() && may_finish) {
      state = try_launch({.grid = blocks(Finish::rows, ~0U),
                          .block = Finish::threads,
                          .stream = stream,
                          .programmatic_launch = true},
                         radix_finish_kernel<Finish, radix_rows<Shape, Order, V, Along>>, moved, n,
                         memory, range);
    }
  }
  launch_passes(before_finish, before_finish + passes);
  if (!state.ok() || !ends_in_spare(in_place, passes)) return state;
  if constexpr (Along::by_number) return bring_back(keys_of(rows), n, stream);
  return bring_back(rows, n, stream);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
