// The microbenchmarks' kernels. What they compute is of no interest; asm keeps the compiler from
// knowing that.
#pragma once

#include <cstdint>

#include "warpfold/platform.hpp"

namespace warpfold::bench {

__global__ void do_nothing() {}

/// Takes so many cycles, and nothing of the device's units.
__global__ void pass_time(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

/// Keeps the stream until the host sets *go, or for a tenth of a second: what is launched
/// meanwhile waits in the stream, and the host has no part in how long it takes.
__global__ void hold(const volatile unsigned* go) {
  const long long begin = clock64();
  while (*go == 0 && clock64() - begin < 200'000'000) {
  }
}

/// Needs so much shared memory that a multiprocessor holds one block.
__global__ void do_nothing_alone() {
  extern __shared__ unsigned memory_of_block[];
  if (gridDim.y == 2) memory_of_block[threadIdx.x] = 0;  // never
}

/// Reads `vectors` vectors of 16 bytes from `in` on, `times` times; past the multiprocessors'
/// caches.
__global__ void read_all(const uint4* in, std::size_t vectors, unsigned times, unsigned* out) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  unsigned seen = 0;
  for (unsigned t = 0; t < times; ++t) {
    std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    for (; i + 3 * stride < vectors; i += 4 * stride) {
      uint4 v[4];
      for (int k = 0; k < 4; ++k) v[k] = __ldcg(in + i + k * stride);
      for (int k = 0; k < 4; ++k) seen |= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
    }
    for (; i < vectors; i += stride) seen |= __ldcg(in + i).x;
  }
  if (seen == 1) *out = seen;  // never: the bytes are other ones
}

__global__ void write_all(uint4* out, std::size_t vectors) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < vectors; i += stride)
    out[i] = make_uint4(1, 2, 3, 4);
}

/// The same `times` times, all of which L2 takes.
__global__ void write_again(uint4* out, std::size_t vectors, unsigned times) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (unsigned t = 0; t < times; ++t) {
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < vectors;
         i += stride)
      __stcg(out + i, make_uint4(t, 2, 3, 4));
  }
}

/// One word of each sector of 32 bytes.
__global__ void write_words(unsigned* out, std::size_t sectors, unsigned times) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (unsigned t = 0; t < times; ++t) {
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < sectors;
         i += stride)
      __stcg(out + 8 * i, t);
  }
}

/// A chain of loads through the shared memory of the other block in a cluster of two; cycles a
/// load.
__global__ void follow_remote(unsigned hops, float* cycles, unsigned* out) {
  __shared__ std::uint32_t next[1024];
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) next[i] = (i + 33) % 1024;
  detail::cluster_sync();
  const volatile std::uint32_t* const there = detail::in_block(next, 1);
  std::uint32_t at = 0;
  const long long begin = clock64();
  if (blockIdx.x == 0) {
    for (unsigned i = 0; i < hops; ++i) at = there[at];
    *out = at;
    const long long end = at == ~0U ? 0 : clock64();
    *cycles = static_cast<float>(end - begin) / static_cast<float>(hops);
  }
  detail::cluster_sync();
}

/// Every warp loads from the shared memory of the next block in its cluster of eight.
__global__ void load_remote(unsigned times, unsigned* out) {
  __shared__ std::uint32_t words[1024];
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) words[i] = i;
  detail::cluster_sync();
  const volatile std::uint32_t* const there =
      detail::in_block(words + threadIdx.x, (blockIdx.x + 1) % 8);
  unsigned seen = 0;
  for (unsigned i = 0; i < times; ++i) {
#pragma unroll
    for (int k = 0; k < 8; ++k) seen |= *there;
  }
  if (seen == 1) *out = seen;
  detail::cluster_sync();
}

__global__ void copy_all(uint4* out, const uint4* in, std::size_t vectors) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < vectors; i += stride)
    out[i] = in[i];
}

/// A chain of loads, each of the index of the next; cycles a load in *cycles. The first `warm` are
/// not timed.
template <bool Far>
__global__ void follow(const std::uint32_t* next, unsigned warm, unsigned hops, float* cycles,
                       unsigned* out) {
  std::uint32_t at = 0;
  for (unsigned i = 0; i < warm; ++i) at = Far ? __ldcg(next + at) : next[at];
  const long long begin = clock64();
  for (unsigned i = 0; i < hops; ++i) at = Far ? __ldcg(next + at) : next[at];
  *out = at;  // before the clock is read
  const long long end = at == ~0U ? 0 : clock64();
  *cycles = static_cast<float>(end - begin) / static_cast<float>(hops);
}

/// A chain through `lines` lines of 32 words; each word of a line is written by another block.
__global__ void write_chain(std::uint32_t* next, unsigned lines) {
  const unsigned word = blockIdx.x % 32, step = gridDim.x / 32;
  for (unsigned line = blockIdx.x / 32; line < lines; line += step)
    next[line * 32 + word] = (line + lines / 3 * 2 + 1) % lines * 32;
}

/// Another line each time: some are further than others.
__device__ unsigned* line_of(unsigned* of_4096, unsigned i) {
  return of_4096 + i * 977 % 4096 * 32;
}

/// A warp stores and waits until all blocks would see it; cycles of that.
__global__ void store_and_fence(unsigned times, unsigned* lines, float* cycles) {
  const long long begin = clock64();
  for (unsigned i = 0; i < times; ++i) {
    line_of(lines, i)[threadIdx.x] = 0;
    __threadfence();
  }
  const long long end = clock64();
  if (threadIdx.x == 0) *cycles = static_cast<float>(end - begin) / static_cast<float>(times);
}

/// Atomic additions to zeros, each of what the one before found; cycles of one.
__global__ void follow_atomics(unsigned times, unsigned* lines, float* cycles, unsigned* out) {
  unsigned seen = 0;
  const long long begin = clock64();
  for (unsigned i = 0; i < times; ++i) seen = atomicAdd(line_of(lines, i), seen);
  *out = seen;  // before the clock is read
  const long long end = clock64();
  *cycles = static_cast<float>(end - begin) / static_cast<float>(times);
}

__global__ void follow_shared(unsigned hops, float* cycles, unsigned* out) {
  __shared__ volatile std::uint32_t next[1024];
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) next[i] = (i + 33) % 1024;
  __syncthreads();
  std::uint32_t at = 0;
  const long long begin = clock64();
  for (unsigned i = 0; i < hops; ++i) at = next[at];
  *out = at;
  const long long end = at == ~0U ? 0 : clock64();
  *cycles = static_cast<float>(end - begin) / static_cast<float>(hops);
}

// What one step of `repeat` executes on each of its eight registers.
/// Two: additions alone, the device compiler would join. It puts one of them on the unit that
/// multiplies, so that both units work.
struct add_integers {
  static constexpr const char* name = "integer_per_clock";
  __device__ static void step(unsigned& x, unsigned y) {
    asm volatile("xor.b32 %0, %0, %1; add.u32 %0, %0, %1;" : "+r"(x) : "r"(y));
  }
};
/// By a number of bits that differs: nothing but the unit for integers has these.
struct shift_integers {
  static constexpr const char* name = "shift_per_clock";
  __device__ static void step(unsigned& x, unsigned y) {
    asm volatile("shf.l.wrap.b32 %0, %0, %1, %0;" : "+r"(x) : "r"(y));
  }
};
struct multiply_integers {
  static constexpr const char* name = "multiply_per_clock";
  __device__ static void step(unsigned& x, unsigned y) {
    asm volatile("mul.lo.u32 %0, %0, %1;" : "+r"(x) : "r"(y));
  }
};
/// By another divisor each time.
struct divide_integers {
  static constexpr const char* name = "divide_per_clock";
  __device__ static void step(unsigned& x, unsigned y) {
    asm volatile("or.b32 %0, %0, 1; rem.u32 %0, %1, %0;" : "+r"(x) : "r"(y));
  }
};
struct add_floats {
  static constexpr const char* name = "f32_per_clock";
  __device__ static void step(unsigned& x, unsigned y) {
    asm volatile(
        "{.reg .f32 a, b; mov.b32 a, %0; mov.b32 b, %1; add.rn.f32 a, a, b; mov.b32 %0, a;}"
        : "+r"(x)
        : "r"(y));
  }
};
struct take_roots {
  static constexpr const char* name = "special_per_clock";
  __device__ static void step(unsigned& x, unsigned) {
    asm volatile("{.reg .f32 a; mov.b32 a, %0; rsqrt.approx.ftz.f32 a, a; mov.b32 %0, a;}"
                 : "+r"(x));
  }
};
struct shuffle_lanes {
  static constexpr const char* name = "shuffle_per_clock";
  __device__ static void step(unsigned& x, unsigned) {
    asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(x));
  }
};

template <class Step>
__global__ void repeat(unsigned times, unsigned y, unsigned* out) {
  unsigned x[8];
  for (int k = 0; k < 8; ++k) x[k] = threadIdx.x + 1000003U * k + y;
  for (unsigned i = 0; i < times; ++i) {
#pragma unroll
    for (int k = 0; k < 8; ++k) Step::step(x[k], y);
#pragma unroll
    for (int k = 0; k < 8; ++k) Step::step(x[k], y);
  }
  unsigned all = 0;
  for (int k = 0; k < 8; ++k) all |= x[k];
  if (all == 12345) *out = all;
}

__global__ void repeat_doubles(unsigned times, double y, unsigned* out) {
  double x[8];
  for (int k = 0; k < 8; ++k) x[k] = threadIdx.x + k;
  for (unsigned i = 0; i < times; ++i) {
#pragma unroll
    for (int k = 0; k < 16; ++k) asm volatile("add.rn.f64 %0, %0, %1;" : "+d"(x[k % 8]) : "d"(y));
  }
  double all = 0;
  for (int k = 0; k < 8; ++k) all += x[k];
  if (all == 12345) *out = 1;
}

/// Cycles from one dependent addition to the next.
__global__ void chain_additions(unsigned times, unsigned y, float* cycles, unsigned* out) {
  unsigned x = y;
  const long long begin = clock64();
  for (unsigned i = 0; i < times; ++i) {
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      asm volatile("xor.b32 %0, %0, %1; add.u32 %0, %0, %1;" : "+r"(x) : "r"(y));
    }
  }
  *out = x;
  const long long end = x == ~0U ? 0 : clock64();
  *cycles = static_cast<float>(end - begin) / (32.0F * static_cast<float>(times));
}

/// Loads of shared memory, each lane `stride` words from the next: as many passes over the banks.
__global__ void load_shared(unsigned times, unsigned stride, unsigned* out) {
  __shared__ std::uint32_t words[4096];
  for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x) words[i] = i;
  __syncthreads();
  const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(words));
  const std::uint32_t at = base + 4 * (threadIdx.x % 32 * stride % 4096);
  unsigned seen = 0;
  for (unsigned i = 0; i < times; ++i) {
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      unsigned v;
      asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"(at));
      seen |= v;
    }
  }
  if (seen == 1) *out = seen;
}

__global__ void meet(unsigned times, float* cycles) {
  __syncthreads();
  const long long begin = clock64();
  for (unsigned i = 0; i < times; ++i) __syncthreads();
  const long long end = clock64();
  if (threadIdx.x == 0) *cycles = static_cast<float>(end - begin) / static_cast<float>(times);
}

__global__ void meet_in_clusters(unsigned times, float* cycles) {
  detail::cluster_sync();
  const long long begin = clock64();
  for (unsigned i = 0; i < times; ++i) detail::cluster_sync();
  const long long end = clock64();
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *cycles = static_cast<float>(end - begin) / static_cast<float>(times);
}

/// Atomic additions without a result, lane by lane `stride` words on.
__global__ void add_atomically(unsigned* to, unsigned times, unsigned stride, unsigned mask) {
  const unsigned lane = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned i = 0; i < times; ++i) {
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(to + ((lane + i * 977) * stride & mask)),
                 "r"(1));
  }
}
__global__ void add_atomically_shared(unsigned times, unsigned stride, unsigned* out) {
  __shared__ unsigned words[1024];
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) words[i] = 0;
  __syncthreads();
  for (unsigned i = 0; i < times; ++i)
    atomicAdd(&words[(threadIdx.x * stride + i) % 1024 * (stride != 0)], 1U);
  __syncthreads();
  if (words[0] == 12345) *out = 1;
}

/// How many cycles a nanosecond has, while all multiprocessors compute.
__global__ void tell_clock(unsigned times, unsigned y, double* gigahertz) {
  unsigned long long from = 0, to = 0;
  unsigned x = y + threadIdx.x;
  for (unsigned i = 0; i < times / 4; ++i) add_integers::step(x, y);
  const long long begin = clock64();
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(from));
  for (unsigned i = 0; i < times; ++i) add_integers::step(x, y);
  const long long end = clock64();
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(to));
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *gigahertz =
        static_cast<double>(end - begin) / static_cast<double>(to - from) + (x == 7 ? 1e-9 : 0);
  }
}

}  // namespace warpfold::bench
