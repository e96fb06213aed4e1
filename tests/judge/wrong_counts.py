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
     r"wrong at n = 1025, 256 bins: counts.64.: .*[0-9]+ of 1025 values are not counted; access out of bounds at .*:10"),
    ("a_bin_a_thread", HISTOGRAM, ADD, "if (threadIdx.x < 64) " + ADDS.replace("[b]", "[threadIdx.x]") + ";",
     r"wrong at n = 1025, 256 bins: counts.64.: .*[0-9]+ of 1025 values are not counted; access out of bounds at .*:10"),
    ("neighbours_bin", HISTOGRAM, "&counters[in[i]]", "&counters[(in[i] + 1) % bins]",
     "wrong at n = 1: .*values are counted in the wrong bin"),
    ("first_value_only", HISTOGRAM, "(n + 255) / 256, 256", "(n + 255) / 256, 128",
     "wrong at n = 1000: .*[0-9]+ of 1000 values are not counted"),
    ("counts_of_16_bits", HISTOGRAM, COUNT, COUNT + "\n  __syncthreads();\n  if (threadIdx.x < bins) counters[threadIdx.x] %= 256;",
     r"wrong at n = 1025, one value: .*values are not counted"),
    ("changes_the_input", HISTOGRAM, "&counters[in[i]], 1);", "&counters[in[i]], 1), const_cast<unsigned*>(in)[i] = 0;",
     r"wrong at n = (1|31): in.[0-9]+. was changed"),
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
]
