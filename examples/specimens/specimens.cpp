#include "examples/specimens/specimens.hpp"

namespace warpfold::specimens {

const std::vector<specimen>& all() {
  static const std::vector<specimen> list{
      {.name = "missing_barrier",
       .mistake = "no barrier between two steps of a tree",
       .run = missing_barrier},
      {.name = "warp_tail_volatile",
       .mistake = "the last warp uses `volatile` and no `__syncwarp`",
       .run = warp_tail_volatile},
      {.name = "warp_tail_plain", .mistake = "the same without `volatile`", .run = warp_tail_plain},
      {.name = "early_return",
       .mistake = "`if (i >= n) return;` before a barrier",
       .run = early_return},
      {.name = "past_the_end",
       .mistake = "`in[i] + in[i + blockDim.x]` past the end",
       .run = past_the_end},
      {.name = "dropped_tail",
       .mistake = "four-fold unrolling drops the last tiles if n is not a multiple",
       .run = dropped_tail,
       .reads_all = true},
      {.name = "stale_buffer",
       .mistake = "a double-buffered scan adds to the buffer of the step before",
       .run = stale_buffer},
      {.name = "offset_precedence",
       .mistake = "`n >> 5 + n >> 10` as padding: `+` binds tighter",
       .run = offset_precedence,
       .no_conflicts = true},
      {.name = "narrow_mask",
       .mistake = "a shuffle from lanes outside its mask",
       .run = narrow_mask},
      {.name = "look_back_block_index",
       .mistake = "a block waits for the one before it, by blockIdx",
       .run = look_back_block_index},
      {.name = "last_block_no_fence",
       .mistake = "the last block reduces partials without a fence",
       .run = last_block_no_fence},
      {.name = "ticket_not_reset",
       .mistake = "the ticket is not reset to zero",
       .run = ticket_not_reset}};
  return list;
}

}  // namespace warpfold::specimens
