// The kernels of `warpfold::inclusive_scan` and `exclusive_scan`, as a rung: see
// warpfold/device/scan/dispatch.cuh. Picks its own block size.
#pragma once

#include <span>

#include "ladder/scan/launching.cuh"
#include "warpfold/device/scan.cuh"

namespace warpfold::ladder::scan_ladder {
inline namespace WARPFOLD_MACHINE {

struct library {
  static constexpr description about{
      .number = 9,
      .name = "library",
      .idea = "blocks stay; the copy engine brings tiles while earlier ones wait for their prefix",
      .improves = "the wait between a tile's load and its prefix: it is spent on other tiles",
      .also = "time, compared with a copy",
      .source = "beyond the documents; warpfold's scans"};

  static unsigned grid(const shape& s) {
    device_properties device = current_device();
    device.multiprocessors = s.processors;
    return s.value_bytes == 4 ? detail::scan_blocks<std::int32_t, std::int32_t>(s.n, device)
                              : detail::scan_blocks<std::int64_t, std::int64_t>(s.n, device);
  }
  static std::size_t scratch_bytes(const shape& s) {
    return s.value_bytes == 4 ? scan_workspace_bytes<std::int32_t>(s.n)
                              : scan_workspace_bytes<std::int64_t>(s.n);
  }
  /// What a thread, a warp, a block and a group of tiles reduce one after another, then group by
  /// group.
  static double depth_limit(const shape& s) { return 400 + static_cast<double>(s.n) / 1024; }

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
