"""Forty wrong reductions: each is a right one with one mistake, and must get the right first sentence."""

RIGHT = r"""
#include <cuda_runtime.h>
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
"""
SHUFFLE = r"""
#include <cuda_runtime.h>
__global__ void sum_kernel(const int* in, int* out, size_t n) {
  __shared__ int partials[8];
  const unsigned tid = threadIdx.x;
  int sum = 0;
  for (size_t i = size_t{blockIdx.x} * blockDim.x + tid; i < n; i += size_t{gridDim.x} * blockDim.x) {
    sum += in[i];
  }
  for (unsigned d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffU, sum, d);
  if (tid % 32 == 0) partials[tid / 32] = sum;
  __syncthreads();
  if (tid < 32) {
    sum = tid < 8 ? partials[tid] : 0;
    for (unsigned d = 4; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffU, sum, d);
    if (tid == 0) atomicAdd(out, sum);
  }
}
extern "C" void reduce(const int* in, int* out, size_t n) {
  cudaMemset(out, 0, sizeof(int));
  if (n != 0) sum_kernel<<<n < 65536 ? (n + 255) / 256 : 256, 256>>>(in, out, n);
}
"""
LOAD = "values[tid] = i < n ? in[i] : 0;"
TREE = "if (tid < stride) values[tid] += values[tid + stride];\n    __syncthreads();"
LOOP = "unsigned stride = blockDim.x / 2; stride > 0; stride /= 2"
LAST = "if (tid == 0) atomicAdd(out, values[0]);"
LAUNCH = "sum_kernel<<<(n + 255) / 256, 256>>>(in, out, n);"
ANY = "(wrong at n = |right, with |stopped at n = ).*"

# name, right kernel, what stands there, what stands there instead, the first sentence
WRONG = [
    ("reads_one_too_many", RIGHT, "i < n ?", "i <= n ?", ANY + "access out of bounds at .*:7"),
    ("no_guard", RIGHT, LOAD, "values[tid] = in[i];", ANY + "access out of bounds at .*:7"),
    ("no_barrier_after_load", RIGHT, LOAD + "\n  __syncthreads();", LOAD,
     ANY + "race between warps at"),
    ("no_barrier_in_tree", RIGHT, TREE, "if (tid < stride) values[tid] += values[tid + stride];",
     ANY + "race (between warps|in a warp) at"),
    ("lost_tail", RIGHT, "(n + 255) / 256, 256", "n / 256, 256", "stopped at n = 1: .*without threads.*up: .n . 255. / 256"),
    ("only_full_blocks", RIGHT, "i < n ? in[i] : 0", "(blockIdx.x + 1) * blockDim.x <= n ? in[i] : 0",
     "wrong at n = 1: expected .*, got 0: in.0. is missing"),
    ("unset_result", RIGHT, "cudaMemset(out, 0, sizeof(int));", "",
     "wrong at n = 0: .*nothing was written there"),
    ("zeroed_afterwards", RIGHT, LAUNCH, LAUNCH + " cudaMemset(out, 0, sizeof(int));",
     "wrong at n = 1: expected .*, got 0: in.0. is missing"),
    ("wrong_identity", RIGHT, "in[i] : 0", "in[i] : 1", "wrong at n = 1: expected"),
    ("starts_at_a_quarter", RIGHT, "stride = blockDim.x / 2", "stride = blockDim.x / 4",
     "wrong at n = 1000: expected"),
    ("ends_too_early", RIGHT, "stride > 0", "stride > 1", "wrong at n = 31: expected"),
    ("one_thread_too_many", RIGHT, "if (tid < stride)", "if (tid <= stride)",
     "(wrong at n = |right, with ).*race (between warps|in a warp)"),
    ("plain_store", RIGHT, "atomicAdd(out, values[0])", "*out = values[0]",
     "wrong at n = 1000: .*race between blocks at"),
    ("plain_addition", RIGHT, "atomicAdd(out, values[0])", "*out += values[0]",
     ANY + "race between blocks at"),
    ("all_threads_add", RIGHT, LAST, "atomicAdd(out, values[0]);", "wrong at n = 1: expected"),
    ("wrong_thread_adds", RIGHT, "if (tid == 0) atomicAdd(out, values[0])",
     "if (tid == 0) atomicAdd(out, values[1])", "wrong at n = 1: expected"),
    ("unwritten_shared_memory", RIGHT, LOAD, "if (i < n) values[tid] = in[i];",
     ANY + "read of unwritten"),
    ("early_return", RIGHT, LOAD, "if (i >= n) return; values[tid] = in[i];",
     ANY + "read of unwritten"),
    ("short_partials", RIGHT, "__shared__ int", "__shared__ short", "wrong at n = 1: expected"),
    ("float_partials", RIGHT, "__shared__ int", "__shared__ float", "wrong at n = "),
    ("n_of_16_bits", RIGHT, LAUNCH,
     "const unsigned short m = n; if (m) sum_kernel<<<(m + 255) / 256, 256>>>(in, out, m);",
     "wrong at n = 65536: expected .*, got 0: it launched no kernel"),
    ("first_tile_only", RIGHT, "size_t{blockIdx.x} * blockDim.x + tid", "tid",
     "wrong at n = 1000: expected"),
    ("half_the_threads", RIGHT, "/ 256, 256>>>", "/ 256, 128>>>", "wrong at n = 1000: expected"),
    ("twice_the_threads", RIGHT, "/ 256, 256>>>", "/ 256, 512>>>", ANY + "access out of bounds at"),
    ("barrier_in_branch", RIGHT, TREE,
     "if (tid < stride) { values[tid] += values[tid + stride]; __syncthreads(); }",
     "right, with 1 finding: barrier not reached by the whole block at"),
    ("last_is_lost", RIGHT, "i < n ?", "i + 1 < n ?", "wrong at n = 1: .*in.0. is missing"),
    ("first_is_doubled", RIGHT, LAST,
     "if (tid == 0) atomicAdd(out, values[0] + (blockIdx.x == 0 ? in[0] : 0));",
     "wrong at n = 1: .*in.0. is counted twice"),
    ("writes_beside", RIGHT, "atomicAdd(out, values[0])",
     "{ atomicAdd(out, values[0]); out[1] = 0; }", ANY + "access out of bounds at"),
    ("changes_the_input", RIGHT, LAST, LAST + " if (i < n) const_cast<int*>(in)[i] = 0;",
     "wrong at n = 1: in.0. was changed"),
    ("too_much_shared_memory", RIGHT, LAUNCH, "sum_kernel<<<(n + 255) / 256, 256, 1 << 20>>>(in, out, n);",
     "stopped at n = 1: .*shared"),
    ("spins", RIGHT, LAST, LAST + " while (*(volatile int*)out == 123456789 || tid == 5) {}",
     "stopped at n = 1: "),
    ("null_pointer", RIGHT, LAUNCH, "sum_kernel<<<(n + 255) / 256, 256>>>(nullptr, out, n);",
     "stopped at n = 1: "),
    ("misaligned", RIGHT, LOAD, "values[tid] = i < n ? *(const int*)((const char*)in + 4 * i + 1) : 0;",
     "(stopped|wrong) at n = 1: .*misaligned"),
    ("host_reads_device", RIGHT, LAUNCH, "if (in[0] != 1) " + LAUNCH,
     "right, with 1 finding: host's access to the device's memory at"),
    ("no_launch", RIGHT, LAUNCH, "", "wrong at n = 1: expected .*in.0. is missing"),
    ("partial_mask", SHUFFLE, "__shfl_down_sync(0xffffffffU, sum, d);\n  if",
     "__shfl_down_sync(0xffffU, sum, d);\n  if", "stopped at n = 1: .*wrong mask"),
    ("shuffle_from_8", SHUFFLE, "unsigned d = 16", "unsigned d = 8", "wrong at n = 31: expected"),
    ("first_warp_only", SHUFFLE, "tid < 8 ? partials[tid]", "tid < 1 ? partials[tid]",
     "wrong at n = 33: .*in.32. is missing"),
    ("no_barrier_for_partials", SHUFFLE, "= sum;\n  __syncthreads();", "= sum;",
     ANY + "race between warps at"),
    ("stride_of_a_block", SHUFFLE, "i += size_t{gridDim.x} * blockDim.x", "i += blockDim.x",
     "wrong at n = 1000: expected"),
    ("stride_of_the_grid", SHUFFLE, "i += size_t{gridDim.x} * blockDim.x", "i += 2 * size_t{gridDim.x} * blockDim.x",
     "wrong at n = 65537: expected"),
    ("too_few_partials", SHUFFLE, "partials[8]", "partials[4]", ANY + "access out of bounds at"),
]
