// Exact sums, each call once: docs/exact.md.
#include <span>
#include <vector>

#include <cuda_runtime.h>

int main() {
  constexpr std::size_t n = 3000;
  float* room = nullptr;
  cudaMallocManaged(&room, n * sizeof(float));
  for (std::size_t i = 0; i < n; ++i) room[i] = 0.5F;
  room[0] = 1e30F;
  room[n - 1] = -1e30F;
  const std::span<const float> values(room, n);
  const std::vector<float> a(n, 0.25F), b(n, 4.0F);
  std::vector<std::uint8_t> theirs;
  {
    warpfold::exact_accumulator<float> other;
    other.add(1.0F);
    theirs.resize(other.bytes);
    other.to_bytes(theirs.data());
  }
  // the code of the page
  const bool right =
      sum == 1499 && dot == 3000 && mean == 1499.0F / 3000 && all == 1500 && total == 1500;
  return right ? 0 : 1;
}
