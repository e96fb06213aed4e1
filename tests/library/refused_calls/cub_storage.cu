// refused: a place belongs here: pass device, or device.on(stream).with(memory)
#include <span>

#include "warpfold/scan.hpp"

void run(void* temp, std::size_t bytes, const int* in, int* out, int n) {
  (void)warpfold::exclusive_scan(temp, bytes, in, out, n);
}
