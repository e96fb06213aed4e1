// refused by nvcc: mark it __device__ and compile with nvcc --extended-lambda
#include <span>

#include "warpfold/reduce.hpp"

int sum(std::span<const int> values) {
  const auto add = warpfold::with_identity([](int a, int b) { return a + b; }, 0);
  return warpfold::reduce(warpfold::device, values, 0, add);
}
