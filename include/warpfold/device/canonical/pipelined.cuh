// Canonical scans (scan.cuh) with persistent blocks, as in scan/pipelined.cuh. The copy engine
// loads and stores tiles. The producer warp looks back for each tile's prefix. Requires
// capability 9.0 and 16-byte aligned values. Reads and writes n values once; two barriers a tile.
//
// A thread reads 2^k neighbouring words of 16 bytes. In the same order all lanes would hit few
// banks; so each lane has its own order. Two words a thread, 8 lanes that cover all 32 banks:
//
//   lane     0   1   2   3   4   5   6   7
//   first    a   a   a   a   b   b   b   b
//   second   b   b   b   b   a   a   a   a
#pragma once

#include <cstring>

#include "warpfold/device/canonical/scan.cuh"
#include "warpfold/device/scan/dispatch.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class Shape, class Acc>
struct canonical_storage : scan_stages<Shape> {
  using scan_stages<Shape>::unfinished;
  static constexpr unsigned warps = Shape::threads / warp_size;

  using group_end = typename tree_prefixes<Acc, Shape::totals_per_lane>::group_end;

  Acc tile_total[unfinished];
  Acc warp_total[unfinished][warps];
  group_end followed[unfinished];  // of tiles that end a group
  Acc begin[warps + 1];  // of the warps in the tile that is being finished, and the tile's end
};

/// `Bare`: the scan has no init.
template <class Shape, bool Bare, class T, class Acc, class Op>
struct canonical_worker : scan_block<Shape, true, T, Acc, Op, canonical_storage<Shape, Acc>> {
  using base = scan_block<Shape, true, T, Acc, Op, canonical_storage<Shape, Acc>>;
  using base::problem, base::shared, base::stage, base::tile_of;
  using typename base::storage, typename base::tile_type;
  using value_type = Acc;
  static constexpr unsigned items = tile_type::items, loads = Shape::loads;
  static_assert((loads & (loads - 1)) == 0, "nodes are powers of two");

  /// Leaves the warps' totals in shared memory.
  __device__ __forceinline__ Acc reduce(unsigned i) const {
    this->loaded(i).wait(i / Shape::stages % 2);
    T raw[items];
    read(raw, i);
    neighbour_nodes<items, Acc> nodes;
    lane_nodes<warp_size, Acc> lanes;
    const Acc total = lanes.reduce(reduce_mine(nodes, raw), problem.op);
    if (threadIdx.x % warp_size == 0) {
      shared.warp_total[i % storage::unfinished][threadIdx.x / warp_size] = total;
    }
    return total;
  }
  /// Publishes the tile's total.
  __device__ __forceinline__ void publish(unsigned i, const Acc&) const {
    if (threadIdx.x >= warp_size) return;
    const unsigned slot = i % storage::unfinished;
    lane_nodes<storage::warps, Acc> nodes;
    const Acc total =
        nodes.reduce(shared.warp_total[slot][threadIdx.x % storage::warps], problem.op);
    if (threadIdx.x > 0) return;
    shared.tile_total[slot] = total;
    if (this->tiles > 1) this->tile_state.publish(this->number_of(i), total, shared.epoch);
  }
  /// Forms the results in the tile's stage, or writes them where the tile is at the end.
  __device__ __forceinline__ void finish(unsigned i) const {
    const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    T raw[items];
    read(raw, i);
    neighbour_nodes<items, Acc> nodes;
    lane_nodes<warp_size, Acc> lanes;
    lanes.reduce(reduce_mine(nodes, raw), problem.op);
    const tree_begin<Acc> first =
        lanes.begin({shared.begin[warp], Bare && this->number_of(i) == 0 && warp == 0}, problem.op);
    tree_begin<Acc> value[items];
    nodes.begins(value, first, problem.op);
    Acc end = shuffle_down(first.value, 1);
    if (lane == warp_size - 1) end = shared.begin[warp + 1];
    Acc result[items];
#pragma unroll
    for (unsigned j = 0; j < items; ++j) {
      const Acc next = j + 1 < items ? value[j + 1 < items ? j + 1 : 0].value : end;
      result[j] = problem.exclusive ? value[j].value : next;
    }
    write(i, result);
  }

 private:
  __device__ __forceinline__ Acc reduce_mine(neighbour_nodes<items, Acc>& nodes,
                                             const T (&raw)[items]) const {
    Acc value[items];
#pragma unroll
    for (unsigned j = 0; j < items; ++j) value[j] = static_cast<Acc>(raw[j]);
    return nodes.reduce(value, problem.op);
  }
  /// The load that the lane takes first; then comes turn() ^ 1, turn() ^ 2, …
  static __device__ __forceinline__ unsigned turn() {
    return loads == 1 ? 0 : threadIdx.x * loads / 8 % loads;
  }
  /// From the order of the loads to that of the lane's turns, and back.
  static __device__ __forceinline__ void permute(uint4 (&word)[loads]) {
#pragma unroll
    for (unsigned bit = 1; bit < loads; bit *= 2) {
      const bool swaps = (turn() & bit) != 0;
#pragma unroll
      for (unsigned k = 0; k < loads; ++k) {
        if ((k & bit) != 0) continue;
        const uint4 low = word[k], high = word[k | bit];
        word[k] = swaps ? high : low;
        word[k | bit] = swaps ? low : high;
      }
    }
  }
  __device__ __forceinline__ uint4* words(unsigned i) const {
    return reinterpret_cast<uint4*>(stage(i)) + threadIdx.x * loads;
  }
  /// The thread's neighbours; what lies behind the last value is part of no result.
  __device__ __forceinline__ void read(T (&raw)[items], unsigned i) const {
    const tile_type tile = tile_of(i);
    if (tile.whole()) {
      uint4 word[loads];
#pragma unroll
      for (unsigned k = 0; k < loads; ++k) word[k] = words(i)[k ^ turn()];
      permute(word);
      memcpy(static_cast<void*>(raw), static_cast<const void*>(word), sizeof raw);
    } else {
      memset(static_cast<void*>(raw), 0, sizeof raw);
      tile.load_edge(raw, threadIdx.x);
    }
  }
  __device__ __forceinline__ void write(unsigned i, const Acc (&result)[items]) const {
    const tile_type tile = tile_of(i);
    if (!tile.whole()) {
      tile.store_edge(result, threadIdx.x);
      return;
    }
    T raw[items];
#pragma unroll
    for (unsigned j = 0; j < items; ++j) raw[j] = static_cast<T>(result[j]);
    uint4 word[loads];
    memcpy(static_cast<void*>(word), static_cast<const void*>(raw), sizeof raw);
    permute(word);
#pragma unroll
    for (unsigned k = 0; k < loads; ++k) words(i)[k ^ turn()] = word[k];
    fence_before_bulk_store();
  }
};

template <class Shape, bool Bare, class T, class Acc, class Op>
struct canonical_producer : scan_fetcher<Shape, true, T, Acc, Op, canonical_storage<Shape, Acc>> {
  using base = scan_fetcher<Shape, true, T, Acc, Op, canonical_storage<Shape, Acc>>;
  using base::problem, base::shared, base::tile_state, base::tiles;
  using typename base::storage;
  using prefixes_type = tree_prefixes<Acc, Shape::totals_per_lane>;

  /// Tile i has been published.
  __device__ __forceinline__ void follow(unsigned i) {
    const unsigned number = this->number_of(i), slot = i % storage::unfinished;
    if (this->is_single_tile() || !prefixes_type::ends_group(number)) return;
    const auto followed = prefixes_of().follow(number, shared.tile_total[slot], init(), problem.op);
    if (threadIdx.x % warp_size == 0) shared.followed[slot] = followed;
    __syncwarp();
  }
  /// Runs while the workers reduce a tile. Stores the prefix before each warp of tile i; tile i is
  /// finished next.
  __device__ __forceinline__ void look_back(unsigned i, bool leads) const {
    const unsigned slot = i % storage::unfinished, lane = threadIdx.x % warp_size;
    const unsigned number = this->number_of(i);
    const Acc total = shared.tile_total[slot];
    typename prefixes_type::group_end followed{total, total};
    if (prefixes_type::ends_group(number)) followed = shared.followed[slot];
    lane_nodes<storage::warps, Acc> nodes;
    nodes.reduce(shared.warp_total[slot][lane % storage::warps], problem.op);
    const tree_span<Acc> span =
        this->is_single_tile() ? tree_span<Acc>{init(), init().after(total, problem.op).value}
                               : prefixes_of().span(number, total, followed, init(), problem.op);
    if (lane < storage::warps) {
      shared.begin[lane] = nodes.begin(span.begin, problem.op).value;
    }
    if (leads) shared.begin[storage::warps] = span.end;
  }

 private:
  __device__ __forceinline__ tree_begin<Acc> init() const { return {problem.init, Bare}; }
  __device__ __forceinline__ prefixes_type prefixes_of() const {
    return {tile_state, shared.epoch, tiles};
  }
};

template <class Shape, bool Bare, class T, class Acc, class Op>
__global__ void __launch_bounds__(Shape::threads + warp_size,
                                  blocks_with_registers(Shape::threads + warp_size,
                                                        Shape::blocks_per_multiprocessor))
    canonical_pipelined_kernel(scan_problem<T, Acc, rounded_op<Op>> problem, tile_status tile_state,
                               unsigned tiles) {
  using rounded = rounded_op<Op>;
  using storage = canonical_storage<Shape, Acc>;
  const scan_block<Shape, true, T, Acc, rounded, storage> block{
      problem, tile_state, *dynamic_shared<storage>(), tiles, gridDim.x};
  scan_tiles<Shape, true, canonical_worker<Shape, Bare, T, Acc, rounded>,
             canonical_producer<Shape, Bare, T, Acc, rounded>>(block);
}

/// Whether a thread's values and what they are accumulated to fit its registers.
template <class T, class Acc, class Shape = tuning::canonical_scan_pipelined<sizeof(Acc)>>
inline constexpr bool fits_registers =
    16 % sizeof(T) == 0 && Shape::loads * 16 / sizeof(T) * sizeof(Acc) <= 64;

template <class T, class Acc, class Op, class Shape = tuning::canonical_scan_pipelined<sizeof(Acc)>>
bool takes_canonical_stages(const device_properties& device) {
  return sizeof(canonical_storage<Shape, Acc>) <= device.shared_bytes &&
         capability_of(canonical_pipelined_kernel<Shape, true, T, Acc, Op>) >= 90;
}

template <class T, class Acc, class Op, class Shape = tuning::canonical_scan_pipelined<sizeof(Acc)>>
status canonical_scan_pipelined(const work_place& where, const tree_scan<T, Acc, Op>& scan,
                                unsigned multiprocessors) {
  using prefixes = tree_prefixes<Acc, Shape::totals_per_lane>;
  const scan_grid<Shape, T> grid(scan.n, multiprocessors);
  const scratch memory(
      where,
      {tile_status::bytes<Acc>(canonical_scan_slots<T, Acc>(scan.n)), small_canonical_workspace},
      grid.tiles == 1 ? 0 : tile_status::bytes<Acc>(prefixes::slots(grid.tiles)));
  if (!memory.state().ok()) return memory.state();
  const scan_problem<T, Acc, rounded_op<Op>> problem{scan.in,         scan.out,       scan.n,   0,
                                                     scan.init.value, scan.exclusive, {scan.op}};
  const auto launch = [&](auto kernel) {
    return try_launch({.grid = grid.blocks,
                       .block = Shape::threads + warp_size,
                       .shared_bytes = sizeof(canonical_storage<Shape, Acc>),
                       .stream = where.stream,
                       .programmatic_launch = true},
                      kernel, problem, memory.status_words(), grid.tiles);
  };
  return scan.init.absent ? launch(canonical_pipelined_kernel<Shape, true, T, Acc, Op>)
                          : launch(canonical_pipelined_kernel<Shape, false, T, Acc, Op>);
}

template <class T, class Acc, class Op>
status canonical_scan(const work_place& where, std::span<const T> in, T* out, std::size_t out_size,
                      const tree_begin<Acc>& init, bool exclusive, Op op) {
  if (out_size < in.size()) {
    return {1, "the output of a scan is shorter than its input", in.size(), out_size, "values"};
  }
  if (in.empty()) return {};
  const auto off = [](const void* p) {
    return reinterpret_cast<std::uintptr_t>(p) % sizeof(vector_type<T>);
  };
  const bool wide = std::is_same_v<vector_type<T>, T> || (off(in.data()) == 0 && off(out) == 0);
  const tree_scan<T, Acc, Op> scan{in.data(), out, in.size(), init, exclusive, op, wide};
  if constexpr (sizeof(Acc) > 8 || sizeof(T) > 8) {
    return canonical_scan_as<tuning::canonical_scan_heavy>(where, scan);
  } else {
    const device_properties device = current_device();
    const std::size_t few =
        std::size_t{device.multiprocessors} * tree_tile<tuning::canonical_scan, T>::values;
    if (in.size() <= few) return canonical_scan_as<tuning::canonical_scan_small>(where, scan);
    if constexpr (fits_registers<T, Acc>) {
      if (wide && takes_canonical_stages<T, Acc, Op>(device)) {
        return canonical_scan_pipelined(where, scan, device.multiprocessors);
      }
    }
    return canonical_scan_as<tuning::canonical_scan>(where, scan);
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
