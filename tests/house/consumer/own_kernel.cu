// A kernel of one's own on the CPU machine.
#include <iostream>
#include <numeric>
#include <vector>

#include "simt/cuda.hpp"
#include "simt/launch.hpp"

__global__ void increment(int* values, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] += 1;
}

int main() {
  std::vector<int> values(1000);
  simt::launch({.grid = dim3(4), .block = dim3(256)}, increment, values.data(), 1000u);
  const int sum = std::accumulate(values.begin(), values.end(), 0);
  if (sum == 1000) return 0;
  std::cerr << "expected 1000, got " << sum << '\n';
  return 1;
}
