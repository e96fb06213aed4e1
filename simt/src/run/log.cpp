#include "simt/src/run/log.hpp"

#include "simt/src/run/basic_blocks.hpp"
#include "simt/src/run/model.hpp"
#include "simt/src/run/tls.hpp"

namespace simt::detail {

std::uintptr_t last_position(const lane& l) {
  const warp& w = *l.warp;
  const std::uint32_t* begin = nullptr;
  const std::uint32_t* end = nullptr;
  if (w.log) {
    begin = (*w.log)[l.index].guards.begin.get();
    end = (*w.log)[l.index].guards.cursor;
  }
  if (&l == tls.current) {
    if (!w.log) begin = worker_of(l).unread.data();
    end = tls.guard_cursor;
  }
  const auto entered = end - begin;
  const std::uint32_t last = entered != 0 ? end[-1] : l.carry;
  const std::uint32_t before = entered > 1 ? end[-2] : entered == 1 ? l.carry : l.before;
  const bool ended = (w.live >> l.index & 1) == 0;
  return position_of_block(ended && before != 0 ? before : last);
}

}  // namespace simt::detail
