// Reduces the values of each group without a sort, where the keys are integers of a small range:
// each warp has a table in shared memory with an entry a key, its slot.
//
//   tables    a warp takes 32 neighbouring rows at a time, in their order: lanes with equal keys
//             join, the first of them joins the result to the warp's entry
//   -- barrier --   the block joins its warps' tables in their order and writes one
//   merge     joins the blocks' tables, in their order
//   compact   entries of keys that there are become groups (of group_by alone)
//
// Reads each row once, whatever the number of equal keys. Any associative operator. Which values
// meet first depends on the number of rows and the device alone: the same bits from run to run.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/aggregates.hpp"
#include "warpfold/block/scan.cuh"
#include "warpfold/bounds.hpp"
#include "warpfold/device/detail/scratch.cuh"
#include "warpfold/histogram/bins.hpp"
#include "warpfold/warp/redux.cuh"
#include "warpfold/warp/shuffle.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// What a key's values come to, if there are any.
template <class State>
struct table_entry {
  State state;
  std::uint32_t there;

  /// The values of `other` come after those that have been joined.
  template <class List>
  __device__ __forceinline__ void join(const List& list, const State& other) {
    state = there != 0 ? list.join(state, other) : other;
    there = 1;
  }
};

template <class K, class List>
struct table_problem {
  using entry = table_entry<typename List::state>;
  const K* keys;
  std::size_t n, rows;  // `rows`: of a warp
  integer_binner<K> slot_of;
  List list;
  entry* tables;         // one a block
  std::size_t* refused;  // keys outside of the range; may be null
};

/// Lanes with equal slots join in their order; the first of them gets what they come to.
template <class List, class State>
__device__ __forceinline__ void join_peers(const List& list, unsigned peers, State& state) {
  const unsigned lane = threadIdx.x % warp_size;
  auto place = static_cast<unsigned>(__popc(peers & ((1U << lane) - 1)));
  unsigned later = peers & ~((2U << lane) - 1);
  while (__any_sync(all_lanes, later != 0)) {
    const unsigned next = later == 0 ? lane : static_cast<unsigned>(__ffs(later)) - 1;
    const State other = shuffle(state, next);
    if (later != 0) state = list.join(state, other);
    later &= ~__ballot_sync(all_lanes, (place & 1) != 0);
    place >>= 1;
  }
}

/// The warp's rows [begin, end), to its table; returns how many keys are out of range, by lane.
template <unsigned Items, class Problem>
__device__ __forceinline__ unsigned add_rows(const Problem& p, typename Problem::entry* table,
                                             std::size_t begin, std::size_t end) {
  using state = decltype(table->state);
  const unsigned lane = threadIdx.x % warp_size;
  unsigned outside = 0;
  for (std::size_t first = begin; first < end; first += Items * warp_size) {
    unsigned slot[Items];
    state values[Items];
#pragma unroll
    for (unsigned k = 0; k < Items; ++k) {
      const std::size_t at = first + k * warp_size + lane;
      slot[k] = no_bin;
      if (at >= end) continue;
      slot[k] = p.slot_of(p.keys[at]);
      values[k] = p.list.of(read_columns{}, at);
      outside += slot[k] == no_bin ? 1 : 0;
    }
#pragma unroll
    for (unsigned k = 0; k < Items; ++k) {
      const unsigned peers = __match_any_sync(all_lanes, slot[k]);
      const bool is_first = (peers & ((1U << lane) - 1)) == 0;
      join_peers(p.list, slot[k] == no_bin ? 0 : peers, values[k]);
      if (is_first && slot[k] != no_bin) table[slot[k]].join(p.list, values[k]);
      __syncwarp();
    }
  }
  return outside;
}

/// Rows that a lane reads before the first of them is joined.
inline constexpr unsigned table_items = 4;

template <class Problem>
__global__ void __launch_bounds__(256) tables_kernel(Problem p) {
  using entry = typename Problem::entry;
  const unsigned slots = p.slot_of.count, lane = threadIdx.x % warp_size;
  const unsigned warp = threadIdx.x / warp_size, warps = blockDim.x / warp_size;
  auto* const tables = dynamic_shared<entry>();
  entry* const mine = tables + std::size_t{warp} * slots;
  for (unsigned s = lane; s < slots; s += warp_size) mine[s].there = 0;
  __syncwarp();
  const std::size_t begin = (std::size_t{blockIdx.x} * warps + warp) * p.rows;
  if (begin < p.n) {
    const std::size_t end = p.n - begin < p.rows ? p.n : begin + p.rows;
    const unsigned outside =
        warp_reduce(add_rows<table_items>(p, mine, begin, end), plus{}, by_redux{});
    if (lane == 0 && outside != 0 && p.refused != nullptr) {
      atomicAdd(reinterpret_cast<unsigned long long*>(p.refused),
                static_cast<unsigned long long>(outside));
    }
  }
  __syncthreads();
  for (unsigned s = threadIdx.x; s < slots; s += blockDim.x) {
    entry all;
    all.there = 0;
    for (unsigned w = 0; w < warps; ++w) {
      const entry& from = tables[std::size_t{w} * slots + s];
      if (from.there != 0) all.join(p.list, from.state);
    }
    entry& to = p.tables[std::size_t{blockIdx.x} * slots + s];
    to.there = all.there;
    if (all.there != 0) to.state = all.state;
  }
}

/// Calls sink(slot, state) for each key that there is. 32 slots a block, the tables in eight parts.
template <class List, class Sink>
__global__ void __launch_bounds__(256)
    merge_tables_kernel(const table_entry<typename List::state>* tables, unsigned count,
                        unsigned slots, List list, Sink sink) {
  using entry = table_entry<typename List::state>;
  constexpr unsigned parts = 8;
  struct storage {
    entry part[parts][warp_size];
  };
  auto& shared = shared_storage<storage>();
  const unsigned lane = threadIdx.x % warp_size, part = threadIdx.x / warp_size;
  const unsigned slot = blockIdx.x * warp_size + lane;
  const auto bound = [&](unsigned p) {
    return static_cast<unsigned>(std::uint64_t{count} * p / parts);
  };
  entry all;
  all.there = 0;
  for (unsigned t = bound(part); slot < slots && t < bound(part + 1); ++t) {
    const entry& from = tables[std::size_t{t} * slots + slot];
    if (from.there != 0) all.join(list, from.state);
  }
  shared.part[part][lane].there = all.there;
  if (all.there != 0) shared.part[part][lane].state = all.state;
  __syncthreads();
  if (part != 0) return;
  for (unsigned p = 1; p < parts; ++p) {
    const entry& from = shared.part[p][lane];
    if (from.there != 0) all.join(list, from.state);
  }
  if (all.there != 0) sink(slot, all.state);
}

/// Leaves a state in an entry.
template <class State>
struct entry_sink {
  table_entry<State>* entries;
  __device__ __forceinline__ void operator()(std::size_t slot, const State& state) const {
    entries[slot].state = state;
    entries[slot].there = 1;
  }
};

/// Numbers the keys that there are, in their order, and writes the groups' results. A block counts
/// those before its own again: 2^16 entries at most.
template <class K, class List>
__global__ void __launch_bounds__(1024)
    compact_groups_kernel(const table_entry<typename List::state>* entries, unsigned slots,
                          std::uint64_t low, K* out_keys, List list, std::size_t room,
                          std::size_t* groups) {
  const unsigned first = blockIdx.x * blockDim.x, slot = first + threadIdx.x;
  unsigned mine = 0;
  for (unsigned s = threadIdx.x; s < first; s += blockDim.x) mine += entries[s].there;
  const unsigned earlier = block_scan(mine, plus{}).total;
  __syncthreads();
  const unsigned there = slot < slots ? entries[slot].there : 0;
  const auto scan = block_scan(there, plus{});
  const std::size_t at = earlier + scan.exclusive;
  if (there != 0 && at < room) {
    out_keys[at] = static_cast<K>(low + slot);
    list.write(at, entries[slot].state);
  }
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) *groups = earlier + scan.total;
}

/// How many warps a block has, and the grid; no warps where the tables don't fit. A warp has a row
/// a slot at least, so that what merging costs is no more than what the rows do.
struct table_plan {
  unsigned warps, blocks;
  std::size_t rows, block_bytes;

  static table_plan of(std::size_t n, unsigned slots, std::size_t entry_bytes) {
    constexpr std::size_t most_warps = 8, least_warps = 2, at_once = table_items * warp_size;
    const device_properties device = current_device();
    const std::size_t table = slots * entry_bytes;
    const std::size_t fit = device.shared_bytes / table;
    if (fit < least_warps) return {};
    const std::size_t warps = fit < most_warps ? fit : most_warps;
    const std::size_t least = at_least<std::size_t>(warps * at_least<std::size_t>(slots, 512),
                                                    8 * std::size_t{slots});  // as in bytes()
    const std::size_t together = device.shared_bytes / (warps * table);
    const std::size_t most = device.multiprocessors * (together < 8 ? together : 8);
    const std::size_t blocks = n / least < 1 ? 1 : n / least < most ? n / least : most;
    const std::size_t rows = (n / (blocks * warps) + at_once) / at_once * at_once;
    return {static_cast<unsigned>(warps), static_cast<unsigned>(blocks), rows, warps * table};
  }
  /// Bytes of all blocks' tables, on any device.
  static constexpr std::size_t bytes(std::size_t n, std::size_t slots, std::size_t entry_bytes) {
    return (n / 8 + slots) * entry_bytes;
  }
};

/// Calls sink(slot, state) for each slot that has values, by tables of the plan.
template <class K, class List, class Sink>
status reduce_in_tables(stream_type stream, const table_plan& plan,
                        const table_problem<K, List>& problem, const Sink& sink) {
  const status s = try_launch({.grid = plan.blocks,
                               .block = plan.warps * warp_size,
                               .shared_bytes = plan.block_bytes,
                               .stream = stream},
                              tables_kernel<table_problem<K, List>>, problem);
  if (!s.ok()) return s;
  const unsigned slots = problem.slot_of.count;
  return try_launch({.grid = (slots + warp_size - 1) / warp_size, .block = 256, .stream = stream},
                    merge_tables_kernel<List, Sink>, problem.tables, plan.blocks, slots,
                    problem.list, sink);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
