// The kernels of `warpfold::sort` and `sort_by_key`, as a rung: see
// warpfold/device/sort/dispatch.cuh. Picks its own block size; the table counts a call as one
// launch.
#pragma once

#include <algorithm>
#include <span>
#include <type_traits>

#include "ladder/sort/launching.cuh"
#include "warpfold/device/sort.cuh"

namespace warpfold::ladder::sort_ladder {
inline namespace WARPFOLD_MACHINE {

struct library {
  static constexpr description about{
      .number = 11,
      .name = "library",
      .idea =
          "registers and shuffles in a block, counted places in a cluster, merges beyond; many "
          "keys go to a radix sort of 8 bits a pass",
      .improves = "the small sorts' barriers; the large ones' passes",
      .also = "time (its launches are not counted: a call is one)",
      .source = "beyond the documents; warpfold's sorts",
      .in_place = true};

  static unsigned grid(const shape& s) {
    return std::max(1U, tiles_of(s.n, tuning::cluster_shape::max_threads));
  }
  /// For keys of either size; `value_bytes` is of a key and what travels with it.
  static std::size_t scratch_bytes(const shape& s) {
    return std::max(sort_temp_storage_bytes<std::uint32_t, std::uint32_t>(s.n),
                    sort_temp_storage_bytes<std::uint64_t, std::uint32_t>(s.n));
  }

  template <class K, class V, class Less>
  static unsigned run(const pass<K, V>& p, Less) {
    // The order itself, not the one that counts: it is known by its type.
    using order = std::conditional_t<std::is_same_v<Less, counting_order<descending, library>>,
                                     descending, ascending>;
    const auto on = device.on(p.stream).with(temp_storage_view{p.scratch, scratch_bytes(p.shape)});
    const std::span keys{p.out.keys, p.n};
    status done;
    if constexpr (std::is_same_v<V, nothing>) {
      done = sort(on, keys, order{});
    } else {
      done = sort_by_key(on, keys, std::span{p.out.values, p.n}, order{});
    }
    done.throw_if_failed("the library's sort");
    return p.n == 0 ? 0 : 1;
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::sort_ladder
