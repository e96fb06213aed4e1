// Shared by all rungs of the scan ladder: the description of a scan, and the scheme that extends a
// kernel for one tile a block to any number of values.
//   1. each tile is scanned, and its total kept   2. the totals are scanned, by the same scheme
//   3. each tile adds the total before it
// Reads and writes n values twice; the totals besides. The operator must be associative.
#pragma once

#include "ladder/counting_operator.cuh"
#include "ladder/launching.cuh"

namespace warpfold::ladder::scan_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T>
struct pass {
  const T* in;
  T* out;  // may be `in`
  std::size_t n;
  bool exclusive;
  ladder::shape shape;
  void* scratch;
  stream_type stream;
};

/// What a tile kernel is given: block b scans tile b.
template <class T>
struct tiles {
  const T* in;
  T* out;
  T* totals;  // one a tile; or nullptr: nobody wants them
  std::size_t n;
  bool exclusive;
};

/// Block b - 1 puts the prefix of tile b before each of its values.
template <class T, class Op>
__global__ void propagate_kernel(T* out, const T* prefixes, std::size_t n, unsigned tile, Op op) {
  const std::size_t first = (std::size_t{blockIdx.x} + 1) * tile;
  const std::size_t end = first + tile < n ? first + tile : n;
  const T prefix = prefixes[blockIdx.x + 1];
  for (std::size_t i = first + threadIdx.x; i < end; i += blockDim.x) out[i] = op(prefix, out[i]);
}

/// Scans any number of values with a tile kernel. Returns the number of launches.
template <class T, class Op>
unsigned scan_by_tiles(const pass<T>& p, unsigned tile, std::size_t shared_bytes,
                       void (*kernel)(tiles<T>, Op)) {
  const unsigned count = tiles_of(p.n, tile);
  T* const totals = count > 1 ? static_cast<T*>(p.scratch) : nullptr;
  launch({.grid = count, .block = p.shape.block, .shared_bytes = shared_bytes, .stream = p.stream},
         kernel, tiles<T>{p.in, p.out, totals, p.n, p.exclusive}, Op{});
  if (count == 1) return 1;
  const unsigned launches = scan_by_tiles<T, Op>({.in = totals,
                                                  .out = totals,
                                                  .n = count,
                                                  .exclusive = true,
                                                  .shape = p.shape,
                                                  .scratch = totals + count,
                                                  .stream = p.stream},
                                                 tile, shared_bytes, kernel);
  launch({.grid = count - 1, .block = p.shape.block, .stream = p.stream}, propagate_kernel<T, Op>,
         p.out, totals, p.n, tile, Op{});
  return launches + 2;
}

/// Memory for the totals of all levels.
constexpr std::size_t totals_bytes(std::size_t n, std::size_t tile, std::size_t value_bytes) {
  std::size_t totals = 0;
  for (n = ceil_div(n, tile); n > 1; n = ceil_div(n, tile)) totals += n;
  return totals * value_bytes;
}

/// How often scan_by_tiles applies the operator, with a tile kernel that does `of_tile` times.
constexpr double work_by_tiles(std::size_t n, std::size_t tile, double of_tile) {
  const std::size_t count = tiles_of(n, tile);
  const double work = static_cast<double>(count) * of_tile;
  if (count == 1) return work;
  return work + static_cast<double>(n - tile) + work_by_tiles(count, tile, of_tile);
}

/// block_scan: Hillis and Steele's steps in every warp, and in the first one again, then each warp
/// but the first takes on what is before it.
constexpr double work_of_block_scan(unsigned block) {
  constexpr double in_warp = 31 + 30 + 28 + 24 + 16;
  return in_warp * (block / 32 + 1) + (block - 32.0);
}

/// A rung whose tile has `PerThread` values a thread.
template <unsigned PerThread>
struct by_tiles {
  static unsigned tile(const shape& s) { return PerThread * s.block; }
  static unsigned grid(const shape& s) { return tiles_of(s.n, tile(s)); }
  static std::size_t scratch_bytes(const shape& s) {
    return totals_bytes(s.n, tile(s), s.value_bytes);
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::scan_ladder
