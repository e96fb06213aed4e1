// One call, as a user writes it: what it costs to compile (bench/building/measure.py).
#include <span>

#include "warpfold/reduce.hpp"

warpfold::status sum(std::span<const int> values, int* out, cudaStream_t stream,
                     warpfold::workspace& memory) {
  return warpfold::reduce_into(warpfold::device.on(stream).with(memory), values, out);
}
