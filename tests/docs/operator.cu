// An operator of one's own: docs/library.md.
#include <numeric>
#include <span>

#include <cuda_runtime.h>
#include <warpfold/reduce.hpp>

// the code of the page

int main() {
  constexpr int n = 5000;
  int* values = nullptr;
  cudaMallocManaged(&values, n * sizeof(int));
  for (int i = 0; i < n; ++i) values[i] = 84 * i + 42;
  return common_divisor(std::span<const int>(values, n)) == 42 ? 0 : 1;
}
