// A grid that just fills the machine: each block reduces its chunk, the chunks' totals are scanned,
// and each block scans its chunk with what came before it.
// Reads n values twice, writes them once; 3.5n applications; three barriers a tile; block * 66
// bytes of shared memory. Any associative operator. Source: beyond the documents.
#pragma once

#include "ladder/scan/06_scan_then_propagate.cuh"

namespace warpfold::ladder::scan_ladder {
inline namespace WARPFOLD_MACHINE {

/// Block b leaves the total of chunk b. Each warp reduces its own share of the chunk.
template <class T, class Op>
__global__ void chunk_totals_kernel(const T* in, T* totals, std::size_t n, std::size_t chunk,
                                    Op op) {
  auto& shared = shared_storage<block_scan_storage<T>>();
  register_tile<T> tile;
  const unsigned lane = threadIdx.x % warp_size;
  const unsigned warp = threadIdx.x / warp_size;
  const unsigned warps = blockDim.x / warp_size;
  const std::size_t share = chunk / warps;
  const std::size_t begin = blockIdx.x * chunk + warp * share;
  T total = Op::template identity<T>();
  for (std::size_t first = begin; first < begin + share && first < n; first += tile.per_warp) {
    tile.load(in, first, n, Op::template identity<T>());
    const T sum = warp_reduce(tile.reduce(op), op, in_lane_order{});
    if (lane == 0) total = op(total, sum);
  }
  if (lane == 0) shared.totals[warp] = total;
  __syncthreads();
  if (warp > 0) return;
  total = lane < warps ? shared.totals[lane] : Op::template identity<T>();
  total = warp_reduce(total, op, in_lane_order{});
  if (lane == 0) totals[blockIdx.x] = total;
}

/// Block b scans chunk b, tile after tile, `prefixes[b]` before the first value.
template <class T, class Op>
__global__ void scan_chunks_kernel(tiles<T> t, const T* prefixes, std::size_t chunk, Op op) {
  register_tile<T> tile;
  const std::size_t begin = blockIdx.x * chunk;
  T before = prefixes != nullptr ? prefixes[blockIdx.x] : Op::template identity<T>();
  for (std::size_t base = begin; base < begin + chunk && base < t.n;
       base += tile.tile(blockDim.x)) {
    const std::size_t first = base + threadIdx.x / warp_size * tile.per_warp;
    tile.load(t.in, first, t.n, Op::template identity<T>());
    const auto threads = block_scan(tile.reduce(op), op);
    tile.scan(op(before, threads.exclusive), t.exclusive, op);
    tile.store(t.out, first, t.n);
    before = op(before, threads.total);
    __syncthreads();  // block_scan's slots
  }
}

struct reduce_then_scan {
  static constexpr description about{
      .number = 7,
      .name = "reduce-then-scan",
      .idea = "the first pass only reduces, so it writes a few totals and not n values",
      .improves = "one of the two writes of every value",
      .evidence = {{{figure::bytes_moved, 0.6, 0.9}}},
      .source = "beyond the documents"};

  /// Values a block takes: whole tiles, so many that one wave of blocks does all.
  static std::size_t chunk(const shape& s) {
    const unsigned tile = scan_then_propagate::tile(s);
    return ceil_div(tiles_of(s.n, tile), resident_blocks(s)) * tile;
  }
  static unsigned grid(const shape& s) { return tiles_of(s.n, chunk(s)); }
  static std::size_t scratch_bytes(const shape& s) {
    const unsigned tile = scan_then_propagate::tile(s);
    return grid(s) * s.value_bytes + totals_bytes(grid(s), tile, s.value_bytes);
  }

  /// The totals: by warp, 32 reductions and one of these. Then tiles as in scan-then-propagate,
  /// where each thread takes on what is before its tile, and its tile.
  static double work(const shape& s) {
    const unsigned per_warp = scan_then_propagate::tile(s) / (s.block / 32);
    const double tiles = tiles_of(s.n, scan_then_propagate::tile(s));
    const double scans = tiles * (scan_then_propagate::work_of_tile(s) + 2.0 * s.block);
    if (grid(s) == 1) return scans;
    const double totals = static_cast<double>(ceil_div(s.n, per_warp)) * per_warp + grid(s) * 31.0;
    shape of_totals = s;
    of_totals.n = grid(s);
    return totals + scan_then_propagate::work(of_totals) + scans;
  }

  template <class T, class Op>
  static unsigned run(const pass<T>& p) {
    const launch_config config{.grid = grid(p.shape),
                               .block = p.shape.block,
                               .shared_bytes = register_tile<T>::shared_bytes(p.shape.block),
                               .stream = p.stream};
    const std::size_t each = chunk(p.shape);
    T* const totals = config.grid > 1 ? static_cast<T*>(p.scratch) : nullptr;
    unsigned launches = 1;
    if (totals != nullptr) {
      launch(config, chunk_totals_kernel<T, Op>, p.in, totals, p.n, each, Op{});
      pass<T> of_totals = p;
      of_totals.in = of_totals.out = totals;
      of_totals.n = config.grid;
      of_totals.exclusive = true;
      of_totals.scratch = totals + config.grid;
      launches += 1 + scan_then_propagate::run<T, Op>(of_totals);
    }
    launch(config, scan_chunks_kernel<T, Op>, tiles<T>{p.in, p.out, nullptr, p.n, p.exclusive},
           totals, each, Op{});
    return launches;
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::scan_ladder
