// Kernels that nvcc's optimiser changes so that a card counts something else than the source says,
// and their twins that it leaves alone: for both, what Nsight Compute read on a card is known.
#include "tests/golden/golden_runs.hpp"

namespace {

constexpr int threads = 256;
constexpr int side = 16;  // of the tiles of the product

__device__ int index() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

// ---- loops whose trip count differs in a warp. Unrolled by four, a lane's first three turns and
// its last one are other instructions than the rest.

__device__ int row_end(const int* in, int row) { return row * 9 + in[row] % 23; }

/// Sparse matrix times vector, a thread a row.
__global__ void rows_of_a_sparse_matrix(const int* in, int* out, int n) {
  const int row = index() % 200, end = row_end(in, row);
  int sum = 0;
  for (int k = row * 9; k < end; ++k) sum += in[n + k] * in[2 * n + in[k] % 512];
  out[index()] = sum;
}

__global__ void rows_of_a_sparse_matrix_not_unrolled(const int* in, int* out, int n) {
  const int row = index() % 200, end = row_end(in, row);
  int sum = 0;
#pragma unroll 1
  for (int k = row * 9; k < end; ++k) sum += in[n + k] * in[2 * n + in[k] % 512];
  out[index()] = sum;
}

/// The largest and the sum of 100 columns, by a warp a row.
__global__ void hundred_columns(const int* in, int* out, int n) {
  const int lane = threadIdx.x % 32, row = index() / 32 % 20;
  int most = -1, sum = 0;
  for (int k = lane; k < 100; k += 32) most = max(most, in[row * 100 + k]);
  most = __reduce_max_sync(0xffffffffU, most);
  for (int k = lane; k < 100; k += 32) sum += most - in[row * 100 + k];
  sum = __reduce_add_sync(0xffffffffU, sum);
  for (int k = lane; k < 100; k += 32) out[row * 100 + k] = in[row * 100 + k] * n + sum;
}

__global__ void hundred_columns_not_unrolled(const int* in, int* out, int n) {
  const int lane = threadIdx.x % 32, row = index() / 32 % 20;
  int most = -1, sum = 0;
#pragma unroll 1
  for (int k = lane; k < 100; k += 32) most = max(most, in[row * 100 + k]);
  most = __reduce_max_sync(0xffffffffU, most);
#pragma unroll 1
  for (int k = lane; k < 100; k += 32) sum += most - in[row * 100 + k];
  sum = __reduce_add_sync(0xffffffffU, sum);
#pragma unroll 1
  for (int k = lane; k < 100; k += 32) out[row * 100 + k] = in[row * 100 + k] * n + sum;
}

/// All lanes make as many turns, and nobody but the launch knows how many.
__global__ void hundred_and_twenty_eight_columns(const int* in, int* out, int n) {
  const int lane = threadIdx.x % 32, row = index() / 32 % 16, columns = n / 16;
  int sum = 0;
  for (int k = lane; k < columns; k += 32) sum += in[row * columns + k];
  out[index()] = sum;
}

__global__ void strides_of_the_grid(const int* in, int* out, int n) {
  int sum = 0;
  for (int i = index(); i < 3 * n - 50; i += static_cast<int>(gridDim.x * blockDim.x)) sum += in[i];
  out[index()] = sum;
}

__global__ void triangle(const int* in, int* out, int n) {
  const int i = index();
  int sum = 0;
  for (int k = 0; k <= i % 32; ++k) sum += in[n + k * 32 + i % 32];
  out[i] = sum;
}

// ---- consecutive words of shared memory that one lane reads, in a loop that is unrolled

__global__ void tiled_product(const int* in, int* out, int n) {
  __shared__ int a[side][side], b[side][side];
  const int x = threadIdx.x, y = threadIdx.y;
  int sum = 0;
  for (int tile = 0; tile < 2; ++tile) {
    a[y][x] = in[(tile * side + y) * side + x];
    b[y][x] = in[n + (tile * side + y) * side + x];
    __syncthreads();
    for (int k = 0; k < side; ++k) sum += a[y][k] * b[k][x];
    __syncthreads();
  }
  out[(blockIdx.x * side + y) * side + x] = sum;
}

__global__ void tiled_product_not_unrolled(const int* in, int* out, int n) {
  __shared__ int a[side][side], b[side][side];
  const int x = threadIdx.x, y = threadIdx.y;
  int sum = 0;
  for (int tile = 0; tile < 2; ++tile) {
    a[y][x] = in[(tile * side + y) * side + x];
    b[y][x] = in[n + (tile * side + y) * side + x];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < side; ++k) sum += a[y][k] * b[k][x];
    __syncthreads();
  }
  out[(blockIdx.x * side + y) * side + x] = sum;
}

__global__ void tiled_product_padded(const int* in, int* out, int n) {
  __shared__ int a[side][side + 1], b[side][side + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  a[y][x] = in[y * side + x];
  b[y][x] = in[n + y * side + x];
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < side; ++k) sum += a[y][k] * b[k][x];
  out[(blockIdx.x * side + y) * side + x] = sum;
}

__global__ void eight_words_a_lane(const int* in, int* out, int) {
  __shared__ int words[threads * 8];
  for (int k = 0; k < 8; ++k) words[k * threads + threadIdx.x] = in[k * threads + threadIdx.x];
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < 8; ++k) sum += words[threadIdx.x * 8 + k];
  out[index()] = sum;
}

__global__ void two_words_a_lane(const int* in, int* out, int) {
  __shared__ int words[threads * 2];
  words[2 * threadIdx.x] = in[2 * threadIdx.x];
  words[2 * threadIdx.x + 1] = in[2 * threadIdx.x + 1];
  __syncthreads();
  out[index()] =
      words[2 * (threads - 1 - threadIdx.x)] - words[2 * (threads - 1 - threadIdx.x) + 1];
}

__global__ void seven_weights(const int* in, int* out, int n) {
  __shared__ int tile[threads + 6], weights[8];
  const int t = threadIdx.x;
  tile[t] = in[index()];
  if (t < 6) tile[threads + t] = in[n + t];
  if (t < 8) weights[t] = in[2 * n + t];
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < 7; ++k) sum += weights[k] * tile[t + k];
  out[index()] = sum;
}

/// The same of global memory: nvcc does not know how `in` is aligned.
__global__ void eight_global_words_a_lane(const int* in, int* out, int) {
  int sum = 0;
  for (int k = 0; k < 8; ++k) sum += in[threadIdx.x * 8 + k];
  out[index()] = sum;
}

// ---- loads that are narrowed: of a remainder by a power of two, one byte tells

__global__ void one_byte_tells(const int* in, int* out, int) {
  const int i = index();
  if (in[i] % 4 == 0) out[i] = i;
}

/// What a lane reads twice is loaded once.
__global__ void read_twice(const int* in, int* out, int n) {
  const int i = index();
  int sum = 0;
  for (int k = 0; k < 8; ++k) sum += in[i] * k + in[n + k];
  out[i] = sum + in[i];
}

}  // namespace

std::vector<golden_run> optimised_runs() {
  const dim3 tile(side, side);
  return {
      GOLDEN_RUN(rows_of_a_sparse_matrix, 2, threads),
      GOLDEN_RUN(rows_of_a_sparse_matrix_not_unrolled, 2, threads),
      GOLDEN_RUN(hundred_columns, 2, threads),
      GOLDEN_RUN(hundred_columns_not_unrolled, 2, threads),
      GOLDEN_RUN(hundred_and_twenty_eight_columns, 2, threads),
      GOLDEN_RUN(strides_of_the_grid, 2, threads),
      GOLDEN_RUN(triangle, 2, threads),
      GOLDEN_RUN(tiled_product, 4, tile),
      GOLDEN_RUN(tiled_product_not_unrolled, 4, tile),
      GOLDEN_RUN(tiled_product_padded, 4, tile),
      GOLDEN_RUN(eight_words_a_lane, 4, threads),
      GOLDEN_RUN(two_words_a_lane, 4, threads),
      GOLDEN_RUN(seven_weights, 4, threads),
      GOLDEN_RUN(eight_global_words_a_lane, 4, threads),
      GOLDEN_RUN(one_byte_tells, 4, threads),
      GOLDEN_RUN(read_twice, 4, threads),
  };
}
