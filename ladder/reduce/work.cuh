// The number of operator applications of the reduce ladder's rungs: the counters must equal it.
#pragma once

#include "ladder/launching.cuh"

namespace warpfold::ladder::reduce_ladder {
inline namespace WARPFOLD_MACHINE {

/// block_reduce: all lanes of every warp apply in each of five steps, those of the first warp
/// again.
constexpr double work_of_shuffles(unsigned block) { return 5.0 * 32 * (block / 32 + 1); }

/// All blocks reduce their share by shuffles, then the last one reduces what the contributors left.
constexpr double work_in_one_launch(const shape& s, unsigned blocks, unsigned contributors) {
  return static_cast<double>(s.n) + contributors + (blocks + 1.0) * work_of_shuffles(s.block);
}

/// reduce_warp_tail on so many values: lanes apply as long as there is a value, needed or not.
constexpr double work_of_tail(std::size_t count) {
  double work = 0;
  for (std::size_t stride = 32; stride > 0; stride /= 2) {
    if (count > stride) work += static_cast<double>(std::min<std::size_t>(32, count - stride));
  }
  return work;
}

/// A tree over a block's values whose last 64 go to one warp.
constexpr double work_of_tree_with_tail(unsigned block) {
  return (block > 64 ? block - 64.0 : 0) + work_of_tail(block);
}

/// What is added on the way in where a block takes two tiles.
constexpr double work_of_first_add(const shape& s) {
  const std::size_t blocks = s.n / (2 * std::size_t{s.block});
  const std::size_t rest = s.n % (2 * std::size_t{s.block});
  return static_cast<double>(blocks * s.block + (rest > s.block ? rest - s.block : 0));
}

/// In place, eight tiles a block, the last 64 values of it in one warp.
constexpr double work_in_place_with_tail(const shape& s) {
  const std::size_t tile = 8 * std::size_t{s.block};
  const auto of_block = [&](std::size_t values) {
    const std::size_t width = std::min<std::size_t>(values, s.block);
    const std::size_t in_tail = std::min<std::size_t>(width, 64);
    return static_cast<double>(values - in_tail) + work_of_tail(width);
  };
  const std::size_t rest = s.n % tile;
  return static_cast<double>(s.n / tile) * of_block(tile) + (rest > 0 ? of_block(rest) : 0);
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::reduce_ladder
