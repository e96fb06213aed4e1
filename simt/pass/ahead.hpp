// What lanes will read some rounds of a loop over strides later is asked for now: each round is in
// other pages, so that no processor foresees it.
#pragma once

#include "lanes.hpp"

namespace simt::pass {

/// Where the builder is, before the whole warp goes a round in region `r`.
void read_ahead(warp_parts& warp, const region& r);

}  // namespace simt::pass
