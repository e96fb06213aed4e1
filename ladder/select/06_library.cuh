// The kernels of `warpfold::copy_if`, as a rung: see warpfold/device/select/kernel.cuh. Picks its
// own block size; the table counts a call as one launch.
#pragma once

#include <span>

#include "ladder/select/launching.cuh"
#include "warpfold/device/select.cuh"

namespace warpfold::ladder::select_ladder {
inline namespace WARPFOLD_MACHINE {

struct is_not_zero {
  template <class T>
  __host__ __device__ bool operator()(const T& value) const {
    return value != T{0};
  }
};

struct library : by_tiles {
  static constexpr description about{
      .number = 6,
      .name = "library",
      .idea = "larger tiles in registers, a look-back of many tiles at once",
      .improves = "the wait for the tiles before",
      .also = "time, compared with a copy (its launches are not counted: a call is one)",
      .source = "beyond the documents; warpfold's selections"};

  /// Of values of 4 and of 8 bytes.
  static std::size_t scratch_bytes(const shape& s) {
    return std::max(select_workspace_bytes<std::uint32_t>(s.n),
                    select_workspace_bytes<std::uint64_t>(s.n));
  }

  template <class T, class Keep>
  static unsigned run(const pass<T>& p, Keep) {
    const auto on = device.on(p.stream).with(workspace_view{p.scratch, scratch_bytes(p.shape)});
    const status done = copy_if(on, std::span<const T>{p.in, p.n}, std::span<T>{p.out, p.n},
                                reinterpret_cast<std::size_t*>(p.kept), is_not_zero{});
    done.throw_if_failed("the library's copy_if");
    return 1;
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::select_ladder
