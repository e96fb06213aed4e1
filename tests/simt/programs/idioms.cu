// What programs write that were not written for this machine; each part checks itself.
#include <cstdio>
#include <cstdlib>
#include <type_traits>

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuComplex.h>
#include <cuda_gl_interop.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

#define CHECK(call)                                                          \
  do {                                                                       \
    const cudaError_t status = (call);                                       \
    if (status != cudaSuccess) {                                             \
      printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      exit(1);                                                               \
    }                                                                        \
  } while (0)

static int failed = 0;
static void expect(bool right, const char* what) {
  if (!right) printf("wrong: %s\n", what), ++failed;
}

// --- __shared__ outside of functions ---
__shared__ int tally[64];
extern __shared__ float dynamic[];
namespace parts {
static __shared__ volatile int one, other[2];
}

__device__ int from_helper(int i) { return tally[i % 64]; }
__device__ int own_name(int tally) { return tally + 1; }
__global__ void shared_outside(int* out) {
  tally[threadIdx.x % 64] = threadIdx.x % 64;
  dynamic[threadIdx.x] = 0.5f * threadIdx.x;
  if (threadIdx.x == 0) parts::one = 5;
  __syncthreads();
  int one = parts::one;
  out[threadIdx.x] = from_helper(threadIdx.x + 1) + own_name(1) + one + int(2 * dynamic[3]);
}

// --- vectors are plain structs ---
union quad {
  float4 v;
  float a[4];
};
struct ray {
  union {
    float4 origin;
    struct {
      float x, y, z, w;
    };
  };
  float3 direction;
};
static_assert(std::is_trivially_copyable<float4>::value && std::is_trivially_copyable<ray>::value &&
                  std::is_aggregate<int2>::value,
              "as in CUDA");
static const int2 steps[] = {1, 0, 0, 1, -1, 0, 0, -1};
struct float4 made_of(float x) {
  float4 v = {x};
  return v;
}

__global__ void vectors(const float4* in, float4* out) {
  quad q;
  q.v = in[threadIdx.x];
  quad copy = q;
  ray r = {{copy.v}, {1, 2, 3}};
  ray s = r;
  float4 zero = {0}, part = {1.f, 2.f};
  s.x += copy.a[3] + zero.w + part.y + part.z;
  out[threadIdx.x] = s.origin;
}

// --- scopes of atomics ---
__global__ void scoped(unsigned* p) {
  atomicInc_block(p, 10);
  atomicDec_system(p + 1, 10);
  atomicInc_system(p + 2, 100);
  atomicDec_block(p + 3, 100);
}

// --- tiles of several warps, and wide values ---
struct wide {
  double sum;
  int count, last;
};
__global__ void tiles(int* out, double* sums) {
  __shared__ cg::block_tile_memory<128> memory;
  auto block = cg::this_thread_block(memory);
  auto tile = cg::tiled_partition<64>(block);
  const int own = threadIdx.x;
  const int sum = cg::reduce(tile, own, cg::plus<int>());
  const int before = cg::exclusive_scan(tile, 1);
  const int fourth = tile.shfl(own, 3);
  tile.sync();
  auto warp = cg::tiled_partition<32>(tile);
  const wide all = cg::reduce(warp, wide{0.5 * own, 1, own}, [](const wide& a, const wide& b) {
    return wide{a.sum + b.sum, a.count + b.count, b.last};
  });
  const float4 next = warp.shfl_down(make_float4(own, 1, 2, 3), 1);
  out[own] = sum + before + fourth + tile.any(own == 70) + tile.meta_group_rank();
  sums[own] = all.sum + all.count + all.last + next.x;
}

// --- old references, asynchronous copies, complex numbers ---
surface<void, cudaSurfaceType2D> image;
struct __builtin_align__(8) edge { int from, to; };
__global__ void draw(int* out, edge e) {
  __shared__ int staged[32];
  const int i = threadIdx.x;
  surf2Dwrite(float(i), image, (i % 8) * 4, i / 8);
  __pipeline_memcpy_async(&staged[i], &out[i], sizeof(int));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  const cuComplex z = cuCmulf(make_cuComplex(1, 2), cuConjf(make_cuComplex(float(i), 1)));
  out[i] = staged[i] + e.to + int(cuCrealf(z) + cuCabsf(make_cuComplex(3, 4)));
}

static void references(int* out) {
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  float back[32];
  int host[32];
  CHECK(cudaMallocArray(&array, &format, 8, 4, cudaArraySurfaceLoadStore));
  CHECK(cudaBindSurfaceToArray(image, array));
  CHECK(cudaMemset(out, 0, sizeof host));
  draw<<<1, 32>>>(out, {1, 2});
  CHECK(cudaMemcpy2DFromArray(back, 32, array, 0, 0, 32, 4, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  expect(back[13] == 13, "a surface by reference");
  expect(host[4] == 2 + 4 + 2 + 5, "copies and complex numbers");
  CHECK(cudaFreeArray(array));
}

// --- the device's heap ---
struct link {
  int value;
  link* next;
  int* own;
  __device__ link(int v, link* n) : value{v}, next(n) {
    own = new int[2];
    own[1] = v;
  }
  __device__ ~link() {
    value = -1;
    delete[] own;
  }
};
__global__ void heap(int* out, size_t bytes) {
  int* numbers = (int*)malloc(10 * sizeof(int));
  for (int i = 0; i < 10; ++i) numbers[i] = i + threadIdx.x;
  link* list = nullptr;
  for (int i = 0; i < 3; ++i) list = new link(numbers[i], list);
  link* several = static_cast<link*>(malloc(sizeof(link)));
  new (several) link(7, nullptr);
  int sum = several->value;
  several->~link();
  while (list) {
    sum += list->own[1];
    link* next = list->next;
    delete list;
    list = next;
  }
  free(several);
  free(numbers);
  out[threadIdx.x] = sum;
  if (threadIdx.x == 0) {
    void* large = malloc(bytes);
    out[blockDim.x] = large != nullptr;
    free(large);
  }
}

// --- more shared memory than 48 KiB ---
__global__ void much_shared(int* out, int n) {
  extern __shared__ int values[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) values[i] = i;
  __syncthreads();
  out[threadIdx.x] = values[n - 1 - threadIdx.x];
}

// --- deep stacks ---
__device__ int deep(int n) {
  volatile int pad[64];
  pad[n % 64] = n;
  return n == 0 ? 0 : pad[n % 64] + deep(n - 1);
}
__global__ void recursive(int* out, int n) { out[threadIdx.x] = deep(n); }

// --- memory that a graph owns ---
__global__ void fill(int* p, int v) { p[threadIdx.x] = v; }

static void graph_memory(int* out) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  int *inner, back = 0;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMallocAsync(&inner, 128, stream));
  fill<<<1, 32, 0, stream>>>(inner, 9);
  CHECK(cudaMemcpyAsync(out, inner, sizeof(int), cudaMemcpyDeviceToDevice, stream));
  CHECK(cudaFreeAsync(inner, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 2; ++i) CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaMemcpy(&back, out, sizeof back, cudaMemcpyDeviceToHost));
  expect(back == 9, "a graph that allocates and frees");
  expect(cudaFree(inner) == cudaErrorInvalidValue, "its memory is free between launches");
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));

  cudaGraphNode_t node;
  cudaMemAllocNodeParams what = {};
  what.poolProps.allocType = cudaMemAllocationTypePinned;
  what.bytesize = 64;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &what));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  expect(cudaGraphLaunch(exec, stream) == cudaErrorInvalidValue, "launched while it is allocated");
  CHECK(cudaFree(what.dptr));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphInstantiateWithFlags(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaFree(what.dptr));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
}

// Lanes but the first hand on what they have not got.
__global__ void claim_room(unsigned* end, unsigned* places) {
  const unsigned lane = threadIdx.x % 32;
  unsigned at;
  if (lane == 0) at = atomicAdd(end, 32u);
  at = __shfl_sync(~0u, at, 0);
  places[at + lane] = threadIdx.x;
}

// --- what the compiler knows of a kernel ---
__device__ __noinline__ int from_own(int i) {
  __shared__ int own[33];
  own[i] = i;
  __syncthreads();
  return own[(i + 1) % 32];
}
template <class T>
__global__ void sized(T* out) {
  __shared__ T x[100];
  __shared__ char c[3];
  x[threadIdx.x] = T(from_own(threadIdx.x));
  if (threadIdx.x < 3) c[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = x[99 - threadIdx.x % 3 - 97] + c[2];
}
__global__ void large_locals(int* out) {
  int own[10000];
  for (int i = 0; i < 10000; ++i) own[i] = i + out[32];
  __syncthreads();
  out[threadIdx.x] = own[9999 - threadIdx.x];
}

int main(int argc, char** argv) {
  int *out, host[256];
  float4 *from, *to, quads[4];
  double *sums, host_sums[128];
  CHECK(cudaMalloc(&out, sizeof host));
  CHECK(cudaMalloc(&from, sizeof quads));
  CHECK(cudaMalloc(&to, sizeof quads));
  CHECK(cudaMalloc(&sums, sizeof host_sums));
  const auto fetch = [&] { CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost)); };

  if (argc > 1) {  // so deep
    if (argc > 2) CHECK(cudaDeviceSetLimit(cudaLimitStackSize, atoi(argv[2])));
    recursive<<<2, 64>>>(out, atoi(argv[1]));
    CHECK(cudaDeviceSynchronize());
    fetch();
    printf("%d\n", host[63]);
    return 0;
  }

  CHECK(cudaMemset(out, 0, sizeof host));
  shared_outside<<<1, 128, 128 * sizeof(float)>>>(out);
  fetch();
  expect(host[5] == 6 + 2 + 5 + 3 && host[127] == 0 + 2 + 5 + 3, "__shared__ outside of functions");

  for (int i = 0; i < 4; ++i) quads[i] = made_of(float(i)), quads[i].w = 10;
  CHECK(cudaMemcpy(from, quads, sizeof quads, cudaMemcpyHostToDevice));
  vectors<<<1, 4>>>(from, to);
  CHECK(cudaMemcpy(quads, to, sizeof quads, cudaMemcpyDeviceToHost));
  expect(quads[3].x == 3 + 10 + 2 && quads[3].w == 10, "vectors");
  expect(sizeof steps / sizeof *steps == 4 && steps[2].x == -1, "an array of vectors");

  CHECK(cudaMemset(out, 0, sizeof host));
  scoped<<<1, 32>>>((unsigned*)out);
  fetch();
  expect(host[0] == 32 % 11 && host[1] == 1 && host[2] == 32 && host[3] == 69, "scoped atomics");

  tiles<<<1, 128>>>(out, sums);
  fetch();
  CHECK(cudaMemcpy(host_sums, sums, sizeof host_sums, cudaMemcpyDeviceToHost));
  expect(host[5] == 2016 + 5 + 3 && host[100] == 2016 + 64 * 64 + 36 + 67 + 1 + 1, "tiles");
  expect(host_sums[40] == 0.5 * (31 * 16 + 32 * 32) + 32 + 63 + 41, "wide values");

  references(out);
  heap<<<1, 32>>>(out, 16 << 20);
  fetch();
  expect(host[3] == 3 * 3 + 3 + 7 && host[32] == 0, "the heap, and its limit");
  expect(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20) == cudaErrorInvalidValue,
         "the limit of a heap in use");
  CHECK(cudaDeviceReset());
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20));
  CHECK(cudaMalloc(&out, sizeof host));
  heap<<<1, 32>>>(out, 16 << 20);
  fetch();
  expect(host[32] == 1, "a larger heap");

  const int many = 25000;
  CHECK(cudaFuncSetAttribute(much_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             many * int(sizeof(int))));
  much_shared<<<2, 64, many * sizeof(int)>>>(out, many);
  fetch();
  expect(host[63] == many - 64, "100 KB of shared memory");

  CHECK(cudaMemset(out, 0, sizeof host));
  claim_room<<<2, 64>>>((unsigned*)out, (unsigned*)out + 1);
  fetch();
  expect(host[0] == 128 && host[128] % 32 == 31, "room that one lane claims for its warp");

  graph_memory(out);
  cudaIpcMemHandle_t handle;
  expect(cudaIpcGetMemHandle(&handle, out) == cudaErrorNotSupported, "cudaIpc is refused");
  cudaGraphicsResource* drawn = nullptr;
  expect(cudaGraphicsGLRegisterBuffer(&drawn, 1, 0) == cudaErrorNotSupported,
         "OpenGL's memory is refused");

  cudaFuncAttributes sizes;
  CHECK(cudaFuncGetAttributes(&sizes, sized<double>));
  expect(sizes.sharedSizeBytes == 100 * 8 + 33 * 4 + 3, "shared bytes of a kernel and its calls");
  CHECK(cudaFuncGetAttributes(&sizes, vectors));
  expect(sizes.sharedSizeBytes == 0, "a kernel without shared variables");
  CHECK(cudaMemset(out, 0, sizeof host));
  large_locals<<<1, 32>>>(out);
  fetch();
  expect(host[31] == 9999 - 31, "arrays larger than a stack");
  CHECK(cudaFree(out));
  printf("%s\n", failed == 0 ? "Test passed" : "Test failed");
  return failed;
}
