// Which kernel scans how many values: few are one wave of tiles (single_wave.cuh), of more, blocks
// take tile after tile (pipelined.cuh). Both read and write each value once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "warpfold/device/detail/scratch.cuh"
#include "warpfold/device/scan/pipelined.cuh"
#include "warpfold/device/scan/problem.cuh"
#include "warpfold/device/scan/single_wave.cuh"
#include "warpfold/environment.hpp"
#include "warpfold/operators.hpp"
#include "warpfold/tuning/scan.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Tiles of n values from the 16-byte boundary on, and blocks that take them.
template <class Shape, class T>
struct scan_grid {
  unsigned tiles, blocks;

  scan_grid(std::size_t n, unsigned multiprocessors) {
    tiles = pipelined_tiles<Shape, T>(n);
    const unsigned fit = multiprocessors * Shape::blocks_per_multiprocessor;
    blocks = tiles < fit ? tiles : fit;
  }
};

template <class T, class Acc>
inline constexpr bool is_bulky = (sizeof(T) > 16 || sizeof(Acc) > 16);

/// The shape where the threads carry the tiles in and out.
template <class T, class Acc>
using plain_scan_shape = std::conditional_t<is_bulky<T, Acc>, tuning::scan_bulky<sizeof(T)>,
                                            typename tuning::scan_shapes<sizeof(T)>::plain>;

/// Enough for any of the shapes: which one it is, the device and the addresses decide.
template <class T, class Acc>
constexpr std::size_t scan_bytes(std::size_t n) {
  const auto pipelined = [n]<class Shape>(Shape) {
    return tile_prefixes<Acc, Shape::totals_per_lane>::slots(n / pipelined_tile_items<Shape, T> +
                                                             2);
  };
  std::size_t slots = pipelined(plain_scan_shape<T, Acc>{});
  if constexpr (!is_bulky<T, Acc>) {
    using shapes = tuning::scan_shapes<sizeof(T)>;
    slots = std::max({slots, pipelined(typename shapes::middle{}),
                      pipelined(typename shapes::large{}), std::size_t{shapes::small_wave::threads},
                      std::size_t{shapes::wide_wave::threads}});
  }
  return tile_status::bytes<Acc>(slots);
}
template <class T, class Acc>
constexpr memory_size scan_memory(std::size_t n) {
  return {scan_bytes<T, Acc>(n), "the workspace is smaller than scan_workspace_bytes<T, Acc>(n)"};
}

template <class Shape, bool Bulk, class T, class Acc, class Op, class Size = host_size>
status launch_pipelined(const work_place& where, const scan_problem<T, Acc, Op>& problem,
                        Size size = {}) {
  const scan_grid<Shape, T> grid(problem.shift + problem.n, current_device().multiprocessors);
  const std::size_t slots = tile_prefixes<Acc, Shape::totals_per_lane>::slots(grid.tiles);
  const scratch memory(where, scan_memory<T, Acc>(problem.n),
                       grid.tiles == 1 ? 0 : tile_status::bytes<Acc>(slots));
  if (!memory.state().ok()) return memory.state();
  const launch_config config{.grid = grid.blocks,
                             .block = Shape::threads + warp_size,
                             .shared_bytes = sizeof(scan_storage<Shape, Acc>),
                             .stream = where.stream,
                             .programmatic_launch = true};
  if constexpr (std::is_same_v<Size, device_size>) {
    return try_launch(config, scan_pipelined_sized_kernel<Shape, Bulk, T, Acc, Op>, problem,
                      memory.status_words(), size);
  } else {
    return try_launch(config, scan_pipelined_kernel<Shape, Bulk, T, Acc, Op>, problem,
                      memory.status_words(), grid.tiles);
  }
}

template <class Shape, class T, class Acc, class Op, class Size = host_size>
status launch_single_wave(const work_place& where, const scan_problem<T, Acc, Op>& problem,
                          Size size = {}) {
  const std::size_t tiles = wave_tiles<Shape, T, Acc>(problem.shift + problem.n);
  const scratch memory(where, scan_memory<T, Acc>(problem.n),
                       tiles == 1 ? 0 : tile_status::bytes<Acc>(tiles));
  if (!memory.state().ok()) return memory.state();
  const launch_config config{.grid = static_cast<unsigned>(tiles),
                             .block = Shape::threads,
                             .stream = where.stream,
                             .programmatic_launch = true};
  if constexpr (std::is_same_v<Size, device_size>) {
    return try_launch(config, scan_single_wave_sized_kernel<Shape, T, Acc, Op>, problem,
                      memory.status_words(), size);
  } else {
    return try_launch(config, scan_single_wave_kernel<Shape, T, Acc, Op>, problem,
                      memory.status_words());
  }
}

/// Whether the device takes the tiles of n values at once, and a block has a thread for each.
template <class Shape, class T, class Acc>
bool in_one_wave(std::size_t n, unsigned multiprocessors) {
  const std::size_t tiles = wave_tiles<Shape, T, Acc>(n);
  return tiles <= Shape::threads && tiles <= multiprocessors * Shape::blocks_per_multiprocessor;
}

/// Whether a block of the device holds the tiles of the shape.
template <class Shape, class Acc>
bool takes_stages(const device_properties& device) {
  return sizeof(scan_storage<Shape, Acc>) <= device.shared_bytes;
}

/// For n values of T, counted from a 16-byte boundary: calls single_wave(shape) where few enough,
/// else pipelined(shape).
template <class T, class Acc, class SingleWave, class Pipelined>
auto with_scan_shape(std::size_t n, const device_properties& device, SingleWave single_wave,
                     Pipelined pipelined) {
  using shapes = tuning::scan_shapes<sizeof(T)>;
  if constexpr (is_bulky<T, Acc>) {
    return pipelined(tuning::scan_bulky<sizeof(T)>{});
  } else {
    using small = typename shapes::small_wave;
    using wide = typename shapes::wide_wave;
    using large = typename shapes::large;
    if (in_one_wave<small, T, Acc>(n, device.multiprocessors)) return single_wave(small{});
    if (in_one_wave<wide, T, Acc>(n, device.multiprocessors)) return single_wave(wide{});
    if (n * sizeof(T) > shapes::middle_bytes && takes_stages<large, Acc>(device)) {
      return pipelined(large{});
    }
    return pipelined(typename shapes::middle{});
  }
}

/// Blocks of a scan of values that start at a 16-byte boundary, by the copy engine if many.
template <class T, class Acc>
unsigned scan_blocks(std::size_t n, const device_properties& device) {
  return with_scan_shape<T, Acc>(
      n, device,
      [&]<class Shape>(Shape) { return static_cast<unsigned>(wave_tiles<Shape, T, Acc>(n)); },
      [&]<class Shape>(Shape) { return scan_grid<Shape, T>(n, device.multiprocessors).blocks; });
}

template <class T, class Acc, class Op, class Size = host_size>
status scan(const work_place& where, std::span<const T> in, T* out, std::size_t out_size,
            const scan_init<Acc, Op>& init, bool exclusive, Op op, Size size = {}) {
  if (out_size < in.size()) {
    return {1, "the output of a scan is shorter than its input", in.size(), out_size, "values"};
  }
  if (in.empty()) return {};
  scan_problem<T, Acc, Op> problem{in.data(), out, in.size(), 0, init, exclusive, op};
  const auto off = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16; };
  if constexpr (16 % sizeof(T) == 0) {
    if (off(in.data()) == off(out) && off(out) % sizeof(T) == 0) {
      problem.shift = static_cast<unsigned>(off(out) / sizeof(T));
      const device_properties device = current_device();
      return with_scan_shape<T, Acc>(
          problem.shift + problem.n, device,
          [&]<class Shape>(Shape) { return launch_single_wave<Shape>(where, problem, size); },
          [&]<class Shape>(Shape) {
            // The copy engine, where device and code have it, and the stages fit.
            return takes_stages<Shape, Acc>(device) &&
                           capability_of(scan_pipelined_kernel<Shape, true, T, Acc, Op>) >= 90
                       ? launch_pipelined<Shape, true>(where, problem, size)
                       : launch_pipelined<plain_scan_shape<T, Acc>, false>(where, problem, size);
          });
    }
  }
  return launch_pipelined<plain_scan_shape<T, Acc>, false>(where, problem, size);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
