// What the lanes of a warp do where they meet in a block's code, and not all 32 have come to the
// same place: simt/pass/warps.cpp calls it.
#include <bit>
#include <cstring>

#include "simt/src/run/plain.hpp"

namespace simt::detail {

namespace {

template <class F>
void for_each_lane(std::uint32_t lanes, F f) {
  for (; lanes != 0; lanes &= lanes - 1) f(static_cast<unsigned>(std::countr_zero(lanes)));
}

/// Of these lanes some that have all come, or none.
std::uint32_t complete(const warp_meeting& m, std::uint32_t lanes, std::uint32_t live) {
  while (lanes != 0) {
    const auto first = static_cast<unsigned>(std::countr_zero(lanes));
    const std::uint32_t mask = m.masks[first];
    if ((mask >> first & 1) == 0) part_threads("a warp operation whose mask does not name a lane");
    std::uint32_t same = 0;
    for_each_lane(lanes, [&](unsigned l) { same |= m.masks[l] == mask ? 1U << l : 0; });
    if (same == (mask & live)) return same;
    lanes &= ~same;
  }
  return 0;
}

/// What comes from a lane that has ended or never was is 0.
template <class T>
void hand_over(warp_meeting& m, std::uint32_t lanes) {
  T values[warp_size], all[warp_size];
  std::memcpy(values, m.values, sizeof values);
  for (unsigned l = 0; l < warp_size; ++l) all[l] = (lanes >> l & 1) != 0 ? values[l] : 0;
  std::memcpy(m.all, all, sizeof all);
}

}  // namespace

}  // namespace simt::detail

extern "C" {

/// The lanes bring this mask.
void simt_name_lanes(simt::detail::warp_meeting* m, std::uint32_t lanes, std::uint32_t mask) {
  simt::detail::for_each_lane(lanes, [&](unsigned l) { m->masks[l] = mask; });
}

/// The lanes that can go on of those that wait at barriers, ballots and exchanges; `choose`: those
/// that take one lane's value, each of so many bytes.
std::uint32_t simt_meet(simt::detail::warp_meeting* m, std::uint32_t barriers,
                        std::uint32_t ballots, std::uint32_t exchanges, std::uint32_t choose,
                        std::uint32_t live, std::uint32_t bytes) {
  using namespace simt::detail;
  if (const std::uint32_t lanes = complete(*m, barriers, live); lanes != 0) return lanes;
  if (const std::uint32_t lanes = complete(*m, ballots, live); lanes != 0) return lanes;
  const std::uint32_t lanes = complete(*m, exchanges, live);
  for_each_lane(lanes & choose, [&](unsigned l) {
    if ((m->masks[l] >> m->sources[l] % warp_size & 1) == 0) {
      part_threads("a value from a lane that the mask does not name");
    }
  });
  bytes == sizeof(std::uint32_t) ? hand_over<std::uint32_t>(*m, lanes)
                                 : hand_over<std::uint64_t>(*m, lanes);
  return lanes;
}

}  // extern "C"
