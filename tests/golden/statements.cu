// Kernels in which a compiler for CPUs likes to make one statement of two: for each, the counters
// of the CPU machine are compared with those that Nsight Compute read on a card.
#include "tests/golden/golden_runs.hpp"

namespace {

constexpr int threads = 256, side = 32;  // of the tiles

__device__ int index() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

// ---- two ifs beside each other

__global__ void stencil_of_two_ifs(const int* in, int* out, int n) {
  __shared__ int tile[8][side + 2];
  const int x = threadIdx.x, y = threadIdx.y, row = (blockIdx.x * 8 + y) * side;
  tile[y][x + 1] = in[row + x];
  if (x == 0) tile[y][0] = in[row + side - 1];
  if (x == side - 1) tile[y][side + 1] = in[row];
  __syncthreads();
  if (row + x < n) out[row + x] = tile[y][x] + tile[y][x + 1] + tile[y][x + 2];
}

__global__ void stencil_of_four_edges(const int* in, int* out, int n) {
  __shared__ int tile[10][side + 2];
  const int x = threadIdx.x, y = threadIdx.y, i = (blockIdx.x * 8 + y) * side + x;
  tile[y + 1][x + 1] = in[i];
  if (x == 0) tile[y + 1][0] = i > 0 ? in[i - 1] : 0;
  if (x == side - 1) tile[y + 1][side + 1] = i + 1 < n ? in[i + 1] : 0;
  if (y == 0) tile[0][x + 1] = i >= side ? in[i - side] : 0;
  if (y == 7) tile[9][x + 1] = i + side < n ? in[i + side] : 0;
  __syncthreads();
  out[i] = tile[y][x + 1] + tile[y + 2][x + 1] + tile[y + 1][x] + tile[y + 1][x + 2];
}

__global__ void two_ifs_same_value(const int* in, int* out, int n) {
  const int i = index(), v = in[i];
  if (v % 3 == 0) out[i] = v;
  if (v % 3 == 1) out[n + i] = v;
}

__global__ void one_condition_twice(const int* in, int* out, int n) {
  __shared__ int tile[threads];
  const int i = index();
  tile[threadIdx.x] = 0;
  if (i % 5 < 2) tile[threadIdx.x] = in[i];
  const int v = in[n + i];
  if (i % 5 < 2) out[i] = v + tile[threadIdx.x];
}

__global__ void if_in_range_then_if_not(const int* in, int* out, int n) {
  const int i = index();
  if (i < n - 13) out[i] = in[i];
  if (i >= n - 13) out[i] = in[n - 1];
}

__global__ void store_and_perhaps_again(const int* in, int* out, int n) {
  const int i = index();
  out[i] = n;
  if (in[i] % 2 == 0) out[i] = in[i];
}

__global__ void two_ifs_store_the_same_place(const int* in, int* out, int n) {
  const int i = index(), v = in[i], w = in[n + i];
  if (v > 300) out[i] = 1;
  if (w > 700) out[i] = 2;
}

// ---- if and else

__global__ void else_stores_elsewhere(const int* in, int* out, int n) {
  const int i = index();
  if (in[i] % 2 == 0) {
    out[i] = i;
  } else {
    out[n + i] = i;
  }
}

__global__ void else_stores_the_same_place(const int* in, int* out, int n) {
  const int i = index();
  if (in[i] % 2 == 0) {
    out[i] = in[n + i];
  } else {
    out[i] = in[2 * n + i];
  }
}

__global__ void else_loads_the_same_place(const int* in, int* out, int n) {
  const int i = index();
  if (i % 7 < 3) {
    out[i] = in[i];
  } else {
    out[n + i] = in[i] + 1;
  }
}

__global__ void else_if_in_shared_memory(const int* in, int* out, int n) {
  __shared__ int tile[3 * threads];
  const int t = threadIdx.x, v = in[index()];
  tile[t] = tile[t + threads] = tile[t + 2 * threads] = n;
  __syncthreads();
  if (v % 3 == 0) {
    tile[t] = v;
  } else if (v % 3 == 1) {
    tile[t + 2 * threads] = v;
  } else {
    tile[t + threads] = v;
  }
  __syncthreads();
  out[index()] = tile[t] + tile[t + threads] - tile[t + 2 * threads];
}

__global__ void else_stores_the_same_shared_word(const int* in, int* out, int n) {
  __shared__ int words[2];
  if (threadIdx.x == 0) {
    if (in[index()] > 500) {
      words[0] = 1;
    } else {
      words[0] = in[n + index()];
    }
  }
  __syncthreads();
  out[index()] = words[0];
}

__global__ void else_calls_the_same_function(const int* in, int* out, int n) {
  const auto put = [&](int at, int v) { out[at] = v + in[at]; };
  const int i = index();
  if (i % 4 == 1) {
    put(i, 1);
  } else {
    put(i + n, 2);
  }
}

__global__ void returns_in_each_arm(const int* in, int* out, int n) {
  const int i = index(), v = in[i];
  if (v % 4 == 0) {
    out[i] = in[n + i];
    return;
  }
  if (v % 4 == 1) {
    out[i] = in[2 * n + i];
    return;
  }
  out[i] = v;
}

__global__ void nested_ifs(const int* in, int* out, int n) {
  const int i = index(), v = in[i];
  if (v % 2 == 0) {
    if (v % 3 == 0) out[i] = v;
    out[n + i] = in[n + i];
  } else {
    if (v % 3 == 0) out[i] = -v;
    out[2 * n + i] = in[n + i];
  }
}

__global__ void loaded_before_used_within(const int* in, int* out, int n) {
  const int i = index(), v = in[n + i];
  if (in[i] % 4 == 0) out[i] = v;
}

// ---- conditions

__global__ void ternary_of_loads(const int* in, int* out, int n) {
  const int i = index();
  out[i] = i % 3 == 0 ? in[i] : in[n + i];
}

__global__ void ternary_of_one_load(const int* in, int* out, int n) {
  const int i = index();
  out[i] = i < n - 40 ? in[i] : 7;
}

__global__ void ternary_in_shared_memory(const int* in, int* out, int n) {
  __shared__ int left[threads], right[threads];
  const int t = threadIdx.x, i = index();
  left[t] = in[i];
  right[t] = in[n + i];
  __syncthreads();
  out[i] = t % 3 == 0 ? left[t] : right[threads - 1 - t];
}

__global__ void ternary_of_places(const int* in, int* out, int n) {
  const int i = index();
  *(in[i] % 2 == 0 ? &out[i] : &out[n + i]) = i;
}

__global__ void both_must_hold(const int* in, int* out, int n) {
  const int i = index();
  if (in[i] % 2 == 0 && in[n + i] % 2 == 0) out[i] = 1;
}

__global__ void one_must_hold(const int* in, int* out, int n) {
  const int i = index();
  if (in[i] % 4 == 0 || in[n + i] % 4 == 0) out[i] = 1;
}

__global__ void bounds_and_value(const int* in, int* out, int n) {
  const int i = index();
  if (i > 0 && i < n - 1 && in[i - 1] < in[i] && in[i] > in[i + 1]) out[i] = in[i];
}

__global__ void arms_of_a_switch(const int* in, int* out, int n) {
  const int i = index();
  switch (in[i] % 4) {
    case 0: out[i] = in[n + i]; break;
    case 1: out[i] = in[2 * n + i]; break;
    case 2: out[n + i] = in[n + i]; break;
    default: out[2 * n + i] = i;
  }
}

__global__ void switch_that_falls_through(const int* in, int* out, int n) {
  const int i = index();
  int sum = 0;
  switch (i % 4) {
    case 3: sum += in[2 * n + i]; [[fallthrough]];
    case 2: sum += in[n + i]; [[fallthrough]];
    case 1: sum += in[i];
  }
  out[i] = sum;
}

// ---- loops

__global__ void continues_early(const int* in, int* out, int n) {
  const int i = index();
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k < 6; ++k) {
    const int v = in[i + k];
    if (v % 2 == 0) continue;
    sum += in[n + v % 64];
  }
  out[i] = sum;
}

__global__ void one_tail_of_two_arms(const int* in, int* out, int n) {
  const int i = index();
#pragma unroll 1
  for (int k = 0; k < 6; ++k) {
    if (in[i + k] % 2 == 0) {
      out[i] += in[n + i];
    } else {
      out[i] += in[n + i + k];
    }
  }
}

__global__ void loops_in_two_arms(const int* in, int* out, int n) {
  const int i = index();
  int sum = 0;
  if (threadIdx.x % 32 < 16) {
#pragma unroll 1
    for (int k = 0; k < 5; ++k) sum += in[i + k];
  } else {
#pragma unroll 1
    for (int k = 0; k < 5; ++k) sum += in[n + i + k];
  }
  out[i] = sum;
}

__global__ void breaks_when_found(const int* in, int* out, int n) {
  const int i = index();
  int at = 0;
#pragma unroll 1
  for (; at < 20; ++at) {
    if (in[i + at] % 8 == 0) break;
  }
  out[i] = at + in[n + i];
}

__global__ void two_ways_out(const int* in, int* out, int n) {
  const int i = index();
  int k = 0;
#pragma unroll 1
  while (in[i + k] % 8 != 0) {
    if (in[n + i + k] % 8 == 0) break;
    ++k;
    if (k == 12) break;
  }
  out[i] = k;
}

__global__ void at_least_once(const int* in, int* out, int n) {
  const int i = index();
  int left = in[i] % 5, sum = 0;
#pragma unroll 1
  do {
    sum += in[n + i + left];
  } while (--left > 0);
  out[i] = sum;
}

__global__ void if_on_every_turn(const int* in, int* out, int n) {
  __shared__ int sums[threads];
  const int t = threadIdx.x;
  sums[t] = in[index()];
  __syncthreads();
#pragma unroll 1
  for (int width = threads / 2; width > 0; width /= 2) {
    if (t < width) sums[t] += sums[t + width];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sums[0];
  if (t == 1) out[n + blockIdx.x] = sums[0];
}

__global__ void ifs_in_a_loop(const int* in, int* out, int n) {
  __shared__ int low[64], high[64];
  const int t = threadIdx.x;
  if (t < 64) low[t] = high[t] = 0;
  __syncthreads();
#pragma unroll 1
  for (int k = 0; k < 4; ++k) {
    const int v = in[index() + k * threads];
    if (v % 16 < 4 && t < 64) low[t] = v;
    if (v % 16 > 9 && t < 64) high[t] = v;
  }
  __syncthreads();
  if (t < 64) out[index()] = low[t] - high[t] + n;
}

__global__ void clears_in_a_loop(const int* in, int* out, int n) {
  __shared__ int words[threads * 5];
#pragma unroll 1
  for (int k = 0; k < n / 400; ++k) words[threadIdx.x * 5 + k] = 0;
  __syncthreads();
  words[in[index()]] = 1;
  __syncthreads();
  out[index()] = words[threadIdx.x];
}

__global__ void clears_global_memory(const int* in, int* out, int) {
  const int i = index();
#pragma unroll 1
  for (int k = 0; k < in[i] % 3; ++k) out[3 * i + k] = 0;
}

__global__ void copies_in_a_loop(const int* __restrict__ in, int* __restrict__ out, int) {
  const int i = index();
#pragma unroll 1
  for (int k = 0; k < 3; ++k) out[3 * i + k] = in[3 * i + k];
}

__global__ void adds_to_one_word(const int* in, int* out, int) {
  __shared__ int sums[threads];
  sums[threadIdx.x] = 0;
#pragma unroll 1
  for (int k = 0; k < 4; ++k) sums[threadIdx.x] += in[index() + k];
  out[index()] = sums[threadIdx.x];
}

}  // namespace

std::vector<golden_run> statement_runs() {
  const dim3 tile(side, 8);
  return {
      GOLDEN_RUN(stencil_of_two_ifs, 8, tile),
      GOLDEN_RUN(stencil_of_four_edges, 8, tile),
      GOLDEN_RUN(two_ifs_same_value, 8, threads),
      GOLDEN_RUN(one_condition_twice, 8, threads),
      GOLDEN_RUN(if_in_range_then_if_not, 8, threads),
      GOLDEN_RUN(store_and_perhaps_again, 8, threads),
      GOLDEN_RUN(two_ifs_store_the_same_place, 8, threads),
      GOLDEN_RUN(else_stores_elsewhere, 8, threads),
      GOLDEN_RUN(else_stores_the_same_place, 8, threads),
      GOLDEN_RUN(else_loads_the_same_place, 8, threads),
      GOLDEN_RUN(else_if_in_shared_memory, 8, threads),
      GOLDEN_RUN(else_stores_the_same_shared_word, 8, threads),
      GOLDEN_RUN(else_calls_the_same_function, 8, threads),
      GOLDEN_RUN(returns_in_each_arm, 8, threads),
      GOLDEN_RUN(nested_ifs, 8, threads),
      GOLDEN_RUN(loaded_before_used_within, 8, threads),
      GOLDEN_RUN(ternary_of_loads, 8, threads),
      GOLDEN_RUN(ternary_of_one_load, 8, threads),
      GOLDEN_RUN(ternary_in_shared_memory, 8, threads),
      GOLDEN_RUN(ternary_of_places, 8, threads),
      GOLDEN_RUN(both_must_hold, 8, threads),
      GOLDEN_RUN(one_must_hold, 8, threads),
      GOLDEN_RUN(bounds_and_value, 8, threads),
      GOLDEN_RUN(arms_of_a_switch, 8, threads),
      GOLDEN_RUN(switch_that_falls_through, 8, threads),
      GOLDEN_RUN(continues_early, 8, threads),
      GOLDEN_RUN(one_tail_of_two_arms, 8, threads),
      GOLDEN_RUN(loops_in_two_arms, 8, threads),
      GOLDEN_RUN(breaks_when_found, 8, threads),
      GOLDEN_RUN(two_ways_out, 8, threads),
      GOLDEN_RUN(at_least_once, 8, threads),
      GOLDEN_RUN(if_on_every_turn, 8, threads),
      GOLDEN_RUN(ifs_in_a_loop, 8, threads),
      GOLDEN_RUN(clears_in_a_loop, 8, threads),
      GOLDEN_RUN(clears_global_memory, 8, threads),
      GOLDEN_RUN(copies_in_a_loop, 8, threads),
      GOLDEN_RUN(adds_to_one_word, 8, threads),
  };
}
