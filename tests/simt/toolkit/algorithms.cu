// Thrust by its own loops over memory that kernels use as well, and CUB's code in kernels.
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_reduce.cuh>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>

namespace {

constexpr int n = 1000;

__global__ void block_sums(const int* in, int* out, int* before) {
  using reduce = cub::BlockReduce<int, 128>;
  using scan = cub::BlockScan<int, 128>;
  __shared__ union {
    typename reduce::TempStorage sums;
    typename scan::TempStorage scans;
  } storage;
  const int i = blockIdx.x * 128 + threadIdx.x, value = i < n ? in[i] : 0;
  int mine = 0;
  const int sum = reduce(storage.sums).Sum(value);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
  __syncthreads();
  scan(storage.scans).ExclusiveSum(value, mine);
  if (i < n) before[i] = mine;
}

int sum_by_cub(const int* in, int count) {
  thrust::device_vector<int> result(1);
  std::size_t bytes = 0;
  cub::DeviceReduce::Sum(nullptr, bytes, in, result.data().get(), count);
  thrust::device_vector<char> storage(bytes);
  cub::DeviceReduce::Sum(storage.data().get(), bytes, in, result.data().get(), count);
  cudaDeviceSynchronize();
  return result[0];
}

}  // namespace

extern "C" int algorithms_are_right() {
  thrust::host_vector<int> mixed(n);
  for (int i = 0; i < n; ++i) mixed[i] = i * 7919 % n;
  thrust::device_vector<int> values = mixed, places(n), sums(8), before(n);
  thrust::sequence(places.begin(), places.end());
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  try {
    thrust::sort_by_key(thrust::cuda::par.on(stream), values.begin(), values.end(), places.begin());
  } catch (const thrust::system_error&) {
    return 0;
  }
  cudaStreamDestroy(stream);
  block_sums<<<8, 128>>>(thrust::raw_pointer_cast(values.data()), sums.data().get(),
                         before.data().get());
  cudaDeviceSynchronize();
  const auto zipped = thrust::make_zip_iterator(thrust::make_tuple(values.begin(), places.begin()));
  bool right = zipped - zipped == 0;
  for (int i = 0; i < n; ++i) right = right && values[i] == i && mixed[places[i]] == i;
  const int total = n * (n - 1) / 2;
  return right && before[127] == 126 * 127 / 2 &&
         thrust::reduce(sums.begin(), sums.end()) == total &&
         sum_by_cub(values.data().get(), n) == total;
}
