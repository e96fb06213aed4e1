// Variables of the device as nvcc takes them: templates in each memory space, shared ones whose
// classes have constructors, alignments in front of the type.
#include <cstdint>
#include <cstdio>

template <class T>
__constant__ T taps[3];
template <class T, int N>
__constant__ T table[N];
template <>
__constant__ int table<int, 2>[2] = {5, 6};
template <class T>
__device__ T* kept;
template <class T>
__device__ T* kept<T*>;
template <int>
static __device__ unsigned visits;
template <class... Ts>
__managed__ int sums[sizeof...(Ts) + 1];
__constant__ alignas(16) float aligned[4];

namespace rooms {
template <int Alignment>
extern __shared__ char __align__(Alignment) bytes[];
template <class T>
extern __shared__ T values[];
template <class T>
__shared__ T cells[32];
}  // namespace rooms

template <class T>
__global__ void smooth(const T* in, T* out) {
  const unsigned t = threadIdx.x;
  T* const room = reinterpret_cast<T*>(rooms::bytes<16>);
  room[t] = in[t];
  rooms::cells<T>[t] = room[t] + T(1);
  __syncthreads();
  T sum = 0;
  for (unsigned k = 0; k < 3; ++k) sum += taps<T>[k] * room[(t + k) % 32];
  out[t] = sum + rooms::cells<T>[31 - t] + T(table<int, 2>[t % 2]) + T(table<T, 1>[0]);
  atomicAdd(&visits<sizeof(T)>, 1U);
  if (t == 0) kept<T> = out, kept<T*> = out + 1, sums<T, int>[1] = 7;
}

template <class T>
int smooth_is_right() {
  const T weights[3]{1, 2, 3}, one = 9;
  T *in, *out;
  cudaMallocManaged(&in, 32 * sizeof(T));
  cudaMallocManaged(&out, 32 * sizeof(T));
  for (int i = 0; i < 32; ++i) in[i] = T(i);
  cudaError_t status = cudaMemcpyToSymbol(taps<T>, weights, sizeof weights);
  if (status == cudaSuccess) status = cudaMemcpyToSymbol(table<T, 1>, &one, sizeof one);
  smooth<T><<<1, 32, 32 * sizeof(T)>>>(in, out);
  if (status == cudaSuccess) status = cudaDeviceSynchronize();
  T *first = nullptr, *second = nullptr;
  unsigned seen = 0;
  if (status == cudaSuccess) status = cudaMemcpyFromSymbol(&first, kept<T>, sizeof first);
  if (status == cudaSuccess) status = cudaMemcpyFromSymbol(&second, kept<T*>, sizeof second);
  if (status == cudaSuccess) status = cudaMemcpyFromSymbol(&seen, visits<sizeof(T)>, sizeof seen);
  int wrong = status != cudaSuccess || first != out || second != out + 1 || seen != 32 ||
              sums<T, int>[1] != 7;
  for (int i = 0; i < 32; ++i) {
    const int sum = i + 2 * ((i + 1) % 32) + 3 * ((i + 2) % 32);
    wrong += out[i] != T(sum + 32 - i + 5 + i % 2 + 9);
  }
  if (wrong != 0) std::printf("%d wrong, %s\n", wrong, cudaGetErrorString(status));
  return wrong;
}

struct base {
  __host__ __device__ base() {}
  int b;
};
struct cell : base {
  __host__ __device__ cell() {}
  __host__ __device__ cell(int x) : x(x) {}
  __host__ __device__ ~cell() {}
  int x;
  base parts[2];
};
__shared__ base outside[32];

struct started {
  __host__ __device__ started() : x(3) {}
  int x;
};

__global__ void shared_of_class(int* out) {
  __shared__ cell cells[32];
  __shared__ started late;
  const int t = static_cast<int>(threadIdx.x);
  cells[t] = cell(t);
  cells[t].parts[1].b = 1;
  outside[t].b = 2;
  if (t == 0) late = started();
  __syncthreads();
  out[t] = cells[31 - t].x + cells[31 - t].parts[1].b + outside[31 - t].b + late.x;
}

int main() {
  int* out;
  cudaMallocManaged(&out, 32 * sizeof(int));
  shared_of_class<<<1, 32>>>(out);
  const float row[4]{1, 2, 3, 4};
  int wrong = cudaDeviceSynchronize() != cudaSuccess;
  for (int i = 0; i < 32; ++i) wrong += out[i] != 31 - i + 6;
  wrong += cudaMemcpyToSymbol(aligned, row, sizeof row) != cudaSuccess;
  wrong += smooth_is_right<float>() + smooth_is_right<double>() + smooth_is_right<short>();
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
