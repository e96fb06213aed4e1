// One call, as a user writes it: what it costs to compile (bench/building/measure.py).
#include <span>

#include "warpfold/sort.hpp"
#include "warpfold/workspace.hpp"

warpfold::status in_order(std::span<unsigned> keys, cudaStream_t stream,
                          warpfold::temp_storage& memory) {
  return warpfold::sort(warpfold::device.on(stream).with(memory), keys);
}
