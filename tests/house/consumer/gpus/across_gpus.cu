// Across all GPUs of this machine, from an installed package. Ends with 3 where there is none.
#include <atomic>
#include <cstdio>
#include <span>

#include <warpfold/nccl.hpp>

namespace {

/// The sum of what lies on all devices: three values on each.
bool sums(const auto& place) {
  const int values[3] = {1, 2, 3};
  int* part = nullptr;
  if (cudaMalloc(&part, sizeof values) != cudaSuccess ||
      cudaMemcpy(part, values, sizeof values, cudaMemcpyHostToDevice) != cudaSuccess) {
    return false;
  }
  const int sum = warpfold::reduce(place, std::span<const int>(part, 3), 0);
  cudaFree(part);
  return sum == 6 * place.size();
}

}  // namespace

int main() try {
  warpfold::all_devices devices;
  std::atomic<bool> is_right = true;
  devices.run([&](const auto& place) {
    if (!sums(place)) is_right = false;
  });
  if (!is_right) std::puts("wrong: each device was to add 6");
  return is_right ? 0 : 1;
} catch (const warpfold::device_error& e) {
  std::puts(e.what());
  return 3;
}
