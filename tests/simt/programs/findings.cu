// findings <what>: a kernel of a few lines with a mistake, or one that looks like a mistake and is
// none. check.sh says what a checked run must say of each.
#include <cstdio>
#include <cstdlib>
#include <cstring>

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
// clang-format off
__global__ void one_line(int* out) {
  const int t = threadIdx.x;
  if (t & 1) { out[t] = 1; __syncthreads(); } else { out[t] = 2; __syncthreads(); }
}
// clang-format on
__global__ void in_a_loop(int* out) {
  __shared__ int s[threads];
  s[threadIdx.x] = 1;
  __syncthreads();
  for (unsigned stride = threads / 2; stride > 0; stride /= 2) {
    if (threadIdx.x >= stride) continue;
    s[threadIdx.x] += s[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = s[0];
}
__global__ void returns_early(int* out) {
  if (threadIdx.x > 40) return;
  out[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x + threads] = out[40 - threadIdx.x];
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
  if (is("scope-call")) add_block<<<3, threads>>>(data);
  if (is("scope-cta")) add_cta<<<3, threads>>>(data);
  if (is("scope-gpu")) add_gpu<<<3, threads>>>(data);
  if (is("tell-block")) tell<cuda::thread_scope_block><<<2, threads>>>(data, 0);
  if (is("tell-other")) tell<cuda::thread_scope_block><<<2, threads>>>(data, 1);
  if (is("tell-device")) tell<cuda::thread_scope_device><<<2, threads>>>(data, 1);
  if (is("fence-device")) last_block<true><<<4, threads>>>(data, more);
  if (is("fence-block")) last_block<false><<<4, threads>>>(data, more);
  if (is("count")) counts<<<2, threads>>>(data);
  if (is("unwritten")) unwritten<<<1, threads>>>(data);
  if (is("no-barrier")) no_barrier<<<1, threads>>>(data);
  if (is("no-barrier-before-three")) no_barrier_before_three<<<1, threads>>>(data);
  if (is("one-line")) one_line<<<1, threads>>>(data);
  if (is("in-a-loop")) in_a_loop<<<1, threads>>>(data);
  if (is("returns-early")) returns_early<<<1, threads>>>(data);
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
