// refused: a count is a std::size_t in device memory: pass a std::size_t*
#include <span>

#include "warpfold/keys.hpp"

void run(std::span<const int> in, std::span<int> out, const int* size, std::size_t* count) {
  (void)warpfold::unique(warpfold::device, warpfold::device_sized(in, size), out, count);
}
