// Sums of whole numbers as courses teach them, each kernel faster than the one before. From the
// third on the last warp of a block adds through a volatile pointer, and nothing waits between its
// steps.
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

constexpr unsigned threads = 256, count = 1 << 18;

__global__ void by_neighbours(int* data, int* sums) {
  int* mine = data + blockIdx.x * blockDim.x;
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    if (threadIdx.x % (2 * stride) == 0) mine[threadIdx.x] += mine[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = mine[0];
}

__global__ void by_halves(int* data, int* sums) {
  int* mine = data + blockIdx.x * blockDim.x;
  for (unsigned stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    if (threadIdx.x < stride) mine[threadIdx.x] += mine[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = mine[0];
}

__global__ void last_warp_unrolled(int* data, int* sums) {
  const unsigned t = threadIdx.x, first = blockIdx.x * blockDim.x * 8;
  int* mine = data + first;
  int sum = 0;
  for (int k = 0; k < 8; ++k) sum += data[first + t + k * blockDim.x];
  mine[t] = sum;
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 32; stride >>= 1) {
    if (t < stride) mine[t] += mine[t + stride];
    __syncthreads();
  }
  if (t < 32) {
    volatile int* last = mine;
    last[t] += last[t + 32];  // lane 0 reads what others write below
    last[t] += last[t + 16];
    last[t] += last[t + 8];
    last[t] += last[t + 4];
    last[t] += last[t + 2];
    last[t] += last[t + 1];
  }
  if (t == 0) sums[blockIdx.x] = mine[0];
}

template <unsigned Block>
__global__ void all_unrolled(int* data, int* sums) {
  const unsigned t = threadIdx.x, first = blockIdx.x * Block * 8;
  int* mine = data + first;
  int sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum += data[first + t + k * Block];
  mine[t] = sum;
  __syncthreads();
  if (Block >= 1024 && t < 512) mine[t] += mine[t + 512];
  __syncthreads();
  if (Block >= 512 && t < 256) mine[t] += mine[t + 256];
  __syncthreads();
  if (Block >= 256 && t < 128) mine[t] += mine[t + 128];
  __syncthreads();
  if (Block >= 128 && t < 64) mine[t] += mine[t + 64];
  __syncthreads();
  if (t < 32) {
    volatile int* last = mine;
    last[t] += last[t + 32];
    last[t] += last[t + 16];
    last[t] += last[t + 8];
    last[t] += last[t + 4];
    last[t] += last[t + 2];
    last[t] += last[t + 1];
  }
  if (t == 0) sums[blockIdx.x] = mine[0];
}

__device__ void add_last(volatile int* last, unsigned t) {
  for (unsigned stride = 32; stride > 0; stride >>= 1) last[t] += last[t + stride];
}
__global__ void in_shared_memory(int* data, int* sums) {
  extern __shared__ volatile int held[];
  const unsigned t = threadIdx.x;
  held[t] = data[blockIdx.x * blockDim.x + t];
  __syncthreads();
  if (t < 128) held[t] += held[t + 128];
  __syncthreads();
  if (t < 64) held[t] += held[t + 64];
  __syncthreads();
  if (t < 32) add_last(held, t);
  if (t == 0) sums[blockIdx.x] = held[0];
}
/// The other array is one of two; the launch decides which.
__global__ void in_one_of_two(int* data, int* sums, bool shared) {
  __shared__ int held[threads];
  const unsigned t = threadIdx.x;
  int* mine = data + blockIdx.x * blockDim.x;
  held[t] = mine[t];
  __syncthreads();
  if (t < 128) held[t] = mine[t] += mine[t + 128];
  __syncthreads();
  if (t < 64) held[t] = mine[t] += mine[t + 64];
  __syncthreads();
  if (t < 32) {
    volatile int* last = held;
    volatile int* other = shared ? held : mine;
    last[t] += last[t + 32];
    other[t] = last[t];
    other[t] += other[t + 16];
    last[t] = other[t];
    for (unsigned stride = 8; stride > 0; stride >>= 1) last[t] += last[t + stride];
  }
  if (t == 0) sums[blockIdx.x] = held[0];
}

int main() {
  std::vector<int> values(count), sums(count / threads);
  long long want = 0;
  for (unsigned i = 0; i < count; ++i) want += values[i] = static_cast<int>(i * 2654435761u >> 24);
  int *data, *partial, failed = 0;
  cudaMalloc(&data, count * sizeof(int));
  cudaMalloc(&partial, sums.size() * sizeof(int));
  const auto test = [&](const char* name, unsigned blocks, auto launch) {
    cudaMemcpy(data, values.data(), count * sizeof(int), cudaMemcpyHostToDevice);
    launch(blocks);
    cudaMemcpy(sums.data(), partial, blocks * sizeof(int), cudaMemcpyDeviceToHost);
    long long sum = 0;
    for (unsigned b = 0; b < blocks; ++b) sum += sums[b];
    if (sum != want) std::printf("wrong: %s: %lld, not %lld\n", name, sum, want), ++failed;
  };
  constexpr unsigned one = count / threads, eighth = one / 8;
  test("by neighbours", one, [&](unsigned b) { by_neighbours<<<b, threads>>>(data, partial); });
  test("by halves", one, [&](unsigned b) { by_halves<<<b, threads>>>(data, partial); });
  test("last warp unrolled", eighth,
       [&](unsigned b) { last_warp_unrolled<<<b, threads>>>(data, partial); });
  test("all unrolled", eighth,
       [&](unsigned b) { all_unrolled<threads><<<b, threads>>>(data, partial); });
  test("in shared memory", one,
       [&](unsigned b) { in_shared_memory<<<b, threads, threads * sizeof(int)>>>(data, partial); });
  for (const bool shared : {false, true}) {
    test("in one of two", one,
         [&](unsigned b) { in_one_of_two<<<b, threads>>>(data, partial, shared); });
  }
  std::printf("%s\n", failed == 0 ? "all sums are right" : "some sums are wrong");
  return failed != 0;
}
