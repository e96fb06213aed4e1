// Names of more than 1,024 characters, which LLVM cuts by default: those of a function with a long
// list of template arguments, inlined more than once.
#include <cstdio>
#include <utility>

template <int... I>
__device__ __forceinline__ int first_above(int x, std::integer_sequence<int, I...>) {
  if (x > 20) return x * static_cast<int>(sizeof...(I));
  if (x > 10) return x + 1;
  return x * x;
}

__global__ void twice(int* out) {
  const int t = static_cast<int>(threadIdx.x);
  const auto long_name = std::make_integer_sequence<int, 400>();
  out[t] = first_above(t, long_name);
  if (t % 3 == 0) out[t] += first_above(t + 5, long_name);
  if (t % 5 == 0) out[t] -= first_above(out[t], long_name);
}

int main() {
  int* out = nullptr;
  if (cudaMallocManaged(&out, 32 * sizeof(int)) != cudaSuccess) return 2;
  twice<<<1, 32>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 3;
  std::printf("%d %d %d\n", out[3], out[15], out[31]);
}
