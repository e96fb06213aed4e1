// How long blocks take: the way of each warp between two points where its block meets.
#include <algorithm>

#include "simt/src/count/trace.hpp"
#include "simt/src/run/model.hpp"
#include "simt/src/run/tls.hpp"

namespace simt::detail {

void tracer::block_barrier(const block& b) {
  end_epoch();
  const hooks_disabled quiet;
  paths_[&b].barrier();
}

void tracer::cluster_barrier(const cluster& c) {
  end_epoch();
  const hooks_disabled quiet;
  for (const block& b : c.blocks) {
    if (b.live != 0) paths_[&b].cluster_barrier();
  }
}

void tracer::block_ends(const lane& last) {
  const block& b = block_of(last);
  end_epoch();
  const hooks_disabled quiet;
  shared_bytes_ = std::max(shared_bytes_, b.storage_end);
  block_path& path = paths_[&b];
  path.end();
  path_ += path.sum();
  const auto length = static_cast<double>(path.sum().length());
  path_squares_ += length * length;
  if (path.sum().length() > last_.length()) last_ = path.sum();
  paths_.erase(&b);
}

/// One lane of a warp tells.
void tracer::fence() {
  const lane& self = *tls.current;
  const hooks_disabled quiet;
  if (self.index == 0) paths_[self.warp->block].add(self.warp->index, {.fences = 1});
}

}  // namespace simt::detail
