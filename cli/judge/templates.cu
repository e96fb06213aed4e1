//--- reduce function
// A reduction to judge: warpfold judge reduce my.cu
#include <cuda_runtime.h>

// Sums n values at `in` into the one at `out`; both are in device memory. n may be 0.
__global__ void sum_kernel(const int* in, int* out, size_t n) {
  __shared__ int values[256];
  const unsigned tid = threadIdx.x;
  const size_t i = size_t{blockIdx.x} * blockDim.x + tid;
  values[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride) values[tid] += values[tid + stride];
    __syncthreads();
  }
  if (tid == 0) atomicAdd(out, values[0]);
}

extern "C" void reduce(const int* in, int* out, size_t n) {
  cudaMemset(out, 0, sizeof(int));
  if (n == 0) return;
  sum_kernel<<<(n + 255) / 256, 256>>>(in, out, n);
}
//--- reduce kernel
// A reduction to judge: warpfold judge reduce my.cu
// Each block leaves its sum at out[blockIdx.x]; the judge launches the kernel again on these sums
// until one is left.
// launch: sum_kernel<<<(n + 255) / 256, 256, 256 * sizeof(int)>>>(in, out, n)
#include <cuda_runtime.h>

__global__ void sum_kernel(const int* in, int* out, size_t n) {
  extern __shared__ int values[];
  const unsigned tid = threadIdx.x;
  const size_t i = size_t{blockIdx.x} * blockDim.x + tid;
  values[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride) values[tid] += values[tid + stride];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = values[0];
}
//--- scan function
// An inclusive scan to judge: warpfold judge scan my.cu
#include <cuda_runtime.h>

// Each block scans a tile of 256 values and leaves its sum.
__global__ void scan_tiles(const int* in, int* out, int* sums, size_t n) {
  __shared__ int values[256];
  const unsigned tid = threadIdx.x;
  const size_t i = size_t{blockIdx.x} * blockDim.x + tid;
  values[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
    const int left = tid >= distance ? values[tid - distance] : 0;
    __syncthreads();
    values[tid] += left;
    __syncthreads();
  }
  if (i < n) out[i] = values[tid];
  if (tid == blockDim.x - 1) sums[blockIdx.x] = values[tid];
}

__global__ void add_sums(int* out, const int* sums, size_t n) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n && blockIdx.x > 0) out[i] += sums[blockIdx.x - 1];
}

// out[i] is the sum of in[0] to in[i]; both are in device memory. n may be 0.
extern "C" void scan(const int* in, int* out, size_t n) {
  if (n == 0) return;
  const size_t blocks = (n + 255) / 256;
  int* sums = nullptr;
  cudaMalloc(&sums, blocks * sizeof(int));
  scan_tiles<<<blocks, 256>>>(in, out, sums, n);
  if (blocks > 1) {
    scan(sums, sums, blocks);
    add_sums<<<blocks, 256>>>(out, sums, n);
  }
  cudaFree(sums);
}
//--- scan kernel
// An inclusive scan to judge: warpfold judge scan my.cu
// launch: scan_kernel<<<1, 1024>>>(in, out, n)
#include <cuda_runtime.h>

// One block scans tile after tile and adds the sum of the tiles before.
__global__ void scan_kernel(const int* in, int* out, size_t n) {
  __shared__ int values[1024];
  const unsigned tid = threadIdx.x;
  int carry = 0;
  for (size_t base = 0; base < n; base += blockDim.x) {
    const size_t i = base + tid;
    values[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
      const int left = tid >= distance ? values[tid - distance] : 0;
      __syncthreads();
      values[tid] += left;
      __syncthreads();
    }
    if (i < n) out[i] = carry + values[tid];
    carry += values[blockDim.x - 1];
    __syncthreads();
  }
}
//--- sort function
// A sort to judge: warpfold judge sort my.cu
#include <cuda_runtime.h>

// One step of a bitonic network over `size` keys; keys from n on count as the largest.
__global__ void compare_exchange(unsigned* keys, size_t n, size_t distance, bool mirrored) {
  const size_t t = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const size_t a = t / distance * 2 * distance + t % distance;
  const size_t b =
      mirrored ? t / distance * 2 * distance + 2 * distance - 1 - t % distance : a + distance;
  if (b < n && keys[b] < keys[a]) {
    const unsigned key = keys[a];
    keys[a] = keys[b];
    keys[b] = key;
  }
}

// The n keys at `in` in ascending order to `out`; both are in device memory. n may be 0.
extern "C" void sort(const unsigned* in, unsigned* out, size_t n) {
  if (n == 0) return;
  cudaMemcpy(out, in, n * sizeof(unsigned), cudaMemcpyDeviceToDevice);
  size_t size = 2;
  while (size < n) size *= 2;
  for (size_t run = 2; run <= size; run *= 2) {
    for (size_t distance = run / 2; distance > 0; distance /= 2) {
      compare_exchange<<<(size / 2 + 255) / 256, 256>>>(out, n, distance, distance == run / 2);
    }
  }
}
//--- sort kernel
// A sort to judge: warpfold judge sort my.cu
// launch: sort_kernel<<<1, 1024>>>(in, out, n)
#include <cuda_runtime.h>

// One block runs a bitonic network; its size is a power of two, and keys from n on count as the
// largest.
__global__ void sort_kernel(const unsigned* in, unsigned* out, size_t n) {
  for (size_t i = threadIdx.x; i < n; i += blockDim.x) out[i] = in[i];
  __syncthreads();
  size_t size = 1;
  while (size < n) size *= 2;
  for (size_t run = 2; run <= size; run *= 2) {
    for (size_t distance = run / 2; distance > 0; distance /= 2) {
      for (size_t t = threadIdx.x; t < size / 2; t += blockDim.x) {
        const size_t a = t / distance * 2 * distance + t % distance;
        const size_t b = distance == run / 2
                             ? t / distance * 2 * distance + 2 * distance - 1 - t % distance
                             : a + distance;
        if (b < n && out[b] < out[a]) {
          const unsigned key = out[a];
          out[a] = out[b];
          out[b] = key;
        }
      }
      __syncthreads();
    }
  }
}
