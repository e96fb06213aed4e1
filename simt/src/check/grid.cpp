// The barrier of a whole grid, as the checker sees it: every block tells all that it knows, and
// takes all that was told.
#include "simt/src/check/checker.hpp"

namespace simt::detail {

void check_grid_arrival(const block& b) {
  const block_check& c = *b.check;
  // After the block's barrier, made by its first thread.
  c.launch->publish(c.id, {0, 0, c.met, c.met, c.met});
}

void check_grid_departure(const block& b) { b.check->acquired = b.check->launch->releases.load(); }

}  // namespace simt::detail
