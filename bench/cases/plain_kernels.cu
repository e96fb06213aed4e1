#include "bench/cases/plain_kernels.hpp"

namespace warpfold::bench {
namespace {

constexpr unsigned threads = 256;

__global__ void nothing() {}

__global__ void vector_add(const float* x, const float* y, float* z, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

__global__ void saxpy(float a, const float* x, float* y, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void stencil(const float* in, float* out, unsigned side) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= side) return;
  const unsigned i = y * side + x;
  if (x == 0 || y == 0 || x == side - 1 || y == side - 1) {
    out[i] = in[i];
  } else {
    out[i] = 0.2F * (in[i] + in[i - 1] + in[i + 1] + in[i - side] + in[i + side]);
  }
}

__global__ void product(const float* a, const float* b, float* c, unsigned side) {
  __shared__ float tile_a[product_tile][product_tile];
  __shared__ float tile_b[product_tile][product_tile];
  const unsigned x = threadIdx.x, y = threadIdx.y;
  const unsigned row = blockIdx.y * product_tile + y, column = blockIdx.x * product_tile + x;
  float sum = 0;
  for (unsigned k = 0; k < side; k += product_tile) {
    tile_a[y][x] = a[row * side + k + x];
    tile_b[y][x] = b[(k + y) * side + column];
    __syncthreads();
    for (unsigned i = 0; i < product_tile; ++i) sum += tile_a[y][i] * tile_b[i][x];
    __syncthreads();
  }
  c[row * side + column] = sum;
}

__global__ void block_sums(const std::uint32_t* in, std::uint32_t* sums, unsigned n) {
  __shared__ std::uint32_t partial[sum_block];
  const unsigned t = threadIdx.x, i = blockIdx.x * sum_block + t;
  partial[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned d = sum_block / 2; d != 0; d /= 2) {
    if (t < d) partial[t] += partial[t + d];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = partial[0];
}

__global__ void warp_sums(const std::uint32_t* in, std::uint32_t* sums, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  std::uint32_t sum = i < n ? in[i] : 0;
  for (unsigned d = 16; d != 0; d /= 2) sum += __shfl_down_sync(0xFFFFFFFFU, sum, d);
  if (threadIdx.x % 32 == 0) sums[i / 32] = sum;
}

unsigned blocks_for(std::size_t n) { return static_cast<unsigned>((n + threads - 1) / threads); }

}  // namespace

void launch_nothing() { nothing<<<1, 1>>>(); }
void launch_vector_add(const float* x, const float* y, float* z, std::size_t n) {
  vector_add<<<blocks_for(n), threads>>>(x, y, z, static_cast<unsigned>(n));
}
void launch_saxpy(float a, const float* x, float* y, std::size_t n) {
  saxpy<<<blocks_for(n), threads>>>(a, x, y, static_cast<unsigned>(n));
}
void launch_stencil(const float* in, float* out, std::size_t side) {
  const dim3 grid(blocks_for(side), static_cast<unsigned>(side));
  stencil<<<grid, threads>>>(in, out, static_cast<unsigned>(side));
}
void launch_product(const float* a, const float* b, float* c, std::size_t side) {
  const auto tiles = static_cast<unsigned>(side / product_tile);
  product<<<dim3(tiles, tiles), dim3(product_tile, product_tile)>>>(a, b, c,
                                                                    static_cast<unsigned>(side));
}
void launch_block_sums(const std::uint32_t* in, std::uint32_t* sums, std::size_t n) {
  block_sums<<<static_cast<unsigned>((n + sum_block - 1) / sum_block), sum_block>>>(
      in, sums, static_cast<unsigned>(n));
}
void launch_warp_sums(const std::uint32_t* in, std::uint32_t* sums, std::size_t n) {
  warp_sums<<<blocks_for(n), threads>>>(in, sums, static_cast<unsigned>(n));
}

}  // namespace warpfold::bench
