// One-pass fed by the copy engine: one thread asks for a tile at a time, up to four tiles ahead;
// the block reduces the tile that has come, from shared memory. Reads n by bulk copies, writes and
// reads one value a block; one barrier a tile; 4 tiles of 64 bytes a thread and a barrier each in
// shared memory. The operator must be commutative. Source: beyond the documents (bulk copies came
// with Hopper).
#pragma once

#include "ladder/reduce/last_block.cuh"
#include "ladder/reduce/wide_loads.cuh"
#include "ladder/reduce/work.cuh"

namespace warpfold::ladder::reduce_ladder {
inline namespace WARPFOLD_MACHINE {

inline constexpr unsigned stages = 4;
inline constexpr unsigned tile_bytes_per_thread = 32;

struct stage_barriers {
  copy_barrier of_stage[stages];
};

template <class T, class Op>
__global__ void bulk_copy_kernel(const T* in, T* out, std::size_t n, Op op, tickets<T> scratch) {
  constexpr unsigned per_word = sizeof(uint4) / sizeof(T);
  auto* const tiles = dynamic_shared<uint4>();
  auto& arrived = shared_storage<stage_barriers>();
  const unsigned words_per_tile = blockDim.x * (tile_bytes_per_thread / sizeof(uint4));
  const unsigned tile_bytes = blockDim.x * tile_bytes_per_thread;

  // Whole tiles start at the first 16-byte boundary; what is left over goes one by one.
  const std::size_t skipped = (16 - reinterpret_cast<std::uintptr_t>(in) % 16) % 16 / sizeof(T);
  const std::size_t head = skipped < n ? skipped : n;
  const std::size_t tiles_in_all = (n - head) / per_word / words_per_tile;
  const T* const body = in + head;
  const std::size_t tail = head + tiles_in_all * words_per_tile * per_word;
  const auto copy_tile = [&](std::size_t tile, unsigned stage) {
    arrived.of_stage[stage].expect(tile_bytes);
    arrived.of_stage[stage].copy(tiles + static_cast<std::size_t>(stage * words_per_tile),
                                 body + tile * words_per_tile * per_word, tile_bytes);
  };

  if (threadIdx.x == 0) {
    for (auto& b : arrived.of_stage) b.init();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned s = 0; s < stages; ++s) {
      const std::size_t tile = blockIdx.x + std::size_t{s} * gridDim.x;
      if (tile < tiles_in_all) copy_tile(tile, s);
    }
  }

  T value = Op::template identity<T>();
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t me = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (me < head) value = op(value, in[me]);
  for (std::size_t i = tail + me; i < n; i += threads) value = op(value, in[i]);

  unsigned stage = 0;
  unsigned parity = 0;
  for (std::size_t tile = blockIdx.x; tile < tiles_in_all; tile += gridDim.x) {
    arrived.of_stage[stage].wait(parity);
    const uint4* const words = tiles + static_cast<std::size_t>(stage * words_per_tile);
    for (unsigned i = threadIdx.x; i < words_per_tile; i += blockDim.x) {
      const uint4 word = words[i];  // one 16-byte access
      value = reduce_vector(value, word, op);
    }
    __syncthreads();  // all have read the stage: it may be filled again
    const std::size_t ahead = tile + std::size_t{stages} * gridDim.x;
    if (threadIdx.x == 0 && ahead < tiles_in_all) copy_tile(ahead, stage);
    stage = (stage + 1) % stages;
    if (stage == 0) parity ^= 1;
  }

  const auto reduce_warp = [op](T v) { return warp_reduce(v, op); };
  value = block_reduce(value, op, reduce_warp);
  reduce_in_last_block(value, out, scratch, blockIdx.x, gridDim.x, op, reduce_warp);
}

/// As many blocks as fit with their tiles.
struct bulk_grid {
  static unsigned grid(const shape& s) {
    constexpr unsigned shared_bytes_per_processor = 220 * 1024;
    const unsigned fit = shared_bytes_per_processor / (stages * tile_bytes_per_thread * s.block);
    const unsigned resident = s.processors * std::max(1U, std::min(fit, 2048 / s.block));
    return std::min(resident, wide_grid::grid(s));
  }
};

struct bulk_copy : one_launch<bulk_grid> {
  static constexpr description about{
      .number = 22,
      .name = "bulk-copy",
      .idea = "the copy engine fills shared memory four tiles ahead; threads only add",
      .improves = "load instructions and the registers that wait for them",
      .evidence = {{{figure::load_requests, 0, 0.01}}},
      .also = "the bytes come by bulk copies",
      .source = "beyond the documents; bulk copies came with Hopper (2022)",
      .compared_with = 20,
      .capability = 90};

  static double work(const shape& s) { return work_in_one_launch(s, grid(s), grid(s)); }

  template <class T, class Op>
  static void run(const pass<T>& p) {
    launch({.grid = p.grid,
            .block = p.block,
            .shared_bytes = std::size_t{stages} * tile_bytes_per_thread * p.block,
            .stream = p.stream},
           bulk_copy_kernel<T, Op>, p.in, p.out, p.n, Op{}, tickets<T>{p.scratch});
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::reduce_ladder
