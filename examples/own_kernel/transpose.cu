// A matrix is transposed tile by tile through shared memory, so that global memory is read and
// written in whole rows. Without padding, the 32 lanes that read a column of the tile would all
// access the same bank.
#include "device.hpp"
#include "kernels.hpp"

namespace {

constexpr int tile_size = 32, rows_per_block = 8;

template <int Padding>
__global__ void transpose_kernel(const float* in, float* out, int width, int height) {
  __shared__ float tile[tile_size][tile_size + Padding];
  int x = blockIdx.x * tile_size + threadIdx.x;
  int y = blockIdx.y * tile_size + threadIdx.y;
  for (int row = 0; row < tile_size; row += rows_per_block) {
    if (x < width && y + row < height) {
      tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * width + x];
    }
  }
  __syncthreads();
  x = blockIdx.y * tile_size + threadIdx.x;
  y = blockIdx.x * tile_size + threadIdx.y;
  for (int row = 0; row < tile_size; row += rows_per_block) {
    if (x < height && y + row < width) {
      out[(y + row) * height + x] = tile[threadIdx.x][threadIdx.y + row];
    }
  }
}

}  // namespace

std::vector<float> transpose(const std::vector<float>& in, int width, int height, bool padded) {
  const device_array<float> from(in), to(in.size());
  const dim3 block(tile_size, rows_per_block);
  const dim3 grid((width + tile_size - 1) / tile_size, (height + tile_size - 1) / tile_size);
  if (padded) {
    transpose_kernel<1><<<grid, block>>>(from.data(), to.data(), width, height);
  } else {
    transpose_kernel<0><<<grid, block>>>(from.data(), to.data(), width, height);
  }
  check(cudaGetLastError(), "transpose");
  return to.to_host();
}
