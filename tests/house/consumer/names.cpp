// A kernel that no other file sees, and the type of its shared memory, are named in messages.
#include <iostream>
#include <string>

#include "simt/report.hpp"
#include "warpfold/platform.hpp"

namespace {

struct row_of_values {
  int value[32];
};

__global__ void wrong_mask_kernel(int* out) { *out = __shfl_sync(2u, *out, 0); }

__global__ void race_kernel(int* out) {
  auto& row = warpfold::detail::shared_storage<row_of_values>();
  row.value[threadIdx.x % 2] = static_cast<int>(threadIdx.x);
  __syncthreads();
  *out = row.value[0];
}

bool says(const std::string& text, const std::string& name) {
  if (text.find(name) != std::string::npos) return true;
  std::cerr << "expected a message with " << name << ", got: " << text << '\n';
  return false;
}

}  // namespace

int main() {
  int value = 0;
  std::string mask, race;
  try {
    simt::launch({.grid = dim3(1), .block = dim3(1)}, wrong_mask_kernel, &value);
  } catch (const simt::kernel_error& e) {
    mask = e.what();
  }
  const auto report = simt::inspect(
      [&] { simt::launch({.grid = dim3(1), .block = dim3(64)}, race_kernel, &value); });
  for (const auto& f : report.findings()) race += f.kernel + ' ' + f.object + '\n';
  return says(mask, "wrong_mask_kernel") && says(race, "race_kernel") && says(race, "row_of_values")
             ? 0
             : 1;
}
