"""Wrong histograms and selections: each is a right one with one mistake, and must get the right first sentence."""
from wrong import ANY

HISTOGRAM = r"""
#include <cuda_runtime.h>
__global__ void histogram_kernel(const unsigned* in, unsigned* counts, size_t n, unsigned bins) {
  extern __shared__ unsigned counters[];
  for (unsigned b = threadIdx.x; b < bins; b += blockDim.x) counters[b] = 0;
  __syncthreads();
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n && in[i] < bins) atomicAdd(&counters[in[i]], 1);
  __syncthreads();
  for (unsigned b = threadIdx.x; b < bins; b += blockDim.x) atomicAdd(&counts[b], counters[b]);
}
extern "C" void histogram(const unsigned* in, unsigned* counts, size_t n, unsigned bins) {
  cudaMemset(counts, 0, bins * sizeof(unsigned));
  if (n == 0) return;
  histogram_kernel<<<(n + 255) / 256, 256, bins * sizeof(unsigned)>>>(in, counts, n, bins);
}
"""
COUNT = "if (i < n && in[i] < bins) atomicAdd(&counters[in[i]], 1);"
ADD = "for (unsigned b = threadIdx.x; b < bins; b += blockDim.x) atomicAdd(&counts[b], counters[b]);"
ADDS = "atomicAdd(&counts[b], counters[b])"
HISTOGRAM_OF_T = HISTOGRAM.replace("__global__", "template <class T>\n__global__").replace('extern "C"', "template <class T>") \
    .replace("const unsigned* in", "const T* in").replace(COUNT, "const T value = i < n ? in[i] : -1;\n"
                                                          "  if (value >= 0 && value < bins) atomicAdd(&counters[value], 1);")
# Its blocks count 4096 values each, and leave their counts to a second kernel.
PARTIALS = r"""
#include <cuda_runtime.h>
__global__ void count_tiles(const unsigned* in, unsigned* partials, size_t n, unsigned bins) {
  __shared__ unsigned counters[256];
  counters[threadIdx.x] = 0;
  __syncthreads();
  const size_t begin = size_t{blockIdx.x} * 4096;
  for (size_t i = begin + threadIdx.x; i < n && i < begin + 4096; i += 256) {
    if (in[i] < bins) atomicAdd(&counters[in[i]], 1);
  }
  __syncthreads();
  if (threadIdx.x < bins) partials[blockIdx.x * 256 + threadIdx.x] = counters[threadIdx.x];
}
__global__ void add_tiles(const unsigned* partials, unsigned* counts, size_t tiles) {
  unsigned sum = 0;
  for (size_t tile = 0; tile < tiles; ++tile) sum += partials[tile * 256 + threadIdx.x];
  counts[threadIdx.x] = sum;
}
extern "C" void histogram(const unsigned* in, unsigned* counts, size_t n, unsigned bins) {
  const size_t tiles = (n + 4095) / 4096;
  unsigned* partials = nullptr;
  cudaMalloc(&partials, (tiles + 1) * 256 * sizeof(unsigned));
  if (n > 0) count_tiles<<<tiles, 256>>>(in, partials, n, bins);
  add_tiles<<<1, bins>>>(partials, counts, tiles);
  cudaFree(partials);
}
"""
# A word has the counters of two bins.
PACKED = HISTOGRAM.replace("b < bins", "b < (bins + 1) / 2", 1) \
    .replace(COUNT, "const size_t step = size_t{gridDim.x} * blockDim.x;\n"
             "  for (size_t k = i; k < n; k += step) if (in[k] < bins) atomicAdd(&counters[in[k] / 2], 1U << in[k] % 2 * 16);") \
    .replace("atomicAdd(&counts[b], counters[b])", "atomicAdd(&counts[b], counters[b / 2] >> b % 2 * 16 & 0xffff)") \
    .replace("(n + 255) / 256, 256", "8, 256")

# As in wrong.py.
WRONG_HISTOGRAMS = [
    ("race_on_a_bin", HISTOGRAM, "atomicAdd(&counters[in[i]], 1)", "counters[in[i]]++",
     ANY + "race (between warps|in a warp) at .*:8"),
    ("race_between_blocks", HISTOGRAM, ADDS, "counts[b] += counters[b]", ANY + "race between blocks at .*:10"),
    ("last_bin", HISTOGRAM, ADD, ADD.replace("b < bins", "b + 1 < bins"),
     r"wrong at n = 1: counts.63.: expected 1, got 0: the last bin is missing"),
    ("no_guard_of_bins", HISTOGRAM, "i < n && in[i] < bins", "i < n",
     "(wrong|stopped) at n = 33, some of no bin: .*out of bounds"),
    ("one_bin_too_many", HISTOGRAM, "in[i] < bins", "in[i] <= bins",
     "(wrong|stopped|right, with ).*out of bounds at .*:8"),
    ("no_guard_of_n", HISTOGRAM, "i < n && in[i] < bins", "in[i] < bins", ANY + "access out of bounds at .*:8"),
    ("not_cleared", HISTOGRAM, "cudaMemset(counts, 0, bins * sizeof(unsigned));", "",
     r"wrong at n = 0: counts.0.: expected 0, got .*: nothing was written there"),
    ("counters_not_cleared", HISTOGRAM, "counters[b] = 0;", "{}", ANY + "read of unwritten"),
    ("no_barrier", HISTOGRAM, COUNT + "\n  __syncthreads();", COUNT, ANY + "race between warps at"),
    ("fixed_bins", HISTOGRAM, "b < bins; b += blockDim.x) atomicAdd", "b < 64; b += blockDim.x) atomicAdd",
     r"wrong at n = 1025, 256 bins: counts.6[4-9].: .*[0-9]+ of 1025 values are not counted; access out of bounds at .*:10"),
    ("a_bin_a_thread", HISTOGRAM, ADD, "if (threadIdx.x < 64) " + ADDS.replace("[b]", "[threadIdx.x]") + ";",
     r"wrong at n = 1025, 256 bins: counts.6[4-9].: .*[0-9]+ of 1025 values are not counted; access out of bounds at .*:10"),
    ("neighbours_bin", HISTOGRAM, "&counters[in[i]]", "&counters[(in[i] + 1) % bins]",
     "wrong at n = 1: .*values are counted in the wrong bin"),
    ("first_value_only", HISTOGRAM, "(n + 255) / 256, 256", "(n + 255) / 256, 128",
     "wrong at n = 1000: .*[0-9]+ of 1000 values are not counted"),
    ("counts_of_16_bits", HISTOGRAM, COUNT, COUNT + "\n  __syncthreads();\n  if (threadIdx.x < bins) counters[threadIdx.x] %= 256;",
     r"wrong at n = 1025, one value: .*values are not counted"),
    ("changes_the_input", HISTOGRAM, "&counters[in[i]], 1);", "&counters[in[i]], 1), const_cast<unsigned*>(in)[i] = 0;",
     r"wrong at n = (1|31): in.[0-9]+. was changed"),
    ("low_16_bits", HISTOGRAM, COUNT, COUNT.replace("in[i]", "static_cast<unsigned short>(in[i])"),
     "wrong at n = (33|1025), some of no bin: .*[0-9]+ instead of [0-9]+ values are counted"),
    ("low_32_bits", HISTOGRAM_OF_T, "const T value = i < n ? in[i] : -1;", "const int value = i < n ? in[i] : -1;",
     "wrong at n = 1000 of i64, some of no bin: .*[0-9]+ instead of [0-9]+ values are counted"),
    ("fixed_bins_of_one_type", HISTOGRAM_OF_T, ADD, ADD.replace("b < bins", "b < (sizeof(T) == 8 ? 64 : bins)"),
     r"wrong at n = 1000 of i64, 256 bins: counts.6[4-9].: .*[0-9]+ of 1000 values are not counted"),
    ("partials_overlap", PARTIALS.replace("* 256 + threadIdx.x", "* 64 + threadIdx.x"), "", "",
     "wrong at n = 65537, 256 bins: counts.[0-9]+.: expected"),
    ("packed_counters", PACKED, "", "", "wrong at n = 1048577, one value: counts.[0-9]+.: expected"),
]

SELECT = r"""
#include <cuda_runtime.h>
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
void select(const int* in, int* out, unsigned long long* kept, size_t n) {
  select_kernel<<<1, 256>>>(in, out, kept, n);
}
"""
TICKET = r"""
#include <cuda_runtime.h>
__global__ void select_kernel(const int* in, int* out, unsigned long long* kept, size_t n) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n && in[i] != 0) out[atomicAdd(kept, 1ULL)] = in[i];
}
void select(const int* in, int* out, unsigned long long* kept, size_t n) {
  cudaMemset(kept, 0, sizeof *kept);
  if (n > 0) select_kernel<<<(n + 255) / 256, 256>>>(in, out, kept, n);
}
"""
SELECT_FLOATS = SELECT.replace("int* in", "float* in").replace("int* out", "float* out").replace("int value", "float value")
LOST_ORDER = ".*: all kept values are there, in another order"
STORE = "if (value != 0) out[to] = value;"

WRONG_SELECTIONS = [
    ("tickets", TICKET, "", "", "wrong at n = (33|1000|1025).*" + LOST_ORDER),
    ("plain_ticket", TICKET, "atomicAdd(kept, 1ULL)", "(*kept)++", ANY + "race (between|in a)"),
    ("ticket_not_reset", TICKET, "cudaMemset(kept, 0, sizeof *kept);", "",
     r"wrong at n = 0: \*kept: expected 0, got .*: nothing was written there"),
    ("backwards", SELECT, "mine & ((1U << lane) - 1)", "mine >> lane >> 1", "wrong at n = 31: " + LOST_ORDER),
    ("warps_backwards", SELECT, "if (w < warp)", "if (w > warp)", "wrong at n = (33|1000): " + LOST_ORDER),
    ("counts_itself", SELECT, "(1U << lane) - 1", "(2U << lane) - 1", "(wrong|stopped|right, with ).*"),
    ("last_value", SELECT, "i < n ? in[i]", "i + 1 < n ? in[i]", r"wrong at n = .*\*kept: expected [0-9]+, got [0-9]+"),
    ("reads_one_too_many", SELECT, "i < n ? in[i]", "i <= n ? in[i]", ANY + "access out of bounds at .*:9"),
    ("keeps_zeros", SELECT, STORE, "if (i < n) out[to] = value;", "(wrong at n = |right, with |stopped at n = ).*"),
    ("writes_all", SELECT, STORE, "out[to] = value;", ANY + "(access out of bounds|race .*) at .*:18"),
    ("count_of_the_last_tile", SELECT, "*kept = before", "*kept = of_warp[0]", r"(wrong|stopped) at n = .*\*kept: expected"),
    ("no_count", SELECT, "if (threadIdx.x == 0) *kept = before;", "", r"wrong at n = 0: \*kept: .*nothing was written there"),
    ("no_barrier", SELECT, "if (lane == 0) of_warp[warp] = __popc(mine);\n    __syncthreads();",
     "if (lane == 0) of_warp[warp] = __popc(mine);", ANY + "race between warps at"),
    ("tiles_race", SELECT, STORE + "\n    __syncthreads();", STORE, ANY + "race between warps at"),
    ("first_tile_only", SELECT, "base < n;", "base < n && base < 256;", r"wrong at n = 1000: \*kept: expected"),
    ("changes_the_values", SELECT, "out[to] = value", "out[to] = value & 0xffff", r"wrong at n = .*expected"),
    ("in_the_input", SELECT, STORE, STORE + " if (i < n) const_cast<int*>(in)[i] = 0;", r"wrong at n = (1|31): in.[0-9]+. was changed"),
    ("writes_behind", SELECT, "*kept = before;", "*kept = before;\n  for (size_t i = before + threadIdx.x; i < n; i += 256) out[i] = 7;",
     r"wrong at n = (1|31): out.[0-9]+.: expected nothing, got 7: \*kept is [0-9]+"),
    ("keeps_minus_0", SELECT_FLOATS.replace("value != 0", "__float_as_uint(value) != 0"), "", "",
     r"wrong at n = (1|31|32|33): \*kept: expected [0-9]+, got [0-9]+"),
]
