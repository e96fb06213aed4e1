// refused: a count is a std::size_t in device memory: pass a std::size_t*
#include <span>

#include "warpfold/keys.hpp"

void run(std::span<const int> keys, std::span<int> out, int* count) {
  (void)warpfold::reduce_by_key(warpfold::device, keys, keys, out, out, count, warpfold::plus{});
}
