// findings <what>: a kernel of a few lines with a mistake, or one that looks like a mistake and is
// none. check.sh says what a checked run must say of each.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <cuda/atomic>

namespace {

constexpr int threads = 64;

/// One thread stores the word and reads it behind a condition that it alone meets.
__device__ int device_word;
__global__ void owner(int* out) {
  __shared__ int word, words[8];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  const bool mine = blockIdx.x == 0 && t == 5;
  int sum = 0;
  for (int k = 0; k < 6; ++k) {
    if (t == 40) word = words[3] = k;
    if (mine) device_word = k;
    __syncthreads();
    if (t == 40 && word == k) ++sum;
    if (mine && device_word == k) sum += 2;
    sum += t == 40 ? word : -1;
    int x = 7;
    if (t == 40) x = words[3];
    if (out[i] + t == 40) sum += word + x;
    sum += x;
  }
  out[i] = sum;
}

/// A variable of the device that one thread writes and reads in a loop, behind conditions.
__global__ void owner_in_loop(int* out) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  const bool mine = blockIdx.x == 1 && t == 3;
  int sum = out[i];
  for (int k = 0, end = out[i] + 2; k < end; ++k) {
    if (mine) device_word = blockDim.x % 7;
    if (t < 25) {
      if (mine) sum += device_word + sum;
    }
  }
  out[i] = sum;
}

template <class T>
__global__ void odd(char* bytes, int shift) {
  reinterpret_cast<T*>(bytes + shift)[threadIdx.x] = T{};
}
__global__ void odd_atomic(char* bytes, int shift) {
  atomicAdd(reinterpret_cast<unsigned long long*>(bytes + shift), 1ULL);
}
struct two_ints {
  int a, b;
};
__global__ void pairs(two_ints* to, const two_ints* from) { to[threadIdx.x] = from[threadIdx.x]; }
__global__ void behind_ints(int* out) {
  extern __shared__ int numbers[];
  double* const rest = reinterpret_cast<double*>(numbers + 31);
  rest[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = static_cast<int>(rest[threadIdx.x ^ 1]);
}

/// Sequentially consistent, as with no order given: behind a fence.
template <cuda::thread_scope Scope>
__global__ void add_in_order(int* sum) {
  cuda::atomic_ref<int, Scope>(*sum).fetch_add(1);
}
template <cuda::thread_scope Scope>
__global__ void add_in_scope(int* sum) {
  cuda::atomic_ref<int, Scope>(*sum).fetch_add(1, cuda::memory_order_relaxed);
}
__global__ void add_block(int* sum) { atomicAdd_block(sum, 1); }
__global__ void add_cta(int* sum) {
  asm volatile("red.relaxed.cta.global.add.s32 [%0], 1;" ::"l"(sum) : "memory");
}
__global__ void add_gpu(int* sum) {
  asm volatile("red.relaxed.gpu.global.add.s32 [%0], 1;" ::"l"(sum) : "memory");
}
/// A thread tells another one of `block`.
template <cuda::thread_scope Scope>
__global__ void tell(int* data, unsigned block) {
  const cuda::atomic_ref<int, Scope> flag(data[8]);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    data[0] = 7;
    flag.store(1, cuda::memory_order_release);
  }
  if (blockIdx.x == block && threadIdx.x == threads - 1) {
    while (flag.load(cuda::memory_order_acquire) == 0) {
    }
    data[16] = data[0];
  }
}
__device__ unsigned ticket;
template <bool Wide>
__global__ void last_block(int* partials, int* out) {
  __shared__ bool is_last;
  partials[blockIdx.x * threads + threadIdx.x] = 1;
  Wide ? __threadfence() : __threadfence_block();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  int sum = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x * threads; i += threads) sum += partials[i];
  out[threadIdx.x] = sum;
}

__global__ void counts(int* sum) { *sum += 1; }
__global__ void adds(int* sum, const int* more) { *sum += more[threadIdx.x]; }
__global__ void unwritten(int* out) {
  __shared__ int s[threads];
  if (threadIdx.x < 32) s[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}
__global__ void no_barrier(int* out) {
  __shared__ int s[threads];
  s[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = s[threads - 1 - threadIdx.x] + s[threadIdx.x ^ 1];
}
__global__ void no_barrier_before_three(int* out) {
  __shared__ int s[threads];
  s[threadIdx.x] = threadIdx.x;
  int x = s[(threadIdx.x + 1) % threads];
  x += s[(threadIdx.x + threads - 1) % threads];
  x += s[threads - 1 - threadIdx.x];
  out[threadIdx.x] = x;
}
/// Barriers that some threads pass by while others wait, or meet elsewhere.
__global__ void continues(int* out, bool once) {
  __shared__ int s[threads];
  const int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  for (int k = 0; k < 3; ++k) {
    if (t >= 32 && (!once || k == 1)) continue;
    s[t] += k;
    __syncthreads();
  }
  out[t] = s[t];
}
__global__ void tree(int* out) {
  __shared__ int s[threads];
  const int t = threadIdx.x;
  s[t] = 1;
  __syncthreads();
  for (int stride = threads / 2; stride > 0; stride /= 2) {
    if (t < stride) {
      s[t] += s[t + stride];
      __syncthreads();
    }
  }
  if (t == 0) *out = s[0];
}
__global__ void one_line(int* out) {
  __shared__ int s[threads];
  const int t = threadIdx.x;
  // clang-format off
  if (t & 1) { s[t] = 1; __syncthreads(); } else { s[t] = 2; __syncthreads(); }
  // clang-format on
  out[t] = s[threads - 1 - t];
}
/// Threads that return early, from a loop too, and conditions that all threads share.
__global__ void returns(int* out, bool never) {
  __shared__ int s[threads];
  const int t = threadIdx.x;
  if (t >= 60) return;
  for (int k = 0;; ++k) {
    s[t] = k;
    if (never) __syncthreads();
    if (k % 2 == 0) __syncthreads();
    if (t >= 50 && k == 2) return;
    __syncthreads();
    if (k == 4) break;
  }
  out[t] = s[t];
}

/// A lane stores, the warp votes or waits, and the others add.
template <class Between>
__device__ void count_in_warp(int* out, Between between) {
  __shared__ int counters[threads / 32];
  const int warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) counters[warp] = 0;
  between();
  atomicAdd(&counters[warp], 1);
  __syncwarp();
  out[threadIdx.x] = counters[warp];
}
__global__ void behind_vote(int* out) {
  count_in_warp(out, [] { __any_sync(~0U, true); });
}
__global__ void behind_shuffle(int* out) {
  count_in_warp(out, [] { __shfl_sync(~0U, 1, 0); });
}
__global__ void behind_barrier(int* out) {
  count_in_warp(out, [] { __syncwarp(); });
}

/// Of 20 threads, as if there were 32.
__global__ void sum_of_twenty(int* out) {
  int v = 1;
  v += __shfl_down_sync(~0U, v, 16);
  v += __shfl_down_sync(~0U, v, 8);
  v += __shfl_down_sync(~0U, v, 4);
  v += __shfl_down_sync(~0U, v, 2);
  v += __shfl_down_sync(~0U, v, 1);
  out[threadIdx.x] = v;
}

/// Of 16 threads: lanes 8 to 15 take values that do not reach lane 0.
__global__ void sum_of_sixteen(int* out) {
  int v = 1;
  for (int d = 8; d > 0; d /= 2) v += __shfl_down_sync(~0U, v, d);
  if (threadIdx.x == 0) *out = v;
}

/// Lanes from `n` on have ended. With `discards` what they hand over counts for nothing.
__global__ void least_of_some(int* out, int n, bool discards) {
  const int t = threadIdx.x;
  if (t >= n) return;
  int v = t - 100;
  for (int d = 16; d > 0; d /= 2) {
    const int other = __shfl_down_sync(~0U, v, d);
    if (!discards || t + d < n) v = min(v, other);
  }
  out[t] = v;
}

/// The address of a store.
__global__ void count_up(int* count) { atomicAdd(count, 1); }
__global__ void at_absent(int* out) { out[__shfl_down_sync(~0U, threadIdx.x, 4)] = 3; }

/// Bit-fields of three and five bytes.
struct pixel {
  unsigned colour : 24;
  unsigned char alpha;
};
struct numbered {
  unsigned long long number : 40;
  unsigned char alpha;
};
__global__ void odd_bytes(int* out, bool waits) {
  __shared__ pixel row[threads];
  __shared__ numbered all[threads];
  const int t = threadIdx.x;
  row[t].colour = 0xA5A5A5;  // as shared memory is before anybody writes
  all[t].number = 0xA5A5A5A5A5;
  if (waits) __syncthreads();
  const auto* const colour = reinterpret_cast<const unsigned char*>(&row[threads - 1 - t]);
  const auto* const number = reinterpret_cast<const unsigned char*>(&all[threads - 1 - t]);
  out[t] = colour[2] + number[4];
}
__global__ void few_bytes(int* out) {
  extern __shared__ int all[];
  all[threadIdx.x] = 1;
  out[threadIdx.x] = all[threadIdx.x];
}
__global__ void beyond(int* out) { out[1 << 28] = 1; }
__global__ void endless(volatile int* stop) {
  for (int k = 0; *stop == 0; ++k) stop[1] = k;
}

}  // namespace

int main(int, char** arguments) {
  const char* const what = arguments[1];
  const auto is = [what](const char* name) { return std::strcmp(what, name) == 0; };
  int *data, *more;
  cudaMalloc(&data, 4096);
  cudaMalloc(&more, 4096);
  cudaMemset(data, 0, 4096);
  cudaMemset(more, 0, 4096);
  char* const bytes = reinterpret_cast<char*>(data);
  if (is("owner")) owner<<<2, threads>>>(data);
  if (is("owner-in-loop")) owner_in_loop<<<3, threads>>>(data);
  if (is("odd-double")) odd<double><<<1, threads>>>(bytes, 4);
  if (is("odd-long")) odd<long long><<<1, threads>>>(bytes, 4);
  if (is("odd-int2")) odd<int2><<<1, threads>>>(bytes, 4);
  if (is("odd-float")) odd<float><<<1, threads>>>(bytes, 2);
  if (is("odd-atomic")) odd_atomic<<<1, threads>>>(bytes, 4);
  if (is("odd-shared")) behind_ints<<<1, threads, 31 * 4 + threads * 8>>>(data);
  if (is("even-pairs")) {
    pairs<<<1, threads>>>(reinterpret_cast<two_ints*>(bytes + 4),
                          reinterpret_cast<two_ints*>(more));
  }
  if (is("scope-block")) add_in_scope<cuda::thread_scope_block><<<3, threads>>>(data);
  if (is("scope-device")) add_in_scope<cuda::thread_scope_device><<<3, threads>>>(data);
  if (is("scope-one-block")) add_in_scope<cuda::thread_scope_block><<<1, threads>>>(data);
  if (is("scope-ordered")) add_in_order<cuda::thread_scope_block><<<3, threads>>>(data);
  if (is("scope-ordered-device")) add_in_order<cuda::thread_scope_device><<<3, threads>>>(data);
  if (is("scope-call")) add_block<<<3, threads>>>(data);
  if (is("scope-cta")) add_cta<<<3, threads>>>(data);
  if (is("scope-gpu")) add_gpu<<<3, threads>>>(data);
  if (is("tell-block")) tell<cuda::thread_scope_block><<<2, threads>>>(data, 0);
  if (is("tell-other")) tell<cuda::thread_scope_block><<<2, threads>>>(data, 1);
  if (is("tell-device")) tell<cuda::thread_scope_device><<<2, threads>>>(data, 1);
  if (is("fence-device")) last_block<true><<<4, threads>>>(data, more);
  if (is("fence-block")) last_block<false><<<4, threads>>>(data, more);
  if (is("count")) counts<<<2, threads>>>(data);
  if (is("add-zeros")) adds<<<1, threads>>>(data, more);
  if (is("unwritten")) unwritten<<<1, threads>>>(data);
  if (is("no-barrier")) no_barrier<<<1, threads>>>(data);
  if (is("no-barrier-before-three")) no_barrier_before_three<<<1, threads>>>(data);
  if (is("continue")) continues<<<1, threads>>>(data, false);
  if (is("continue-once")) continues<<<1, threads>>>(data, true);
  if (is("tree")) tree<<<2, threads>>>(data);
  if (is("one-line")) one_line<<<1, threads>>>(data);
  if (is("return")) returns<<<1, threads>>>(data, false);
  if (is("vote")) behind_vote<<<1, threads>>>(data);
  if (is("shuffle")) behind_shuffle<<<1, threads>>>(data);
  if (is("warp-barrier")) behind_barrier<<<1, threads>>>(data);
  if (is("twenty")) sum_of_twenty<<<1, 20>>>(data);
  if (is("sixteen")) sum_of_sixteen<<<1, 16>>>(data);
  if (is("some")) least_of_some<<<1, 32>>>(data, 20, true);
  if (is("some-used")) least_of_some<<<1, 32>>>(data, 20, false);
  if (is("two-hosts")) {
    std::thread other([&] {
      for (int i = 0; i < 200; ++i) count_up<<<1, 1>>>(more);
    });
    for (int i = 0; i < 200; ++i) sum_of_twenty<<<1, 20>>>(data);
    other.join();
    int count = 0;
    cudaMemcpy(&count, more, sizeof count, cudaMemcpyDefault);
    std::printf("counted %d\n", count);
  }
  if (is("at-absent")) at_absent<<<1, 24>>>(data);
  if (is("odd-bytes")) odd_bytes<<<1, threads>>>(data, true);
  if (is("odd-bytes-race")) odd_bytes<<<1, threads>>>(data, false);
  if (is("few-bytes")) few_bytes<<<1, threads, threads>>>(data);
  if (is("several")) {
    counts<<<2, threads>>>(data);
    unwritten<<<1, threads>>>(data);
    beyond<<<1, 1>>>(data);
  }
  if (is("endless")) {
    counts<<<2, threads>>>(data);
    endless<<<1, 1>>>(more);
  }
  if (is("crash")) {
    counts<<<2, threads>>>(data);
    cudaDeviceSynchronize();
    *static_cast<volatile int*>(nullptr) = 1;
  }
  cudaDeviceSynchronize();
  return 0;
}
