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
//--- histogram function
// A histogram to judge: warpfold judge histogram my.cu
#include <cuda_runtime.h>

// Each block counts in shared memory and adds its counts to the result.
__global__ void histogram_kernel(const unsigned* in, unsigned* counts, size_t n, unsigned bins) {
  extern __shared__ unsigned counters[];
  for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x) counters[bin] = 0;
  __syncthreads();
  const size_t step = size_t{gridDim.x} * blockDim.x;
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    if (in[i] < bins) atomicAdd(&counters[in[i]], 1);
  }
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x) {
    atomicAdd(&counts[bin], counters[bin]);
  }
}

// counts[k] is the number of the n values at `in` that are k; both are in device memory. Values of
// `bins` or more are not counted. n may be 0, bins is 1 to 256.
extern "C" void histogram(const unsigned* in, unsigned* counts, size_t n, unsigned bins) {
  cudaMemset(counts, 0, bins * sizeof(unsigned));
  if (n == 0) return;
  const unsigned blocks = n < 264 * 4096 ? (n + 4095) / 4096 : 264;
  histogram_kernel<<<blocks, 256, bins * sizeof(unsigned)>>>(in, counts, n, bins);
}
//--- histogram kernel
// A histogram to judge: warpfold judge histogram my.cu
// The judge zeroes the counts before the launch.
// launch: histogram_kernel<<<(n + 255) / 256, 256>>>(in, counts, n, bins)
#include <cuda_runtime.h>

__global__ void histogram_kernel(const unsigned* in, unsigned* counts, size_t n, unsigned bins) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n && in[i] < bins) atomicAdd(&counts[in[i]], 1);
}
//--- select function
// A selection to judge: warpfold judge select my.cu
#include <cuda_runtime.h>

// Each block leaves the number of values of its tile that are not 0.
__global__ void count_tiles(const int* in, unsigned* counts, size_t n) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const unsigned count = __syncthreads_count(i < n && in[i] != 0);
  if (threadIdx.x == 0) counts[blockIdx.x] = count;
}

// One thread replaces each count by the sum of those before it.
__global__ void scan_counts(unsigned* counts, unsigned tiles, unsigned long long* kept) {
  unsigned sum = 0;
  for (unsigned tile = 0; tile < tiles; ++tile) {
    const unsigned count = counts[tile];
    counts[tile] = sum;
    sum += count;
  }
  *kept = sum;
}

// Each kept value goes behind those of the tiles, warps and lanes before it.
__global__ void store_tiles(const int* in, int* out, const unsigned* before, size_t n) {
  __shared__ unsigned of_warp[8];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const int value = i < n ? in[i] : 0;
  const unsigned kept = __ballot_sync(0xffffffffU, value != 0);
  if (lane == 0) of_warp[warp] = __popc(kept);
  __syncthreads();
  unsigned to = before[blockIdx.x] + __popc(kept & ((1U << lane) - 1));
  for (unsigned w = 0; w < warp; ++w) to += of_warp[w];
  if (value != 0) out[to] = value;
}

// The values of `in` that are not 0 to `out`, in their order, and their number to *kept; all are in
// device memory. n may be 0. (Not extern "C": the C library has a function of this name.)
void select(const int* in, int* out, unsigned long long* kept, size_t n) {
  cudaMemset(kept, 0, sizeof *kept);
  if (n == 0) return;
  const unsigned tiles = (n + 255) / 256;
  unsigned* counts = nullptr;
  cudaMalloc(&counts, tiles * sizeof(unsigned));
  count_tiles<<<tiles, 256>>>(in, counts, n);
  scan_counts<<<1, 1>>>(counts, tiles, kept);
  store_tiles<<<tiles, 256>>>(in, out, counts, n);
  cudaFree(counts);
}
//--- select kernel
// A selection to judge: warpfold judge select my.cu
// The judge zeroes *kept before the launch.
// launch: select_kernel<<<1, 256>>>(in, out, kept, n)
#include <cuda_runtime.h>

// One block takes tile after tile and puts what is not 0 behind what it has kept.
__global__ void select_kernel(const int* in, int* out, unsigned long long* kept, size_t n) {
  __shared__ unsigned of_warp[8];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  size_t before = 0;
  for (size_t base = 0; base < n; base += blockDim.x) {
    const size_t i = base + threadIdx.x;
    const int value = i < n ? in[i] : 0;
    const unsigned mine = __ballot_sync(0xffffffffU, value != 0);
    if (lane == 0) of_warp[warp] = __popc(mine);
    __syncthreads();
    size_t to = before + __popc(mine & ((1U << lane) - 1));
    for (unsigned w = 0; w < 8; ++w) {
      if (w < warp) to += of_warp[w];
      before += of_warp[w];
    }
    if (value != 0) out[to] = value;
    __syncthreads();
  }
  if (threadIdx.x == 0) *kept = before;
}
