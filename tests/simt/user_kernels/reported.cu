#include <cassert>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/simt/user_kernels/reported.hpp"

namespace {

__global__ void clean_kernel(const int* in, int* out) {
  __shared__ int values[256];
  values[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = values[255 - threadIdx.x];  // [clean]
}

__global__ void column_kernel(int* out) {
  __shared__ int tile[32][32];
  for (unsigned row = 0; row < 32; ++row) tile[row][threadIdx.x] = static_cast<int>(row);
  __syncwarp();
  int sum = 0;
  for (unsigned column = 0; column < 32; ++column) {
    sum += tile[threadIdx.x][column];  // [conflict]
  }
  out[blockIdx.x * 32 + threadIdx.x] = sum;
}

__global__ void strided_kernel(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x * 8];  // [strided]
}

__global__ void one_bin_kernel(int* count) {
  __shared__ int mine;
  if (threadIdx.x == 0) mine = 0;
  __syncthreads();
  atomicAdd(&mine, 1);  // [shared atomic]
  __syncthreads();
  atomicAdd(count, mine);  // [global atomic]
}

__global__ void few_lanes_kernel(int* out) {
  int x = static_cast<int>(threadIdx.x);
  if (threadIdx.x < 4) {
    for (int i = 0; i < 100; ++i) {  // [few lanes]
      x = x * 3 + __shfl_xor_sync(0xf, x, 1);
    }
  }
  out[threadIdx.x] = x;  // [behind the loop]
}

__global__ void transpose_kernel(const int* in, int* out, int width) {
  __shared__ int tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = threadIdx.y;
  for (int row = 0; row < 32; row += 8) {
    if (x < width) tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * width + x];
  }
  __syncthreads();  // [meeting]
  x = threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int row = 0; row < 32; row += 8) {
    if (y + row < width) out[(y + row) * 32 + x] = tile[threadIdx.x][threadIdx.y + row];
  }
}

__global__ void race_kernel(int* out) {
  __shared__ int last;
  last = static_cast<int>(threadIdx.x);  // [race]
  __syncthreads();
  out[threadIdx.x] = last;
}

__global__ void failing_kernel(int n) { assert(n == 0); }

__global__ void twice_kernel(int* values) {
  values[threadIdx.x] *= 2;  // [host memory]
}

__constant__ int weights[4] = {1, 2, 3, 4};
__device__ int counter;
struct taps {
  int values[64];
};

__global__ void constants_kernel(taps t, int* out) {
  static constexpr int table[32] = {5, 6, 7};
  int local[33] = {};
  local[threadIdx.x] = table[threadIdx.x] + weights[threadIdx.x % 4] + t.values[threadIdx.x];
  atomicAdd(&counter, 1);
  out[threadIdx.x] = local[(threadIdx.x + 1) % 33];
}

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(what) + ": failed");
}

/// Enough zeros for all of them.
int* memory() {
  int* p = nullptr;
  cudaMalloc(&p, 4096 * sizeof(int));
  cudaMemset(p, 0, 4096 * sizeof(int));
  return p;
}

template <class Launch>
void with_memory(Launch launch) {
  int* const a = memory();
  int* const b = memory();
  launch(a, b);
  cudaFree(a);
  cudaFree(b);
}

}  // namespace

namespace reported {

void clean() {
  with_memory([](int* a, int* b) { clean_kernel<<<4, 256>>>(a, b); });
}
void bank_conflicts() {
  with_memory([](int* a, int*) { column_kernel<<<2, 32>>>(a); });
}
void strided() {
  with_memory([](int* a, int* b) { strided_kernel<<<1, 256>>>(a, b); });
}
void one_bin() {
  with_memory([](int* a, int*) { one_bin_kernel<<<1, 64>>>(a); });
}
void few_lanes() {
  with_memory([](int* a, int*) { few_lanes_kernel<<<1, 32>>>(a); });
}
void transposed() {
  with_memory([](int* a, int* b) { transpose_kernel<<<4, dim3(32, 8)>>>(a, b, 128); });
}
void race() {
  with_memory([](int* a, int*) { race_kernel<<<1, 64>>>(a); });
}
void failing() { failing_kernel<<<1, 32>>>(1); }
void failing_and_checked() {
  failing();
  check(cudaGetLastError(), "the assertion");
}
void racing_and_checked() {
  race();
  throw std::runtime_error("the race: a wrong result");
}
void twice_in_two_shapes() {
  with_memory([](int* a, int* b) {
    strided_kernel<<<1, 32>>>(a, b);
    strided_kernel<<<1, 64>>>(a, b);
  });
}

void host_pointer() {
  std::vector<int> values(64, 1);
  twice_kernel<<<1, 64>>>(values.data());
}
void pointer_to_local() {
  int values[64] = {};
  twice_kernel<<<1, 64>>>(values);
}
void null_pointer() { twice_kernel<<<1, 64>>>(nullptr); }
void memory_for_both() {
  int *managed = nullptr, *pinned = nullptr;
  cudaMallocManaged(&managed, 64 * sizeof(int));
  cudaMallocHost(&pinned, 64 * sizeof(int));
  for (int i = 0; i < 64; ++i) managed[i] = pinned[i] = i;
  twice_kernel<<<1, 64>>>(managed);
  twice_kernel<<<1, 64>>>(pinned);
  if (managed[3] != 6 || pinned[3] != 6) throw std::runtime_error("not doubled");
  cudaFree(managed);
  cudaFreeHost(pinned);
}
void constants_and_variables() {
  with_memory([](int* a, int*) { constants_kernel<<<1, 32>>>({}, a); });
}
void host_reads_and_writes() {
  with_memory([](int* a, int* b) {
    strided_kernel<<<1, 32>>>(a, b);
    if (b[1] != 0) throw std::runtime_error("never");  // [host reads]
    strided_kernel<<<1, 32>>>(a, b);
    a[2] = 7;  // [host writes]
    strided_kernel<<<1, 32>>>(a, b);
    int copied = 0;
    cudaMemcpy(&copied, a + 2, sizeof copied, cudaMemcpyDeviceToHost);
    if (copied != 7) throw std::runtime_error("the write went through");
  });
}
void never_freed() {
  int* p = nullptr;
  cudaMalloc(&p, 4000);  // [leak]
  clean();
}

}  // namespace reported
