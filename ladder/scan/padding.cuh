// Where value i of an array in shared memory lies when rows of banks are padded: lanes that stride
// by any power of two then find their values in different banks.
// Cost: one value in 32 (4 bytes) or 16 (8 bytes), and one a thousand.
#pragma once

#include "warpfold/platform.hpp"

namespace warpfold::ladder {
inline namespace WARPFOLD_MACHINE {

template <class T>
__host__ __device__ constexpr unsigned padded(unsigned i) {
  constexpr unsigned row = 128 / sizeof(T);  // values in one row of the 32 banks
  return i + i / row + i / (row * row);
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder
