// refused: a place belongs here: pass device, or device.on(stream).with(memory)
#include <span>

#include "warpfold/reduce.hpp"

void run(std::size_t bytes, const int* in, int* out, int n) {
  (void)warpfold::reduce_into(nullptr, bytes, in, out, n);
}
