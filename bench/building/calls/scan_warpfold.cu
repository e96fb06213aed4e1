// One call, as a user writes it: what it costs to compile (bench/building/measure.py).
#include <span>

#include "warpfold/scan.hpp"

warpfold::status sums(std::span<const int> values, std::span<int> out, cudaStream_t stream,
                      warpfold::workspace& memory) {
  return warpfold::exclusive_scan(warpfold::device.on(stream).with(memory), values, out, 0);
}
