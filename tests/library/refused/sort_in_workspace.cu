// refused: a sort leaves data in its memory
#include "warpfold/sort.hpp"

auto refused(const warpfold::workspace& memory, std::span<int> keys) {
  return warpfold::sort(warpfold::device.with(memory), keys);
}
