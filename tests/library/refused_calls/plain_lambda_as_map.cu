// refused by nvcc: mark it __device__ and compile with nvcc --extended-lambda
#include <span>

#include "warpfold/reduce.hpp"

long squares(std::span<const int> values) {
  return warpfold::transform_reduce(warpfold::device, values, 0L, warpfold::plus{},
                                    [](int v) { return long{v} * v; });
}
