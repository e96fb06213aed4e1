// CUDA's operations of a warp and of cooperative groups. The first operand is a lane's own; the
// others are alike for a warp.
#pragma once

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "halves.cuh"

namespace probe {
namespace {

namespace cg = cooperative_groups;

#define PROBE_SHUFFLES(T)                                                                       \
  PROBE("__shfl_sync(" #T ")", T, (T a, int b, segment w), return __shfl_sync(~0U, a, b, w.v);) \
  PROBE("__shfl_up_sync(" #T ")", T, (T a, unsigned b, segment w),                              \
        return __shfl_up_sync(~0U, a, b, w.v);)                                                 \
  PROBE("__shfl_down_sync(" #T ")", T, (T a, unsigned b, segment w),                            \
        return __shfl_down_sync(~0U, a, b, w.v);)                                               \
  PROBE("__shfl_xor_sync(" #T ")", T, (T a, int b, segment w),                                  \
        return __shfl_xor_sync(~0U, a, b & 31, w.v);)
PROBE_SHUFFLES(int)
PROBE_SHUFFLES(float)
PROBE_SHUFFLES(ull)
PROBE_SHUFFLES(double)
PROBE_SHUFFLES(__half)
PROBE_SHUFFLES(__nv_bfloat162)

/// Whether the calling lane is named.
__device__ inline bool in(lane_mask m) { return (m.v >> threadIdx.x % 32 & 1) != 0; }
#define PROBE_OF_MASK(name, R, A, ...) \
  PROBE(                               \
      name, R, (A a, lane_mask m), R r{}; if (in(m)) { r = __VA_ARGS__; } return r;)
PROBE_OF_MASK("__ballot_sync", unsigned, int, __ballot_sync(m.v, a & 1))
PROBE_OF_MASK("__any_sync", int, int, __any_sync(m.v, a == 64))
PROBE_OF_MASK("__all_sync", int, int, __all_sync(m.v, a != 64))
PROBE_OF_MASK("__match_any_sync(int)", unsigned, int, __match_any_sync(m.v, a & 3))
PROBE_OF_MASK("__match_any_sync(ull)", unsigned, ull, __match_any_sync(m.v, a & 0x8000000000000001))
PROBE_OF_MASK("__match_any_sync(float)", unsigned, float, __match_any_sync(m.v, a))
PROBE(
    "__match_all_sync(int)", ull, (int a, lane_mask m), ull r = 0; if (in(m)) {
      int all = 0;
      const unsigned equal = __match_all_sync(m.v, a >> 6, &all);
      r = equal | ull(all) << 32;
    } return r;)
#define PROBE_REDUCE(op, T) \
  PROBE_OF_MASK("__reduce_" #op "_sync(" #T ")", T, T, __reduce_##op##_sync(m.v, a))
PROBE_REDUCE(add, unsigned)
PROBE_REDUCE(add, int)
PROBE_REDUCE(min, unsigned)
PROBE_REDUCE(min, int)
PROBE_REDUCE(max, unsigned)
PROBE_REDUCE(max, int)
PROBE_REDUCE(and, unsigned)
PROBE_REDUCE(or, unsigned)
PROBE_REDUCE(xor, unsigned)

// Cooperative groups: of a tile, and of the lanes that a mask names.
#define PROBE_TILE(n)                                                                 \
  PROBE("tile<" #n ">.shfl", float, (float a, unsigned b),                            \
        return cg::tiled_partition<n>(cg::this_thread_block()).shfl(a, b);)           \
  PROBE("tile<" #n ">.shfl_up", float, (float a, unsigned b),                         \
        return cg::tiled_partition<n>(cg::this_thread_block()).shfl_up(a, b);)        \
  PROBE("tile<" #n ">.shfl_down", float, (float a, unsigned b),                       \
        return cg::tiled_partition<n>(cg::this_thread_block()).shfl_down(a, b);)      \
  PROBE("tile<" #n ">.shfl_xor", float, (float a, unsigned b),                        \
        return cg::tiled_partition<n>(cg::this_thread_block()).shfl_xor(a, b % n);)   \
  PROBE("tile<" #n ">.any", int, (int a),                                             \
        return cg::tiled_partition<n>(cg::this_thread_block()).any(a == 7) != 0;)     \
  PROBE("tile<" #n ">.all", int, (int a),                                             \
        return cg::tiled_partition<n>(cg::this_thread_block()).all(a != 7) != 0;)     \
  PROBE("tile<" #n ">.ballot", unsigned, (int a),                                     \
        return cg::tiled_partition<n>(cg::this_thread_block()).ballot(a & 1);)        \
  PROBE("tile<" #n ">.match_any", unsigned, (int a),                                  \
        return cg::tiled_partition<n>(cg::this_thread_block()).match_any(a & 3);)     \
  PROBE("tile<" #n "> ranks", ull, (int a),                                           \
        const auto t = cg::tiled_partition<n>(cg::this_thread_block());               \
        return a * 0 + t.thread_rank() + (ull{t.meta_group_rank()} << 16) +           \
               (ull{t.meta_group_size()} << 32) + (ull{t.size()} << 48);)             \
  PROBE("reduce(tile<" #n "> plus)", int, (int a),                                    \
        return cg::reduce(cg::tiled_partition<n>(cg::this_thread_block()), a >> 8,    \
                          cg::plus<int>());)                                          \
  PROBE("reduce(tile<" #n "> greater)", unsigned, (unsigned a),                       \
        return cg::reduce(cg::tiled_partition<n>(cg::this_thread_block()), a,         \
                          cg::greater<unsigned>());)                                  \
  PROBE("inclusive_scan(tile<" #n ">)", unsigned, (unsigned a),                       \
        return cg::inclusive_scan(cg::tiled_partition<n>(cg::this_thread_block()), a, \
                                  cg::plus<unsigned>());)                             \
  PROBE("exclusive_scan(tile<" #n ">)", unsigned, (unsigned a),                       \
        return cg::exclusive_scan(cg::tiled_partition<n>(cg::this_thread_block()), a, \
                                  cg::plus<unsigned>());)                             \
  PROBE("binary_partition(tile<" #n ">)", ull, (int a),                               \
        const auto t = cg::tiled_partition<n>(cg::this_thread_block());               \
        const auto g = cg::binary_partition(t, (a & 1) != 0);                         \
        return g.thread_rank() + (ull{g.meta_group_rank()} << 16) +                   \
               (ull{g.meta_group_size()} << 32) + (ull{g.size()} << 48);)             \
  PROBE("labeled_partition(tile<" #n ">)", ull, (int a),                              \
        const auto t = cg::tiled_partition<n>(cg::this_thread_block());               \
        const auto g = cg::labeled_partition(t, a & 3);                               \
        return g.thread_rank() + (ull{g.meta_group_rank()} << 16) +                   \
               (ull{g.meta_group_size()} << 32) + (ull{g.size()} << 48);)
PROBE_TILE(32)
PROBE_TILE(16)
PROBE_TILE(4)
PROBE_TILE(1)
#define PROBE_COALESCED(name, A, ...)                                                     \
  PROBE(                                                                                  \
      "coalesced." name, ull, (A a, lane_mask m, unsigned b), ull r = 0 * b; if (in(m)) { \
        const auto g = cg::coalesced_threads();                                           \
        r = result_of(__VA_ARGS__);                                                       \
      } return r;)
PROBE_COALESCED("shfl", float, g.shfl(a, b % g.size()))
PROBE_COALESCED("shfl_up", float, g.shfl_up(a, b % 32))
PROBE_COALESCED("shfl_down", float, g.shfl_down(a, b % 32))
PROBE_COALESCED("any", int, g.any(a == 7) != 0)
PROBE_COALESCED("all", int, g.all(a != 7) != 0)
PROBE_COALESCED("ballot", int, g.ballot(a & 1))
PROBE_COALESCED("match_any", int, g.match_any(a & 3))
PROBE_COALESCED("ranks", int,
                g.thread_rank() + 64 * g.size() + 4096 * g.meta_group_rank() +
                    65536 * g.meta_group_size())
PROBE_COALESCED("reduce", int, cg::reduce(g, a >> 8, cg::plus<int>()))
PROBE_COALESCED("inclusive_scan", unsigned, cg::inclusive_scan(g, a, cg::plus<unsigned>()))
PROBE_COALESCED("exclusive_scan", unsigned, cg::exclusive_scan(g, a, cg::plus<unsigned>()))

}  // namespace
}  // namespace probe
