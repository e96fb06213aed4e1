"""Reductions in the form in which the source documents print them, as hand-ins: where each lands, what is wrong with it."""

GLOBAL = """__global__ void k(int* in, int* out, size_t n) {
  const unsigned tid = threadIdx.x, index = blockIdx.x * blockDim.x + tid;
  int* const data = in + blockIdx.x * blockDim.x;
  if (index >= n) return;
  %s
  if (tid == 0) out[blockIdx.x] = data[0];
}
"""
SHARED = """__global__ void k(int* in, int* out, size_t) {
  extern __shared__ int data[];
  const unsigned tid = threadIdx.x, i = blockIdx.x * (blockDim.x * TILE / 256) + tid;
  data[tid] = %s;
  __syncthreads();
  %s
  if (tid == 0) out[blockIdx.x] = data[0];
}
"""
UP = "for (unsigned stride = 1; stride < blockDim.x; stride *= 2) { %s __syncthreads(); }"
DOWN = "for (unsigned stride = blockDim.x / 2; stride > %d; stride >>= 1) { if (tid < stride) data[tid] += data[tid + stride]; __syncthreads(); }"
PAIRS = UP % "if (tid % (2 * stride) == 0) data[tid] += data[tid + stride];"
INDEX = UP % "const unsigned index = 2 * stride * tid; if (index < blockDim.x) data[index] += data[index + stride];"
TAIL = " if (tid < 32) { volatile int* last = data; " + " ".join(f"last[tid] += last[tid + {d}];" for d in (32, 16, 8, 4, 2, 1)) + " }"
ONE, TWO = "in[i]", "in[i] + in[i + blockDim.x]"

# Whole tiles alone, as the documents have them: the rest of the last one is 0.
WHOLE = """
extern "C" void reduce(const int* in, int* out, size_t n) {
  const size_t most = (n / TILE + 1) * TILE;
  int* values[2];
  for (int*& v : values) {
    cudaMalloc(&v, most * sizeof(int));
    cudaMemset(v, 0, most * sizeof(int));
  }
  cudaMemcpy(values[0], in, n * sizeof(int), cudaMemcpyDeviceToDevice);
  for (int pass = 0;; pass ^= 1) {
    const size_t blocks = n <= TILE ? 1 : (n + TILE - 1) / TILE;
    k<<<blocks, 256, 256 * sizeof(int)>>>(values[pass], values[pass ^ 1], blocks * TILE);
    n = blocks;
    if (blocks == 1) {
      cudaMemcpy(out, values[pass ^ 1], sizeof(int), cudaMemcpyDeviceToDevice);
      break;
    }
    cudaMemset(values[pass], 0, most * sizeof(int));
  }
  cudaFree(values[0]);
  cudaFree(values[1]);
}
"""
# Any number of values, as a reader would call the printed kernel.
ANY = """
extern "C" void reduce(int* in, int* out, size_t n) {
  if (n == 0) {
    cudaMemset(out, 0, sizeof(int));
    return;
  }
  const size_t blocks = (n + TILE - 1) / TILE;
  int* partials;
  cudaMalloc(&partials, blocks * sizeof(int));
  k<<<blocks, 256, 256 * sizeof(int)>>>(in, blocks == 1 ? out : partials, n);
  if (blocks > 1) reduce(partials, out, blocks);
  cudaFree(partials);
}
"""
BEYOND = "(wrong at n = |right, with |stopped at n = ).*(access out of bounds|read of unwritten)"
LOCKSTEP = "(wrong at n = |right, with |stopped at n = ).*race in a warp"

# name, values of a tile, kernel, caller, first sentence, rung
PUBLISHED = [
    ("neighbored", 256, GLOBAL % PAIRS, WHOLE, "right and clean", "01 neighbored"),
    ("neighbored_less", 256, GLOBAL % INDEX, WHOLE, "right and clean", "02 neighbored-less"),
    ("interleaved", 256, GLOBAL % (DOWN % 0), WHOLE, "right and clean", "03 interleaved"),
    ("modulo", 256, SHARED % (ONE, PAIRS), WHOLE, "right and clean", "10 modulo"),
    ("strided", 256, SHARED % (ONE, INDEX), WHOLE, "right and clean", "11 strided"),
    ("sequential", 256, SHARED % (ONE, DOWN % 0), WHOLE, "right and clean", "12 sequential"),
    ("first_add", 512, SHARED % (TWO, DOWN % 0), WHOLE, "right and clean", "13 first-add"),
    ("last_warp", 512, SHARED % (TWO, DOWN % 32 + TAIL), WHOLE, LOCKSTEP, None),
    ("neighbored_any", 256, GLOBAL % PAIRS, ANY, BEYOND, None),
    ("first_add_any", 512, SHARED % (TWO, DOWN % 0), ANY, BEYOND, None),
]


def hand_in(tile, kernel, caller):
    return f"#include <cuda_runtime.h>\nconstexpr size_t TILE = {tile};\n" + kernel + caller
