#include "examples/own_kernel/device.hpp"
#include "tests/golden/golden_runs.hpp"

void launch(const golden_run& r) {
  std::vector<int> values(4 * golden_n);
  unsigned state = 1;
  for (int& v : values) {
    state = state * 1664525 + 1013904223;
    v = static_cast<int>(state >> 16 & 1023);
  }
  const device_array<int> in(values), out(std::vector<int>(4 * golden_n));
  r.launch(in.data(), out.data());
  check(cudaGetLastError(), r.name);
  check(cudaDeviceSynchronize(), r.name);
}
