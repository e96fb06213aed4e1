// Small kernels that each carry one classic mistake, and their mended twins. In each file `// [1]`
// and `// [2]` mark the two lines that the mistake shows at.
#pragma once

namespace warpfold::specimens {

/// What a specimen works on: device memory.
struct buffers {
  int* in;            // n values
  int* out;           // n values
  unsigned* scratch;  // zeros
  unsigned n;
};

void missing_barrier(bool mended, const buffers& b);
void warp_tail_volatile(bool mended, const buffers& b);
void warp_tail_plain(bool mended, const buffers& b);
void past_the_end(bool mended, const buffers& b);
void stale_buffer(bool mended, const buffers& b);
void last_block_no_fence(bool mended, const buffers& b);
void look_back_block_index(bool mended, const buffers& b);
void ticket_not_reset(bool mended, const buffers& b);
void narrow_mask(bool mended, const buffers& b);
void early_return(bool mended, const buffers& b);

}  // namespace warpfold::specimens
