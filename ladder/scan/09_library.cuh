// What `warpfold::inclusive_scan` and `exclusive_scan` run, in the ladder's dress: see
// warpfold/device/scan.cuh. Picks its own block size.
#pragma once

#include <span>

#include "ladder/scan/launching.cuh"
#include "warpfold/device/scan_calls.cuh"

namespace warpfold::ladder::scan_ladder {
inline namespace WARPFOLD_MACHINE {

struct library {
  static constexpr description about{
      .number = 9,
      .name = "library",
      .idea = "blocks stay; the copy engine brings tiles while earlier ones wait for their prefix",
      .mends = "the wait between a tile's load and its prefix: it is spent on other tiles",
      .watch = "time, beside a copy's",
      .source = "beyond the documents; warpfold's scans",
      .changed = ""};

  static unsigned grid(const shape& s) {
    return s.value_bytes == 4 ? detail::scan_blocks<std::int32_t, std::int32_t>(s.n, s.processors)
                              : detail::scan_blocks<std::int64_t, std::int64_t>(s.n, s.processors);
  }
  static std::size_t scratch_bytes(const shape& s) {
    return s.value_bytes == 4 ? scan_workspace_bytes<std::int32_t>(s.n)
                              : scan_workspace_bytes<std::int64_t>(s.n);
  }
  static double depth_limit(const shape& s) { return 2.0 * static_cast<double>(s.n) + 100; }

  template <class T, class Op>
  static unsigned run(const pass<T>& p) {
    const auto on = device.on(p.stream).with(workspace_view{p.scratch, scratch_bytes(p.shape)});
    const std::span in{p.in, p.n};
    const std::span out{p.out, p.n};
    const status done = p.exclusive ? exclusive_scan(on, in, out, Op::template identity<T>(), Op{})
                                    : inclusive_scan(on, in, out, Op{});
    done.throw_if_failed("the library's scan");
    return p.n == 0 ? 0 : 1;
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::scan_ladder
